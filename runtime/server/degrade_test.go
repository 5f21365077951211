package server

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
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
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		_, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{
			MaxTokens: 5, IncludeContext: mcp.CreateMessageRequestParamsIncludeContextThisServer,
			Messages: []mcp.SamplingMessage{
				{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "x"}, &mcp.AudioContent{Data: wire.Base64{Text: "AAAA"}, MIMEType: "audio/wav"}}},
				{Role: mcp.RoleAssistant, Content: []mcp.SamplingMessageContentBlock{&mcp.ToolUseContent{ID: "1", Name: "t", Input: wire.Raw(`{"a":1}`)}}},
				{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.ToolResultContent{ToolUseID: "1", Content: []mcp.ContentBlock{&mcp.TextContent{Text: "y"}}}}},
			},
		})
		return nil, err
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{"sampling":{}}`)
		c.Complete("tools/call", `{"name":"a"}`, func(_ string, params wire.Raw) string {
			audio := `{"type":"audio","data":"AAAA","mimeType":"audio/wav"}`
			if rev == mcp.V2024_11_05 {
				audio = `{"type":"text","text":"[audio/wav, 3 bytes, which this client cannot receive]"}`
			}
			want := `{"messages":[{"role":"user","content":{"type":"text","text":"x"}},{"role":"user","content":` + audio + `},` +
				`{"role":"assistant","content":{"type":"text","text":"[use of the tool t with {\"a\":1}]"}},` +
				`{"role":"user","content":{"type":"text","text":"[result of the tool: y]"}}],"includeContext":"thisServer","maxTokens":5}`
			if rev >= mcp.V2025_11_25 {
				want = `{"messages":[{"role":"user","content":[{"type":"text","text":"x"},` + audio + `]},` +
					`{"role":"assistant","content":{"type":"tool_use","id":"1","name":"t","input":{"a":1}}},` +
					`{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"y"}]}}],"maxTokens":5}`
			}
			equal(t, "params", string(params), want)
			return `{"role":"assistant","model":"m","content":{"type":"text","text":"z"}}`
		})
	})
}
