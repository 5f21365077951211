package annotated

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var update = flag.Bool("update", false, "rewrite testdata/calls.txt")

// newServer returns a server with all that the package annotates.
func newServer(t testing.TB) *server.Server {
	t.Helper()
	s, err := Sample(&server.Options{
		NotifyRate: -1,                            // nothing comes too fast
		Logger:     slog.New(slog.DiscardHandler), // what goes wrong here does so on purpose
		Setup:      []server.Setup{taskserver.Enable(nil)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCalls makes the calls in testdata/calls.txt, in every revision, and compares the answers. A call
// is a line that begins with >; until the next of them stands what is answered.
//
// REQ TOOL-12, TOOL-17, TOOL-18
func TestCalls(t *testing.T) {
	const file = "testdata/calls.txt"
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
		c := mcptest.Connect(t, newServer(t), &mcptest.Options{Revision: revision})
		var got strings.Builder
		called := make(map[string]bool)
		for line := range strings.Lines(string(content)) {
			if !strings.HasPrefix(line, "> ") {
				continue
			}
			call := strings.TrimSuffix(line[2:], "\n")
			name, _, _ := strings.Cut(call, " ")
			called[name] = true
			got.WriteString(line)
			for _, answer := range answers(t, c, call) {
				got.WriteString(answer + "\n")
			}
		}
		if *update && revision == mcp.V2026_07_28 {
			if err := os.WriteFile(file, []byte(got.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want := asIn(revision, string(content))
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got.String(), "\n")); diff != "" && !*update {
			t.Errorf("-want +got (accept with -update):\n%s", diff)
		}
		for tool, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if !called[tool.Name] {
				t.Errorf("the tool %s is never called", tool.Name)
			}
		}
	})
}

// asIn returns answers as an older revision has them.
func asIn(revision wire.Revision, answers string) string {
	if revision == mcp.V2024_11_05 { // without messages of progress
		answers = regexp.MustCompile(`(?m)^(progress [0-9]+: ).*`).ReplaceAllString(answers, "$1")
	}
	if revision < mcp.V2025_06_18 { // with structured content as text, after the tool's own content, and links as text
		answers = strings.ReplaceAll(answers, "without structured content\n", "")
		answers = regexp.MustCompile(`(?m)^(! )?structured `).ReplaceAllString(answers, "$1")
		answers = regexp.MustCompile(`\{"type":"resource_link","name":"(.*)","uri":"(.*)"\}`).ReplaceAllString(answers, "Resource $1: $2")
	}
	if revision < mcp.V2026_07_28 { // with a code of its own for what is not found
		answers = strings.ReplaceAll(answers, "not found (-32602)", "not found (-32002)")
	}
	return answers
}

// answers makes a call: prompt NAME and arguments in JSON, read URI, complete NAME ARGUMENT=TEXT, or
// the name of a tool and arguments. It returns lines that say what came of it.
func answers(t *testing.T, c *mcptest.Client, call string) (lines []string) {
	t.Helper()
	kind, rest, _ := strings.Cut(call, " ")
	name, arguments, _ := strings.Cut(rest, " ")
	ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) {
		lines = append(lines, fmt.Sprintf("progress %v: %s", p.Progress, p.Message))
	})
	var err error
	switch kind {
	case "prompt":
		var r *mcp.GetPromptResult
		if r, err = c.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: name, Arguments: stringMap(t, arguments)}); err == nil {
			for _, m := range r.Messages {
				lines = append(lines, string(m.Role)+" "+m.Content.(*mcp.TextContent).Text)
			}
		}
	case "read":
		var r *mcp.ReadResourceResult
		if r, err = c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: name}); err == nil {
			for _, contents := range r.Contents {
				raw, _ := wire.Marshal(wire.Any, contents)
				lines = append(lines, string(raw))
			}
		}
	case "complete":
		p := &mcp.CompleteRequestParams{Ref: &mcp.PromptReference{Name: name}}
		if strings.Contains(name, "://") {
			p.Ref = &mcp.ResourceTemplateReference{URI: name}
		}
		p.Argument.Name, p.Argument.Value, _ = strings.Cut(arguments, "=")
		var r *mcp.CompleteResult
		if r, err = c.Complete(ctx, p); err == nil {
			lines = append(lines, r.Completion.Values...)
		}
	default:
		var r *mcp.CallToolResult
		r, err = c.CallTool(ctx, &mcp.CallToolRequestParams{Name: kind, Arguments: wire.Raw(rest)})
		var refused *jsonrpc.Error
		switch {
		case err == nil:
			lines = append(lines, result(t, c, r)...)
		case c.Revision() < mcp.V2025_11_25 && errors.As(err, &refused) && refused.Code == jsonrpc.CodeInvalidParams:
			// Later revisions have wrong arguments as a result that the model reads.
			lines, err = append(lines, "! "+strings.ReplaceAll(refused.Message, "\n", "\n! ")), nil
		}
	}
	if err != nil {
		lines = append(lines, "error: "+err.Error())
	}
	return lines
}

func stringMap(t *testing.T, arguments string) map[string]string {
	t.Helper()
	var m map[string]string
	if arguments != "" {
		if err := json.Unmarshal([]byte(arguments), &m); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// result returns the lines of a tool's result: its text, with ! before it if it is an error, and its structured
// content, unless that is the same as the text.
func result(t *testing.T, c *mcptest.Client, r *mcp.CallToolResult) (lines []string) {
	t.Helper()
	for _, block := range r.Content {
		text, ok := block.(*mcp.TextContent)
		switch {
		case !ok:
			raw, _ := wire.Marshal(wire.Any, block)
			lines = append(lines, string(raw))
		case r.GetIsError():
			lines = append(lines, "! "+strings.ReplaceAll(text.Text, "\n", "\n! "))
		default:
			lines = append(lines, text.Text)
		}
	}
	if r.StructuredContent != nil && !slices.Equal(lines, []string{string(r.StructuredContent)}) {
		mark := ""
		if r.GetIsError() {
			mark = "! "
		}
		lines = append(lines, mark+"structured "+string(r.StructuredContent))
	}
	if c.Revision() >= mcp.V2025_06_18 && strings.HasPrefix(strings.Join(lines, ""), "{") && r.StructuredContent == nil {
		lines = append(lines, "without structured content")
	}
	return lines
}

// TestSettled completes an argument by another one.
func TestSettled(t *testing.T) {
	c := mcptest.Connect(t, newServer(t), nil)
	p := &mcp.CompleteRequestParams{Ref: &mcp.PromptReference{Name: "review"}, Context: &mcp.CompleteRequestParamsContext{Arguments: map[string]string{"unit": "kelvin"}}}
	p.Argument.Name, p.Argument.Value = "code", "x"
	r, err := c.Complete(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x1", "x2", "x in kelvin"}, r.Completion.Values); diff != "" {
		t.Error(diff)
	}
}
