package dev

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	asking "github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A shop is a build of a server with everything.
type shop struct {
	*server.Server
	waiting chan string   // receives what happens in the tool wait
	finish  chan struct{} // ends it
}

// newShop returns a build whose tool order has this description.
func newShop(t *testing.T, description string, revisions ...wire.Revision) *shop {
	t.Helper()
	s := &shop{waiting: make(chan string, 2), finish: make(chan struct{})}
	s.Server = server.New(mcp.Implementation{Name: "shop", Version: "1.0.0"}, &server.Options{
		Instructions: "sell", Revisions: revisions, Logger: slog.New(slog.DiscardHandler), NotifyRate: -1,
		OnSubscribe: func(context.Context, *server.Call, string) error { return nil },
	})
	must(t, s.AddTool(mcp.Tool{Name: "order", Description: description}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 3, "begun")
		c.Progress().Report(2, 3, "all but done")
		return server.TextResult(description + " for " + c.Client().Name), nil
	}))
	must(t, s.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		roots, err := c.ListRoots(ctx)
		if err != nil {
			return nil, err
		}
		if err := asking.Confirm(ctx, c, "Sure?"); err != nil {
			return nil, err
		}
		r, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 1, Messages: []mcp.SamplingMessage{}})
		if err != nil {
			return nil, err
		}
		return server.TextResult("confirmed in " + roots.Roots[0].URI + " by " + r.Model), nil
	}))
	must(t, s.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		s.waiting <- "begun"
		select {
		case <-s.finish:
			return server.TextResult("finished"), nil
		case <-ctx.Done():
			s.waiting <- "cancelled"
			return nil, ctx.Err()
		}
	}))
	must(t, s.AddPrompt(mcp.Prompt{Name: "sell", Arguments: []mcp.PromptArgument{{Name: "what"}}}, func(_ context.Context, _ *server.Call, args map[string]string) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: "sells " + args["what"]}, nil
	}))
	must(t, s.CompletePrompt("sell", "what", func(context.Context, *server.Call, string, map[string]string) ([]string, error) {
		return []string{"tea"}, nil
	}))
	must(t, s.AddResource(mcp.Resource{Name: "stock", URI: "shop://stock"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("text/plain", "3 teapots"), nil
	}))
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newEndpoint(t *testing.T) *Endpoint {
	t.Helper()
	e, err := NewEndpoint(slog.New(slog.NewTextHandler(warnings{t}, &slog.HandlerOptions{Level: slog.LevelDebug})))
	must(t, err)
	return e
}

// warnings fails a test that has a build refuse what the endpoint tells it or a client what it is asked, or the endpoint panic
// or fail for no reason.
type warnings struct{ t *testing.T }

func (w warnings) Write(record []byte) (int, error) {
	for _, text := range []string{"the new build refuses", "does not list its roots", "cannot notify the server of new roots", "panic", "error=<nil>"} {
		if strings.Contains(string(record), text) {
			w.t.Errorf("logged: %s", record)
		}
	}
	return len(record), nil
}

// serve serves a server at the far end of a connection, until that is closed.
func serve(t *testing.T, s *server.Server) (near, far transport.Transport) {
	a, b := inmem.Pair(0)
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background(), b) }()
	t.Cleanup(func() {
		b.Close()
		<-done
	})
	return a, b
}

// begin makes a server the child of an endpoint.
func begin(t *testing.T, e *Endpoint, s *shop) (child, last *Child) {
	t.Helper()
	near, _ := serve(t, s.Server)
	child, err := new(Connection).Connect(t.Context(), e, near)
	must(t, err)
	t.Cleanup(func() { child.Close() })
	return child, e.Replace(t.Context(), child)
}

// connect connects a client to an endpoint. The goroutines of the child's connection outlive that of the client.
func connect(t *testing.T, e *Endpoint, opts *mcptest.Options) *mcptest.Client {
	t.Helper()
	if opts == nil {
		opts = new(mcptest.Options)
	}
	opts.AllowGoroutines = true
	return mcptest.Connect(t, e.Server(), opts)
}

// TestPass uses everything that is passed on, with clients and children of both eras.
func TestPass(t *testing.T) {
	both := []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28}
	for _, child := range both {
		for _, revision := range both {
			t.Run(fmt.Sprintf("%s to %s", revision, child), func(t *testing.T) {
				e := newEndpoint(t)
				begin(t, e, newShop(t, "Orders", child))
				c := connect(t, e, answering(revision, "file:///tea"))
				checkPassed(t, c)
				r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "ask"})
				must(t, err)
				want := "confirmed in file:///tea by Ada"
				if child < revision {
					want = "takes no requests in its revision"
				}
				if got := mcptest.Text(r); !strings.Contains(got, want) {
					t.Errorf("ask: got %q, want %q", got, want)
				}
			})
		}
	}
}

// answering returns the options of a client that answers whatever it is asked.
func answering(revision wire.Revision, root string) *mcptest.Options {
	return &mcptest.Options{Revision: revision, Client: client.Options{
		Roots: []mcp.Root{{URI: root}},
		Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return elicit.Accept(struct{}{})
		}},
		Sample: func(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "Ada", Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "x"}}}, nil
		},
	}}
}

// checkPassed checks what the two eras have in common.
func checkPassed(t *testing.T, c *mcptest.Client) {
	t.Helper()
	if about := c.Server(); about.Info.Name != "shop" || about.Instructions != "sell" {
		t.Errorf("the server is %v, %q", about.Info, about.Instructions)
	}
	var tools []string
	for tool, err := range c.Tools(t.Context()) {
		must(t, err)
		tools = append(tools, tool.Name)
	}
	if want := []string{"ask", "order", "wait"}; !slices.Equal(slices.Sorted(slices.Values(tools)), want) {
		t.Errorf("tools: got %q, want %q", tools, want)
	}
	var progress []string
	ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) {
		progress = append(progress, fmt.Sprintf("%v of %v: %s", p.Progress, *p.Total, p.Message))
	})
	if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "order"}); err != nil {
		t.Error(err)
	}
	if want := []string{"1 of 3: begun", "2 of 3: all but done"}; !slices.Equal(progress, want) {
		t.Errorf("progress: got %q, want %q", progress, want)
	}
	prompt, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "sell", Arguments: map[string]string{"what": "tea"}})
	if err != nil || prompt.Description != "sells tea" {
		t.Errorf("prompt: got %v, %v", prompt, err)
	}
	completed, err := c.Complete(t.Context(), &mcp.CompleteRequestParams{
		Ref: &mcp.PromptReference{Name: "sell"}, Argument: mcp.CompleteRequestParamsArgument{Name: "what"},
	})
	if err != nil || !slices.Equal(completed.Completion.Values, []string{"tea"}) {
		t.Errorf("completion: got %v, %v", completed, err)
	}
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "shop://stock"})
	if err != nil || len(read.Contents) != 1 {
		t.Errorf("resource: got %v, %v", read, err)
	}
	if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "shop://cellar"}); !client.IsNotFound(err) {
		t.Errorf("a resource that does not exist: got %v", err)
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "steal"}); err == nil || !strings.Contains(err.Error(), "steal") {
		t.Errorf("a tool that does not exist: got %v", err)
	}
}

// TestReplace puts a new build in the place of another: a client keeps its connection, its subscription and its
// call at work.
func TestReplace(t *testing.T) {
	for _, revision := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		t.Run(revision.String(), func(t *testing.T) {
			e := newEndpoint(t)
			old := newShop(t, "Orders")
			begin(t, e, old)
			news := make(chan string, 10)
			c := connect(t, e, &mcptest.Options{Revision: revision, Client: client.Options{
				OnChange: func(_ context.Context, change client.Change) {
					switch {
					case change.Tools:
						news <- "tools"
					case change.Prompts:
						news <- "prompts"
					case change.Resources:
						news <- "resources"
					default:
						news <- change.URI
					}
				},
			}})
			yes := true
			sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{
				ToolsListChanged: &yes, PromptsListChanged: &yes, ResourcesListChanged: &yes,
				ResourceSubscriptions: []string{"shop://stock"},
			})
			must(t, err)
			defer sub.Close()
			c.CallText("order", nil) // which is over, unlike the next
			result := make(chan string, 1)
			go func() { result <- c.CallText("wait", nil) }()
			if got := <-old.waiting; got != "begun" {
				t.Fatal(got)
			}

			next := newShop(t, "Sells")
			_, last := begin(t, e, next)
			retired := make(chan struct{})
			go func() {
				defer close(retired)
				last.Retire(context.Background(), time.Hour)
			}()
			if got := <-news; got != "tools" {
				t.Errorf("the client is notified of %s, want tools", got)
			}
			if got := c.CallText("order", nil); got != "Sells for mcptest" {
				t.Errorf("the new build says %q", got)
			}
			next.ResourceUpdated("shop://stock")
			if got := <-news; got != "shop://stock" {
				t.Errorf("the client is notified of %s", got)
			}
			close(old.finish)
			if got := <-result; got != "finished" {
				t.Errorf("the call at work: got %q", got)
			}
			<-retired
			if _, ok := last.begin(nil); ok {
				t.Error("a child that has retired takes a call")
			}
			last.mu.Lock()
			if len(last.calls)+len(last.requests) > 0 {
				t.Errorf("%d calls and %d requests are at work in it", len(last.calls), len(last.requests))
			}
			last.mu.Unlock()
			must(t, next.AddTool(mcp.Tool{Name: "more"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
				return server.TextResult("more"), nil
			}))
			if got := <-news; got != "tools" {
				t.Errorf("the client is notified of %s, want tools, which the child changed", got)
			}
			must(t, next.AddPrompt(mcp.Prompt{Name: "more"}, func(context.Context, *server.Call, map[string]string) (*mcp.GetPromptResult, error) { return nil, nil }))
			if got := <-news; got != "prompts" {
				t.Errorf("the client is notified of %s, want prompts, which the child changed", got)
			}
			must(t, next.AddResource(mcp.Resource{Name: "more", URI: "shop://more"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) { return nil, nil }))
			if got := <-news; got != "resources" {
				t.Errorf("the client is notified of %s, want resources, which the child changed", got)
			}
		})
	}
}

// TestReplacedLists puts a build in the place of another that offers something else: clients are notified of those lists alone.
func TestReplacedLists(t *testing.T) {
	add := map[string]func(*shop) error{
		"": func(*shop) error { return nil },
		"tools": func(s *shop) error {
			return s.AddTool(mcp.Tool{Name: "more"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, nil })
		},
		"prompts": func(s *shop) error {
			return s.AddPrompt(mcp.Prompt{Name: "more"}, func(context.Context, *server.Call, map[string]string) (*mcp.GetPromptResult, error) { return nil, nil })
		},
		"resources": func(s *shop) error {
			return s.AddResource(mcp.Resource{Name: "more", URI: "shop://more"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) { return nil, nil })
		},
		"resources, by a template": func(s *shop) error {
			return s.AddTemplate(mcp.ResourceTemplate{Name: "more", URITemplate: "shop://{more}"}, func(string) (map[string]string, bool) { return nil, false },
				func(context.Context, *server.Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
					return nil, nil
				})
		},
	}
	for kind := range add {
		synctest.Test(t, func(t *testing.T) {
			e := newEndpoint(t)
			begin(t, e, newShop(t, "Orders"))
			var news []client.Change
			connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{
				OnChange: func(_ context.Context, change client.Change) { news = append(news, change) },
			}})
			next := newShop(t, "Orders")
			must(t, add[kind](next))
			begin(t, e, next)
			time.Sleep(time.Second) // of the bubble
			synctest.Wait()
			wanted := []client.Change{{Tools: kind == "tools", Prompts: kind == "prompts", Resources: strings.HasPrefix(kind, "resources")}}
			if kind == "" {
				wanted = nil
			}
			if !slices.Equal(news, wanted) {
				t.Errorf("%s: the client is notified of %+v, want %+v", kind, news, wanted)
			}
		})
	}
}

// TestReplacedCall shows what becomes of a call that has no end.
func TestReplacedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		old := newShop(t, "Orders")
		begin(t, e, old)
		c := connect(t, e, nil)
		failed := make(chan error, 1)
		go func() {
			_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "wait"})
			failed <- err
		}()
		<-old.waiting
		_, last := begin(t, e, newShop(t, "Sells"))
		begun := time.Now()
		last.Retire(t.Context(), graceTime)
		took := time.Since(begun)
		if err := <-failed; err == nil || !strings.Contains(err.Error(), errReplaced.Error()) {
			t.Errorf("the call: got %v, want %v", err, errReplaced)
		}
		if took != graceTime {
			t.Errorf("it had %v, want %v", took, graceTime)
		}
		_, idle := begin(t, e, newShop(t, "Lends"))
		begun = time.Now()
		idle.Retire(t.Context(), graceTime)
		<-idle.Done()
		if took := time.Since(begun); took != 0 {
			t.Errorf("without calls it takes %v to retire", took)
		}
	})
}

// TestCancel cancels a call.
func TestCancel(t *testing.T) {
	e := newEndpoint(t)
	s := newShop(t, "Orders")
	begin(t, e, s)
	c := connect(t, e, nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "wait"})
		failed <- err
	}()
	<-s.waiting
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the call: got %v", err)
	}
	if got := <-s.waiting; got != "cancelled" {
		t.Errorf("the tool is %s", got)
	}
}

// overHTTP returns a transport to a server over HTTP.
func overHTTP(t *testing.T, s *shop) transport.Transport {
	h := streamable.NewHandler(s.Server, nil)
	l := httptest.NewServer(h)
	t.Cleanup(func() {
		must(t, h.Shutdown(context.Background()))
		l.Close()
	})
	return httpclient.New(l.URL, nil)
}

// TestWhomToAsk sends a request of the child while two calls run.
func TestWhomToAsk(t *testing.T) {
	overStdio := func(t *testing.T, s *shop) transport.Transport {
		near, _ := serve(t, s.Server)
		return near
	}
	for name, test := range map[string]struct {
		connect func(*testing.T, *shop) transport.Transport
		several bool // the calls are of several clients
		want    string
	}{
		"the only client":           {overStdio, false, "confirmed in file:///tea"},
		"one of two clients":        {overStdio, true, "2 calls of several clients are running"},
		"the only client over HTTP": {overHTTP, false, "confirmed in file:///tea"},
		"one of two over HTTP":      {overHTTP, true, "confirmed in file:///tea"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(t)
			s := newShop(t, "Orders", mcp.V2025_11_25)
			child, err := new(Connection).Connect(t.Context(), e, test.connect(t, s))
			must(t, err)
			t.Cleanup(func() { child.Close() })
			e.Replace(t.Context(), child)
			c := connect(t, e, answering(mcp.V2025_11_25, "file:///tea"))
			waiting := c
			if test.several {
				waiting = connect(t, e, answering(mcp.V2025_11_25, "file:///coffee"))
			}
			result := make(chan string, 1)
			go func() { result <- waiting.CallText("wait", nil) }()
			<-s.waiting
			r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "ask"})
			must(t, err)
			if got := mcptest.Text(r); !strings.Contains(got, test.want) {
				t.Errorf("ask: got %q, want %q", got, test.want)
			}
			close(s.finish)
			<-result
		})
	}
}

// A telling transport tells for whom its requests are sent.
type telling struct {
	transport.Transport
	sent map[string]string // the name of the client, by method; empty if it is for nobody
	last string            // message
}

// Send implements transport.Sender.
func (s *telling) Send(ctx context.Context, m transport.Message) error {
	name := ""
	if c := CallOf(ctx); c != nil {
		name = c.Client().Name
	}
	s.sent[strings.Clone(wire.Raw(m.Data).StringAt("method"))] = name
	s.last = string(m.Data)
	return s.Transport.Send(ctx, m)
}

// TestCallOf tells apart what the endpoint sends by itself, and what it sends for a client.
func TestCallOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		near, _ := serve(t, newShop(t, "Orders").Server)
		tells := &telling{Transport: near, sent: map[string]string{}}
		child, err := (&Connection{Revisions: []wire.Revision{mcp.V2025_06_18}}).Connect(t.Context(), e, tells)
		must(t, err)
		defer child.Close()
		e.Replace(t.Context(), child)
		if _, revision, ok := e.About(); !ok || revision != mcp.V2025_06_18 {
			t.Errorf("the child speaks %s, want the revision of the connection", revision)
		}
		c := connect(t, e, nil)
		c.CallText("order", nil)
		synctest.Wait()
		for method, want := range map[string]string{mcp.MethodListTools.Name: "", mcp.MethodCallTool.Name: "mcptest"} {
			if got, sent := tells.sent[method]; got != want || !sent {
				t.Errorf("%s was sent for %q, want %q", method, got, want)
			}
		}
	})
}

// TestBuilding connects before the first build is done: the call waits for it.
func TestBuilding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		c := connect(t, e, nil)
		if got := c.Server().Info.Name; got != "mcpgen-dev" {
			t.Errorf("the server is %s", got)
		}
		result := make(chan string, 1)
		go func() { result <- c.CallText("order", nil) }()
		time.Sleep(10 * time.Second)
		begin(t, e, newShop(t, "Orders"))
		if got := <-result; got != "Orders for mcptest" {
			t.Errorf("the tool says %q", got)
		}
	})
}

// TestNobody uses an endpoint whose server does not build.
func TestNobody(t *testing.T) {
	for _, revision := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		e := newEndpoint(t)
		e.Fail(errors.New("add.go:3:1: syntax error"))
		c := connect(t, e, &mcptest.Options{Revision: revision})
		_, called := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "order"})
		sub, subscribed := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"shop://stock"}})
		errs := []error{called, subscribed}
		if revision.Since(mcp.Modern) {
			if errs = errs[:1]; subscribed != nil || len(sub.Filter().ResourceSubscriptions) > 0 {
				t.Errorf("nobody takes a subscription: %v", subscribed)
			}
		} else {
			errs = append(errs, c.SetLevel(t.Context(), mcp.LoggingLevelInfo))
		}
		for i, err := range errs {
			if err == nil || !strings.Contains(err.Error(), "add.go:3:1") {
				t.Errorf("%s: request %d: got %v, want what is wrong", revision, i, err)
			}
		}
		must(t, c.Notify(t.Context(), &wire.Method{Name: methodSteam}, nil)) // which nobody hears
		begin(t, e, newShop(t, "Orders"))
		if got := c.CallText("order", nil); got != "Orders for mcptest" {
			t.Errorf("%s: afterwards the tool says %q", revision, got)
		}
	}
}

func TestSince(t *testing.T) {
	old := Offers{Tools: map[string]string{"add": "1", "mul": "2"}, Resources: map[string]string{"a://b": "1"}}
	none, many := Offers{}, map[string]string{}
	for i := range 30 {
		many[fmt.Sprintf("t%02d", i)] = "1"
	}
	most := maps.Clone(many)
	maps.DeleteFunc(most, func(name, _ string) bool { return name > "t20" })
	for _, test := range []struct {
		now  Offers
		from *Offers
		want string
	}{
		{old, nil, "2 tools, 1 resource"},
		{old, &old, "2 tools, 1 resource"},
		{Offers{Tools: map[string]string{"add": "x", "sub": "1"}}, &old, "2 tools; changed: add; new: sub; gone: mul, a://b"},
		{Offers{}, nil, "0 tools"},
		{Offers{Tools: map[string]string{"a\n\x1b[2J": "1"}}, &none, `1 tool; new: "a\n\x1b[2J"`},
		{Offers{Tools: map[string]string{strings.Repeat("é", 1000): "1"}}, &none, "1 tool; new: " + strings.Repeat("é", 100) + "…"},
		{Offers{Tools: map[string]string{strings.Repeat("é", 100): "1"}}, &none, "1 tool; new: " + strings.Repeat("é", 100)},
		{Offers{Tools: most}, &none, "21 tools; new: t00, t01, t02, t03, t04, t05, t06, t07, t08, t09, t10, t11, t12, t13, t14, t15, t16, t17, t18, t19, and 1 more"},
		{Offers{Tools: many}, &none, "30 tools; new: t00, t01, t02, t03, t04, t05, t06, t07, t08, t09, t10, t11, t12, t13, t14, t15, t16, t17, t18, t19, and 10 more"},
	} {
		if got := test.now.Since(test.from); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
