package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What a client can be asked for depends on all that it declares, and on the revision.
//
// REQ ELIC-02, MRTR-04, SAMP-09, CAP-10
func TestWhoCanBeAsked(t *testing.T) {
	text := []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "x"}}}}
	asks := map[string]func(context.Context, *Call) error{
		"form": func(ctx context.Context, c *Call) error { _, err := c.Elicit(ctx, form("x", "x")); return err },
		"url": func(ctx context.Context, c *Call) error {
			_, err := c.Elicit(ctx, &mcp.ElicitRequestURLParams{Message: "x", URL: "https://example.com"})
			return err
		},
		"tools": func(ctx context.Context, c *Call) error {
			_, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{Messages: text, MaxTokens: 1, Tools: []mcp.Tool{}})
			return err
		},
		"choice": func(ctx context.Context, c *Call) error {
			_, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{Messages: text, MaxTokens: 1, ToolChoice: &mcp.ToolChoice{}})
			return err
		},
	}
	for _, test := range []struct {
		caps string
		rev  wire.Revision
		can  string
	}{
		{`{}`, mcp.V2025_11_25, ""}, {`{}`, mcp.V2026_07_28, ""},
		{`{"elicitation":{}}`, mcp.V2025_03_26, ""}, {`{"elicitation":{}}`, mcp.V2025_06_18, "form"}, {`{"elicitation":{}}`, mcp.V2025_11_25, "form"}, {`{"elicitation":{}}`, mcp.V2026_07_28, "form"},
		{`{"elicitation":{"form":{}}}`, mcp.V2025_11_25, "form"}, {`{"elicitation":{"url":{}}}`, mcp.V2025_11_25, "url"}, {`{"elicitation":{"url":{}}}`, mcp.V2026_07_28, "url"},
		{`{"elicitation":{"form":{},"url":{}}}`, mcp.V2025_11_25, "form url"}, {`{"elicitation":{"form":{},"url":{}}}`, mcp.V2026_07_28, "form url"},
		{`{"elicitation":{"form":{},"url":{}}}`, mcp.V2025_06_18, "form"},
		{`{"sampling":{}}`, mcp.V2025_11_25, ""}, {`{"sampling":{"tools":{}}}`, mcp.V2025_06_18, ""}, {`{"sampling":{"tools":{}}}`, mcp.V2025_11_25, "tools choice"}, {`{"sampling":{"tools":{}}}`, mcp.V2026_07_28, "tools choice"},
	} {
		for name, ask := range asks {
			s := newServer(nil)
			var missing *MissingCapabilityError
			refused := false
			add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				refused = errors.As(ask(ctx, c), &missing)
				return TextResult("x"), nil
			}))
			c := newClient(t, s, test.rev, test.caps)
			c.Answer = func(string, wire.Raw) (wire.Raw, error) { return nil, errors.New("nobody is there") }
			c.Call("tools/call", `{"name":"t"}`)
			if can := strings.Contains(test.can, name); refused == can {
				t.Errorf("%s by a client of %v with %s: refused %t", name, test.rev, test.caps, refused)
			}
			if refused && missing.Required.Elicitation == nil && missing.Required.Sampling == nil {
				t.Errorf("%s by a client of %v with %s: it is not said what is missing", name, test.rev, test.caps)
			}
		}
	}
}

// What cannot be asked is refused before the client sees it.
//
// REQ ELIC-06, SAMP-12, SAMP-13
func TestBadQuestions(t *testing.T) {
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		s := newServer(nil)
		var errs []error
		add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			f := form("x", "x")
			f.RequestedSchema.Required = []string{"other"}
			_, err := c.Elicit(ctx, f)
			_, err2 := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 1, Messages: []mcp.SamplingMessage{
				{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.ToolResultContent{ToolUseID: "1"}}},
			}})
			errs = []error{err, err2}
			return TextResult("x"), nil
		}))
		c := newClient(t, s, rev, `{"elicitation":{},"sampling":{"tools":{}}}`)
		c.Answer = func(string, wire.Raw) (wire.Raw, error) { return nil, errors.New("nobody is there") }
		c.Must("tools/call", `{"name":"t"}`)
		for i, want := range []string{`the form requires "other"`, `the result of tool use "1" does not follow it`} {
			if errs[i] == nil || !strings.Contains(errs[i].Error(), want) {
				t.Errorf("%v: got %v, want %s", rev, errs[i], want)
			}
		}
		equal(t, "sent", fmt.Sprint(c.Seen()), "[]")
	}
}

// REQ STATE-06, CACHE-01
func TestDiscoverIsWhole(t *testing.T) {
	s := newServer(&Options{
		Revisions: []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28},
		Cache:     Cache{Discover: CacheHint{TTL: 1500 * time.Millisecond, Public: true}},
	})
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	equal(t, "discover", c.Must("server/discover", `{}`),
		`{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}},"resultType":"complete","ttlMs":1500,"cacheScope":"public",`+
			`"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}`)
}

// REQ LIFE-02
func TestInitializeIsWhole(t *testing.T) {
	s := newServer(&Options{Instructions: "be kind"})
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
	c := strangerTo(t, s, mcp.V2025_11_25, `{}`)
	equal(t, "initialize", c.Must("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"2"}}`),
		`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"test","version":"1"},"instructions":"be kind"}`)
}

// A subscription is granted what it asks for and the server offers, and is told that alone.
//
// REQ SUB-02, SUB-03, META-15
func TestGrants(t *testing.T) {
	lists := []string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"}
	names := []string{"tools", "prompts", "resources"}
	const meta = `"_meta":{"io.modelcontextprotocol/subscriptionId":1}`
	for offers := range 8 {
		for wants := range 8 {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(nil)
				for i, offer := range []func() error{
					func() error { return s.AddTool(mcp.Tool{Name: "a"}, says("a")) },
					func() error { return s.AddPrompt(mcp.Prompt{Name: "a"}, noPrompt) },
					func() error { return s.AddResource(mcp.Resource{URI: "a:1", Name: "1"}, noResource) },
				} {
					if offers>>i&1 != 0 {
						add(t, offer())
					}
				}
				var asked, granted, told []string
				for i := range lists {
					if wants>>i&1 != 0 {
						asked = append(asked, `"`+lists[i]+`":true`)
					} else {
						asked = append(asked, `"`+lists[i]+`":false`)
					}
					if wants>>i&1 != 0 && offers>>i&1 != 0 {
						granted = append(granted, `"`+lists[i]+`":true`)
						told = append(told, "notifications/"+names[i]+"/list_changed {"+meta+"}")
					}
				}
				c := newClient(t, s, mcp.V2026_07_28, `{}`)
				cancel, done := listen(c, "{"+strings.Join(asked, ",")+"}")
				equal(t, "acknowledged", fmt.Sprint(c.Seen()), `[notifications/subscriptions/acknowledged {`+meta+`,"notifications":{`+strings.Join(granted, ",")+`}}]`)
				s.Changed(Change{Tools: true})
				s.Changed(Change{Prompts: true})
				s.Changed(Change{Resources: true})
				settle()
				equal(t, "told", strings.Join(c.Seen(), "\n"), strings.Join(told, "\n"))
				cancel()
				<-done
			})
		}
	}
}

// Who listens for resources and lists alike is told of the one that changed.
//
// REQ SUB-02
func TestUpdateIsNoListChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(&Options{OnSubscribe: func(context.Context, *Call, string) error { return nil }})
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
		add(t, s.AddPrompt(mcp.Prompt{Name: "a"}, noPrompt))
		add(t, s.AddResource(mcp.Resource{URI: "a:1", Name: "1"}, noResource))
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		cancel, done := listen(c, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a:1"]}`)
		c.Seen()
		s.ResourceUpdated("a:1")
		settle()
		equal(t, "told", fmt.Sprint(c.Seen()), `[notifications/resources/updated {"_meta":{"io.modelcontextprotocol/subscriptionId":1},"uri":"a:1"}]`)
		cancel()
		<-done
	})
}

// The least severe level that is sent is the one asked for, of a request that takes messages.
//
// REQ LOG-05
func TestLogLevels(t *testing.T) {
	s := newServer(&Options{Logging: true})
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Logger().Debug("debug")
		c.Logger().Info("info")
		c.Logger().Error("error")
		return TextResult("x"), nil
	}))
	for level, want := range map[string]int{"": 0, "debug": 3, "info": 2, "warning": 1, "error": 1, "emergency": 0} {
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		c.LogLevel = level
		c.Must("tools/call", `{"name":"t"}`)
		if got := len(c.Seen()); got != want {
			t.Errorf("level %q: %d messages, want %d", level, got, want)
		}
		r := c.Request("tools/call", `{"name":"t"}`)
		r.Out = nil
		if _, err := c.session.ServeRequest(t.Context(), r); err != nil {
			t.Errorf("level %q, without a way to the client: %v", level, err)
		}
	}
}
