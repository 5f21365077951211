package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestInspector has our server asked by the inspector's command line, which makes one request at a
// time, over every transport and in both eras.
func TestInspector(t *testing.T) {
	m := newModules(t)
	server := build(t, "../examples/everything")
	for _, tt := range []struct {
		name, era, revision string
		target              func(t *testing.T) string
	}{
		{"stdio", "legacy", "2025-11-25", func(*testing.T) string { return server }},
		{"stdio", "modern", "2026-07-28", func(*testing.T) string { return server }},
		{"Streamable HTTP", "legacy", "2025-11-25", func(t *testing.T) string {
			return serve(t, "", server, "-http", "127.0.0.1:0")
		}},
		{"Streamable HTTP", "modern", "2026-07-28", func(t *testing.T) string {
			return serve(t, "", server, "-http", "127.0.0.1:0")
		}},
		{"HTTP+SSE", "legacy", "2025-11-25", func(t *testing.T) string {
			return strings.TrimSuffix(serve(t, "", server, "-http", "127.0.0.1:0"), "/mcp") + "/sse"
		}},
	} {
		t.Run(tt.name+" "+tt.revision, func(t *testing.T) {
			t.Parallel()
			target := tt.target(t)
			for _, c := range inspections {
				if tt.revision < c.since || c.until != "" && tt.revision > c.until {
					continue
				}
				printed := m.inspect(t, slices.Concat([]string{"--protocol-era", tt.era}, c.args, []string{"-q", target})...)
				want := strings.ReplaceAll(c.want, "REVISION", tt.revision)
				var got, part any
				if err := json.Unmarshal(printed, &got); err != nil {
					t.Errorf("%q: the inspector printed %s", c.args, printed)
				} else if err := json.Unmarshal([]byte(want), &part); err != nil {
					t.Fatal(err)
				} else if !contains(got, part) {
					t.Errorf("%q: got %s, want it to contain %s", c.args, printed, want)
				}
			}
		})
	}
}

// inspections are all methods that the inspector's command line has for every server, the first and
// the last revision that has them, and a part of what it prints.
var inspections = []struct {
	args         []string
	since, until string
	want         string
}{
	{[]string{"--method", "initialize"}, "", "",
		`{"result":{"serverInfo":{"name":"everything"},"protocolVersion":"REVISION","instructions":"Every tool tries one feature of the protocol and says what came of it."}}`},
	{[]string{"--method", "tools/list"}, "", "", // several pages
		`{"result":{"tools":[{"name":"test_audio_content"},{"name":"test_x_mcp_header"}]}}`},
	{[]string{"--method", "tools/call", "--tool-name", "test_simple_text"}, "", "",
		`{"result":{"content":[{"type":"text","text":"This is a simple text response for testing."}]}}`},
	{[]string{"--method", "tools/call", "--tool-name", "test_structured_output", "--tool-arg", "city=Oslo"}, "", "",
		`{"result":{"structuredContent":{"temperature":-3.5,"conditions":"snow in Oslo"}}}`},
	{[]string{"--method", "tools/call", "--tool-name", "test_x_mcp_header", "--tool-arg", "region= Zürich "}, "", "",
		`{"result":{"content":[{"type":"text","text":"region:  Zürich "}]}}`},
	{[]string{"--method", "tools/call", "--tool-name", "test_tool_with_progress"}, "", "",
		`{"result":{"content":[{"type":"text","text":"Tool with progress completed."}]}}`},
	{[]string{"--method", "tools/call", "--tool-name", "test_error_handling"}, "", "",
		`{"result":{"isError":true}}`},
	// As tasks, by the client library of the extension's authors.
	{[]string{"--method", "tools/call", "--tool-name", "slow_compute", "--tool-args-json", `{"seconds":0.1,"label":"it"}`}, "", "",
		`{"result":{"content":[{"type":"text","text":"Computed it"}]}}`},
	{[]string{"--method", "tools/call", "--tool-name", "failing_job"}, "", "2025-11-25",
		`{"error":{"message":"the tool failed: its result says why"}}`},
	{[]string{"--method", "tools/call", "--tool-name", "failing_job"}, "2026-07-28", "",
		`{"result":{"content":[{"type":"text","text":"the job failed, as it always does"}],"isError":true}}`},
	{[]string{"--method", "tools/call", "--tool-name", "protocol_error_job"}, "", "",
		`{"error":{"message":"the job cannot be carried out"}}`},
	{[]string{"--method", "prompts/list"}, "", "",
		`{"result":{"prompts":[{"name":"test_prompt_with_arguments","arguments":[{"name":"arg1"},{"name":"arg2"}]}]}}`},
	{[]string{"--method", "prompts/get", "--prompt-name", "test_prompt_with_arguments", "--prompt-args", "arg1=a", "arg2=b"}, "", "",
		`{"result":{"messages":[{"role":"user","content":{"type":"text","text":"Prompt with arguments: arg1='a', arg2='b'"}}]}}`},
	{[]string{"--method", "resources/list"}, "", "",
		`{"result":{"resources":[{"uri":"test://static-binary"},{"uri":"test://static-text"}]}}`},
	{[]string{"--method", "resources/templates/list"}, "", "",
		`{"result":{"resourceTemplates":[{"uriTemplate":"test://template/{id}/data"}]}}`},
	{[]string{"--method", "resources/read", "--uri", "test://template/7/data"}, "", "",
		`{"result":{"contents":[{"uri":"test://template/7/data","text":"{\"id\":\"7\",\"templateTest\":true,\"data\":\"Data for ID: 7\"}"}]}}`},
	{[]string{"--method", "logging/setLevel", "--log-level", "debug"}, "", "2025-11-25",
		`{"result":{}}`},
}

// inspect runs the inspector's command line and returns what it printed on its output, or else on
// its standard error.
func (m modules) inspect(t *testing.T, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), driverLimit)
	defer cancel()
	launcher := filepath.Join(string(m), "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	cmd := process(ctx, "node", slices.Concat([]string{launcher, "--cli", "--format", "json"}, args)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir()) // where it looks for its catalog
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); ctx.Err() != nil {
		t.Fatalf("inspector %q: %v within %v", args, err, driverLimit)
	}
	if stdout.Len() == 0 {
		return stderr.Bytes()
	}
	return stdout.Bytes()
}

// contains reports whether all of a JSON value is in another: an object may have other members, and
// an array other items between.
func contains(whole, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		object, ok := whole.(map[string]any)
		for name, value := range part {
			ok = ok && contains(object[name], value)
		}
		return ok
	case []any:
		array, _ := whole.([]any)
		for _, item := range part {
			i := slices.IndexFunc(array, func(other any) bool { return contains(other, item) })
			if i < 0 {
				return false
			}
			array = array[i+1:]
		}
		return true
	}
	return whole == part
}
