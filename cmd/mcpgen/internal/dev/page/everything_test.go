package page

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/examples/everything/features"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// post sends a request to a page as its scripts do, and returns the lines of the response. It needs no network, and so works
// in a bubble.
func post(t *testing.T, p *Page, path, body string) []string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8091/api/"+path, strings.NewReader(body))
	r.Header.Set(tokenHeader, p.token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Errorf("%s %s: %d %s", path, body, w.Code, w.Body)
	}
	return strings.Split(strings.TrimSpace(w.Body.String()), "\n")
}

// answerAll accepts whatever a server asks the person at the page, until ctx ends.
func answerAll(ctx context.Context, t *testing.T, p *Page) {
	for after := uint64(0); ; {
		lines, last, more := p.feed.since(after)
		after = last
		for _, line := range lines {
			var e struct {
				Kind  string
				Value json.RawMessage
			}
			var asked []struct {
				ID     string
				Params struct {
					RequestedSchema struct {
						Properties map[string]struct{ Type string }
						Required   []string
					}
				}
			}
			if err := json.Unmarshal(line, &e); err != nil {
				t.Error(err)
			}
			if e.Kind != "asks" {
				continue
			}
			if err := json.Unmarshal(e.Value, &asked); err != nil {
				t.Error(err)
			}
			for _, q := range asked {
				said := input{Ask: q.ID, Action: "accept", Text: "Hello", Content: map[string]wire.Raw{}}
				for _, name := range q.Params.RequestedSchema.Required {
					said.Content[name] = wire.Raw(`"Ada"`)
					if q.Params.RequestedSchema.Properties[name].Type == "boolean" {
						said.Content[name] = wire.Raw("true")
					}
				}
				if err := p.asks.say(said); err != nil && !strings.Contains(err.Error(), "does not wait") {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

// calls has a call of each tool of examples/everything.
var calls = map[string]struct {
	arguments string
	want      string        // in the last line, if the page and the server speak the same revision
	since     wire.Revision // the first that has what the tool needs; before that the result says what is missing
	progress  int           // lines
}{
	"test_simple_text":                           {"{}", "This is a simple text", 0, 0},
	"test_image_content":                         {"{}", `"data":"iVBORw`, 0, 0},
	"test_audio_content":                         {"{}", `audio/wav`, 0, 0},
	"test_embedded_resource":                     {"{}", "test://embedded-resource", 0, 0},
	"test_resource_link":                         {"{}", "test://static-text", 0, 0},
	"test_multiple_content_types":                {"{}", `"data":"iVBORw`, 0, 0},
	"test_error_handling":                        {"{}", `"isError":true`, 0, 0},
	"test_structured_output":                     {`{"city":"Oslo"}`, "snow in Oslo", 0, 0},
	"test_structured_array":                      {"{}", "[1,2,3]", 0, 0},
	"json_schema_2020_12_tool":                   {`{"phone":"1"}`, "phone", 0, 0},
	"test_x_mcp_header":                          {`{"region":"eu"}`, "region: eu", 0, 0},
	"test_tool_with_progress":                    {"{}", "Tool with progress completed.", 0, 3},
	"test_tool_with_logging":                     {"{}", "Tool with logging completed.", 0, 0},
	"test_logging_tool":                          {"{}", "Logged.", 0, 0},
	"test_reconnection":                          {"{}", "Reconnected.", 0, 0},
	"test_wait":                                  {`{"ms":10}`, "waited 10 ms", 0, 1},
	"test_observed":                              {"{}", "rootsListChanged", 0, 0},
	"test_missing_capability":                    {"{}", "The client has sampling.", 0, 0},
	"test_trigger_tool_change":                   {"{}", "Announced.", 0, 0},
	"test_trigger_prompt_change":                 {"{}", "Announced.", 0, 0},
	"test_trigger_resource_change":               {"{}", "Announced.", 0, 0},
	"test_trigger_resource_update":               {"{}", "Announced.", 0, 0},
	"test_sampling":                              {`{"prompt":"Hello"}`, "LLM response: Hello", 0, 0},
	"test_sampling_tools":                        {"{}", "the model uses no tool", mcp.V2025_11_25, 0},
	"test_elicitation":                           {`{"message":"Who?"}`, "action=accept", mcp.V2025_06_18, 0},
	"test_elicitation_sep1034_defaults":          {"{}", "action=accept", mcp.V2025_06_18, 0},
	"test_elicitation_sep1330_enums":             {"{}", "action=accept", mcp.V2025_11_25, 0},
	"test_elicitation_url":                       {"{}", "action=accept", mcp.V2025_11_25, 0},
	"test_elicitation_url_required":              {"{}", "", mcp.V2025_11_25, 0}, // accepted, or an error that has the URL
	"test_input_required_result_elicitation":     {"{}", "Hello, Ada!", mcp.V2025_06_18, 0},
	"test_input_required_result_sampling":        {"{}", "Hello", 0, 0},
	"test_input_required_result_list_roots":      {"{}", "file:///shop", 0, 0},
	"test_input_required_result_request_state":   {"{}", "state-ok, the answer is true", mcp.V2025_06_18, 0},
	"test_input_required_result_tampered_state":  {"{}", "state-ok, the answer is true", mcp.V2025_06_18, 0},
	"test_input_required_result_multiple_inputs": {"{}", "Hello, Ada of file:///shop", mcp.V2025_06_18, 0},
	"test_input_required_result_multi_round":     {"{}", "Ada likes Ada", mcp.V2025_06_18, 0},
	"test_input_required_result_capabilities":    {"{}", "Answered: sampling", mcp.V2025_06_18, 0},
	"test_streaming_elicitation":                 {"{}", "Hello, Ada!", mcp.V2025_06_18, 1},
	"test_tool_with_task":                        {"{}", "Hello, Ada!", mcp.V2025_06_18, 0},
	"greet":                                      {`{"name":"Ada"}`, "Hello, Ada!", 0, 0},
	"slow_compute":                               {`{"seconds":10,"label":"it"}`, "Computed it", 0, 3},
	"failing_job":                                {"{}", "the job failed, as it always does", 0, 0},
	"protocol_error_job":                         {"{}", "the job cannot be carried out", 0, 0},
	"confirm_delete":                             {`{"filename":"a.txt"}`, "a.txt deleted: true", mcp.V2025_06_18, 0},
	"multi_input":                                {"{}", "Ada went on: true", mcp.V2025_06_18, 0},
	"big":                                        {"{}", strings.Repeat("big", 1<<17), 0, 0},
}

// TestEverything calls every tool of a server with every feature, whichever revision the page speaks, and whichever the
// server; as a task, too. Where these are two revisions, the server may be unable to do its part, and say so; -short leaves these out.
func TestEverything(t *testing.T) {
	for _, build := range client.Revisions() {
		for _, revision := range client.Revisions() {
			if testing.Short() && revision != build {
				continue
			}
			t.Run(fmt.Sprintf("%v before %v", revision, build), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { callEverything(t, build, revision) })
			})
		}
	}
}

func callEverything(t *testing.T, build, revision wire.Revision) {
	s, err := features.NewServer(mcp.Implementation{Name: "everything", Version: "1.0.0"}, server.Options{Logger: quiet, Revisions: []wire.Revision{build}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Shutdown(context.Background()) })
	if err := s.AddTool(mcp.Tool{Name: "big"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult(strings.Repeat("big", 1<<17)), nil
	}); err != nil {
		t.Fatal(err)
	}
	p := begin(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go answerAll(ctx, t, p)
	one, err := p.sessions.of(ctx, revision.String())
	if err != nil {
		t.Fatal(err)
	}
	for tool, err := range one.Tools(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		call, known := calls[tool.Name]
		if !known {
			t.Errorf("calls has no call of %s", tool.Name)
			continue
		}
		want, progress := call.want, call.progress
		if build < call.since {
			want = `"isError":true`
		}
		if build != revision {
			want, progress = "", 0
		}
		for _, asTask := range []bool{false, true} {
			begun := time.Now()
			lines := post(t, p, "call", fmt.Sprintf(`{"revision":%q,"name":%q,"arguments":%s,"task":%t}`, revision, tool.Name, call.arguments, asTask))
			last, reports := lines[len(lines)-1], 0
			var end line
			if err := json.Unmarshal([]byte(last), &end); err != nil || end.Result == nil && (end.Error == nil || end.Error.Code == 0) || !strings.Contains(last, want) {
				t.Errorf("%s, as a task: %t: got %.500s, want %.100s", tool.Name, asTask, last, want)
			}
			if took := float64(time.Since(begun).Microseconds()) / 1000; end.Took != took { // in the bubble nothing else takes time
				t.Errorf("%s, as a task: %t: said to have taken %v ms, want %v", tool.Name, asTask, end.Took, took)
			}
			for _, text := range lines[:len(lines)-1] {
				var l line
				if err := json.Unmarshal([]byte(text), &l); err != nil || l.Error != nil {
					t.Errorf("%s, as a task: %t: %v %s", tool.Name, asTask, err, text)
				}
				if l.Progress != nil {
					reports++
				}
			}
			if reports < progress {
				t.Errorf("%s, as a task: %t: %d reports of progress, want at least %d: %q", tool.Name, asTask, reports, progress, lines)
			}
		}
	}
}

// A page that cannot be told of something can be told of the rest.
func TestSayer(t *testing.T) {
	p := New()
	var logged strings.Builder
	p.opts.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	w := httptest.NewRecorder()
	say := p.sayer(w, func() { t.Error("the page is said to be gone") })
	say(line{Progress: &mcp.ProgressNotificationParams{Progress: 1}}) // without a token it cannot be marshalled
	say(line{Result: wire.Raw(`{}`)})
	lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "progressToken") || lines[1] != `{"result":{}}` || w.Header().Get("Content-Type") != "application/x-ndjson" || strings.Count(logged.String(), "cannot be encoded") != 1 {
		t.Errorf("got %q of %s, logged %s", lines, w.Header(), &logged)
	}
}
