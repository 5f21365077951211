package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/client/outputcheck"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A session is our client, connected to a server.
type session struct {
	*client.Client
	heard record // what the server told and asked
}

// open connects to a server until the test ends. What change leaves of the options is the same for
// all.
func open(t *testing.T, server dial, change func(*client.Options)) *session {
	t.Helper()
	s := new(session)
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))
	opts := &client.Options{
		Logger:       logger,
		Limits:       transport.Limits{Timeout: 20 * time.Second},
		Roots:        []mcp.Root{{URI: "file:///home/ada", Name: "Home"}},
		Sample:       s.sample,
		Capabilities: mcp.ClientCapabilities{Sampling: &mcp.ClientCapabilitiesSampling{Tools: mcp.JSONObject{}}},
		Elicit: elicit.Handler{
			Form: s.elicit,
			URL:  s.elicitURL,
		},
		CheckOutput: new(outputcheck.Checker).Check,

		OnChange: func(_ context.Context, change client.Change) {
			switch {
			case change.Tools:
				s.heard.add("tools changed")
			case change.Prompts:
				s.heard.add("prompts changed")
			case change.Resources:
				s.heard.add("resources changed")
			default:
				s.heard.add("updated %s", change.URI)
			}
		},
		Methods: []client.Method{methods.Notification(mcp.MethodLoggingMessageNotification.Name, func(_ context.Context, p *mcp.LoggingMessageNotificationParams) {
			s.heard.add("log %s %s", p.Level, p.Data)
		}), methods.Notification(mcp.MethodElicitationCompleteNotification.Name,
			func(_ context.Context, p *mcp.ElicitationCompleteNotificationParams) {
				s.heard.add("complete %s", p.ElicitationID)
			})},
	}
	if change != nil {
		change(opts)
	}
	c, err := client.Connect(t.Context(), server(t, opts), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	s.Client = c
	return s
}

// A dial is how to get to a server.
type dial func(t *testing.T, opts *client.Options) transport.Transport

// A command starts a server that speaks over stdio, in a folder.
type command struct {
	dir   string
	args  []string
	env   []string // more variables, as NAME=VALUE
	stays bool     // it does not exit when its input ends, and has to be told
}

func (c command) dial(t *testing.T, opts *client.Options) transport.Transport {
	t.Helper()
	start := &stdio.Command{
		Path:    c.args[0],
		Args:    c.args[1:],
		Env:     append(os.Environ(), c.env...),
		Dir:     c.dir,
		Options: stdio.Options{Logger: opts.Logger},
	}
	if c.stays {
		start.ExitTime = 200 * time.Millisecond
	}
	process, err := start.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c.stays {
		return told{process}
	}
	return process
}

// A told is a process that says so when it had to be told to end; that is no error here.
type told struct{ *stdio.Process }

func (p told) Close() error {
	p.Process.Close()
	return nil
}

// sample answers by repeating the last message, or by a wish to use the first tool it is offered.
func (s *session) sample(_ context.Context, p *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
	r := &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "a-model"}
	if len(p.Tools) > 0 {
		use := &mcp.ToolUseContent{ID: "call-1", Name: p.Tools[0].Name, Input: wire.Raw(`{"city":"Oslo"}`)}
		r.StopReason, r.Content = "toolUse", []mcp.SamplingMessageContentBlock{use}
		return r, nil
	}
	last := p.Messages[len(p.Messages)-1]
	r.StopReason, r.Content = "endTurn", last.Content
	return r, nil
}

// The answers to forms, by the names of their properties. Properties that are not here are left
// blank.
var filledIn = map[string]any{
	"name": "Ada", "username": "ada", "email": "ada@example.com", "color": "blue", "context": "a rainy day", "ok": true,
	"untitledSingle": "option1", "titledSingle": "value2", "legacyEnum": "opt3",
	"interpretation": "technical",
	"untitledMulti":  []string{"option1", "option2"}, "titledMulti": []string{"value1"},
}

// elicit does what the message says, and accepts forms with other messages.
func (s *session) elicit(_ context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
	s.heard.add("asked %s", p.Message)
	switch p.Message {
	case "decline":
		return elicit.Decline(), nil
	case "cancel":
		return elicit.Cancel(), nil
	case "Please check the defaults.":
		return elicit.Accept(struct{}{})
	}
	content := map[string]any{}
	for _, property := range p.RequestedSchema.Properties {
		if value, ok := filledIn[property.Name]; ok {
			content[property.Name] = value
		}
	}
	return elicit.Accept(content)
}

func (s *session) elicitURL(_ context.Context, p *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
	s.heard.add("sent to %s", p.URL)
	return mcp.ElicitResultActionAccept, nil
}

// call calls a tool with arguments in JSON.
func (s *session) call(t *testing.T, tool, args string) *mcp.CallToolResult {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool, Arguments: wire.Raw(args)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r
}

// text calls a tool that must succeed and returns the text that its content begins with.
func (s *session) text(t *testing.T, tool, args string) string {
	t.Helper()
	r := s.call(t, tool, args)
	if r.GetIsError() || len(r.Content) == 0 {
		t.Fatalf("%s: got %s", tool, marshal(t, r))
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s: the content begins with %T, want a text", tool, r.Content[0])
	}
	return text.Text
}

// read reads a resource of a single part.
func (s *session) read(t *testing.T, uri string) mcp.ResourceContents {
	t.Helper()
	r, err := s.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: uri})
	if err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	if len(r.Contents) != 1 {
		t.Fatalf("%s: got %d parts, want 1", uri, len(r.Contents))
	}
	return r.Contents[0]
}

// prompt gets a prompt and returns its messages in JSON.
func (s *session) prompt(t *testing.T, name string, args map[string]string) string {
	t.Helper()
	r, err := s.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return marshal(t, r.Messages)
}

// complete returns what the server suggests for an argument, given the arguments that are known.
func (s *session) complete(
	t *testing.T, ref mcp.CompleteRequestParamsRef, argument, value string, known map[string]string,
) []string {
	t.Helper()
	p := &mcp.CompleteRequestParams{Ref: ref, Argument: mcp.CompleteRequestParamsArgument{Name: argument, Value: value}}
	if known != nil {
		p.Context = &mcp.CompleteRequestParamsContext{Arguments: known}
	}
	r, err := s.Complete(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r.Completion.Values
}

// collect returns the names of all items of a list.
func collect[T any](t *testing.T, list iter.Seq2[*T, error], name func(*T) string) []string {
	t.Helper()
	var names []string
	for item, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name(item))
	}
	return names
}

func toolName(tool *mcp.Tool) string             { return tool.Name }
func resourceURI(r *mcp.Resource) string         { return r.URI }
func uriTemplate(r *mcp.ResourceTemplate) string { return r.URITemplate }

// A record is a list of events that grows while it is read.
type record struct {
	mu     sync.Mutex
	events []string
}

func (r *record) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

// take removes the first event that matches and reports whether there was one.
func (r *record) take(matches func(event string) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.events, matches)
	if i >= 0 {
		r.events = slices.Delete(r.events, i, i+1)
	}
	return i >= 0
}

// forget removes all events.
func (r *record) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = nil
}

// wait waits until an event is there, and removes it.
func (r *record) wait(t *testing.T, event string) {
	t.Helper()
	is := func(other string) bool { return other == event }
	eventually(t, fmt.Sprintf("hears %q", event), func() bool { return r.take(is) })
}

// waitPrefix waits until an event is there that begins like this, and removes it.
func (r *record) waitPrefix(t *testing.T, prefix string) {
	t.Helper()
	begins := func(event string) bool { return strings.HasPrefix(event, prefix) }
	eventually(t, fmt.Sprintf("hears %q", prefix), func() bool { return r.take(begins) })
}

// never expects that an event does not come soon.
func (r *record) never(t *testing.T, event string) {
	t.Helper()
	time.Sleep(300 * time.Millisecond)
	if r.take(func(other string) bool { return other == event }) {
		t.Errorf("heard %q", event)
	}
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited a minute until the client %s", what)
		}
	}
}

// equal compares two values, of which the second is the wanted one.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// equalJSON compares two JSON texts by what they mean.
func equalJSON(t *testing.T, what, got, want string) {
	t.Helper()
	var g, w any
	if err := errors.Join(json.Unmarshal([]byte(got), &g), json.Unmarshal([]byte(want), &w)); err != nil {
		t.Fatalf("%s: %v in %s", what, err, got)
	}
	equal(t, what, g, w)
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// refused expects an error that the server answered with.
func refused(t *testing.T, what string, err error, code int64) *jsonrpc.Error {
	t.Helper()
	e := (*jsonrpc.Error)(nil)
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("%s: got error %v, want code %d", what, err, code)
	}
	return e
}
