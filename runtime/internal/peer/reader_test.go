package peer_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A handler that takes long keeps the next message waiting for a moment, once.
func TestSlowHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const late = time.Millisecond
		_, far := connect(t, handlers{request: func(_ context.Context, r *transport.Request) (wire.Raw, error) {
			switch r.Method {
			case "slow":
				time.Sleep(time.Second)
			case "exit":
				runtime.Goexit()
			}
			return nil, nil
		}}, nil)
		answered := func(id, method, want string, after time.Duration) {
			t.Helper()
			start := time.Now()
			far.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}`)
			far.want(`{"jsonrpc":"2.0","id":` + id + `,` + want + `}`)
			if took := time.Since(start); took != after {
				t.Errorf("request %s took %v, want %v", id, took, after)
			}
		}
		fast := func(id string, after time.Duration) {
			t.Helper()
			answered(id, "fast", `"result":{}`, after)
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
		for _, id := range []string{"9", "10"} { // a goroutine that ends keeps nobody waiting
			answered(id, "exit", `"error":{"code":-32603,"message":"internal error"}`, 0)
			fast(id+"0", 0)
		}
		// Each has its own time, whenever the clock was wound up.
		time.Sleep(2 * late)
		fast("11", 0)
		fast("110", 0)
		time.Sleep(late / 2)
		far.send(`{"jsonrpc":"2.0","id":12,"method":"slow"}`)
		fast("13", late)
		far.receive() // 12
		far.quiet()
	})
}

// A handler that waits for the other side keeps nobody waiting.
func TestReadingGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, far := connect(t, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			return r.Out.Call(ctx, "roots/list", nil)
		}}, nil)
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

// The handler of a request is run by the goroutine that has read it.
func TestLoneRequestIsInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inline atomic.Bool
		_, far := connect(t, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			var callers [32]uintptr
			frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers[:])])
			for {
				frame, more := frames.Next()
				if strings.Contains(frame.Function, "(*reader).loop") {
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
