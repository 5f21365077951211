package valid

import (
	"math"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func prompt(block mcp.ContentBlock) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: block}}}
}

// REQ TOOL-15, RES-14, RES-17, ICON-01
func TestResult(t *testing.T) {
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
		{image("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "image/png"), ""},
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
		want := test.want
		if want != "" {
			want = "content[1]: " + want
		}
		got := message(Result(&mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "x"}, test.block}}))
		if got != want {
			t.Errorf("%#v: got %q, want %q", test.block, got, want)
		}
	}
}

// REQ PRM-06
func TestPrompts(t *testing.T) {
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
		want := test.want
		if want != "" {
			want = "messages[0]: content: " + want
		}
		if got := message(Result(prompt(test.block))); got != want {
			t.Errorf("%#v: got %q, want %q", test.block, got, want)
		}
	}
}

// What is not there has no media type to check.
//
// REQ PRM-06
func TestNoPromptBlock(t *testing.T) {
	for _, block := range []mcp.ContentBlock{nil, (*mcp.EmbeddedResource)(nil), (*mcp.TextContent)(nil)} {
		if err := Result(prompt(block)); err != nil {
			t.Errorf("%T: %v", block, err)
		}
	}
}

// REQ RES-16, RES-17
func TestURIs(t *testing.T) {
	for uri, ok := range map[string]bool{
		"a:": true, "z:": true, "A:b": true, "Z:b": true, "a0:b": true, "a9:b": true, "a+b-c.d:e": true, "urn:x": true, "file:///a%20b": true, "a:%aF": true, "a:%0": false,
		"a:%09": true, "a:x%9f": true, "a:!": true, "a:~": true, "a:]": true, "a:#": true, "a:é": true,
		"": false, ":": false, ":b": false, "ab": false, "0a:b": false, "+a:b": false, "-a:b": false, ".a:b": false, "a_b:c": false, "a/b:c": false, "a@:b": false, "a[:b": false,
		"a`:b": false, "a{:b": false, "a,b:c": false, "a;b:c": false, "é:a": false,
		"a: ": false, "a:\x00": false, "a:\x7f": false, "a:\n": false, `a:"`: false, "a:<": false, "a:>": false, `a:\`: false, "a:^": false, "a:`": false, "a:{": false, "a:|": false, "a:}": false,
		"a:%": false, "a:%g0": false, "a:%0g": false, "a:%/0": false, "a:%:0": false, "a:%@0": false, "a:%0`": false, "a:%00": true, "a:%a": false,
	} {
		if err := URI(uri); (err == nil) != ok {
			t.Errorf("%q: %v", uri, err)
		}
	}
}

// REQ SAMP-12, SAMP-13
func TestSampling(t *testing.T) {
	use := func(id string) mcp.SamplingMessageContentBlock {
		return &mcp.ToolUseContent{ID: id, Name: "t", Input: wire.Raw(`{}`)}
	}
	result := func(id string) mcp.SamplingMessageContentBlock { return &mcp.ToolResultContent{ToolUseID: id} }
	text := &mcp.TextContent{Text: "x"}
	say := func(role mcp.Role, blocks ...mcp.SamplingMessageContentBlock) mcp.SamplingMessage {
		return mcp.SamplingMessage{Role: role, Content: blocks}
	}
	for _, test := range []struct {
		messages []mcp.SamplingMessage
		want     string
	}{
		{nil, ""},
		{[]mcp.SamplingMessage{say("user", text), say("assistant", text, use("1"), use("2")), say("user", result("2"), result("1")), say("assistant", text)}, ""},
		{[]mcp.SamplingMessage{say("assistant", use("1")), say("user", result("1"), text)}, "messages[1]: want the results of tools alone in their message"},
		{[]mcp.SamplingMessage{say("assistant", use("1")), say("user", text)}, `messages[1]: the result of tool use "1" is missing`},
		{[]mcp.SamplingMessage{say("assistant", use("1"))}, `messages: the result of tool use "1" is missing`},
		{[]mcp.SamplingMessage{say("user", result("1"))}, `messages[0]: the result of tool use "1" does not follow it`},
		{[]mcp.SamplingMessage{say("assistant", use("1")), say("user", result("1")), say("user", result("1"))}, `messages[2]: the result of tool use "1" does not follow it`},
		{[]mcp.SamplingMessage{say("assistant", use("1")), say("assistant", result("1"))}, `messages[1]: the result of tool use "1" does not follow it`},
		{[]mcp.SamplingMessage{say("user", use("1"))}, `messages[0]: want the role assistant for the use of a tool, got "user"`},
	} {
		if got := message(Sampling(test.messages)); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// REQ RES-18
func TestFilePaths(t *testing.T) {
	for uri, ok := range map[string]bool{
		"file:///a": true, "file:///a/..b": true, "file:///a..": true, "file:///a?..": true, "file:///a#/..": true, "a:/..": true,
		"file:///..": false, "FILE:///a/../b": false, "file:///a/%2e%2E/b": false, `file:///a%5C..%5cb`: false, "file:///a%2f..": false, "file:///%00": false,
	} {
		if err := URI(uri); (err == nil) != ok {
			t.Errorf("%q: %v", uri, err)
		}
	}
}

// REQ EXT-01, META-03, META-04
func TestExtensionIDs(t *testing.T) {
	for id, ok := range map[string]bool{
		"com.example/search": true, "a/b": true, "a1.b-c/D_e-f.g": true, "Z9/0": true, "io.modelcontextprotocol/ui": true,
		"": false, "search": false, "/search": false, "com.example/": false, "com..example/x": false, ".com/x": false, "com./x": false, "1com/x": false,
		"-com/x": false, "com-/x": false, "com_a/x": false, "com/-x": false, "com/x.": false, "com/x y": false, "com/x/y": false, "com/é": false,
	} {
		if got := ExtensionID(id); got != ok {
			t.Errorf("%q: %t, want %t", id, got, ok)
		}
	}
}

// REQ RES-17, CACHE-01
func TestResources(t *testing.T) {
	contents := []mcp.ResourceContents{&mcp.BlobResourceContents{URI: "a:b", Blob: wire.Base64{Text: "AAA="}}, &mcp.TextResourceContents{URI: "a:b"}, nil,
		(*mcp.BlobResourceContents)(nil), (*mcp.TextResourceContents)(nil)}
	for _, test := range []struct {
		result mcp.ReadResourceResult
		want   string
	}{
		{mcp.ReadResourceResult{Contents: contents}, ""},
		{mcp.ReadResourceResult{TTLMs: new(int64(0)), CacheScope: mcp.CacheScopePrivate}, ""},
		{mcp.ReadResourceResult{TTLMs: new(int64(7)), CacheScope: mcp.CacheScopePublic}, ""},
		{mcp.ReadResourceResult{TTLMs: new(int64(-1))}, "ttlMs: want 0 or more, got -1"},
		{mcp.ReadResourceResult{CacheScope: "shared"}, `cacheScope: want public or private, got "shared"`},
		{mcp.ReadResourceResult{Contents: []mcp.ResourceContents{contents[0], &mcp.BlobResourceContents{URI: "a:b", Blob: wire.Base64{Text: "?"}}}}, "contents[1]: blob: want standard Base64 with padding"},
		{mcp.ReadResourceResult{Contents: []mcp.ResourceContents{&mcp.TextResourceContents{URI: "x"}}}, `contents[0]: "x" is not a URI: it has no scheme`},
	} {
		if got := message(Result(&test.result)); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// REQ ICON-01
func TestIcons(t *testing.T) {
	for _, test := range []struct {
		icon mcp.Icon
		want string
	}{
		{mcp.Icon{Src: "https://x/y"}, ""},
		{mcp.Icon{Src: "HTTP://x/y", Theme: "light"}, ""},
		{mcp.Icon{Src: "data:image/png;base64,AAAA", Theme: "dark"}, ""},
		{mcp.Icon{}, `icons[1]: src: want an https or data URI, got ""`},
		{mcp.Icon{Src: "javascript:alert(1)"}, `icons[1]: src: want an https or data URI, got "javascript:alert(1)"`},
		{mcp.Icon{Src: "https://x/y", Theme: "blue"}, `icons[1]: theme: want light or dark, got "blue"`},
	} {
		if got := message(Icons([]mcp.Icon{{Src: "https://x/z"}, test.icon})); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.icon, got, test.want)
		}
	}
}
