package main

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
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
	testenv.RefuseChild()
	os.Exit(m.Run())
}

var quiet = slog.New(slog.DiscardHandler)

// self returns the command by which the test binary is the server, limited to a revision if it is
// not zero.
func self(revision wire.Revision, args ...string) (path string, all, env []string) {
	if revision != wire.Any {
		args = append(args, "-revision", revision.String())
	}
	return os.Args[0], args, append(os.Environ(), serveInstead+"=1", "GORACE=atexit_sleep_ms=0")
}

// start starts the server over stdio.
func start(t *testing.T, revision wire.Revision) *stdio.Process {
	t.Helper()
	command := &stdio.Command{
		Stderr:   t.Output(),
		Options:  stdio.Options{Logger: quiet},
		ExitTime: time.Minute, // on a slow machine, too
	}
	command.Path, command.Args, command.Env = self(revision)
	process, err := command.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Close() })
	return process
}

// startHTTP starts the server over HTTP and returns its URL. When the test is over it is
// interrupted, and has to end in good order.
func startHTTP(t *testing.T, revision wire.Revision) string {
	t.Helper()
	path, args, env := self(revision, "-http", "127.0.0.1:0")
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Stderr = env, t.Output()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		stuck := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		defer stuck.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the interrupted server ended with %v", err)
		}
	})
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the server prints no URL: %v", err)
	}
	return strings.TrimSpace(url)
}

// transports are the ways to the server.
var transports = map[string]func(*testing.T, wire.Revision) transport.Transport{
	"stdio": func(t *testing.T, revision wire.Revision) transport.Transport { return start(t, revision) },
	"Streamable HTTP": func(t *testing.T, revision wire.Revision) transport.Transport {
		return httpclient.New(startHTTP(t, revision), &httpclient.Options{Logger: quiet})
	},
	"HTTP+SSE": func(t *testing.T, revision wire.Revision) transport.Transport {
		url := strings.TrimSuffix(startHTTP(t, revision), "/mcp") + "/sse"
		return httpclient.New(url, &httpclient.Options{Logger: quiet})
	},
}

// connect connects a client with answers to whatever the server asks.
func connect(t *testing.T, to transport.Transport) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), to, &client.Options{
		Logger:       quiet,
		Limits:       transport.Limits{Timeout: time.Minute},
		Roots:        []mcp.Root{{URI: "file:///srv"}},
		Extensions:   []client.Extension{taskclient.Enable(nil)},
		Capabilities: mcp.ClientCapabilities{Sampling: &mcp.ClientCapabilitiesSampling{Tools: mcp.JSONObject{}}},
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
		Elicit: elicit.Handler{
			Form: func(_ context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				answers := map[string]any{}
				for _, field := range p.RequestedSchema.Properties {
					if _, ok := field.Value.(*mcp.BooleanSchema); ok {
						answers[field.Name] = true
					} else if slices.Contains(p.RequestedSchema.Required, field.Name) {
						answers[field.Name] = field.Name + "!"
					}
				}
				return elicit.Accept(answers)
			},
			URL: func(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
				return mcp.ElicitResultActionAccept, nil
			},
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
	{"test_reconnection", ``, "", "Reconnected."},
	{"test_logging_tool", ``, "", "Logged."},
	{"test_x_mcp_header", `{"region":"eu"}`, "", "region: eu"},
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
	{"test_input_required_result_capabilities", ``, "2025-06-18", "Answered: sampling, elicitation, roots"},
	{"test_streaming_elicitation", ``, "2025-06-18", "Hello, name!!"},
	{"greet", `{"name":"Ada"}`, "", "Hello, Ada!"},
	{"slow_compute", `{"seconds":0.01,"label":"it"}`, "", "Computed it"},
	{"slow_compute", `{"seconds":-1}`, "2025-11-25", "error: seconds: want 0 to 3600, got -1"},
	{"failing_job", ``, "2025-11-25", "error: the job failed, as it always does"},
	{"protocol_error_job", ``, "2026-07-28", "no result: the job cannot be carried out (-32603)"},
	{"confirm_delete", `{"filename":"a.txt"}`, "2025-06-18", "a.txt deleted: true"},
	{"multi_input", ``, "2025-06-18", "name! went on: true"},
	{"test_tool_with_task", ``, "2025-06-18", "Hello, name!!"},
}

// show writes the result of a tool as one text, or the error that there is instead.
func show(r *mcp.CallToolResult, err error) string {
	if err != nil {
		return "no result: " + err.Error()
	}
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

// TestRevisions calls every tool in every revision that has what it needs, over every transport.
func TestRevisions(t *testing.T) {
	for name, open := range transports {
		for _, revision := range server.Revisions() {
			if name == "HTTP+SSE" && revision >= mcp.V2026_07_28 {
				continue // which has no sessions, and so no streams of theirs
			}
			t.Run(name+" "+revision.String(), func(t *testing.T) {
				t.Parallel()
				callAll(t, connect(t, open(t, revision)), revision)
			})
		}
	}
}

func callAll(t *testing.T, c *client.Client, revision wire.Revision) {
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
		if got := show(r, err); got != call.want {
			t.Errorf("%s:\n got %s\nwant %s", call.tool, got, call.want)
		}
	}
	if len(untried) > 0 {
		t.Errorf("untried: %v", untried)
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
	if all := server.Revisions(); c.Revision() != all[len(all)-1] {
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
		Ref:      &mcp.PromptReference{Name: "test_prompt_with_arguments"},
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
	ctx := client.WithProgress(t.Context(), func(*mcp.ProgressNotificationParams) { began <- true })
	go c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "test_wait", Arguments: wire.Raw(`{"ms":60000}`)})
	<-began
	if err := process.Close(); err != nil { // it is forced if it does not end in a third of the call's time
		t.Errorf("the server ended with %v", err)
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

// TestDependencies: a server links the standard library and this module, and without a transport
// over HTTP no HTTP.
func TestDependencies(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not in PATH: add its folder to run this test")
	}
	list := func(format string, packages ...string) []string {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps", "-f", format}, packages...)...)
		cmd.Stderr = t.Output()
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}
	modules := slices.Compact(list(`{{if not .Standard}}{{with .Module}}{{.Path}}{{end}}{{end}}`, "."))
	if !slices.Equal(modules, []string{"github.com/mcpgen/mcpgen"}) {
		t.Errorf("the server links packages of %v", modules)
	}
	const runtime = "github.com/mcpgen/mcpgen/runtime/"
	packages := list(`{{.ImportPath}}`, runtime+"server", runtime+"transport/stdio")
	if !slices.Contains(packages, runtime+"server") || slices.Contains(packages, "net/http") {
		t.Errorf("a server over stdio links %v", packages)
	}
}
