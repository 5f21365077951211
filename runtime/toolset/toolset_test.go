package toolset

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newSelectable returns a server with tools of two groups, and one of a feature.
func newSelectable(t *testing.T) (*server.Server, *Set) {
	set := new(Set)
	s := roomtest.NewServer(set.Options(nil))
	reads := &mcp.ToolAnnotations{ReadOnlyHint: new(true)}
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "core"}, roomtest.Says("")))
	servertest.Check(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "file_get", Annotations: reads}, Handler: roomtest.Says(""), Access: server.Access{Groups: []string{"files"}}}))
	servertest.Check(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "file_put"}, Handler: roomtest.Says(""), Access: server.Access{Groups: []string{"files"}}}))
	servertest.Check(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "issue_get", Annotations: reads, Description: "old"}, Handler: roomtest.Says(""), Access: server.Access{Groups: []string{"issues"}}}))
	servertest.Check(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "issue_merge"}, Handler: roomtest.Says(""), Access: server.Access{Groups: []string{"issues"}, Features: []string{"beta"}}}))
	servertest.Check(t, s.AddPrompt(mcp.Prompt{Name: "core"}, roomtest.NoPrompt))
	servertest.Check(t, s.Add(server.Item{Definition: &mcp.Prompt{Name: "files"}, Handler: server.PromptHandler(roomtest.NoPrompt), Access: server.Access{Groups: []string{"files"}}}))
	return s, set
}

// Features choose one of the variants of a tool; without any it is the one that wants none.
func TestVariants(t *testing.T) {
	set := new(Set)
	s := roomtest.NewServer(set.Options(nil))
	for says, features := range map[string][]string{"plain": {"!ranked"}, "ranked": {"ranked"}} {
		servertest.Check(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "find"}, Handler: roomtest.Says(says), Access: server.Access{Features: features}}))
	}
	if err := set.Use(s, Selection{Features: []string{"!ranked"}}); err == nil {
		t.Error("a feature is switched off by name")
	}
	for want, features := range map[string][]string{"plain": nil, "ranked": {"ranked"}} {
		servertest.Check(t, set.Use(s, Selection{Features: features}))
		servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
			c := roomtest.NewClient(t, s, rev, `{}`)
			if got := c.Must("tools/call", `{"name":"find"}`); !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
			if n := strings.Count(c.Must("tools/list", `{}`), `"find"`); n != 1 {
				t.Errorf("listed %d times", n)
			}
		})
	}
}

// A toolset holds in lists and calls, in every revision.
//
// REQ TOOL-26
func TestToolset(t *testing.T) {
	s, tools := newSelectable(t)
	all := []string{"core", "file_get", "file_put", "issue_get", "issue_merge"}
	for _, test := range []struct {
		set  Selection
		want string
	}{
		{Selection{}, "core file_get file_put issue_get; prompts 2"},
		{Selection{Features: []string{"beta"}}, "core file_get file_put issue_get issue_merge; prompts 2"},
		{Selection{Groups: []string{"files"}}, "core file_get file_put; prompts 2"},
		{Selection{Groups: []string{"issues"}}, "core issue_get; prompts 1"},
		{Selection{Groups: []string{"issues", "files"}, Features: []string{"beta"}}, "core file_get file_put issue_get issue_merge; prompts 2"},
		{Selection{Groups: []string{"issues"}, Enable: []string{"file_put"}, Disable: []string{"core"}}, "file_put issue_get; prompts 1"},
		{Selection{Disable: []string{"*"}, Enable: []string{"core", "issue_m*"}}, "core issue_merge; prompts 2"},
		{Selection{Disable: []string{"file_*"}, Enable: []string{"file_get"}}, "core file_get issue_get; prompts 2"},
		{Selection{ReadOnly: true, Enable: []string{"core"}}, "file_get issue_get; prompts 2"},
	} {
		servertest.Check(t, tools.Use(s, test.set))
		servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
			c := roomtest.NewClient(t, s, rev, `{}`)
			list := c.Must("tools/list", `{}`)
			var got []string
			for _, name := range all {
				_, err := c.Call("tools/call", `{"name":"`+name+`"}`)
				listed := strings.Contains(list, `"name":"`+name+`"`)
				if listed != (err == nil) {
					t.Errorf("%+v: %s: listed %t, but the call fails by %v", test.set, name, listed, err)
				}
				if listed {
					got = append(got, name)
				} else {
					servertest.Equal(t, name, err.Message, `unknown tool "`+name+`"`)
				}
			}
			listedPrompts := servertest.Bare(c.Must("prompts/list", `{}`))
			prompts := strings.Count(listedPrompts, `"name":`)
			_, err := c.Call("prompts/get", `{"name":"files"}`)
			if listed := strings.Contains(listedPrompts, `"files"`); listed != (err == nil) {
				t.Errorf("%+v: the prompt files: listed %t, but getting it fails by %v", test.set, listed, err)
			}
			servertest.Equal(t, fmt.Sprintf("%+v", test.set), fmt.Sprintf("%s; prompts %d", strings.Join(got, " "), prompts), test.want)
		})
	}
}

// Clients learn when the selection changes while the server runs.
func TestToolsetChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, tools := newSelectable(t)
		c := roomtest.NewClient(t, s, mcp.V2025_11_25, `{}`)
		c.Must("tools/list", `{}`) // which is kept
		set := tools.Selection()
		set.Tools = map[string]Text{"issue_get": {Title: "Issue", Description: "new", Arguments: map[string]string{}}}
		servertest.Check(t, tools.Use(s, set))
		step := func(what, want string) {
			t.Helper()
			roomtest.Settle()
			servertest.Equal(t, what, strings.Join(c.Seen(), " "), want)
		}
		step("texts", "notifications/tools/list_changed {}")
		tools.Selection().Tools["issue_get"].Arguments["x"] = "theirs"
		if got := tools.Selection().Tools["issue_get"].Arguments; got["x"] != "" {
			t.Error("the server's texts are the caller's")
		}
		servertest.Contains(t, "list", c.Must("tools/list", `{}`), `"title":"Issue","description":"new"`)
		servertest.Equal(t, "Tool", described(s, "issue_get"), "new")
		set.Groups = []string{"files"}
		servertest.Check(t, tools.Use(s, set))
		step("groups", "notifications/tools/list_changed {} notifications/prompts/list_changed {}")
		set.Groups[0] = "issues"
		if got := tools.Selection(); got.Groups[0] != "files" {
			t.Error("the server's toolset is the caller's")
		}
	})
}

// The title of a tool stands in two places, and is replaced in those where it was; what the program defines comes before.
func TestTitles(t *testing.T) {
	var tools Set
	s := roomtest.NewServer(tools.Options(&server.Options{Define: func(item any) { item.(*mcp.Tool).Description = "defined" }}))
	noted := &mcp.ToolAnnotations{Title: "Old"}
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "noted", Annotations: noted}, roomtest.Says("")))
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "plain"}, roomtest.Says("")))
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "reads", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true)}}, roomtest.Says("")))
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "a[1]"}, roomtest.Says("")))
	servertest.Check(t, tools.Use(s, Selection{Disable: []string{"a[1]"}, Tools: map[string]Text{"noted": {Title: "N"}, "plain": {Title: "P"}, "reads": {Title: "R"}}}))
	const empty = `"inputSchema":{"type":"object","additionalProperties":false}`
	c := roomtest.NewClient(t, s, mcp.V2025_11_25, `{}`)
	servertest.Equal(t, "list", c.Must("tools/list", `{}`), `{"tools":[`+
		`{"name":"noted","title":"N","description":"defined",`+empty+`,"annotations":{"title":"N"}},`+
		`{"name":"plain","title":"P","description":"defined",`+empty+`},`+
		`{"name":"reads","title":"R","description":"defined",`+empty+`,"annotations":{"readOnlyHint":true}}]}`)
	servertest.Equal(t, "the definition", noted.Title, "Old")
}

func TestToolsetMistakes(t *testing.T) {
	s, tools := newSelectable(t)
	for want, set := range map[string]Selection{
		`there is no tool "file_delete"; there are core, file_get, file_put, issue_get, issue_merge`: {Disable: []string{"file_delete"}},
		`there is no tool "x"; there are`:                              {Enable: []string{"x"}},
		`there is no tool "y"; there are`:                              {Tools: map[string]Text{"y": {}}},
		`tool "core": there is no argument "z"; there are none at all`: {Tools: map[string]Text{"core": {Arguments: map[string]string{"z": "Z"}}}},
		`there is no group "file"; there are files, issues`:            {Groups: []string{"file"}},
		`there is no feature "alpha"; there are beta`:                  {Features: []string{"alpha"}},
		`there is no feature ""; there are beta`:                       {Features: []string{""}},
		`tool "[": syntax error in pattern`:                            {Enable: []string{"["}},
	} {
		if err := tools.Use(s, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	const known = `toolset: there is no group "x"; there are a00`
	many := roomtest.NewServer(nil)
	for n := range 31 {
		servertest.Check(t, many.Add(server.Item{Definition: &mcp.Tool{Name: fmt.Sprint("t", n)}, Handler: roomtest.Says(""), Access: server.Access{Groups: []string{fmt.Sprintf("a%02d", n)}}}))
		err := new(Set).Use(many, Selection{Groups: []string{"x"}})
		if more := strings.HasSuffix(err.Error(), "a29, …"); !strings.HasPrefix(err.Error(), known) || more != (n == 30) || !more && strings.Contains(err.Error(), "…") {
			t.Errorf("with %d groups: %v", n+1, err)
		}
	}
	if got := tools.Selection(); !reflect.DeepEqual(got, Selection{}) {
		t.Errorf("after mistakes the toolset is %+v", got)
	}
	if err := new(Set).Use(roomtest.NewServer(nil), Selection{Groups: []string{"a"}}); err == nil || !strings.Contains(err.Error(), `there is no group "a"; there are none at all`) {
		t.Error(err)
	}
}

func TestToolsetFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parse := func(args ...string) (Selection, error) {
		var set Selection
		fs := flag.NewFlagSet("test", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		set.Flags(fs)
		return set, fs.Parse(args)
	}
	write(`{"groups":["c"],"features":["g"],"enable":["z"],"disable":["y"],"readOnly":true,"tools":{"a":{"title":"A"}}}`)
	got, err := parse("--enable", "a,b", "--groups=x", "--toolset", file, "--disable=d", "--disable=e", "--features", "f")
	want := Selection{Groups: []string{"x", "c"}, Features: []string{"g", "f"}, Enable: []string{"a", "b", "z"}, Disable: []string{"y", "d", "e"}, ReadOnly: true,
		Tools: map[string]Text{"a": {Title: "A"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	if got, err := parse("-read-only"); err != nil || !got.ReadOnly {
		t.Errorf("%+v, %v", got, err)
	}
	write(`{"group":["c"]}`)
	if _, err := parse("--toolset", file); err == nil || !strings.Contains(err.Error(), `unknown field "group"`) {
		t.Error(err)
	}
	if err := new(Selection).Load(file + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	write(`{}`)
	if got, err := parse("-read-only", "--toolset", file); err != nil || !got.ReadOnly {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is a tool and a resource stays a resource where the tool is not selected: reading changes nothing.
func TestToolsetLeavesResources(t *testing.T) {
	var tools Set
	s := roomtest.NewServer(tools.Options(nil))
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "notes", Annotations: &mcp.ToolAnnotations{DestructiveHint: new(true)}}, roomtest.Says("a")))
	servertest.Check(t, s.AddResource(mcp.Resource{URI: "notes:all", Name: "notes"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("text/plain", "a"), nil
	}))
	for _, set := range []Selection{{ReadOnly: true}, {Disable: []string{"*"}}} {
		servertest.Check(t, tools.Use(s, set))
		servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
			c := roomtest.NewClient(t, s, rev, `{}`)
			if _, err := c.Call("tools/call", `{"name":"notes"}`); err == nil {
				t.Errorf("%+v: the tool can be called", set)
			}
			servertest.Contains(t, "the resources", c.Must("resources/list", `{}`), `"notes:all"`)
			servertest.Contains(t, "the resource", c.Must("resources/read", `{"uri":"notes:all"}`), `"text":"a"`)
		})
	}
}

// described returns the description of a tool.
func described(s *server.Server, name string) string {
	for i := range s.Items() {
		if tool, ok := i.Definition.(*mcp.Tool); ok && tool.Name == name {
			return tool.Description
		}
	}
	return ""
}
