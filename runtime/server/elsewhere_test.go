package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
)

// Clients of another process are notified of each change once, and only of what they subscribe to.
//
// REQ SUB-02
func TestChangedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		process := func() *Server {
			s := newServer(&Options{OnSubscribe: func(context.Context, *Call, string) error { return nil }})
			add(t, s.AddTool(mcp.Tool{Name: "t"}, says("t")))
			for _, uri := range []string{"a:1", "a:2", "a:3"} {
				add(t, s.AddResource(mcp.Resource{URI: uri, Name: uri}, noResource))
			}
			return s
		}
		one, two := process(), process()
		stop := NewEndpoint(one).OnChange(func(c Change) {
			data, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			var same Change
			if err := json.Unmarshal(data, &same); err != nil {
				t.Fatal(err)
			}
			NewEndpoint(two).Changed(same)
		})
		NewEndpoint(two).OnChange(func(c Change) { t.Errorf("the other process passes on what it was told: %v", c) })

		own := newClient(t, one, mcp.V2025_11_25, `{}`)
		session, listener, deaf := newClient(t, two, mcp.V2025_11_25, `{}`), newClient(t, two, mcp.V2026_07_28, `{}`), newClient(t, two, mcp.V2026_07_28, `{}`)
		for _, c := range []*client{own, session} {
			c.Must("resources/subscribe", `{"uri":"a:1"}`)
			c.Must("resources/subscribe", `{"uri":"a:2"}`)
		}
		_, end := listen(listener, `{"toolsListChanged":true,"resourceSubscriptions":["a:2"]}`)
		_, endOfDeaf := listen(deaf, `{}`)
		listener.Seen()
		deaf.Seen()

		meta := `"_meta":{"io.modelcontextprotocol/subscriptionId":1}`
		tools, resources := "notifications/tools/list_changed {}", "notifications/resources/list_changed {}"
		updated := func(uri string) string { return `notifications/resources/updated {"uri":"` + uri + `"}` }
		step := func(what string, change func(), owns, sessions string, listeners ...string) {
			t.Helper()
			change()
			settle()
			equal(t, what+": own session", strings.Join(own.Seen(), " "), owns)
			equal(t, what+": session", strings.Join(session.Seen(), " "), sessions)
			equal(t, what+": listener", strings.Join(listener.Seen(), " "), strings.Join(listeners, " "))
			equal(t, what+": nothing", strings.Join(deaf.Seen(), " "), "")
		}
		listed, changed := `notifications/tools/list_changed {`+meta+`}`, `notifications/resources/updated {`+meta+`,"uri":"a:2"}`
		step("tool", func() { add(t, one.AddTool(mcp.Tool{Name: "more"}, says(""))) }, tools, tools, listed)
		step("tool is gone", func() { one.RemoveTools("more") }, tools, tools, listed)
		step("no tool is gone", func() { one.RemoveTools("more") }, "", "")
		step("updated", func() { one.ResourceUpdated("a:1") }, updated("a:1"), updated("a:1"))
		step("both", func() { one.ResourceUpdated("a:2"); one.ResourceUpdated("a:2"); one.ResourcesChanged() },
			resources+" "+updated("a:2"), resources+" "+updated("a:2"), changed)
		step("nobody subscribes to it", func() { one.ResourceUpdated("a:3") }, "", "")
		step("anything", func() { NewEndpoint(two).Changed(Change{Any: true}) }, "",
			tools+" "+resources+" "+updated("a:1")+" "+updated("a:2"), listed, changed)
		stop()
		step("stopped", one.ToolsChanged, tools, "")

		add(t, one.Shutdown(t.Context()))
		add(t, two.Shutdown(t.Context()))
		<-end
		<-endOfDeaf
	})
}

// Changes of a mounted server are those of the server it is mounted on, in both directions.
func TestMountedChangesElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, outer := newServer(nil), newServer(nil)
		add(t, inner.AddTool(mcp.Tool{Name: "t"}, says("t")))
		add(t, outer.Mount("n_", inner))
		var heard []Change
		NewEndpoint(outer).OnChange(func(c Change) { heard = append(heard, c) })
		c := newClient(t, outer, mcp.V2025_11_25, `{}`)
		add(t, inner.AddTool(mcp.Tool{Name: "late"}, says("")))
		inner.ResourceUpdated("a:1")
		equal(t, "heard", fmt.Sprint(heard), "[{true false false [] false} {false false false [a:1] false}]")
		settle()
		c.Seen()
		NewEndpoint(inner).Changed(Change{Tools: true})
		settle()
		equal(t, "told", fmt.Sprint(c.Seen()), "[notifications/tools/list_changed {}]")
		equal(t, "heard", fmt.Sprint(len(heard)), "2")
	})
}
