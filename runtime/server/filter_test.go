package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What a filter decides holds for lists and for requests that name an item, of every kind, in every revision.
//
// REQ STATE-13, TOOL-26
func TestFilter(t *testing.T) {
	var show, alike bool
	var refuse error
	for _, alike = range []bool{false, true} {
		s := newServer(&Options{
			Cache: Cache{Tools: CacheHint{Public: true}},
			Filters: []Filter{
				{Concerns: func(*Item) bool { return false }, Admit: func(context.Context, *Call, *Item) (bool, error) {
					t.Error("a filter is asked about what does not concern it")
					return false, nil
				}},
				{Static: alike, Admit: func(context.Context, *Call, *Item) (bool, error) { return show, refuse }},
			},
		})
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("done")))
		add(t, s.AddPrompt(mcp.Prompt{Name: "a"}, noPrompt))
		read := func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
			return TextResource("", "done"), nil
		}
		add(t, s.AddResource(mcp.Resource{URI: "x:a", Name: "a"}, read))
		add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "y:{a}", Name: "a"}, prefix("y:"), func(ctx context.Context, c *Call, uri string, _ map[string]string) (*mcp.ReadResourceResult, error) {
			return read(ctx, c, uri)
		}))
		requests := map[string]string{
			`tools/call {"name":"a"}`: "unknown tool", `prompts/get {"name":"a"}`: "unknown prompt",
			`resources/read {"uri":"x:a"}`: "not found", `resources/read {"uri":"y:1"}`: "not found",
		}
		everyRevision(t, func(t *testing.T, rev wire.Revision) {
			c := newClient(t, s, rev, `{}`)
			for _, show = range []bool{true, false} {
				for _, refuse = range []error{nil, errors.New("not today")} {
					s.Changed(Change{Any: true})
					for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
						if list := c.Must(method, `{}`); strings.Contains(list, `"name":"a"`) != show {
							t.Errorf("%v, %v: %s: %s", show, refuse, method, list)
						}
					}
					if public := strings.Contains(c.Must("tools/list", `{}`), `"public"`); rev >= mcp.Modern && public != alike {
						t.Errorf("the list is public: %v", public)
					}
					for request, unknown := range requests {
						method, params, _ := strings.Cut(request, " ")
						result, err := c.Call(method, params)
						got := result + fmt.Sprint(err)
						switch {
						case refuse != nil:
							contains(t, request, got, "not today")
						case !show:
							contains(t, request, got, unknown)
						case err != nil:
							t.Errorf("%s: %v", request, err)
						}
					}
				}
			}
		})
	}
}

// Without [Server.Changed] the pages of a list whose filters are static stay as they are; other lists are made anew.
func TestFilterStatic(t *testing.T) {
	for _, alike := range []bool{false, true} {
		var hidden atomic.Bool
		s := newServer(&Options{Filters: []Filter{{Static: alike, Admit: func(context.Context, *Call, *Item) (bool, error) { return !hidden.Load(), nil }}}})
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("")))
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		listed := func() bool { return strings.Contains(c.Must("tools/list", `{}`), `"name":"a"`) }
		if !listed() {
			t.Error("the tool is hidden")
		}
		hidden.Store(true)
		if listed() != alike {
			t.Errorf("static %v: listed %v", alike, !alike)
		}
		s.Changed(Change{Tools: true})
		if listed() {
			t.Error("the list is that from before the change")
		}
	}
}

// A filter that is about scopes refuses a request before middleware sees it, with the scopes of the item.
func TestFilterScopes(t *testing.T) {
	seen := false
	s := newServer(&Options{
		Filters: []Filter{{
			Concerns: func(i *Item) bool { return i.Match != nil },
			Admit: func(_ context.Context, c *Call, i *Item) (bool, error) {
				if i.Vars["x"] == "" || i.Vars["x"] == c.Principal() {
					return true, nil
				}
				return true, &transport.ScopeError{Scopes: []string{"others"}, Missing: []string{"others"}}
			},
		}},
		Middleware: []Middleware{func(next Handler) Handler {
			return func(ctx context.Context, c *Call) (wire.Encodable, error) {
				seen = seen || c.Method() == "resources/read"
				return next(ctx, c)
			}
		}},
	})
	add(t, s.Add(Item{Definition: &mcp.ResourceTemplate{URITemplate: "of:{x}", Name: "of"}, Match: prefix("of:"), Handler: TemplateHandler(func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
		return TextResource("", "done"), nil
	}), Access: Access{Scopes: []string{"read"}}}))
	eras(t, func(t *testing.T, rev wire.Revision) {
		seen = false
		c := newClient(t, s, rev, `{}`)
		c.Identity = &holder{name: "ada"}
		_, err := c.session.ServeRequest(t.Context(), c.Request("resources/read", `{"uri":"of:bob"}`))
		scope, ok := errors.AsType[*transport.ScopeError](err)
		if !ok || fmt.Sprint(scope.Scopes, scope.Missing) != "[read others] [read others]" || seen {
			t.Errorf("got %v; middleware saw it: %t", err, seen)
		}
		c.Identity = &holder{name: "ada", scopes: []string{"read"}}
		contains(t, "own", c.Must("resources/read", `{"uri":"of:ada"}`), "done")
		contains(t, "list", c.Must("resources/templates/list", `{}`), "of:{x}")
	})
}

// A feature is offered only where a filter that concerns it admits it.
func TestFeature(t *testing.T) {
	feature := func(i *Item) bool { return len(i.Access.Features) > 0 }
	all := func(context.Context, *Call, *Item) (bool, error) { return true, nil }
	for _, filters := range [][]Filter{nil, {{Concerns: func(i *Item) bool { return !feature(i) }, Admit: all}}, {{Concerns: feature, Admit: all}}} {
		s := newServer(&Options{Filters: filters})
		add(t, s.Add(Item{Definition: &mcp.Tool{Name: "beta"}, Handler: says("done"), Access: Access{Features: []string{"beta"}}}))
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		_, err := c.Call("tools/call", `{"name":"beta"}`)
		if want := filters != nil && filters[0].Concerns(&Item{Access: Access{Features: []string{"x"}}}); (err == nil) != want {
			t.Errorf("called: %v, want %v", err, want)
		}
	}
}

// Each caller has one of several variants of a tool, in lists and in calls, also where pages of a list end between them.
//
// REQ TOOL-26
func TestVariants(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		features := map[string]bool{}
		s := newServer(&Options{PageSize: 2, Filters: []Filter{{
			Admit: func(_ context.Context, _ *Call, i *Item) (bool, error) {
				return i.Access.Offered(func(f string) bool { return features[f] }), nil
			},
		}}})
		variant := func(description string, features ...string) Item {
			return Item{Definition: &mcp.Tool{Name: "find", Description: description}, Handler: says(description), Access: Access{Features: features}}
		}
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("")))
		add(t, s.AddTool(mcp.Tool{Name: "z"}, says("")))
		add(t, s.SetItems("source", variant("plain", "!ranked"), variant("ranked", "ranked", "!near"), variant("near", "ranked", "near")))
		for _, wrong := range []Item{variant("again", "!ranked"), variant("too", "ranked"), variant("all")} {
			if err := s.Add(wrong); err == nil || !strings.Contains(err.Error(), `tool "find": there is one already`) {
				t.Errorf("a tool that others do not exclude: %v", err)
			}
		}
		add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, noPrompt))
		if err := s.Add(Item{Definition: &mcp.Prompt{Name: "p"}, Handler: PromptHandler(noPrompt), Access: Access{Features: []string{"x"}}}); err == nil {
			t.Error("prompts have no variants")
		}
		c := newClient(t, s, rev, `{}`)
		for want, on := range map[string][]string{"plain": {"near"}, "ranked": {"ranked"}, "near": {"ranked", "near"}} {
			clear(features)
			for _, f := range on {
				features[f] = true
			}
			s.Changed(Change{})
			var names []string
			for params := `{}`; params != ""; {
				var page struct {
					Tools      []mcp.Tool `json:"tools"`
					NextCursor string     `json:"nextCursor"`
				}
				if err := json.Unmarshal([]byte(c.Must("tools/list", params)), &page); err != nil {
					t.Fatal(err)
				}
				for _, tool := range page.Tools {
					names = append(names, tool.Name+tool.Description)
				}
				if params = ""; page.NextCursor != "" {
					params = fmt.Sprintf(`{"cursor":%q}`, page.NextCursor)
				}
			}
			if got := fmt.Sprint(names); got != "[a find"+want+" z]" {
				t.Errorf("the list of %s is %s", want, got)
			}
			contains(t, want, c.Must("tools/call", `{"name":"find"}`), `"`+want+`"`)
		}
		s.RemoveTools("find")
		if _, err := c.Call("tools/call", `{"name":"find"}`); err == nil {
			t.Error("a variant is left")
		}
	})
}

// SetItems replaces what a source has brought, and nothing else.
func TestSetItems(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "own"}, says("")))
	item := func(name string) Item { return Item{Definition: &mcp.Tool{Name: name}, Handler: says(name)} }
	names := func() (all []string) {
		for i := range s.Items() {
			name := ""
			switch d := i.Definition.(type) {
			case *mcp.Tool:
				name = d.Name
			case *mcp.Prompt:
				name = d.Name
			}
			all = append(all, fmt.Sprint(name, i.Source))
		}
		return all
	}
	var heard []Change
	NewEndpoint(s).OnChange(func(c Change) { heard = append(heard, c) })
	prompt := Item{Definition: &mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "x"}}}, Handler: PromptHandler(noPrompt), Completers: map[string]Completer{
		"x": func(context.Context, *Call, string, map[string]string) ([]string, error) { return []string{"yes"}, nil },
	}}
	add(t, s.SetItems("one", item("a"), item("b"), prompt))
	add(t, s.SetItems("two", item("c")))
	equal(t, "items", fmt.Sprint(names()), "[aone bone ctwo own<nil> pone]")
	const complete = `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":""}}`
	contains(t, "completion", newClient(t, s, mcp.V2025_11_25, `{}`).Must("completion/complete", complete), `"yes"`)
	add(t, s.SetItems("one", item("b")))
	equal(t, "items", fmt.Sprint(names()), "[bone ctwo own<nil>]")
	add(t, s.SetItems("one", item("b"), prompt)) // its completer has gone with it
	err := s.SetItems("two", item("own"), item("b"), item("d"), Item{Definition: &mcp.Tool{}, Handler: says("")})
	equal(t, "items", fmt.Sprint(names()), "[bone dtwo own<nil> pone]")
	for _, want := range []string{`tool "own": there is one already`, `tool "b": there is one already`, "the tool has no name"} {
		contains(t, "error", fmt.Sprint(err), want)
	}
	equal(t, "heard", fmt.Sprint(len(heard)), "5")
	for want, err := range map[string]error{"want a source, got nil": s.SetItems(nil), "got *int": s.SetItems("x", Item{Definition: new(int)})} {
		contains(t, "error", fmt.Sprint(err), want)
	}
}
