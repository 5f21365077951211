package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
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
				if _, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "sell"}); codeOf(err) != jsonrpc.CodeMethodNotFound || !strings.Contains(err.Error(), "prompts/get") {
					t.Errorf("a prompt: got %v", err)
				}
				if err := c.Call(t.Context(), &wire.Method{Name: "shop/none"}, &mcp.RequestParams{}, new(wire.Raw)); codeOf(err) != jsonrpc.CodeMethodNotFound {
					t.Errorf("a method that does not exist: got %v", err)
				}
			})
		}
	}
}

// TestRefusedInput has a client that answers nothing, and children that ask for what it cannot answer, or without end.
func TestRefusedInput(t *testing.T) {
	for _, child := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		e := newEndpoint(t)
		s := newShop(t, "Orders", child)
		must(t, s.AddTool(mcp.Tool{Name: "insist"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			for n := 0; ; n++ {
				if _, err := c.WithKey(fmt.Sprint(n)).Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Again?"}); err != nil {
					return nil, err
				}
			}
		}))
		must(t, s.AddTool(mcp.Tool{Name: "mumble"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.Request(ctx, mcp.MethodElicit.Name, wire.Raw(`{"message":7}`))
			return nil, err
		}))
		begin(t, e, s)
		answers := 0
		c := connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{
			Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				if answers++; answers > 150 {
					return nil, &jsonrpc.Error{Code: 7, Message: "enough"}
				}
				return elicit.Accept(struct{}{})
			}},
		}})
		says := func(name string) string {
			r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: name})
			if err != nil {
				return err.Error()
			}
			return mcptest.Text(r)
		}
		want := map[string]string{"insist": "enough", "mumble": "message"}
		if child.Since(mcp.Modern) {
			want = map[string]string{"insist": "the server asks for input again and again: 100 times"}
		}
		for name, want := range want {
			if got := says(name); !strings.Contains(got, want) {
				t.Errorf("%s: %s: got %s, want %s", child, name, got, want)
			}
		}
		if want := map[bool]int{false: 151, true: maxRounds}[child.Since(mcp.Modern)]; answers != want {
			t.Errorf("%s: it asked %d times, want %d", child, answers, want)
		}
		answers = 150
		if got := says("insist"); !strings.Contains(got, "the client's response to elicitation/create: enough (7)") {
			t.Errorf("%s: got %s, want the error of the client", child, got)
		}
	}
}

// TestRefusingBuild has a build that takes neither the level nor the subscription of a client: it serves all the same.
func TestRefusingBuild(t *testing.T) {
	var logged strings.Builder
	e, err := NewEndpoint(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelWarn})))
	must(t, err)
	build := func(refuse error) {
		s := newShop(t, "Orders")
		s.Server = server.New(mcp.Implementation{Name: "shop"}, &server.Options{
			Revisions: []wire.Revision{mcp.V2025_11_25}, Logger: slog.New(slog.DiscardHandler), Logging: true,
			OnSubscribe: func(context.Context, *server.Call, string) error { return nil },
			Middleware: []server.Middleware{func(next server.Handler) server.Handler {
				return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
					switch c.Method() {
					case mcp.MethodSetLevel.Name, mcp.MethodSubscribe.Name:
						if refuse != nil {
							return nil, refuse
						}
					}
					return next(ctx, c)
				}
			}},
		})
		must(t, s.AddResource(mcp.Resource{Name: "stock", URI: "shop://stock"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", "3 teapots"), nil
		}))
		begin(t, e, s)
	}
	build(nil)
	c := connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25})
	must(t, c.SetLevel(t.Context(), mcp.LoggingLevelInfo))
	if err := c.Call(t.Context(), &mcp.MethodSetLevel, wire.Raw(`{"level":"loud"}`), new(wire.Raw)); codeOf(err) != jsonrpc.CodeInvalidParams {
		t.Errorf("a level that does not exist: got %v", err)
	}
	_, err = c.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"shop://stock"}})
	must(t, err)
	build(&jsonrpc.Error{Code: 7, Message: "no"})
	for _, want := range []string{`msg="the new build refuses the log level" error="no (7)"`, `msg="the new build refuses a subscription" uri=shop://stock error="no (7)"`} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("logged: %s\nwant: %s", &logged, want)
		}
	}
	if err := c.SetLevel(t.Context(), mcp.LoggingLevelDebug); codeOf(err) != 7 {
		t.Errorf("a level that the build refuses: got %v", err)
	}
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "shop://stock"})
	if err != nil || len(read.Contents) != 1 {
		t.Errorf("got %v, %v", read, err)
	}
}

// refusing returns a server that refuses a method.
func refusing(method string, err error, setup ...server.Setup) *server.Server {
	return server.New(mcp.Implementation{Name: "shop"}, &server.Options{
		Logger:       slog.New(slog.DiscardHandler),
		Setup:        setup,
		Capabilities: mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}, Prompts: &mcp.ServerCapabilitiesPrompts{}, Resources: &mcp.ServerCapabilitiesResources{}},
		Middleware: []server.Middleware{func(next server.Handler) server.Handler {
			return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
				if c.Method() == method {
					return nil, err
				}
				return next(ctx, c)
			}
		}},
	})
}

// TestListsThatFail connects to children that refuse one of their lists.
func TestListsThatFail(t *testing.T) {
	for _, method := range []string{mcp.MethodListTools.Name, mcp.MethodListPrompts.Name, mcp.MethodListResources.Name, mcp.MethodListResourceTemplates.Name} {
		for code, fails := range map[int64]bool{-32601: false, -32000: true} {
			e := newEndpoint(t)
			near, _ := serve(t, refusing(method, &jsonrpc.Error{Code: code, Message: "no"}))
			child, err := new(Connection).Connect(t.Context(), e, near)
			if (err != nil) != fails || fails && codeOf(err) != code {
				t.Errorf("%s fails with %d: got %v", method, code, err)
			}
			if err == nil {
				child.Close()
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
						synctest.Wait()
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
		var mu sync.Mutex
		var shown []string
		runner := &Runner{Project: p, Endpoint: e, Changes: changes, Watch: func(Sources) error { return nil }, Say: func(string) {},
			Show: func(s State) {
				mu.Lock()
				defer mu.Unlock()
				shown = append(shown, fmt.Sprintf("%s serves=%v %.16s|%.5s|%s", s.Phase, s.Serves, s.Problem, s.Summary, s.Verdict))
			}}
		shows := func(want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
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
		p.source, p.broken = "Sells", errors.New("no database")
		changes <- struct{}{}
		shows("building serves=true |built|callers are safe", "failed serves=true the server does |built|callers are safe")
		p.source, p.broken = "Orders", nil
		changes <- struct{}{}
		shows("building serves=true the server does |built|callers are safe", "serving serves=true |built|callers are safe")
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
		time.Sleep(longestWait + time.Second)
		synctest.Wait()
		r.said = nil
		r.last.Close() // after longestWait, which is not long
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
	changed := make(chan struct{}, 1)
	changed <- struct{}{}
	later := []error{nil, broken}
	r = &Runner{Project: &fakeProject{t: t, source: "Orders"}, Endpoint: newEndpoint(t), Say: func(string) {}, Changes: changed,
		Watch: func(Sources) (err error) { err, later = later[0], later[1:]; return err }}
	if err := r.Run(t.Context()); !errors.Is(err, broken) || len(later) > 0 {
		t.Errorf("got %v, after %d changes too few", err, len(later))
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
		time.Sleep(longestWait - time.Second) // the one that exited is not started again
		r.said = nil
		r.last.Close()
		synctest.Wait()
		r.says("the server exited", "it is started again in 1s, or when its code changes") // as if nothing had been before
	})
}

// TestBrokenAndChanged changes the code of a server that has never started.
func TestBrokenAndChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begun(t, &fakeProject{source: "Orders", broken: errors.New("no")})
		for range 2 {
			r.change()
			if r.left != 1 {
				t.Errorf("%d programs are left, want that which is started again", r.left)
			}
		}
	})
}

// TestEnded runs after the end.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	changes := make(chan struct{})
	close(changes)
	for i := range 20 { // either may be noticed first
		p := &fakeProject{t: t, source: "Orders"}
		switch i % 3 {
		case 1:
			p.mistake = errors.New("interrupted")
		case 2:
			p.lost = errors.New("interrupted")
		}
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
		var mu sync.Mutex
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
				Methods: []client.Method{methods.Notification(mcp.MethodLoggingMessageNotification.Name, func(_ context.Context, p *mcp.LoggingMessageNotificationParams) {
					mu.Lock()
					defer mu.Unlock()
					heard[name] = append(heard[name], string(p.Level))
				})},
			}})
			if of.level != "" {
				must(t, c.SetLevel(t.Context(), of.level))
			}
			for range of.calls {
				go c.CallText("wait", nil)
			}
			time.Sleep(time.Second) // of the bubble: an endpoint takes its time to begin a second call
			synctest.Wait()
		}
		mute, _ := serve(t, e.Server()) // nobody has said who is there
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
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if m, err := mute.Receive(ctx); err == nil {
			t.Errorf("before it is initialized a session hears %s", m.Data)
		}
		close(finish)
		synctest.Wait()
	})
}

// TestServerLog writes what a child logs into the log of the endpoint, too, as a warning if it is one.
func TestServerLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged strings.Builder
		e, err := NewEndpoint(slog.New(slog.NewTextHandler(&logged, nil)))
		must(t, err)
		s := newLogger(mcp.V2025_11_25)
		child, _ := begin(t, e, s)
		must(t, child.logFrom(t.Context(), mcp.LoggingLevelDebug))
		var want []string
		for session := range s.Sessions() {
			for i, level := range levels {
				must(t, session.Notify(t.Context(), mcp.MethodLoggingMessageNotification.Name, wire.Raw(fmt.Sprintf(`{"level":%q,"data":{"cups":%d}}`, level, i))))
				want = append(want, fmt.Sprintf(`level=%s msg="the server logs" level=%s data="{\"cups\":%d}"`, map[bool]string{true: "INFO", false: "WARN"}[i < 3], level, i))
			}
		}
		synctest.Wait()
		var got []string
		for line := range strings.Lines(logged.String()) {
			_, line, _ = strings.Cut(strings.TrimSpace(line), " ") // after the time
			got = append(got, line)
		}
		if !slices.Equal(got, want) {
			t.Errorf("logged:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
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
		mute := func(context.Context) (transport.Transport, error) { near, _ := inmem.Pair(10); return near, nil }
		for _, r.Foreign = range []func(context.Context) (transport.Transport, error){r.Foreign, mute} {
			if err := r.Run(t.Context()); err == nil || err.Error() != "the server is not ready within 1s" {
				t.Errorf("got %v", err)
			}
		}
		r.Foreign = func(context.Context) (transport.Transport, error) { // says what it is, and lists nothing
			near, _ := serve(t, refusing(mcp.MethodListTools.Name, &jsonrpc.Error{Code: 7, Message: "no"}))
			return near, nil
		}
		if err := r.Run(t.Context()); codeOf(err) != 7 {
			t.Errorf("got %v, want the error of the list", err)
		}
	})
}

// A perRequest says whether it is one.
type perRequest struct {
	transport.Transport
	per bool
}

func (p perRequest) PerRequest() bool { return p.per }

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
	if isUnreachable(errors.New("no")) || isUnreachable(&net.OpError{Op: "read"}) || !isUnreachable(fmt.Errorf("x: %w", errNobody)) {
		t.Error("which servers are unreachable is wrong")
	}
	if _, err := ask(t.Context(), nil, nil); err == nil {
		t.Error("nothing is asked")
	}
	if _, err := ask(t.Context(), nil, new(mcp.UnknownInputRequest)); err == nil || !strings.Contains(err.Error(), `cannot be asked for "`) {
		t.Errorf("something unknown is asked: %v", err)
	}
	for _, per := range []bool{false, true} {
		if got := (&passing{Transport: perRequest{per: per}}).PerRequest(); got != per {
			t.Errorf("a transport is per request: %t, want %t", got, per)
		}
	}
	if got := CallOf(t.Context()); got != nil {
		t.Errorf("the call of nothing is %v", got)
	}
	if id := Apps().ID; id != "io.modelcontextprotocol/ui" || !strings.Contains(string(Apps().Settings), "text/html;profile=mcp-app") {
		t.Errorf("apps are %s %s", id, Apps().Settings)
	}
}
