package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A response is what respond of Endpoint.Listen was called with.
type response struct {
	result wire.Raw
	err    error
}

// opened opens a subscription as HTTP does, and returns what it responds, and what ends it.
func opened(t *testing.T, s *Server, c *client, params string) (responses chan response, end func(error)) {
	t.Helper()
	responses = make(chan response, 2) // one more than there may be
	end = NewEndpoint(s).Listen(t.Context(), c.Request("subscriptions/listen", params), func(result wire.Raw, err error) {
		responses <- response{result, err}
	})
	return responses, end
}

// expiring is the identity of somebody until a time.
type expiring struct{ at time.Time }

func (e expiring) Principal() string                { return "ada" }
func (e expiring) Expires() time.Time               { return e.at }
func (e expiring) Missing(scopes []string) []string { return nil }

// count checks how many there are.
func count(t testing.TB, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %d, want %d", what, got, want)
	}
}

// A subscription continues without its handler, with and without middleware, until the client, the server, or the identity
// of the caller ends it. It is responded to once, and leaves nothing behind.
//
// REQ SUB-02, META-15
func TestListenContinues(t *testing.T) {
	pass := func(next Handler) Handler { return next }
	const toolsChange = `{"notifications":{"toolsListChanged":true}}`
	for _, test := range []struct {
		name       string
		middleware []Middleware
	}{{"alone", nil}, {"inside middleware", []Middleware{pass}}} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var watched []string
				s := newServer(&Options{Middleware: test.middleware, MaxKept: 8 * listenBytes,
					Watch: func(ctx context.Context, c *Call) (context.Context, func(wire.Raw, error)) {
						return ctx, func(result wire.Raw, err error) {
							if c.Method() == mcp.MethodSubscriptionsListen.Name {
								mu.Lock()
								defer mu.Unlock()
								watched = append(watched, string(result))
							}
						}
					}})
				add(t, s.AddTool(mcp.Tool{Name: "a"}, says("")))
				c := newClient(t, s, mcp.V2026_07_28, `{}`)
				for range 9 { // more than MaxKept has room for: each gives its room back
					responses, end := opened(t, s, c, toolsChange)
					synctest.Wait()
					count(t, "responses", len(responses), 0)
					contains(t, "acknowledgement", c.Seen()[0], `"toolsListChanged":true`)
					s.RemoveTools("a")
					add(t, s.AddTool(mcp.Tool{Name: "a"}, says("")))
					time.Sleep(time.Second)
					count(t, "notifications", len(c.Seen()), 1)
					end(nil)
					synctest.Wait()
					contains(t, "result", string((<-responses).result), `"io.modelcontextprotocol/subscriptionId"`)
					end(nil)
					end(errors.New("again"))
					s.RemoveTools("a")
					add(t, s.AddTool(mcp.Tool{Name: "a"}, says("")))
					time.Sleep(time.Second)
					count(t, "notifications after the end", len(c.Seen()), 0)
					count(t, "more responses", len(responses), 0)
				}
				ended := func() []string {
					mu.Lock()
					defer mu.Unlock()
					return slices.Clone(watched)
				}
				count(t, "ended", len(ended()), 9)
				contains(t, "watched", ended()[0], `"resultType":"complete"`)

				gone := errors.New("the client has gone")
				responses, end := opened(t, s, c, toolsChange)
				synctest.Wait()
				end(gone)
				synctest.Wait()
				if r := <-responses; r.result != nil || r.err == nil {
					t.Errorf("for a client that has gone: %s, %v", r.result, r.err)
				}
				count(t, "ended", len(ended()), 10)
				equal(t, "watched", ended()[9], "")

				c.Identity = expiring{time.Now().Add(time.Minute)}
				responses, _ = opened(t, s, c, toolsChange)
				c.Identity = expiring{time.Now().Add(time.Minute)}
				early, end := opened(t, s, c, toolsChange) // ends before its caller does
				synctest.Wait()
				end(nil)
				synctest.Wait()
				count(t, "responses", len(early), 1)
				time.Sleep(59 * time.Second)
				count(t, "responses", len(responses), 0)
				time.Sleep(2 * time.Second)
				count(t, "responses", len(responses), 1)
				count(t, "responses", len(early), 1)
				c.Identity = nil

				c.Seen()
				responses, _ = opened(t, s, c, toolsChange)
				synctest.Wait()
				if err := s.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				contains(t, "result at the end", string((<-responses).result), `"resultType":"complete"`)
				responses, end = opened(t, s, c, toolsChange)
				synctest.Wait()
				var refused *transport.RefusedError
				if r := <-responses; !errors.As(r.err, &refused) {
					t.Errorf("after Shutdown: %v", r.err)
				}
				end(nil)
				count(t, "more responses", len(responses), 0)
			})
		})
	}
}

// What the handler of a subscription refuses is responded to at once.
func TestListenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(&Options{MaxKept: 4 * listenBytes})
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		responses, end := opened(t, s, c, `{"notifications":7}`)
		var rpc *jsonrpc.Error
		if r := <-responses; !errors.As(r.err, &rpc) || rpc.Code != codeInvalidParams {
			t.Errorf("got %v", r.err)
		}
		end(nil)
		count(t, "more responses", len(responses), 0)
	})
}

// While a subscription is open, what its request brought is dropped, unless middleware may look at it.
func TestListenDropsParams(t *testing.T) {
	for name, send := range map[string][]transport.Middleware{"without": nil, "with": {func(next transport.MessageFunc) transport.MessageFunc { return next }}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(&Options{Send: send})
				c := newClient(t, s, mcp.V2026_07_28, `{}`)
				r := c.Request("subscriptions/listen", `{"notifications":{}}`)
				end := NewEndpoint(s).Listen(t.Context(), r, func(wire.Raw, error) {})
				if kept := r.Params != nil && r.Meta != nil; kept != (send != nil) {
					t.Errorf("kept: %v", kept)
				}
				end(nil)
			})
		})
	}
}

// A subscription that is refused, or whose acknowledgement cannot be sent, takes no room.
func TestListenLeavesNothing(t *testing.T) {
	broken := errors.New("broken")
	s := newServer(&Options{OnSubscribe: func(context.Context, *Call, string) error { return nil }})
	add(t, s.AddExtension(Extension{ID: "a.b/c", Listen: func(context.Context, *Call, wire.Extra, *Subscription) (wire.Extra, error) { return nil, broken }}))
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	c.Fails("subscriptions/listen", `{"notifications":{"a.b/c":true}}`, codeInternal)
	for _, out := range []transport.Caller{nil, failing{broken}} {
		r := c.Request("subscriptions/listen", `{"notifications":{}}`)
		r.Out = out
		if _, err := NewEndpoint(s).ServeRequest(t.Context(), r); err == nil {
			t.Errorf("%v: no error", out)
		}
	}
	count(t, "bytes kept", s.kept.Used(), 0)
	count(t, "subscriptions", len(s.subscriptions.all()), 0)
}

// failing is a Caller that sends nothing.
type failing struct{ err error }

func (f failing) Notify(context.Context, string, wire.Raw) error { return f.err }

func (f failing) Call(context.Context, string, wire.Raw) (wire.Raw, error) { return nil, f.err }

// What a subscription asks for is granted once, as far as there is such a thing; its result says who has sent it.
//
// REQ SUB-02, META-15
func TestGrantsOfResources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		for offers, want := range map[bool]string{
			true:  `"notifications":{"resourceSubscriptions":["a:1","a:2"]}`,
			false: `"notifications":{}`,
		} {
			o := &Options{}
			if offers {
				o.OnSubscribe = func(_ context.Context, _ *Call, uri string) error {
					if asked++; uri == "a:no" {
						return errors.New("no")
					}
					return nil
				}
			}
			s := newServer(o)
			add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "a"}, prefix("a:"), noTemplate))
			c := newClient(t, s, mcp.V2026_07_28, `{}`)
			responses, end := opened(t, s, c, `{"notifications":{"resourceSubscriptions":["a:1","a:no","b:1","a:1","a:2"]}}`)
			contains(t, "acknowledgement", c.Seen()[0], want)
			s.Publish("a:1", Notification{}) // of which clients need not know
			s.Publish("a:2", Notification{Method: "x/n", Params: wire.Raw("{")})
			time.Sleep(time.Second)
			count(t, "notifications", len(c.Seen()), 0)
			end(nil)
			contains(t, "result", string((<-responses).result), `"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}`)
		}
		count(t, "OnSubscribe was called", asked, 3)
	})
}

// What cannot be sent is logged.
func TestNotificationThatCannotBeSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		c.session.Session().subscription.charge(share.Of("ada", "", nil))
		if !c.session.Session().subscription.Add("a:b") {
			t.Fatal("not subscribed")
		}
		s.Publish("a:b", Notification{Method: "x/n", Params: wire.Raw("{")})
		time.Sleep(time.Second)
		synctest.Wait()
		if len(c.Seen()) > 0 || !strings.Contains(log.String(), "a notification cannot be sent") {
			t.Errorf("the log is %s", &log)
		}
	})
}
