package peer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
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

func TestRunEnds(t *testing.T) {
	// What is at work when the input ends can be finished.
	bubble(t, "drained", func(t *testing.T) {
		ends := make(chan string, 1)
		c, far := connect(t, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			if _, err := r.Out.Call(ctx, "ask", nil); err != nil {
				ends <- err.Error()
			}
			time.Sleep(time.Second)
			return nil, ctx.Err()
		}}, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		settle()
		start := time.Now()
		far.end.Close()
		if err := <-far.done; err != nil || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if got, want := <-ends, "ask: the other side is gone: EOF"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if err := c.DeliverRaw(t.Context(), transport.Message{Data: []byte(`{}`)}); err != jsonrpc.ErrClosed {
			t.Error(err)
		}
	})

	bubble(t, "drained for too long", func(t *testing.T) {
		h := newHold()
		_, far := connect(t, h.handler(), &peer.Options{Limits: transport.Limits{DrainTime: 5 * time.Second}})
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		settle()
		start := time.Now()
		far.end.Close()
		if err := <-far.done; err != nil || time.Since(start) != 5*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		var gone *jsonrpc.DisconnectedError
		if err := h.cause(t); !errors.As(err, &gone) {
			t.Error(err)
		}
	})

	bubble(t, "a handler that does not care", func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		_, far := connect(t, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			<-release
			return nil, nil
		}}, &peer.Options{Limits: transport.Limits{DrainTime: time.Second}})
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		settle()
		start := time.Now()
		far.end.Close()
		if err := <-far.done; err != nil || time.Since(start) != 2*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		far.logged(1, "handlers go on after the end of their contexts")
	})

	bubble(t, "by its context", func(t *testing.T) {
		why := errors.New("shutdown")
		near, end := inmem.Pair(0)
		h := newHold()
		c := newConn(near, h.handler(), nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error)
		go func() { done <- c.Run(ctx, near) }()
		end.Send(ctx, transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)})
		p := goCall(t.Context(), c, "m", nil)
		cancel(why)
		if err := <-done; err != why {
			t.Error(err)
		}
		if err := h.cause(t); err != why {
			t.Error(err)
		}
		if err := p.wait(); !errors.Is(err, why) {
			t.Error(err)
		}
	})

	bubble(t, "by a broken transport", func(t *testing.T) {
		broken := &cut{err: errors.New("cable cut")}
		c := newConn(broken, handlers{}, nil)
		p := goCall(t.Context(), c, "m", nil)
		err := c.Run(t.Context(), broken)
		if got, want := err.Error(), "the other side is gone: cable cut"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := p.wait().Error(), "m: the other side is gone: cable cut"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if !broken.closed {
			t.Error("the transport was not closed")
		}
	})

	// Even a transport that breaks its promise cannot hold Run for ever.
	bubble(t, "with a transport that does not return", func(t *testing.T) {
		stubborn := &stubborn{release: make(chan struct{})}
		defer close(stubborn.release)
		c := newConn(stubborn, handlers{}, nil)
		done := make(chan error)
		go func() { done <- c.Run(t.Context(), stubborn) }()
		settle()
		start := time.Now()
		c.Close()
		if err := <-done; err != nil || time.Since(start) != 5*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// A cut transport takes what is sent, and receives an error.
type cut struct {
	err    error
	closed bool
}

func (h *cut) Receive(context.Context) (transport.Message, error) {
	return transport.Message{}, h.err
}
func (h *cut) Send(context.Context, transport.Message) error { return nil }
func (h *cut) Close() error                                  { h.closed = true; return nil }

// A stubborn transport does not wake up.
type stubborn struct{ release chan struct{} }

func (s *stubborn) Receive(context.Context) (transport.Message, error) {
	<-s.release
	return transport.Message{}, transport.ErrClosed
}
func (s *stubborn) Send(context.Context, transport.Message) error { return nil }
func (s *stubborn) Close() error                                  { return nil }

// A message that is too long is answered, or fails the call that it answers, and the connection
// goes on.
func TestMessageTooLong(t *testing.T) {
	for _, c := range []struct{ head, want, call string }{
		{`{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"invalid request: transport: a message is longer than the limit of 99 bytes"}}`, ""},
		{`{"jsonrpc":"2.0","method":"m","params":{"a":"`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: transport: a message is longer than the limit of 99 bytes"}}`, ""},
		{`{"jsonrpc":"2.0","method":"notifications/message","params":{"a":"`, `nothing`, ""},
		{`{"jsonrpc":"2.0","id":7,"method":"notifications/message","params":{"a":"`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"invalid request: transport: a message is longer than the limit of 99 bytes"}}`, ""},
		{`{"jsonrpc":"2.0","id":1,"result":{"a":"`, `nothing`, "m: the response is invalid: transport: a message is longer than the limit of 99 bytes"},
		{`[{"jsonrpc":"2.0","id":1,"result":{"a":"`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: transport: a message is longer than the limit of 99 bytes"}}`, ""},
	} {
		bubble(t, c.head, func(t *testing.T) {
			tr := &longMessages{recorder: &recorder{}, heads: make(chan string, 1), closed: make(chan struct{})}
			conn := newConn(tr, handlers{}, &peer.Options{Logger: (&log{}).logger()})
			go conn.Run(t.Context(), tr)
			p := goCall(t.Context(), conn, "m", nil)
			tr.take()
			tr.heads <- c.head
			got := strings.Join(tr.take(), "\n")
			if i := strings.IndexByte(got, '{'); i >= 0 {
				got = got[i:]
			} else if got == "" {
				got = "nothing"
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			select {
			case <-p.done:
				if p.err.Error() != c.call || !errors.As(p.err, new(*transport.MessageError)) {
					t.Errorf("got %v, want %s", p.err, c.call)
				}
			default:
				if c.call != "" {
					t.Error("the call still waits")
				}
			}
			conn.Close()
			p.wait()
		})
	}
}

// longMessages is a transport all of whose messages are too long.
type longMessages struct {
	*recorder
	heads  chan string
	closed chan struct{}
}

func (l *longMessages) Receive(context.Context) (transport.Message, error) {
	select {
	case head := <-l.heads:
		return transport.Message{}, &transport.MessageError{Limit: 99, Head: []byte(head)}
	case <-l.closed:
		return transport.Message{}, transport.ErrClosed
	}
}

func (l *longMessages) Close() error { close(l.closed); return nil }

// Everything goes on at the same time while one side, the other, or the way between them is
// closed: whatever happens, it ends.
func TestCloseDuringEverything(t *testing.T) {
	for seed := range uint64(60) {
		bubble(t, fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			quiet := (&log{}).logger()
			a, b := inmem.Pair(1 + rnd.IntN(4))
			opts := &peer.Options{Limits: transport.Limits{SendTimeout: 3 * time.Second, DrainTime: time.Second}, Logger: quiet}
			naps := make(chan time.Duration, 1000)
			for range cap(naps) {
				naps <- time.Duration(rnd.IntN(20)) * time.Millisecond
			}
			nap := func() time.Duration { d := <-naps; naps <- d; return d }
			h := handlers{
				request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
					r.Out.Notify(ctx, "notifications/progress", wire.Raw(`{"progressToken":`+r.ID.String()+`,"progress":1}`))
					switch r.Method {
					case "nested":
						if _, err := r.Out.Call(ctx, "plain", nil); err != nil {
							return nil, err
						}
					case "slow":
						time.Sleep(nap())
					case "deaf":
						time.Sleep(2 * time.Second)
					}
					return nil, r.Out.Notify(ctx, "n", nil)
				},
				notification: func(ctx context.Context, n *transport.Request) { time.Sleep(nap()) },
			}
			near, distant := newConn(a, h, opts), newConn(b, h, opts)
			var all sync.WaitGroup
			all.Go(func() { near.Run(t.Context(), a) })
			all.Go(func() { distant.Run(t.Context(), b) })
			for _, c := range []*peer.Conn{near, distant} {
				for range 8 {
					all.Go(func() {
						for i := 0; ; i++ {
							ctx, cancel := context.WithTimeout(t.Context(), nap()+time.Millisecond)
							method := []string{"plain", "nested", "slow", "deaf"}[i%4]
							err := c.CallWith(ctx, method, nil, nil, &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) {}})
							cancel()
							var gone *jsonrpc.DisconnectedError
							if errors.Is(err, jsonrpc.ErrClosed) || errors.As(err, &gone) {
								return
							}
							time.Sleep(nap())
						}
					})
				}
			}
			time.Sleep(time.Duration(rnd.IntN(100)) * time.Millisecond)
			switch seed % 6 {
			case 0, 1:
				near.Close()
			case 2, 3:
				go near.Close()
				distant.Close()
			case 4:
				a.Close()
			case 5:
				b.Close()
			}
			all.Wait()
			near.Close()
			distant.Close()
			time.Sleep(3 * time.Second) // for handlers that do not care
		})
	}
}

// What a transport hands over after the end is not handled.
func TestArrivesAfterTheEnd(t *testing.T) {
	for name, text := range map[string]string{
		"request": `{"jsonrpc":"2.0","id":1,"method":"m"}`, "notification": `{"jsonrpc":"2.0","method":"n"}`,
		"batch": `[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","method":"n"}]`, "nonsense": `{"jsonrpc":"2.0","id":1}`,
	} {
		bubble(t, name, func(t *testing.T) {
			out, in, handled := &outbox{}, make(arrivals), 0
			c := newConn(out, handlers{
				revision:     20250326,
				request:      func(context.Context, *transport.Request) (wire.Raw, error) { handled++; return nil, nil },
				notification: func(context.Context, *transport.Request) { handled++ },
			}, nil)
			done := make(chan error, 1)
			go func() { done <- c.Run(t.Context(), in) }()
			synctest.Wait()
			c.Close()
			in <- text
			if err := <-done; err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if sent := out.take(); handled != 0 || len(sent) > 0 {
				t.Errorf("%d handlers ran, sent: %+v", handled, sent)
			}
		})
	}
}

// Nothing is read from a transport after the end, even if it is not the transport that tells.
func TestNothingIsReadAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c *peer.Conn
		in := make(arrivals, 2)
		c = newConn(&outbox{}, handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) { return nil, c.Close() }}, nil)
		in <- `{"jsonrpc":"2.0","id":1,"method":"m"}`
		in <- `{"jsonrpc":"2.0","method":"n"}`
		if err := c.Run(t.Context(), in); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(in) != 1 {
			t.Error("the second message was read")
		}
	})
}

// A request that comes after the end is not at work: nobody waits for it.
func TestNoRequestAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConn(&outbox{}, handlers{}, nil)
		c.Close()
		if err := c.Deliver(t.Context(), &transport.Request{}, &jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.IntID(1), Method: "m"}); err != jsonrpc.ErrClosed {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := c.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
}

// What is answered after the end is not sent, whatever the transport would do with it.
func TestNothingIsSentAfterTheEnd(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":2,"method":"m"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}]`,
	} {
		bubble(t, text, func(t *testing.T) {
			var out outbox
			var c *peer.Conn
			c = newConn(&out, handlers{revision: 20250326, request: func(_ context.Context, r *transport.Request) (wire.Raw, error) {
				if r.ID == wire.IntID(2) {
					synctest.Wait() // until the other has its response
					c.Close()
				}
				return nil, nil
			}}, nil)
			c.DeliverRaw(t.Context(), transport.Message{Data: []byte(text)})
			if sent := out.take(); len(sent) > 0 {
				t.Errorf("sent: %+v", sent)
			}
		})
	}
}

// A connection that has ended is held neither by the context of Run nor by the time limits of its calls.
func TestEndedIsFreed(t *testing.T) {
	for name, use := range map[string]func(ctx context.Context, t *testing.T) *peer.Conn{
		"Run": func(ctx context.Context, t *testing.T) *peer.Conn {
			in := make(arrivals)
			close(in)
			c := newConn(&outbox{}, handlers{}, nil)
			if err := c.Run(ctx, in); err != nil {
				t.Error(err)
			}
			return c
		},
		"a call": func(ctx context.Context, t *testing.T) *peer.Conn {
			c := newConn(&outbox{}, handlers{}, nil)
			p := goCall(ctx, c, "m", &peer.CallOptions{Timeout: time.Hour})
			c.Close()
			if err := p.wait(); !errors.Is(err, jsonrpc.ErrClosed) {
				t.Error(err)
			}
			return c
		},
	} {
		bubble(t, name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := weak.Make(use(ctx, t))
			time.Sleep(time.Minute) // of the timers, only those of calls take longer
			synctest.Wait()
			runtime.GC()
			if c.Value() != nil {
				t.Error("the connection is still there")
			}
		})
	}
}
