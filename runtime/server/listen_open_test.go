package server

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
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
				s := newServer(&Options{Middleware: test.middleware, MaxListens: 8,
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
				for range 9 { // more than MaxListens: each gives its room back
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
		s := newServer(&Options{MaxListens: 1})
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
