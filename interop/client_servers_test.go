package interop

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestClientEverything drives the official server that shows all features, on the TypeScript SDK v1.
func TestClientEverything(t *testing.T) {
	m := newModules(t)
	for _, tt := range []struct {
		name  string
		early bool // what the server says in its answer to the handshake reaches the client
		dial  func(t *testing.T) dial
	}{
		{"stdio", true, func(t *testing.T) dial {
			return command{args: append(m.server("server-everything"), "stdio"), stays: true}.dial
		}},
		{"Streamable HTTP", false, func(t *testing.T) dial {
			return overHTTP(serveAt(t, "/mcp", append(m.server("server-everything"), "streamableHttp")...))
		}},
		{"HTTP+SSE", true, func(t *testing.T) dial {
			return overHTTP(serveAt(t, "/sse", append(m.server("server-everything"), "sse")...))
		}},
		{"HTTP+SSE, found out", true, func(t *testing.T) dial {
			return overHTTP(serveAt(t, "/sse", append(m.server("server-everything"), "sse")...))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tryEverything(t, open(t, tt.dial(t), func(o *client.Options) { o.Extensions = append(o.Extensions, taskclient.Enable(nil)) }), tt.early)
		})
	}
}

func tryEverything(t *testing.T, s *session, early bool) {
	equal(t, "revision", s.Revision(), mcp.V2025_11_25)

	t.Run("tools that wait for the client's capabilities", func(t *testing.T) {
		if early {
			s.heard.wait(t, "tools changed")
		}
		eventually(t, "sees trigger-url-elicitation", func() bool {
			return slices.Contains(collect(t, s.Tools(t.Context()), toolName), "trigger-url-elicitation")
		})
	})

	t.Run("contents", func(t *testing.T) {
		equal(t, "echo", s.text(t, "echo", `{"message":"hi"}`), "Echo: hi")
		equal(t, "get-sum", s.text(t, "get-sum", `{"a":2,"b":3}`), "The sum of 2 and 3 is 5.")
		if image, ok := s.call(t, "get-tiny-image", ``).Content[1].(*mcp.ImageContent); !ok || image.MIMEType != "image/png" {
			t.Errorf("get-tiny-image: got %+v", image)
		}
		text, ok := s.call(t, "get-annotated-message", `{"messageType":"error"}`).Content[0].(*mcp.TextContent)
		if !ok || text.Annotations == nil || len(text.Annotations.Audience) != 2 {
			t.Errorf("get-annotated-message: got %+v", text)
		}
		if link, ok := s.call(t, "get-resource-links", `{"count":1}`).Content[1].(*mcp.ResourceLink); !ok || link.URI == "" {
			t.Errorf("get-resource-links: got %+v", link)
		}
		r := s.call(t, "get-resource-reference", `{"resourceType":"Blob","resourceId":1}`)
		if _, ok := r.Content[1].(*mcp.EmbeddedResource); !ok {
			t.Errorf("get-resource-reference: got %s", marshal(t, r))
		}
		r = s.call(t, "get-structured-content", `{"location":"New York"}`)
		equalJSON(t, "get-structured-content", string(r.StructuredContent),
			`{"temperature":33,"conditions":"Cloudy","humidity":82}`)
	})

	t.Run("errors", func(t *testing.T) {
		for _, tt := range []struct{ tool, args string }{{"get-sum", `{"a":"x"}`}, {"no-such-tool", `{}`}} {
			if r := s.call(t, tt.tool, tt.args); !r.GetIsError() {
				t.Errorf("%s: got %s, want an error", tt.tool, marshal(t, r))
			}
		}
		_, err := s.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "demo://nope"})
		refused(t, "an unknown resource", err, mcp.CodeInvalidParams)
	})

	t.Run("progress", func(t *testing.T) {
		var got []float64
		ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) { got = append(got, p.Progress) })
		_, err := s.CallTool(ctx, &mcp.CallToolRequestParams{
			Name:      "trigger-long-running-operation",
			Arguments: wire.Raw(`{"duration":0.2,"steps":4}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "progress", got, []float64{1, 2, 3, 4})
	})

	t.Run("prompts", func(t *testing.T) {
		equalJSON(t, "args-prompt", s.prompt(t, "args-prompt", map[string]string{"city": "Oslo"}),
			`[{"role":"user","content":{"type":"text","text":"What's weather in Oslo?"}}]`)
		ref := &mcp.PromptReference{Name: "completable-prompt"}
		known := map[string]string{"department": "Sales"}
		equal(t, "completions", s.complete(t, ref, "name", "", known), []string{"David", "Eve", "Frank"})
	})

	t.Run("resources", func(t *testing.T) {
		uris := collect(t, s.Resources(t.Context()), resourceURI)
		if text, ok := s.read(t, uris[0]).(*mcp.TextResourceContents); !ok || text.Text == "" {
			t.Errorf("%s: got %+v", uris[0], text)
		}
		equal(t, "templates", collect(t, s.ResourceTemplates(t.Context()), uriTemplate), []string{
			"demo://resource/dynamic/text/{resourceId}", "demo://resource/dynamic/blob/{resourceId}",
		})
		if blob, ok := s.read(t, "demo://resource/dynamic/blob/7").(*mcp.BlobResourceContents); !ok || blob.Blob.IsZero() {
			t.Errorf("a blob: got %+v", blob)
		}
	})

	t.Run("a resource that a call makes", func(t *testing.T) {
		r := s.call(t, "gzip-file-as-resource", `{"name":"x.gz","data":"data:text/plain,hello"}`)
		link, ok := r.Content[0].(*mcp.ResourceLink)
		if !ok {
			t.Fatal("the result is no link")
		}
		s.heard.wait(t, "resources changed")
		blob, ok := s.read(t, link.URI).(*mcp.BlobResourceContents)
		if !ok {
			t.Fatalf("%s is no blob", link.URI)
		}
		equal(t, "the file", gunzip(t, blob.Blob), "hello")
	})

	t.Run("subscription and log", func(t *testing.T) {
		const uri = "demo://resource/dynamic/text/1"
		if err := s.SetLevel(t.Context(), mcp.LoggingLevelInfo); err != nil {
			t.Fatal(err)
		}
		sub, err := s.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
		if err != nil {
			t.Fatal(err)
		}
		s.heard.waitPrefix(t, `log info "Received Subscribe Resource request for URI: `+uri+` `) // and the session's id
		s.text(t, "toggle-subscriber-updates", `{}`)
		s.heard.wait(t, "updated "+uri)
		if err := sub.Close(); err != nil {
			t.Error(err)
		}
	})

	t.Run("a task", func(t *testing.T) { tryTask(t, s) })

	t.Run("asks", func(t *testing.T) {
		eventually(t, "has its roots seen", func() bool {
			return strings.Contains(s.text(t, "get-roots-list", `{}`), "file:///home/ada")
		})
		text := s.text(t, "trigger-sampling-request", `{"prompt":"ping","maxTokens":10}`)
		if !strings.Contains(text, "context: ping") {
			t.Errorf("trigger-sampling-request: got %q", text)
		}
		r := s.call(t, "trigger-elicitation-request", `{}`)
		if said, ok := r.Content[1].(*mcp.TextContent); !ok || !strings.Contains(said.Text, "Name: Ada") {
			t.Errorf("trigger-elicitation-request: got %s", marshal(t, r))
		}
		s.text(t, "trigger-url-elicitation", `{"url":"https://example.com/x","elicitationId":"e1"}`)
		s.heard.wait(t, "sent to https://example.com/x")
		_, err := s.CallTool(t.Context(), &mcp.CallToolRequestParams{
			Name:      "trigger-url-elicitation",
			Arguments: wire.Raw(`{"url":"https://example.com/x","elicitationId":"e2","errorPath":true}`),
		})
		if visits := client.URLElicitations(err); len(visits) != 1 || visits[0].ElicitationID == "" {
			t.Errorf("trigger-url-elicitation: got error %v, want one that sends to a URL", err)
		}
	})
}

// tryTask calls a tool that runs as a task alone, and asks in the middle of it.
func tryTask(t *testing.T, s *session) {
	text := s.text(t, "simulate-research-query", `{"topic":"fjords","ambiguous":true}`)
	if !strings.Contains(text, "# Research Report: fjords (technical)") {
		t.Errorf("simulate-research-query: got %q, want a report about what was asked and answered", text)
	}
}

func gunzip(t *testing.T, blob wire.Base64) string {
	t.Helper()
	packed, err := blob.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// TestClientFilesystem drives the official server of files, which works on the client's roots.
func TestClientFilesystem(t *testing.T) {
	m := newModules(t)
	first, second := realDir(t), realDir(t)
	server := command{args: append(m.server("server-filesystem"), first)}
	s := open(t, server.dial, func(o *client.Options) { o.Roots = []mcp.Root{fileRoot(first)} })
	collect(t, s.Tools(t.Context()), toolName) // so that their output is checked

	file := filepath.Join(first, "a.txt")
	s.text(t, "write_file", marshal(t, map[string]string{"path": file, "content": "héllo"}))
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "what was written", string(written), "héllo")
	r := s.call(t, "read_text_file", marshal(t, map[string]string{"path": file}))
	equalJSON(t, "what was read", string(r.StructuredContent), `{"content":"héllo"}`)
	equal(t, "the list", s.text(t, "list_directory", marshal(t, map[string]string{"path": first})), "[FILE] a.txt")

	outside := marshal(t, map[string]string{"path": second})
	if r := s.call(t, "list_directory", outside); !r.GetIsError() {
		t.Errorf("a folder outside of the roots: got %s, want an error", marshal(t, r))
	}
	if err := s.SetRoots(t.Context(), []mcp.Root{fileRoot(second)}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "may use its new root", func() bool { return !s.call(t, "list_directory", outside).GetIsError() })
}

// realDir returns a temporary folder by a path without symbolic links.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func fileRoot(dir string) mcp.Root {
	path := filepath.ToSlash(dir)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	u := url.URL{Scheme: "file", Path: path}
	return mcp.Root{URI: u.String()}
}

// TestClientMemory drives the official server of a graph, whose tools all have structured output.
func TestClientMemory(t *testing.T) {
	m := newModules(t)
	server := command{
		args: m.server("server-memory"),
		env:  []string{"MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "graph.json")},
	}
	s := open(t, server.dial, nil)
	collect(t, s.Tools(t.Context()), toolName) // so that their output is checked

	const (
		ada      = `{"name":"Ada","entityType":"person","observations":["wrote notes"]}`
		engine   = `{"name":"Engine","entityType":"machine","observations":[]}`
		programs = `{"from":"Ada","to":"Engine","relationType":"programs"}`
	)
	for _, tt := range []struct{ tool, args, want string }{
		{
			"create_entities",
			`{"entities":[` + ada + `,` + engine + `]}`,
			`{"entities":[` + ada + `,` + engine + `]}`,
		},
		{
			"create_relations",
			`{"relations":[` + programs + `]}`,
			`{"relations":[` + programs + `]}`,
		},
		{
			"search_nodes",
			`{"query":"notes"}`,
			`{"entities":[` + ada + `],"relations":[` + programs + `]}`,
		},
		{"delete_entities", `{"entityNames":["Ada"]}`, `{"success":true,"message":"Entities deleted successfully"}`},
		{"read_graph", `{}`, `{"entities":[` + engine + `],"relations":[]}`},
	} {
		equalJSON(t, tt.tool, string(s.call(t, tt.tool, tt.args).StructuredContent), tt.want)
	}
}
