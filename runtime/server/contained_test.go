package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A function of the options that is called for no request, or when its request has been handled, may panic as well: that is
// logged, and everything else goes on.
//
// REQ JRPC-21
func TestPanicOutsideOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newServer(&Options{
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Watch: func(ctx context.Context, c *Call) (context.Context, func(wire.Raw, error)) {
				switch c.Method() {
				case "x/before":
					panic("in Watch")
				case "x/after", "subscriptions/listen":
					return ctx, func(wire.Raw, error) { panic("after " + c.Method()) }
				}
				return ctx, nil
			},
			OnSession:     func(context.Context, *Call) func() { return func() { panic("in OnSession") } },
			OnSubscribe:   func(context.Context, *Call, string) error { return nil },
			OnUnsubscribe: func(uri string) { panic("in OnUnsubscribe of " + uri) },
		})
		add(t, s.AddResource(mcp.Resource{URI: "a:b", Name: "r"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) { return nil, nil }))
		for _, name := range []string{"x/before", "x/after"} {
			add(t, s.AddMethod(name, func(context.Context, *Call) (wire.Encodable, error) { return wire.Raw(`{}`), nil }))
		}
		logged := func(panics string) {
			t.Helper()
			synctest.Wait()
			if n := strings.Count(log.String(), panics); n != 1 {
				t.Errorf("%q is logged %d times: %s", panics, n, &log)
			}
		}
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		c.Fails("x/before", ``, codeInternal)
		logged("in Watch")
		c.Must("x/after", ``)
		logged("after x/after")
		c.Must("resources/subscribe", `{"uri":"a:b"}`)
		c.session.Close()
		logged("in OnUnsubscribe of a:b")
		logged("in OnSession")
		published := newClient(t, s, mcp.V2025_11_25, `{}`)
		published.session.Session().subscription.charge(share.Of("ada", "", nil))
		published.session.Session().subscription.Add("x y")
		s.Publish("x y", Notification{Method: "x/y", Params: badParams{}})
		time.Sleep(time.Second)
		logged("in EncodeWire")
		modern := newClient(t, s, mcp.V2026_07_28, `{}`)
		responses, end := opened(t, s, modern, `{"notifications":{}}`)
		end(nil)
		logged("after subscriptions/listen")
		count(t, "responses", len(responses), 1)
		s.OnShutdown(func() { panic("in OnShutdown") })
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		logged("in OnShutdown")
	})
}

// BadParams are params that panic when they are encoded.
type badParams struct{}

func (badParams) EncodeWire(*wire.Encoder) { panic("in EncodeWire") }

// A mute is a Background that panics.
type mute struct{ letter }

func (*mute) Report(float64, float64, string) { panic("in Report") }

// What outlives its request does so, too, and Shutdown does not wait for it forever.
func TestPanicInBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		m := &mute{letter{done: make(chan struct{})}}
		close(m.done) // so that Done panics, too
		add(t, s.AddTool(mcp.Tool{Name: "w"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			return nil, c.Continue(context.WithoutCancel(ctx), m, nil, func(_ context.Context, c *Call) (*mcp.CallToolResult, error) {
				c.Progress().Report(1, 2, "")
				return nil, nil
			})
		}))
		newClient(t, s, mcp.V2026_07_28, `{}`).Must("tools/call", `{"name":"w"}`)
		synctest.Wait()
		contains(t, "log", log.String(), "in Report")
		contains(t, "log", log.String(), "close of closed channel")
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A handler that ends its goroutine has failed: Watch learns of that, and a subscription is responded to where a goroutine of
// its own waits for it.
func TestGoexitInHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var watched []string
		s := newServer(&Options{
			Watch: func(ctx context.Context, c *Call) (context.Context, func(wire.Raw, error)) {
				return ctx, func(result wire.Raw, err error) {
					watched = append(watched, fmt.Sprintf("%s: %s, %v", c.Method(), result, err))
				}
			},
			Middleware: []Middleware{func(next Handler) Handler {
				return func(ctx context.Context, c *Call) (wire.Encodable, error) {
					if c.Method() == "subscriptions/listen" {
						runtime.Goexit()
					}
					return next(ctx, c)
				}
			}},
		})
		add(t, s.AddTool(mcp.Tool{Name: "exit"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { runtime.Goexit(); return nil, nil }))
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		watched = nil
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			NewEndpoint(s).ServeRequest(t.Context(), c.Request("tools/call", `{"name":"exit"}`))
		}()
		<-ended
		responses, _ := opened(t, s, c, `{"notifications":{}}`)
		synctest.Wait()
		count(t, "responses", len(responses), 1)
		if r := <-responses; r.err == nil {
			t.Errorf("the subscription: %s, want an error", r.result)
		}
		equal(t, "watched", strings.Join(watched, "\n"), "tools/call: , internal error (-32603)\nsubscriptions/listen: , internal error (-32603)")
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Middleware of what is sent may panic or end its goroutine while progress or a change is sent: nothing waits for it afterwards.
func TestSendIsLeft(t *testing.T) {
	for name, leave := range map[string]func(){"exit": runtime.Goexit, "panic": func() { panic("oops") }} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(&Options{Send: []transport.Middleware{func(transport.MessageFunc) transport.MessageFunc {
					return func(context.Context, *transport.ServerMessage) (wire.Raw, error) {
						leave()
						return nil, errors.New("not reached")
					}
				}}})
				add(t, s.AddTool(mcp.Tool{Name: "w"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					c.Progress().Report(1, 2, "")
					return nil, nil
				}))
				c := newClient(t, s, mcp.V2025_11_25, `{}`)
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					c.session.ServeRequest(t.Context(), c.Request("tools/call", `{"name":"w","_meta":{"progressToken":1}}`))
				}()
				<-ended
				s.RemoveTools("w")
				time.Sleep(time.Second) // the change is sent
				c.session.Close()
			})
		})
	}
}
