package peer_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A notebook is a handler that keeps notifications.
type notebook struct {
	mu    sync.Mutex
	notes []string
	do    func(ctx context.Context, n *transport.Request) // before it is noted
}

func (b *notebook) handler() handlers {
	return handlers{
		request: func(context.Context, *transport.Request) (wire.Raw, error) { return nil, nil },
		notification: func(ctx context.Context, n *transport.Request) {
			if b.do != nil {
				b.do(ctx, n)
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			b.notes = append(b.notes, n.Method+string(n.Params))
		},
	}
}

func (b *notebook) read() string {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	text := strings.Join(b.notes, " ")
	b.notes = nil
	return text
}

func TestNotificationsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &notebook{do: func(context.Context, *transport.Request) { time.Sleep(time.Second) }}
		_, far := connect(t, b.handler(), nil)
		var want []string
		for i := range 50 {
			far.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"n%d"}`, i))
			want = append(want, "n"+strconv.Itoa(i))
		}
		// A slow handler keeps neither requests nor answers waiting.
		start := time.Now()
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if took := time.Since(start); took != 0 {
			t.Errorf("the answer took %v", took)
		}
		time.Sleep(50 * time.Second)
		if got := b.read(); got != strings.Join(want, " ") {
			t.Errorf("got %s", got)
		}
		far.send(`{"jsonrpc":"2.0","method":"last","params":{"_meta":{}}}`)
		time.Sleep(time.Second)
		if got, want := b.read(), `last{"_meta":{}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// A handler of notifications can make calls: what it waits for is read meanwhile.
func TestNotificationHandlerCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var conn *peer.Conn
		b := &notebook{do: func(ctx context.Context, n *transport.Request) {
			if err := conn.CallWith(ctx, "tools/list", nil, nil, nil); err != nil {
				t.Error(err)
			}
		}}
		conn, far := connect(t, b.handler(), nil)
		far.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if got := b.read(); got != "notifications/tools/list_changed" {
			t.Error(got)
		}
	})
}

func TestTooManyNotifications(t *testing.T) {
	for name, opts := range map[string]*peer.Options{"by number": {Limits: transport.Limits{MaxNotifications: 3}}, "by size": {Limits: transport.Limits{MaxBytes: 4 * len(`{"jsonrpc":"2.0","method":"n0"}`)}}} {
		bubble(t, name, func(t *testing.T) {
			release := make(chan struct{})
			b := &notebook{do: func(context.Context, *transport.Request) { <-release }}
			_, far := connect(t, b.handler(), opts)
			for i := range 10 { // the first is at work, three wait
				far.send(`{"jsonrpc":"2.0","method":"n` + strconv.Itoa(i) + `"}`)
				synctest.Wait()
			}
			far.logged(1, "notifications dropped")
			close(release)
			if got, want := b.read(), "n0 n1 n2 n3"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			far.send(`{"jsonrpc":"2.0","method":"n10"}`)
			if got, want := b.read(), "n10"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestNotificationPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &notebook{do: func(_ context.Context, n *transport.Request) {
			switch n.Method {
			case "panic":
				panic("oh")
			case "goexit":
				runtime.Goexit()
			}
		}}
		_, far := connect(t, b.handler(), nil)
		for _, m := range []string{"a", "panic", "b", "goexit", "c"} {
			far.send(`{"jsonrpc":"2.0","method":"` + m + `"}`)
		}
		if got, want := b.read(), "a b c"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		far.logged(1, "panic in a handler")
		far.logged(1, "called runtime.Goexit")
	})
}

// Closing ends the context of the notification at work, and drops those that wait.
func TestNotificationsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		b := &notebook{do: func(ctx context.Context, n *transport.Request) {
			<-ctx.Done()
			cause = context.Cause(ctx)
		}}
		c, far := connect(t, b.handler(), nil)
		far.send(`{"jsonrpc":"2.0","method":"a"}`)
		far.send(`{"jsonrpc":"2.0","method":"b"}`)
		synctest.Wait()
		c.Close()
		if got := b.read(); got != "a" || cause != jsonrpc.ErrClosed {
			t.Errorf("got %s, cause %v", got, cause)
		}
	})
}

// A notification that was handled is not kept, neither while others wait nor when there are no more.
func TestHandledNotificationIsFreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		c := newConn(&outbox{}, handlers{notification: func(context.Context, *transport.Request) { <-goOn }}, nil)
		defer c.Close()
		var messages [3]weak.Pointer[byte]
		for i := range messages {
			data := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"n","params":{"x":"%s"}}`, strings.Repeat("x", 10_000))
			messages[i] = weak.Make(&data[0])
			c.DeliverRaw(t.Context(), transport.Message{Data: data})
			synctest.Wait()
		}
		for i := range messages {
			goOn <- struct{}{}
			synctest.Wait()
			runtime.GC()
			for j, m := range messages {
				if freed := m.Value() == nil; freed != (j <= i) {
					t.Errorf("after %d of them, notification %d is freed: %t", i+1, j, freed)
				}
			}
		}
	})
}

// TestAlone has a notification handled before Accept returns, in a context that ends with that of the caller. In a batch,
// where a response may be waiting, it is not.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var noted []string
		var ended error
		h := handlers{
			revision: mcp.V2025_03_26,
			notification: func(ctx context.Context, n *transport.Request) {
				switch n.Method {
				case "cancelled":
					cancel()
					<-ctx.Done()
					ended = ctx.Err()
				case "panics":
					panic("no")
				case "slow":
					time.Sleep(time.Second)
				}
				noted = append(noted, n.Method)
			},
		}
		near, far := inmem.Pair(0)
		defer near.Close()
		defer far.Close()
		logged := &log{}
		alone := func() *peer.Conn { return newConn(near, h, &peer.Options{Alone: true, Logger: logged.logger()}) }
		accept := func(ctx context.Context, method string) {
			t.Helper()
			task, err := alone().Accept(ctx, &transport.Request{}, &jsonrpc.Message{Kind: jsonrpc.Notification, Method: method})
			if task != nil || err != nil {
				t.Errorf("%s: %v, %v", method, task, err)
			}
		}
		accept(t.Context(), "first")
		accept(t.Context(), "panics")
		accept(ctx, "cancelled")
		if got := strings.Join(noted, " "); got != "first cancelled" || ended != context.Canceled {
			t.Errorf("got %s, ended by %v", got, ended)
		}
		if !strings.Contains(logged.String(), "panics") {
			t.Errorf("the panic is not logged: %s", logged)
		}
		noted = nil
		c, begun := alone(), time.Now()
		if _, err := c.AcceptBatch(t.Context(), &transport.Request{}, []byte(`[{"jsonrpc":"2.0","method":"slow"}]`)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took > 0 {
			t.Errorf("a batch waits %v for its notifications", took)
		}
		c.Shutdown(t.Context())
		if got := strings.Join(noted, " "); got != "slow" {
			t.Errorf("got %q from the batch", got)
		}
	})
}
