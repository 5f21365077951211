package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ TOOL-07, TOOL-10, TOOL-11, TOOL-12, TOOL-15, PRM-05
func TestDegrade(t *testing.T) {
	const (
		audio = `{"type":"audio","data":"AAAA","mimeType":"audio/wav"}`
		link  = `{"type":"resource_link","name":"n","uri":"a:b","description":"d","mimeType":"text/plain"}`
		said  = `{"type":"text","text":"[audio/wav, 3 bytes, which this client cannot receive]"}`
		named = `{"type":"text","text":"Resource n (text/plain): a:b\nd"}`
	)
	var log bytes.Buffer
	s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	content := []mcp.ContentBlock{
		&mcp.AudioContent{Data: wire.Base64{Text: "AAAA"}, MIMEType: "audio/wav"},
		&mcp.ResourceLink{Name: "n", URI: "a:b", MIMEType: "text/plain", Description: "d"},
	}
	structured := func(value string, content ...mcp.ContentBlock) ToolHandler {
		r := &mcp.CallToolResult{StructuredContent: wire.Raw(value), Content: content}
		return func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return r, nil }
	}
	add(t, s.AddTool(mcp.Tool{Name: "content"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}))
	add(t, s.AddTool(mcp.Tool{Name: "list", OutputSchema: wire.Raw(`{"type":"array"}`)}, structured(`[1]`)))
	add(t, s.AddTool(mcp.Tool{Name: "null"}, structured(`null`)))
	add(t, s.AddTool(mcp.Tool{Name: "words", OutputSchema: wire.Raw(`{"type":"object"}`)}, structured(`{"a":1}`, &mcp.TextContent{Text: "one"})))
	add(t, s.AddTool(mcp.Tool{Name: "both"}, structured(`[1]`, &mcp.TextContent{Text: "[1]"})))
	add(t, s.AddPrompt(mcp.Prompt{Name: "content"}, func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) {
		r := &mcp.GetPromptResult{}
		for _, b := range content {
			r.Messages = append(r.Messages, mcp.PromptMessage{Role: mcp.RoleUser, Content: b})
		}
		return r, nil
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		a, l := audio, link
		if rev < mcp.V2025_03_26 {
			a = said
		}
		if rev < mcp.V2025_06_18 {
			l = named
		}
		c := newClient(t, s, rev, `{}`)
		call := func(name, want string) {
			t.Helper()
			equal(t, name, bare(c.Must("tools/call", `{"name":"`+name+`"}`)), want)
		}
		call("content", `{"content":[`+a+`,`+l+`]}`)
		equal(t, "prompt", bare(c.Must("prompts/get", `{"name":"content"}`)),
			`{"messages":[{"role":"user","content":`+a+`},{"role":"user","content":`+l+`}]}`)

		tail := func(value string, isObject bool) string {
			if rev < mcp.V2025_06_18 || !isObject && rev < mcp.Modern {
				return ""
			}
			return `,"structuredContent":` + value
		}
		call("list", `{"content":[{"type":"text","text":"[1]"}]`+tail(`[1]`, false)+`}`)
		call("null", `{"content":[{"type":"text","text":"null"}]`+tail(`null`, false)+`}`)
		call("both", `{"content":[{"type":"text","text":"[1]"}]`+tail(`[1]`, false)+`}`)
		more := ""
		if rev < mcp.V2025_06_18 {
			more = `,{"type":"text","text":"{\"a\":1}"}`
		}
		call("words", `{"content":[{"type":"text","text":"one"}`+more+`]`+tail(`{"a":1}`, true)+`}`)

		list := c.Must("tools/list", `{}`)
		if got := strings.Contains(list, `"outputSchema":{"type":"array"}`); got != (rev >= mcp.Modern) {
			t.Errorf("output schema of an array: %v", got)
		}
		if got := strings.Contains(list, `"outputSchema":{"type":"object"}`); got != (rev >= mcp.V2025_06_18) {
			t.Errorf("output schema of an object: %v", got)
		}
	})
	for _, said := range []string{"has no audio", "no links to resources", "structured content must be an object", "an output schema must be of an object"} {
		if n := strings.Count(log.String(), said); n != 1 {
			t.Errorf("%q was logged %d times", said, n)
		}
	}
}

// REQ SAMP-05, SAMP-06, SAMP-11
func TestDegradeSampling(t *testing.T) {
	var log bytes.Buffer
	s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	add(t, s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		_, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{
			MaxTokens: 5, IncludeContext: mcp.CreateMessageRequestParamsIncludeContextThisServer,
			Messages: []mcp.SamplingMessage{
				{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "x"}, &mcp.AudioContent{Data: wire.Base64{Text: "AAAA"}, MIMEType: "audio/wav"}}},
				{Role: mcp.RoleAssistant, Content: []mcp.SamplingMessageContentBlock{&mcp.ToolUseContent{ID: "1", Name: "t", Input: wire.Raw(`{"a":1}`)}}},
				{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.ToolResultContent{ToolUseID: "1", Content: []mcp.ContentBlock{&mcp.TextContent{Text: "y"}, Link("a:b", "n")}}}},
			},
		})
		return nil, err
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		asked := 0
		c := newClient(t, s, rev, `{"sampling":{}}`)
		result, _ := c.Complete("tools/call", `{"name":"a"}`, func(_ string, params wire.Raw) string {
			asked++
			audio := `{"type":"audio","data":"AAAA","mimeType":"audio/wav"}`
			if rev == mcp.V2024_11_05 {
				audio = `{"type":"text","text":"[audio/wav, 3 bytes, which this client cannot receive]"}`
			}
			want := `{"messages":[{"role":"user","content":{"type":"text","text":"x"}},{"role":"user","content":` + audio + `},` +
				`{"role":"assistant","content":{"type":"text","text":"[use of the tool t with {\"a\":1}]"}},` +
				`{"role":"user","content":{"type":"text","text":"[result of the tool: y\n{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"a:b\"}]"}}],"includeContext":"thisServer","maxTokens":5}`
			if rev >= mcp.V2025_11_25 {
				want = `{"messages":[{"role":"user","content":[{"type":"text","text":"x"},` + audio + `]},` +
					`{"role":"assistant","content":{"type":"tool_use","id":"1","name":"t","input":{"a":1}}},` +
					`{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"y"},{"type":"resource_link","name":"n","uri":"a:b"}]}}],"maxTokens":5}`
			}
			equal(t, "params", string(params), want)
			return `{"role":"assistant","model":"m","content":{"type":"text","text":"z"}}`
		})
		if asked != 1 || strings.Contains(result, "isError") {
			t.Errorf("asked %d times: %s", asked, result)
		}
		if rev >= mcp.V2025_11_25 {
			c = newClient(t, s, rev, `{"sampling":{"context":{}}}`)
			c.Complete("tools/call", `{"name":"a"}`, func(_ string, params wire.Raw) string {
				equal(t, "context", params.StringAt("includeContext"), "thisServer")
				return `{"role":"assistant","model":"m","content":{"type":"text","text":"z"}}`
			})
		}
	})
	for _, said := range []string{"does not declare sampling.context", "several are sent as several messages", "not have all kinds of content for sampling", "sampling/createMessage is deprecated"} {
		if n := strings.Count(log.String(), said); n != 1 {
			t.Errorf("%q was logged %d times: %s", said, n, &log)
		}
	}
}

// What needs no substitute is not logged.
func TestNothingToDegrade(t *testing.T) {
	var log bytes.Buffer
	s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Revisions: []wire.Revision{mcp.V2025_03_26, mcp.V2025_06_18}})
	array := &mcp.CallToolResult{StructuredContent: wire.Raw(`[1]`), Content: []mcp.ContentBlock{&mcp.TextContent{Text: "one"}}}
	add(t, s.AddTool(mcp.Tool{Name: "array", OutputSchema: wire.Raw(`{"type":"array"}`)}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		if c.Capabilities().Sampling != nil {
			if _, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 5, Messages: []mcp.SamplingMessage{
				{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "x"}}},
			}}); err != nil {
				return nil, err
			}
		}
		return array, nil
	}))
	c := newClient(t, s, mcp.V2025_03_26, `{"sampling":{}}`)
	c.Must("tools/list", `{}`)
	c.Complete("tools/call", `{"name":"array"}`, func(string, wire.Raw) string {
		return `{"role":"assistant","model":"m","content":{"type":"text","text":"z"}}`
	})
	equal(t, "log", log.String(), "")
	c = newClient(t, s, mcp.V2025_06_18, `{}`)
	c.Must("tools/list", `{}`)
	equal(t, "array", bare(c.Must("tools/call", `{"name":"array"}`)), `{"content":[{"type":"text","text":"one"},{"type":"text","text":"[1]"}]}`)
	if n := strings.Count(log.String(), "through 2025-11-25"); n != 2 {
		t.Errorf("the log is %s", &log)
	}
	count(t, "blocks of the handler", len(array.Content), 1)
}

// What a handler returned is not changed: it may return it again.
func TestResultsStay(t *testing.T) {
	s := newServer(nil)
	prompt := &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: Link("a:b", "n")}}}
	add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) { return prompt, nil }))
	text, blob := TextResource("", "x"), BlobResource("", nil)
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "t:{x}", Name: "t"}, prefix("t:"), func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
		return text, nil
	}))
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "b:{x}", Name: "b"}, prefix("b:"), func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
		return blob, nil
	}))
	c := newClient(t, s, mcp.V2024_11_05, `{}`)
	c.Must("prompts/get", `{"name":"p"}`)
	contains(t, "again, to a newer client", newClient(t, s, mcp.V2025_11_25, `{}`).Must("prompts/get", `{"name":"p"}`), "resource_link")
	for _, uri := range []string{"t:1", "t:2", "b:1", "b:2"} {
		contains(t, "read", c.Must("resources/read", `{"uri":"`+uri+`"}`), `"uri":"`+uri+`"`)
	}
}

// A block that is nil is the handler's mistake, and ends nothing but its call.
func TestNilBlock(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: wire.Raw(`[1]`), Content: []mcp.ContentBlock{(*mcp.TextContent)(nil), Link("a:b", "n")}}, nil
	}))
	contains(t, "error", newClient(t, s, mcp.V2025_11_25, `{}`).Fails("tools/call", `{"name":"t"}`, codeInternal).Message, "the result cannot be sent")
}

// An error with a code that the protocol has taken since is an internal one, and keeps its message and its data.
//
// REQ JRPC-26, JRPC-23
func TestTakenCodes(t *testing.T) {
	var log bytes.Buffer
	s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for _, code := range []int64{-32099, -32020, -32019, -32100, mcp.CodeResourceNotFound} {
		add(t, s.AddMethod(fmt.Sprint("x/", code), func(context.Context, *Call) (wire.Encodable, error) {
			return nil, &jsonrpc.Error{Code: code, Message: "no", Data: wire.Raw(`{"a":1}`)}
		}))
	}
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	for code, want := range map[int64]int64{-32099: codeInternal, -32020: -32020, -32019: -32019, -32100: -32100, mcp.CodeResourceNotFound: codeInvalidParams} {
		err := c.Fails(fmt.Sprint("x/", code), `{}`, want)
		equal(t, fmt.Sprint(code), err.Message+string(err.Data), `no{"a":1}`)
	}
	if n := strings.Count(log.String(), "are the protocol's"); n != 1 {
		t.Errorf("the log is %s", &log)
	}
}
