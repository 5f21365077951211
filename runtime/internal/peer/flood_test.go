package peer_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Both sides call each other as fast as they can, and each call makes another one back, with hardly
// any room on the way: they do not end up waiting for each other.
//
// REQ JRPC-13
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handlers{
			request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
				if r.Method == "back" {
					return r.Out.Call(ctx, "ping", nil)
				}
				return nil, r.Out.Notify(ctx, "n", nil)
			},
		}
		a, b := inmem.Pair(1)
		near, distant := newConn(a, h, nil), newConn(b, h, nil)
		var runs, calls sync.WaitGroup
		runs.Go(func() { near.Run(t.Context(), a) })
		runs.Go(func() { distant.Run(t.Context(), b) })
		start := time.Now()
		for range 200 {
			for _, c := range []*peer.Conn{near, distant} {
				calls.Go(func() {
					if err := c.CallWith(t.Context(), "back", nil, nil, nil); err != nil {
						t.Error(err)
					}
				})
			}
		}
		calls.Wait()
		if took := time.Since(start); took > time.Second {
			t.Errorf("it took %v", took)
		}
		near.Close()
		runs.Wait()
	})
}

// REQ PING-01
func TestPingIsAlwaysAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		c, far := connect(t, handlers{
			request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
				switch r.Method {
				case "block":
					<-block
				case "ask":
					return r.Out.Call(ctx, "elicitation/create", nil)
				}
				return nil, nil
			},
			notification: func(context.Context, *transport.Request) { <-block },
		}, nil)
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) { <-block }})
		far.want(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":1}}}`)
		far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
		far.send(`{"jsonrpc":"2.0","method":"notifications/message"}`)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"block"}`)
		far.send(`{"jsonrpc":"2.0","id":2,"method":"ask"}`)
		far.want(`{"jsonrpc":"2.0","id":2,"method":"elicitation/create"}`)
		start := time.Now()
		far.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		far.want(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		if took := time.Since(start); took != 0 {
			t.Errorf("it took %v", took)
		}
		close(block)
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		far.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		p.wait()
	})
}

// A connection to which messages are delivered takes no goroutine, and little room.
func TestIdle(t *testing.T) {
	const n = 1000
	var before, after runtime.MemStats
	goroutines := runtime.NumGoroutine()
	conns := make([]*peer.Conn, n)
	opts := &peer.Options{Logger: (&log{}).logger()}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range conns {
		conns[i] = newConn(&recorder{}, handlers{}, opts)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := int(after.HeapAlloc-before.HeapAlloc) / n
	t.Logf("an idle connection takes %d bytes", each)
	if each > 700 || runtime.NumGoroutine() > goroutines {
		t.Errorf("an idle connection takes %d bytes; %d goroutines, there were %d", each, runtime.NumGoroutine(), goroutines)
	}
	runtime.KeepAlive(conns)
}
