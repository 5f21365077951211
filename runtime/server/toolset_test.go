package server

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newSelectable returns a server with tools of two groups, and one of a feature.
func newSelectable(t *testing.T) *Server {
	s := newServer(nil)
	reads := &mcp.ToolAnnotations{ReadOnlyHint: new(true)}
	add(t, s.AddTool(mcp.Tool{Name: "core"}, says("")))
	add(t, s.AddTool(mcp.Tool{Name: "file_get", Annotations: reads}, says(""), Access{Group: "files"}))
	add(t, s.AddTool(mcp.Tool{Name: "file_put"}, says(""), Access{Group: "files"}))
	add(t, s.AddTool(mcp.Tool{Name: "issue_get", Annotations: reads, Description: "old"}, says(""), Access{Group: "issues"}))
	add(t, s.AddTool(mcp.Tool{Name: "issue_merge"}, says(""), Access{Group: "issues", Feature: "beta"}))
	add(t, s.AddPrompt(mcp.Prompt{Name: "core"}, noPrompt))
	add(t, s.AddPrompt(mcp.Prompt{Name: "files"}, noPrompt, Access{Group: "files"}))
	return s
}

// A toolset holds in lists and calls, in every revision.
//
// REQ TOOL-26
func TestToolset(t *testing.T) {
	s := newSelectable(t)
	all := []string{"core", "file_get", "file_put", "issue_get", "issue_merge"}
	for _, test := range []struct {
		set  Toolset
		want string
	}{
		{Toolset{}, "core file_get file_put issue_get; prompts 2"},
		{Toolset{Features: []string{"beta"}}, "core file_get file_put issue_get issue_merge; prompts 2"},
		{Toolset{Groups: []string{"files"}}, "core file_get file_put; prompts 2"},
		{Toolset{Groups: []string{"issues"}}, "core issue_get; prompts 1"},
		{Toolset{Groups: []string{"issues", "files"}, Features: []string{"beta"}}, "core file_get file_put issue_get issue_merge; prompts 2"},
		{Toolset{Groups: []string{"issues"}, Enable: []string{"file_put"}, Disable: []string{"core"}}, "file_put issue_get; prompts 1"},
		{Toolset{Disable: []string{"*"}, Enable: []string{"core", "issue_m*"}}, "core issue_merge; prompts 2"},
		{Toolset{Disable: []string{"file_*"}, Enable: []string{"file_get"}}, "core file_get issue_get; prompts 2"},
		{Toolset{ReadOnly: true, Enable: []string{"core"}}, "file_get issue_get; prompts 2"},
	} {
		add(t, s.SetToolset(test.set))
		everyRevision(t, func(t *testing.T, rev wire.Revision) {
			c := newClient(t, s, rev, `{}`)
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
					equal(t, name, err.Message, `unknown tool "`+name+`"`)
				}
			}
			listedPrompts := bare(c.Must("prompts/list", `{}`))
			prompts := strings.Count(listedPrompts, `"name":`)
			_, err := c.Call("prompts/get", `{"name":"files"}`)
			if listed := strings.Contains(listedPrompts, `"files"`); listed != (err == nil) {
				t.Errorf("%+v: the prompt files: listed %t, but getting it fails by %v", test.set, listed, err)
			}
			equal(t, fmt.Sprintf("%+v", test.set), fmt.Sprintf("%s; prompts %d", strings.Join(got, " "), prompts), test.want)
		})
	}
}

// Clients learn when the selection changes while the server runs.
func TestToolsetChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSelectable(t)
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		c.Must("tools/list", `{}`) // which is kept
		set := s.Toolset()
		set.Tools = map[string]ToolText{"issue_get": {Title: "Issue", Description: "new"}}
		add(t, s.SetToolset(set))
		step := func(what, want string) {
			t.Helper()
			settle()
			equal(t, what, strings.Join(c.Seen(), " "), want)
		}
		step("texts", "notifications/tools/list_changed {}")
		contains(t, "list", c.Must("tools/list", `{}`), `"title":"Issue","description":"new"`)
		equal(t, "Tool", s.Tool(t.Context(), &Call{server: s}, "issue_get").Description, "new")
		set.Groups = []string{"files"}
		add(t, s.SetToolset(set))
		step("groups", "notifications/tools/list_changed {} notifications/prompts/list_changed {}")
		set.Groups[0] = "issues"
		if got := s.Toolset(); got.Groups[0] != "files" {
			t.Error("the server's toolset is the caller's")
		}
	})
}

func TestToolsetMistakes(t *testing.T) {
	s := newSelectable(t)
	for want, set := range map[string]Toolset{
		`there is no tool "file_delete"; there are core, file_get, file_put, issue_get, issue_merge`: {Disable: []string{"file_delete"}},
		`there is no tool "x"; there are`:                   {Enable: []string{"x"}},
		`there is no tool "y"; there are`:                   {Tools: map[string]ToolText{"y": {}}},
		`there is no group "file"; there are files, issues`: {Groups: []string{"file"}},
		`there is no feature "alpha"; there are beta`:       {Features: []string{"alpha"}},
		`there is no feature ""; there are beta`:            {Features: []string{""}},
		`tool "[": syntax error in pattern`:                 {Enable: []string{"["}},
	} {
		if err := s.SetToolset(set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if got := s.Toolset(); !reflect.DeepEqual(got, Toolset{}) {
		t.Errorf("after mistakes the toolset is %+v", got)
	}
	if err := newServer(nil).SetToolset(Toolset{Groups: []string{"a"}}); err == nil || !strings.Contains(err.Error(), `there is no group "a"; there are none at all`) {
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
	parse := func(args ...string) (Toolset, error) {
		var set Toolset
		fs := flag.NewFlagSet("test", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		set.Flags(fs)
		return set, fs.Parse(args)
	}
	write(`{"groups":["c"],"readOnly":true,"tools":{"a":{"title":"A"}}}`)
	got, err := parse("--enable", "a,b", "--groups=x", "--toolset", file, "--disable=d", "--disable=e", "--features", "f")
	want := Toolset{Groups: []string{"x", "c"}, Features: []string{"f"}, Enable: []string{"a", "b"}, Disable: []string{"d", "e"}, ReadOnly: true,
		Tools: map[string]ToolText{"a": {Title: "A"}}}
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
	if _, err := parse("--toolset", file+"x"); err == nil {
		t.Error("a file that does not exist is no error")
	}
}

// What is a tool and a resource stays a resource where the tool is not selected: reading changes nothing.
func TestToolsetLeavesResources(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "notes", Annotations: &mcp.ToolAnnotations{DestructiveHint: new(true)}}, says("a")))
	add(t, s.AddResource(mcp.Resource{URI: "notes:all", Name: "notes"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
		return TextResource("text/plain", "a"), nil
	}))
	for _, set := range []Toolset{{ReadOnly: true}, {Disable: []string{"*"}}} {
		add(t, s.SetToolset(set))
		everyRevision(t, func(t *testing.T, rev wire.Revision) {
			c := newClient(t, s, rev, `{}`)
			if _, err := c.Call("tools/call", `{"name":"notes"}`); err == nil {
				t.Errorf("%+v: the tool can be called", set)
			}
			contains(t, "the resources", c.Must("resources/list", `{}`), `"notes:all"`)
			contains(t, "the resource", c.Must("resources/read", `{"uri":"notes:all"}`), `"text":"a"`)
		})
	}
}
