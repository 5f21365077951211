package uritemplate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/uritemplate"
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
	if _, err := uritemplate.New("test://{id"); err == nil || !strings.Contains(err.Error(), `URI template "test://{id"`) {
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
	got, err := s.Handle(t.Context(), &server.Request{ID: wire.IntID(1), Method: "resources/read",
		Params: wire.Raw(`{"uri":"user://7"}`), Revision: mcp.V2025_06_18})
	if err != nil || string(got) != `{"contents":[{"uri":"user://7","text":"user 7"}]}` {
		t.Errorf("%s %v", got, err)
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
