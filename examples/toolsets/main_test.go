package main

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/toolset"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// start returns a server as the command line selects its tools.
func start(t *testing.T, args ...string) *server.Server {
	t.Helper()
	var selection toolset.Selection
	fs := flag.NewFlagSet("toolsets", flag.ContinueOnError)
	selection.Flags(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	s, err := newServer(selection)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connect connects a client whose user responds to forms by an action, or that has no forms.
func connect(t *testing.T, s *server.Server, rev wire.Revision, action mcp.ElicitResultAction, asked *[]string) *mcptest.Client {
	o := &mcptest.Options{Revision: rev}
	if action != "" {
		o.Client.Elicit = elicit.Handler{Form: func(_ context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			*asked = append(*asked, p.Message)
			r := &mcp.ElicitResult{Action: action}
			if action == mcp.ElicitResultActionAccept && len(p.RequestedSchema.Properties) > 0 {
				return elicit.Accept(map[string]any{p.RequestedSchema.Properties[0].Name: "b"})
			}
			return r, nil
		}}
	}
	return mcptest.Connect(t, s, o)
}

// tools returns the names of the tools that a client sees.
func tools(t *testing.T, c *mcptest.Client) string {
	t.Helper()
	var names []string
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// call returns the text of a result, whether or not it is an error.
func call(t *testing.T, c *mcptest.Client, tool, arguments string) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool, Arguments: wire.Raw(arguments)})
	if err != nil {
		return err.Error()
	}
	return mcptest.Text(r)
}

// What the command line selects holds in lists and in calls, in every revision.
func TestSelection(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"", "clock_now notes_delete notes_find notes_list notes_write"},
		{"-read-only", "clock_now notes_find notes_list"},
		{"-groups notes -disable notes_delete", "clock_now notes_find notes_list notes_write"},
		{"-features beta -disable clock_*", "notes_delete notes_find notes_list notes_rename notes_write"},
		{"-disable * -enable notes_list,notes_rename", "notes_list notes_rename"},
		{"-toolset tools.json", "notes_delete notes_find notes_list notes_rename notes_write"},
	} {
		t.Run(test.args, func(t *testing.T) {
			mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
				var asked []string
				c := connect(t, start(t, strings.Fields(test.args)...), rev, mcp.ElicitResultActionAccept, &asked)
				want := test.want
				if rev < mcp.V2025_06_18 { // which have no elicitation
					want = strings.ReplaceAll(want, " notes_rename", "")
				}
				if rev < mcp.V2025_03_26 {
					want = strings.TrimPrefix(strings.TrimPrefix(want, "clock_now"), " ")
				}
				if got := tools(t, c); got != want {
					t.Errorf("tools %s, want %s", got, want)
				}
				if got := call(t, c, "notes_list", `{}`); strings.Contains(want, "notes_list") != strings.Contains(got, "result") {
					t.Errorf("notes_list: %s", got)
				}
				if got := call(t, c, "clock_now", `{}`); strings.Contains(want, "clock_now") != strings.Contains(got, "result") {
					t.Errorf("clock_now: %s", got)
				}
			})
		})
	}
}

// A person confirms a deletion in every revision that can ask; otherwise nothing is deleted.
func TestConfirmation(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		for _, test := range []struct {
			action mcp.ElicitResultAction
			want   string
		}{
			{"accept", `[]`},
			{"decline", `["a"]`},
			{"", `["a"]`},
		} {
			var asked []string
			c := connect(t, start(t), rev, test.action, &asked)
			c.CallText("notes_write", map[string]string{"name": "a", "text": "x"})
			if got := call(t, c, "notes_delete", `{}`); !strings.Contains(got, "name: required") || asked != nil {
				t.Errorf("wrong arguments: %s, after the questions %q", got, asked)
			}
			got := call(t, c, "notes_delete", `{"name":"a"}`)
			want := test.want
			switch able := rev >= mcp.V2025_06_18; {
			case test.action == "" || !able:
				want = `["a"]`
				if !strings.Contains(got, "this client cannot ask") || asked != nil {
					t.Errorf("%s, after the questions %q", got, asked)
				}
			case !slices.Equal(asked, []string{"Delete the note a?"}):
				t.Errorf("the user was asked %q", asked)
			case test.action == "decline" && got != "not confirmed: the user declined":
				t.Errorf("declined: %s", got)
			}
			if list := c.CallText("notes_list", nil); !strings.Contains(list, want) {
				t.Errorf("%q: %s, and the notes are %s, want %s", test.action, got, list, want)
			}
		}
	})
}

// What needs elicitation is hidden from clients without it, and refused to them.
func TestNeeds(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		s := start(t, "-features", "beta")
		able := connect(t, s, rev, mcp.ElicitResultActionAccept, new([]string))
		able.CallText("notes_write", map[string]string{"name": "a", "text": "x"})
		unable := connect(t, s, rev, "", nil)
		if strings.Contains(tools(t, unable), "notes_rename") {
			t.Error("a tool that needs elicitation is listed for a client without it")
		}
		if got := call(t, unable, "notes_rename", `{"name":"a"}`); !strings.Contains(got, "elicitation") {
			t.Errorf("without elicitation: %s", got)
		}
		if rev < mcp.V2025_06_18 {
			return
		}
		if got := call(t, able, "notes_rename", `{"name":"a"}`); got != "renamed to b" {
			t.Errorf("with elicitation: %s", got)
		}
	})
}

// Icons, _meta, annotations, other texts, and what Define changes, as far as a revision has them.
func TestDefinitions(t *testing.T) {
	c := connect(t, start(t, "-toolset", "tools.json"), mcp.V2025_11_25, "", nil)
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		switch tool.Name {
		case "notes_list":
			if tool.Title != "My notes" || tool.Description != "Lists my notes. Call it first." || string(tool.Meta["com.example/cost"]) != `"low"` ||
				len(tool.Icons) != 1 || !strings.HasPrefix(tool.Icons[0].Src, "data:image/svg+xml;base64,") {
				t.Errorf("%+v", tool)
			}
		case "notes_write":
			if tool.Title != "Office: notes_write" {
				t.Errorf("title %q", tool.Title)
			}
		}
	}
	for r, err := range c.Resources(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Annotations.GetPriority() != 0.5 || !slices.Equal(r.Annotations.Audience, []mcp.Role{mcp.RoleAssistant}) {
			t.Errorf("annotations %+v", r.Annotations)
		}
	}
}

func TestMistake(t *testing.T) {
	_, err := newServer(toolset.Selection{Disable: []string{"notes_delte"}})
	if err == nil || !strings.Contains(err.Error(), `there is no tool "notes_delte"; there are clock_now, notes_delete,`) {
		t.Error(err)
	}
}
