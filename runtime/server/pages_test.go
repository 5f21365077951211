package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// names walks through the pages of tools/list and returns the names on each.
func names(c *client, between func(page int)) (pages [][]string) {
	cursor := ""
	for n := 0; ; n++ {
		params := `{}`
		if cursor != "" {
			params = `{"cursor":"` + cursor + `"}`
		}
		var r mcp.ListToolsResult
		if err := r.UnmarshalJSON([]byte(c.Must("tools/list", params))); err != nil {
			c.T.Fatal(err)
		}
		var page []string
		for _, tool := range r.Tools {
			page = append(page, tool.Name)
		}
		pages = append(pages, page)
		if r.NextCursor == nil {
			return pages
		}
		cursor = string(*r.NextCursor)
		if between != nil {
			between(n)
		}
	}
}

// REQ PAGE-01, PAGE-06, CACHE-09
func TestPages(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		o := &Options{PageSize: 2}
		if hidden {
			o.Filters = visible(func(_ context.Context, _ *Call, item any) bool { return item.(*mcp.Tool).Name != "b" })
		}
		s := newServer(o)
		for _, name := range []string{"e", "c", "a", "d", "b"} {
			add(t, s.AddTool(mcp.Tool{Name: name}, says(name)))
		}
		everyRevision(t, func(t *testing.T, rev wire.Revision) {
			c := newClient(t, s, rev, `{}`)
			want := "[[a b] [c d] [e]]"
			if hidden {
				want = "[[a c] [d e]]"
			}
			for range 2 { // the second time from what was kept
				equal(t, "pages", fmt.Sprint(names(c, nil)), want)
			}
			// A page that begins anywhere else is made anew, so no more are kept than the list has.
			c.Must("tools/list", `{"cursor":"`+string(encodeCursor("tools/list", "a"))+`"}`)
		})
		kept, most := len(s.tools.pages), 3*len(taught.Revisions())
		if hidden {
			most = 0 // who sees what is not known before
		}
		if kept != most {
			t.Errorf("%d pages are kept, want %d", kept, most)
		}
	}
}

// REQ PAGE-06: a walk sees every item that was there all the time exactly once.
func TestPagesWhileTheListChanges(t *testing.T) {
	s := newServer(&Options{PageSize: 2})
	for _, name := range []string{"b", "d", "f", "h"} {
		add(t, s.AddTool(mcp.Tool{Name: name}, says(name)))
	}
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	pages := names(c, func(page int) {
		if page == 0 { // after b, d
			s.RemoveTools("d") // the item of the cursor itself
			add(t, s.AddTool(mcp.Tool{Name: "a"}, says("")))
			add(t, s.AddTool(mcp.Tool{Name: "e"}, says("")))
		}
	})
	equal(t, "pages", fmt.Sprint(pages), "[[b d] [e f] [h]]")
}

// REQ PAGE-06
func TestInvalidCursors(t *testing.T) {
	s := newServer(&Options{PageSize: 1})
	for _, name := range []string{"a", "b"} {
		add(t, s.AddTool(mcp.Tool{Name: name}, says("")))
		add(t, s.AddPrompt(mcp.Prompt{Name: name}, noPrompt))
	}
	c := newClient(t, s, mcp.V2025_06_18, `{}`)
	good := string(encodeCursor("tools/list", "a"))
	contains(t, "good", c.Must("tools/list", `{"cursor":"`+good+`"}`), `"name":"b"`)
	for _, cursor := range []string{"", "invalid", "invalid-cursor", "AAAA", good + "A", strings.ToLower(good), "!", "cursor"} {
		c.Fails("tools/list", `{"cursor":"`+cursor+`"}`, codeInvalidParams)
	}
	c.Fails("prompts/list", `{"cursor":"`+good+`"}`, codeInvalidParams) // of another list
	c.Fails("tools/list", `{"cursor":1}`, codeInvalidParams)
}

// REQ CACHE-09: every page has the scope of the first, whatever the list, and a list that is not the
// same for everybody has none that others may see.
func TestScopeOfPages(t *testing.T) {
	hint := CacheHint{TTL: 1e9, Public: true}
	for _, filtered := range []bool{false, true} {
		o := &Options{PageSize: 1, Cache: Cache{Tools: hint, Prompts: hint, Resources: hint, Templates: hint}}
		want := "public"
		if filtered {
			o.Filters = visible(func(context.Context, *Call, any) bool { return true })
			want = "private"
		}
		s := newServer(o)
		for _, name := range []string{"a", "b", "c"} {
			add(t, s.AddTool(mcp.Tool{Name: name}, says(name)))
			add(t, s.AddPrompt(mcp.Prompt{Name: name}, noPrompt))
			add(t, s.AddResource(mcp.Resource{URI: name + ":x", Name: name}, noResource))
			add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: name + ":{x}", Name: name}, prefix(name), nothing))
		}
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			params := `{}`
			for page := range 3 {
				got := wire.Raw(c.Must(method, params))
				contains(t, fmt.Sprintf("%s, page %d", method, page), string(got), `"ttlMs":1000,"cacheScope":"`+want+`"`)
				params = `{"cursor":"` + got.StringAt("nextCursor") + `"}`
			}
			equal(t, method+", after the last page", params, `{"cursor":""}`)
		}
	}
}

// What not every caller may read is not public, nor what is read in place of it.
//
// REQ CACHE-09
func TestPublicReads(t *testing.T) {
	isResource := func(i *Item, uri string) bool {
		r, ok := i.Definition.(*mcp.Resource)
		return ok && r.URI == uri
	}
	s := newServer(&Options{Cache: Cache{Read: CacheHint{Public: true}}, Filters: []Filter{
		{Admit: func(_ context.Context, _ *Call, i *Item) (bool, error) { return !isResource(i, "a:5"), nil }, Static: true},
	}})
	read := func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
		return TextResource("text/plain", "x"), nil
	}
	says := func(show bool, err error) []Filter {
		return []Filter{{Admit: func(context.Context, *Call, *Item) (bool, error) { return show, err }}}
	}
	want := map[string]string{}
	for n, test := range []struct {
		name   string
		access Access
		filter []Filter
		scope  string
	}{
		{"plain", Access{}, nil, "public"},
		{"capabilities", Access{Needs: []string{"roots"}}, nil, "private"},
		{"shown to this one", Access{}, says(true, nil), "private"},
		{"hidden from this one", Access{}, says(false, nil), "private"},
		{"refused to this one", Access{}, says(true, ErrCannotAsk), "private"},
		{"static no", Access{}, nil, "public"},
	} {
		uri := fmt.Sprintf("a:%d", n)
		add(t, s.Add(Item{Definition: &mcp.Resource{URI: uri, Name: test.name}, Handler: ResourceHandler(read), Access: test.access, Filters: test.filter}))
		want[uri] = test.scope
	}
	for uri, filter := range map[string][]Filter{"a:": nil, "b:": says(true, nil)} {
		add(t, s.Add(Item{
			Definition: &mcp.ResourceTemplate{URITemplate: uri + "{n}", Name: uri}, Match: prefix(uri), Filters: filter,
			Handler: TemplateHandler(func(ctx context.Context, c *Call, uri string, _ map[string]string) (*mcp.ReadResourceResult, error) {
				return read(ctx, c, uri)
			}),
		}))
	}
	want["a:other"], want["b:one"] = "public", "private"
	c := newClient(t, s, mcp.V2026_07_28, `{"roots":{}}`)
	for uri, scope := range want {
		contains(t, uri, c.Must("resources/read", `{"uri":"`+uri+`"}`), `"cacheScope":"`+scope+`"`)
	}
}

// REQ CACHE-01
func TestCacheHints(t *testing.T) {
	s := newServer(&Options{Cache: Cache{
		Discover: CacheHint{TTL: 1e9}, Tools: CacheHint{TTL: 2e9, Public: true}, Prompts: CacheHint{TTL: 3e9},
		Resources: CacheHint{TTL: 4e9}, Templates: CacheHint{TTL: 5e9}, Read: CacheHint{TTL: -5 * time.Second},
	}, Capabilities: mcp.ServerCapabilities{
		Tools: &mcp.ServerCapabilitiesTools{}, Prompts: &mcp.ServerCapabilitiesPrompts{},
	}})
	add(t, s.AddResource(mcp.Resource{URI: "a:b", Name: "a"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
		return TextResource("text/plain", "x"), nil
	}))
	add(t, s.AddResource(mcp.Resource{URI: "a:own", Name: "a"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
		r := TextResource("text/plain", "x")
		r.TTLMs, r.CacheScope = new(int64(77)), mcp.CacheScopePublic
		return r, nil
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{}`)
		for _, test := range []struct{ method, params, want string }{
			{"server/discover", `{}`, `"ttlMs":1000,"cacheScope":"private"`},
			{"tools/list", `{}`, `"ttlMs":2000,"cacheScope":"public"`},
			{"prompts/list", `{}`, `"ttlMs":3000,"cacheScope":"private"`},
			{"resources/list", `{}`, `"ttlMs":4000,"cacheScope":"private"`},
			{"resources/templates/list", `{}`, `"ttlMs":5000,"cacheScope":"private"`},
			{"resources/read", `{"uri":"a:b"}`, `"ttlMs":0,"cacheScope":"private"`},
			{"resources/read", `{"uri":"a:own"}`, `"ttlMs":77,"cacheScope":"public"`},
		} {
			if rev < mcp.Modern {
				if test.method != "server/discover" {
					if got := c.Must(test.method, test.params); strings.Contains(got, "ttlMs") {
						t.Errorf("%s: %s", test.method, got)
					}
				}
				continue
			}
			contains(t, test.method, c.Must(test.method, test.params), test.want)
		}
	})
}

func BenchmarkListTools(b *testing.B) {
	s := newServer(nil)
	for i := range 200 {
		add(b, s.AddTool(mcp.Tool{Name: fmt.Sprintf("tool%d", i), Description: strings.Repeat("does something useful ", 20),
			InputSchema: wire.Raw(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}}}`)}, says("")))
	}
	c := newClient(b, s, mcp.V2025_06_18, `{}`)
	r := c.Request("tools/list", "")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.session.ServeRequest(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCallTool(b *testing.B) {
	s := newServer(nil)
	add(b, s.AddTool(mcp.Tool{Name: "add"}, says("3")))
	for _, rev := range []wire.Revision{mcp.V2025_06_18, mcp.V2026_07_28} {
		b.Run(rev.String(), func(b *testing.B) {
			c := newClient(b, s, rev, `{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}`)
			r := c.Request("tools/call", `{"name":"add","arguments":{"a":1,"b":2}}`)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.session.ServeRequest(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A page that was made while the items changed is not kept, nor is one given for other items.
func TestStalePages(t *testing.T) {
	r := &newServer(nil).tools
	order := func(names ...string) (items []kind) {
		for _, name := range names {
			items = append(items, &tool{item: item{key: name}})
		}
		return items
	}
	a, b, none := order("a", "b"), order("a", "b"), make([]kind, 0)
	for n, test := range []struct {
		x, y []kind
		want bool
	}{{a, a, true}, {a, b, false}, {a, a[:1], false}, {a[:1], a, false}, {none, make([]kind, 0), true}, {none, nil, false}, {a, nil, false}, {a, none, false}, {none, a, false}} {
		if got := sameSlice(test.x, test.y); got != test.want {
			t.Errorf("%d: got %t", n, got)
		}
	}
	k := pageKey{start: 0}
	r.order = a
	r.keep(b, k, wire.Raw("{}"))
	if _, ok := r.kept(a, k); ok {
		t.Error("a page of other items is kept")
	}
	r.keep(a, k, wire.Raw("{}"))
	if _, ok := r.kept(a, k); !ok {
		t.Error("a page is not kept")
	}
	if _, ok := r.kept(b, k); ok {
		t.Error("a page is given for other items")
	}
}

// A cursor is taken as it was made, and params are checked.
func TestWrongCursors(t *testing.T) {
	s := newServer(&Options{PageSize: 1})
	for _, name := range []string{"a", "b"} {
		add(t, s.AddTool(mcp.Tool{Name: name}, says(name)))
	}
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	good := string(encodeCursor("tools/list", "a"))
	contains(t, "good", c.Must("tools/list", `{"cursor":"`+good+`"}`), `"b"`)
	for _, wrong := range []string{`"` + good + `!"`, `"` + good[:4] + `"`, `7`, `{}`} {
		c.Fails("tools/list", `{"cursor":`+wrong+`}`, codeInvalidParams)
	}
}
