package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
)

// Clients of another process are notified of each change once, and only of what they subscribe to.
//
// REQ SUB-02
func TestChangedRelayed(t *testing.T) {
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
			same.Relayed = true
			two.Changed(same)
		})
		NewEndpoint(two).OnChange(func(c Change) {
			if !c.Relayed {
				t.Errorf("the other process passes on what it was told: %v", c)
			}
		})

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
		step("both", func() { one.ResourceUpdated("a:2"); one.ResourceUpdated("a:2"); one.Changed(Change{Resources: true}) },
			resources+" "+updated("a:2"), resources+" "+updated("a:2"), changed)
		step("nobody subscribes to it", func() { one.ResourceUpdated("a:3") }, "", "")
		step("anything", func() { two.Changed(Change{Any: true, Relayed: true}) }, "",
			tools+" "+resources+" "+updated("a:1")+" "+updated("a:2"), listed, changed)
		stop()
		step("stopped", func() { one.Changed(Change{Tools: true}) }, tools, "")

		add(t, one.Shutdown(t.Context()))
		add(t, two.Shutdown(t.Context()))
		<-end
		<-endOfDeaf
	})
}
