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

// A subscription needs the scopes of the resources that it names, and of what it asks extensions for, each once and not more
// than the response can name.
//
// REQ AUTH26-09
func TestScopesOfSubscriptions(t *testing.T) {
	s := newServer(&Options{OnSubscribe: func(context.Context, *Call, string) error { return nil }})
	for n := range 3 {
		uri := fmt.Sprint("a:", n)
		add(t, s.Add(Item{Definition: &mcp.Resource{URI: uri, Name: uri}, Handler: ResourceHandler(noResource), Access: Access{Scopes: []string{"read", uri}}}))
	}
	add(t, s.AddExtension(Extension{ID: "com.example/silent", Scopes: func(context.Context, *Call) []string { return []string{"never"} }}))
	add(t, s.AddExtension(Extension{Listen: func(context.Context, *Call, wire.Extra, *Subscription) (wire.Extra, error) { return nil, nil }}))
	add(t, s.AddExtension(Extension{
		ID:     "com.example/news",
		Listen: func(context.Context, *Call, wire.Extra, *Subscription) (wire.Extra, error) { return nil, nil },
		Scopes: func(_ context.Context, c *Call) []string { return []string{"read", "news"} },
	}))
	many := make([]string, 150)
	for n := range many {
		uri := fmt.Sprint("m:", n)
		many[n] = fmt.Sprintf("%q", uri)
		add(t, s.Add(Item{Definition: &mcp.Resource{URI: uri, Name: uri}, Handler: ResourceHandler(noResource), Access: Access{Scopes: []string{uri}}}))
	}
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	c.Address = "192.0.2.1:5"
	for _, test := range []struct{ filter, want string }{
		{`{}`, ""},
		{`{"resourceSubscriptions":["a:0","a:1","a:0"]}`, "read a:0 a:1"},
		{`{"com.example/news":true}`, "read news"},
		{`{"resourceSubscriptions":["a:2"],"com.example/news":true}`, "read a:2 news"},
		{`7`, ""},
	} {
		scopes, err := NewEndpoint(s).Scopes(t.Context(), c.Request("subscriptions/listen", `{"notifications":`+test.filter+`}`))
		if strings.Join(scopes, " ") != test.want || (err != nil) != (test.want != "") {
			t.Errorf("%s: got %q, %v, want %s", test.filter, scopes, err, test.want)
		}
	}
	scopes, err := NewEndpoint(s).Scopes(t.Context(), c.Request("subscriptions/listen", `{"notifications":{"resourceSubscriptions":[`+strings.Join(many, ",")+`],"com.example/news":true}}`))
	if _, lacks := errors.AsType[*transport.ScopeError](err); !lacks || len(scopes) != maxListenScopes || scopes[maxListenScopes-1] != "m:99" {
		t.Errorf("got %d scopes, %v", len(scopes), err)
	}
	// Transports ask only where there may be scopes.
	none := newServer(nil)
	for _, e := range []Extension{
		{Methods: map[string]Handler{"x/free": none.dispatch}},
		{ID: "com.example/x", Methods: map[string]Handler{"x/guarded": none.dispatch}, Scopes: func(context.Context, *Call) []string { return nil }},
	} {
		add(t, none.AddExtension(e))
	}
	for method, want := range map[string]bool{"x/free": false, "x/guarded": true, "subscriptions/listen": false, "tools/call": false} {
		if got := NewEndpoint(none).Scoped(method); got != want {
			t.Errorf("Scoped(%s) is %t", method, got)
		}
	}
	add(t, none.AddExtension(Extension{ID: "com.example/x", Scopes: func(context.Context, *Call) []string { return nil },
		Listen: func(context.Context, *Call, wire.Extra, *Subscription) (wire.Extra, error) { return nil, nil }}))
	for method, want := range map[string]bool{"x/guarded": false, "subscriptions/listen": true} {
		if got := NewEndpoint(none).Scoped(method); got != want {
			t.Errorf("after it was replaced, Scoped(%s) is %t", method, got)
		}
	}
}

// An extension that is replaced leaves nothing behind, and one that is refused changes nothing.
func TestExtensionsComeAndGo(t *testing.T) {
	s := newServer(nil)
	var changes []Change
	NewEndpoint(s).OnChange(func(c Change) { changes = append(changes, c) })
	does := func(name string) map[string]Handler {
		return map[string]Handler{name: func(context.Context, *Call) (wire.Encodable, error) { return wire.Raw(`{"by":"` + name + `"}`), nil }}
	}
	add(t, s.AddExtension(Extension{ID: "a.b/c", Methods: does("x/old"), Settings: wire.Raw(`{"v":1}`), Value: 7}))
	count(t, "changes", len(changes), 0)
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(_ context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return TextResult(fmt.Sprint(c.Extended("a.b/c"), c.Extended("a.b/none"))), nil
	}))
	changes = nil
	c := newClient(t, s, mcp.V2025_11_25, `{"extensions":{"a.b/c":{}}}`)
	contains(t, "old", c.Must("x/old", `{}`), "x/old")
	contains(t, "value", c.Must("tools/call", `{"name":"t"}`), "7 <nil>")
	taken := Extension{ID: "a.b/d", Methods: map[string]Handler{"x/old": s.dispatch, "x/other": s.dispatch}, Tool: func(*mcp.Tool, ToolHandler) (ToolHandler, error) { return nil, errors.New("no") }}
	if err := s.AddExtension(taken); err == nil {
		t.Error("a method was taken twice")
	}
	c.Fails("x/other", `{}`, codeNotFound)
	add(t, s.AddTool(mcp.Tool{Name: "u"}, says("u")))
	changes = nil
	refused := Extension{ID: "a.b/d", Methods: does("x/other"), Scopes: func(context.Context, *Call) []string { return nil }, Tool: func(tool *mcp.Tool, next ToolHandler) (ToolHandler, error) {
		if tool.Name == "t" {
			return nil, errors.New("no")
		}
		return says("wrapped"), nil
	}}
	if err := s.AddExtension(refused); err == nil {
		t.Error("a wrapper that fails was accepted")
	}
	contains(t, "another tool", c.Must("tools/call", `{"name":"u"}`), `"u"`)
	if NewEndpoint(s).Scoped("x/other") {
		t.Error("what was refused leaves its scopes behind")
	}
	c.Fails("x/other", `{}`, codeNotFound)
	contains(t, "value", c.Must("tools/call", `{"name":"t"}`), "7")
	count(t, "changes", len(changes), 0)
	add(t, s.AddExtension(Extension{ID: "a.b/c", Methods: does("x/new"), Filter: &Filter{Admit: func(context.Context, *Call, *Item) (bool, error) { return true, nil }}}))
	count(t, "changes", len(changes), 1)
	contains(t, "new", c.Must("x/new", `{}`), "x/new")
	c.Fails("x/old", `{}`, codeNotFound)
	if has := (&Call{server: s, req: c.Request("x/old", "")}).HasMethod(); has {
		t.Error("the method of the one that was replaced is still there")
	}
	later := newClient(t, s, mcp.V2025_11_25, `{}`)
	later.Fails("x/new", `{}`, codeNotFound) // for a client that does not declare it
	contains(t, "discover", newClient(t, s, mcp.V2026_07_28, `{}`).Must("server/discover", `{}`), `"extensions":{"a.b/c":{}}`)
	if got := slices.Collect(s.methods.in(mcp.V2025_11_25)); len(got) != 1 || got[0].String() != "the extension a.b/c" {
		t.Errorf("the extensions are %v", got)
	}
}

// Two extensions may have a method in revisions that follow one another.
func TestExtensionsOfDifferentRevisions(t *testing.T) {
	for _, test := range []struct {
		a, b Extension
		both bool
	}{
		{Extension{Through: mcp.V2025_03_26}, Extension{Since: mcp.V2025_06_18}, true},
		{Extension{Through: mcp.V2025_06_18}, Extension{Since: mcp.V2025_06_18}, false},
		{Extension{Since: mcp.V2025_06_18}, Extension{Through: mcp.V2025_06_18}, false},
		{Extension{Since: mcp.V2025_11_25}, Extension{Through: mcp.V2025_06_18}, true},
		{Extension{Since: mcp.V2025_03_26, Through: mcp.V2025_06_18}, Extension{Since: mcp.V2025_11_25, Through: mcp.V2026_07_28}, true},
		{Extension{}, Extension{Since: mcp.V2026_07_28}, false},
	} {
		s := newServer(nil)
		for n, e := range []Extension{test.a, test.b} {
			e.Methods = map[string]Handler{"x/m": s.dispatch}
			if err := s.AddExtension(e); (err == nil) != (n == 0 || test.both) {
				t.Errorf("%s to %s, then %s to %s: %v", test.a.Since, test.a.Through, test.b.Since, test.b.Through, err)
			}
		}
	}
}

// An extension whose wrapper fails takes nothing with it that was added before it failed, and what it was to replace is back in
// its place.
func TestRefusedExtensionTakesNothing(t *testing.T) {
	says := func(id string) func(*mcp.Tool, ToolHandler) (ToolHandler, error) {
		return func(_ *mcp.Tool, next ToolHandler) (ToolHandler, error) {
			return func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
				r, err := next(ctx, c, args)
				if err != nil {
					return nil, err
				}
				return TextResult(id + r.Content[0].(*mcp.TextContent).Text), nil
			}, nil
		}
	}
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return TextResult("."), nil }))
	add(t, s.AddExtension(Extension{ID: "a.b/outer", Tool: says("o")}))
	add(t, s.AddExtension(Extension{ID: "a.b/inner", Tool: says("i")}))
	for _, id := range []string{"a.b/outer", "a.b/new"} {
		err := s.AddExtension(Extension{ID: id, Tool: func(*mcp.Tool, ToolHandler) (ToolHandler, error) {
			add(t, s.AddMethod("x/"+id, func(context.Context, *Call) (wire.Encodable, error) { return wire.Raw(`{"by":"me"}`), nil }))
			return nil, errors.New("no")
		}})
		if err == nil {
			t.Errorf("%s: a wrapper that fails was accepted", id)
		}
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		contains(t, id, c.Must("tools/call", `{"name":"t"}`), `"oi."`)
		contains(t, id, c.Must("x/"+id, `{}`), "me")
	}
}

// The filter and the wrapper of an extension go with it when it is replaced by one without.
func TestReplacedExtensionLetsGo(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return TextResult("its own"), nil }))
	add(t, s.AddExtension(Extension{ID: "a.b/c", Tool: func(*mcp.Tool, ToolHandler) (ToolHandler, error) {
		return func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return TextResult("wrapped"), nil }, nil
	}}))
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	contains(t, "with a wrapper", c.Must("tools/call", `{"name":"t"}`), "wrapped")
	add(t, s.AddExtension(Extension{ID: "a.b/c", Filter: &Filter{Admit: func(context.Context, *Call, *Item) (bool, error) { return false, nil }}}))
	c.Fails("tools/call", `{"name":"t"}`, codeInvalidParams)
	var changes []Change
	defer NewEndpoint(s).OnChange(func(c Change) { changes = append(changes, c) })()
	add(t, s.AddExtension(Extension{ID: "a.b/c"}))
	contains(t, "with neither", c.Must("tools/call", `{"name":"t"}`), "its own")
	count(t, "changes", len(changes), 1)
}

// An extension that is added while items are being made is around these, too: here by the wrapper of another one, in the middle
// of each way to add a tool.
func TestExtensionAddedMeanwhile(t *testing.T) {
	for name, offer := range map[string]func(s *Server, i Item) error{
		"Add":      func(s *Server, i Item) error { return s.Add(i) },
		"SetItems": func(s *Server, i Item) error { return s.SetItems("source", i) },
		"Changed": func(s *Server, i Item) error {
			if err := s.Add(i); err != nil {
				return err
			}
			s.Changed(Change{Tools: true})
			return nil
		},
	} {
		meanwhile := func() {}
		s := newServer(&Options{Define: func(any) {}})
		add(t, s.AddExtension(Extension{ID: "a.b/first", Tool: func(_ *mcp.Tool, next ToolHandler) (ToolHandler, error) {
			f := meanwhile
			meanwhile = func() {}
			f()
			return next, nil
		}}))
		guard := func() {
			_, _, err := s.methods.put(&Extension{ID: "a.b/guard", Tool: func(*mcp.Tool, ToolHandler) (ToolHandler, error) {
				return func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return TextResult("guarded"), nil }, nil
			}})
			add(t, err)
		}
		if meanwhile = guard; name == "Changed" {
			meanwhile = func() { meanwhile = guard } // not when it is added, but when it is made again
		}
		add(t, offer(s, Item{Definition: &mcp.Tool{Name: "t"}, Handler: func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return TextResult("open"), nil }}))
		contains(t, name, newClient(t, s, mcp.V2026_07_28, `{}`).Must("tools/call", `{"name":"t"}`), "guarded")
	}
}
