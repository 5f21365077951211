package client

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func tool(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }

// pagesOf answers a list by cursor: "" is the first page, "=x" the one of the cursor x.
func pagesOf(pages map[string]string) func(*received) (string, error) {
	return func(r *received) (string, error) {
		p := new(mcp.PaginatedRequestParams)
		if r.params != nil {
			if err := wire.Decode(r.params, p); err != nil {
				return "", err
			}
		}
		key := ""
		if p.Cursor != nil {
			key = "=" + string(*p.Cursor)
		}
		page, ok := pages[key]
		if !ok {
			return "", jsonrpc.ErrInvalidParams
		}
		return page, nil
	}
}

// REQ PAGE-01 PAGE-02 PAGE-04 PAGE-05 CACHE-09
func TestTools(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pages map[string]string
		want  string // the names, and the error
	}{
		"one page":     {map[string]string{"": `{"tools":[` + tool("a") + `,` + tool("b") + `]}`}, "a b"},
		"empty":        {map[string]string{"": `{"tools":[]}`}, ""},
		"two pages":    {map[string]string{"": `{"tools":[` + tool("a") + `],"nextCursor":"x"}`, "=x": `{"tools":[` + tool("b") + `]}`}, "a b"},
		"null cursor":  {map[string]string{"": `{"tools":[` + tool("a") + `],"nextCursor":null}`}, "a"},
		"empty cursor": {map[string]string{"": `{"tools":[` + tool("a") + `],"nextCursor":""}`, "=": `{"tools":[` + tool("b") + `]}`}, "a b"},
		"empty page in between": {map[string]string{
			"":   `{"tools":[` + tool("a") + `],"nextCursor":"x"}`,
			"=x": `{"tools":[],"nextCursor":"y"}`,
			"=y": `{"tools":[` + tool("b") + `]}`}, "a b"},
		"a cursor that comes twice": {map[string]string{
			"":   `{"tools":[` + tool("a") + `],"nextCursor":"x"}`,
			"=x": `{"tools":[` + tool("b") + `],"nextCursor":"x"}`},
			`a b error: tools/list: invalid result: nextCursor: want a new one, got "x" again`},
		"a cursor that is not known": {map[string]string{"": `{"tools":[` + tool("a") + `],"nextCursor":"x"}`},
			"a error: invalid params (-32602)"},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, script{"tools/list": pagesOf(test.pages)}, func(t *testing.T, server script, opts Options) {
				c, _ := dial(t, server, &opts)
				var got []string
				for tool, err := range c.Tools(t.Context()) {
					if err != nil {
						got = append(got, "error: "+err.Error())
					} else {
						got = append(got, tool.Name)
					}
				}
				if s := strings.Join(got, " "); s != test.want {
					t.Errorf("got  %s\nwant %s", s, test.want)
				}
			})
		})
	}
}

// Where there are no headers, a wrong annotation of a header is no reason to leave out a tool.
//
// REQ XHDR-07
func TestToolsWithWrongHeaders(t *testing.T) {
	t.Parallel()
	wrong := `{"name":"wrong","inputSchema":{"type":"object","properties":{"x":{"type":"number","x-mcp-header":"a b"}}}}`
	both(t, script{"tools/list": always(`{"tools":[` + tool("a") + `,` + wrong + `]}`)}, func(t *testing.T, server script, opts Options) {
		c, _ := dial(t, server, &opts)
		var got []string
		for tool, err := range c.Tools(t.Context()) {
			got = append(got, tool.Name, errorText(err))
		}
		if want := []string{"a", "", "wrong", ""}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// All lists are gone through alike, and can be left early.
func TestLists(t *testing.T) {
	t.Parallel()
	both(t, script{
		"prompts/list":             pagesOf(map[string]string{"": `{"prompts":[{"name":"a"}],"nextCursor":"x"}`, "=x": `{"prompts":[{"name":"b"}]}`}),
		"resources/list":           pagesOf(map[string]string{"": `{"resources":[{"name":"n","uri":"a:1"}],"nextCursor":"x"}`, "=x": `{"resources":[{"name":"n","uri":"a:2"}]}`}),
		"resources/templates/list": pagesOf(map[string]string{"": `{"resourceTemplates":[{"name":"n","uriTemplate":"a:{b}"}],"nextCursor":"x"}`, "=x": `{"resourceTemplates":[]}`}),
	}, func(t *testing.T, server script, opts Options) {
		c, f := dial(t, server, &opts)
		var got []string
		for p, err := range c.Prompts(t.Context()) {
			got = append(got, p.Name, errorText(err))
		}
		for r, err := range c.Resources(t.Context()) {
			got = append(got, r.URI, errorText(err))
		}
		for r, err := range c.ResourceTemplates(t.Context()) {
			got = append(got, r.URITemplate, errorText(err))
			break
		}
		if want := []string{"a", "", "b", "", "a:1", "", "a:2", "", "a:{b}", ""}; !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		if n := f.count("resources/templates/list"); n != 1 {
			t.Errorf("asked for %d pages after the caller had left", n-1)
		}
	})
}

// A server that never ends its list is left.
func TestListsBound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := 0
		server := script{"tools/list": func(*received) (string, error) {
			n++
			return fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, n), nil
		}}
		c, _ := dial(t, modernServer(server), nil)
		var got []string
		for _, err := range c.Tools(t.Context()) {
			got = append(got, errorText(err))
		}
		if want := []string{"tools/list: want at most 1000 pages, got more"}; n != 1000 || !slices.Equal(got, want) {
			t.Errorf("%d pages, %q", n, got)
		}
	})
}

// What is kept while a list is gone through is bounded in bytes.
func TestListsBoundBytes(t *testing.T) {
	long := strings.Repeat("x", 4<<20)
	for name, test := range map[string]struct {
		page  func(n int) string
		pages int
		want  string
	}{
		"a long cursor": {func(int) string { return `{"tools":[],"nextCursor":"` + long[:64<<10+1] + `"}` }, 1,
			"tools/list: invalid result: nextCursor: want at most 65536 bytes, got 65537"},
		"items and cursors that are long together": {func(n int) string { // without the cursors it would take a page more
			return fmt.Sprintf(`{"tools":[%s],"nextCursor":"%d%s"}`, tool(fmt.Sprint(n, long[:4056<<10])), n, long[:60<<10])
		}, 16, "tools/list: want a list of at most 67108864 bytes, got more"},
		"what is not the name": {func(n int) string {
			return fmt.Sprintf(`{"tools":[{"name":"%d","description":"%s","inputSchema":{}}],"nextCursor":"%d"}`, n, long, n)
		}, 16, "tools/list: want a list of at most 67108864 bytes, got more"},
		"what nobody knows": {func(n int) string {
			return fmt.Sprintf(`{"tools":[{"name":"%d","new":"%s","inputSchema":{}}],"nextCursor":"%d"}`, n, long, n)
		}, 16, "tools/list: want a list of at most 67108864 bytes, got more"},
		"many small items": {func(n int) string { // a short text takes more memory than its length
			return fmt.Sprintf(`{"tools":[%s],"nextCursor":"%d"}`, strings.Repeat(tool("x")+",", 9999)+tool("x"), n)
		}, 13, "tools/list: want a list of at most 67108864 bytes, got more"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				n := 0
				server := script{"tools/list": func(*received) (string, error) {
					n++
					return test.page(n), nil
				}}
				c, _ := dial(t, modernServer(server), nil)
				var last error
				for _, err := range c.Tools(t.Context()) {
					last = err
				}
				if errorText(last) != test.want || n != test.pages {
					t.Errorf("after %d pages: %v\nwant after %d: %s", n, last, test.pages, test.want)
				}
			})
		})
	}
}

// The pages of a list are not kept longer than their items are in use.
func TestListsKeepNoPages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		name := strings.Repeat("tool", 20) // small allocations share their memory, and its life
		n := 0
		server := script{"tools/list": func(*received) (string, error) {
			n++
			return fmt.Sprintf(`{"tools":[%s],"nextCursor":"%d"}`, tool(fmt.Sprint(name, n)), n), nil
		}}
		c, _ := dial(t, modernServer(server), &Options{CacheBytes: -1})
		var first weak.Pointer[byte]
		for tool, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Fatal("the first page is still there", err)
			}
			if first == (weak.Pointer[byte]{}) {
				first = weak.Make(unsafe.StringData(tool.Name))
			}
			if runtime.GC(); first.Value() == nil {
				break
			}
		}
		if first == (weak.Pointer[byte]{}) {
			t.Error("no tool came")
		}
	})
}

// Who keeps the items of a list does not keep what was beside them in its pages.
func TestListsKeepItemsAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const pages = 20
		n := 0
		server := script{"tools/list": func(*received) (string, error) {
			n++
			next := fmt.Sprintf(`,"nextCursor":"%d"`, n)
			if n == pages {
				next = ""
			}
			return fmt.Sprintf(`{"tools":[%s]%s%s}`, tool(fmt.Sprint(n)), strings.Repeat(" ", 2<<20), next), nil
		}}
		c, _ := dial(t, modernServer(server), &Options{CacheBytes: -1})
		heap := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before := heap()
		var all []*mcp.Tool
		for tool, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, tool)
		}
		if grown := int(heap()) - int(before); len(all) != pages || grown > pages<<20 {
			t.Errorf("%d tools keep %d bytes", len(all), grown)
		}
		runtime.KeepAlive(all)
	})
}

// A server that declares no tools has none, and is not asked.
func TestListsUndeclared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := script{"server/discover": always(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)}
		c, f := dial(t, server, nil)
		for tool, err := range c.Tools(t.Context()) {
			t.Errorf("got %v, %v", tool, err)
		}
		if sent := f.sent(); sent != nil {
			t.Errorf("sent %q", sent)
		}
	})
}

// When the server does not know a cursor any more, the kept pages are dropped and the list begins
// again; nothing comes twice.
//
// REQ CACHE-10 PAGE-06
func TestListsBeginAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		pages := map[string]string{
			"":   `{"tools":[` + tool("a") + `],"nextCursor":"x","ttlMs":60000,"cacheScope":"public"}`,
			"=x": `{"tools":[` + tool("b") + `],"ttlMs":0,"cacheScope":"public"}`,
		}
		c, _ := dial(t, modernServer(script{"tools/list": pagesOf(pages)}), nil)
		names := func() (names []string) {
			for tool, err := range c.Tools(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			return names
		}
		if got := names(); !slices.Equal(got, []string{"a", "b"}) {
			t.Fatalf("got %q", got)
		}
		delete(pages, "=x")
		pages[""] = `{"tools":[` + tool("a") + `],"nextCursor":"y"}`
		pages["=y"] = `{"tools":[` + tool("c") + `]}`
		if got := names(); !slices.Equal(got, []string{"a", "c"}) {
			t.Errorf("got %q", got)
		}
	})
}
