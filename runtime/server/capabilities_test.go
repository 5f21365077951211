package server

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func noPrompt(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) {
	return nil, nil
}

func noResource(context.Context, *Call, string) (*mcp.ReadResourceResult, error) { return nil, nil }

func capabilities(c *client) string {
	if c.Rev >= mcp.Modern {
		var r mcp.DiscoverResult
		if err := r.UnmarshalJSON([]byte(c.Must("server/discover", ""))); err != nil {
			c.T.Fatal(err)
		}
		raw, _ := wire.Marshal(wire.Any, &r.Capabilities)
		return string(raw)
	}
	fresh := strangerTo(c.T, c.s, c.Rev, `{}`)
	var r mcp.InitializeResult
	result := fresh.Must("initialize", `{"protocolVersion":"`+c.Rev.String()+`","capabilities":{},"clientInfo":{"name":"c","version":"2"}}`)
	if err := r.UnmarshalJSON([]byte(result)); err != nil {
		c.T.Fatal(err)
	}
	raw, _ := wire.Marshal(wire.Any, &r.Capabilities)
	return string(raw)
}

// REQ CAP-02, CAP-03, CAP-06, LOG-01, TOOL-01, RES-01, PRM-01, COMP-01
func TestCapabilitiesAreComputed(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		caps := func(o *Options, register func(*Server) error) string {
			s := newServer(o)
			if register != nil {
				add(t, register(s))
			}
			return capabilities(newClient(t, s, rev, `{}`))
		}
		equal(t, "zero", caps(nil, nil), `{}`)
		equal(t, "tools", caps(nil, func(s *Server) error { return s.AddTool(mcp.Tool{Name: "a"}, says("a")) }),
			`{"tools":{"listChanged":true}}`)
		equal(t, "prompts", caps(nil, func(s *Server) error { return s.AddPrompt(mcp.Prompt{Name: "a"}, noPrompt) }),
			`{"prompts":{"listChanged":true}}`)
		equal(t, "resources", caps(nil, func(s *Server) error {
			return s.AddResource(mcp.Resource{URI: "a:b", Name: "a"}, noResource)
		}), `{"resources":{"listChanged":true}}`)
		equal(t, "subscriptions", caps(&Options{OnSubscribe: func(context.Context, *Call, string) error { return nil }}, nil),
			`{"resources":{"subscribe":true,"listChanged":true}}`)
		equal(t, "logging", caps(&Options{Logging: true}, nil), `{"logging":{}}`)
		completions := `{"completions":{},"prompts":{"listChanged":true}}`
		if rev == mcp.V2024_11_05 { // has no such capability
			completions = `{"prompts":{"listChanged":true}}`
		}
		equal(t, "completions", caps(nil, func(s *Server) error {
			complete := func(context.Context, *Call, string, map[string]string) ([]string, error) { return nil, nil }
			if err := s.CompletePrompt("p", "a", complete); err == nil || err.Error() != `server: CompletePrompt: prompt "p": there is none; add it first` {
				t.Errorf("without the prompt: %v", err)
			}
			add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, noPrompt))
			add(t, s.CompletePrompt("p", "a", complete))
			s.RemovePrompts("p")
			return nil
		}), completions)
		equal(t, "declared", caps(&Options{Capabilities: mcp.ServerCapabilities{
			Tools:        &mcp.ServerCapabilitiesTools{},
			Experimental: map[string]wire.Raw{"x": wire.Raw(`{"y":1}`)},
		}}, nil), `{"experimental":{"x":{"y":1}},"tools":{"listChanged":true}}`)
	})
}

// REQ CAP-06, RES-01: who cannot be notified is offered no notifications.
func TestCapabilitiesWithoutNotifications(t *testing.T) {
	s := newServer(&Options{OnSubscribe: func(context.Context, *Call, string) error { return nil }})
	caps := s.capabilities(&Call{server: s, req: new(transport.Request), rev: mcp.V2025_11_25}, false)
	if r := caps.Resources; r == nil || r.Subscribe != nil || r.ListChanged != nil {
		t.Errorf("got %+v", r)
	}
}

// REQ JRPC-19, CAP-11, TOOL-02, RES-02, PRM-02
func TestMethodsNeedTheirCapability(t *testing.T) {
	requests := []struct{ method, params string }{
		{"tools/list", `{}`}, {"tools/call", `{"name":"a"}`},
		{"prompts/list", `{}`}, {"prompts/get", `{"name":"a"}`},
		{"resources/list", `{}`}, {"resources/templates/list", `{}`}, {"resources/read", `{"uri":"a:b"}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":""}}`},
		{"logging/setLevel", `{"level":"info"}`},
		{"resources/subscribe", `{"uri":"a:b"}`}, {"resources/unsubscribe", `{"uri":"a:b"}`},
	}
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, newServer(nil), rev, `{}`)
		for _, r := range requests {
			c.Fails(r.method, r.params, codeNotFound)
		}
		// Declared, but empty.
		s := newServer(&Options{Capabilities: mcp.ServerCapabilities{
			Tools: &mcp.ServerCapabilitiesTools{}, Prompts: &mcp.ServerCapabilitiesPrompts{}, Resources: &mcp.ServerCapabilitiesResources{},
		}})
		c = newClient(t, s, rev, `{}`)
		equal(t, "tools", bare(c.Must("tools/list", `{}`)), `{"tools":[]}`)
		equal(t, "prompts", bare(c.Must("prompts/list", `{}`)), `{"prompts":[]}`)
		equal(t, "resources", bare(c.Must("resources/list", `{}`)), `{"resources":[]}`)
		equal(t, "templates", bare(c.Must("resources/templates/list", `{}`)), `{"resourceTemplates":[]}`)
	})
}

// A session that has no way to be told anything is promised nothing.
//
// REQ TOOL-01, PRM-01, RES-01
func TestStatelessInitialize(t *testing.T) {
	s := newServer(&Options{OnSubscribe: func(context.Context, *Call, string) error { return nil }})
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
	add(t, s.AddPrompt(mcp.Prompt{Name: "a"}, noPrompt))
	add(t, s.AddResource(mcp.Resource{URI: "a:b", Name: "a"}, noResource))
	r := &transport.Request{ID: wire.IntID(1), Method: "initialize", Params: wire.Raw(hello)}
	got, err := NewEndpoint(s).ServeRequest(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "result", string(got), `{"protocolVersion":"2025-06-18","capabilities":{"prompts":{},"resources":{},"tools":{}},"serverInfo":{"name":"test","version":"1"}}`)
}

// What the options declare stays what it was, and is declared with what there is.
//
// REQ EXT-01
func TestDeclaredByOptions(t *testing.T) {
	given := mcp.ServerCapabilities{
		Completions: mcp.JSONObject{"a": wire.Raw("1")}, Logging: mcp.JSONObject{"b": wire.Raw("2")}, Extensions: map[string]wire.Raw{"a.b/own": wire.Raw("{}")},
	}
	s := newServer(&Options{Capabilities: given})
	add(t, s.AddExtension(Extension{ID: "a.b/c"}))
	add(t, s.AddExtension(Extension{ID: "a.b/d", Settings: wire.Raw(`{"v":1}`)}))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	equal(t, "capabilities", capabilities(strangerTo(t, s, mcp.V2025_11_25, `{}`)), `{"logging":{"b":2},"completions":{"a":1},"extensions":{"a.b/c":{},"a.b/d":{"v":1},"a.b/own":{}}}`)
	c.Must("logging/setLevel", `{"level":"info"}`)
	c.Fails("completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`, codeInvalidParams)
	count(t, "extensions of the options", len(given.Extensions), 1)
	if err := s.AddExtension(Extension{ID: "a.b/e", Settings: wire.Raw(`7`)}); err == nil {
		t.Error("settings that are no object")
	}
}
