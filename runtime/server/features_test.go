package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestPrompts(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddPrompt(mcp.Prompt{Name: "greet", Title: "Greet", Arguments: []mcp.PromptArgument{
		{Name: "who", Title: "Who", Required: new(true)}, {Name: "how"},
	}}, func(_ context.Context, _ *Call, args map[string]string) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{
			{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: args["who"] + "/" + args["how"]}},
		}}, nil
	}))
	add(t, s.AddPrompt(mcp.Prompt{Name: "broken"}, func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) {
		return nil, errors.New("no database")
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{}`)
		title, argTitle := `,"title":"Greet"`, `,"title":"Who"`
		if rev < mcp.V2025_06_18 {
			title, argTitle = "", ""
		}
		// REQ PRM-03
		equal(t, "list", bare(c.Must("prompts/list", `{}`)), `{"prompts":[{"name":"broken"},{"name":"greet"`+title+
			`,"arguments":[{"name":"who"`+argTitle+`,"required":true},{"name":"how"}]}]}`)
		// REQ PRM-04, PRM-05
		equal(t, "get", bare(c.Must("prompts/get", `{"name":"greet","arguments":{"who":"Ada"}}`)),
			`{"messages":[{"role":"user","content":{"type":"text","text":"Ada/"}}]}`)
		// REQ PRM-07, PRM-08
		equal(t, "unknown", c.Fails("prompts/get", `{"name":"x"}`, codeInvalidParams).Message, `unknown prompt "x"`)
		equal(t, "missing", c.Fails("prompts/get", `{"name":"greet","arguments":{"how":"x"}}`, codeInvalidParams).Message,
			`prompt "greet" requires the argument "who"`)
		c.Fails("prompts/get", `{"name":"greet","arguments":{"who":1}}`, codeInvalidParams)
		equal(t, "broken", c.Fails("prompts/get", `{"name":"broken"}`, codeInternal).Message, "no database")
	})
	if err := s.AddPrompt(mcp.Prompt{}, noPrompt); err == nil {
		t.Error("a prompt without a name was added")
	}
	if err := s.AddPrompt(mcp.Prompt{Name: "x"}, nil); err == nil {
		t.Error("a prompt without a handler was added")
	}
}

func TestResources(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddResource(mcp.Resource{URI: "file:///a", Name: "a", MIMEType: "text/plain", Size: new(int64(3))},
		func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
			return TextResource("text/plain", "abc"), nil
		}))
	add(t, s.AddResource(mcp.Resource{URI: "file:///blob", Name: "blob"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{
			&mcp.BlobResourceContents{Blob: wire.Base64{Text: "AAA="}}, &mcp.TextResourceContents{URI: "file:///part", Text: "x"},
		}}, nil
	}))
	for uri, data := range map[string][]byte{"file:///bytes": {0, 0xff}, "file:///empty": nil} {
		add(t, s.AddResource(mcp.Resource{URI: uri, Name: uri}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
			return BlobResource("image/png", data), nil
		}))
	}
	fails := func(uri string, err error) {
		add(t, s.AddResource(mcp.Resource{URI: uri, Name: "x"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
			return nil, err
		}))
	}
	fails("file:///nil", nil)
	fails("file:///gone", fmt.Errorf("open: %w", fs.ErrNotExist))
	fails("file:///none", ErrNotFound)
	fails("file:///broken", errors.New("disk"))
	fails("file:///old", &jsonrpc.Error{Code: -32002, Message: "old"})
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "item:{x}", Name: "item"}, prefix("item:"),
		func(_ context.Context, _ *Call, uri string, vars map[string]string) (*mcp.ReadResourceResult, error) {
			return TextResource("", uri+" "+vars["x"]), nil
		}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{}`)
		// REQ RES-03, RES-04
		contains(t, "list", c.Must("resources/list", `{}`), `{"name":"a","uri":"file:///a","mimeType":"text/plain","size":3}`)
		equal(t, "templates", bare(c.Must("resources/templates/list", `{}`)), `{"resourceTemplates":[{"name":"item","uriTemplate":"item:{x}"}]}`)
		// REQ RES-05
		equal(t, "text", bare(c.Must("resources/read", `{"uri":"file:///a"}`)), `{"contents":[{"uri":"file:///a","mimeType":"text/plain","text":"abc"}]}`)
		equal(t, "blob", bare(c.Must("resources/read", `{"uri":"file:///blob"}`)),
			`{"contents":[{"uri":"file:///blob","blob":"AAA="},{"uri":"file:///part","text":"x"}]}`)
		equal(t, "bytes", bare(c.Must("resources/read", `{"uri":"file:///bytes"}`)), `{"contents":[{"uri":"file:///bytes","mimeType":"image/png","blob":"AP8="}]}`)
		equal(t, "empty", bare(c.Must("resources/read", `{"uri":"file:///empty"}`)), `{"contents":[{"uri":"file:///empty","mimeType":"image/png","blob":""}]}`)
		for _, item := range []string{"7", "//a%2Fb%20c", "//a:b", "//[x]", "ä?#"} {
			equal(t, "template", bare(c.Must("resources/read", `{"uri":"item:`+item+`"}`)),
				`{"contents":[{"uri":"item:`+item+`","text":"item:`+item+` `+item+`"}]}`)
		}
		// REQ RES-06, RES-07, RES-09, JRPC-26
		code := int64(-32002)
		if rev >= mcp.Modern {
			code = codeInvalidParams
		}
		for _, uri := range []string{"file:///unknown", "file:///nil", "file:///gone", "file:///none"} {
			err := c.Fails("resources/read", `{"uri":"`+uri+`"}`, code)
			equal(t, uri, err.Message+string(err.Data), `resource "`+uri+`" not found{"uri":"`+uri+`"}`)
		}
		c.Fails("resources/read", `{"uri":"file:///old"}`, code)
		// REQ RES-10
		equal(t, "broken", c.Fails("resources/read", `{"uri":"file:///broken"}`, codeInternal).Message, "disk")
		// REQ RES-17
		for _, uri := range []string{"", "noscheme", "/etc/passwd", "1:x", "a://%zz", "a:%4", "a: b", "a:<b>"} {
			c.Fails("resources/read", `{"uri":"`+uri+`"}`, codeInvalidParams)
		}
	})
	for _, uri := range []string{"", "noscheme", "://x", "1a:b", "a:b c", "a:%zz"} { // REQ RES-16
		if err := s.AddResource(mcp.Resource{URI: uri, Name: "x"}, noResource); err == nil {
			t.Errorf("resource %q was added", uri)
		}
	}
	s.RemoveResources("file:///a")
	s.RemoveTemplates("item:{x}")
	c := newClient(t, s, mcp.V2025_06_18, `{}`)
	c.Fails("resources/read", `{"uri":"file:///a"}`, -32002)
	c.Fails("resources/read", `{"uri":"item:7"}`, -32002)
}

// A path of files that leads out of its directory reaches no handler, however it is written; in other
// schemes dots have no such meaning.
//
// REQ RES-18, RES-17
func TestFilePaths(t *testing.T) {
	s := newServer(&Options{OnSubscribe: func(context.Context, *Call, string) error { return nil }})
	var read []string
	handler := func(_ context.Context, _ *Call, uri string, vars map[string]string) (*mcp.ReadResourceResult, error) {
		read = append(read, uri)
		return TextResource("", vars["x"]), nil
	}
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "file:///srv/{+x}", Name: "f"}, prefix("file:///srv/"), handler))
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "FILE:{+x}", Name: "f"}, prefix("FILE:"), handler))
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "git:{+x}", Name: "g"}, prefix("git:"), handler))
	for _, c := range []*client{newClient(t, s, mcp.V2025_11_25, `{}`), newClient(t, s, mcp.V2026_07_28, `{}`)} {
		for uri, ok := range map[string]bool{
			"file:///srv/a/b.txt": true, "file:///srv/..a/b../...": true, "file:///srv/a%20b": true, "file:///srv/a?x=/../y": true, "file:///srv/a#/../y": true, "FILE:?/../y": true,
			"file:///srv/%252e%252e/x": true, "file:///srv/./a": true, "git:../x": true, "git:a/%2e%2e/b": true,
			"file:///srv/../etc/passwd": false, "file:///srv/..": false, "file:///srv/a/../../b": false, "file:///srv/%2e%2e/x": false,
			"file:///srv/.%2E/x": false, "file:///srv/..%2fx": false, "file:///srv/a%2F..%2Fx": false, "file:///srv/..%5cx": false,
			"FILE:../x": false, "file:///srv/a%00b": false,
		} {
			read = nil
			result, err := c.Call("resources/read", `{"uri":"`+uri+`"}`)
			if (err == nil) != ok || (read != nil) != ok {
				t.Errorf("%s at %v: %s, %v, read %q", uri, c.Rev, result, err, read)
			}
			if err != nil && (err.Code != codeInvalidParams || !strings.Contains(err.Message, uri)) {
				t.Errorf("%s: %v", uri, err)
			}
			if c.Rev < mcp.Modern {
				if _, err := c.Call("resources/subscribe", `{"uri":"`+uri+`"}`); (err == nil) != ok {
					t.Errorf("subscribe %s: %v", uri, err)
				}
			}
		}
	}
}

func TestComplete(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "lang"}, {Name: "many"}, {Name: "exactly"}, {Name: "bare"}, {Name: "broken"}}}, noPrompt))
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "x:{y}", Name: "x"}, prefix("x:"),
		func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
			return nil, nil
		}))
	add(t, s.CompletePrompt("p", "lang", func(_ context.Context, _ *Call, value string, settled map[string]string) ([]string, error) {
		if settled == nil {
			return nil, errors.New("there is no map")
		}
		return []string{value + "thon" + settled["suffix"]}, nil
	}))
	add(t, s.CompletePrompt("p", "many", func(context.Context, *Call, string, map[string]string) ([]string, error) {
		return make([]string, 101), nil
	}))
	add(t, s.CompletePrompt("p", "exactly", func(context.Context, *Call, string, map[string]string) ([]string, error) {
		return make([]string, 100), nil
	}))
	add(t, s.CompletePrompt("p", "broken", func(context.Context, *Call, string, map[string]string) ([]string, error) {
		return nil, errors.New("no index")
	}))
	add(t, s.CompleteTemplate("x:{y}", "y", func(context.Context, *Call, string, map[string]string) ([]string, error) {
		return []string{"1"}, nil
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{}`)
		complete := func(ref, arg, context string) string {
			return `{"ref":` + ref + `,"argument":{"name":"` + arg + `","value":"py"}` + context + `}`
		}
		const p = `{"type":"ref/prompt","name":"p"}`
		// REQ COMP-01, COMP-02
		equal(t, "lang", bare(c.Must("completion/complete", complete(p, "lang", ""))), `{"completion":{"values":["python"],"total":1,"hasMore":false}}`)
		contains(t, "context", c.Must("completion/complete", complete(p, "lang", `,"context":{"arguments":{"suffix":"3"}}`)), `["python3"]`)
		contains(t, "template", c.Must("completion/complete", complete(`{"type":"ref/resource","uri":"x:{y}"}`, "y", "")), `["1"]`)
		// REQ COMP-03
		many := c.Must("completion/complete", complete(p, "many", ""))
		if n := strings.Count(many, `""`); n != 100 {
			t.Errorf("%d values", n)
		}
		contains(t, "many", many, `"total":101,"hasMore":true`)
		exactly := c.Must("completion/complete", complete(p, "exactly", ""))
		if n := strings.Count(exactly, `""`); n != 100 {
			t.Errorf("%d values", n)
		}
		contains(t, "exactly", exactly, `"total":100,"hasMore":false`)
		contains(t, "bare", c.Must("completion/complete", complete(p, "bare", "")), `{"values":[],"total":0,"hasMore":false}`)
		// REQ COMP-05
		c.Fails("completion/complete", complete(p, "x", ""), codeInvalidParams)
		c.Fails("completion/complete", complete(`{"type":"ref/prompt","name":"x"}`, "lang", ""), codeInvalidParams)
		c.Fails("completion/complete", complete(`{"type":"ref/resource","uri":"y:{y}"}`, "y", ""), codeInvalidParams)
		c.Fails("completion/complete", complete(`{"type":"ref/other"}`, "y", ""), codeInvalidParams)
		c.Fails("completion/complete", `{"ref":`+p+`}`, codeInvalidParams)
		c.Fails("completion/complete", complete(p, "broken", ""), codeInternal)
	})
}

func TestMiddlewareAndCustomMethods(t *testing.T) {
	var log []string
	trace := func(name string) Middleware {
		return func(next Handler) Handler {
			return func(ctx context.Context, c *Call) (wire.Encodable, error) {
				log = append(log, name+" "+c.Method())
				v, err := next(ctx, c)
				if err != nil {
					log = append(log, name+" failed")
				}
				return v, err
			}
		}
	}
	s := newServer(&Options{Middleware: []Middleware{trace("outer"), trace("inner")}})
	add(t, s.AddMethod("x/raw", func(_ context.Context, c *Call) (wire.Encodable, error) {
		return wire.Raw(`{"params":` + c.Params().StringAt("v") + `,"z":1}`), nil
	}))
	add(t, s.AddMethod("x/list", func(context.Context, *Call) (wire.Encodable, error) { return wire.Raw(`[]`), nil }))
	add(t, s.AddMethod("x/nil", func(context.Context, *Call) (wire.Encodable, error) { return nil, nil }))
	add(t, s.AddMethod("x/typed", func(context.Context, *Call) (wire.Encodable, error) {
		return &mcp.Root{URI: "file:///"}, nil
	}))
	add(t, s.AddNotification("x/told", func(_ context.Context, c *Call) error {
		log = append(log, "told "+c.Revision().String())
		return c.Notify(t.Context(), "x/back", wire.Raw(`{"a":1}`))
	}))
	for _, method := range []string{"tools/call", "initialize", "server/discover", "tasks/get", "", "x/raw"} {
		if err := s.AddMethod(method, func(context.Context, *Call) (wire.Encodable, error) { return nil, nil }); err == nil {
			t.Errorf("method %q was added", method)
		}
	}
	add(t, s.AddExtension(Extension{ID: "com.example/x", Methods: map[string]Handler{"x/extended": s.dispatch}}))
	if err := s.AddMethod("x/extended", s.dispatch); err == nil || !strings.Contains(err.Error(), "com.example/x") {
		t.Errorf("error %v, want one that names the extension", err)
	}
	for _, method := range []string{"notifications/initialized", "", "x/told"} {
		if err := s.AddNotification(method, func(context.Context, *Call) error { return nil }); err == nil {
			t.Errorf("notification %q was added", method)
		}
	}
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{}`)
		log = nil
		want := `{"params":5,"z":1}`
		if rev >= mcp.Modern { // REQ STATE-09, META-13
			want = `{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}},"resultType":"complete","params":5,"z":1}`
		}
		equal(t, "raw", c.Must("x/raw", `{"v":"5"}`), want)
		c.Fails("x/none", `{}`, codeNotFound)
		equal(t, "log", fmt.Sprint(log), "[outer x/raw inner x/raw outer x/none inner x/none inner failed outer failed]")
		contains(t, "typed", c.Must("x/typed", `{}`), `"uri":"file:///"`)
		c.Fails("x/list", `{}`, codeInternal) // REQ JRPC-09: a result is an object
		c.Fails("x/nil", `{}`, codeInternal)
		log = nil
		c.Notify("x/told", `{}`)
		equal(t, "log", fmt.Sprint(log), "[outer x/told inner x/told told "+rev.String()+"]")
		equal(t, "seen", fmt.Sprint(c.Seen()), `[x/back {"a":1}]`)
	})
}

// REQ EXT-01, EXT-02, EXT-08, XTASK-14, EXT-03
func TestExtensions(t *testing.T) {
	s := newServer(nil)
	run := func(_ context.Context, c *Call) (wire.Encodable, error) {
		settings, _ := c.Extension("com.example/search")
		return wire.Raw(`{"client":` + string(settings) + `}`), nil
	}
	add(t, s.AddExtension(Extension{ID: "com.example/search", Methods: map[string]Handler{"search/old": run}}))
	add(t, s.AddExtension(Extension{ID: "com.example/search", Settings: wire.Raw(`{"deep":true}`), Methods: map[string]Handler{"search/run": run}}))
	add(t, s.AddExtension(Extension{ID: "com.example/plain"}))
	add(t, s.AddExtension(Extension{ID: "com.example/new", Methods: map[string]Handler{"new/run": run}, Since: mcp.Modern}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{"extensions":{"com.example/search":{"x":1},"com.example/new":{}}}`)
		declared, missing := `{"extensions":{"com.example/plain":{},"com.example/search":{"deep":true}}}`, int64(codeNotFound)
		if rev >= mcp.Modern {
			declared = `{"extensions":{"com.example/new":{},"com.example/plain":{},"com.example/search":{"deep":true}}}`
			missing = mcp.CodeMissingRequiredClientCapability
			c.Must("new/run", `{}`)
		} else {
			c.Fails("new/run", `{}`, codeNotFound)
		}
		equal(t, "capabilities", capabilities(c), declared)
		contains(t, "run", c.Must("search/run", `{}`), `"client":{"x":1}`)
		c.Fails("search/old", `{}`, codeNotFound) // of an extension that was replaced
		err := newClient(t, s, rev, `{}`).Fails("search/run", `{}`, missing)
		if rev >= mcp.Modern {
			equal(t, "data", string(err.Data), `{"requiredCapabilities":{"extensions":{"com.example/search":{}}}}`)
		}
	})
	// REQ META-03, META-04
	for id, ok := range map[string]bool{
		"a/b": true, "com.example/x-y_z.1": true, "io.modelcontextprotocol/tasks": true, "c-d.e/f": true,
		"": true, "x": false, "/x": false, "x/": false, "1a/x": false, "a-/x": false, "a..b/x": false, "a/-x": false, "a/x/y": false, "a b/x": false,
	} {
		if err := newServer(nil).checkExtension(&Extension{ID: id}); (err == nil) != ok {
			t.Errorf("%q: %v", id, err)
		}
	}
	for method, since := range map[string]wire.Revision{
		"search/run": 0, "tools/call": 0, "tools/call ": mcp.Modern, "notifications/initialized": 0, "": 0,
	} {
		e := Extension{ID: "com.example/other", Methods: map[string]Handler{strings.TrimSpace(method): s.dispatch}, Since: since}
		if err := s.AddExtension(e); err == nil {
			t.Errorf("an extension has the method %s, since %s", method, since)
		}
	}
	// What the protocol has, but the server itself does not handle, and what it handles in other revisions.
	add(t, s.AddExtension(Extension{ID: "com.example/tasks", Methods: map[string]Handler{"tasks/list": s.dispatch}}))
	add(t, s.AddExtension(Extension{ID: "com.example/ping", Methods: map[string]Handler{"ping": s.dispatch}, Since: mcp.Modern}))
}

// Each revision has the extension whose range it is in. Without an ID its methods are for all clients.
func TestExtensionRanges(t *testing.T) {
	s := newServer(nil)
	says := func(text string) map[string]Handler {
		return map[string]Handler{"x/who": func(context.Context, *Call) (wire.Encodable, error) { return wire.Raw(`{"who":"` + text + `"}`), nil }}
	}
	add(t, s.AddExtension(Extension{Methods: says("old"), Through: mcp.V2025_03_26}))
	add(t, s.AddExtension(Extension{Methods: says("one"), Since: mcp.V2025_11_25, Through: mcp.V2025_11_25}))
	add(t, s.AddExtension(Extension{ID: "com.example/x", Methods: says("new"), Since: mcp.Modern, Value: "mine"}))
	for _, other := range []Extension{{}, {Through: mcp.V2024_11_05}, {Since: mcp.V2025_06_18, Through: mcp.V2025_11_25}, {Since: mcp.Modern}} {
		other.Methods = says("other")
		if err := s.AddExtension(other); err == nil {
			t.Errorf("the method is taken from %s through %s", other.Since, other.Through)
		}
	}
	add(t, s.AddMethod("x/value", func(_ context.Context, c *Call) (wire.Encodable, error) {
		return wire.Raw(fmt.Sprintf(`{"value":"%v %v"}`, c.Extended("com.example/x"), c.Extended("com.example/y"))), nil
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{"extensions":{"com.example/x":{}}}`)
		want := map[wire.Revision]string{mcp.V2024_11_05: "old", mcp.V2025_03_26: "old", mcp.V2025_11_25: "one"}[rev]
		if rev >= mcp.Modern {
			want = "new"
		}
		if want == "" {
			c.Fails("x/who", `{}`, codeNotFound)
		} else {
			contains(t, "who", c.Must("x/who", `{}`), `"who":"`+want+`"`)
		}
		contains(t, "value", c.Must("x/value", `{}`), `"value":"mine <nil>"`)
		if rev < mcp.Modern && want != "" {
			newClient(t, s, rev, `{}`).Must("x/who", `{}`)
		}
	})
}

// What an extension adds to a server: capabilities, scopes, a wrapper and a filter of what there is already, in both eras.
func TestExtensionAdds(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
	hidden := false
	e := Extension{
		ID: "com.example/x",
		Capabilities: func(c *Call, caps *mcp.ServerCapabilities) {
			caps.Experimental = map[string]wire.Raw{"x": wire.Raw(`{"for":"` + c.Principal() + `"}`)}
		},
		Methods: map[string]Handler{"x/do": func(context.Context, *Call) (wire.Encodable, error) { return wire.Raw(`{"done":true}`), nil }},
		Scopes:  func(_ context.Context, c *Call) []string { return []string{"x:" + c.Params().StringAt("id")} },
		Tool: func(_ *mcp.Tool, next ToolHandler) (ToolHandler, error) {
			return func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
				r, err := next(ctx, c, args)
				return TextResult("wrapped " + r.Content[0].(*mcp.TextContent).Text), err
			}, nil
		},
		Filter: &Filter{Admit: func(context.Context, *Call, *Item) (bool, error) { return !hidden, nil }},
	}
	add(t, s.AddExtension(e))
	add(t, s.AddTool(mcp.Tool{Name: "b", Execution: &mcp.ToolExecution{}}, says("b")))
	eras(t, func(t *testing.T, rev wire.Revision) {
		hidden = false
		c := strangerTo(t, s, rev, `{"extensions":{"com.example/x":{}}}`)
		c.Identity = &holder{name: "ada", scopes: []string{"x:1"}}
		if rev < mcp.Modern {
			contains(t, "initialize", c.Must("initialize", `{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"com.example/x":{}}},"clientInfo":{"name":"c","version":"2"}}`), `"x":{"for":"ada"}`)
		} else {
			contains(t, "discover", c.Must("server/discover", `{}`), `"x":{"for":"ada"}`)
		}
		contains(t, "with the scope", c.Must("x/do", `{"id":"1"}`), "done")
		contains(t, "without", c.Fails("x/do", `{"id":"2"}`, codeInvalidRequest).Message, "lacks x:2")
		if !NewEndpoint(s).Scoped("x/do") || !NewEndpoint(s).Scoped("tools/call") {
			t.Error("transports need not ask for scopes")
		}
		for _, name := range []string{"a", "b"} {
			contains(t, name, c.Must("tools/call", `{"name":"`+name+`"}`), `"wrapped `+name+`"`)
		}
		hidden = true
		c.Fails("tools/call", `{"name":"a"}`, codeInvalidParams)
	})
	hidden = false
	id := e.ID
	e.Tool = func(def *mcp.Tool, _ ToolHandler) (ToolHandler, error) { return nil, errors.New("no") }
	e.ID = "com.example/y"
	e.Methods = nil
	contains(t, "refused", fmt.Sprint(s.AddExtension(e)), `server: AddExtension: tool "a": no`)
	contains(t, "afterwards", newClient(t, s, mcp.V2025_11_25, `{}`).Must("tools/call", `{"name":"a"}`), `"wrapped a"`)
	e.ID = id // it would replace the one that is there, which stays
	contains(t, "refused again", fmt.Sprint(s.AddExtension(e)), `server: AddExtension: tool "a": no`)
	contains(t, "the old one", newClient(t, s, mcp.V2025_11_25, `{}`).Must("tools/call", `{"name":"a"}`), `"wrapped a"`)
	err := newServer(nil).AddTool(mcp.Tool{Name: "b", Execution: &mcp.ToolExecution{TaskSupport: "optional"}}, says("b"))
	contains(t, "without an extension", fmt.Sprint(err), `tool "b": execution.taskSupport is "optional", but no extension of the server runs tools so`)
	defer func() {
		contains(t, "panic", fmt.Sprint(recover()), `"x": want a prefix`)
	}()
	newServer(&Options{Setup: []Setup{func(s *Server) error { return s.AddExtension(Extension{ID: "x"}) }}})
}

// Topics: a client is notified of the latest state of what it subscribes to, in its session or by a subscription, and of
// nothing else.
//
// REQ META-15, SUB-02, SUB-03
func TestTopics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		topic := func(id string) string { return "builds " + id }
		build := func(id, state string) Notification {
			return Notification{Method: "x/build", Params: wire.Raw(`{"id":"` + id + `","state":"` + state + `"}`), Last: state == "done"}
		}
		s := newServer(nil)
		add(t, s.AddExtension(Extension{
			Methods: map[string]Handler{"x/follow": func(_ context.Context, c *Call) (wire.Encodable, error) {
				if c.Subscription() == nil {
					return nil, errors.New("no session")
				}
				return wire.Raw(fmt.Sprintf(`{"added":%t}`, c.Subscription().Add(topic(c.Params().StringAt("id"))))), nil
			}},
			Listen: func(_ context.Context, _ *Call, asked wire.Extra, to *Subscription) (wire.Extra, error) {
				raw, ok := asked.Get("build")
				switch id := strings.Trim(string(raw), `"`); {
				case !ok:
					return nil, nil
				case id == "wrong":
					return nil, errors.New("there is no such build")
				case to.Add(topic(id)):
					to.Send(topic(id), build(id, "begun"))
				}
				return wire.Extra{{Name: "build", Value: raw}}, nil
			},
		}))
		session := newClient(t, s, mcp.V2025_11_25, `{}`)
		contains(t, "follow", session.Must("x/follow", `{"id":"1"}`), `{"added":true}`)
		contains(t, "again", session.Must("x/follow", `{"id":"1"}`), `{"added":false}`)
		c := newClient(t, s, mcp.Modern, `{}`)
		c.Fails("x/follow", `{"id":"1"}`, codeInternal)
		c.Fails("subscriptions/listen", `{"notifications":{"build":"wrong"}}`, codeInternal)
		stop, end := listen(c, `{"build":"1"}`)
		id := c.NextID
		settle()
		meta := fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/subscriptionId":%d},`, id)
		equal(t, "first", strings.Join(c.Seen(), "\n"),
			`notifications/subscriptions/acknowledged `+meta+`"notifications":{"build":"1"}}`+"\n"+`x/build `+meta+`"id":"1","state":"begun"}`)
		s.Publish(topic("1"), build("1", "early"))
		s.Publish(topic("2"), build("2", "early"))
		s.Publish(topic("1"), build("1", "late"))
		settle()
		equal(t, "session", fmt.Sprint(session.Seen()), `[x/build {"id":"1","state":"late"}]`)
		equal(t, "listener", fmt.Sprint(c.Seen()), `[x/build `+meta+`"id":"1","state":"late"}]`)
		if !s.Subscribed(topic("1")) || s.Subscribed(topic("2")) {
			t.Error("the wrong topics have subscribers")
		}
		s.Publish(topic("1"), build("1", "done"))
		s.Publish(topic("1"), build("1", "afterwards"))
		settle()
		equal(t, "last", fmt.Sprint(session.Seen()), `[x/build {"id":"1","state":"done"}]`)
		if s.Subscribed(topic("1")) {
			t.Error("a topic that will not change any more has subscribers")
		}
		contains(t, "anew", session.Must("x/follow", `{"id":"1"}`), `{"added":true}`)
		s.Publish(topic("1"), Notification{Last: true})
		settle()
		equal(t, "without a method", fmt.Sprint(session.Seen()), `[]`)
		stop()
		<-end
		if n := s.kept.Used(); n != 0 {
			t.Errorf("%d bytes are kept for topics without subscribers", n)
		}
	})
}

// REQ JRPC-23, JRPC-26
func TestReservedCodes(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddMethod("x/fail", func(_ context.Context, c *Call) (wire.Encodable, error) {
		var code int64
		fmt.Sscan(c.Params().StringAt("code"), &code)
		return nil, &jsonrpc.Error{Code: code, Message: "x"}
	}))
	for _, test := range []struct{ code, legacy, modern int64 }{
		{-32002, -32002, codeInvalidParams}, {-32042, -32042, codeInternal}, {-32050, -32050, codeInternal},
		{-32099, -32099, codeInternal}, {-32100, -32100, -32100}, {-32023, -32023, codeInternal}, {-32019, -32019, -32019},
		{-32020, -32020, -32020}, {-32000, -32000, -32000}, {5, 5, 5},
	} {
		params := fmt.Sprintf(`{"code":"%d"}`, test.code)
		newClient(t, s, mcp.V2025_11_25, `{}`).Fails("x/fail", params, test.legacy)
		newClient(t, s, mcp.V2026_07_28, `{}`).Fails("x/fail", params, test.modern)
	}
}
