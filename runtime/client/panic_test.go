package client

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The ways in which a function of a program does not return.
var gone = map[string]func(){"panic": func() { panic("oops") }, "Goexit": runtime.Goexit}

// An observerFunc is an [observe.Observer].
type observerFunc func(ctx context.Context, o *observe.Operation) (context.Context, func())

func (f observerFunc) Observe(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	return f(ctx, o)
}

// handlersThat returns options whose handlers all call f.
func handlersThat(f func()) *Options {
	return &Options{
		Info:  testInfo,
		Roots: []mcp.Root{{URI: "file:///r"}},
		Sample: func(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			f()
			return nil, nil
		},
		Elicit: elicit.Handler{
			Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) { f(); return nil, nil },
			URL: func(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
				f()
				return "", nil
			},
		},
		OnChange: func(context.Context, Change) { f() },
		Methods: []Method{
			handleRequest("acme/ask", func(context.Context, wire.Raw) (wire.Raw, error) { f(); return nil, nil }),
			handleNotification("acme/tell", func(context.Context, wire.Raw) { f() }),
		},
		Receive: []transport.Middleware{func(next transport.MessageFunc) transport.MessageFunc {
			return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
				if m.Method == mcp.MethodListRoots.Name {
					f()
				}
				return next(ctx, m)
			}
		}},
	}
}

// Of a handler that does not return the server learns nothing but that there was an error, and the observer that the
// request has failed. The connection is as good as before.
func TestHandlersThatPanic(t *testing.T) {
	t.Parallel()
	asks := map[string]string{"elicitation/create form": askElicit, "elicitation/create url": askURL, "sampling/createMessage": askSample,
		"roots/list": askRoots, "acme/ask": `{"method":"acme/ask"}`}
	for how, f := range gone {
		t.Run(how, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				outcomes := map[string]string{}
				opts := handlersThat(f)
				opts.Observer = observerFunc(func(ctx context.Context, o *observe.Operation) (context.Context, func()) {
					return ctx, func() {
						if !o.Outgoing {
							outcomes[o.Method] = o.Outcome()
						}
					}
				})
				c, s := dial(t, legacyServer(script{"tools/call": always(`{"content":[]}`)}), opts)
				for name, ask := range asks {
					method, _, _ := strings.Cut(name, " ")
					var params string
					if _, rest, found := strings.Cut(ask, `"params":`); found {
						params = strings.TrimSuffix(rest, "}")
					}
					if _, err := s.request(method, params); errorText(err) != "internal error (-32603)" {
						t.Errorf("%s: got the error %v", name, err)
					}
					if outcomes[method] == observe.OutcomeOK {
						t.Errorf("%s: the observer does not learn of it", name)
					}
				}
				for range 2 {
					s.notice("notifications/tools/list_changed", "")
					s.notice("acme/tell", "{}")
				}
				if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"}); err != nil {
					t.Error(err)
				}
			})
		})
	}
	for name, ask := range asks {
		t.Run("input "+name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, s := dial(t, modernServer(script{"tools/call": rounds(
					`{"resultType":"input_required","inputRequests":{"k":`+ask+`}}`, `{"resultType":"complete","content":[]}`)}), handlersThat(gone["panic"]))
				_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"})
				if want := (*InputError)(nil); !errors.As(err, &want) {
					t.Errorf("got the error %v, want an InputError", err)
				}
				if n := s.count("tools/call"); n != 1 {
					t.Errorf("%d calls were sent", n)
				}
				if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"}); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// What a client sends by itself goes through middleware and observers, too. If these do not return, the process survives, and
// nobody waits in vain.
func TestMiddlewareThatPanics(t *testing.T) {
	t.Parallel()
	for how, f := range gone {
		// failing returns options whose middleware, or whose observer, calls f for the nth message of a method.
		failing := func(observer bool, method string, n int) *Options {
			hit := func(name string) {
				if name == method {
					if n--; n == 0 {
						f()
					}
				}
			}
			if observer {
				return &Options{Info: testInfo, Observer: observerFunc(func(ctx context.Context, o *observe.Operation) (context.Context, func()) {
					hit(o.Method)
					return ctx, nil
				})}
			}
			return &Options{Info: testInfo, Send: []Middleware{func(next SendFunc) SendFunc {
				return func(ctx context.Context, call *Call) error { hit(call.Method.Name); return next(ctx, call) }
			}}}
		}
		for who, observer := range map[string]bool{"middleware": false, "observer": true} {
			t.Run(how+" in the "+who+", ping", func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					opts := failing(observer, "ping", 2)
					opts.PingInterval = time.Minute
					c, _ := dial(t, legacyServer(script{"ping": always(`{}`)}), opts)
					<-c.Done() // as there are no more pings
				})
			})
			for n, name := range map[int]string{1: "subscribe", 2: "subscribe again"} {
				t.Run(how+" in the "+who+", "+name, func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						server := modernServer(script{"subscriptions/listen": func(r *received) (string, error) {
							ack(r, `{}`)
							synctest.Wait()
							r.server.broken <- &transport.RequestError{ID: r.id, Err: errors.New("broken")}
							return silence(r)
						}})
						c, _ := dialPerRequest(t, server, failing(observer, "subscriptions/listen", n))
						s, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
						if n == 2 && err == nil {
							<-s.Done()
							err = s.Err()
						}
						if err == nil {
							t.Error("the subscription has ended without an error")
						}
						if err := c.Ping(t.Context()); !errors.Is(err, wire.ErrUnknownMethod) {
							t.Error(err)
						}
					})
				})
			}
			for _, method := range []string{"initialize", "notifications/initialized", "logging/setLevel"} {
				t.Run(how+" in the "+who+", renewal, "+method, func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						opts := failing(observer, method, 2)
						opts.Revisions = []wire.Revision{mcp.V2025_11_25}
						server := legacyServer(script{"logging/setLevel": always(`{}`), "tools/call": always(`{"content":[]}`)})
						c, s := dialPerRequest(t, server, opts)
						if err := c.SetLevel(t.Context(), mcp.LoggingLevelWarning); err != nil {
							t.Fatal(err)
						}
						s.script["prompts/get"] = func(r *received) (string, error) {
							go s.expire(r.id)
							return silence(r)
						}
						s.script["tools/call"] = func(r *received) (string, error) {
							if s.count("tools/call") == 1 {
								go s.expire(r.id)
								return silence(r)
							}
							return `{"content":[]}`, nil
						}
						_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"})
						if failed := err != nil; failed != (method != "logging/setLevel") {
							t.Errorf("the call during the renewal: %v", err)
						}
						if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"}); err != nil {
							t.Errorf("the call after it: %v", err)
						}
					})
				})
			}
		}
	}
}
