package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func noTemplate(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
	return nil, nil
}
func noMatch(string) (map[string]string, bool) { return nil, false }
func noCompleter(context.Context, *Call, string, map[string]string) ([]string, error) {
	return nil, nil
}

// What is wrong with what a program registers, an error says where it is registered.
func TestMistakes(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, noPrompt))
	icons := []mcp.Icon{{Src: "no URI"}}
	for want, err := range map[string]error{
		`server: AddTool: the tool has no name`:                            s.AddTool(mcp.Tool{}, says("")),
		`server: AddTool: tool "t" has no handler`:                         s.AddTool(mcp.Tool{Name: "t"}, nil),
		`server: AddTool: tool "t": output schema: want object, got array`: s.AddTool(mcp.Tool{Name: "t", OutputSchema: wire.Raw(`[]`)}, says("")),
		`server: AddTool: tool "t": icons[0]: `:                            s.AddTool(mcp.Tool{Name: "t", Icons: icons}, says("")),

		`server: AddPrompt: the prompt has no name`:                                                    s.AddPrompt(mcp.Prompt{}, noPrompt),
		`server: AddPrompt: prompt "q" has no handler`:                                                 s.AddPrompt(mcp.Prompt{Name: "q"}, nil),
		`server: AddPrompt: prompt "q": icons[0]: `:                                                    s.AddPrompt(mcp.Prompt{Name: "q", Icons: icons}, noPrompt),
		`server: AddPrompt: prompt "p": there is one already; remove it first, or choose another name`: s.AddPrompt(mcp.Prompt{Name: "p"}, noPrompt),

		`server: AddResource: resource "a:b" has no name`:    s.AddResource(mcp.Resource{URI: "a:b"}, noResource),
		`server: AddResource: resource "a:b" has no handler`: s.AddResource(mcp.Resource{URI: "a:b", Name: "r"}, nil),
		`server: AddResource: resource "a:b": icons[0]: `:    s.AddResource(mcp.Resource{URI: "a:b", Name: "r", Icons: icons}, noResource),
		`server: AddResource: resource "a:b": annotations: `: s.AddResource(mcp.Resource{URI: "a:b", Name: "r", Annotations: &mcp.Annotations{LastModified: "today"}}, noResource),

		`server: AddTemplate: the template has no URI template`:                              s.AddTemplate(mcp.ResourceTemplate{Name: "t"}, noMatch, noTemplate),
		`server: AddTemplate: template "a:{b}" has no name`:                                  s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{b}"}, noMatch, noTemplate),
		`server: AddTemplate: template "a:{b}" has no matcher`:                               s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "t"}, nil, noTemplate),
		`server: Add: tool "t" has a func(string) as its handler, want a server.ToolHandler`: s.Add(Item{Definition: &mcp.Tool{Name: "t"}, Handler: func(string) {}}),
		`server: Add: tool "t" has no handler`:                                               s.Add(Item{Definition: &mcp.Tool{Name: "t"}}),
		`server: AddTemplate: template "a:{c}" has no handler`:                               s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{c}", Name: "t"}, noMatch, nil),
		`server: AddTemplate: template "a:{b}": icons[0]: `:                                  s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "t", Icons: icons}, noMatch, noTemplate),
		`server: Add: template "a:{b}": scope "x:{c}": what is in braces must be`:            s.Add(Item{Definition: &mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "t"}, Match: noMatch, Handler: TemplateHandler(noTemplate), Access: Access{Scopes: []string{"x:{c}"}}}),

		`server: CompletePrompt: prompt "q": there is none; add it first`:                                       s.CompletePrompt("q", "x", noCompleter),
		`server: CompletePrompt: prompt "p": a completer must have an argument and a function`:                  s.CompletePrompt("p", "", noCompleter),
		`server: CompletePrompt: prompt "p": a completer must have an argument and a function.`:                 s.CompletePrompt("p", "x", nil),
		`server: CompleteTemplate: template "p": there is none; add it first`:                                   s.CompleteTemplate("p", "x", noCompleter),
		`server: SetItems: want a source, got nil`:                                                              s.SetItems(nil),
		`server: SetItems: want a *mcp.Tool, *mcp.Prompt, *mcp.Resource or *mcp.ResourceTemplate, got mcp.Tool`: s.SetItems("s", Item{Definition: mcp.Tool{Name: "t"}, Handler: says("")}),

		`server: AddExtension: extension "search": want a prefix, a slash and a name, such as "com.example/search"`: s.AddExtension(Extension{ID: "search"}),
		`server: AddExtension: the extension a.b/c: settings: want object, got array`:                               s.AddExtension(Extension{ID: "a.b/c", Settings: wire.Raw(`[]`)}),
		`server: AddExtension: the extension a.b/c: "x/y" has no handler`:                                           s.AddExtension(Extension{ID: "a.b/c", Methods: map[string]Handler{"x/y": nil}}),
		`server: AddExtension: an extension without an ID: the method must have a name`:                             s.AddExtension(Extension{Methods: map[string]Handler{"": s.dispatch}}),
		`server: AddMethod: "tools/list" is a method of the protocol; use middleware to handle it differently`:      s.AddMethod("tools/list", s.dispatch),
		`server: AddMethod: "x/y" has no handler`:                                                                   s.AddMethod("x/y", nil),
		`server: AddNotification: "notifications/cancelled" is a method of the protocol`:                            s.AddNotification("notifications/cancelled", func(context.Context, *Call) error { return nil }),
	} {
		want = strings.TrimSuffix(want, ".")
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	for i := range s.Items() {
		if d, ok := i.Definition.(*mcp.Prompt); !ok || d.Name != "p" {
			t.Errorf("the server offers %v", i.Definition)
		}
	}
}

// A method is taken by what has it in the same revisions.
func TestTakenMethods(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddMethod("x/y", s.dispatch))
	add(t, s.AddExtension(Extension{ID: "a.b/c", Methods: map[string]Handler{"x/z": s.dispatch}}))
	add(t, s.AddNotification("x/n", func(context.Context, *Call) error { return nil }))
	for want, err := range map[string]error{
		`server: AddMethod: "x/y" was added before`:                      s.AddMethod("x/y", s.dispatch),
		`server: AddMethod: "x/z" is a method of the extension a.b/c`:    s.AddMethod("x/z", s.dispatch),
		`server: AddExtension: "x/z" is a method of the extension a.b/c`: s.AddExtension(Extension{ID: "a.b/d", Methods: map[string]Handler{"x/z": s.dispatch}}),
		`server: AddNotification: "x/n" was added before`:                s.AddNotification("x/n", func(context.Context, *Call) error { return nil }),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, method := range []string{"x/y", "x/z", "x/n", "tools/call"} {
		if !(&Call{server: s, req: newClient(t, s, mcp.V2025_11_25, `{}`).Request(method, "")}).HasMethod() {
			t.Errorf("the server has no method %s", method)
		}
	}
	if (&Call{server: s, req: newClient(t, s, mcp.V2025_11_25, `{}`).Request("x/unknown", "")}).HasMethod() {
		t.Error("the server has x/unknown")
	}
}

// After Changed, definitions are made again of what was added at first; what Define has made invalid stays as it was.
func TestDefineAgain(t *testing.T) {
	title, spoil := "one", false
	var log strings.Builder
	s := newServer(&Options{
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Define: func(item any) {
			switch d := item.(type) {
			case *mcp.Tool:
				d.Title += title
			case *mcp.Prompt:
				d.Title += title
			case *mcp.Resource:
				d.Title += title
				if spoil {
					d.URI = "changed:"
				}
			case *mcp.ResourceTemplate:
				d.Title += title
			}
		},
	})
	add(t, s.AddTool(mcp.Tool{Name: "t", Title: "the "}, says("")))
	add(t, s.AddPrompt(mcp.Prompt{Name: "p", Title: "the "}, noPrompt))
	add(t, s.AddResource(mcp.Resource{URI: "a:r", Name: "r", Title: "the "}, noResource))
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{t}", Name: "t", Title: "the "}, noMatch, noTemplate))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	titles := func() string {
		var all []string
		for _, list := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			_, title, _ := strings.Cut(c.Must(list, `{}`), `"title":"the `)
			title, _, _ = strings.Cut(title, `"`)
			all = append(all, title)
		}
		return strings.Join(all, " ")
	}
	equal(t, "titles", titles(), "one one one one")
	title = "two"
	equal(t, "titles before Changed", titles(), "one one one one")
	s.Changed(Change{Prompts: true})
	equal(t, "titles", titles(), "one two one one")
	title = "three"
	s.Changed(Change{Tools: true})
	equal(t, "titles", titles(), "three two one one")
	s.Changed(Change{Updated: []string{"a:r"}})
	s.Changed(Change{Resources: true, Relayed: true})
	equal(t, "titles", titles(), "three two one one")
	equal(t, "log", log.String(), "")
	spoil = true
	s.Changed(Change{Resources: true})
	equal(t, "titles", titles(), "three two one three")
	contains(t, "log", log.String(), `an item stays as it was defined before`)
	contains(t, "log", log.String(), `Options.Define has changed the name or URI \"a:r\" to \"changed:\"`)
	spoil, title = false, "four"
	s.Changed(Change{Any: true})
	equal(t, "titles", titles(), "four four four four")
}

// The defaults are those that the documentation names.
func TestDefaults(t *testing.T) {
	o := New(mcp.Implementation{}, nil).Options()
	equal(t, "PageSize, NotifyRate, MaxKept, AskTimeout, StateTTL",
		fmt.Sprintln(o.PageSize, o.NotifyRate, o.MaxKept, o.AskTimeout, o.StateTTL), "1000 100 67108864 10m0s 1h0m0s\n")
	if o.Logger != slog.Default() {
		t.Error("the logger is another one")
	}
	unlimited := New(mcp.Implementation{}, &Options{PageSize: -1, NotifyRate: -1, MaxKept: -1, AskTimeout: -1, StateTTL: -1}).Options()
	for name, n := range map[string]int64{"PageSize": int64(unlimited.PageSize), "NotifyRate": int64(unlimited.NotifyRate),
		"MaxKept": int64(unlimited.MaxKept), "AskTimeout": int64(unlimited.AskTimeout), "StateTTL": int64(unlimited.StateTTL)} {
		if n < 1<<40 {
			t.Errorf("%s: -1 became %d", name, n)
		}
	}
}

// A Setup that fails is a mistake of the program.
func TestSetupFails(t *testing.T) {
	defer func() {
		if p := recover(); p != "server: New: no room" {
			t.Errorf("panic: %v", p)
		}
	}()
	New(mcp.Implementation{}, &Options{Setup: []Setup{func(*Server) error { return errors.New("no room") }}})
}
