package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/peer"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// serveInstead makes the test binary be the server.
const serveInstead = "MCPGEN_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveInstead) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var quiet = slog.New(slog.DiscardHandler)

// start starts the server, limited to a revision if it is not zero.
func start(t *testing.T, revision wire.Revision) *stdio.Process {
	t.Helper()
	command := &stdio.Command{
		Path:    os.Args[0],
		Env:     append(os.Environ(), serveInstead+"=1", "GORACE=atexit_sleep_ms=0"),
		Stderr:  func(line string) { t.Log("server:", line) },
		Options: stdio.Options{Logger: quiet},
	}
	if revision != wire.Any {
		command.Args = []string{"-revision", revision.String()}
	}
	process, err := command.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Close() })
	return process
}

// connect connects a client with answers to whatever the server asks.
func connect(t *testing.T, to transport.Transport) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), to, &client.Options{
		Connection:    peer.Options{Logger: quiet, Timeout: 20 * time.Second},
		Roots:         []mcp.Root{{URI: "file:///srv"}},
		SamplingTools: true,
		Sample: func(_ context.Context, p *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			r := &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "parrot"}
			if len(p.Tools) > 0 {
				r.Content = []mcp.SamplingMessageContentBlock{
					&mcp.ToolUseContent{ID: "1", Name: p.Tools[0].Name, Input: wire.Raw(`{"city": "Oslo"}`)}}
			} else {
				r.Content = p.Messages[0].Content
			}
			return r, nil
		},
		Elicit: func(_ context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			answers := map[string]any{}
			for _, name := range p.RequestedSchema.Required {
				answers[name] = name + "!"
			}
			if p.Message == "Go on?" {
				answers["ok"] = true
			}
			return client.Accept(answers)
		},
		ElicitURL: func(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
			return mcp.ElicitResultActionAccept, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// calls are calls of all tools, with what they return where the revision has it.
var calls = []struct {
	tool, args  string
	since, want string
}{
	{"test_simple_text", ``, "", "This is a simple text response for testing."},
	{"test_image_content", ``, "", "[image image/png]"},
	{"test_audio_content", ``, "2025-03-26", "[audio audio/wav]"},
	{"test_embedded_resource", ``, "", "[test://embedded-resource This is an embedded resource content.]"},
	{"test_resource_link", ``, "2025-06-18", "[link test://static-text]"},
	{"test_multiple_content_types", ``, "", `Multiple content types test:[image image/png][test://mixed-content-resource {"test":"data","value":123}]`},
	{"test_error_handling", ``, "", "error: This tool intentionally returns an error for testing"},
	{"test_structured_output", `{"city":"Oslo"}`, "", `{"temperature":-3.5,"conditions":"snow in Oslo"}`},
	{"test_structured_output", `{"city":7}`, "2025-11-25", "error: city: want string, got 7"},
	{"test_structured_output", `{"CITY":"Oslo"}`, "2025-11-25", "error: city: is required"},
	{"test_structured_array", ``, "", "[1,2,3]"},
	{"json_schema_2020_12_tool", `{"phone":"1"}`, "", `{"phone":"1"}`},
	{"test_tool_with_progress", ``, "", "Tool with progress completed."},
	{"test_tool_with_logging", ``, "", "Tool with logging completed."},
	{"test_wait", `{"ms":1}`, "", "waited 1 ms"},
	{"test_observed", ``, "", `{"cancelled":0,"notices":[],"rootsListChanged":0}`},
	{"test_missing_capability", ``, "", "The client has sampling."},
	{"test_trigger_tool_change", ``, "", "Announced."},
	{"test_trigger_prompt_change", ``, "", "Announced."},
	{"test_trigger_resource_change", ``, "", "Announced."},
	{"test_trigger_resource_update", ``, "", "Announced."},
	{"test_sampling", `{"prompt":"echo"}`, "", "LLM response: echo"},
	{"test_sampling_tools", ``, "2025-11-25", `LLM wants get_weather {"city":"Oslo"}`},
	{"test_elicitation", `{"message":"Who?"}`, "2025-06-18", `User response: action=accept, content={"email":"email!","username":"username!"}`},
	{"test_elicitation_sep1034_defaults", ``, "2025-11-25", `User response: action=accept, content={"age":30,"name":"John Doe","score":95.5,"status":"active","verified":true}`},
	{"test_elicitation_sep1330_enums", ``, "2025-11-25", `User response: action=accept, content={}`},
	{"test_elicitation_url", ``, "2025-11-25", `User response: action=accept, content={}`},
	{"test_elicitation_url_required", ``, "2026-07-28", `User response: action=accept, content={}`},
	{"test_input_required_result_elicitation", ``, "2025-06-18", "Hello, name!!"},
	{"test_input_required_result_sampling", ``, "", "What is the capital of France?"},
	{"test_input_required_result_list_roots", ``, "", "Roots: file:///srv"},
	{"test_input_required_result_request_state", ``, "2025-06-18", "state-ok, the answer is true"},
	{"test_input_required_result_tampered_state", ``, "2025-06-18", "state-ok, the answer is true"},
	{"test_input_required_result_multiple_inputs", ``, "2025-06-18", "Greet the user., name! of file:///srv"},
	{"test_input_required_result_multi_round", ``, "2025-06-18", "name! likes color!"},
}

// show writes the result of a tool as one text.
func show(r *mcp.CallToolResult) string {
	var b strings.Builder
	if r.GetIsError() {
		b.WriteString("error: ")
	}
	for _, block := range r.Content {
		switch c := block.(type) {
		case *mcp.TextContent:
			b.WriteString(c.Text)
		case *mcp.ImageContent:
			fmt.Fprintf(&b, "[image %s]", c.MIMEType)
		case *mcp.AudioContent:
			fmt.Fprintf(&b, "[audio %s]", c.MIMEType)
		case *mcp.ResourceLink:
			fmt.Fprintf(&b, "[link %s]", c.URI)
		case *mcp.EmbeddedResource:
			contents := c.Resource.(*mcp.TextResourceContents)
			fmt.Fprintf(&b, "[%s %s]", contents.URI, contents.Text)
		}
	}
	return b.String()
}

// TestRevisions calls every tool in every revision that has what it needs, over stdio.
func TestRevisions(t *testing.T) {
	for _, revision := range mcp.Revisions() {
		t.Run(revision.String(), func(t *testing.T) {
			t.Parallel()
			c := connect(t, start(t, revision))
			if c.Revision() != revision {
				t.Fatalf("they speak %s", c.Revision())
			}
			untried := map[string]bool{}
			for tool, err := range c.Tools(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				untried[tool.Name] = true
			}
			for _, call := range calls {
				delete(untried, call.tool)
				if revision.String() < call.since {
					continue
				}
				r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: call.tool, Arguments: wire.Raw(call.args)})
				if err != nil {
					t.Errorf("%s: %v", call.tool, err)
				} else if got := show(r); got != call.want {
					t.Errorf("%s:\n got %s\nwant %s", call.tool, got, call.want)
				}
			}
			if len(untried) > 0 {
				t.Errorf("untried: %v", untried)
			}
		})
	}
}

// TestURLRequired: the one revision that has the error gets it.
func TestURLRequired(t *testing.T) {
	c := connect(t, start(t, mcp.V2025_11_25))
	_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "test_elicitation_url_required"})
	visits := client.URLElicitations(err)
	if len(visits) != 1 || visits[0].URL != "https://example.com/authorize" || visits[0].ElicitationID == "" {
		t.Errorf("error %v with visits %+v", err, visits)
	}
}

// TestPromptsAndResources gets prompts, completes their arguments, and reads resources, in the newest revision
// that the two sides speak.
func TestPromptsAndResources(t *testing.T) {
	c := connect(t, start(t, wire.Any))
	if c.Revision() != mcp.V2026_07_28 {
		t.Errorf("they speak %s", c.Revision())
	}
	prompt, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "test_input_required_result_prompt"})
	if err != nil {
		t.Fatal(err)
	}
	if got := prompt.Messages[0].Content.(*mcp.TextContent).Text; got != "Consider context!." {
		t.Errorf("prompt %q", got)
	}
	for uri, want := range map[string]string{
		"test://static-text":             "This is the content of the static text resource.",
		"test://input-required-resource": "Hello, name!!",
		"test://template/a%20b/data":     `{"id":"a b","templateTest":true,"data":"Data for ID: a b"}`,
	} {
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: uri})
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		if got := r.Contents[0].(*mcp.TextResourceContents).Text; got != want {
			t.Errorf("%s:\n got %s\nwant %s", uri, got, want)
		}
	}
	for _, uri := range []string{"test://template//data", "test://template/a/b/data", "test://template/%/data", "test://absent"} {
		if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: uri}); err == nil {
			t.Errorf("%s can be read", uri)
		}
	}
	suggested, err := c.Complete(t.Context(), &mcp.CompleteRequestParams{
		Ref:      &mcp.PromptReference{Name: argumentsPrompt},
		Argument: mcp.CompleteRequestParamsArgument{Name: "arg2", Value: "paris-"},
		Context:  &mcp.CompleteRequestParamsContext{Arguments: map[string]string{"arg1": "paris"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(suggested.Completion.Values); got != "[paris-1 paris-2]" {
		t.Errorf("completion %s", got)
	}
}

// TestExit ends the input while a call is at work.
//
// REQ STDIO-11
func TestExit(t *testing.T) {
	process := start(t, wire.Any)
	c := connect(t, process)
	began := make(chan bool, 1)
	ctx := client.WithProgress(t.Context(), func(peer.Progress) { began <- true })
	go c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "test_wait", Arguments: wire.Raw(`{"ms":60000}`)})
	<-began
	start := time.Now()
	if err := process.Close(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if took := time.Since(start); took > 3*time.Second/2 {
		t.Errorf("the server took %v to exit", took)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-revision", "2025-01-01"}, {"-revision", "new"}, {"stray"}} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
		cmd.Env = append(os.Environ(), serveInstead+"=1")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("%q: %v, want exit status 2", args, err)
		}
		if !strings.Contains(string(out), args[len(args)-1]) {
			t.Errorf("%q: the message does not say what is wrong: %s", args, out)
		}
	}
}

// TestDependencies: a server over stdio links the standard library and this module, and no HTTP.
func TestDependencies(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	const format = `{{if not .Standard}}{{with .Module}}{{.Path}}{{end}}{{else if eq .ImportPath "net/http"}}{{.ImportPath}}{{end}}`
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, ".")
	cmd.Stderr = io.Discard
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for linked := range strings.FieldsSeq(string(out)) {
		if linked != "github.com/mcpgen/mcpgen" {
			t.Errorf("the server links %s", linked)
		}
		own++
	}
	if own == 0 {
		t.Error("go list names no package of this module")
	}
}
