package interop

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAnnotated has the TypeScript clients list and call the tools of golden/annotated. Their validator
// must take what the tools take, and refuse what they refuse; the clients hold the results against
// the output schemas.
func TestAnnotated(t *testing.T) {
	calls := annotatedCalls(t)
	runAnnotated(t, calls, nil, func(t *testing.T, i int, line []byte) { calls[i].check(t, line) })
}

// TestAnnotatedLater has them call a server whose results have members, at all depths, that the output schemas which they
// have listed do not know: all calls succeed that succeed otherwise.
func TestAnnotatedLater(t *testing.T) {
	calls := annotatedCalls(t)
	more := 0
	runAnnotated(t, calls, []string{"-later"}, func(t *testing.T, i int, line []byte) {
		var got struct {
			IsError           bool
			StructuredContent json.RawMessage
			Thrown            string
		}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got.Thrown != "" || got.IsError != (calls[i].problem != "") {
			t.Errorf("%s %s: want an error: %t; got %s", calls[i].Tool, calls[i].Arguments, calls[i].problem != "", line)
		}
		more += bytes.Count(got.StructuredContent, []byte(`"later"`))
	})
	if more < 100 {
		t.Errorf("results had only %d members more", more)
	}
}

// runAnnotated has the clients make calls of a server of golden/annotated, and checks each line that they print.
func runAnnotated(t *testing.T, calls []*annotatedCall, flags []string, check func(t *testing.T, i int, line []byte)) {
	t.Helper()
	m := newModules(t)
	server := build(t, "annotated")
	file := filepath.Join(t.TempDir(), "calls.json")
	text, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v1", "v2"} {
		t.Run(version, func(t *testing.T) {
			args := append([]string{"annotated.mjs", version, file, server}, flags...)
			lines := bytes.Split(bytes.TrimSpace(m.node(t, args...)), []byte("\n"))
			if len(lines) != len(calls) {
				t.Fatalf("%d answers to %d calls: %s", len(lines), len(calls), lines[len(lines)-1])
			}
			for i, line := range lines {
				check(t, i, line)
			}
		})
	}
}

// An annotatedCall is a call of a tool of golden/annotated.
type annotatedCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`

	structured string // what it returns, in JSON; empty if nothing
	beside     []any  // the tool's own content beside that: texts, and other blocks
	problem    string // else the first line of what is wrong
}

// check compares what a client says with what the tool answers otherwise.
func (c *annotatedCall) check(t *testing.T, line []byte) {
	t.Helper()
	var got struct {
		Valid, IsError    bool
		StructuredContent json.RawMessage
		Content           []map[string]any
		Thrown            string
	}
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	call := c.Tool + " " + string(c.Arguments)
	refused := regexp.MustCompile(`^[^ ]+: (want|required|unknown|the name must|not accepted)`).MatchString(c.problem)
	unsaid := strings.Contains(c.problem, ": want a duration of at ") || strings.Contains(c.problem, ": want exactly one of ") // schemas do not say it
	// The names of constants are in schemas; their numbers are accepted, too.
	coerced := regexp.MustCompile(`^(add|forecast|came_freely)`).MatchString(c.Tool) && regexp.MustCompile(`:"[0-9]|"count":null`).Match(c.Arguments) ||
		regexp.MustCompile(`"level":-?[0-9]`).Match(c.Arguments) || c.Tool == "echo_states" && regexp.MustCompile(`:[0-9]`).Match(c.Arguments)
	if got.Thrown != "" || got.IsError != (c.problem != "") {
		t.Errorf("%s: want an error: %t; got %s", call, c.problem != "", line)
	}
	if got.Valid != !refused && !coerced && !unsaid {
		t.Errorf("%s: to the validator, valid: %t; to the tool: %s", call, got.Valid, c.problem)
	}
	if c.problem != "" || c.structured == "" && len(got.StructuredContent) == 0 {
		return
	}
	var have, want any // numbers as JavaScript has them
	_ = json.Unmarshal(got.StructuredContent, &have)
	_ = json.Unmarshal([]byte(c.structured), &want)
	if !reflect.DeepEqual(have, want) {
		t.Errorf("%s: got %s, want %s", call, got.StructuredContent, c.structured)
	}
	if c.beside == nil {
		return
	}
	var content []any
	for _, block := range got.Content {
		if text, ok := block["text"]; ok {
			content = append(content, text)
		} else {
			content = append(content, block)
		}
	}
	if !reflect.DeepEqual(content, c.beside) {
		t.Errorf("%s: the content is %v, want %v", call, content, c.beside)
	}
}

// annotatedCalls returns the calls in golden/annotated/testdata/calls.txt that JavaScript can make: its
// integers end at 2^53.
func annotatedCalls(t *testing.T) (calls []*annotatedCall) {
	t.Helper()
	text, err := os.ReadFile("../golden/annotated/testdata/calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	large := regexp.MustCompile(`[0-9]{16}`)
	tools := make(map[string]bool)
	var last *annotatedCall
	for block := range strings.SplitSeq("\n"+string(text), "\n> ") {
		call, answers, _ := strings.Cut(block, "\n")
		tool, arguments, _ := strings.Cut(call, " ")
		if !json.Valid([]byte(arguments)) || large.MatchString(arguments) || tool == "discard" || strings.Contains("\n"+answers, "\nerror: ") {
			continue
		}
		last = &annotatedCall{Tool: tool, Arguments: json.RawMessage(arguments)}
		var content []any
		for answer := range strings.Lines(answers) {
			if problem, ok := strings.CutPrefix(answer, "! "); ok && last.problem == "" {
				last.problem = problem
			} else if structured, ok := strings.CutPrefix(answer, "structured "); ok {
				last.structured, last.beside = structured, content
			} else if strings.TrimSuffix(answer, "\n") == "without structured content" { // the text looks like some
				last.structured = ""
				continue
			} else if strings.HasPrefix(answer, "{") && tool != "content" {
				last.structured = answer
			}
			content = append(content, contentOf(strings.TrimSuffix(answer, "\n")))
		}
		calls = append(calls, last)
		tools[tool] = true
	}
	beside := slices.ContainsFunc(calls, func(c *annotatedCall) bool { return len(c.beside) > 1 })
	if len(tools) < 45 || !beside {
		t.Fatalf("calls of only %d tools; with content beside structured content: %v", len(tools), beside)
	}
	return append(calls, confirmed...)
}

// confirmed are calls that a person must confirm. The clients can ask one, who declines what is dear.
var confirmed = []*annotatedCall{
	{Tool: "discard", Arguments: json.RawMessage(`{"name":"old"}`), structured: `{"gone":"old"}`},
	{Tool: "discard", Arguments: json.RawMessage(`{"name":"dear"}`), problem: "not confirmed: the user declined"},
}

// contentOf returns a block that stands in a line of answers: its text, or the whole of it.
func contentOf(line string) any {
	var block map[string]any
	if json.Unmarshal([]byte(line), &block) == nil && block["type"] != nil {
		return block
	}
	return line
}

// TestAnnotatedInspector has the inspector judge the schemas: there are no errors, and its only
// warnings are about values that may be anything, which is what their types say.
func TestAnnotatedInspector(t *testing.T) {
	m := newModules(t)
	for _, tt := range []struct {
		dir      string
		anything []string // tools
	}{{"annotated", []string{"echo_values", "came_freely"}}, {"../examples/weather", nil}} {
		printed := m.inspect(t, "--method", "tools/list", "--strict", "-q", build(t, tt.dir))
		var got struct {
			Result         struct{ Tools []any }
			SchemaFindings []struct {
				ToolName string
				Findings []struct{ Rule, Severity, Schema, Path string }
			}
		}
		if err := json.Unmarshal(printed, &got); err != nil {
			t.Fatalf("%s: the inspector printed %s", tt.dir, printed)
		}
		if len(got.Result.Tools) == 0 {
			t.Errorf("%s: no tools", tt.dir)
		}
		for _, tool := range got.SchemaFindings {
			for _, f := range tool.Findings {
				if !slices.Contains(tt.anything, tool.ToolName) || f.Rule != "untyped-schema" || f.Severity != "warning" {
					t.Errorf("%s: %s: %+v", tt.dir, tool.ToolName, f)
				}
			}
		}
	}
}
