package uritemplate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	rfc6570 "github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ RES-04
func TestMatch(t *testing.T) {
	for _, test := range []struct{ template, uri, want string }{
		{"test://template/{id}/data", "test://template/123/data", "map[id:123]"},
		{"test://template/{id}/data", "test://template/1/2/data", "no"},
		{"test://template/{id}/data", "test://template/123/data/", "no"},
		{"test://template/{id}/data", "x", "no"},
		{"test://{name}", "test://a%20b%2Fc", "map[name:a b/c]"},
		{"file:///{+path}", "file:///a/b.txt", "map[path:a/b.txt]"},
		{"db://{table}{?limit,offset}", "db://users?limit=5&offset=2", "map[limit:5 offset:2 table:users]"},
		{"db://{table}{?limit}", "db://users", "map[table:users]"},
		{"tags://{list*}", "tags://a,b", "map[list:a,b]"},
		{"tags://{list}", "tags://a,b%2Cc", "map[list:a,b,c]"},
		{"a:{x}", "a:", "map[x:]"},
		{"a:{x}/{y}", "a:1,2/3", "map[x:1,2 y:3]"},
		{"a:{x,y}", "a:1,2", "map[x:1 y:2]"},
		{"a:{x,y}", "a:1", "map[x:1]"},
		{"a:{x,y}", "a:1,2,3", "no"},
		{"a:b{/x,y}", "a:b/1/2", "map[x:1 y:2]"},
		{"a:b{/x*}", "a:b/1/2", "map[x:1,2]"},
		{"a:b{/x}", "a:b", "map[]"},
		{"a:b{.x*}", "a:b.c.d", "map[x:c.d]"},
		{"a:b{#x}", "a:b#c/d", "map[x:c/d]"},
		{"a:b{#x}{y}", "a:b", "map[y:]"},
		{"a:b{;x,y}", "a:b;x=1;y", "map[x:1]"},
		{"a:b{?x,y}", "a:b?y=2", "map[y:2]"},
		{"a:b{?x,y}", "a:b?x=1,2&y=3", "map[x:1,2 y:3]"},
		{"a:b{?x,y}", "a:b?z=2", "no"},
		{"a:b{?x,y}", "a:b?y=2&x=1", "no"},
		{"a:b{?x*}", "a:b?x=1&x=2", "map[x:1,2]"},
		{"a:b{?x*,y}", "a:b?x=1&x=2&y=3", "map[x:1,2 y:3]"},
		{"a:b?c{&x}", "a:b?c&x=1", "map[x:1]"},
		{"a:{x:2}/{x}", "a:ab/abc", "map[x:abc]"},
		{"a:{x}/{x:2}", "a:abc/ab", "map[x:abc]"},
		{"a:{x:2}/{y}", "a:abc/d", "no"},
		{"a:{x:20}/{y}", "a:" + strings.Repeat("x", 21) + "/d", "no"},
		{"a:{x:20}/{y}", "a:%C3%A9/d", "map[x:é y:d]"},
		{"a:{x}/{x}", "a:1/1", "map[x:1]"},
		{"a:{x}/{x}", "a:1/2", "no"},
		{"a:{+x}{+y}", "a:1/2", "map[x:1/2 y:]"},
		{"a:{+x}/c/{y}", "a:1/c/2/c/3", "map[x:1/c/2 y:3]"},
		{"a:{x}.b", "a:1.b", "map[x:1]"},
		{"a:{x}.b", "a:1.c", "no"},
		{"a:é{x}", "a:é1", "map[x:1]"},
		{"a:é{x}", "a:éé", "no"},
		{"a:{x}", "ba:1", "no"},
		{"{+x}", "a:b", "map[x:a:b]"},
		{"a:b{?x}", "a:b?&x=1", "no"},
		{"a:b{?x}", "a:b?x", "no"},
		{"a:{x:1}/{x}", "a:a/abc", "map[x:abc]"},
		{"a:{x:2}/{x}", "a:ab/cd", "no"},
		{"a:{x}/{x}", "a:1/12", "no"},
		{"a:{x:1}{y}", "a:ab", "map[x:a y:b]"},
		{"a:{x:2}{y}", "a:abcd", "map[x:ab y:cd]"},
		{"a:{x:16}{y}", "a:0123456789abcdefgh", "map[x:0123456789abcdef y:gh]"},
		{"a:{x:9999}", "a:b", "map[x:b]"},
		{"a:{x:3}", "a:1,2", "no"},
	} {
		m, err := uritemplate.New(test.template)
		if err != nil {
			t.Fatal(err)
		}
		vars, ok := m(test.uri)
		got := fmt.Sprint(vars)
		if !ok {
			got = "no"
		}
		if got != test.want {
			t.Errorf("%s on %s: got %s, want %s", test.uri, test.template, got, test.want)
		}
	}
}

func TestNewFails(t *testing.T) {
	if _, err := uritemplate.New("test://{id"); err == nil || !strings.Contains(err.Error(), `uritemplate: "test://{id"`) {
		t.Errorf("error %v", err)
	}
}

func TestMatchConcurrently(t *testing.T) {
	m, err := uritemplate.New("a:{x}/{y}")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if vars, ok := m("a:1/2"); !ok || vars["y"] != "2" {
					t.Errorf("%v %v", vars, ok)
				}
			}
		})
	}
	wg.Wait()
}

func TestAdd(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, nil)
	err := uritemplate.Add(s, mcp.ResourceTemplate{Name: "user", URITemplate: "user://{id}"},
		func(_ context.Context, _ *server.Call, _ string, vars map[string]string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("", "user "+vars["id"]), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	got, err := server.NewEndpoint(s).ServeRequest(t.Context(), &transport.Request{ID: wire.IntID(1), Method: "resources/read",
		Params: wire.Raw(`{"uri":"user://7"}`), Revision: mcp.V2025_06_18})
	if err != nil || string(got) != `{"contents":[{"uri":"user://7","text":"user 7"}]}` {
		t.Errorf("%s %v", got, err)
	}
}

// Whatever a template makes of values fits it again, whichever of its kinds it has.
func TestExpandedFits(t *testing.T) {
	for _, template := range []string{"a:{x}", "a:{x}/{y}", "a:{x,y}", "a:{+x}/b/{y}", "a:{#x}", "a:b{/x,y}", "a:b{;x,y}",
		"a:b{?x,y}", "a:b?c{&x,y}", "a:{x:4}/{y:30}"} {
		expander, err := rfc6570.New(template)
		if err != nil {
			t.Fatal(err)
		}
		matcher, err := uritemplate.New(template)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []string{"1", "a b", "%", "a-_~"} {
			uri, err := expander.Expand(rfc6570.Values{"x": rfc6570.String(x), "y": rfc6570.String(x + x)})
			if err != nil {
				t.Fatal(err)
			}
			vars, ok := matcher(uri)
			if !ok || vars["x"] != x || strings.Contains(template, "y") && vars["y"] != x+x {
				t.Errorf("%s of %q is %s: %v %q", template, x, uri, ok, vars)
			}
		}
	}
}

func FuzzMatch(f *testing.F) {
	m, err := uritemplate.New("db://{table}/{+path}{?limit,list*}")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("db://users/a/b?limit=5&list=1&list=2")
	f.Add("db://%zz/")
	f.Fuzz(func(_ *testing.T, uri string) { m(uri) })
}

// What cannot be added is an error, and which.
func TestAddFails(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, nil)
	handler := server.TemplateHandler(func(context.Context, *server.Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
		return nil, nil
	})
	for want, i := range map[string]server.Item{
		"want a *mcp.ResourceTemplate, got *mcp.Tool": {Definition: &mcp.Tool{Name: "x"}},
		`uritemplate: "book:{": `:                     {Definition: &mcp.ResourceTemplate{Name: "x", URITemplate: "book:{"}, Handler: handler},
		"it is too large":                             {Definition: &mcp.ResourceTemplate{Name: "x", URITemplate: "book:{" + strings.Repeat("x,", 2000) + "x}"}, Handler: handler},
		"server: ":                                    {Definition: &mcp.ResourceTemplate{Name: "x", URITemplate: "x:{x}"}}, // without a handler
	} {
		if err := uritemplate.AddItem(s, i); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
