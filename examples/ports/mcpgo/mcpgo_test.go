package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/examples/ports/internal/lines"
	"github.com/mcpgen/mcpgen/examples/ports/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const original = "github.com/mark3labs/mcp-go/examples/everything"

// script uses all that the servers offer, but for notify and progress: the original sends notifications beside its
// answers, before or after them.
func script() transcript.Script {
	call := transcript.Call
	read := func(uri string) transcript.Step {
		return transcript.Step{Name: "read " + uri, Method: "resources/read", Params: `{"uri":"` + uri + `"}`}
	}
	complete := func(ref, argument, value string) transcript.Step {
		return transcript.Step{
			Name: "complete " + argument + " " + value, Method: "completion/complete",
			Params: `{"ref":` + ref + `,"argument":{"name":"` + argument + `","value":"` + value + `"}}`,
		}
	}
	const prompt, template = `{"type":"ref/prompt","name":"complex_prompt"}`, `{"type":"ref/resource","uri":"test://dynamic/resource/{id}"}`
	return transcript.Script{Steps: append(transcript.Lists(),
		call("echo", `{"message":"Hello"}`),
		call("echo", `{}`).Named("echo nothing"),
		call("echo", `{"message":"Hello","volume":11}`).Named("echo louder"),
		call("add", `{"a":1,"b":2.5}`),
		call("add", `{"a":1,"b":"two"}`).Named("add two"),
		// Without _meta the original fails.
		transcript.Step{Method: "tools/call", Params: `{"name":"longRunningOperation","arguments":{"duration":0.01,"steps":2},"_meta":{}}`},
		call("getTinyImage", `{}`),
		call("get_resource_link", `{}`),
		call("get_resource_link", `{"resource_type":"letter"}`),
		call("sampleLLM", `{}`),
		transcript.Step{Method: "prompts/get", Params: `{"name":"simple_prompt"}`},
		transcript.Step{Method: "prompts/get", Params: `{"name":"complex_prompt","arguments":{"temperature":"1","style":"formal"}}`},
		transcript.Step{Method: "prompts/get", Name: "no such prompt", Params: `{"name":"simpler_prompt"}`},
		complete(prompt, "style", "c"),
		complete(prompt, "style", "x"),
		complete(prompt, "temperature", "1"),
		complete(template, "id", ""),
		complete(template, "id", "12"),
		complete(template, "id", "x"),
		complete(template, "id", "10000"),
		read("test://static/resource"),
		read("test://static/resource/1"),
		read("test://static/resource/100"),
		read("test://dynamic/resource/7"),
		read("test://elsewhere"),
	)}
}

// differences are those of all answers.
func differences() []transcript.Difference {
	return slices.Concat(definitions(), answers(), transcript.Refused("echo louder", "volume: unknown argument", "arguments that do not exist are refused"))
}

// definitions are the differences in what is offered.
func definitions() []transcript.Difference {
	const hints = `{"destructiveHint":true,"idempotentHint":false,"openWorldHint":true,"readOnlyHint":false}`
	return []transcript.Difference{
		{
			Step: "*/list", Path: "result.**.description",
			Why: "the port's descriptions are its comments",
		},
		{
			Step: "*", Path: "result.capabilities.resources.subscribe", Original: "true", Port: "-",
			Why: "no resource changes, so that there is nothing to subscribe to",
		},
		{
			Step: "server/discover", Path: "result.supportedVersions", Revision: "2026-07-28",
			Original: `["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`, Port: `~\["2026-07-28".*\]`,
			Why: "the revisions without sessions; initialize tells the others",
		},
		{
			Step: "tools/list", Path: "result.tools.*.annotations", Original: hints, Port: "-",
			Why: "these are what clients assume without annotations",
		},
		{
			Step: "tools/list", Path: "result.tools.*.inputSchema.additionalProperties", Original: "-", Port: "false",
			Why: "arguments that do not exist are refused",
		},
		{
			Step: "tools/list", Path: "result.tools.*.inputSchema.properties", Original: "{}", Port: "-",
			Why: "a tool without arguments has no properties",
		},
		{
			Step: "tools/list", Path: "result.tools.*.inputSchema.required", Original: "[]", Port: "-",
			Why: "no argument is required",
		},
		{
			Step: "tools/list", Path: "result.tools.longRunningOperation.inputSchema.properties.*.minimum", Original: "-",
			Why: "the schema says which numbers make sense",
		},
		{
			Step: "tools/list", Path: "result.tools.longRunningOperation.inputSchema.properties.steps.type", Original: `"number"`, Port: `"integer"`,
			Why: "steps are whole",
		},
		{
			Step: "resources/templates/list", Path: "result.resourceTemplates.Dynamic Resource.mimeType", Original: "-", Port: `"text/plain"`,
			Why: "a template says which type its resources have",
		},
	}
}

// answers are the differences in what is done.
func answers() []transcript.Difference {
	return []transcript.Difference{
		{
			Step: "echo nothing", Path: "result.content.0.text", Original: `"invalid message argument: expected string"`, Port: `"message: required"`,
			Why: "generated code checks the arguments, and tells what is wrong line by line",
		},
		{
			Step: "add two", Path: "result.content.0.text",
			Original: `"invalid number arguments: expected numeric values for 'a' and 'b'"`, Port: `"b: want a number, got \"two\""`,
			Why: "the same",
		},
		{
			Step: "*", Path: "result.**.data", Original: `~"iVBOR.*"`, Port: `~"iVBOR.*"`,
			Why: "another picture",
		},
		{
			Step: "tools/call sampleLLM", Path: "error.message", Port: `"unknown tool \"sampleLLM\""`,
			Why: "another message for the client",
		},
		{
			Step: "no such prompt", Path: "error.message", Port: `"unknown prompt \"simpler_prompt\""`,
			Why: "the same",
		},
		{
			Step: "read test://elsewhere", Path: "error.message", Port: `"resource \"test://elsewhere\" not found"`,
			Why: "the same",
		},
		{
			Step: "read test://elsewhere", Path: "error.data", Original: "-", Port: `{"uri":"test://elsewhere"}`,
			Why: "the error has the URI, as the specification shows it",
		},
		{
			Step: "prompts/get *", Path: "result.description", Port: "-",
			Why: "the description is in the list",
		},
		{
			Step: "complete *", Path: "result.completion.hasMore",
			Why: "a completion is the whole list of what is suggested; that ids can be longer still is not said",
		},
		{
			Step: "complete *", Path: "result.completion.total",
			Why: "the same",
		},
	}
}

func TestLikeTheOriginal(t *testing.T) {
	theirs, ours := transcript.Server{Program: transcript.Build(t, original)}, transcript.Server{Program: transcript.Build(t, ".")}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) { transcript.Compare(t, revision, theirs, ours, script(), differences()) })
	}
}

// Progress is reported to clients that want it, before the result. What comes at once is told at once.
func TestProgress(t *testing.T) {
	s, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.Connect(t, s, nil)
	for _, test := range []struct {
		tool, arguments string
		last            float64
	}{
		{"notify", `{}`, 10},
		{"longRunningOperation", `{"duration":0,"steps":3}`, 3},
	} {
		var got []float64
		ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) { got = append(got, p.Progress) })
		_, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: test.tool, Arguments: wire.Raw(test.arguments)})
		if err != nil || len(got) == 0 || !slices.IsSorted(got) || got[len(got)-1] != test.last {
			t.Errorf("%s: %v, %v; want %v at the end", test.tool, got, err, test.last)
		}
	}
}

// TestLines holds docs/from-mcp-go.md to the lines of both programs.
func TestLines(t *testing.T) {
	page := read(t, "../../../docs/from-mcp-go.md")
	theirs, ours := lines.OfPackage(t, original), lines.OfPackage(t, ".")
	want := fmt.Sprintf("| lines of code | %d | %d |\n", theirs, ours)
	if !strings.Contains(page, want) {
		t.Errorf("docs/from-mcp-go.md has no line %q", want)
	}
	if ratio := float64(ours) / float64(theirs); ratio > 0.45 {
		t.Errorf("the port has %.2f of the original's lines", ratio)
	}
}

// TestNames looks for what the table of docs/from-mcp-go.md names, in mcp-go on the left and here on the right.
func TestNames(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "../../../docs/from-mcp-go.md"), "\n| mcp-go | mcpgen |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	api := read(t, "../../../docs/api.txt")
	var theirs strings.Builder
	for _, pkg := range []string{"client", "mcp", "server"} {
		dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/mark3labs/mcp-go/"+pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files of %s: %v", pkg, err)
		}
		for _, file := range files {
			theirs.WriteString(strings.ReplaceAll(strings.ReplaceAll(read(t, file), "\nfunc (s *", "\n"+pkg+": (*"), "\nfunc ", "\n"+pkg+": "))
		}
	}
	function, method := regexp.MustCompile("`([a-z]+)\\.([A-Z]\\w+)`"), regexp.MustCompile("`\\(\\*(\\w+)\\)\\.(\\w+)`")
	rows := 0
	for row := range strings.Lines(table) {
		rows++
		left, right, _ := strings.Cut(row, " | ")
		for _, name := range function.FindAllStringSubmatch(left, -1) {
			if !regexp.MustCompile(`\n` + name[1] + `: ` + name[2] + `\b`).MatchString(theirs.String()) {
				t.Errorf("mcp-go has no %s.%s", name[1], name[2])
			}
		}
		for _, name := range method.FindAllStringSubmatch(left, -1) {
			if !strings.Contains(theirs.String(), "(*"+name[1]+") "+name[2]+"(") {
				t.Errorf("mcp-go has no method %s of %s", name[2], name[1])
			}
		}
		for _, name := range function.FindAllStringSubmatch(right, -1) {
			if !regexp.MustCompile(name[1] + `: (func|type) ` + name[2] + `\b`).MatchString(api) {
				t.Errorf("there is no %s.%s", name[1], name[2])
			}
		}
		for _, name := range method.FindAllStringSubmatch(right, -1) {
			if !strings.Contains(api, "func (*"+name[1]+")."+name[2]+"(") {
				t.Errorf("there is no method %s of %s", name[2], name[1])
			}
		}
	}
	if rows < 30 {
		t.Errorf("the table has %d rows", rows)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
