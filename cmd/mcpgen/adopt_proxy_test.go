package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	adoption "github.com/mcpgen/mcpgen/generator/adopt"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// asCat is the argument that makes this test a program that writes what it reads to the first of two files, and then the contents of
// the second one. Without files, it fails.
const asCat = "cat"

func serveCat(files []string) {
	if len(files) < 2 {
		fmt.Fprint(os.Stderr, "out of order")
		os.Exit(3)
	}
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = os.WriteFile(files[0], text, 0o666)
	}
	if err == nil {
		text, err = os.ReadFile(files[1])
	}
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// theSecret is what must not be in a recording.
const theSecret = "a long secret"

// visit connects through a proxy in one revision, and calls tools.
func visit(t *testing.T, conn transport.Transport, revision wire.Revision, secret string) {
	t.Helper()
	c, err := client.Connect(t.Context(), conn, &client.Options{
		Revisions: []wire.Revision{revision},
		Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: mcp.ElicitResultActionDecline}, nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for tool := range c.Tools(t.Context()) {
		if tool == nil {
			t.Error("there is no tool")
		}
	}
	for _, call := range []struct{ tool, args string }{
		{"echo", `{"count":2,"text":"` + secret + `"}`}, {"fail", ``}, {"form", ``}, {"none", `{}`},
	} {
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: call.tool, Arguments: wire.Raw(call.args)})
		if refused := (*jsonrpc.Error)(nil); err != nil && !errors.As(err, &refused) {
			t.Fatalf("tool %s: %v", call.tool, err)
		}
		if call.tool == "echo" && !strings.Contains(client.Text(r.Content), secret) {
			t.Errorf("the client has received %+v", r)
		}
	}
}

// seenCalls returns the names of the tools of the calls that a proxy saw, and of their revisions.
func seenCalls(t *testing.T, name string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte(theSecret)) {
		t.Error("the recording has the secret")
	}
	rec, err := adoption.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range rec.Seen() {
		all = append(all, s.Tool+" "+s.Revision+" "+s.Outcome.Kind)
	}
	return all
}

// TestAdoptProxyStdio records what a client does that starts the proxy as its server.
func TestAdoptProxyStdio(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("LONG", theSecret)
	mcpgen(t, "adopt", "-record", "r.json", "-secret", "LONG", "--", self, asServer)
	var want []string
	for _, revision := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		var said bytes.Buffer
		conn, err := (&stdio.Command{
			Path: self, Args: []string{"adopt", "-record", "r.json", "-secret", "LONG", "-proxy", "stdio", "--", self, asServer},
			Env: append(os.Environ(), asCommand+"=1"), Stderr: &said,
		}).Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		visit(t, conn, revision, theSecret)
		// In the newer revision, the retry is left out, too.
		left := map[wire.Revision]string{mcp.V2025_11_25: "Left out: 1 call, since ", mcp.V2026_07_28: "Left out: 2 calls, since "}[revision]
		if got := said.String(); !strings.HasPrefix(got, left) || !strings.HasSuffix(got, "\nr.json: 3 calls added\n") {
			t.Errorf("the proxy says %q", got)
		}
		in := " " + revision.String() + " "
		want = append(want, "echo"+in+adoption.Result, "fail"+in+adoption.ToolError, "none"+in+adoption.Refused)
	}
	if got := seenCalls(t, "r.json"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	check := []string{"adopt", "-check", "r.json", "-all", "-secret", "LONG", "--", self, asServer}
	if got := mcpgen(t, check...); got != "clients see no difference\n" {
		t.Errorf("got %s", got)
	}
	// Another recording takes over what the proxy saw.
	mcpgen(t, "adopt", "-record", "r.json", "-secret", "LONG", "--", self, asServer)
	if got := seenCalls(t, "r.json"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	text, err := os.ReadFile("r.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("r.json", bytes.ReplaceAll(text, []byte(`"structuredContent": {`), []byte(`"structuredContent": {"next": 1,`)), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run(check, &stdout, &stderr); code != 1 || !strings.Contains(stdout.String(), "(seen): structuredContent.next: removed, was 1; return the same (in 2025-11-25 and 2026-07-28)\n") {
		t.Errorf("exit code %d: %s%s", code, stdout.String(), stderr.String())
	}
}

// TestAdoptProxyGone records what a client does that does not read any more.
func TestAdoptProxyGone(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	mcpgen(t, "adopt", "-record", "r.json", "-revision", "2025-06-18", "--", self, asServer)
	cmd := command(t, dir, "adopt", "-record", "r.json", "-proxy", "stdio", "--", self, asServer)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	send := func(message string) {
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	out.Close()
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fail"}}`)
	in.Close()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 3 || !strings.HasSuffix(strings.Split(said.String(), "mcpgen: ")[0], "r.json: 1 call added\n") {
		t.Errorf("%v: %s", err, said.String())
	}
	if got, want := seenCalls(t, "r.json"), "fail 2025-06-18 "+adoption.ToolError; !slices.Equal(got, []string{want}) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAdoptProxyHTTP records what clients do over Streamable HTTP, with sessions and without, until it is interrupted.
func TestAdoptProxyHTTP(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("LONG", theSecret)
	behind := newConsoleServer()
	h := streamable.NewHandler(behind, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "key=1" || r.Header.Get("X-Test") != "yes" {
			w.WriteHeader(http.StatusTeapot)
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
	at := []string{"-url", s.URL + "/mcp?key=1", "-header", "X-Test: yes", "-secret", "LONG", "-no-login"}
	mcpgen(t, append([]string{"adopt", "-record", "r.json"}, at...)...)

	cmd := command(t, dir, append([]string{"adopt", "-record", "r.json", "-proxy", "127.0.0.1:0"}, at...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	said := bufio.NewReader(stderr)
	first, err := said.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, _, _ := strings.Cut(strings.TrimPrefix(first, "recording what clients do at "), ";")
	var want []string
	for _, revision := range []wire.Revision{mcp.V2025_03_26, mcp.V2025_11_25, mcp.V2026_07_28} {
		visit(t, httpclient.New(address, nil), revision, theSecret)
		in := " " + revision.String() + " "
		want = append(want, "echo"+in+adoption.Result, "fail"+in+adoption.ToolError)
		if revision < mcp.V2025_06_18 { // it cannot ask
			want = append(want, "form"+in+adoption.ToolError)
		}
		want = append(want, "none"+in+adoption.Refused)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(said)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.HasSuffix(string(rest), "\nr.json: 10 calls added\n") {
		t.Errorf("%v: %s", err, rest)
	}
	if got := seenCalls(t, "r.json"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	check := append([]string{"adopt", "-check", "r.json", "-all"}, at...)
	if got := mcpgen(t, check...); got != "clients see no difference\n" {
		t.Errorf("got %s", got)
	}
	behind.RemoveTools("echo")
	if err := behind.AddTool(mcp.Tool{Name: "echo", InputSchema: wire.Raw(argumentsSchema)}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{server.Text("and"), server.Text(string(args))}, StructuredContent: args}, nil
	}); err != nil {
		t.Fatal(err)
	}
	var stdout, errOut bytes.Buffer
	if code := run(check, &stdout, &errOut); code != 1 || !strings.Contains(stdout.String(), "tool echo: call with {\"count\":2,\"text\":\"{{secret LONG}}\"} (seen): content: 2 blocks, was 1") {
		t.Errorf("exit code %d: %s%s", code, stdout.String(), errOut.String())
	}
}

// TestAdoptProxyGarbage passes on what is no message, byte by byte, in both directions, and finds the calls in it.
func TestAdoptProxyGarbage(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt) // the first time it starts a goroutine that stays
	signal.Stop(interrupts)
	testenv.NoGoroutinesLeft(t)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}` + "\r\n"
	const result = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}` // without an end
	long := strings.Repeat("x", maxWatched+1)
	garbage := "\r\n\n\xff\x00\x1b[2J\n{\n[]\nContent-Length: 7\n" + long + "\n" + long + long + "\n"
	read, written := filepath.Join(t.TempDir(), "read"), filepath.Join(t.TempDir(), "written")
	if err := os.WriteFile(written, []byte(garbage+result), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	p := &proxy{watcher: adoption.NewWatcher(nil), stderr: &stderr}
	if err := p.stdio(t.Context(), []string{self, asCat, read, written}, strings.NewReader(garbage+call+garbage), &out); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(read); err != nil || string(got) != garbage+call+garbage || out.String() != garbage+result {
		t.Errorf("the server has read %d bytes, and the client %d, or others than were sent, %v", len(got), out.Len(), err)
	}
	if seen := p.watcher.Take(); len(seen) != 1 || seen[0].Tool != "t" {
		t.Errorf("got %+v", seen)
	}
	if err := p.stdio(t.Context(), []string{self, asCat}, strings.NewReader(""), io.Discard); !errors.As(err, new(connectionError)) || stderr.String() != "out of order\n" {
		t.Errorf("a server that fails: %v, %q", err, stderr.String())
	}
	if err := p.stdio(t.Context(), []string{"./no-such-server"}, strings.NewReader(""), io.Discard); !errors.As(err, new(connectionError)) {
		t.Errorf("no server: %v", err)
	}
	// It ends with the context, whether or not the client has gone.
	ctx, cancel := context.WithCancel(t.Context())
	in, client := io.Pipe()
	received := make(chan bool, 1)
	go func() {
		_, err := client.Write([]byte("hello\n"))
		received <- err == nil
		cancel()
	}()
	if err := p.stdio(ctx, []string{self, asCat, read, written}, in, io.Discard); err != nil || !<-received {
		t.Error(err)
	}
	client.Close()
}

// TestAdoptProxyHandler passes on requests and responses that nobody understands, and refuses those of pages.
func TestAdoptProxyHandler(t *testing.T) {
	type exchange struct{ method, kind, body string }
	var respond func(w http.ResponseWriter)
	var got exchange
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.Header.Get("Accept-Encoding") == "br" {
			t.Error("the server may compress what the proxy has to read")
		}
		got = exchange{r.Method + " " + r.URL.Path, r.Header.Get("Content-Type"), string(body)}
		respond(w)
	}))
	defer s.Close()
	to, err := url.Parse(s.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	p := &proxy{watcher: adoption.NewWatcher(nil), stderr: &said}
	front := httptest.NewServer(p.handler(to, nil, http.DefaultTransport, nil))
	defer front.Close()
	do := func(method, path, body string, header ...string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, front.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(path, "pieces") {
			r.ContentLength = -1
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept-Encoding", "br")
		for i := 0; i < len(header); i += 2 {
			if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
				r.Host = header[i+1]
			}
		}
		resp, err := front.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`
	const result = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
	long := strings.Repeat(" ", maxWatched)
	for _, test := range []struct {
		what             string
		method, path     string
		body, kind, text string
		calls            int
	}{
		{"garbage", "POST", "/mcp", "\xff{", "application/json", "\xff[", 0},
		{"no type", "POST", "/mcp", call, "", result, 0},
		{"a result", "POST", "/mcp", call, "application/json; charset=utf-8", result, 1},
		{"events", "POST", "/mcp", call, "text/event-stream", ": hello\n\nid: 1\ndata:\n\nevent: message\r\ndata: " + result[:16] + "\r\ndata:" + result[16:] + "\r\n\r\n", 1},
		{"garbage in events", "POST", "/mcp", call, "text/event-stream", "data: \xff\n\ndata\n\n\n:\ndata: " + result + "\n\ndata: {", 1},
		{"a body of the most bytes", "POST", "/mcp", call + long[len(call):], "application/json", result, 1},
		{"a long body in pieces", "POST", "/pieces", call + long, "", result, 0},
		{"a long body", "POST", "/mcp", call + long, "application/json", result, 0},
		{"a long response", "POST", "/mcp", call, "application/json", long + result, 0},
		{"a long event", "POST", "/mcp", call, "text/event-stream", "data: " + long + "\ndata: \n\ndata:" + result + "\n\n", 1},
		{"another path", "GET", "/.well-known/x", "", "text/html", "<p>", 0},
		{"another method", "PUT", "/mcp", call, "application/json", result, 0},
	} {
		respond = func(w http.ResponseWriter) {
			w.Header()["Content-Type"] = []string{test.kind}
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, test.text)
		}
		code, text := do(test.method, test.path, test.body)
		if code != http.StatusAccepted || text != test.text || got != (exchange{test.method + " " + test.path, "application/json", test.body}) {
			t.Errorf("%s: something has changed on its way: status %d, %d bytes of a response with %d", test.what, code, len(text), len(test.text))
		}
		if seen := p.watcher.Take(); len(seen) != test.calls || test.calls > 0 && seen[0].Revision != mcp.V2025_03_26.String() {
			t.Errorf("%s: got %+v, want %d calls", test.what, seen, test.calls)
		}
	}
	got = exchange{}
	for _, header := range [][]string{{"Host", "evil.example"}, {"Host", "127.0.0.1.evil.example:80"}, {"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://192.0.2.1"}, {"Origin", ":"}} {
		if code, _ := do("POST", "/mcp", call, header...); code != http.StatusForbidden || got != (exchange{}) {
			t.Errorf("%v: status %d", header, code)
		}
	}
	for _, header := range [][]string{{"Host", "localhost:80"}, {"Host", "[::1]:80"}, {"Host", "[::1]"}, {"Origin", "http://localhost:6274"}} {
		if code, _ := do("POST", "/mcp", call, header...); code != http.StatusAccepted {
			t.Errorf("%v: status %d", header, code)
		}
	}
	s.Close()
	if code, _ := do("POST", "/mcp", call); code != http.StatusBadGateway || !strings.HasSuffix(said.String(), "connection refused\n") {
		t.Errorf("no server: status %d, and the proxy says %s", code, said.String())
	}
}

// TestAdoptProxySessions forgets sessions when there are too many.
func TestAdoptProxySessions(t *testing.T) {
	w := adoption.NewWatcher(nil)
	s := &httpSessions{watcher: w, all: map[string]*adoption.Conversation{}}
	for range 3 * maxSessions {
		s.keep(rand.Text(), w.Conversation(""))
	}
	r := httptest.NewRequest("POST", "/mcp", nil)
	r.Header.Set(mcp.HeaderSessionID, "one")
	if first, second := s.of(r), s.of(r); first != second || len(s.all) != maxSessions {
		t.Errorf("%d sessions are kept", len(s.all))
	}
	r.Header.Del(mcp.HeaderSessionID)
	if first, second := s.of(r), s.of(r); first == second {
		t.Error("requests without a session share a conversation")
	}
}

// TestAdoptProxySaves adds calls to a file from several proxies at once. A file that cannot be changed stops none of them.
func TestAdoptProxySaves(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const recording = `{"mcpgenRecording":1,"revisions":[{"protocolVersion":"2025-06-18"}]}`
	if err := os.WriteFile("r.json", []byte(recording), 0o666); err != nil {
		t.Fatal(err)
	}
	const each, proxies = 5, 4
	done := make(chan error, proxies)
	start := func(name string, pass func(p *proxy) error) {
		p := &proxy{watcher: adoption.NewWatcher(nil), name: name, stderr: io.Discard}
		done <- p.recording(t.Context(), func() error { return pass(p) })
	}
	calls := func(p *proxy) error {
		c := p.watcher.Conversation("2025-06-18")
		for range each {
			c.FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`), "")
			c.FromServer([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`))
		}
		return nil
	}
	for range proxies {
		go start("r.json", calls)
	}
	for range proxies {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	rec, err := readRecording("r.json")
	if err != nil || len(rec.Seen()) != each*proxies || rec.Sessions() != proxies {
		t.Errorf("got %+v, %v", rec, err)
	}
	go start(filepath.Join("none", "r.json"), func(p *proxy) error {
		calls(p)
		return errors.New("passed")
	})
	if err := <-done; err == nil || err.Error() != "passed" {
		t.Errorf("got %v", err)
	}
	go start(filepath.Join("none", "r.json"), calls)
	if err := <-done; !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestLineSplitter passes on lines that come in pieces, and none that are too long, or those in pieces.
func TestLineSplitter(t *testing.T) {
	for _, test := range []struct {
		pieces  bool
		written []string
		want    []string
	}{
		{false, []string{"1234\r\n\n", "12", "345\n123456\n", "1234", "56", "7\n8\n9"}, []string{"1234", "", "12345", "8", "9"}},
		{true, []string{"12345\n", "1234", "56\n", "1234", "567", "8\n", "9"}, []string{"12345", "1234", "56", "1234", "5678", "9"}},
	} {
		var got []string
		l := &lineSplitter{max: 5, pieces: test.pieces, each: func(line []byte) { got = append(got, string(line)) }}
		for _, text := range test.written {
			if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
				t.Errorf("wrote %d of %d bytes, %v", n, len(text), err)
			}
		}
		l.end()
		l.end()
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.written, got, test.want)
		}
	}
	l := &lineSplitter{max: maxWatched, each: func([]byte) {}}
	l.Write([]byte("short\n"))
	if cap(l.line) == 0 {
		t.Error("the memory of a short line is not used again")
	}
	l.Write(append(bytes.Repeat([]byte("x"), 2<<20), '\n'))
	if cap(l.line) > 0 {
		t.Error("the memory of a long line is kept")
	}
	l.Write(bytes.Repeat([]byte("x"), 2<<20))
	if len(l.line) != 2<<20 {
		t.Error("a long line is lost before its end")
	}
}

// TestAdoptProxyLong leaves out events and bodies of more bytes than are looked at, however they come.
func TestAdoptProxyLong(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`
	const result = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
	half := strings.Repeat(" ", maxWatched/2)
	full := result + strings.Repeat(" ", maxWatched-len(result))
	for _, test := range []struct {
		kind  string
		parts []string
		calls int
	}{
		{"text/event-stream", []string{"data:" + half + "\n", "data:" + half + "\n", "data:" + result + "\n\n"}, 0},
		{"text/event-stream", []string{"data:" + half + "\ndata:" + half + "\n\n", "data:" + result + "\n\n"}, 1},
		{"application/json", []string{full[:1000], full[1000:]}, 1},
		{"application/json", []string{full, " "}, 0},
		{"application/json", []string{full, " ", result}, 0},
	} {
		w := adoption.NewWatcher(nil)
		c := w.Conversation("2025-06-18")
		c.FromClient([]byte(call), "")
		r := readerOf(test.kind, c)
		for _, part := range test.parts {
			io.WriteString(r, part)
		}
		r.Close()
		if seen := w.Take(); len(seen) != test.calls {
			t.Errorf("%s in %d parts: got %d calls, want %d", test.kind, len(test.parts), len(seen), test.calls)
		}
	}
}
