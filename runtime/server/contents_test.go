package server

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What a client cannot use is an error of the server, which says where it is: package valid has the rules.
//
// REQ TOOL-15, RES-17, PRM-06
func TestInvalidContents(t *testing.T) {
	s := newServer(nil)
	broken := &mcp.ImageContent{Data: wire.Base64{Text: "!!"}, MIMEType: "image/png"}
	add(t, s.AddTool(mcp.Tool{Name: "a"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{Text("x"), broken}}, nil
	}))
	add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: broken}}}, nil
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{}`)
		equal(t, "error", c.Fails("tools/call", `{"name":"a"}`, codeInternal).Message, "the result cannot be sent: content[1]: data: want standard Base64 with padding")
		equal(t, "error", c.Fails("prompts/get", `{"name":"p"}`, codeInternal).Message, "the result cannot be sent: messages[0]: content: data: want standard Base64 with padding")
	})
}

// REQ CACHE-01, RES-17
func TestResourceContents(t *testing.T) {
	blob := func(text string) []mcp.ResourceContents {
		return []mcp.ResourceContents{&mcp.BlobResourceContents{Blob: wire.Base64{Text: text}}}
	}
	for _, test := range []struct {
		result mcp.ReadResourceResult
		want   string // what follows the contents, or the error
	}{
		{mcp.ReadResourceResult{Contents: blob("AAA=")}, `"ttlMs":1000,"cacheScope":"public"`},
		{mcp.ReadResourceResult{Contents: blob("AAA="), TTLMs: new(int64(7))}, `"ttlMs":7,"cacheScope":"private"`},
		{mcp.ReadResourceResult{Contents: blob("AAA="), CacheScope: mcp.CacheScopePublic}, `"ttlMs":0,"cacheScope":"public"`},
		{mcp.ReadResourceResult{Contents: blob("AAA="), TTLMs: new(int64(0)), CacheScope: mcp.CacheScopePrivate}, `"ttlMs":0,"cacheScope":"private"`},
		{mcp.ReadResourceResult{TTLMs: new(int64(-1))}, "ttlMs: want 0 or more, got -1"},
		{mcp.ReadResourceResult{CacheScope: "shared"}, `cacheScope: want public or private, got "shared"`},
		{mcp.ReadResourceResult{Contents: blob("???")}, "contents[0]: blob: want standard Base64 with padding"},
		{mcp.ReadResourceResult{Contents: []mcp.ResourceContents{&mcp.TextResourceContents{URI: "x"}}}, `contents[0]: "x" is not a URI: it has no scheme`},
	} {
		s := newServer(&Options{Cache: Cache{Read: CacheHint{TTL: 1e9, Public: true}}})
		add(t, s.AddResource(mcp.Resource{URI: "a:b", Name: "b"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
			return &test.result, nil
		}))
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		if test.want[0] == '"' {
			contains(t, "result", c.Must("resources/read", `{"uri":"a:b"}`), test.want)
		} else {
			equal(t, "error", c.Fails("resources/read", `{"uri":"a:b"}`, codeInternal).Message, "the result cannot be sent: "+test.want)
		}
	}
}

// REQ RES-14, ICON-01: what is offered is checked when it is.
func TestDefinitions(t *testing.T) {
	bad := []mcp.Icon{{Src: "data:image/png;base64,AAAA", Theme: "dark"}, {Src: "javascript:alert(1)"}}
	const badIcon = `icons[1]: src: want an https or data URI, got "javascript:alert(1)"`
	wrong := &mcp.Annotations{Priority: new(7.5)}
	const wrongHint = "annotations: priority: want 0 to 1, got 7.5"
	s := newServer(nil)
	for _, test := range []struct {
		err  error
		want string
	}{
		{s.AddTool(mcp.Tool{Name: "a", Icons: bad}, says("")), `server: AddTool: tool "a": ` + badIcon},
		{s.AddTool(mcp.Tool{Name: "a", Icons: []mcp.Icon{{Src: "HTTPS://x/y", Theme: "blue"}}}, says("")), `server: AddTool: tool "a": icons[0]: theme: want light or dark, got "blue"`},
		{s.AddPrompt(mcp.Prompt{Name: "a", Icons: bad}, noPrompt), `server: AddPrompt: prompt "a": ` + badIcon},
		{s.AddResource(mcp.Resource{URI: "a:b", Name: "a", Icons: bad}, noResource), `server: AddResource: resource "a:b": ` + badIcon},
		{s.AddResource(mcp.Resource{URI: "a:b", Name: "a", Annotations: wrong}, noResource), `server: AddResource: resource "a:b": ` + wrongHint},
		{s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "a", Icons: bad}, prefix("a:"), nothing), `server: AddTemplate: template "a:{b}": ` + badIcon},
		{s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "a", Annotations: wrong}, prefix("a:"), nothing), `server: AddTemplate: template "a:{b}": ` + wrongHint},
	} {
		if test.err == nil || test.err.Error() != test.want {
			t.Errorf("got %v\nwant %s", test.err, test.want)
		}
	}
	good := mcp.Resource{URI: "a:b", Name: "a", Icons: []mcp.Icon{{Src: "https://x/y.png", MIMEType: "image/png", Sizes: []string{"48x48", "any"}, Theme: "light"}},
		Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: new(0.5), LastModified: "2025-05-03T14:30:00Z"}}
	add(t, s.AddResource(good, noResource))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		want := `{"resources":[{"name":"a","uri":"a:b","annotations":{"audience":["user"],"priority":0.5}}]}`
		switch {
		case rev >= mcp.V2025_11_25:
			want = `{"resources":[{"name":"a","icons":[{"src":"https://x/y.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"light"}],` +
				`"uri":"a:b","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2025-05-03T14:30:00Z"}}]}`
		case rev >= mcp.V2025_06_18:
			want = `{"resources":[{"name":"a","uri":"a:b","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2025-05-03T14:30:00Z"}}]}`
		}
		equal(t, "list", bare(newClient(t, s, rev, `{}`).Must("resources/list", `{}`)), want)
	})
}
