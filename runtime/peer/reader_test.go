package peer_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/peer"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// With HandOver, a handler that takes long keeps the next message waiting for that long, once.
func TestHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const late = 10 * time.Millisecond
		_, far := connect(t, handlers{request: func(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
			if r.Method == "slow" {
				time.Sleep(time.Second)
			}
			return nil, nil
		}}, &peer.Options{HandOver: late})
		fast := func(id string, want time.Duration) {
			t.Helper()
			start := time.Now()
			far.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"fast"}`)
			far.want(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
			if took := time.Since(start); took != want {
				t.Errorf("request %s took %v, want %v", id, took, want)
			}
		}
		fast("1", 0)
		far.send(`{"jsonrpc":"2.0","id":2,"method":"slow"}`)
		fast("3", late)
		fast("4", 0)
		for _, id := range []string{"5", "6", "7"} { // the first of them has to wait again
			far.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"slow"}`)
		}
		fast("8", late)
		start := time.Now()
		for range 4 {
			if got := far.receive(); !strings.Contains(got, "result") {
				t.Error(got)
			}
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("the slow ones took %v", took)
		}
		far.quiet()
	})
}

// Whoever waits for the other side in a handler hands over at once.
func TestHandOverForCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, far := connect(t, handlers{request: func(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
			var result wire.Raw
			err := r.Call(ctx, &wire.Method{Name: "roots/list"}, nil, &result)
			return result, err
		}}, &peer.Options{HandOver: time.Hour})
		start := time.Now()
		for range 3 {
			far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
			synctest.Wait()
		}
		far.want(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		far.receive() // the refusal of the same id
		far.receive()
		far.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
		if took := time.Since(start); took != 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// Without HandOver the handler of a request that comes alone is run by the goroutine that has read
// it, and another one reads on.
func TestLoneRequestIsInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inline atomic.Bool
		_, far := connect(t, handlers{request: func(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
			var callers [32]uintptr
			frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers[:])])
			for {
				frame, more := frames.Next()
				if frame.Function == "github.com/mcpgen/mcpgen/runtime/peer.(*reader).loop" {
					inline.Store(true)
				}
				if !more {
					return nil, nil
				}
			}
		}}, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if !inline.Load() {
			t.Error("the handler ran in a goroutine of its own")
		}
	})
}
