package mount

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/toolset"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newNotes returns a server with one of each kind.
func newNotes(t *testing.T, opts *server.Options) *server.Server {
	s := server.New(mcp.Implementation{Name: "notes", Version: "1"}, opts)
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "add"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		r, err := c.Elicit(ctx, servertest.Form("Text?", "text"))
		if err != nil {
			return nil, err
		}
		return server.TextResult("added " + string(r.Content["text"])), nil
	}))
	servertest.Check(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "beta"}, Handler: roomtest.Says(""), Access: server.Access{Features: []string{"beta"}}}))
	servertest.Check(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "guarded"}, Handler: roomtest.Says("secret"), Access: server.Access{Scopes: []string{"notes"}}}))
	servertest.Check(t, s.AddPrompt(mcp.Prompt{Name: "sum", Arguments: []mcp.PromptArgument{{Name: "x"}}}, roomtest.NoPrompt))
	servertest.Check(t, s.AddResource(mcp.Resource{URI: "notes:all", Name: "all"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("", "all"), nil
	}))
	servertest.Check(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "note:{id}", Name: "note"}, roomtest.Prefix("note:"), func(_ context.Context, _ *server.Call, _ string, vars map[string]string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("", "note "+vars["x"]), nil
	}))
	yes := func(context.Context, *server.Call, string, map[string]string) ([]string, error) {
		return []string{"yes"}, nil
	}
	servertest.Check(t, s.CompletePrompt("sum", "x", yes))
	servertest.Check(t, s.CompleteTemplate("note:{id}", "id", yes))
	return s
}

// What is mounted is listed, called, read and completed as if it were the server's own, in every revision.
func TestMount(t *testing.T) {
	notes := newNotes(t, nil)
	middle := roomtest.NewServer(nil)
	var tools toolset.Set
	s := roomtest.NewServer(tools.Options(nil))
	servertest.Check(t, On(s, "b_", middle)) // before it has anything
	servertest.Check(t, On(middle, "a_", notes))
	servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
		c := roomtest.NewClient(t, s, rev, `{"elicitation":{}}`)
		list := c.Must("tools/list", `{}`)
		servertest.Contains(t, "tools", list, `"name":"b_a_add"`)
		if strings.Contains(list, `beta`) {
			t.Errorf("a feature is listed: %s", list)
		}
		servertest.Contains(t, "unknown", c.Fails("tools/call", `{"name":"add"}`, mcp.CodeInvalidParams).Message, "unknown tool")
		if rev >= mcp.V2025_06_18 {
			result, _ := c.Complete("tools/call", `{"name":"b_a_add"}`, func(string, wire.Raw) string { return `{"action":"accept","content":{"text":"hi"}}` })
			servertest.Contains(t, "call", result, `added \"hi\"`)
		}
		servertest.Contains(t, "prompts", c.Must("prompts/list", `{}`), `"name":"b_a_sum"`)
		c.Must("prompts/get", `{"name":"b_a_sum"}`)
		servertest.Contains(t, "resources", c.Must("resources/list", `{}`), `"uri":"notes:all"`)
		servertest.Contains(t, "templates", c.Must("resources/templates/list", `{}`), `"uriTemplate":"note:{id}"`)
		servertest.Contains(t, "resource", c.Must("resources/read", `{"uri":"notes:all"}`), `"all"`)
		servertest.Contains(t, "template", c.Must("resources/read", `{"uri":"note:7"}`), `"note 7"`)
		servertest.Contains(t, "completion", c.Must("completion/complete", `{"ref":{"type":"ref/prompt","name":"b_a_sum"},"argument":{"name":"x","value":""}}`), `"yes"`)
		servertest.Contains(t, "completion", c.Must("completion/complete", `{"ref":{"type":"ref/resource","uri":"note:{id}"},"argument":{"name":"id","value":""}}`), `"yes"`)
		c.Address = "192.0.2.1:1"
		if _, err := c.Call("tools/call", `{"name":"b_a_guarded"}`); err == nil || !strings.Contains(err.Message, "scope") {
			t.Errorf("the scopes of a mounted tool are not required: %v", err)
		}
	})
	servertest.Check(t, tools.Use(s, toolset.Selection{Features: []string{"beta"}}))
	roomtest.NewClient(t, s, mcp.V2025_11_25, `{}`).Must("tools/call", `{"name":"b_a_beta"}`)
}

// What a mounted server adds, removes and selects reaches the clients.
func TestMountChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		var tools toolset.Set
		notes := newNotes(t, tools.Options(nil))
		s := roomtest.NewServer(&server.Options{
			Logger:       slog.New(slog.NewTextHandler(&log, nil)),
			Capabilities: mcp.ServerCapabilities{Resources: &mcp.ServerCapabilitiesResources{Subscribe: new(true)}},
		})
		servertest.Check(t, s.AddTool(mcp.Tool{Name: "n_own"}, roomtest.Says("own")))
		servertest.Check(t, On(s, "n_", notes))
		c := roomtest.NewClient(t, s, mcp.V2025_11_25, `{}`)
		step := func(want string) string {
			t.Helper()
			roomtest.Settle()
			servertest.Equal(t, "notified", strings.Join(c.Seen(), " "), want)
			return c.Must("tools/list", `{}`)
		}
		const changed = "notifications/tools/list_changed {}"
		servertest.Check(t, notes.AddTool(mcp.Tool{Name: "late"}, roomtest.Says("late")))
		servertest.Contains(t, "added", step(changed), `"n_late"`)
		servertest.Contains(t, "called", c.Must("tools/call", `{"name":"n_late"}`), `"late"`)
		notes.RemoveTools("late")
		if list := step(changed); strings.Contains(list, "n_late") {
			t.Errorf("a tool that was removed is listed: %s", list)
		}
		c.Fails("tools/call", `{"name":"n_late"}`, mcp.CodeInvalidParams)
		servertest.Check(t, tools.Use(notes, toolset.Selection{Disable: []string{"add"}, Features: []string{"beta"}, Tools: map[string]toolset.Text{"guarded": {Description: "told"}}}))
		roomtest.Settle()
		c.Seen()
		list := step("")
		servertest.Contains(t, "feature", list, `"n_beta"`)
		servertest.Contains(t, "text", list, `"told"`)
		if strings.Contains(list, `"n_add"`) {
			t.Errorf("a tool that its server does not offer is listed: %s", list)
		}
		servertest.Check(t, notes.AddTool(mcp.Tool{Name: "own"}, roomtest.Says("")))
		servertest.Contains(t, "log", log.String(), `level=ERROR msg="mcp: an item of a mounted server is left out" mounted=notes error="server: SetItems: tool \"n_own\": there is one already`)
		servertest.Contains(t, "own", c.Must("tools/call", `{"name":"n_own"}`), `"own"`)
		roomtest.Settle()
		c.Seen()
		c.Must("resources/subscribe", `{"uri":"notes:all"}`)
		notes.ResourceUpdated("notes:all")
		step(`notifications/resources/updated {"uri":"notes:all"}`)
		notes.Changed(server.Change{Any: true})
		roomtest.Settle()
		servertest.Contains(t, "notified", strings.Join(c.Seen(), " "), `notifications/resources/updated {"uri":"notes:all"}`)
	})
}

// The outer server's Define sees what is mounted, under the names that clients see, and must not break it.
func TestMountDefine(t *testing.T) {
	var log strings.Builder
	broken := ""
	s := roomtest.NewServer(&server.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Define: func(item any) {
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
	notes := newNotes(t, nil)
	servertest.Check(t, On(s, "n_", notes))
	c := roomtest.NewClient(t, s, mcp.V2025_11_25, `{}`)
	servertest.Contains(t, "tools", c.Must("tools/list", `{}`), `"title":"T n_add"`)
	servertest.Contains(t, "prompts", c.Must("prompts/list", `{}`), `"title":"P n_sum"`)
	servertest.Contains(t, "resources", c.Must("resources/list", `{}`), `"title":"R notes:all"`)
	servertest.Contains(t, "templates", c.Must("resources/templates/list", `{}`), `"title":"U note:{id}"`)
	if list := roomtest.NewClient(t, notes, mcp.V2025_11_25, `{}`).Must("tools/list", `{}`); strings.Contains(list, "title") {
		t.Errorf("the mounted server's own definitions are changed: %s", list)
	}

	broken = "n_late"
	servertest.Check(t, notes.AddTool(mcp.Tool{Name: "late"}, roomtest.Says("")))
	servertest.Contains(t, "log", log.String(), `Options.Define has changed the name or URI`)
	if list := c.Must("tools/list", `{}`); strings.Contains(list, "late") || strings.Contains(list, "other") {
		t.Errorf("a definition that is broken is listed: %s", list)
	}
	if err := On(roomtest.NewServer(&server.Options{Define: s.Options().Define}), "n_", notes); err == nil || !strings.Contains(err.Error(), `"n_late" to "other"`) {
		t.Error(err)
	}
}

// The filters of the mounted server decide about what they know: its own names, and the variables of its templates.
func TestMountFilters(t *testing.T) {
	notes := newNotes(t, &server.Options{Filters: []server.Filter{{Static: true, Admit: func(_ context.Context, _ *server.Call, i *server.Item) (bool, error) {
		switch d := i.Definition.(type) {
		case *mcp.Tool:
			return d.Name == "add", nil
		case *mcp.ResourceTemplate:
			return i.Vars["x"] != "8", nil
		}
		return true, nil
	}}}})
	s := roomtest.NewServer(&server.Options{Cache: server.Cache{Tools: server.CacheHint{Public: true}}})
	servertest.Check(t, On(s, "n_", notes))
	c := roomtest.NewClient(t, s, mcp.V2026_07_28, `{}`)
	list := c.Must("tools/list", `{}`)
	servertest.Contains(t, "the tool that it admits", list, `"n_add"`)
	servertest.Contains(t, "a filter that decides alike for all", list, `"cacheScope":"public"`)
	if strings.Contains(list, "beta") {
		t.Errorf("a tool that it does not admit is listed: %s", list)
	}
	servertest.Contains(t, "template", c.Must("resources/read", `{"uri":"note:7"}`), `"note 7"`)
	if _, err := c.Call("resources/read", `{"uri":"note:8"}`); err == nil {
		t.Error("a resource that the filter does not admit is read")
	}
}

// Each list follows that of the mounted server, and what is no change of a list is none.
func TestMountedLists(t *testing.T) {
	notes, s := newNotes(t, nil), roomtest.NewServer(nil)
	servertest.Check(t, On(s, "n_", notes))
	var heard string
	server.NewEndpoint(s).OnChange(func(c server.Change) {
		heard += fmt.Sprintf("%t %t %t%v; ", c.Tools, c.Prompts, c.Resources, c.Updated)
		if c.Any {
			heard += "any; "
		}
	})
	for _, test := range []struct {
		change func()
		want   string
	}{
		{func() {
			servertest.Check(t, notes.AddPrompt(mcp.Prompt{Name: "late", Arguments: []mcp.PromptArgument{{Name: "x"}}}, roomtest.NoPrompt))
		}, "false true false[]; "},
		{func() { notes.Changed(server.Change{Updated: []string{"a:1", "a:2"}}) }, "false false false[a:1 a:2]; "},
		{func() { notes.Changed(server.Change{Tools: true, Updated: []string{"a:1"}}) }, "true false false[]; false false false[a:1]; "},
		{func() { notes.Changed(server.Change{Prompts: true, Updated: []string{"a:1"}}) }, "false true false[]; false false false[a:1]; "},
		{func() { notes.Changed(server.Change{Resources: true, Updated: []string{"a:1"}}) }, "false false true[]; false false false[a:1]; "},
		{func() { notes.Changed(server.Change{Any: true, Updated: []string{"a:1"}}) }, "true false false[]; false true false[]; false false true[]; false false false[a:1]; any; "},
	} {
		heard = ""
		test.change()
		servertest.Equal(t, "heard", heard, test.want)
	}
	c := roomtest.NewClient(t, s, mcp.V2025_11_25, `{}`)
	servertest.Contains(t, "prompts", c.Must("prompts/list", `{}`), `"n_late"`)
	late := func(context.Context, *server.Call, string, map[string]string) ([]string, error) {
		return []string{"late"}, nil
	}
	servertest.Check(t, notes.CompletePrompt("late", "x", late))
	servertest.Contains(t, "completion", c.Must("completion/complete", `{"ref":{"type":"ref/prompt","name":"n_late"},"argument":{"name":"x","value":""}}`), `"late"`)
	servertest.Check(t, notes.CompleteTemplate("note:{id}", "of", late))
	servertest.Contains(t, "completion", c.Must("completion/complete", `{"ref":{"type":"ref/resource","uri":"note:{id}"},"argument":{"name":"of","value":""}}`), `"late"`)
}

// A long chain of servers is looked through in no time, and so is one that would become a ring.
func TestMountChain(t *testing.T) {
	first := roomtest.NewServer(nil)
	for n := range 10 {
		servertest.Check(t, first.AddTool(mcp.Tool{Name: fmt.Sprint("t", n)}, roomtest.Says("")))
	}
	last := first
	for range 12 {
		next := roomtest.NewServer(nil)
		servertest.Check(t, On(next, "", last))
		last = next
	}
	if err := On(first, "", last); err == nil {
		t.Error("a ring of servers is mounted")
	}
}

func TestMountMistakes(t *testing.T) {
	s, notes := roomtest.NewServer(nil), newNotes(t, nil)
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "n_add"}, roomtest.Says("")))
	guarded := roomtest.NewServer(&server.Options{Middleware: []server.Middleware{func(next server.Handler) server.Handler { return next }}})
	inner := roomtest.NewServer(nil)
	servertest.Check(t, On(inner, "", s))
	for want, err := range map[string]error{
		`mount: server: SetItems: tool "n_add": there is one already; remove it first, or choose another name`: On(s, "n_", notes),
		"mount: want a server, got nil":             On(s, "", nil),
		"mount: test has middleware":                On(s, "", guarded),
		"mount: test is test, or is mounted on it":  On(s, "", s),
		"mount: test is test, or is mounted on it ": On(s, "", inner),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	c := roomtest.NewClient(t, s, mcp.V2025_11_25, `{}`)
	servertest.Equal(t, "after a mistake", strings.Join(strings.Split(servertest.Bare(c.Must("tools/list", `{}`)), `"name"`)[1:], ""), `:"n_add","inputSchema":{"type":"object","additionalProperties":false}}]}`)
	servertest.Check(t, notes.AddTool(mcp.Tool{Name: "more"}, roomtest.Says("")))
	if list := c.Must("tools/list", `{}`); strings.Contains(list, "more") {
		t.Errorf("what could not be mounted is listed: %s", list)
	}
}

// Changes of a mounted server are those of the server it is mounted on, in both directions.
func TestMountedChangesElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, outer := roomtest.NewServer(nil), roomtest.NewServer(nil)
		servertest.Check(t, inner.AddTool(mcp.Tool{Name: "t"}, roomtest.Says("t")))
		servertest.Check(t, On(outer, "n_", inner))
		var heard []server.Change
		server.NewEndpoint(outer).OnChange(func(c server.Change) { heard = append(heard, c) })
		c := roomtest.NewClient(t, outer, mcp.V2025_11_25, `{}`)
		servertest.Check(t, inner.AddTool(mcp.Tool{Name: "late"}, roomtest.Says("")))
		inner.ResourceUpdated("a:1")
		servertest.Equal(t, "heard", fmt.Sprint(heard), "[{true false false [] false false} {false false false [a:1] false false}]")
		roomtest.Settle()
		c.Seen()
		inner.Changed(server.Change{Tools: true, Relayed: true})
		roomtest.Settle()
		servertest.Equal(t, "told", fmt.Sprint(c.Seen()), "[notifications/tools/list_changed {}]")
		servertest.Equal(t, "heard", fmt.Sprint(heard[2:]), "[{true false false [] false true}]")
	})
}
