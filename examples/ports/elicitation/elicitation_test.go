package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/examples/ports/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const original = "github.com/modelcontextprotocol/go-sdk/examples/server/elicitation"

// run runs a program to its end.
func run(t *testing.T, program string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, &errs)
	}
	return out.String(), errs.String()
}

// edited builds the original, whose server and client are in one process, so that its server and client have a session, that
// it prints what they send, and that its user takes this action.
func edited(t *testing.T, action string) string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", original).Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, edit := range [][2]string{
		{`"log"`, "\"log\"\n\t\"os\""},
		{`server.Connect(ctx, serverTransport, nil)`, `server.Connect(ctx, &mcp.LoggingTransport{Transport: serverTransport, Writer: os.Stderr}, nil)`},
		{`client.Connect(ctx, clientTransport, nil)`, `client.Connect(ctx, clientTransport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})`},
		{`Action: "accept"`, `Action: "` + action + `"`},
	} {
		if strings.Count(text, edit[0]) != 1 {
			t.Fatalf("the original has %d times %s, want once", strings.Count(text, edit[0]), edit[0])
		}
		text = strings.Replace(text, edit[0], edit[1], 1)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return transcript.Build(t, file)
}

// TestPrintsLikeTheOriginal compares what both programs print when the user accepts.
func TestPrintsLikeTheOriginal(t *testing.T) {
	theirs, _ := run(t, edited(t, "accept"))
	ours, _ := run(t, transcript.Build(t, "."))
	if ours != theirs || !strings.Contains(ours, "Configuration received: Endpoint: https://api.example.com, Max Retries: 3, Logs: true") {
		t.Errorf("the port prints\n%s\nthe original\n%s", ours, theirs)
	}
}

// TestAsksLikeTheOriginal compares what both servers ask the user, and what comes of it when the user declines.
func TestAsksLikeTheOriginal(t *testing.T) {
	stdout, stderr := run(t, edited(t, "decline"))
	var theirs []byte
	for line := range strings.Lines(stderr) {
		if _, message, ok := strings.Cut(line, "write: "); ok && strings.Contains(message, `"elicitation/create"`) {
			theirs = params(t, []byte(message))
		}
	}

	s, err := NewServer(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.Connect(t, s, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{
		Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: mcp.ElicitResultActionDecline}, nil
		}},
	}})
	_, err = client.CallTool[string](t.Context(), c, "configure", nil)
	if failed := new(client.ToolError); !errors.As(err, &failed) || !strings.Contains(err.Error(), "declined") {
		t.Errorf("declined: got %v", err)
	}
	if strings.Contains(stdout, "received") {
		t.Errorf("the original prints %s", stdout)
	}
	var ours []byte
	for _, f := range txtar.Parse(c.Transcript()).Files {
		if strings.Contains(f.Name, "elicitation/create") && bytes.Contains(f.Data, []byte(`"params"`)) {
			ours = params(t, f.Data)
		}
	}
	transcript.CompareJSON(t, "elicitation/create", theirs, ours, nil)
}

// TestEveryRevision has the port ask in each revision that has forms: since 2026-07-28 there are no sessions.
func TestEveryRevision(t *testing.T) {
	for _, revision := range []wire.Revision{mcp.V2025_06_18, mcp.V2025_11_25, mcp.V2026_07_28} {
		t.Run(revision.String(), func(t *testing.T) {
			s, err := NewServer(nil)
			if err != nil {
				t.Fatal(err)
			}
			c := mcptest.Connect(t, s, &mcptest.Options{Revision: revision, Client: client.Options{Elicit: elicit.Handler{Form: answer}}})
			got := c.CallText("configure", nil)
			if want := "Configuration received: Endpoint: https://api.example.com, Max Retries: 3, Logs: true"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// params returns those of a message.
func params(t *testing.T, message []byte) []byte {
	t.Helper()
	var m struct {
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatalf("%v in %s", err, message)
	}
	return m.Params
}
