package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Items of every kind come and go together, and whoever hears of changes learns which lists have changed.
func TestItemsOfEveryKind(t *testing.T) {
	s := newServer(nil)
	var changes []string
	stop := NewEndpoint(s).OnChange(func(c Change) {
		changes = append(changes, fmt.Sprint(c.Tools, c.Prompts, c.Resources, c.Updated, c.Any, c.Relayed))
	})
	own := Filter{Admit: func(context.Context, *Call, *Item) (bool, error) { return true, nil }, Static: true}
	all := []Item{
		{Definition: &mcp.Tool{Name: "t"}, Handler: says("")},
		{Definition: &mcp.Prompt{Name: "p"}, Handler: PromptHandler(noPrompt), Completers: map[string]Completer{"x": noCompleter}},
		{Definition: &mcp.Resource{URI: "a:r", Name: "r"}, Handler: ResourceHandler(noResource), Filters: []Filter{own}},
		{Definition: &mcp.ResourceTemplate{URITemplate: "a:{t}", Name: "t"}, Handler: TemplateHandler(noTemplate), Match: noMatch},
	}
	kinds := func(most int) (got []string) {
		for i := range s.Items() {
			got = append(got, fmt.Sprintf("%T %v %d %d", i.Definition, i.Source, len(i.Completers), len(i.Filters)))
			if len(got) == most {
				break
			}
		}
		return got
	}
	for n := range all {
		add(t, s.SetItems("one", all[n]))
	}
	equal(t, "changes", strings.Join(changes, "\n"), strings.Join([]string{
		"true false false [] false false", "true true false [] false false", "false true true [] false false", "false false true [] false false"}, "\n"))
	add(t, s.SetItems("one", all...))
	equal(t, "items", strings.Join(kinds(-1), "\n"),
		"*mcp.Tool one 0 0\n*mcp.Prompt one 1 0\n*mcp.Resource one 0 1\n*mcp.ResourceTemplate one 0 0")
	for n := 1; n <= 4; n++ {
		count(t, "items", len(kinds(n)), n)
	}
	changes = nil
	add(t, s.SetItems("two"))
	count(t, "changes", len(changes), 0)
	add(t, s.SetItems("one"))
	equal(t, "changes", strings.Join(changes, "\n"), "true true true [] false false")
	count(t, "items", len(kinds(-1)), 0)

	changes = nil
	add(t, s.AddTool(mcp.Tool{Name: "t"}, says("")))
	add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, noPrompt))
	add(t, s.AddResource(mcp.Resource{URI: "a:r", Name: "r"}, noResource))
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{t}", Name: "t"}, noMatch, noTemplate))
	add(t, s.CompletePrompt("p", "x", noCompleter))
	s.ResourceUpdated("a:r")
	s.Changed(Change{Any: true, Relayed: true})
	for range 2 { // the second time there is nothing to remove
		s.RemoveTools("t")
		s.RemovePrompts("p")
		s.RemoveResources("a:r")
		s.RemoveTemplates("a:{t}")
	}
	stop()
	add(t, s.AddTool(mcp.Tool{Name: "t"}, says("")))
	equal(t, "changes", strings.Join(changes, "\n"), strings.Join([]string{
		"true false false [] false false", "false true false [] false false", "false false true [] false false", "false false true [] false false",
		"false false false [] false false", "false false false [a:r] false false", "false false false [] true true",
		"true false false [] false false", "false true false [] false false", "false false true [] false false", "false false true [] false false"}, "\n"))
}

// What a filter refuses is as if it were not there; an error that it gives is the response.
func TestFilterRefusals(t *testing.T) {
	refusal := errors.New("not on Sundays")
	var show bool
	var refuse error
	s := newServer(&Options{Filters: []Filter{{Admit: func(context.Context, *Call, *Item) (bool, error) { return show, refuse }}}})
	add(t, s.AddTool(mcp.Tool{Name: "t"}, says("ok")))
	add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, noPrompt))
	add(t, s.AddResource(mcp.Resource{URI: "a:r", Name: "r"}, noResource))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	for _, test := range []struct {
		show   bool
		refuse error
		listed bool
		want   string
	}{
		{true, nil, true, ""},
		{true, refusal, true, "not on Sundays"},
		{false, refusal, false, "not on Sundays"},
		{false, nil, false, "unknown"},
		{false, &transport.ScopeError{Scopes: []string{"s"}, Missing: []string{"s"}}, false, "insufficient scope"},
	} {
		show, refuse = test.show, test.refuse
		for list, name := range map[string]string{"tools/list": `"t"`, "prompts/list": `"p"`, "resources/list": `"r"`} {
			if strings.Contains(c.Must(list, `{}`), name) != test.listed {
				t.Errorf("%t, %v: %s", show, refuse, c.Must(list, `{}`))
			}
		}
		for method, params := range map[string]string{"tools/call": `{"name":"t"}`, "prompts/get": `{"name":"p"}`} {
			result, err := c.Call(method, params)
			if err != nil {
				result = err.Message
			}
			if test.want != "" {
				contains(t, method, result, test.want)
			} else if err != nil {
				t.Errorf("%s: %v", method, err)
			}
		}
		if _, err := c.Call("resources/read", `{"uri":"a:r"}`); err == nil || test.want != "" && test.want != "unknown" && !strings.Contains(err.Message, test.want) {
			t.Errorf("resources/read: %v, want %s", err, test.want)
		}
	}
}

// A Call says what the request is about, as far as the server knows it.
func TestCallSays(t *testing.T) {
	var said []string
	s := newServer(&Options{Watch: func(ctx context.Context, c *Call) (context.Context, func(wire.Raw, error)) {
		return ctx, func(wire.Raw, error) {
			said = append(said, fmt.Sprintf("%s %q %t %v %t", c.Method(), c.Name(), c.ToolFailed(), c.RequiredScopes(), c.Progress() != nil))
		}
	}})
	add(t, s.AddTool(mcp.Tool{Name: "ok"}, says("")))
	add(t, s.AddTool(mcp.Tool{Name: "fails"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, errors.New("no") }))
	add(t, s.Add(Item{Definition: &mcp.Prompt{Name: "p"}, Handler: PromptHandler(noPrompt), Access: Access{Scopes: []string{"s"}}}))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	said = nil
	for method, params := range map[string]string{"ping": `{}`} {
		c.Must(method, params)
	}
	c.Must("tools/call", `{"name":"ok"}`)
	c.Token = "7"
	c.Must("tools/call", `{"name":"fails"}`)
	c.Token = ""
	c.Call("tools/call", `{"name":"unknown"}`)
	c.Must("prompts/get", `{"name":"p"}`)
	c.Call("prompts/get", `{"name":"q"}`)
	equal(t, "said", strings.Join(said, "\n"), strings.Join([]string{
		`ping "" false [] false`, `tools/call "ok" false [] false`, `tools/call "fails" true [] true`, `tools/call "" false [] false`,
		`prompts/get "p" false [s] false`, `prompts/get "" false [] false`}, "\n"))
}

// What a program sends to a client before there is a session is an error.
func TestBeforeSession(t *testing.T) {
	s := newServer(&Options{Logging: true})
	c := strangerTo(t, s, mcp.V2025_11_25, `{}`)
	ss := c.session.Session()
	if err := ss.Notify(t.Context(), "x/n", nil); err == nil || err.Error() != "server: notify: no session is open" {
		t.Errorf("Notify: %v", err)
	}
	if err := ss.Ping(t.Context()); err == nil || err.Error() != "server: request: no session is open" {
		t.Errorf("Ping: %v", err)
	}
	if err := ss.ElicitationComplete(t.Context(), "1"); err != nil {
		t.Errorf("ElicitationComplete: %v", err)
	}
	if ss.LogHandler().Enabled(t.Context(), LevelEmergency) {
		t.Error("log messages would be sent")
	}
	if ss.Client() != nil || ss.Capabilities() == nil || ss.Revision() != 0 || (*Session)(nil).ID() != "" {
		t.Errorf("the session has %v, %v, %s", ss.Client(), ss.Capabilities(), ss.Revision())
	}
	for range s.Sessions() {
		t.Error("there is a session")
	}
	count(t, "notifications", len(c.Seen()), 0)

	c.Must("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"2"}}`)
	other := newClient(t, s, mcp.V2025_06_18, `{}`)
	for ss := range s.Sessions() { // of which it sees one
		_ = ss
		break
	}
	if err := ss.ElicitationComplete(t.Context(), "1"); err != nil {
		t.Error(err)
	}
	equal(t, "notified", strings.Join(c.Seen(), ""), `notifications/elicitation/complete {"elicitationId":"1"}`)
	if err := other.session.Session().ElicitationComplete(t.Context(), "1"); err != nil {
		t.Error(err)
	}
	count(t, "notifications of 2025-06-18", len(other.Seen()), 0)
}

// An older client sees what it can: titles where it looks for them, links and recordings as text, and all else unchanged.
func TestDegradeKeeps(t *testing.T) {
	s := newServer(nil)
	notes := &mcp.Annotations{Priority: new(0.5)}
	shared := []mcp.ContentBlock{
		&mcp.TextContent{Text: `{"a":1}`},
		&mcp.AudioContent{MIMEType: "audio/wav", Data: wire.EncodeBase64([]byte("abcd")), Annotations: notes},
		&mcp.ResourceLink{URI: "a:b", Name: "b", Annotations: notes},
	}
	add(t, s.AddTool(mcp.Tool{Name: "own", Title: "T", Annotations: &mcp.ToolAnnotations{Title: "own title"}}, says("")))
	add(t, s.AddTool(mcp.Tool{Name: "t", Title: "T", OutputSchema: wire.Raw(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true)}},
		func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: shared, StructuredContent: wire.Raw(`{"a":1}`)}, nil
		}))
	old := newClient(t, s, mcp.V2024_11_05, `{}`)
	list := newClient(t, s, mcp.V2025_03_26, `{}`).Must("tools/list", `{}`)
	contains(t, "list", list, `"annotations":{"title":"own title"}`)
	contains(t, "list", list, `"annotations":{"title":"T","readOnlyHint":true}`)
	if strings.Contains(list, "outputSchema") {
		t.Errorf("2025-03-26 has %s", list)
	}
	result := old.Must("tools/call", `{"name":"t"}`)
	contains(t, "result", result, `{"type":"text","text":"[audio/wav, 4 bytes, which this client cannot receive]","annotations":{"priority":0.5}}`)
	contains(t, "result", result, `{"type":"text","text":"Resource b: a:b","annotations":{"priority":0.5}}`)
	count(t, "texts of the structured content", strings.Count(result, `{\"a\":1}`), 1)
	for _, rev := range []wire.Revision{mcp.V2025_06_18, mcp.V2026_07_28} {
		c := newClient(t, s, rev, `{}`)
		contains(t, "list", c.Must("tools/list", `{}`), `"outputSchema":{"type":"object"}`)
		result := c.Must("tools/call", `{"name":"t"}`)
		contains(t, "result", result, `"type":"audio"`)
		contains(t, "result", result, `"structuredContent":{"a":1}`)
	}
	if _, ok := shared[1].(*mcp.AudioContent); !ok {
		t.Error("the handler's blocks have changed")
	}
}

// What is added is in the next list, also where it was read before, and its handler may be a plain function.
func TestPlainHandlers(t *testing.T) {
	s := newServer(nil)
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	for list, one := range map[string]Item{
		"tools/list":     {Definition: &mcp.Tool{Name: "one"}, Handler: func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, nil }},
		"prompts/list":   {Definition: &mcp.Prompt{Name: "one"}, Handler: func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) { return nil, nil }},
		"resources/list": {Definition: &mcp.Resource{Name: "one", URI: "a:1"}, Handler: func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) { return nil, nil }},
		"resources/templates/list": {Definition: &mcp.ResourceTemplate{Name: "one", URITemplate: "a:{x}"}, Match: noMatch,
			Handler: func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
				return nil, nil
			}},
	} {
		add(t, s.Add(one))
		contains(t, list, c.Must(list, `{}`), `"name":"one"`)
		switch d := one.Definition.(type) {
		case *mcp.Tool:
			one.Definition = &mcp.Tool{Name: "two"}
		case *mcp.Prompt:
			one.Definition = &mcp.Prompt{Name: "two"}
		case *mcp.Resource:
			one.Definition = &mcp.Resource{Name: "two", URI: d.URI + "2"}
		case *mcp.ResourceTemplate:
			one.Definition = &mcp.ResourceTemplate{Name: "two", URITemplate: d.URITemplate + "2"}
		}
		one.Source = "x"
		add(t, s.Add(one)) // which has no source, whatever it says
		contains(t, list, c.Must(list, `{}`), `"name":"two"`)
	}
	add(t, s.SetItems("x"))
	contains(t, "after the source has nothing", c.Must("tools/list", `{}`), `"name":"two"`)
	for _, wrong := range []Item{{}, {Definition: mcp.Tool{Name: "t"}, Handler: says("")}} {
		if err := s.Add(wrong); err == nil || !strings.Contains(err.Error(), "server: Add: want a *mcp.Tool") {
			t.Errorf("%v: %v", wrong.Definition, err)
		}
	}
}

// All filters must agree, and variants that a caller may have are listed once. Only tools have variants.
func TestFiltersAgree(t *testing.T) {
	admit := func(names ...string) Filter {
		return Filter{Admit: func(_ context.Context, _ *Call, i *Item) (bool, error) {
			return slices.Contains(names, i.Definition.(*mcp.Tool).Name), nil
		}}
	}
	s := newServer(&Options{Filters: []Filter{admit("a", "b", "v"), admit("b", "c", "v")}})
	for _, name := range []string{"a", "b", "c"} {
		add(t, s.AddTool(mcp.Tool{Name: name}, says(name)))
	}
	for _, feature := range []string{"!beta", "beta"} {
		add(t, s.Add(Item{Definition: &mcp.Tool{Name: "v", Description: feature}, Handler: says(feature), Access: Access{Features: []string{feature}}}))
	}
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	list := c.Must("tools/list", `{}`)
	for name, want := range map[string]int{"a": 0, "b": 1, "c": 0, "v": 1} {
		count(t, name, strings.Count(list, `"name":"`+name+`"`), want)
	}
	contains(t, "the first variant", c.Must("tools/call", `{"name":"v"}`), "!beta")
	for n, feature := range []string{"beta", "!beta"} { // in either order
		err := s.Add(Item{Definition: &mcp.Prompt{Name: "p"}, Handler: PromptHandler(noPrompt), Access: Access{Features: []string{feature}}})
		if (err == nil) != (n == 0) {
			t.Errorf("prompt %d: %v", n, err)
		}
		add(t, s.Add(Item{Definition: &mcp.Tool{Name: "w"}, Handler: says(feature), Access: Access{Features: []string{feature}}}))
	}
}
