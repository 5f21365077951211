package mcptest

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var update = flag.Bool("update", false, "rewrite the transcripts")

// TestCompareTranscript asks for a name in the middle of a call, and changes the
// list of tools, in one revision of each era.
func TestCompareTranscript(t *testing.T) {
	for _, revision := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		t.Run(revision.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s *server.Server
				s = newServer(t, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					r, err := c.WithKey("who").Elicit(ctx, &mcp.ElicitRequestFormParams{
						Message: "Who are you?",
						RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{
							Properties: wire.Members[mcp.PrimitiveSchemaDefinition]{{Name: "name", Value: &mcp.StringSchema{}}},
						},
					})
					if err != nil {
						return nil, err
					}
					s.RemoveTools("tool")
					return server.TextResult("Hello, " + string(r.Content["name"]) + "!"), nil
				}, revision)
				c := Connect(t, s, &Options{Revision: revision, Mask: []string{"version"}, Client: client.Options{
					Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
						return elicit.Accept(map[string]string{"name": "Ada"})
					}},
				}})
				if revision == mcp.V2026_07_28 {
					if _, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: new(true)}); err != nil {
						t.Fatal(err)
					}
				}
				c.CallText("tool", nil)
				time.Sleep(time.Second) // the change is told by itself
				c.CompareTranscript(filepath.Join("testdata", revision.String()+".txtar"), *update)
			})
		})
	}
}

// TestTranscriptDiffers compares with files that are not right.
func TestTranscriptDiffers(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "folder", "transcript.txtar")
	compare := func(args any, update bool) string {
		return judge(t, func(t testing.TB) {
			c := Connect(t, newServer(t, echo), &Options{Revision: mcp.V2024_11_05})
			c.CallText("tool", args)
			c.CompareTranscript(file, update)
		})
	}
	if got := compare(nil, false); !strings.Contains(got, "transcript.txtar") || !strings.Contains(got, "with update") {
		t.Errorf("no file: verdict %q", got)
	}
	if got := compare(nil, true); got != "" {
		t.Errorf("update: verdict %q", got)
	}
	if got := compare(nil, false); got != "" {
		t.Errorf("the same again: verdict %q", got)
	}

	// A comment is kept, and ends of lines do not matter.
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const comment = "What a call looks like.\n"
	data = []byte(comment + strings.ReplaceAll(string(data), "\n", "\r\n"))
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := compare(nil, false); got != "" {
		t.Errorf("with a comment and other ends of lines: verdict %q", got)
	}
	if got := compare(map[string]int{"n": 1}, true); got != "" {
		t.Errorf("update: verdict %q", got)
	}
	if data, err = os.ReadFile(file); err != nil || !strings.HasPrefix(string(data), comment+"-- client: initialize --\n{\n") {
		t.Errorf("the file after the update: %.200q, %v", data, err)
	}

	got := compare(map[string]int{"n": 2}, false)
	for _, part := range []string{"mcptest: the transcript differs:\n", `-      "n": 1`, `+      "n": 2`} {
		if !strings.Contains(got, part) {
			t.Errorf("verdict %q lacks %q", got, part)
		}
	}
}

// TestRecord takes note of messages that are none, and of answers to nothing.
func TestRecord(t *testing.T) {
	r := newRecorder(nil, nil)
	r.record(fromServer, []byte(`nonsense`))
	r.record(fromServer, []byte(`[{"jsonrpc":"2.0","method":"m"}]`))
	r.record(fromServer, []byte(`{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no","data":{"requestState":"secret","n":1e400}}}`))
	var got strings.Builder
	for _, f := range r.transcript() {
		got.WriteString("-- " + f.Name + "\n" + string(f.Data))
	}
	want := `-- server: no valid message
nonsense
-- server: batch
[
  {
    "jsonrpc": "2.0",
    "method": "m"
  }
]
-- server: error response to no request
{
  "jsonrpc": "2.0",
  "id": "x",
  "error": {
    "code": 1,
    "message": "no",
    "data": {
      "requestState": "...",
      "n": 1e400
    }
  }
}
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

// Transcript is what CompareTranscript compares.
func TestTranscript(t *testing.T) {
	c := Connect(t, newServer(t, echo), &Options{Revision: mcp.V2024_11_05})
	c.CallText("tool", nil)
	if got := string(c.Transcript()); !strings.HasPrefix(got, "-- client: initialize --\n{\n") || !strings.Contains(got, "\n-- server: response to tools/call --\n") {
		t.Errorf("got\n%s", got)
	}
}

// A server that does not serve is a failure of the test, and why.
func TestServerThatHasEnded(t *testing.T) {
	s := newServer(t, echo)
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := judge(t, func(t testing.TB) { Connect(t, s, nil) })
	if !strings.Contains(got, "mcptest: the server ended with the error: the server is shutting down") {
		t.Errorf("verdict %q", got)
	}
}

// What has no response is named in an order that is always the same.
func TestUnansweredAreSorted(t *testing.T) {
	r := newRecorder(nil, nil)
	for _, id := range []string{"3", "1", "2", "5", "4"} {
		r.record(fromClient, []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call"}`))
	}
	got := r.unanswered()
	if !slices.IsSorted(got) || len(got) != 5 || got[0] != "tools/call of the client, with the id 1," {
		t.Errorf("got %q", got)
	}
}
