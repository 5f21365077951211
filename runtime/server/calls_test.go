package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Progress is reported in order, not too often, and not any more once it is complete or the handler has returned.
//
// REQ PROG-04, PROG-06
func TestProgressReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(&Options{NotifyRate: 10})
		var kept *Progress
		add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			p := c.Progress()
			kept = p
			for _, report := range []struct {
				after       time.Duration
				done, total float64
			}{
				{0, math.NaN(), 5}, {0, math.Inf(1), 5}, {0, math.Inf(-1), 5},
				{0, 1, 5},                                 // sent
				{0, 2, 5},                                 // too soon
				{time.Second, 1, 5},                       // not more
				{0, 2, 0},                                 // sent, without a total
				{0, 3, 0},                                 // too soon, although no total is left
				{time.Second, 4, math.Inf(1)},             // sent, without a total
				{time.Second, 5, -1},                      // sent, without a total
				{0, 6, 6},                                 // complete, so it is sent at once
				{time.Second, 7, math.Inf(-1)}, {0, 8, 8}, // both sent
			} {
				time.Sleep(report.after)
				p.Report(report.done, report.total, "")
			}
			return nil, nil
		}))
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		c.Must("tools/call", `{"name":"t"}`)
		count(t, "notifications without a token", len(c.Seen()), 0)
		c.Token = `"k"`
		c.Must("tools/call", `{"name":"t"}`)
		kept.Report(100, 100, "late")
		var got []string
		for _, n := range c.Seen() {
			_, params, _ := strings.Cut(n, `"progressToken":"k",`)
			got = append(got, params)
		}
		equal(t, "reports", strings.Join(got, "\n"), strings.Join([]string{`"progress":1,"total":5}`, `"progress":2}`, `"progress":4}`, `"progress":5}`,
			`"progress":6,"total":6}`, `"progress":7}`, `"progress":8,"total":8}`}, "\n"))
	})
}

// A call that outlives its request has what it had asked for before, sends what a session can receive, and ends with the
// server.
func TestContinueKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		l := &letter{done: make(chan struct{})}
		s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Logging: true})
		var kept *Call
		add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			runs := 0
			once := func() error { runs++; return nil }
			if err := c.Once("k", once); err != nil {
				return nil, err
			}
			err := c.Continue(context.WithoutCancel(ctx), l, wire.Raw(`{"example.com/a":1}`), func(ctx context.Context, c *Call) (*mcp.CallToolResult, error) {
				kept = c
				if err := c.Once("k", once); err != nil || runs != 1 {
					t.Errorf("it ran %d times, %v", runs, err)
				}
				if err := c.Notify(ctx, "x/n", wire.Raw(`{"b":2}`)); err != nil {
					t.Error(err)
				}
				c.Progress().Report(1, 2, "half")
				<-ctx.Done()
				return nil, errors.New("interrupted")
			})
			return nil, err
		}))
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		c.Must("tools/call", `{"name":"t"}`)
		synctest.Wait()
		equal(t, "notified", strings.Join(c.Seen(), ""), `x/n {"_meta":{"example.com/a":1},"b":2}`)
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		<-l.done
		kept.Progress().Report(2, 2, "late")
		equal(t, "happened", strings.Join(l.lines, "\n"), "1 of 2: half\nerror -32603: the server is shutting down")
		count(t, "in the background", len(s.outliving.all()), 0)
	})
}

// A tool that says "visit these URLs first" with the error of 2025-11-25 asks for it as the client's revision has it, if the
// client can.
func TestVisitFirst(t *testing.T) {
	data := `{"elicitations":[{"mode":"url","elicitationId":"1","message":"Pay","url":"https://example.com/pay"}]}`
	code := int64(mcp.CodeURLElicitationRequired)
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("pay: %w", &jsonrpc.Error{Code: code, Message: "pay first", Data: wire.Raw(data)})
	}))
	able := newClient(t, s, mcp.V2026_07_28, `{"elicitation":{"url":{}}}`)
	for _, caps := range []string{`{}`, `{"elicitation":{}}`, `{"elicitation":{"form":{}}}`} {
		err := newClient(t, s, mcp.V2026_07_28, caps).Fails("tools/call", `{"name":"t"}`, mcp.CodeMissingRequiredClientCapability)
		equal(t, "data", string(err.Data), `{"requiredCapabilities":{"elicitation":{"url":{}}}}`)
	}
	contains(t, "result", able.Must("tools/call", `{"name":"t"}`), `"visit/0"`)
	for _, bad := range []string{`{"elicitations":[]}`, `{"elicitations":7}`, ``} {
		data = bad
		if _, err := able.Call("tools/call", `{"name":"t"}`); err == nil || !strings.Contains(err.Message, "pay first") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	code, data = 42, `{"elicitations":[{"mode":"url","message":"Pay","url":"https://example.com/pay"}]}`
	able.Fails("tools/call", `{"name":"t"}`, 42)
}

// What does not fit is an error of the request, whatever asked for it.
func TestBadRetries(t *testing.T) {
	s := newServer(nil)
	ask := func(ctx context.Context, c *Call) error {
		_, err := c.WithKey("k").Elicit(ctx, form("Name?", "name"))
		return err
	}
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		if err := ask(ctx, c); err != nil {
			if !c.InputRequired() && errors.Is(err, ErrInputRequired) {
				t.Error("the call does not know that it requires input")
			}
			return nil, err
		}
		if c.InputRequired() {
			t.Error("the call requires input that it has")
		}
		return TextResult("done"), nil
	}))
	add(t, s.AddPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "optional", Required: new(false)}}}, func(ctx context.Context, c *Call, _ map[string]string) (*mcp.GetPromptResult, error) {
		return nil, ask(ctx, c)
	}))
	add(t, s.AddResource(mcp.Resource{URI: "a:r", Name: "r"}, func(ctx context.Context, c *Call, _ string) (*mcp.ReadResourceResult, error) {
		return TextResource("", "x"), ask(ctx, c)
	}))
	c := newClient(t, s, mcp.V2026_07_28, `{"elicitation":{}}`)
	for method, params := range map[string]string{"tools/call": `{"name":"t"`, "prompts/get": `{"name":"p"`, "resources/read": `{"uri":"a:r"`} {
		first := c.Must(method, params+`}`)
		contains(t, method, first, `"input_required"`)
		c.Fails(method, params+`,"requestState":"forged"}`, codeInvalidParams)
		bad := c.Retry(params+`}`, first, func(string, wire.Raw) string { return `{"action":"accept","content":{"name":7}}` })
		contains(t, method, c.Fails(method, bad, codeInvalidParams).Message, "the client's response to elicitation/create")
		good := c.Retry(params+`}`, first, func(string, wire.Raw) string { return `{"action":"accept","content":{"name":"Ada"}}` })
		c.Must(method, good)
	}
}

// What nobody can be asked for, or nothing can be sent with, is an error of the handler's.
func TestWithoutSender(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		if err := c.Notify(ctx, "x/n", nil); err != errNoSender {
			t.Errorf("Notify: %v", err)
		}
		if c.CanRequest() {
			t.Error("requests can be sent")
		}
		if _, err := c.Request(ctx, "x/r", nil); err != ErrCannotAsk {
			t.Errorf("Request: %v", err)
		}
		if _, err := c.Elicit(ctx, nil); err == nil || err.Error() != "server: Elicit: want params, got nil" {
			t.Errorf("Elicit: %v", err)
		}
		if _, err := c.CreateMessage(ctx, nil); err == nil || err.Error() != "server: CreateMessage: want params, got nil" {
			t.Errorf("CreateMessage: %v", err)
		}
		_, err := c.Elicit(ctx, form("Name?", "name"))
		if !errors.Is(err, ErrCannotAsk) {
			t.Errorf("Elicit: %v", err)
		}
		return nil, nil
	}))
	c := newClient(t, s, mcp.V2025_11_25, `{"elicitation":{}}`)
	r := c.Request("tools/call", `{"name":"t"}`)
	r.Out = nil
	if _, err := c.Server.ServeRequest(t.Context(), r); err != nil {
		t.Error(err)
	}
}

// The errors of this package say what they are about.
func TestErrorTexts(t *testing.T) {
	broken := errors.New("broken")
	if err := error(&InputError{"roots/list", broken}); !errors.Is(err, broken) {
		t.Errorf("%v does not wrap its cause", err)
	}
	equal(t, "text", needsExtension("a.b/c").Error(), "the client does not declare a capability that is required: extension a.b/c")
	s := newServer(nil)
	add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) {
		return nil, &ArgumentError{Problems: []string{"a: want a number"}}
	}))
	newClient(t, s, mcp.V2025_11_25, `{}`).Fails("prompts/get", `{"name":"p"}`, codeInvalidParams)
}

// A tool whose arguments are repeated in headers has none to compare where there are none.
//
// REQ XHDR-10
func TestNoHeaders(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "t", InputSchema: wire.Raw(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}`)}, says("done")))
	contains(t, "result", newClient(t, s, mcp.V2026_07_28, `{}`).Must("tools/call", `{"name":"t","arguments":{"a":"b"}}`), "done")
}

// Without a session, and for topics that are not resources, there is nothing to subscribe to.
func TestSubscribeWithoutSession(t *testing.T) {
	asked := 0
	s := newServer(&Options{OnSubscribe: func(context.Context, *Call, string) error { asked++; return nil }})
	add(t, s.AddResource(mcp.Resource{URI: "a:b", Name: "b"}, noResource))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	for range 2 {
		c.Must("resources/subscribe", `{"uri":"a:b"}`)
	}
	count(t, "OnSubscribe was called", asked, 1)
	if !c.session.Session().subscription.Add("a.b/topic 7") {
		t.Fatal("a topic was not added")
	}
	c.Must("resources/unsubscribe", `{"uri":"a.b/topic 7"}`)
	if !s.Subscribed("a.b/topic 7") {
		t.Error("a topic of an extension was unsubscribed as a resource")
	}
	for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
		r := c.Request(method, `{"uri":"a:b"}`)
		r.Revision = mcp.V2025_11_25
		_, err := NewEndpoint(s).ServeRequest(t.Context(), r)
		if (err == nil) != (method == "resources/unsubscribe") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// A deprecated method is logged where a revision says that it is, once.
func TestDeprecated(t *testing.T) {
	for _, test := range []struct {
		revisions []wire.Revision
		want      int
	}{{nil, 1}, {[]wire.Revision{mcp.V2025_11_25}, 0}} {
		var log bytes.Buffer
		s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Revisions: test.revisions, Logging: true})
		add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.Elicit(ctx, form("Name?", "name"))
			c.Logger().Info("x")
			return nil, err
		}))
		c := newClient(t, s, mcp.V2025_11_25, allCaps)
		for range 2 {
			c.Complete("tools/call", `{"name":"t"}`, accept)
		}
		count(t, "deprecations of logging", strings.Count(log.String(), "notifications/message is deprecated"), test.want)
		count(t, "deprecations", strings.Count(log.String(), "is deprecated"), test.want)
	}
}
