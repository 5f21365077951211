package client_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/client/outputcheck"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var quiet = slog.New(slog.DiscardHandler)

// newServer returns a server with something of everything.
func newServer(t *testing.T, revs ...wire.Revision) *server.Server {
	t.Helper()
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{
		Revisions:    revs,
		Logger:       quiet,
		Logging:      true,
		PageSize:     2,
		Instructions: "be kind",
		OnSubscribe:  func(context.Context, *server.Call, string) error { return nil },
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5 {
		name := fmt.Sprintf("echo%d", i)
		must(s.AddTool(mcp.Tool{Name: name, OutputSchema: wire.Raw(`{"type":"object","required":["a"]}`)},
			func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
				c.Progress().Report(1, 2, "half")
				c.Logger().Warn("careful")
				return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: string(args)}}, StructuredContent: args}, nil
			}))
	}
	must(s.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		var got []string
		if roots, err := c.ListRoots(ctx); err == nil {
			got = append(got, roots.Roots[0].URI)
		} else {
			return nil, err
		}
		message, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 1})
		if err != nil {
			return nil, err
		}
		got = append(got, message.Model)
		if c.Revision() >= mcp.V2025_06_18 {
			form := new(mcp.ElicitRequestFormParams)
			if err := wire.Decode([]byte(`{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}`), form); err != nil {
				return nil, err
			}
			answer, err := c.Elicit(ctx, form)
			if err != nil {
				return nil, err
			}
			got = append(got, string(answer.Content["n"]))
		}
		return server.TextResult(strings.Join(got, " ")), nil
	}))
	must(s.AddPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a"}}},
		func(_ context.Context, _ *server.Call, args map[string]string) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Description: args["a"], Messages: []mcp.PromptMessage{}}, nil
		}))
	must(s.CompletePrompt("p", "a", func(context.Context, *server.Call, string, map[string]string) ([]string, error) {
		return []string{"x", "y"}, nil
	}))
	must(s.AddResource(mcp.Resource{URI: "f:///a", Name: "a"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("text/plain", "content"), nil
	}))
	must(s.AddTemplate(mcp.ResourceTemplate{URITemplate: "g:///{x}", Name: "g"},
		func(uri string) (map[string]string, bool) { return nil, strings.HasPrefix(uri, "g:///") },
		func(_ context.Context, _ *server.Call, uri string, _ map[string]string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", uri), nil
		}))
	return s
}

// connect connects a client to a server. It must be called in a bubble.
func connect(t *testing.T, s *server.Server, opts *client.Options) *client.Client {
	t.Helper()
	near, far := inmem.Pair(0)
	served := make(chan error)
	go func() { served <- s.Serve(context.Background(), far) }()
	c, err := client.Connect(t.Context(), near, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return c
}

// A client of every revision has every feature of a server of that revision, and of one of all
// revisions.
//
// REQ VER-17 VER-05 STATE-06 LIFE-01 TOOL-12 TOOL-14 RES-05 RES-11 RES-12 PRM-04 PRM-05 COMP-02 COMP-03 LOG-02 PROG-03
func TestRevisions(t *testing.T) {
	t.Parallel()
	for _, rev := range taught.Revisions() {
		for _, served := range [][]wire.Revision{{rev}, taught.Revisions()} {
			t.Run(fmt.Sprintf("%v of %d", rev, len(served)), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { tryEverything(t, newServer(t, served...), rev, connect) })
			})
		}
	}
}

// connector connects a client to a server.
type connector func(t *testing.T, s *server.Server, opts *client.Options) *client.Client

// tryEverything uses every feature over one connection.
func tryEverything(t *testing.T, s *server.Server, rev wire.Revision, connect connector) {
	ctx := t.Context()
	var mu sync.Mutex
	var heard []string
	hear := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, fmt.Sprintf(format, args...))
	}
	c := connect(t, s, &client.Options{
		Revisions:   []wire.Revision{rev},
		Logger:      quiet,
		Roots:       []mcp.Root{{URI: "file:///r"}},
		CheckOutput: new(outputcheck.Checker).Check,
		Sample: func(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "model",
				Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "hi"}}}, nil
		},
		Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return elicit.Accept(map[string]int{"n": 3})
		}},
		Methods: []client.Method{methods.Notification(mcp.MethodLoggingMessageNotification.Name,
			func(_ context.Context, p *mcp.LoggingMessageNotificationParams) { hear("log %s", p.Level) })},
		OnChange: func(_ context.Context, change client.Change) {
			switch {
			case change.Tools:
				hear("tools")
			case change.URI != "":
				hear("updated %s", change.URI)
			}
		},
	})
	check := func(what string, err error, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", what, err, diff)
		}
	}
	check("revision", nil, c.Revision(), rev)
	check("server", nil, c.Server().Info.Name, "s")
	check("instructions", nil, c.Server().Instructions, "be kind")

	var names []string
	for tool, err := range c.Tools(ctx) {
		check("tools", err, tool != nil, true)
		names = append(names, tool.Name)
	}
	check("tools", nil, names, []string{"ask", "echo0", "echo1", "echo2", "echo3", "echo4"})

	check("level", c.SetLevel(ctx, mcp.LoggingLevelWarning), nil, nil)
	var progress []string
	reporting := client.WithProgress(ctx, func(p *mcp.ProgressNotificationParams) {
		progress = append(progress, fmt.Sprint(p.Progress, p.GetTotal()))
	})
	r, err := c.CallTool(reporting, &mcp.CallToolRequestParams{Name: "echo1", Arguments: wire.Raw(`{"a":1}`)})
	check("call", err, r.Content[0].(*mcp.TextContent).Text, `{"a":1}`)
	check("progress", nil, progress, []string{"1 2"})
	if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "echo1", Arguments: wire.Raw(`{}`)}); (err != nil) != (rev >= mcp.V2025_06_18) {
		t.Errorf("output that does not fit: %v", err)
	}
	if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "none"}); err == nil {
		t.Error("a tool that does not exist is no error")
	}

	want := "file:///r model 3"
	if rev < mcp.V2025_06_18 {
		want = "file:///r model"
	}
	r, err = c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "ask"})
	check("ask", err, r.Content[0].(*mcp.TextContent).Text, want)

	prompt, err := c.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: "p", Arguments: map[string]string{"a": "b"}})
	check("prompt", err, prompt.Description, "b")
	completion, err := c.Complete(ctx, &mcp.CompleteRequestParams{
		Ref: &mcp.PromptReference{Name: "p"}, Argument: mcp.CompleteRequestParamsArgument{Name: "a", Value: ""}})
	check("complete", err, completion.Completion.Values, []string{"x", "y"})
	for _, uri := range []string{"f:///a", "g:///b"} {
		if _, err := c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: uri}); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "h:///x"}); !client.IsNotFound(err) {
		t.Errorf("a resource that does not exist: %v", err)
	}
	if err := c.Ping(ctx); (err == nil) != (rev < mcp.V2026_07_28) {
		t.Errorf("ping: %v", err)
	}

	// What a server sends by itself may come after the answers.
	times := func(what string) (n int) {
		mu.Lock()
		defer mu.Unlock()
		for _, h := range heard {
			if h == what {
				n++
			}
		}
		return n
	}
	await := func(what string, n int) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); times(what) < n; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("heard %q, want %q, %d times", heard, what, n)
			}
		}
	}
	await("log warning", 2)

	subscribe := func(uri string) *client.Subscription {
		t.Helper()
		sub, err := c.Subscribe(ctx, mcp.SubscriptionFilter{ToolsListChanged: new(true), ResourceSubscriptions: []string{uri}})
		if err != nil {
			t.Fatal(err)
		}
		f := sub.Filter()
		check("filter", nil, f.ResourceSubscriptions, []string{uri})
		return sub
	}
	sub := subscribe("f:///a")
	s.ResourceUpdated("f:///a")
	await("updated f:///a", 1)
	s.RemoveTools("echo4")
	await("tools", 1)
	check("close", sub.Close(), nil, nil)

	// Of the resource that nobody is subscribed to any more, nothing comes before news of another.
	sub = subscribe("g:///b")
	s.ResourceUpdated("f:///a")
	s.ResourceUpdated("g:///b")
	await("updated g:///b", 1)
	check("close", sub.Close(), nil, nil)
	check("updates", nil, times("updated f:///a"), 1)
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(heard)
	check("heard", nil, slices.Compact(heard), []string{"log warning", "tools", "updated f:///a", "updated g:///b"})
}

// Both eras at the same time, with one server.
func TestDualServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		for _, rev := range taught.Revisions() {
			tryEverything(t, s, rev, connect)
			if err := s.AddTool(mcp.Tool{Name: "echo4", OutputSchema: wire.Raw(`{"type":"object"}`)},
				func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
					return server.TextResult(""), nil
				}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
