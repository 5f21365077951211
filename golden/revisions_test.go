package golden_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What an encoder writes at a revision, or why it refuses. The names M1 to M14 are those of docs/merging.md.
func TestEncodeAtRevision(t *testing.T) {
	const (
		r2411 wire.Revision = 20241105
		r2503 wire.Revision = 20250326
		r2506 wire.Revision = 20250618
		r2511 wire.Revision = 20251125
		r2607 wire.Revision = 20260728
	)
	text := func(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }
	result := &mcp.CallToolResult{Content: []mcp.ContentBlock{text("hi")}, StructuredContent: wire.Raw(`{"a":1}`)}
	number := &mcp.CallToolResult{Content: []mcp.ContentBlock{}, StructuredContent: wire.Raw(`7`)}
	link := &mcp.CallToolResult{Content: []mcp.ContentBlock{text("hi"), &mcp.ResourceLink{Name: "n", URI: "u:"}}}
	audio := &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.AudioContent{Data: wire.EncodeBase64([]byte{0}), MIMEType: "audio/wav"}}}
	two := &mcp.SamplingMessage{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{text("a"), text("b")}}
	one := &mcp.SamplingMessage{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{text("a")}}
	token := &mcp.RequestMetaObject{ProgressToken: wire.IntID(1 << 60)}
	form := &mcp.ElicitRequest{Params: &mcp.ElicitRequestFormParams{Message: "m"}}
	url := &mcp.ElicitRequest{Params: &mcp.ElicitRequestURLParams{Message: "m", URL: "u:"}}

	for _, c := range []struct {
		what string
		v    wire.Encodable
		rev  wire.Revision
		want string // JSON, or the error
	}{
		{"a later member is left out", result, r2503, `{"content":[{"type":"text","text":"hi"}]}`},
		{"and written where it exists", result, r2506, `{"content":[{"type":"text","text":"hi"}],"structuredContent":{"a":1}}`},
		// REQ STATE-09
		{"what a revision requires is filled in", result, r2607, `{"resultType":"complete","content":[{"type":"text","text":"hi"}],"structuredContent":{"a":1}}`},
		{"nothing is filled in at any", result, wire.Any, `{"content":[{"type":"text","text":"hi"}],"structuredContent":{"a":1}}`},

		// REQ TOOL-10
		{"M8: structured content was an object", number, r2511, "CallToolResult: structuredContent: want object, got number"},
		// REQ TOOL-11
		{"M8: now it is any value", number, r2607, `{"resultType":"complete","content":[],"structuredContent":7}`},

		// REQ TOOL-15
		{"M13: a later arm is refused", link, r2503, "CallToolResult: content[1]: ResourceLink exists since 2025-06-18, not in 2025-03-26"},
		{"M13: and written where it exists", link, r2506, `{"content":[{"type":"text","text":"hi"},{"type":"resource_link","name":"n","uri":"u:"}]}`},
		{"M13: audio came with 2025-03-26", audio, r2411, "CallToolResult: content[0]: AudioContent exists since 2025-03-26, not in 2024-11-05"},
		{"M13: audio", audio, r2503, `{"content":[{"type":"audio","data":"AA==","mimeType":"audio/wav"}]}`},

		// REQ CACHE-01
		{"M3: cache hints of a list", &mcp.ListToolsResult{}, r2607, `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[]}`},
		{"M3: none before", &mcp.ListToolsResult{TTLMs: new(int64(5)), CacheScope: mcp.CacheScopePublic}, r2511, `{"tools":[]}`},
		{"M3: given ones are kept", &mcp.ListToolsResult{TTLMs: new(int64(5)), CacheScope: mcp.CacheScopePublic}, r2607,
			`{"resultType":"complete","ttlMs":5,"cacheScope":"public","tools":[]}`},
		// REQ CACHE-01, STATE-09
		{"M4: its own result type", &mcp.InputRequiredResult{}, r2607, `{"resultType":"input_required"}`},
		{"M3: the runtime has to fill _meta", &mcp.DiscoverResult{}, r2511, "DiscoverResult: it exists since 2026-07-28, not in 2025-11-25"},

		{"M2: optional once, required now", &mcp.CancelledNotificationParams{}, r2511, `{}`},
		{"M2: required before", &mcp.CancelledNotificationParams{}, r2506, "CancelledNotificationParams: requestId: the member is absent, but required in 2025-06-18"},
		// REQ CANC-01
		{"M2: and now", &mcp.CancelledNotificationParams{}, r2607, "CancelledNotificationParams: requestId: the member is absent, but required in 2026-07-28"},
		{"M2: and again", &mcp.CancelledNotificationParams{RequestID: wire.StringID("7")}, r2607, `{"requestId":"7"}`},
		{"M2: no _meta where none is needed", &mcp.CallToolRequestParams{Name: "n"}, r2511, `{"name":"n"}`},
		{"M2: _meta is required now", &mcp.CallToolRequestParams{Name: "n"}, r2607, "CallToolRequestParams: _meta: the member is absent, but required in 2026-07-28"},
		// REQ META-09
		{"M3: its keys too", &mcp.CallToolRequestParams{Meta: token, Name: "n"}, r2607,
			`CallToolRequestParams: _meta["io.modelcontextprotocol/protocolVersion"]: the member is absent, but required in 2026-07-28`},
		// REQ META-08
		{"M1: the progress token of old params", &mcp.CallToolRequestParams{Meta: token, Name: "n"}, r2411, `{"_meta":{"progressToken":1152921504606846976},"name":"n"}`},
		{"M1: and of the tasks'", &mcp.GetTaskRequestParams{Meta: token, TaskID: "t"}, r2511, `{"_meta":{"progressToken":1152921504606846976},"taskId":"t"}`},

		// REQ SAMP-05, SAMP-06
		{"M11: exactly one is written bare", one, r2607, `{"role":"user","content":{"type":"text","text":"a"}}`},
		{"M11: several as an array", two, r2511, `{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`},
		{"M11: which older revisions lack", two, r2506, "SamplingMessage: content: want exactly one value in 2025-06-18"},

		{"metadata is written in every revision", &mcp.Tool{Name: "t", InputSchema: wire.Raw(`{"type":"object"}`), Meta: mcp.MetaObject{"a": wire.Raw("1")}}, r2411,
			`{"name":"t","inputSchema":{"type":"object"},"_meta":{"a":1}}`},

		// REQ ELIC-03, ELIC-04
		{"M6: the form has a mode since 2025-11-25", form, r2506, `{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`},
		{"M6: mode", form, r2511, `{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}`},
		{"M6: the URL arm is later", url, r2506, "ElicitRequest: params: ElicitRequestURLParams exists since 2025-11-25, not in 2025-06-18"},
		{"a member of one revision only", url, r2511, "ElicitRequest: params.elicitationId: the member is absent, but required in 2025-11-25"},
		{"and gone in the next", url, r2607, `{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"u:"}}`},

		{"M7: settings became an object", &mcp.ClientCapabilities{Sampling: &mcp.ClientCapabilitiesSampling{Tools: mcp.JSONObject{}}}, r2506, `{"sampling":{}}`},
		{"M7: with members", &mcp.ClientCapabilities{Sampling: &mcp.ClientCapabilitiesSampling{Tools: mcp.JSONObject{}}}, r2511, `{"sampling":{"tools":{}}}`},
		{"M13: a member of one revision", &mcp.Tool{Name: "t", InputSchema: wire.Raw(`{"type":"object"}`), Execution: &mcp.ToolExecution{}}, r2607,
			`{"name":"t","inputSchema":{"type":"object"}}`},
		{"a required raw value", &mcp.Tool{Name: "t"}, r2511, "Tool: inputSchema: the raw value is absent"},
		{"a required union", &mcp.PromptMessage{Role: mcp.RoleUser}, r2511, "PromptMessage: content: the ContentBlock is nil"},
		{"a typed nil", &mcp.PromptMessage{Role: mcp.RoleUser, Content: (*mcp.TextContent)(nil)}, r2511, "PromptMessage: content: the TextContent is nil"},
		// REQ TASK-07
		{"null is written where the schema says so", &mcp.Task{TaskID: "t", Status: mcp.TaskStatusWorking}, r2511,
			`{"taskId":"t","status":"working","createdAt":"","lastUpdatedAt":"","ttl":null}`},
		// REQ STDIO-03
		{"a raw value never breaks the line", &mcp.Tool{Name: "t", InputSchema: wire.Raw("{\n \"type\": \"object\"\r\n}")}, r2511,
			`{"name":"t","inputSchema":{"type":"object"}}`},
	} {
		got, err := wire.Marshal(c.rev, c.v)
		text := string(got)
		if err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%s, %v:\n got %s\nwant %s", c.what, c.rev, text, c.want)
		}
	}
}
