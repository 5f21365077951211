package server

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What a handler has from somewhere else and passes on as raw JSON, which is none: it ends its own
// value, and goes on with members of what stands around it.
var badRaws = []wire.Raw{
	wire.Raw(`{}, "injected":true`), wire.Raw(`{}},"injected":{`), wire.Raw(`{"a":`), wire.Raw(`{"a":"` + "\xff" + `"}`), wire.Raw(`{} {}`),
}

// REQ JRPC-01: a result with such a value is an internal error, not a message that is broken or has
// members which nobody wrote.
func TestRawOfHandlersIsChecked(t *testing.T) {
	for _, raw := range badRaws {
		extra := wire.Extra{{Name: "x", Value: raw}}
		meta := &mcp.ResultMetaObject{Extra: extra}
		tools := map[string]*mcp.CallToolResult{
			"structured": {StructuredContent: raw},
			"extra":      {Extra: extra},
			"meta":       {Meta: meta},
			"content":    {Content: []mcp.ContentBlock{&mcp.TextContent{Text: "x", Extra: extra}}},
			"unknown":    {Content: []mcp.ContentBlock{&mcp.UnknownContentBlock{Raw: raw}}},
		}
		everyRevision(t, func(t *testing.T, rev wire.Revision) {
			s := newServer(nil)
			for name, result := range tools {
				add(t, s.AddTool(mcp.Tool{Name: name}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return result, nil }))
			}
			add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{Meta: meta, Messages: []mcp.PromptMessage{}}, nil
			}))
			add(t, s.AddResource(mcp.Resource{URI: "a:b", Name: "r"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Extra: extra, Contents: []mcp.ResourceContents{}}, nil
			}))
			add(t, s.AddMethod("x/y", func(context.Context, *Call) (wire.Encodable, error) { return raw, nil }))
			c := newClient(t, s, rev, `{}`)
			for name, result := range tools {
				if rev < mcp.V2025_06_18 && result.StructuredContent != nil {
					continue // is left out
				}
				if text, rpc := c.Call("tools/call", `{"name":"`+name+`"}`); rpc == nil {
					t.Errorf("%s of %q: %s", name, raw, text)
				} else if rpc.Code != codeInternal || !strings.Contains(rpc.Message, "cannot be sent") {
					t.Errorf("%s of %q: %v", name, raw, rpc)
				}
			}
			c.Fails("prompts/get", `{"name":"p"}`, codeInternal)
			c.Fails("resources/read", `{"uri":"a:b"}`, codeInternal)
			c.Fails("x/y", ``, codeInternal)
		})
	}
}

// The same of what a handler sends beside its result, and of definitions.
func TestRawOfNotificationsIsChecked(t *testing.T) {
	for _, raw := range badRaws {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if err := c.Notify(ctx, "x/y", raw); err == nil {
				t.Errorf("%q is sent", raw)
			}
			if err := c.Notify(ctx, "x/y", &mcp.NotificationParams{Extra: wire.Extra{{Name: "x", Value: raw}}}); err == nil {
				t.Errorf("%q is sent in params", raw)
			}
			_, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "m", Extra: wire.Extra{{Name: "x", Value: raw}}})
			var encode *wire.EncodeError
			if !errors.As(err, &encode) {
				t.Errorf("the question with %q: %v", raw, err)
			}
			return nil, nil
		}))
		c := newClient(t, s, mcp.V2025_11_25, `{"elicitation":{}}`)
		c.Answer = func(string, wire.Raw) (wire.Raw, error) { return wire.Raw(`{"action":"cancel"}`), nil }
		c.Must("tools/call", `{"name":"t"}`)
		if sent := c.Seen(); len(sent) > 0 || len(c.Asked) > 0 {
			t.Errorf("sent %s, asked %s", sent, c.Asked)
		}
		listed := newServer(nil)
		add(t, listed.AddTool(mcp.Tool{Name: "t", Meta: mcp.MetaObject{"x": raw}}, says("x")))
		newClient(t, listed, mcp.V2026_07_28, `{}`).Fails("tools/list", ``, codeInternal)
	}
}

// The error of a handler may have data; that which is no JSON is left out.
func TestRawOfErrorsIsChecked(t *testing.T) {
	for _, raw := range badRaws {
		out := string(jsonrpc.AppendError(nil, wire.IntID(1), &jsonrpc.Error{Code: 7, Message: "m", Data: raw}))
		equal(t, "the answer", out, `{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"m"}}`)
	}
}

// What middleware returns as raw JSON in place of a result of the protocol is checked, and encoded for the revision, as a typed
// result is: also that of a list, whose own pages are sent as they are.
func TestRawOfMiddlewareIsEncoded(t *testing.T) {
	var raw wire.Raw
	s := newServer(&Options{Anonymous: true, Middleware: []Middleware{func(next Handler) Handler {
		return func(ctx context.Context, c *Call) (wire.Encodable, error) {
			if result, err := next(ctx, c); err != nil || raw == nil {
				return result, err
			}
			return raw, nil
		}
	}}})
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("x")))
	tools := func(member string) wire.Raw {
		return wire.Raw(`{"tools":[{"name":"b","title":"B","inputSchema":{"type":"object"}}],"ttlMs":7,"cacheScope":"public"` + member + `}`)
	}
	structured := wire.Raw(`{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1},"mine":2}`)
	old, now := newClient(t, s, mcp.V2025_03_26, `{}`), newClient(t, s, mcp.V2026_07_28, `{}`)
	raw = tools("")
	equal(t, "an older list", old.Must("tools/list", ``), `{"tools":[{"name":"b","inputSchema":{"type":"object"}}]}`)
	equal(t, "a newer list", now.Must("tools/list", ``),
		`{"resultType":"complete","ttlMs":7,"cacheScope":"public","tools":[{"name":"b","title":"B","inputSchema":{"type":"object"}}]}`)
	raw = structured
	equal(t, "an older result", old.Must("tools/call", `{"name":"a"}`), `{"content":[{"type":"text","text":"x"}],"mine":2}`)
	equal(t, "a newer result", now.Must("tools/call", `{"name":"a"}`),
		`{"resultType":"complete","content":[{"type":"text","text":"x"}],"structuredContent":{"a":1},"mine":2}`)
	for _, bad := range append(badRaws, tools(`,"tools":[]`), tools(`},{`), wire.Raw(`{"tools":[{}]}`), wire.Raw(`{"tools":7}`), wire.Raw(`[]`), wire.Raw(``)) {
		raw = bad
		for _, c := range []*client{old, now} {
			contains(t, string(bad), c.Fails("tools/list", ``, codeInternal).Message, "cannot be sent")
		}
	}
	raw = nil
	contains(t, "the server's own list", now.Must("tools/list", ``), `"name":"a"`)
}
