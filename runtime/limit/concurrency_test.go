package limit_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An office is a server whose tools work until they are told to stop. It notes who comes in.
type office struct {
	t      *testing.T
	server *server.Server
	group  sync.WaitGroup

	mu      sync.Mutex
	entered []string
	inside  []chan struct{} // in the order in which they came in
}

func newOffice(t *testing.T, limits ...server.Middleware) *office {
	o := &office{t: t}
	o.server = newServer(o.work, limits...)
	return o
}

// work is the work of a tool.
func (o *office) work(_ context.Context, c *server.Call) {
	end := make(chan struct{})
	o.mu.Lock()
	o.entered = append(o.entered, c.Principal())
	o.inside = append(o.inside, end)
	o.mu.Unlock()
	<-end
}

// come begins calls of a tool that succeed, one after the other.
func (o *office) come(names, tool string) {
	for name := range strings.FieldsSeq(names) {
		o.group.Go(func() { want(o.t, call(o.t.Context(), o.server, name, tool), "") })
		synctest.Wait()
	}
}

// end ends the call that has been inside for longest.
func (o *office) end() {
	o.mu.Lock()
	close(o.inside[0])
	o.inside = o.inside[1:]
	o.mu.Unlock()
	synctest.Wait()
}

// expect checks who has come in so far.
func (o *office) expect(names string) {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if got := strings.Join(o.entered, " "); got != names {
		o.t.Errorf("%q came in, want %q", got, names)
	}
}

func (o *office) close() {
	for len(o.inside) > 0 {
		o.end()
	}
	o.group.Wait()
}

// No more than Max are handled, and no more than Queue wait. Clients take turns, and whoever has most in the queue gives
// way.
func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, limit.Concurrency{Max: 2, Queue: 8, Wait: -1, Shared: true}.Middleware())
		o.come("ada ada ada ada ada ada", "a")
		const full = `want at most 2 calls at the same time, and at most 8 that wait; try again in 1s`
		for range 4 { // which give way
			o.group.Go(func() { want(t, call(t.Context(), o.server, "ada", "a"), full) })
			synctest.Wait()
		}
		want(t, call(t.Context(), o.server, "ada", "a"), full)
		o.come("bob eve bob eve", "a")
		o.expect("ada ada")
		time.Sleep(time.Hour)
		for range 3 {
			o.end()
		}
		o.expect("ada ada ada bob eve")
		o.come("zoe", "b")
		o.close()
		o.expect("ada ada ada bob eve ada bob eve zoe ada ada")
	})
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, limit.Concurrency{Max: 2, Queue: 8, Wait: -1, Shared: true}.Middleware())
		limits.Shared(t, 9, func(who string) bool { // 1 inside beside alice, and all of the queue until she comes
			var err error
			o.group.Go(func() { err = call(t.Context(), o.server, who, "a") })
			synctest.Wait()
			return err == nil
		})
		o.close()
	})
}

// Nobody waits without a queue, and whoever waits for too long is refused.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, limit.Concurrency{Max: 1, Shared: true}.Middleware())
		o.come("ada", "a")
		want(t, call(t.Context(), o.server, "bob", "b"), "want at most 1 calls at the same time; try again in 1s")
		o.close()
	})
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, limit.Concurrency{Max: 1, Queue: 1}.Middleware())
		o.come("ada ada", "a")
		want(t, call(t.Context(), o.server, "ada", "a"), "want at most 1 calls at the same time by one client, and at most 1 that wait; try again in 1s")
		o.close()
	})
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, limit.Concurrency{Max: 1, Queue: 2}.Middleware())
		o.come("ada bob", "a")
		begun := time.Now()
		o.group.Go(func() {
			want(t, call(t.Context(), o.server, "ada", "a"), "want at most 1 calls at the same time by one client, and at most 2 that wait; this one has waited for 10s; try again in 1s")
		})
		time.Sleep(5 * time.Second)
		o.come("ada", "a") // a client has all of its own queue
		want(t, call(t.Context(), o.server, "ada", "a"), "at most 2 that wait; try again")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		o.end()
		o.expect("ada bob ada")
		if d := time.Since(begun); d != 10*time.Second {
			t.Errorf("after %s", d)
		}
		o.close()
	})
}

// A call that is cancelled while it waits ends at once, and leaves its place to others, whenever that is.
func TestCancelledWhileQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, limit.Concurrency{Max: 1, Queue: 4, Shared: true}.Middleware())
		o.come("ada", "a")
		why := errors.New("why")
		ctx, cancel := context.WithCancelCause(t.Context())
		o.group.Go(func() {
			want(t, call(ctx, o.server, "bob", "a"), "why")
		})
		synctest.Wait()
		o.come("eve", "a")
		begun := time.Now()
		cancel(why)
		synctest.Wait()
		o.come("bob", "a") // the place in the queue is free
		o.close()
		o.expect("ada eve bob")
		if time.Since(begun) != 0 {
			t.Error("somebody has waited")
		}
	})
	for range 50 { // the call comes in and is cancelled at the same time
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, limit.Concurrency{Max: 1, Queue: 4, Shared: true}.Middleware())
			o.come("ada", "a")
			ctx, cancel := context.WithCancel(t.Context())
			o.group.Go(func() { call(ctx, o.server, "bob", "a") })
			synctest.Wait()
			go cancel()
			o.end()
			o.close()
			o.come("eve", "a")
			o.close()
			if last := o.entered[len(o.entered)-1]; last != "eve" {
				t.Fatalf("the place is lost: %q came in", o.entered)
			}
		})
	}
}

// A client cancels a call that waits, over a connection, in every revision.
func TestClientCancelsWhileQueued(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, limit.Concurrency{Max: 1, Queue: 4, Shared: true}.Middleware())
			c := mcptest.Connect(t, o.server, &mcptest.Options{Revision: rev, Identity: mcptest.As("bob")})
			o.come("ada", "a")
			ctx, cancel := context.WithCancel(t.Context())
			o.group.Go(func() { c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "a"}) })
			synctest.Wait()
			cancel()
			time.Sleep(time.Second) // until the connection reads on
			synctest.Wait()
			o.close()
			o.expect("ada")
		})
	})
}

// A call passes one limit after the other, and gives back what it has if a later one refuses it. What a tool refuses is for
// the model.
func TestConcurrencyTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, limit.Concurrency{Max: 2, Queue: 2}.Middleware())
		err := o.server.AddTool(mcp.Tool{Name: "c"}, limit.Concurrency{Max: 1, Shared: true}.Tool(
			func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				o.work(ctx, c)
				return server.TextResult("done"), nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		o.come("ada", "c")
		for range 5 {
			result, err := server.NewEndpoint(o.server).ServeRequest(t.Context(), request("tools/call", `"name":"c"`, transport.Origin{Principal: "ada"}))
			if want := `"text":"want at most 1 calls at the same time; try again in 1s"}],"isError":true`; err != nil || !strings.Contains(string(result), want) {
				t.Errorf("got %s, %v, want %s", result, err, want)
			}
		}
		o.come("ada", "b")
		o.expect("ada ada")
		o.come("ada", "b") // waits, although b has no limit of its own
		o.expect("ada ada")
		o.close()
		o.expect("ada ada ada")
		o.come("bob", "c") // where a place is free again
		o.close()
		o.expect("ada ada ada bob")
	})
}

// A handler that panics leaves its place.
func TestPanic(t *testing.T) {
	s := newServer(func(context.Context, *server.Call) { panic("no") }, limit.Concurrency{Max: 1, Shared: true}.Middleware())
	for range 3 {
		want(t, call(t.Context(), s, "ada", "a"), "internal error")
	}
}

// Requests that do not end, such as subscriptions, are bounded only by a rule that names them.
func TestConcurrencyOfMethods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil, limit.Concurrency{Max: 1}.Middleware(), limit.Concurrency{Max: 2, Methods: []string{"subscriptions/listen"}}.Middleware())
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		listen := func() error {
			r := request("subscriptions/listen", `"notifications":{}`, transport.Origin{Principal: "ada"})
			r.Out = silent{}
			_, err := server.NewEndpoint(s).ServeRequest(ctx, r)
			return err
		}
		for range 2 {
			group.Go(func() { listen() })
			synctest.Wait()
		}
		want(t, listen(), "want at most 2 requests at the same time by one client")
		want(t, call(t.Context(), s, "ada", "a"), "")
		cancel()
		group.Wait()
	})
}

type silent struct{ transport.Caller }

func (silent) Notify(context.Context, string, wire.Raw) error { return nil }
