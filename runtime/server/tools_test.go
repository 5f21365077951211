package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ TOOL-04, TOOL-05, TOOL-06, JRPC-09
func TestListTools(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{
		Name: "b", Title: "B", Description: "does b",
		InputSchema: wire.Raw(`{"type":"object","properties":{"x":{"type":"integer"}},"$defs":{"y":{}}}`),
	}, says("b")))
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{}`)
		title := `,"title":"B"`
		annotations := ""
		switch rev {
		case mcp.V2024_11_05:
			title = ""
		case mcp.V2025_03_26:
			title, annotations = "", `,"annotations":{"title":"B"}`
		}
		// REQ TOOL-03: in the order of the names.
		equal(t, "list", bare(c.Must("tools/list", `{}`)),
			`{"tools":[{"name":"a","inputSchema":{"type":"object","additionalProperties":false}},{"name":"b"`+title+`,"description":"does b",`+
				`"inputSchema":{"type":"object","properties":{"x":{"type":"integer"}},"$defs":{"y":{}}}`+annotations+`}]}`)
	})
}

func TestCallTool(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "echo"}, func(_ context.Context, _ *Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return TextResult(string(args)), nil
	}))
	add(t, s.AddTool(mcp.Tool{Name: "nothing"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, nil }))
	add(t, s.AddTool(mcp.Tool{Name: "object"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: wire.Raw(`{"n":1e400}`)}, nil
	}))
	add(t, s.AddTool(mcp.Tool{Name: "fails"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, errors.New("no such city")
	}))
	add(t, s.AddTool(mcp.Tool{Name: "silent"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, errors.New("")
	}))
	add(t, s.AddTool(mcp.Tool{Name: "refuses"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("wrapped: %w", &jsonrpc.Error{Code: 7, Message: "no", Data: wire.Raw(`[1]`)})
	}))
	add(t, s.AddTool(mcp.Tool{Name: "panics"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { panic("secret") }))
	add(t, s.AddTool(mcp.Tool{Name: "cannot"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{nil}}, nil
	}))
	add(t, s.AddTool(mcp.Tool{Name: "picky"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, &ArgumentError{Problems: []string{"days: want at most 14, got 20", "city: required, but absent"}}
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{}`)
		call := func(params, want string) {
			t.Helper()
			equal(t, params, bare(c.Must("tools/call", params)), want)
		}
		// REQ TOOL-13, TOOL-14
		call(`{"name":"echo","arguments":{"b":1,"a":1.0}}`, `{"content":[{"type":"text","text":"{\"b\":1,\"a\":1.0}"}]}`)
		call(`{"name":"echo"}`, `{"content":[{"type":"text","text":"{}"}]}`)
		call(`{"name":"nothing"}`, `{"content":[]}`)
		// REQ TOOL-12
		structured := `,"structuredContent":{"n":1e400}`
		if rev < mcp.V2025_06_18 {
			structured = ""
		}
		call(`{"name":"object"}`, `{"content":[{"type":"text","text":"{\"n\":1e400}"}]`+structured+`}`)
		// REQ TOOL-20
		call(`{"name":"silent"}`, `{"content":[{"type":"text","text":"the tool failed"}],"isError":true}`)
		call(`{"name":"fails"}`, `{"content":[{"type":"text","text":"no such city"}],"isError":true}`)
		// REQ JRPC-10
		err := c.Fails("tools/call", `{"name":"refuses"}`, 7)
		equal(t, "refuses", err.Message+string(err.Data), "no[1]")
		// REQ JRPC-21, LOG-07
		equal(t, "panics", c.Fails("tools/call", `{"name":"panics"}`, codeInternal).Message, "internal error")
		contains(t, "cannot", c.Fails("tools/call", `{"name":"cannot"}`, codeInternal).Message, "content[0]")
		// REQ TOOL-16
		equal(t, "unknown", c.Fails("tools/call", `{"name":"Echo"}`, codeInvalidParams).Message, `unknown tool "Echo"`)
		// REQ JRPC-20
		c.Fails("tools/call", `{}`, codeInvalidParams)
		c.Fails("tools/call", `{"name":7}`, codeInvalidParams)
		c.Fails("tools/call", `{"name":"echo","arguments":[1]}`, codeInvalidParams)
		// REQ TOOL-17, TOOL-18
		call(`{"name":"picky"}`, `{"content":[{"type":"text","text":"days: want at most 14, got 20\ncity: required, but absent"}],"isError":true}`)
	})
}

// A tool that breaks its promise is the programmer's business, too, not that of the model alone.
func TestBrokenPromise(t *testing.T) {
	for _, broken := range []error{&args.ResultError{Path: "unit", Msg: "want one of"}, args.ErrNoResult} {
		var log strings.Builder
		s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		add(t, s.AddTool(mcp.Tool{Name: "forecast"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
			return nil, broken
		}))
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		contains(t, "result", c.Must("tools/call", `{"name":"forecast"}`), `"isError":true`)
		contains(t, "log", log.String(), "tool=forecast error="+strconv.Quote(broken.Error()))
	}
}

func TestAddTool(t *testing.T) {
	s := newServer(nil)
	schema := func(s string) mcp.Tool { return mcp.Tool{Name: "a", InputSchema: wire.Raw(s)} }
	header := func(s string) mcp.Tool { return schema(`{"type":"object","properties":` + s + `}`) }
	for _, test := range []struct {
		tool mcp.Tool
		run  ToolHandler
		want string
	}{
		{mcp.Tool{}, says(""), "the tool has no name"},
		{mcp.Tool{Name: "a"}, nil, `tool "a" has no handler`},
		// REQ TOOL-05
		{schema(`true`), says(""), `tool "a": input schema: want object, got boolean`},
		{schema(`{"type":"object"`), says(""), `tool "a": input schema: `},
		{schema(`{}`), says(""), `tool "a": input schema: want type "object", got ""`},
		{schema(`{"type":"array"}`), says(""), `tool "a": input schema: want type "object", got "array"`},
		{mcp.Tool{Name: "a", OutputSchema: wire.Raw(`[]`)}, says(""), `tool "a": output schema: want object, got array`},
		// REQ XHDR-01
		{header(`{"x":{"type":"string","x-mcp-header":"Region"},"y":{"type":"object","properties":{"z":{"type":"boolean","x-mcp-header":"Z"}}}}`), says(""), ""},
		{header(`{"x-mcp-header":{"type":"number"}}`), says(""), ""},
		{header(`{"x":{"type":"object","default":{"x-mcp-header":1}}}`), says(""), ""},
		// REQ XHDR-03
		{header(`{"x":{"type":"string","x-mcp-header":""}}`), says(""), `/x: x-mcp-header: want a header name, got `},
		{header(`{"x":{"type":"string","x-mcp-header":"a b"}}`), says(""), `/x: x-mcp-header: want a header name, got a b`},
		{header(`{"x":{"type":"string","x-mcp-header":"A"},"y":{"type":"string","x-mcp-header":"a"}}`), says(""), `/y: x-mcp-header: the header "a" is also that of /x`},
		// REQ XHDR-04
		{header(`{"x":{"type":"number","x-mcp-header":"A"}}`), says(""), `/x: x-mcp-header: want a property of type string, integer or boolean, got number`},
		// REQ XHDR-05
		{header(`{"x":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}`), says(""), `/x/items: x-mcp-header: want it on a property that only properties lead to`},
		{header(`{"x":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}}`), says(""), `/x/anyOf: x-mcp-header: want it on a property that only properties lead to`},
		{schema(`{"type":"object","x-mcp-header":"A"}`), says(""), `: x-mcp-header: want it on a property that only properties lead to`},
		// REQ TOOL-21
		{mcp.Tool{Name: "Ünüsual name"}, says(""), ""},
		{mcp.Tool{Name: strings.Repeat("a", 65)}, says(""), ""},
		{mcp.Tool{Name: strings.Repeat("a", 128)}, says(""), ""},
		{mcp.Tool{Name: strings.Repeat("a", 129)}, says(""), ""},
	} {
		err := s.AddTool(test.tool, test.run)
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.tool.InputSchema, err)
			}
			s.RemoveTools(test.tool.Name)
		} else if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.tool.InputSchema, err, test.want)
		}
	}
}

func TestRemoveTools(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("1")))
	s.RemoveTools("a")
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("2")))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	contains(t, "replaced", c.Must("tools/call", `{"name":"a"}`), `"2"`)
	contains(t, "list", c.Must("tools/list", `{}`), `"name":"a"`)
	s.RemoveTools("a", "b")
	c.Fails("tools/call", `{"name":"a"}`, codeInvalidParams)
	equal(t, "list", c.Must("tools/list", `{}`), `{"tools":[]}`) // the capability stays declared
}

// Without a rule everybody sees everything.
func TestAllIsVisible(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
	add(t, s.AddPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "x"}}}, noPrompt))
	add(t, s.CompletePrompt("p", "x", func(context.Context, *Call, string, map[string]string) ([]string, error) { return []string{"y"}, nil }))
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	contains(t, "list", c.Must("tools/list", `{}`), `"name":"a"`)
	contains(t, "call", c.Must("tools/call", `{"name":"a"}`), `"text":"a"`)
	contains(t, "values", c.Must("completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":""}}`), `"values":["y"]`)
}

// REQ TOOL-16, TOOL-26, STATE-13, COMP-06: what is hidden stands in no list and is unknown by name, in every revision.
func TestVisible(t *testing.T) {
	s := newServer(&Options{
		Cache: Cache{Tools: CacheHint{Public: true}},
		Filters: visible(func(_ context.Context, c *Call, item any) bool {
			if c.Principal() == "root" {
				return true
			}
			switch v := item.(type) {
			case *mcp.Tool:
				return v.Name != "hidden"
			case *mcp.Prompt:
				return v.Name != "hidden"
			case *mcp.Resource:
				return v.URI != "x:hidden"
			case *mcp.ResourceTemplate:
				return v.URITemplate != "h:{x}"
			}
			return false
		}),
	})
	for _, name := range []string{"shown", "hidden"} {
		add(t, s.AddTool(mcp.Tool{Name: name}, says(name)))
		add(t, s.AddPrompt(mcp.Prompt{Name: name, Arguments: []mcp.PromptArgument{{Name: "x"}}}, noPrompt))
		add(t, s.AddResource(mcp.Resource{URI: "x:" + name, Name: name}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
			return TextResource("", name), nil
		}))
		add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: name[:1] + ":{x}", Name: name}, prefix(name[:1]+":"),
			func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
				return TextResource("", name), nil
			}))
		add(t, s.CompletePrompt(name, "x", func(context.Context, *Call, string, map[string]string) ([]string, error) { return nil, nil }))
	}
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		for _, principal := range []string{"root", ""} {
			c := newClient(t, s, rev, `{}`)
			c.Principal = principal
			for _, list := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
				got := c.Must(list, `{}`)
				contains(t, list, got, "shown")
				if strings.Contains(got, "hidden") != (principal == "root") {
					t.Errorf("%s for %q: %s", list, principal, got)
				}
				if strings.Contains(got, "public") { // REQ CACHE-11
					t.Errorf("%s: a filtered list must not be shared: %s", list, got)
				}
			}
			for _, r := range []struct{ method, params string }{
				{"tools/call", `{"name":"hidden"}`},
				{"prompts/get", `{"name":"hidden"}`},
				{"resources/read", `{"uri":"x:hidden"}`},
				{"resources/read", `{"uri":"h:1"}`},
				{"completion/complete", `{"ref":{"type":"ref/prompt","name":"hidden"},"argument":{"name":"x","value":""}}`},
				{"completion/complete", `{"ref":{"type":"ref/resource","uri":"h:{x}"},"argument":{"name":"x","value":""}}`},
				{"completion/complete", `{"ref":{"type":"ref/resource","uri":"x:hidden"},"argument":{"name":"x","value":""}}`},
			} {
				if _, err := c.Call(r.method, r.params); (err == nil) != (principal == "root") {
					t.Errorf("%s %s for %q: %v", r.method, r.params, principal, err)
				}
			}
		}
	})
}

// prefix matches URIs that begin with p; what follows is x.
func prefix(p string) Matcher {
	return func(uri string) (map[string]string, bool) {
		x, ok := strings.CutPrefix(uri, p)
		return map[string]string{"x": x}, ok
	}
}

// The handler of an item is inside the wrappers of the options, and a tool that runs as an extension says is offered with it.
func TestHandlerOfItem(t *testing.T) {
	wrapped := 0
	s := newServer(&Options{WrapTools: []ToolWrapper{func(_ *mcp.Tool, next ToolHandler) (ToolHandler, error) {
		return func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
			wrapped++
			return next(ctx, c, args)
		}, nil
	}}})
	tasks := mcp.Tool{Name: "t", Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}}
	if err := s.AddTool(tasks, says("")); err == nil || !strings.Contains(err.Error(), "no extension of the server runs tools so") {
		t.Errorf("got %v", err)
	}
	add(t, s.AddExtension(Extension{ID: "a.b/c", Tool: func(_ *mcp.Tool, next ToolHandler) (ToolHandler, error) { return next, nil }}))
	add(t, s.AddTool(tasks, says("")))
	for i := range s.Items() {
		if _, err := i.Handler.(ToolHandler)(t.Context(), nil, nil); err != nil {
			t.Error(err)
		}
	}
	count(t, "wrapped", wrapped, 1)
}
