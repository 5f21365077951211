package peer_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/peer"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
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

// A transport can say how long is good, and is overruled.
func TestHandOverOfTransport(t *testing.T) {
	for _, c := range []struct{ option, want time.Duration }{{0, 7 * time.Millisecond}, {-1, 0}, {time.Second / 2, time.Second / 2}} {
		bubble(t, c.option.String(), func(t *testing.T) {
			near, end := inmem.Pair(0)
			conn := peer.New(near, handlers{request: func(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
				if r.Method == "slow" {
					time.Sleep(time.Second)
				}
				return nil, nil
			}}, &peer.Options{HandOver: c.option})
			var run sync.WaitGroup
			run.Go(func() { conn.Run(t.Context(), steady{near}) })
			start := time.Now()
			for _, method := range []string{"slow", "fast"} {
				end.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":"` + method + `","method":"` + method + `"}`)})
			}
			m, err := end.Receive(t.Context())
			if took := time.Since(start); err != nil || !strings.Contains(string(m.Data), "fast") || took != c.want {
				t.Errorf("after %v: %s, %v", took, m.Data, err)
			}
			end.Receive(t.Context())
			conn.Close()
			run.Wait()
		})
	}
}

// A steady end is a transport.Steady.
type steady struct{ *inmem.End }

func (steady) HandOver() time.Duration { return 7 * time.Millisecond }

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
