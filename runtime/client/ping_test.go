package client

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// REQ PING-01 PING-02 PING-03 PING-04
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := legacyServer(script{"ping": func(r *received) (string, error) {
			switch pings := r.server.count("ping"); {
			case pings == 2:
				return "", jsonrpc.ErrMethodNotFound // is an answer, too
			case pings < 4:
				return `{}`, nil
			}
			return silence(r)
		}})
		_, f := dial(t, server, &Options{PingInterval: time.Minute})
		start := time.Now()
		<-f.closed
		if took, pings := time.Since(start), f.count("ping"); pings != 4 || took.Round(time.Second) != 5*time.Minute {
			t.Errorf("closed after %d pings and %v", pings, took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c, f := dial(t, modernServer(nil), &Options{PingInterval: time.Minute})
		time.Sleep(time.Hour)
		if len(f.sent()) > 0 {
			t.Errorf("sent %q", f.sent())
		}
		c.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		c, _ := dial(t, legacyServer(script{"ping": silence}), &Options{PingInterval: time.Minute})
		time.Sleep(90 * time.Second) // a ping is under way
		c.Close()
	})
}
