package peer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A call ends when its own time is up, whatever limits others have, or have not.
func TestLimitsOfSeveralCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		endless := goCall(t.Context(), c, "endless", &peer.CallOptions{Timeout: -1, MaxTimeout: -1})
		long := goCall(t.Context(), c, "long", &peer.CallOptions{Timeout: time.Hour, MaxTimeout: -1})
		short := goCall(t.Context(), c, "short", &peer.CallOptions{Timeout: time.Second, MaxTimeout: -1})
		for range 3 {
			far.receive()
		}
		for p, took := range map[*pending]time.Duration{short: time.Second, long: time.Hour} {
			if err := p.wait(); !errors.Is(err, context.DeadlineExceeded) || p.took != took {
				t.Errorf("after %v, want %v: %v", p.took, took, err)
			}
		}
		time.Sleep(1000 * time.Hour)
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := endless.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Progress does not give a time limit to a call that has none.
func TestProgressWithoutLimit(t *testing.T) {
	for name, limit := range map[string]struct {
		ctx  time.Duration
		opts peer.CallOptions
	}{
		"none": {0, peer.CallOptions{Timeout: -1}}, "of the context": {time.Hour, peer.CallOptions{}},
	} {
		bubble(t, name, func(t *testing.T) {
			c, far := connect(t, handlers{}, nil)
			ctx := t.Context()
			if limit.ctx > 0 {
				var cancel func()
				ctx, cancel = context.WithTimeout(ctx, limit.ctx)
				defer cancel()
			}
			limit.opts.ResetOnProgress = true
			p := goCall(ctx, c, "m", &limit.opts)
			far.receive()
			far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
			time.Sleep(30 * time.Minute)
			other := goCall(t.Context(), c, "m", &peer.CallOptions{Timeout: time.Second}) // so that the clock is looked at
			other.wait()
			far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
			if err := p.wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Why a caller gave up is never taken for an answer, nor is an answer lost because the caller is about
// to give up.
func TestGivingUpOrAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		p := goCall(ctx, c, "m", nil)
		far.receive()
		cancel(&jsonrpc.Error{Code: 7, Message: "of another call"})
		if err := p.wait(); !errors.As(err, new(*jsonrpc.CallError)) || !errors.Is(err, context.Canceled) {
			t.Errorf("%#v", err)
		}
	})
	for range 20 { // whatever is looked at first
		synctest.Test(t, func(t *testing.T) {
			c, far := connect(t, handlers{}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			busy := make(chan struct{})
			p := goCall(ctx, c, "m", &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) { <-busy }})
			far.receive()
			far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
			synctest.Wait()
			far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
			synctest.Wait()
			cancel()
			close(busy)
			if err := p.wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A call that its caller gives up is not answered any more, even while its caller is told about progress.
func TestGivenUpIsNotAnswered(t *testing.T) {
	gaveUp := 0
	for range 20 { // whatever is looked at first: the end of the context, or the second report
		synctest.Test(t, func(t *testing.T) {
			c, far := connect(t, handlers{}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			goOn := make(chan struct{})
			p := goCall(ctx, c, "m", &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) { <-goOn }})
			far.receive()
			for _, n := range []string{"1", "2"} {
				far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":` + n + `}}`)
				synctest.Wait()
			}
			cancel()
			goOn <- struct{}{}
			synctest.Wait() // the second report waits
			far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
			synctest.Wait()
			goOn <- struct{}{}
			if err := p.wait(); err == nil {
				far.quiet() // it was answered, so nothing is cancelled
			} else if gaveUp++; !errors.Is(err, context.Canceled) {
				t.Error(err)
			} else {
				far.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"context canceled"}}`)
				far.logged(1, "the call is over")
			}
		})
	}
	if gaveUp == 0 {
		t.Error("no call was given up")
	}
}

// What waits is bounded in bytes, up to the bound and not beyond; a single message may be larger.
func TestBytesAreBounded(t *testing.T) {
	note := func(n int) string { // of n bytes
		const start, end = `{"jsonrpc":"2.0","method":"n","params":{"x":"`, `"}}`
		return start + strings.Repeat("x", n-len(start)-len(end)) + end
	}
	request := func(id, n int) string {
		start, end := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m","params":{"x":"`, id), `"}}`
		return start + strings.Repeat("x", n-len(start)-len(end)) + end
	}
	bubble(t, "notifications", func(t *testing.T) {
		goOn := make(chan struct{})
		handled := 0
		_, far := connect(t, handlers{notification: func(context.Context, *transport.Request) { <-goOn; handled++ }}, &peer.Options{Limits: transport.Limits{MaxBytes: 200}})
		far.send(note(100))
		far.send(note(100))
		far.logged(0, "notifications dropped")
		far.send(note(100))
		far.logged(1, "notifications dropped")
		close(goOn)
		settle()
		far.send(note(1000))
		settle()
		if handled != 3 {
			t.Errorf("%d notifications were handled, want 3", handled)
		}
	})
	bubble(t, "requests", func(t *testing.T) {
		h := newHold()
		_, far := connect(t, h.handler(), &peer.Options{Limits: transport.Limits{MaxBytes: 200}})
		far.send(request(1, 100))
		far.send(request(2, 100))
		far.quiet()
		far.send(request(3, 100))
		if got := far.receive(); !strings.Contains(got, `"id":3,"error":`) {
			t.Error(got)
		}
		close(h.release)
		far.receive()
		far.receive()
		far.send(request(4, 1000))
		far.want(`{"jsonrpc":"2.0","id":4,"result":{}}`)
	})
}

// A request that was refused because there was no room may come again with its id.
func TestRefusedIDIsNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHold()
		_, far := connect(t, h.handler(), &peer.Options{Limits: transport.Limits{MaxRequests: 1}, UniqueIDs: true})
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.send(`{"jsonrpc":"2.0","id":2,"method":"m"}`)
		if got := far.receive(); !strings.Contains(got, "too many requests") {
			t.Error(got)
		}
		close(h.release)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		far.send(`{"jsonrpc":"2.0","id":2,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	})
}

// Of ids that are strings, the oldest are forgotten first.
func TestOldestStringsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, far := connect(t, handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) { return nil, nil }}, &peer.Options{UniqueIDs: true})
		taken := func(i int) bool {
			far.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","method":"m"}`, i))
			return strings.Contains(far.receive(), `"result":`)
		}
		for i := range 256 + 3 {
			if !taken(i) {
				t.Fatalf("s%d is refused", i)
			}
		}
		for _, i := range []int{3, 4, 255, 256, 257, 258} {
			if taken(i) {
				t.Errorf("s%d was forgotten", i)
			}
		}
	})
}

// The context of a handler ends with it.
func TestContextEndsWithHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept []context.Context
		_, far := connect(t, handlers{
			request: func(ctx context.Context, _ *transport.Request) (wire.Raw, error) {
				kept = append(kept, ctx)
				return nil, nil
			},
			notification: func(ctx context.Context, n *transport.Request) { kept = append(kept, ctx) },
		}, nil)
		far.send(`{"jsonrpc":"2.0","method":"n"}`)
		synctest.Wait()
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		synctest.Wait()
		if len(kept) != 2 {
			t.Fatal(len(kept))
		}
		for i, ctx := range kept {
			if ctx.Err() != context.Canceled {
				t.Errorf("%d: %v", i, ctx.Err())
			}
		}
	})
}

// The contexts of all handlers end with the connection, and that of one that panics ends, too.
func TestContextsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		c, far := connect(t, handlers{request: func(ctx context.Context, _ *transport.Request) (wire.Raw, error) {
			<-ctx.Done()
			ended.Add(1)
			return nil, nil
		}}, nil)
		for i := range 3 {
			far.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, i))
			settle()
		}
		c.Close()
		settle()
		if n := ended.Load(); n != 3 {
			t.Errorf("%d contexts have ended, want 3", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		var kept context.Context
		_, far := connect(t, handlers{request: func(ctx context.Context, _ *transport.Request) (wire.Raw, error) {
			kept = ctx
			panic("oh")
		}}, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}`)
		if kept.Err() != context.Canceled {
			t.Error(kept.Err())
		}
	})
}

// A handler of notifications that ends its goroutine keeps nobody waiting.
func TestNotificationGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		_, far := connect(t, handlers{notification: func(_ context.Context, n *transport.Request) {
			got = append(got, n.Method)
			if n.Method == "exit" {
				runtime.Goexit()
			}
			if n.Method == "panic" {
				panic("oh")
			}
			time.Sleep(time.Second) // the next one comes meanwhile, and must wait
			got = append(got, n.Method)
		}}, nil)
		for _, name := range []string{"exit", "a", "panic", "b", "c"} {
			far.send(`{"jsonrpc":"2.0","method":"` + name + `"}`)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if text := strings.Join(got, " "); text != "exit a a panic b b c c" {
			t.Error(text)
		}
	})
}

// A late answer to a call that was given up is logged at level debug, not as a warning.
func TestLateAnswerIsNoWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		p := goCall(t.Context(), c, "m", nil)
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		p.wait()
		far.logged(0, "answer ignored")
		p = goCall(t.Context(), c, "m", &peer.CallOptions{Timeout: time.Second, Silent: true})
		p.wait()
		far.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		far.logged(1, `level=DEBUG msg="peer: response ignored, the call is over`)
		far.send(`{"jsonrpc":"2.0","id":9,"result":{}}`)
		far.logged(1, `level=WARN msg="peer: response ignored, there was no such call`)
	})
}

// deaf is a transport that receives nothing and does not notice that it was closed.
type deaf struct {
	outbox
	stop chan struct{}
}

func (d *deaf) Receive(context.Context) (transport.Message, error) {
	<-d.stop
	return transport.Message{}, io.EOF
}

// Run of a connection that was closed before returns, even if its transport does not.
func TestRunAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deaf{stop: make(chan struct{})}
		defer close(d.stop)
		c := newConn(d, handlers{}, nil)
		began := time.Now()
		go func() { time.Sleep(time.Second); c.Close() }()
		if err := c.Run(t.Context(), d); err != nil || time.Since(began) > 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		c = newConn(d, handlers{}, nil)
		c.Close()
		began = time.Now()
		if err := c.Run(t.Context(), d); err != nil || time.Since(began) > 10*time.Second {
			t.Errorf("closed before: %v after %v", err, time.Since(began))
		}
	})
}

// Everybody who waits for the end of the handlers is told.
func TestShutdownTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHold()
		c, far := connect(t, h.handler(), nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		settle()
		done := make(chan error, 2)
		for range 2 {
			go func() { done <- c.Shutdown(t.Context()) }()
			settle()
		}
		close(h.release)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// Handlers that return within DrainTime are not reported as going on.
func TestDrainInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := make(chan struct{})
		_, far := connect(t, handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) {
			close(began)
			time.Sleep(time.Second)
			return nil, nil
		}}, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		<-began
		start := time.Now()
		far.end.Close()
		if err := <-far.done; err != nil || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		far.logged(0, "handlers go on")
	})
	synctest.Test(t, func(t *testing.T) {
		_, far := connect(t, handlers{request: func(ctx context.Context, _ *transport.Request) (wire.Raw, error) {
			<-ctx.Done() // which is when the time to finish is over
			time.Sleep(time.Second)
			return nil, nil
		}}, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		settle()
		start := time.Now()
		far.end.Close()
		if err := <-far.done; err != nil || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		far.logged(0, "handlers go on")
	})
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		_, far := connect(t, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			if <-ctx.Done(); r.ID != wire.IntID(0) {
				<-release
			}
			return nil, nil
		}}, nil)
		for id := range 3 {
			far.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, id))
		}
		settle()
		far.end.Close()
		<-far.done
		far.logged(1, "handlers=2") // not those that returned in time
	})
	synctest.Test(t, func(t *testing.T) {
		var during error
		_, far := connect(t, handlers{notification: func(ctx context.Context, _ *transport.Request) {
			time.Sleep(time.Second)
			during = ctx.Err()
		}}, nil)
		far.send(`{"jsonrpc":"2.0","method":"n"}`)
		synctest.Wait()
		start := time.Now()
		far.end.Close()
		if err := <-far.done; err != nil || during != nil || time.Since(start) != time.Second {
			t.Errorf("%v after %v; the handler's context: %v", err, time.Since(start), during)
		}
	})
}
