package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// codeOf returns the code of the error object that a client received, 0 if it received none.
func codeOf(err error) int64 {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return 0
	}
	return rpc.Code
}

// TestCapabilitiesOfNobody connects while no build says what the server can do: anything is possible.
func TestCapabilitiesOfNobody(t *testing.T) {
	for _, revision := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		e := newEndpoint(t)
		e.Fail(errors.New("it does not build"))
		text, err := wire.Marshal(wire.Any, &connect(t, e, &mcptest.Options{Revision: revision}).Server().Capabilities)
		must(t, err)
		var got map[string]json.RawMessage
		must(t, json.Unmarshal(text, &got))
		for _, name := range []string{"tools", "prompts", "resources", "completions", "logging"} {
			if got[name] == nil {
				t.Errorf("%s: no %s in %s", revision, name, text)
			}
		}
	}
}

// TestUndeclared uses a child with tools alone: its other lists are empty, and it has no prompts to get.
func TestUndeclared(t *testing.T) {
	both := []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28}
	for _, child := range both {
		for _, revision := range both {
			t.Run(fmt.Sprintf("%s to %s", revision, child), func(t *testing.T) {
				e := newEndpoint(t)
				begin(t, e, newLogger(child))
				c := connect(t, e, &mcptest.Options{Revision: revision})
				prompts, err := c.ListPrompts(t.Context(), nil)
				must(t, err)
				resources, err := c.ListResources(t.Context(), nil)
				must(t, err)
				templates, err := c.ListResourceTemplates(t.Context(), nil)
				must(t, err)
				if len(prompts.Prompts)+len(resources.Resources)+len(templates.ResourceTemplates) > 0 {
					t.Errorf("there are %v, %v, %v", prompts.Prompts, resources.Resources, templates.ResourceTemplates)
				}
				if _, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "sell"}); codeOf(err) != jsonrpc.CodeMethodNotFound {
					t.Errorf("a prompt: got %v", err)
				}
				if err := c.Call(t.Context(), &wire.Method{Name: "shop/none"}, &mcp.RequestParams{}, new(wire.Raw)); codeOf(err) != jsonrpc.CodeMethodNotFound {
					t.Errorf("a method that does not exist: got %v", err)
				}
			})
		}
	}
}

// TestListsThatFail connects to children that refuse one of their lists.
func TestListsThatFail(t *testing.T) {
	for _, method := range []string{mcp.MethodListTools.Name, mcp.MethodListPrompts.Name, mcp.MethodListResources.Name, mcp.MethodListResourceTemplates.Name} {
		for code, fails := range map[int64]bool{-32601: false, -32000: true} {
			e := newEndpoint(t)
			s := server.New(mcp.Implementation{Name: "shop"}, &server.Options{
				Logger:       slog.New(slog.DiscardHandler),
				Capabilities: mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}, Prompts: &mcp.ServerCapabilitiesPrompts{}, Resources: &mcp.ServerCapabilitiesResources{}},
				Middleware: []server.Middleware{func(next server.Handler) server.Handler {
					return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
						if c.Method() == method {
							return nil, &jsonrpc.Error{Code: code, Message: "no"}
						}
						return next(ctx, c)
					}
				}},
			})
			near, _ := serve(t, s)
			child, err := new(Connection).Connect(t.Context(), e, near)
			if (err != nil) != fails || fails && codeOf(err) != code {
				t.Errorf("%s fails with %d: got %v", method, code, err)
			}
			if err == nil {
				must(t, child.Close())
			}
		}
	}
}

// TestSubscriptions has two clients subscribe to one resource: the child hears of the first and of the last.
func TestSubscriptions(t *testing.T) {
	both := []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28}
	for _, child := range both {
		for _, revision := range both {
			t.Run(fmt.Sprintf("%s to %s", revision, child), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var heard []string
					build := func() *shop {
						s := newShop(t, "Orders")
						s.Server = server.New(mcp.Implementation{Name: "shop"}, &server.Options{
							Revisions: []wire.Revision{child}, Logger: slog.New(slog.DiscardHandler),
							OnSubscribe: func(_ context.Context, _ *server.Call, uri string) error {
								if uri == "shop://closed" {
									return errors.New("closed")
								}
								heard = append(heard, "+"+uri)
								return nil
							},
							OnUnsubscribe: func(uri string) { heard = append(heard, "-"+uri) },
						})
						for _, uri := range []string{"shop://stock", "shop://closed"} {
							must(t, s.AddResource(mcp.Resource{Name: uri, URI: uri}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
								return server.TextResource("text/plain", "3"), nil
							}))
						}
						return s
					}
					hears := func(want ...string) {
						t.Helper()
						time.Sleep(time.Second) // of the bubble
						if !slices.Equal(heard, want) {
							t.Errorf("the child heard %q, want %q", heard, want)
						}
						heard = nil
					}
					e := newEndpoint(t)
					begin(t, e, build())
					options := &mcptest.Options{Revision: revision}
					first, second := connect(t, e, options), connect(t, e, options)
					filter := mcp.SubscriptionFilter{ResourceSubscriptions: []string{"shop://stock"}}
					one, err := first.Subscribe(t.Context(), filter)
					must(t, err)
					hears("+shop://stock")
					two, err := second.Subscribe(t.Context(), filter)
					must(t, err)
					hears()
					begin(t, e, build()) // which is told what clients have subscribed to
					hears("+shop://stock")
					must(t, one.Close())
					hears()
					must(t, two.Close())
					hears("-shop://stock")
					closed, err := first.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"shop://closed"}})
					if err == nil && len(closed.Filter().ResourceSubscriptions) > 0 {
						t.Error("a subscription that the child refuses is accepted")
					}
					if len(e.watched) > 0 {
						t.Errorf("%v is watched", e.watched)
					}
				})
			})
		}
	}
}

// TestShown has the states that are shown while a project changes.
func TestShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakeProject{t: t, source: "Orders"}
		e := newEndpoint(t)
		changes := make(chan struct{})
		var shown []string
		runner := &Runner{Project: p, Endpoint: e, Changes: changes, Watch: func(Sources) error { return nil }, Say: func(string) {},
			Show: func(s State) {
				shown = append(shown, fmt.Sprintf("%s serves=%v %.16s|%.5s|%s", s.Phase, s.Serves, s.Problem, s.Summary, s.Verdict))
			}}
		shows := func(want ...string) {
			t.Helper()
			synctest.Wait()
			if !slices.Equal(shown, want) {
				t.Errorf("shown:\n%s\nwant:\n%s", strings.Join(shown, "\n"), strings.Join(want, "\n"))
			}
			shown = nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- runner.Run(ctx) }()
		shows("building serves=false ||", "serving serves=true |built|callers are safe")
		p.mistake = errors.New("a mistake")
		changes <- struct{}{}
		shows("building serves=true |built|callers are safe", "failed serves=true a mistake|built|callers are safe")
		p.mistake = nil
		changes <- struct{}{}
		shows("building serves=true a mistake|built|callers are safe", "serving serves=true |built|callers are safe")
		p.last.Close()
		shows("lost serves=false the server exite|built|callers are safe")
		time.Sleep(time.Second)
		shows("serving serves=true |built|callers are safe")
		if about, _, ok := e.About(); !ok || about.Info.Name != "shop" {
			t.Errorf("the server is %v, %v", about, ok)
		}
		cancel()
		must(t, <-ended)
		shows()
		<-runner.child.Done()
		if about, _, ok := e.About(); ok {
			t.Errorf("after the end the server is %v", about)
		}
		if p.left != 0 {
			t.Errorf("%d programs are left", p.left)
		}
	})
}

// TestBackoff has a server that does not start, and one that runs for long before it ends.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begun(t, &fakeProject{source: "Orders", broken: errors.New("no")})
		begun := time.Now()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		var after []time.Duration
		r.mu.Lock()
		for _, at := range r.starts {
			after = append(after, at.Sub(begun)/time.Second)
		}
		r.mu.Unlock()
		if want := []time.Duration{0, 1, 3, 7, 15, 31, 61, 91}; !slices.Equal(after, want) {
			t.Errorf("it was started after %d seconds, want %d", after, want)
		}
		r.breaks(nil)
		time.Sleep(longestWait)
		synctest.Wait()
		r.said = nil
		r.last.Close() // at once
		synctest.Wait()
		r.says("the server exited", "it is started again in 30s, or when its code changes")
		time.Sleep(longestWait)
		synctest.Wait()
		time.Sleep(longestWait + time.Second)
		r.said = nil
		r.last.Close() // after it ran for long
		synctest.Wait()
		r.says("the server exited", "it is started again in 1s, or when its code changes")
	})
}

// TestRunnerFails ends with what nothing would mend.
func TestRunnerFails(t *testing.T) {
	broken := errors.New("too many files")
	r := &Runner{Project: &fakeProject{t: t}, Endpoint: newEndpoint(t), Say: func(string) {}, Watch: func(Sources) error { return broken }}
	if err := r.Run(t.Context()); !errors.Is(err, broken) || err.Error() != "files cannot be watched: too many files" {
		t.Errorf("got %v", err)
	}
	changes := make(chan struct{})
	close(changes)
	p := &fakeProject{t: t, source: "Orders"}
	var tapped, attempts int
	r = &Runner{Project: p, Endpoint: newEndpoint(t), Say: func(string) {}, Watch: func(Sources) error { return nil }, Changes: changes,
		Tap: func(t transport.Transport) transport.Transport { tapped++; return t },
		Attempt: func(ctx context.Context, connect func(context.Context) error) error {
			attempts++
			return connect(ctx)
		}}
	if err := r.Run(t.Context()); err == nil || err.Error() != "changes of files cannot be noticed any more" {
		t.Errorf("got %v", err)
	}
	if tapped != 1 || attempts != 1 || p.left != 0 {
		t.Errorf("tapped %d times, %d attempts, %d programs are left", tapped, attempts, p.left)
	}
}

// TestLostAndChanged changes the code of a server that has exited.
func TestLostAndChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begun(t, &fakeProject{source: "Orders"})
		r.last.Close()
		synctest.Wait()
		r.becomes("Sells")
		r.change()
		r.order("Sells")
		if r.left != 1 {
			t.Errorf("%d programs are left, want that which serves", r.left)
		}
	})
}

// TestEnded runs after the end.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	changes := make(chan struct{})
	close(changes)
	for range 20 { // either may be noticed first
		p := &fakeProject{t: t, source: "Orders"}
		r := &Runner{Project: p, Endpoint: newEndpoint(t), Say: func(text string) { t.Errorf("said %s", text) }, Watch: func(Sources) error { return nil }, Changes: changes}
		if err := r.Run(ctx); err != nil || p.left != 0 {
			t.Fatalf("%v, and %d programs are left", err, p.left)
		}
	}
}

// TestLogOfNobody has a child log while several calls run, none of which it says it is about: all hear it that want it, once.
func TestLogOfNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		s := newLogger(mcp.V2025_11_25)
		finish := make(chan struct{})
		must(t, s.AddTool(mcp.Tool{Name: "wait"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			<-finish
			return server.TextResult("finished"), nil
		}))
		begin(t, e, s)
		heard := map[string][]string{}
		for name, of := range map[string]struct {
			revision wire.Revision
			level    mcp.LoggingLevel
			calls    int
		}{
			"modern": {mcp.V2026_07_28, mcp.LoggingLevelInfo, 2}, "severe": {mcp.V2026_07_28, mcp.LoggingLevelError, 1}, "idle": {mcp.V2026_07_28, mcp.LoggingLevelInfo, 0},
			"deaf": {mcp.V2026_07_28, "", 1}, "session": {mcp.V2025_11_25, mcp.LoggingLevelInfo, 1}, "severe session": {mcp.V2025_11_25, mcp.LoggingLevelError, 0},
		} {
			c := connect(t, e, &mcptest.Options{Revision: of.revision, Client: client.Options{
				Methods: []client.Method{client.HandleNotification(mcp.MethodLoggingMessageNotification.Name, func(_ context.Context, p *mcp.LoggingMessageNotificationParams) {
					heard[name] = append(heard[name], string(p.Level))
				})},
			}})
			if of.level != "" {
				must(t, c.SetLevel(t.Context(), of.level))
			}
			for range of.calls {
				go c.CallText("wait", nil)
			}
			synctest.Wait()
		}
		for session := range s.Sessions() {
			for _, level := range []string{"info", "error"} {
				must(t, session.Notify(t.Context(), mcp.MethodLoggingMessageNotification.Name, wire.Raw(`{"level":"`+level+`","data":"x"}`)))
				synctest.Wait()
			}
		}
		both := []string{"info", "error"}
		want := map[string][]string{"modern": both, "severe": both[1:], "session": both, "severe session": both[1:]}
		if got, want := fmt.Sprint(heard), fmt.Sprint(want); got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
		close(finish)
		synctest.Wait()
	})
}

// TestNotReady has a server that says nothing.
func TestNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &Runner{Endpoint: newEndpoint(t), Foreign: func(ctx context.Context) (transport.Transport, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}}
		begun := time.Now()
		if err := r.Run(t.Context()); err == nil || err.Error() != "the server is not ready within 30s" || time.Since(begun) != connectTime {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		r.Connection.Timeout = time.Second
		if err := r.Run(t.Context()); err == nil || err.Error() != "the server is not ready within 1s" {
			t.Errorf("got %v", err)
		}
	})
}

// TestWords is about the smallest parts.
func TestWords(t *testing.T) {
	for method, want := range map[string][2]bool{ // whether it is a list, and whether a notification of that name is passed on
		"tools/list": {true, true}, "prompts/list": {true, true}, "resources/list": {true, true}, "resources/templates/list": {true, true},
		"tools/call": {false, true}, "notifications/tools/list_changed": {false, false}, "notifications/progress": {false, false},
		mcp.MethodTaskStatusNotification.Name: {false, true}, tasks.MethodTaskStatusNotification.Name: {false, false}, "notifications/message": {false, true},
		"notifications/elicitation/complete": {false, true}, "notifications/shop/steam": {false, true},
	} {
		if got := [2]bool{IsList(method), isPassed(method)}; got != want {
			t.Errorf("%s: got %v, want %v", method, got, want)
		}
	}
	for _, test := range []struct {
		message, wanted mcp.LoggingLevel
		want            bool
	}{
		{"info", "", false}, {"info", "debug", true}, {"info", "info", true}, {"info", "notice", false}, {"emergency", "alert", true},
	} {
		if got := reaches(test.message, test.wanted); got != test.want {
			t.Errorf("%s for %s: got %v", test.message, test.wanted, got)
		}
	}
	if encodable(nil) != nil {
		t.Error("no params become some")
	}
	m := map[string]wire.Raw{"a": wire.Raw("1"), "b": wire.Raw("2")}
	if got := without(m, "a"); len(got) != 1 || string(got["b"]) != "2" || len(m) != 2 {
		t.Errorf("got %s of %s", got, m)
	}
	if got := without(m, "c"); len(got) != 2 {
		t.Errorf("got %s", got)
	}
	if isUnreachable(errors.New("no")) || !isUnreachable(fmt.Errorf("x: %w", errNobody)) {
		t.Error("which servers are unreachable is wrong")
	}
	if _, err := ask(t.Context(), nil, nil); err == nil {
		t.Error("nothing is asked")
	}
	if got := CallOf(t.Context()); got != nil {
		t.Errorf("the call of nothing is %v", got)
	}
	if id := Apps().ID; id != "io.modelcontextprotocol/ui" || !strings.Contains(string(Apps().Settings), "text/html;profile=mcp-app") {
		t.Errorf("apps are %s %s", id, Apps().Settings)
	}
}
