package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestClient drives a TypeScript server with every feature, once in each revision that the two can
// agree on.
func TestClient(t *testing.T) {
	tryClient(t, func(t *testing.T, m modules, limit []string) dial {
		return command{dir: string(m), args: append([]string{"node", "server-v2.mjs"}, limit...)}.dial
	})
}

// TestClientHTTP is TestClient over Streamable HTTP.
func TestClientHTTP(t *testing.T) {
	tryClient(t, func(t *testing.T, m modules, limit []string) dial {
		args := append([]string{"node", "server-v2.mjs", "--http", "--resumable"}, limit...)
		return overHTTP(serve(t, string(m), args...))
	})
}

// tryClient tries our client with servers: limit is the flag for one of a single revision, or
// nothing.
func tryClient(t *testing.T, server func(t *testing.T, m modules, limit []string) dial) {
	m := newModules(t)
	for _, tt := range []struct {
		name     string
		limit    string          // the only revision that the server speaks; all if empty
		speak    []wire.Revision // those that the client speaks; all if nil
		revision wire.Revision   // the one that they agree on
	}{
		{"all revisions", "", nil, mcp.V2026_07_28},
		{"client of 2025-11-25", "", []wire.Revision{mcp.V2025_11_25}, mcp.V2025_11_25},
		{"server of 2025-11-25", "2025-11-25", nil, mcp.V2025_11_25},
		{"server of 2025-06-18", "2025-06-18", nil, mcp.V2025_06_18},
		{"server of 2025-03-26", "2025-03-26", nil, mcp.V2025_03_26},
		{"server of 2024-11-05", "2024-11-05", nil, mcp.V2024_11_05},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var limit []string
			if tt.limit != "" {
				limit = []string{"--revision", tt.limit}
			}
			s := open(t, server(t, m, limit), func(o *client.Options) { o.Revisions = tt.speak })
			if s.Revision() != tt.revision {
				t.Fatalf("they agreed on %v, want %v", s.Revision(), tt.revision)
			}
			for _, f := range clientFeatures {
				if s.Revision().Since(f.since) && (f.until == wire.Any || s.Revision() <= f.until) {
					t.Run(f.name, func(t *testing.T) {
						s.heard.forget()
						f.check(t, s)
					})
				}
			}
		})
	}
}

// clientFeatures are what the client tries, each with the first and the last revision that has it;
// [wire.Any] means no limit.
var clientFeatures = []struct {
	name         string
	since, until wire.Revision
	check        func(*testing.T, *session)
}{
	{"server", 0, 0, checkServer},
	{"extension", mcp.V2026_07_28, 0, checkExtension},
	{"ping", 0, mcp.V2025_11_25, checkPing},
	{"custom-methods", 0, 0, checkCustomMethods},
	{"large-message", 0, 0, checkLargeMessage},
	{"tools-list", 0, 0, checkToolsList},
	{"tool-contents", mcp.V2025_06_18, 0, checkToolContents},
	{"tool-structured-output", mcp.V2025_06_18, 0, checkStructuredOutput},
	{"tool-structured-array", mcp.V2026_07_28, 0, checkStructuredArray},
	{"tool-header", 0, 0, checkToolHeader},
	{"tool-errors", 0, 0, checkToolErrors},
	{"progress", 0, 0, checkProgress},
	{"cancellation", 0, 0, checkCancellation},
	{"concurrent-calls", 0, 0, checkConcurrentCalls},
	{"reconnection", 0, 0, checkReconnection},
	{"prompts", 0, 0, checkPrompts},
	{"completion", 0, 0, checkCompletion},
	{"completion-context", mcp.V2025_06_18, 0, checkCompletionContext},
	{"resources", 0, 0, checkResources},
	{"resource-unknown", 0, 0, checkUnknownResource},
	{"list-changes", 0, 0, checkListChanges},
	{"resource-updated", 0, 0, checkResourceUpdated},
	{"logging", 0, 0, checkLogging},
	{"roots", 0, 0, checkRoots},
	{"roots-list-changed", 0, mcp.V2025_11_25, checkRootsListChanged},
	{"sampling", 0, 0, checkSampling},
	{"sampling-tools", mcp.V2025_11_25, 0, checkSamplingTools},
	{"elicitation", mcp.V2025_06_18, 0, checkElicitation},
	{"elicitation-forms", mcp.V2025_11_25, 0, checkElicitationForms},
	{"elicitation-url", mcp.V2025_11_25, 0, checkElicitationURL},
	{"elicitation-url-required", mcp.V2025_11_25, mcp.V2025_11_25, checkElicitationURLRequired},
	{"input-required", mcp.V2025_06_18, 0, checkInputRequired},
	{"cache", mcp.V2026_07_28, 0, checkCache},
}

func checkServer(t *testing.T, s *session) {
	server := s.Server()
	if server.Info == nil || server.Info.Name != "server-v2" || server.Info.Version != "1.0.0" {
		t.Errorf("the server is %+v, want server-v2 1.0.0", server.Info)
	}
	equal(t, "instructions", server.Instructions, "Try every tool.")
	c := server.Capabilities
	lists := c.Tools.GetListChanged() && c.Prompts.GetListChanged() && c.Resources.GetListChanged()
	if !lists || !c.Resources.GetSubscribe() || c.Logging == nil {
		t.Errorf("the server's capabilities are %s", marshal(t, c))
	}
}

func checkExtension(t *testing.T, s *session) {
	equalJSON(t, "settings", string(s.Server().Capabilities.Extensions["com.example/everything"]), `{"level":1}`)
}

func checkPing(t *testing.T, s *session) {
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// Methods that no revision has.
var (
	echo   = wire.Method{Name: "example/echo", NewParams: newRaw, NewResult: newRaw}
	absent = wire.Method{Name: "example/absent", NewParams: newRaw, NewResult: newRaw}
	notice = wire.Method{Name: "notifications/example/notice", Notification: true, NewParams: newRaw}
)

func newRaw() wire.Value { return new(wire.Raw) }

// observed is what the fixture's tool test_observed says that the server saw.
type observed struct {
	Cancelled, RootsListChanged, Reads int
	Notices                            []string
}

func (s *session) observed(t *testing.T) (o observed) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.text(t, "test_observed", `{}`)), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func checkCustomMethods(t *testing.T, s *session) {
	const value = `{"text":"a\u2028b \u0001 𝄞","numbers":[0,-1,1.5,9007199254740991],"null":null}`
	var got wire.Raw
	if err := s.Call(t.Context(), &echo, wire.Raw(`{"value":`+value+`}`), &got); err != nil {
		t.Fatal(err)
	}
	var result struct{ Value json.RawMessage }
	if err := json.Unmarshal(got, &result); err != nil {
		t.Fatal(err)
	}
	equalJSON(t, "the echo", string(result.Value), value)
	refused(t, "an unknown method", s.Call(t.Context(), &absent, wire.Raw(`{}`), &got), mcp.CodeMethodNotFound)

	if err := s.Notify(t.Context(), &notice, wire.Raw(`{"text":"hello"}`)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "has its notice seen", func() bool {
		notices := s.observed(t).Notices
		return len(notices) == 1 && notices[0] == "hello"
	})
}

func checkLargeMessage(t *testing.T, s *session) {
	value := strings.Repeat("0123456789abcdef", 1<<16)
	var got wire.Raw
	if err := s.Call(t.Context(), &echo, wire.Raw(`{"value":"`+value+`"}`), &got); err != nil {
		t.Fatal(err)
	}
	if got.StringAt("value") != value {
		t.Errorf("1 MiB came back as %d bytes", len(got.StringAt("value")))
	}
}

// The fixture gives out 20 items at a time.
func checkToolsList(t *testing.T, s *session) {
	names := collect(t, s.Tools(t.Context()), toolName)
	if len(names) <= 20 {
		t.Errorf("got %d tools, want those of several pages", len(names))
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
	}
	_, err := s.ListTools(t.Context(), &mcp.PaginatedRequestParams{Cursor: new(mcp.Cursor("no such cursor"))})
	refused(t, "an invalid cursor", err, mcp.CodeInvalidParams)
	for tool, err := range s.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		schema := tool.InputSchema
		if tool.Name == "json_schema_2020_12_tool" && schema.StringAt("$defs", "address", "$anchor") != "addressDef" {
			t.Errorf("the inputSchema came as %s", schema)
		}
	}
}

func checkToolContents(t *testing.T, s *session) {
	for _, tt := range []struct {
		tool string
		want []string // the types of the content
	}{
		{"test_simple_text", []string{"*mcp.TextContent"}},
		{"test_image_content", []string{"*mcp.ImageContent"}},
		{"test_audio_content", []string{"*mcp.AudioContent"}},
		{"test_embedded_resource", []string{"*mcp.EmbeddedResource"}},
		{"test_resource_link", []string{"*mcp.ResourceLink"}},
		{"test_multiple_content_types", []string{"*mcp.TextContent", "*mcp.ImageContent", "*mcp.EmbeddedResource"}},
	} {
		var got []string
		for _, block := range s.call(t, tt.tool, `{}`).Content {
			got = append(got, fmt.Sprintf("%T", block))
		}
		equal(t, tt.tool, got, tt.want)
	}
}

// The client checks the output against the schema, for it has listed the tool.
func checkStructuredOutput(t *testing.T, s *session) {
	collect(t, s.Tools(t.Context()), toolName)
	r := s.call(t, "test_structured_output", `{"city":"Oslo"}`)
	equalJSON(t, "structuredContent", string(r.StructuredContent), `{"temperature":-3.5,"conditions":"snow in Oslo"}`)
}

func checkStructuredArray(t *testing.T, s *session) {
	collect(t, s.Tools(t.Context()), toolName)
	equalJSON(t, "structuredContent", string(s.call(t, "test_structured_array", `{}`).StructuredContent), `[1,2,3]`)
}

func checkToolErrors(t *testing.T, s *session) {
	r := s.call(t, "test_error_handling", `{}`)
	if !r.GetIsError() {
		t.Error("test_error_handling: isError is not set")
	}
	equalJSON(t, "test_error_handling", marshal(t, r.Content),
		`[{"type":"text","text":"This tool intentionally returns an error for testing"}]`)
	_, err := s.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "no_such_tool"})
	refused(t, "an unknown tool", err, mcp.CodeInvalidParams)
}

func checkProgress(t *testing.T, s *session) {
	var got [][2]float64
	ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) {
		got = append(got, [2]float64{p.Progress, p.GetTotal()})
	})
	if _, err := s.CallTool(ctx, &mcp.CallToolRequestParams{Name: "test_tool_with_progress"}); err != nil {
		t.Fatal(err)
	}
	equal(t, "progress before the result", got, [][2]float64{{0, 100}, {50, 100}, {100, 100}})
}

// The tool reports progress as soon as it runs.
func checkCancellation(t *testing.T, s *session) {
	before := s.observed(t).Cancelled
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx = client.WithProgress(ctx, func(*mcp.ProgressNotificationParams) { cancel() })
	_, err := s.CallTool(ctx, &mcp.CallToolRequestParams{Name: "test_wait", Arguments: wire.Raw(`{"ms":60000}`)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want that of the context", err)
	}
	eventually(t, "has its call cancelled", func() bool { return s.observed(t).Cancelled == before+1 })
}

func checkConcurrentCalls(t *testing.T, s *session) {
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			ms := 100 - 5*i
			args := wire.Raw(fmt.Sprintf(`{"ms":%d}`, ms))
			r, err := s.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "test_wait", Arguments: args})
			if err != nil {
				t.Error(err)
				return
			}
			equalJSON(t, "the answer", marshal(t, r.Content), fmt.Sprintf(`[{"type":"text","text":"waited %d ms"}]`, ms))
		})
	}
	calls.Wait()
}

// checkReconnection calls a tool that, over HTTP, ends the stream of the call where it has another
// way to answer.
func checkReconnection(t *testing.T, s *session) {
	equal(t, "test_reconnection", s.text(t, "test_reconnection", `{}`), "Reconnected.")
}

// checkToolHeader calls a tool with an argument that, over HTTP, is in a header, too, since
// 2026-07-28: with texts that no header can hold.
func checkToolHeader(t *testing.T, s *session) {
	collect(t, s.Tools(t.Context()), toolName) // so that the client knows of the header
	for _, region := range []string{"eu", " Zürich ", "=?base64?eA==?=", ""} {
		args := marshal(t, map[string]string{"region": region})
		equal(t, "test_x_mcp_header", s.text(t, "test_x_mcp_header", args), "region: "+region)
	}
}

func checkPrompts(t *testing.T, s *session) {
	names := collect(t, s.Prompts(t.Context()), func(p *mcp.Prompt) string { return p.Name })
	equal(t, "prompts", names, []string{
		"test_simple_prompt", "test_prompt_with_arguments", "test_prompt_with_embedded_resource", "test_prompt_with_image",
		"test_input_required_result_prompt",
	})
	for _, tt := range []struct {
		name string
		args map[string]string
		want string
	}{
		{
			"test_simple_prompt", nil,
			`[{"role":"user","content":{"type":"text","text":"This is a simple prompt for testing."}}]`,
		},
		{
			"test_prompt_with_arguments", map[string]string{"arg1": "one", "arg2": "two"},
			`[{"role":"user","content":{"type":"text","text":"Prompt with arguments: arg1='one', arg2='two'"}}]`,
		},
		{
			"test_prompt_with_embedded_resource", map[string]string{"resourceUri": "test://x"},
			`[{"role":"user","content":{"type":"resource","resource":
				{"uri":"test://x","mimeType":"text/plain","text":"Embedded resource content for testing."}}},
			  {"role":"user","content":{"type":"text","text":"Please process the embedded resource above."}}]`,
		},
	} {
		equalJSON(t, tt.name, s.prompt(t, tt.name, tt.args), tt.want)
	}
	for _, p := range []*mcp.GetPromptRequestParams{
		{Name: "no_such_prompt"},
		{Name: "test_prompt_with_arguments", Arguments: map[string]string{"arg1": "one"}},
	} {
		_, err := s.GetPrompt(t.Context(), p)
		refused(t, p.Name, err, mcp.CodeInvalidParams)
	}
}

func checkCompletion(t *testing.T, s *session) {
	prompt := &mcp.PromptReference{Name: "test_prompt_with_arguments"}
	equal(t, "completions of pa", s.complete(t, prompt, "arg1", "pa", nil), []string{"paris", "park", "party"})
	template := &mcp.ResourceTemplateReference{URI: "test://template/{id}/data"}
	equal(t, "completions of 12", s.complete(t, template, "id", "12", nil), []string{"12", "123"})
}

func checkCompletionContext(t *testing.T, s *session) {
	prompt := &mcp.PromptReference{Name: "test_prompt_with_arguments"}
	known := map[string]string{"arg1": "paris"}
	equal(t, "completions", s.complete(t, prompt, "arg2", "", known), []string{"paris-1", "paris-2"})
}

func checkResources(t *testing.T, s *session) {
	equal(t, "resources", collect(t, s.Resources(t.Context()), resourceURI), []string{
		"test://static-text", "test://static-binary", "test://watched-resource", "test://input-required-resource",
	})
	equal(t, "templates", collect(t, s.ResourceTemplates(t.Context()), uriTemplate), []string{"test://template/{id}/data"})
	text, ok := s.read(t, "test://static-text").(*mcp.TextResourceContents)
	if !ok || text.Text != "This is the content of the static text resource." || text.MIMEType != "text/plain" {
		t.Errorf("test://static-text: got %+v", text)
	}
	blob, ok := s.read(t, "test://static-binary").(*mcp.BlobResourceContents)
	if !ok || blob.Blob.IsZero() || blob.MIMEType != "image/png" {
		t.Errorf("test://static-binary: got %+v", blob)
	}
	data, ok := s.read(t, "test://template/123/data").(*mcp.TextResourceContents)
	if !ok {
		t.Fatalf("test://template/123/data is no text")
	}
	equalJSON(t, "test://template/123/data", data.Text, `{"id":"123","templateTest":true,"data":"Data for ID: 123"}`)
}

func checkUnknownResource(t *testing.T, s *session) {
	_, err := s.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "test://nonexistent"})
	if !client.IsNotFound(err) {
		t.Errorf("got error %v, want one that says not found", err)
	}
}

func checkListChanges(t *testing.T, s *session) {
	if s.Revision().Since(mcp.V2026_07_28) {
		s.text(t, "test_trigger_tool_change", `{}`)
		s.heard.never(t, "tools changed")
	}
	sub, err := s.Subscribe(t.Context(), mcp.SubscriptionFilter{
		ToolsListChanged: new(true), PromptsListChanged: new(true), ResourcesListChanged: new(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"tool", "prompt", "resource"} {
		s.text(t, "test_trigger_"+kind+"_change", `{}`)
		s.heard.wait(t, kind+"s changed")
	}
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
	if s.Revision().Since(mcp.V2026_07_28) {
		s.text(t, "test_trigger_tool_change", `{}`)
		s.heard.never(t, "tools changed")
	}
}

func checkResourceUpdated(t *testing.T, s *session) {
	const uri = "test://watched-resource"
	s.text(t, "test_trigger_resource_update", `{}`)
	s.heard.never(t, "updated "+uri)
	sub, err := s.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "what the server agreed to", sub.Filter().ResourceSubscriptions, []string{uri})
	s.text(t, "test_trigger_resource_update", `{}`)
	s.heard.wait(t, "updated "+uri)
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
	s.text(t, "test_trigger_resource_update", `{}`)
	s.heard.never(t, "updated "+uri)
}

func checkLogging(t *testing.T, s *session) {
	const first = `log info "Tool execution started"`
	if err := s.SetLevel(t.Context(), mcp.LoggingLevelDebug); err != nil {
		t.Fatal(err)
	}
	s.text(t, "test_tool_with_logging", `{}`)
	s.heard.wait(t, first)
	s.heard.wait(t, `log info "Tool processing data"`)
	s.heard.wait(t, `log info "Tool execution completed"`)
	if err := s.SetLevel(t.Context(), mcp.LoggingLevelError); err != nil {
		t.Fatal(err)
	}
	s.text(t, "test_tool_with_logging", `{}`)
	s.heard.never(t, first)
}

func checkRoots(t *testing.T, s *session) {
	equal(t, "text", s.text(t, "test_input_required_result_list_roots", `{}`), "Roots: file:///home/ada")
}

func checkRootsListChanged(t *testing.T, s *session) {
	before := s.observed(t).RootsListChanged
	if err := s.SetRoots(t.Context(), []mcp.Root{{URI: "file:///srv/data"}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "has its change of roots seen", func() bool { return s.observed(t).RootsListChanged == before+1 })
	equal(t, "text", s.text(t, "test_input_required_result_list_roots", `{}`), "Roots: file:///srv/data")
}

func checkSampling(t *testing.T, s *session) {
	equal(t, "text", s.text(t, "test_sampling", `{"prompt":"Hello"}`), "LLM response: Hello")
	equal(t, "text", s.text(t, "test_input_required_result_sampling", `{}`), "What is the capital of France?")
}

func checkSamplingTools(t *testing.T, s *session) {
	equal(t, "text", s.text(t, "test_sampling_tools", `{}`), `LLM wants get_weather {"city":"Oslo"}`)
}

// response splits what the elicitation tools return: "User response: action=…, content=…".
func response(t *testing.T, text string) (action, content string) {
	t.Helper()
	action, content, ok := strings.Cut(strings.TrimPrefix(text, "User response: action="), ", content=")
	if !ok {
		t.Fatalf("text is %q", text)
	}
	return action, content
}

func checkElicitation(t *testing.T, s *session) {
	for _, tt := range []struct{ message, action, content string }{
		{"Who are you?", "accept", `{"username":"ada","email":"ada@example.com"}`},
		{"decline", "decline", `{}`},
		{"cancel", "cancel", `{}`},
	} {
		action, content := response(t, s.text(t, "test_elicitation", `{"message":"`+tt.message+`"}`))
		equal(t, "action", action, tt.action)
		equalJSON(t, "content", content, tt.content)
		s.heard.wait(t, "asked "+tt.message)
	}
}

func checkElicitationForms(t *testing.T, s *session) {
	_, content := response(t, s.text(t, "test_elicitation_sep1034_defaults", `{}`))
	equalJSON(t, "defaults", content, `{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}`)
	_, content = response(t, s.text(t, "test_elicitation_sep1330_enums", `{}`))
	equalJSON(t, "enums", content, `{"untitledSingle":"option1","titledSingle":"value2","legacyEnum":"opt3",
		"untitledMulti":["option1","option2"],"titledMulti":["value1"]}`)
}

func checkElicitationURL(t *testing.T, s *session) {
	action, _ := response(t, s.text(t, "test_elicitation_url", `{}`))
	equal(t, "action", action, "accept")
	s.heard.wait(t, "sent to https://example.com/authorize")
}

func checkElicitationURLRequired(t *testing.T, s *session) {
	_, err := s.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "test_elicitation_url_required"})
	visits := client.URLElicitations(err)
	if len(visits) != 1 || visits[0].URL != "https://example.com/authorize" || visits[0].ElicitationID == "" {
		t.Errorf("got error %v, want one that sends to https://example.com/authorize", err)
	}
}

func checkInputRequired(t *testing.T, s *session) {
	for _, tt := range []struct{ tool, want string }{
		{"elicitation", "Hello, Ada!"},
		{"request_state", "state-ok"},
		{"multi_round", "Ada likes blue"},
	} {
		equal(t, tt.tool, s.text(t, "test_input_required_result_"+tt.tool, `{}`), tt.want)
	}
	text := s.text(t, "test_input_required_result_multiple_inputs", `{}`)
	if !strings.HasPrefix(text, "Greet the user., Ada of file://") {
		t.Errorf("test_input_required_result_multiple_inputs: got %q", text)
	}
	equalJSON(t, "the prompt", s.prompt(t, "test_input_required_result_prompt", nil),
		`[{"role":"user","content":{"type":"text","text":"Consider a rainy day."}}]`)
	resource, ok := s.read(t, "test://input-required-resource").(*mcp.TextResourceContents)
	if !ok || resource.Text != "Hello, Ada!" {
		t.Errorf("the resource: got %+v", resource)
	}
}

// A cached answer is the same value at once, and needs no server.
func checkCache(t *testing.T, s *session) {
	const uri = "test://static-text"
	r, err := s.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: uri})
	if err != nil {
		t.Fatal(err)
	}
	if r.GetTTLMs() <= 0 || r.CacheScope != "public" {
		t.Errorf("the hints are ttlMs %d and cacheScope %q", r.GetTTLMs(), r.CacheScope)
	}
	before := s.observed(t).Reads
	s.read(t, uri)
	equal(t, "number of reads that the server saw", s.observed(t).Reads, before)
}
