package server

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newNotes returns a server with one of each kind.
func newNotes(t *testing.T) *Server {
	s := New(mcp.Implementation{Name: "notes", Version: "1"}, &Options{Logger: quiet})
	add(t, s.AddTool(mcp.Tool{Name: "add"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		r, err := c.Elicit(ctx, form("Text?", "text"))
		if err != nil {
			return nil, err
		}
		return TextResult("added " + string(r.Content["text"])), nil
	}))
	add(t, s.AddTool(mcp.Tool{Name: "beta"}, says(""), Access{Feature: "beta"}))
	add(t, s.AddTool(mcp.Tool{Name: "guarded"}, says("secret"), Access{Scopes: []string{"notes"}}))
	add(t, s.AddPrompt(mcp.Prompt{Name: "sum", Arguments: []mcp.PromptArgument{{Name: "x"}}}, noPrompt))
	add(t, s.AddResource(mcp.Resource{URI: "notes:all", Name: "all"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
		return TextResource("", "all"), nil
	}))
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "note:{id}", Name: "note"}, prefix("note:"), func(_ context.Context, _ *Call, _ string, vars map[string]string) (*mcp.ReadResourceResult, error) {
		return TextResource("", "note "+vars["x"]), nil
	}))
	yes := func(context.Context, *Call, string, map[string]string) ([]string, error) { return []string{"yes"}, nil }
	add(t, s.CompletePrompt("sum", "x", yes))
	add(t, s.CompleteTemplate("note:{id}", "id", yes))
	return s
}

// What is mounted is listed, called, read and completed as if it were the server's own, in every revision.
func TestMount(t *testing.T) {
	notes := newNotes(t)
	middle := newServer(nil)
	s := newServer(nil)
	add(t, s.Mount("b_", middle)) // before it has anything
	add(t, middle.Mount("a_", notes))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{"elicitation":{}}`)
		list := c.Must("tools/list", `{}`)
		contains(t, "tools", list, `"name":"b_a_add"`)
		if strings.Contains(list, `beta`) {
			t.Errorf("a feature is listed: %s", list)
		}
		contains(t, "unknown", c.Fails("tools/call", `{"name":"add"}`, codeInvalidParams).Message, "unknown tool")
		if rev >= mcp.V2025_06_18 {
			result, _ := c.Complete("tools/call", `{"name":"b_a_add"}`, func(string, wire.Raw) string { return `{"action":"accept","content":{"text":"hi"}}` })
			contains(t, "call", result, `added \"hi\"`)
		}
		contains(t, "prompts", c.Must("prompts/list", `{}`), `"name":"b_a_sum"`)
		c.Must("prompts/get", `{"name":"b_a_sum"}`)
		contains(t, "resources", c.Must("resources/list", `{}`), `"uri":"notes:all"`)
		contains(t, "templates", c.Must("resources/templates/list", `{}`), `"uriTemplate":"note:{id}"`)
		contains(t, "resource", c.Must("resources/read", `{"uri":"notes:all"}`), `"all"`)
		contains(t, "template", c.Must("resources/read", `{"uri":"note:7"}`), `"note 7"`)
		contains(t, "completion", c.Must("completion/complete", `{"ref":{"type":"ref/prompt","name":"b_a_sum"},"argument":{"name":"x","value":""}}`), `"yes"`)
		contains(t, "completion", c.Must("completion/complete", `{"ref":{"type":"ref/resource","uri":"note:{id}"},"argument":{"name":"id","value":""}}`), `"yes"`)
		c.Address = "192.0.2.1:1"
		if _, err := c.Call("tools/call", `{"name":"b_a_guarded"}`); err == nil || !strings.Contains(err.Message, "scope") {
			t.Errorf("the scopes of a mounted tool are not required: %v", err)
		}
	})
	add(t, s.SetToolset(Toolset{Features: []string{"beta"}}))
	newClient(t, s, mcp.V2025_11_25, `{}`).Must("tools/call", `{"name":"b_a_beta"}`)
}

// What a mounted server adds, removes and selects reaches the clients.
func TestMountChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		notes := newNotes(t)
		s := newServer(&Options{
			Logger:       slog.New(slog.NewTextHandler(&log, nil)),
			Capabilities: mcp.ServerCapabilities{Resources: &mcp.ServerCapabilitiesResources{Subscribe: new(true)}},
		})
		add(t, s.AddTool(mcp.Tool{Name: "n_own"}, says("own")))
		add(t, s.Mount("n_", notes))
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		step := func(want string) string {
			t.Helper()
			settle()
			equal(t, "notified", strings.Join(c.Seen(), " "), want)
			return c.Must("tools/list", `{}`)
		}
		const changed = "notifications/tools/list_changed {}"
		add(t, notes.AddTool(mcp.Tool{Name: "late"}, says("late")))
		contains(t, "added", step(changed), `"n_late"`)
		contains(t, "called", c.Must("tools/call", `{"name":"n_late"}`), `"late"`)
		notes.RemoveTools("late")
		if list := step(changed); strings.Contains(list, "n_late") {
			t.Errorf("a tool that was removed is listed: %s", list)
		}
		c.Fails("tools/call", `{"name":"n_late"}`, codeInvalidParams)
		add(t, notes.SetToolset(Toolset{Disable: []string{"add"}, Features: []string{"beta"}, Tools: map[string]ToolText{"guarded": {Description: "told"}}}))
		settle()
		c.Seen()
		list := step("")
		contains(t, "feature", list, `"n_beta"`)
		contains(t, "text", list, `"told"`)
		if strings.Contains(list, `"n_add"`) {
			t.Errorf("a tool that its server does not offer is listed: %s", list)
		}
		add(t, notes.AddTool(mcp.Tool{Name: "own"}, says("")))
		contains(t, "log", log.String(), `level=ERROR msg="mcp: an item of a mounted server is left out" mounted=notes error="tool \"n_own\": there is one already`)
		contains(t, "own", c.Must("tools/call", `{"name":"n_own"}`), `"own"`)
		settle()
		c.Seen()
		c.Must("resources/subscribe", `{"uri":"notes:all"}`)
		notes.ResourceUpdated("notes:all")
		step(`notifications/resources/updated {"uri":"notes:all"}`)
		c.session.Close()
	})
}

// The outer server's Define sees what is mounted, under the names that clients see, and must not break it.
func TestMountDefine(t *testing.T) {
	var log strings.Builder
	broken := ""
	s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Define: func(item any) {
		switch v := item.(type) {
		case *mcp.Tool:
			v.Title = "T " + v.Name
			if v.Name == broken {
				v.Name = "other"
			}
		case *mcp.Prompt:
			v.Title = "P " + v.Name
		case *mcp.Resource:
			v.Title = "R " + v.URI
		case *mcp.ResourceTemplate:
			v.Title = "U " + v.URITemplate
		}
	}})
	notes := newNotes(t)
	add(t, s.Mount("n_", notes))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	contains(t, "tools", c.Must("tools/list", `{}`), `"title":"T n_add"`)
	contains(t, "prompts", c.Must("prompts/list", `{}`), `"title":"P n_sum"`)
	contains(t, "resources", c.Must("resources/list", `{}`), `"title":"R notes:all"`)
	contains(t, "templates", c.Must("resources/templates/list", `{}`), `"title":"U note:{id}"`)
	if list := newClient(t, notes, mcp.V2025_11_25, `{}`).Must("tools/list", `{}`); strings.Contains(list, "title") {
		t.Errorf("the mounted server's own definitions are changed: %s", list)
	}

	broken = "n_late"
	add(t, notes.AddTool(mcp.Tool{Name: "late"}, says("")))
	contains(t, "log", log.String(), `Options.Define has changed the name or URI`)
	if list := c.Must("tools/list", `{}`); strings.Contains(list, "late") || strings.Contains(list, "other") {
		t.Errorf("a definition that is broken is listed: %s", list)
	}
	if err := newServer(&Options{Define: s.opts.Define}).Mount("n_", notes); err == nil || !strings.Contains(err.Error(), `"n_late" to "other"`) {
		t.Error(err)
	}
}

func TestMountMistakes(t *testing.T) {
	s, notes := newServer(nil), newNotes(t)
	add(t, s.AddTool(mcp.Tool{Name: "n_add"}, says("")))
	guarded := newServer(&Options{Visible: func(context.Context, *Call, any) bool { return true }})
	inner := newServer(nil)
	add(t, inner.Mount("", s))
	for want, err := range map[string]error{
		`server: Mount: tool "n_add": there is one already; remove it first, or choose another name`: s.Mount("n_", notes),
		"server: Mount: want a server, got nil":                                                      s.Mount("", nil),
		"server: Mount: test has Visible or Middleware":                                              s.Mount("", guarded),
		"server: Mount: test is test, or is mounted on it":                                           s.Mount("", s),
		"server: Mount: test is test, or is mounted on it ":                                          s.Mount("", inner),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	equal(t, "after a mistake", strings.Join(strings.Split(bare(c.Must("tools/list", `{}`)), `"name"`)[1:], ""), `:"n_add","inputSchema":{"type":"object","additionalProperties":false}}]}`)
	add(t, notes.AddTool(mcp.Tool{Name: "more"}, says("")))
	if list := c.Must("tools/list", `{}`); strings.Contains(list, "more") {
		t.Errorf("what could not be mounted is listed: %s", list)
	}
}
