package server

import (
	"context"
	"math"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ TOOL-15, RES-14, RES-17, ICON-01
func TestContents(t *testing.T) {
	image := func(data, mimeType string) mcp.ContentBlock {
		return &mcp.ImageContent{Data: wire.Base64{Text: data}, MIMEType: mimeType}
	}
	blob := func(uri, text string) mcp.ContentBlock {
		return &mcp.EmbeddedResource{Resource: &mcp.BlobResourceContents{URI: uri, Blob: wire.Base64{Text: text}}}
	}
	hints := func(a mcp.Annotations) mcp.ContentBlock { return &mcp.TextContent{Text: "x", Annotations: &a} }
	priority := func(p float64) mcp.ContentBlock { return hints(mcp.Annotations{Priority: &p}) }
	const noBase64 = "want standard Base64 with padding"
	for _, test := range []struct {
		block mcp.ContentBlock
		want  string // of the error; empty if there is none
	}{
		{image("aGk=", "image/png"), ""},
		{image("", "image/svg+xml; charset=utf-8"), ""},
		{image("+/+/AAAAAA==", "image/png"), ""},
		{image("!!", "image/png"), "data: " + noBase64},
		{image("aGk", "image/png"), "data: " + noBase64},
		{image("a===", "image/png"), "data: " + noBase64},
		{image("a=k=", "image/png"), "data: " + noBase64},
		{image("-_-_", "image/png"), "data: " + noBase64},
		{image("aG\nk", "image/png"), "data: " + noBase64},
		{image("aGk=", ""), `mimeType: want a media type such as image/png, got ""`},
		{image("aGk=", "png"), `mimeType: want a media type such as image/png, got "png"`},
		{&mcp.AudioContent{Data: wire.Base64{Text: "aGk="}, MIMEType: "audio/wav"}, ""},
		{&mcp.AudioContent{Data: wire.Base64{Text: "aGk"}, MIMEType: "audio/wav"}, "data: " + noBase64},
		{&mcp.AudioContent{Data: wire.Base64{Text: "aGk="}, MIMEType: "a b"}, `mimeType: want a media type such as image/png, got "a b"`},
		{blob("a:b", "aGk="), ""},
		{blob("a:b", "???"), "blob: " + noBase64},
		{blob("", "aGk="), `"" is not a URI: it has no scheme`},
		{&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "a:b"}}, ""},
		{&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "a b"}}, `"a b" is not a URI: it has no scheme`},
		{&mcp.ResourceLink{Name: "n", URI: "a:b"}, ""},
		{&mcp.ResourceLink{Name: "n", URI: "b"}, `"b" is not a URI: it has no scheme`},
		{&mcp.ResourceLink{Name: "n", URI: "a:b", Icons: []mcp.Icon{{Src: "ftp://x/y"}}}, `icons[0]: src: want an https or data URI, got "ftp://x/y"`},
		{hints(mcp.Annotations{Audience: []mcp.Role{"user", "assistant"}, Priority: new(1.0), LastModified: "2025-05-03T14:30:00.5+02:00"}), ""},
		{hints(mcp.Annotations{Audience: []mcp.Role{"system"}}), `annotations: audience: want user or assistant, got "system"`},
		{hints(mcp.Annotations{LastModified: "2025-05-03"}), ""},
		{hints(mcp.Annotations{LastModified: "yesterday"}), `annotations: lastModified: want a time such as 2025-05-03T14:30:00Z, got "yesterday"`},
		{priority(0), ""},
		{priority(1.01), "annotations: priority: want 0 to 1, got 1.01"},
		{priority(-0.01), "annotations: priority: want 0 to 1, got -0.01"},
		{priority(math.NaN()), "annotations: priority: want 0 to 1, got NaN"},
	} {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "a"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "x"}, test.block}}, nil
		}))
		for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
			c := newClient(t, s, rev, `{}`)
			if test.want == "" {
				c.Must("tools/call", `{"name":"a"}`)
			} else {
				equal(t, "error", c.Fails("tools/call", `{"name":"a"}`, codeInternal).Message, "the result cannot be sent: content[1]: "+test.want)
			}
		}
	}
}

// REQ PRM-06
func TestPromptContents(t *testing.T) {
	for _, test := range []struct {
		block mcp.ContentBlock
		want  string
	}{
		{&mcp.ImageContent{Data: wire.Base64{Text: "aGk="}, MIMEType: "image/png"}, ""},
		{&mcp.ImageContent{Data: wire.Base64{Text: "x"}, MIMEType: "image/png"}, "data: want standard Base64 with padding"},
		{&mcp.AudioContent{Data: wire.Base64{Text: "aGk="}}, `mimeType: want a media type such as image/png, got ""`},
		{&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "a:b", MIMEType: "text/plain", Text: "x"}}, ""},
		{&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "a:b", Text: "x"}}, "resource: mimeType is missing; a resource in a prompt must have one"},
		{&mcp.EmbeddedResource{Resource: &mcp.BlobResourceContents{URI: "a:b", Blob: wire.Base64{Text: "AAA="}}}, "resource: mimeType is missing; a resource in a prompt must have one"},
		{&mcp.EmbeddedResource{Resource: &mcp.BlobResourceContents{URI: "a:b", MIMEType: "text/plain", Blob: wire.Base64{Text: "A"}}}, "blob: want standard Base64 with padding"},
		{&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{MIMEType: "text/plain"}}, `"" is not a URI: it has no scheme`},
	} {
		s := newServer(nil)
		add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: test.block}}}, nil
		}))
		c := newClient(t, s, mcp.V2025_06_18, `{}`)
		if test.want == "" {
			c.Must("prompts/get", `{"name":"p"}`)
		} else {
			equal(t, "error", c.Fails("prompts/get", `{"name":"p"}`, codeInternal).Message, "the result cannot be sent: messages[0]: content: "+test.want)
		}
	}
}

// What is not there has no media type to check.
//
// REQ PRM-06
func TestNoPromptBlock(t *testing.T) {
	for _, block := range []mcp.ContentBlock{nil, (*mcp.EmbeddedResource)(nil), (*mcp.TextContent)(nil)} {
		if err := checkPromptBlock(block); err != nil {
			t.Errorf("%T: %v", block, err)
		}
	}
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
