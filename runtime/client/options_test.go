package client

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Zero is the default of an option, and a negative value no limit, or no cache.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		o           Options
		probe, call time.Duration
		cache       int
	}{
		{Options{}, 5 * time.Second, time.Minute, 4 << 20},
		{Options{ProbeTimeout: 1, Limits: transport.Limits{Timeout: 2}, CacheBytes: 5}, 1, 2, 5},
		{Options{ProbeTimeout: -1, Limits: transport.Limits{Timeout: -1}, CacheBytes: -1}, 1 << 62, 1 << 62, 0},
	} {
		o := &test.o
		if o.probeTimeout() != test.probe || o.listenTimeout() != test.call || o.cacheBytes() != test.cache {
			t.Errorf("%v %v %v", o.probeTimeout(), o.listenTimeout(), o.cacheBytes())
		}
	}
}

// Without limits a slow server is waited for, and a subscription begins whenever the server agrees to it.
func TestNoLimits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := modernServer(nil)
		discover := server["server/discover"]
		server["server/discover"] = func(r *received) (string, error) {
			time.Sleep(time.Hour)
			return discover(r)
		}
		server["subscriptions/listen"] = func(r *received) (string, error) {
			time.Sleep(time.Hour)
			r.server.tell("notifications/subscriptions/acknowledged",
				`{"_meta":{"io.modelcontextprotocol/subscriptionId":`+r.id.String()+`},"notifications":{}}`)
			return silence(r)
		}
		c, _ := dial(t, server, &Options{ProbeTimeout: -1,
			Limits: transport.Limits{Timeout: -1, MaxTimeout: -1}, Revisions: []wire.Revision{mcp.V2026_07_28}})
		s, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	})
}
