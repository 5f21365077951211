package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// asServer is the argument that makes this test a server.
const asServer = "console-server"

// serveConsole serves what the tests use, over standard input and output.
func serveConsole() {
	t, err := stdio.Server(nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := newConsoleServer().Serve(context.Background(), t); err != nil {
		log.Fatal(err)
	}
	if slices.Contains(os.Args, thatStays) {
		time.Sleep(time.Minute)
	}
	if slices.Contains(os.Args, thatFails) {
		os.Exit(7)
	}
}

// thatFails is the argument of a server that exits as if something had failed.
const thatFails = "fails"

// thatStays is the argument of a server that does not exit when its standard input ends.
const thatStays = "stays"

const argumentsSchema = `{"type":"object","properties":{
	"text":{"type":"string","description":"Any text"},
	"count":{"type":"integer","description":"How many","minimum":1,"maximum":9,"default":3},
	"ratio":{"type":["number","null"]},
	"yes":{"type":"boolean"},
	"tags":{"type":"array","items":{"type":"string"}},
	"sizes":{"type":"array","items":{"$ref":"#/$defs/size"}},
	"place":{"$ref":"#/$defs/place"},
	"any":{},
	"a.b":{"type":"string"}
},"$defs":{"size":{"type":"integer"},"place":{"type":"object","properties":{"city":{"enum":["Oslo","Rome"]},"floor":{"type":"integer"}},"additionalProperties":false}},
"required":["text"],"additionalProperties":false}`

const formSchema = `{"type":"object","properties":{
	"name":{"type":"string","title":"Name","minLength":2},
	"age":{"type":"integer","minimum":0},
	"colour":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]},
	"extras":{"type":"array","items":{"type":"string","enum":["x","y"]}},
	"news":{"type":"boolean","default":true},
	"password":{"type":"string"}
},"required":["name","colour","password"]}`

// asText is the result of a tool whose text is another result, as JSON.
func asText(result wire.Encodable) (*mcp.CallToolResult, error) {
	raw, err := wire.Marshal(wire.Any, result)
	if err != nil {
		return nil, err
	}
	return server.TextResult(string(raw)), nil
}

// newConsoleServer returns a server with a tool for whatever a terminal has to show.
func newConsoleServer() *server.Server {
	s := server.New(mcp.Implementation{Name: "shop", Title: "The shop", Version: "1.2.3"}, &server.Options{
		Instructions: "Ask before you buy.",
		// These, so that a later one changes nothing here.
		Revisions:   []wire.Revision{mcp.V2024_11_05, mcp.V2025_03_26, mcp.V2025_06_18, mcp.V2025_11_25, mcp.V2026_07_28},
		OnSubscribe: func(context.Context, *server.Call, string) error { return nil },
	})
	add := func(name, description, schema string, h server.ToolHandler) {
		if err := s.AddTool(mcp.Tool{Name: name, Description: description, InputSchema: wire.Raw(schema)}, h); err != nil {
			panic(err)
		}
	}
	content := func(blocks ...mcp.ContentBlock) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: blocks}, nil
	}
	add("echo", "Returns its arguments.\n\nThis paragraph is for those who ask.", argumentsSchema, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{server.Text(string(args))}, StructuredContent: args}, nil
	})
	add("escape", "Tries to clear the screen", "", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return content(server.Text("before\x1b[2Jafter\u202e"))
	})
	add("fail", "Fails", "", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, errors.New("no such shelf")
	})
	add("form", "Asks for an order", "", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		var params mcp.ElicitRequestFormParams
		params.Message = "Your order?"
		if err := params.RequestedSchema.UnmarshalJSON([]byte(formSchema)); err != nil {
			return nil, err
		}
		result, err := c.Elicit(ctx, &params)
		if err != nil {
			return nil, err
		}
		return asText(result)
	})
	add("model", "Asks a model", "", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		result, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{
			{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{server.Text("Best shelf?")}},
		}})
		if err != nil {
			return nil, err
		}
		return asText(result)
	})
	add("media", "Returns an image, a sound and a link", "", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return content(server.Image("image/png", []byte("PNG")), server.Audio("audio/wav", []byte("WAV!")), server.Link("shop://shelf/1", "shelf"),
			server.EmbedText("shop://note", "text/plain", "a note"))
	})
	add("work", "Takes three steps", "", func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		for i := range 3 {
			c.Progress().Report(float64(i+1), 3, "step "+strings.Repeat("long ", 40))
		}
		s.Changed(server.Change{Tools: true})
		s.ResourceUpdated("shop://shelf/1")
		return content(server.Text("done"))
	})
	add("wait", "Waits until it is cancelled", "", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 2, "waiting")
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "the call was cancelled")
		return nil, ctx.Err()
	})
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	yes := true
	must(s.AddPrompt(mcp.Prompt{Name: "greet", Description: "Greets", Arguments: []mcp.PromptArgument{{Name: "who", Description: "Whom", Required: &yes}, {Name: "how"}}},
		func(_ context.Context, _ *server.Call, args map[string]string) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Description: "A greeting", Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: server.Text("Hello, " + args["who"])}}}, nil
		}))
	must(s.AddResource(mcp.Resource{Name: "shelf", URI: "shop://shelf/1", Description: "What is on the first shelf"},
		func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", "bread\nbutter"), nil
		}))
	must(s.AddResource(mcp.Resource{Name: "logo", URI: "shop://logo"}, func(_ context.Context, _ *server.Call, uri string) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{server.EmbedBlob(uri, "image/png", []byte("PNG")).Resource}}, nil
	}))
	return s
}

// TestConsole runs the commands that use a server, and compares what they print with testdata/console.txt.
// The test is the server, too.
func TestConsole(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("TMPDIR", dir)
	commands := strings.Split(strings.TrimSpace(`
inspect
inspect -revision 2024-11-05
inspect echo
inspect greet
inspect ech
inspect a b
inspect -json greet
call echo text=5 count=5 ratio=null yes=true tags=a tags=b sizes=1 sizes=2 place.city=Oslo place.floor=3 any=x a.b=c
call echo text=5 count=5 tags=a tags=b place.city=Oslo
call echo text:="x" any={"a":1} ratio=1.5 tags=["a","b"]
call echo {"text":"all"}
call echo text=1 tex=2
call echo count=five
call echo place.town=Oslo
call echo place=Oslo
call echo text=1 text=2
call echo text:=no
call echo text
call echo {"text"
call echo count=5
call escape
call fail
call fail -json
call form
call media
call nope
call
prompt greet
prompt greet Ann
read shop://shelf/1
prompt greet who=Ann
read shop://logo
read shop://nothing
read
watch -level loud
inspect -header X:1
inspect -revision 2026-07-28 -wire echo -json
`), "\n")
	var got strings.Builder
	for _, line := range commands {
		fmt.Fprintf(&got, "$ mcpgen %s -- shop\n%s", line, shopping(t, strings.Fields(line)))
	}
	text := strings.ReplaceAll(got.String(), dir, "DIR")
	text = regexp.MustCompile(`mcpgen-\d+`).ReplaceAllString(text, "mcpgen-N")
	text = regexp.MustCompile(`"name":"(cmd_)?mcpgen(\.test)?","version":"[^"]*"`).ReplaceAllString(text, `"name":"mcpgen","version":"V"`)
	golden := filepath.Join("testdata", "console.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// shopping runs the command with the test's server, and returns what it prints.
func shopping(t *testing.T, args []string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run(append(args, "--", self, asServer), &stdout, &stderr)
	var text strings.Builder
	text.WriteString(stdout.String())
	for line := range strings.Lines(stderr.String()) {
		text.WriteString("! " + line)
	}
	if code != 0 {
		fmt.Fprintf(&text, "exit %d\n", code)
	}
	return text.String()
}

// TestConsoleChildFails starts a server that prints its usage and ends: it is shown once.
func TestConsoleChildFails(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"inspect", "--", self, "-no-such-flag"}, &stdout, &stderr)
	const usage = "flag provided but not defined: -no-such-flag"
	if n := strings.Count(stderr.String(), usage); code != 3 || n != 1 || !strings.HasSuffix(stderr.String(), "stdio: the server ended: exit status 2\n") {
		t.Errorf("exit code %d, the usage is there %d times:\n%s", code, n, stderr.String())
	}
}

// TestConsoleChildExits asks a server that says at its end that something has failed: it is lost, whatever it was.
func TestConsoleChildExits(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"inspect", "--", self, asServer, thatFails}, &stdout, &stderr)
	if code != 3 || stdout.Len() == 0 || stderr.String() != "mcpgen: stdio: the server ended: exit status 7\n" {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}

// TestConsoleDenied calls tools of a server that refuses only that: a token without its scope is what was found, and a login
// that is missing keeps the command from the server.
func TestConsoleDenied(t *testing.T) {
	h := streamable.NewHandler(newConsoleServer(), nil)
	status, challenge := 0, ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if bytes.Contains(body, []byte("tools/call")) {
			w.Header().Set("WWW-Authenticate", challenge)
			w.WriteHeader(status)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	}))
	defer s.Close()
	for _, test := range []struct {
		status, code    int
		challenge, want string
	}{
		{http.StatusForbidden, 1, `Bearer error="insufficient_scope", scope="buy"`, `mcpgen: the request needs a token with the scopes ["buy"] (HTTP status 403); `},
		{http.StatusUnauthorized, 3, "Bearer", "mcpgen: the server wants a login (HTTP status 401): "},
	} {
		status, challenge = test.status, test.challenge
		var stderr strings.Builder
		code := run([]string{"call", "fail", "-url", s.URL, "-header", "Authorization: Bearer x"}, io.Discard, &stderr)
		if code != test.code || !strings.HasPrefix(stderr.String(), test.want) {
			t.Errorf("status %d: exit code %d, %s", test.status, code, stderr.String())
		}
	}
}

// TestConsoleChildStays asks a server that does not exit by itself. What was asked for is there all the same.
func TestConsoleChildStays(t *testing.T) {
	t.Parallel() // it waits most of the time
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"inspect", "--", self, asServer, thatStays}, &stdout, &stderr)
	if code != 0 || stdout.Len() == 0 || !strings.HasPrefix(stderr.String(), "The server did not exit in time and was ") {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}

// TestConsoleRetries calls a tool whose response breaks off, of a server that is not there at first to resume it.
func TestConsoleRetries(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	srv := server.New(mcp.Implementation{Name: "s", Version: "1"}, nil)
	err := srv.AddTool(mcp.Tool{Name: "late"}, func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("here"), streamable.CloseStream(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	h := streamable.NewHandler(srv, &streamable.Options{Polling: true, Retry: 50 * time.Millisecond})
	var away atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") != "" && away.CompareAndSwap(false, true) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	var stdout, stderr bytes.Buffer
	code := run([]string{"call", "late", "-revision", "2025-11-25", "-url", s.URL}, &stdout, &stderr)
	if code != 0 || stdout.String() != "here\n" || !strings.Contains(stderr.String(), "the connection is lost, and tried again") || !strings.Contains(stderr.String(), "503") {
		t.Errorf("exit code %d, %q, %q", code, stdout.String(), stderr.String())
	}
}

// newConsoleHTTP serves the server over HTTP until the test ends.
func newConsoleHTTP(t *testing.T) *httptest.Server {
	h := streamable.NewHandler(newConsoleServer(), nil)
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s
}

// TestConsoleFiles writes resources to files, as they are.
func TestConsoleFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	srv := newConsoleServer()
	err := srv.AddResource(mcp.Resource{Name: "pair", URI: "shop://pair"}, func(_ context.Context, _ *server.Call, uri string) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{server.EmbedText(uri, "", "1").Resource, server.EmbedText(uri, "", "2").Resource}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(streamable.NewHandler(srv, nil))
	defer s.Close()
	for uri, want := range map[string]string{"shop://shelf/1": "bread\nbutter", "shop://logo": "PNG"} {
		if got := mcpgen(t, "read", uri, "-out", "file", "-url", s.URL); got != "" || readFile(t, "file") != want {
			t.Errorf("%s: printed %q, and the file has %q", uri, got, readFile(t, "file"))
		}
	}
	const meta = `{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","title":"The shop","version":"1.2.3"}},"resultType":"complete",`
	for args, want := range map[string]string{
		"read shop://pair -out file":      "1 mcpgen: the resource has 2 parts: a file holds one\n",
		"read shop://logo -out none/file": "2 mcpgen: open none/file: ",
		"read shop://logo -json":          "0 " + meta + `"ttlMs":0,"cacheScope":"private","contents":[{"uri":"shop://logo","mimeType":"image/png","blob":"UE5H"}]}`,
		"prompt greet who=Ann -json":      "0 " + meta + `"description":"A greeting","messages":[{"role":"user","content":{"type":"text","text":"Hello, Ann"}}]}`,
		"watch -level info":               "1 mcpgen: logging/setLevel: the server does not declare the capability logging\n",
	} {
		var out bytes.Buffer
		code := run(append(strings.Fields(args), "-url", s.URL), &out, &out)
		if got := fmt.Sprintf("%d %s", code, out.String()); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	t.Setenv("TMPDIR", "none")
	for _, args := range []string{"read shop://logo", "call media"} {
		var stderr bytes.Buffer
		if code := run(append(strings.Fields(args), "-url", s.URL), io.Discard, &stderr); code == 0 || !strings.Contains(stderr.String(), "none") {
			t.Errorf("no folder for what cannot be shown: %s: exit code %d, %s", args, code, stderr.String())
		}
	}
	bare := httptest.NewServer(streamable.NewHandler(server.New(mcp.Implementation{Name: "s", Version: "1"}, nil), nil))
	defer bare.Close()
	for args, want := range map[string]string{"prompt a": "prompts/get", "read a://b": "resources/read"} {
		var stderr bytes.Buffer
		code := run(append(strings.Fields(args), "-url", bare.URL), io.Discard, &stderr)
		if code != 1 || !strings.HasPrefix(stderr.String(), "mcpgen: "+want+": the server does not declare the capability ") {
			t.Errorf("%s: exit code %d, %s", args, code, stderr.String())
		}
	}
}

// TestConsoleHTTP uses a server over HTTP, and fails to: nobody listens, the URL is wrong, a login is refused.
func TestConsoleHTTP(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	s := newConsoleHTTP(t)
	if got := mcpgen(t, "call", "echo", "text=hi", "-json", "-url", s.URL, "-header", "X-Test: 1"); !strings.Contains(got, `"structuredContent":{"text":"hi"}`) {
		t.Errorf("got %s", got)
	}
	secured := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer secured.Close()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/401" {
			w.Header().Set("WWW-Authenticate", "Bearer error=\"invalid_token\", error_description=\"it\u202e has expired\"")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if code, ok := strings.CutPrefix(r.URL.Path, "/other/"); ok {
			w.Header().Set("WWW-Authenticate", map[string]string{"401": `"`, "403": `Bearer error="insufficient_scope"`, "500": "Bearer"}[code])
			status, err := strconv.Atoi(code)
			if err != nil {
				t.Error(err)
			}
			w.WriteHeader(status)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="shop shop:write"`)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer refusing.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"inspect"}, 2, "which server? give -url URL, or a command after two dashes"},
		{[]string{"inspect", "-revision", "1999", "--", "x"}, 2, `flag -revision cannot be "1999": it is 2024-11-05, `},
		{[]string{"inspect", "-url", "localhost:80"}, 2, `flag -url cannot be "localhost:80"`},
		{[]string{"inspect", "-url", s.URL, "--", "x"}, 2, "only one can be the server"},
		{[]string{"inspect", "-url", s.URL, "-header", "none"}, 2, `flag -header cannot be "none": it is NAME:VALUE`},
		{[]string{"inspect", "-url", gone.URL}, 3, "connection refused"},
		{[]string{"inspect", "-url", strings.Replace(gone.URL, "http:", "https:", 1)}, 3, "connection refused"},
		{[]string{"inspect", "-url", gone.URL, "-no-login", "-client-id", "x"}, 3, "connection refused"},
		{[]string{"prompt", "greet"}, 2, "which server?"},
		{[]string{"client", "-url", "x"}, 2, `flag -url cannot be "x"`},
		{[]string{"dev", "-http", "localhost:0", "--", filepath.Join(t.TempDir(), "nothing")}, 3, "no such file"},
		{[]string{"inspect", "-url", secured.URL, "-no-login"}, 3, "the server wants a login (HTTP status 401): without -no-login"},
		{[]string{"inspect", "-url", refusing.URL + "/401", "-header", "Authorization: Bearer x"}, 3, `the server does not accept the token: "invalid_token", "it\u202e has expired" (HTTP status 401); without -header, a browser shows a login`},
		{[]string{"inspect", "-url", refusing.URL + "/403", "-header", "Authorization: Bearer x"}, 3, `the request needs a token with the scopes ["shop" "shop:write"] (HTTP status 403); without -header, a login asks for them`},
		{[]string{"inspect", "-url", refusing.URL + "/403", "-no-login"}, 3, `(HTTP status 403); without -no-login, a login asks for them`},
		{[]string{"inspect", "-url", refusing.URL + "/403", "-no-login", "-header", "Authorization: Bearer x"}, 3, `(HTTP status 403); without -header and -no-login, a login asks for them`},
		{[]string{"inspect", "-url", secured.URL, "-header", "Authorization: Bearer x"}, 3, "the server wants a login (HTTP status 401): without -header, a browser shows it\n"},
		{[]string{"inspect", "-url", refusing.URL + "/other/401", "-header", "Authorization: Bearer x"}, 3, "the server wants a login (HTTP status 401): without -header, a browser shows it\n"},
		{[]string{"inspect", "-url", refusing.URL + "/other/403", "-header", "Authorization: Bearer x"}, 3, "HTTP status 403"},
		{[]string{"inspect", "-url", refusing.URL + "/other/500", "-header", "Authorization: Bearer x"}, 3, "HTTP status 500"},
		{[]string{"inspect", "-scope", "x", "--", "x"}, 2, "flag -scope is for servers over HTTP"},
		{[]string{"dev", "-client-id", "x", "."}, 2, "flag -client-id is for servers over HTTP"},
		{[]string{"inspect", "-scope", "x", "-url", s.URL, "-no-login"}, 2, "flag -scope is for a login"},
		{[]string{"inspect", "-redirect", "x", "-url", s.URL, "-header", "authorization: Bearer x"}, 2, "flag -redirect is for a login"},
		{[]string{"call", "none", "-url", s.URL, "-header", "Authorization: Bearer x"}, 2, "the server has no tool \"none\", or shows it only to those who have its scope, which the token of -header may lack\n"},
		{[]string{"inspect", "--", filepath.Join(t.TempDir(), "nothing")}, 3, "no such file"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(test.args, &stdout, &stderr); code != test.code || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%v: exit code %d, want %d; %q does not say %q", test.args, code, test.code, stderr.String(), test.want)
		}
	}
}

// TestConsoleListsAll shows all tools of a server, and makes a client of all, also of those that it offers only to
// clients that can be asked: nobody is at the terminal here.
func TestConsoleListsAll(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	srv := server.New(mcp.Implementation{Name: "s", Version: "1"}, nil)
	handler := func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("ok"), nil
	}
	for name, needs := range map[string]string{
		"free":    "",
		"asks":    mcp.ClientCapabilityElicitation,
		"links":   mcp.ClientCapabilityElicitationURL,
		"samples": mcp.ClientCapabilitySampling,
		"roots":   mcp.ClientCapabilityRoots,
	} {
		var access server.Access
		if needs != "" {
			access.Needs = []string{needs}
		}
		if err := srv.Add(server.Item{Definition: &mcp.Tool{Name: name}, Handler: server.ToolHandler(handler), Access: access}); err != nil {
			t.Fatal(err)
		}
	}
	s := httptest.NewServer(streamable.NewHandler(srv, nil))
	defer s.Close()
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		got := mcpgen(t, "inspect", "-revision", revision, "-url", s.URL)
		for _, name := range []string{"free", "asks", "links", "samples", "roots"} {
			if !strings.Contains(got, "\n  "+name+"\n") {
				t.Errorf("%s: %s is missing:\n%s", revision, name, got)
			}
		}
		if got := mcpgen(t, "client", "-revision", revision, "-url", s.URL, "-out", "r"+revision[:4]); !strings.HasPrefix(got, "package r"+revision[:4]+": 5 tools: ") {
			t.Errorf("%s: %s", revision, got)
		}
	}
	if got := mcpgen(t, "adopt", "-record", "r.json", "-revision", "2025-11-25", "-url", s.URL); !strings.HasPrefix(got, "r.json: 5 tools, ") {
		t.Errorf("a recording: %s", got)
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"call", "asks", "-url", s.URL}, &stdout, &stderr)
	const want = "mcpgen: the server has no tool \"asks\", or offers it only to clients that can ask their user: standard input is not a terminal\n" +
		"Run 'mcpgen inspect' for all that it has.\n"
	if code != 2 || stderr.String() != want {
		t.Errorf("exit code %d, %q, want %q", code, stderr.String(), want)
	}
}

// TestConsoleAsksNobody calls tools that ask for something, in each revision that can: the command says why it does not
// offer that.
func TestConsoleAsksNobody(t *testing.T) {
	srv := newConsoleServer()
	err := srv.AddTool(mcp.Tool{Name: "buy"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return nil, ask.Confirm(ctx, c, "Buy?")
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(streamable.NewHandler(srv, nil))
	defer s.Close()
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		for _, tool := range []string{"buy", "form", "model"} {
			var stdout, stderr bytes.Buffer
			code := run([]string{"call", tool, "-revision", revision, "-url", s.URL}, &stdout, &stderr)
			if code != 1 || !strings.HasSuffix(stderr.String(), "; standard input is not a terminal, so nobody can be asked\n") {
				t.Errorf("%s, %s: exit code %d, %s", revision, tool, code, stderr.String())
			}
		}
	}
}

// TestLogText shows log messages, with the logger if there is one.
func TestLogText(t *testing.T) {
	for params, want := range map[string]string{
		`{"level":"info","logger":"db","data":{"a":1}}`: `info db: {"a":1}`,
		`{"level":"error","data":"gone"}`:               `error: "gone"`,
	} {
		if got := logText(wire.Raw(params)); got != want {
			t.Errorf("%s: got %s, want %s", params, got, want)
		}
	}
}
