package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// shopMain and shopTool are a server.
const (
	shopMain = `// Shop sells tea.
//
//mcp:server name=shop version=0.1.0
package main

import (
	"context"
	"os"

	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
)

func main() {
	s, err := NewServer(nil)
	if err != nil || stdio.Serve(context.Background(), s, nil) != nil {
		os.Exit(1)
	}
}
`
	shopTool = `package main

// Order orders tea.
//
//mcp:tool
func Order(cups int) int { return cups }
`
)

// TestDev writes a server while it runs: its client sees what changes, and nothing of the mistakes.
func TestDev(t *testing.T) {
	testenv.Long(t) // it compiles a program seven times
	offlineEnv(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	t.Chdir(dir)
	writeModule(t, dir, "example.com/shop")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("main.go", shopMain)
	write("order.go", shopTool)

	ctx := t.Context()
	t.Cleanup(func() { // after dev has ended
		if left, err := filepath.Glob(filepath.Join(os.TempDir(), "mcpgen-dev-*")); err != nil || len(left) > 0 {
			t.Errorf("%q are left, %v", left, err)
		}
	})
	log := startDev(t, &devCommand{pattern: "."})
	url := log.await(`serving at (\S+);`)[1]
	checkPage(t, log.await(`the page is (\S+)`)[1])
	changed := make(chan struct{}, 10)
	c, err := client.Connect(ctx, httpclient.New(url, nil), &client.Options{
		Revisions: client.Revisions()[:4], // which are notified without a subscription
		OnChange: func(_ context.Context, change client.Change) {
			if change.Tools {
				changed <- struct{}{}
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	order := func() string {
		t.Helper()
		for tool, err := range c.Tools(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			return tool.Description
		}
		return ""
	}
	log.await(`built in \d+\.\d s: 1 tool; callers are safe`)
	if got := order(); got != "Orders tea." {
		t.Errorf("the description is %q", got)
	}

	write("order.go", strings.Replace(shopTool, "orders tea", "orders cups of tea", 1))
	log.await(`built in \d+\.\d s: 1 tool; changed: order; callers are safe`)
	select {
	case <-changed:
	case <-time.After(time.Minute):
		t.Fatal("the client is not notified")
	}
	if got := order(); got != "Orders cups of tea." {
		t.Errorf("the new description is %q", got)
	}

	write("order.go", strings.Replace(shopTool, "return cups", "return cup", 1))
	log.await(`(?m)^order\.go:6:35: undefined: cup$`)
	log.await("the last good build keeps serving")
	if r, err := client.CallTool[int](ctx, c, "order", map[string]int{"cups": 3}); err != nil || r != 3 {
		t.Errorf("the last good build: got %d, %v", r, err)
	}

	write("order.go", strings.Replace(shopTool, "mcp:tool", "mcp:tol", 1))
	log.await(`(?m)^order\.go:5:1: .*mcp:tol`)
	log.await("the last good build keeps serving")

	write("order.go", strings.Replace(shopTool, "orders tea", "orders cups of tea", 1))
	log.await("built: the same program as before")
}

// TestDevCommand runs a command behind the endpoint, and starts it again after it has ended.
func TestDevCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := startDev(t, &devCommand{target: &console.Target{Command: []string{self, asServer}}})
	url := log.await(`serving at (\S+);`)[1]
	page := log.await(`the page is (\S+)`)[1]
	log.await(`connected: 8 tools, 1 prompt, 2 resources`)
	askPage(t, page, "", "<html")
	askPage(t, page, "api/definitions", `"endpoint":"`+url+`"`, `"instructions":"Ask before you buy."`)
	askPage(t, page, "api/events", `"phase":"serving"`, "tools/list", "shop")
	if got := mcpgen(t, "call", "echo", "text=hi", "-json", "-url", url); !strings.Contains(got, `"structuredContent":{"text":"hi"}`) {
		t.Errorf("got %s", got)
	}
}

// TestDevURL has a server over HTTP behind the endpoint. The server goes away, and another takes its address.
func TestDevURL(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	serve := func(addr, tool string) (*http.Server, string) {
		t.Helper()
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		s := server.New(mcp.Implementation{Name: "s", Version: "1"}, nil)
		if err := s.AddTool(mcp.Tool{Name: tool}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult("this is " + tool), nil
		}); err != nil {
			t.Fatal(err)
		}
		h := &http.Server{Handler: streamable.NewHandler(s, nil)}
		ended := make(chan error, 1)
		go func() { ended <- h.Serve(l) }()
		t.Cleanup(func() {
			h.Close()
			if err := <-ended; err != http.ErrServerClosed {
				t.Error(err)
			}
		})
		return h, l.Addr().String()
	}
	first, addr := serve("127.0.0.1:0", "tea")
	log := startDev(t, &devCommand{target: &console.Target{URL: "http://" + addr}})
	url := log.await(`serving at (\S+);`)[1]
	log.await(`connected: 1 tool\n`)
	if got := mcpgen(t, "call", "tea", "-url", url); got != "this is tea\n" {
		t.Errorf("got %q", got)
	}
	first.Close()
	var stdout, stderr strings.Builder
	if code := run([]string{"call", "tea", "-url", url}, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "connection refused") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
	log.await("the next attempt is in 1s")
	serve(addr, "coffee")
	log.await(`connected: 1 tool; new: coffee; gone: tea\n`)
	if got := mcpgen(t, "call", "coffee", "-url", url); got != "this is coffee\n" {
		t.Errorf("got %q", got)
	}
}

// TestErrorsOfServers prints what is wrong, as a server says it, without what would control a terminal.
func TestErrorsOfServers(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, nil)
	if err := s.AddTool(mcp.Tool{Name: "a"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: 1, Message: "no\x1b]0;title\a"}
	}); err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(streamable.NewHandler(s, nil))
	defer site.Close()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var stdout, stderr strings.Builder
	if code := run([]string{"call", "a", "-url", site.URL}, &stdout, &stderr); code == 0 || !strings.Contains(stderr.String(), `no\u001b]0;title\u0007`) {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}

// startDev runs the command until the end of the test, and returns what it prints.
func startDev(t *testing.T, d *devCommand) *devOutput {
	ctx, cancel := context.WithCancel(t.Context())
	log := &devOutput{t: t, more: make(chan struct{}, 1)}
	ended := make(chan error, 1)
	d.addr = "127.0.0.1:0"
	go func() { ended <- d.run(ctx, console.NewPrinter(log, os.Getenv)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil || strings.Contains(log.text, "did not end gracefully") {
			t.Errorf("dev failed: %v\n%s", err, log.text)
		}
	})
	return log
}

// askPage gets what the page of mcpgen dev gets, which must have some texts in it. The response need not end.
func askPage(t *testing.T, page, path string, want ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	at, token, _ := strings.Cut(page, "?token=")
	if path == "" {
		path = "?token=" + token
	}
	r, err := http.NewRequestWithContext(ctx, "GET", at+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcpgen-Token", token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "; frame-src http://127.0.0.1:") {
		t.Errorf("%s: the policy is %s", path, policy)
	}
	var got []byte
	for some := make([]byte, 1<<16); err == nil && slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(string(got), w) }); {
		var n int
		n, err = resp.Body.Read(some)
		got = append(got, some[:n]...)
	}
	if err != nil && err != io.EOF || slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(string(got), w) }) {
		t.Errorf("%s: %v, want %q in\n%s", path, err, want, got)
	}
}

// checkPage checks that there is a page, but only for those who know its whole URL.
func checkPage(t *testing.T, url string) {
	t.Helper()
	secret, _, _ := strings.Cut(url, "?token=")
	for url, want := range map[string]int{url: http.StatusOK, secret: http.StatusForbidden} {
		r, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%s: got %s, want %d", url, r.Status, want)
		}
	}
}

// TestDevUsage makes mistakes on the command line.
func TestDevUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-http", ":8091"}, "want localhost or another address of this machine alone"},
		{[]string{"-http", "localhost"}, "want HOST:PORT"},
		{[]string{"-http", "192.0.2.1:80"}, "want localhost"},
		{[]string{".", "-data"}, "unknown flag -data"},
		{[]string{".", "data"}, `one argument too many: "data"; arguments for the server go after two dashes`},
		{[]string{"--"}, "which server? give -url URL, or a command after two dashes"},
		{[]string{"-url", "localhost"}, `flag -url cannot be "localhost"`},
		{[]string{"-url", "http://localhost", "."}, `a URL and the package ".": only one can be the server`},
		{[]string{"-url", "http://localhost", "--", "x"}, "a URL and a command: only one can be the server"},
		{[]string{"-header", "A:b"}, "flag -header is for servers over HTTP"},
		{[]string{"-header", "A:b", "--", "x"}, "flag -header is for servers over HTTP"},
		{[]string{"-revision", "1999"}, `flag -revision cannot be "1999"`},
	} {
		var stderr strings.Builder
		if code := run(append([]string{"dev"}, test.args...), &strings.Builder{}, &stderr); code != 2 || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%q: exit code %d\n%s", test.args, code, stderr.String())
		}
	}
}

// TestDevProject reads projects that are none.
func TestDevProject(t *testing.T) {
	offlineEnv(t)
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("go.mod", []byte("module example.com/shop\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("lib", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("lib/lib.go", []byte("package lib\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]string{
		"./lib":    "./lib is package lib, want the package main of a server",
		"./absent": "absent",
	} {
		if _, err := (&devProject{pattern: pattern}).Sources(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", pattern, err, want)
		}
	}
}

// TestDevBuild builds a program, which needs nothing of mcpgen, and starts it.
func TestDevBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program, which -short does without")
	}
	offlineEnv(t)
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/shop\n\ngo 1.26.0\n")
	write(t, "menu.txt", "tea")
	write(t, "main.go", `package main

import (
	_ "embed"
	"os"
)

//go:embed menu.txt
var menu string

func main() { os.Stderr.WriteString(menu + os.Args[1]) }
`)
	var steps []string
	var stderr strings.Builder
	p := &devProject{
		pattern: ".", args: []string{"-cold"}, temp: t.TempDir(), stderr: &stderr, logger: slog.New(slog.DiscardHandler),
		step: func(step string) { steps = append(steps, step) },
	}
	s, err := p.Sources(t.Context())
	if err != nil || len(s.Folders) != 1 || len(s.Files) != 1 || filepath.Base(s.Files[0]) != "menu.txt" {
		t.Errorf("the sources are %+v, %v", s, err)
	}
	build := func() *devBuild {
		t.Helper()
		b, err := p.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return b.(*devBuild)
	}
	first, second := build(), build()
	if name := filepath.Base(first.path); runtime.GOOS != "windows" && name != "server-1" {
		t.Errorf("the first program is %s", name)
	}
	if want := []string{"generating", "building", "generating", "building"}; !slices.Equal(steps, want) || first.Verdict() != "" {
		t.Errorf("the steps are %q, and the verdict is %q", steps, first.Verdict())
	}
	running, err := first.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	running.Close()
	if got := stderr.String(); got != "tea-cold" {
		t.Errorf("the program prints %q", got)
	}
	write(t, "menu.txt", "coffee")
	third := build()
	if !first.Same(second) || second.Same(third) || third.Same(nil) || !third.Same(third) {
		t.Error("the second build is the first, and the third is another")
	}
	second.Discard()
	for _, b := range []*devBuild{first, second, third} {
		if _, err := os.Stat(b.path); (err == nil) != (b != second) {
			t.Errorf("%s: %v", b.path, err)
		}
	}
	write(t, "main.go", "package main\n\nfunc main() { drink() }\n")
	if _, err := p.Build(t.Context()); err == nil || !strings.Contains(err.Error(), "main.go:3:15: undefined: drink") {
		t.Errorf("a program with a mistake: %v", err)
	}
}

// TestDevMistake begins with a program that cannot be built, and goes on with one that can.
func TestDevMistake(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program, which -short does without")
	}
	offlineEnv(t)
	t.Setenv("TMPDIR", t.TempDir())
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/shop\n\ngo 1.26.0\n")
	write(t, "main.go", "package main\n\nfunc main() { drink() }\n")
	t.Cleanup(func() { // after dev has ended
		if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	})
	log := startDev(t, &devCommand{pattern: ".", args: []string{"-cold"}})
	log.await(`main.go:3:15: undefined: drink`)
	write(t, "main.go", "package main\n\nimport \"os\"\n\nfunc main() {\n\tos.Stderr.WriteString(\"tea\" + os.Args[1] + \"\\n\")\n\tos.Exit(1)\n}\n")
	log.await("tea-cold")
}

// TestDevNowhere has no folder to build in, and an address that another program has.
func TestDevNowhere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, args := range [][]string{{"dev"}, {"dev", "-url", "http://localhost:1/mcp"}} {
		var stderr strings.Builder
		if code := run(append(args, "-http", l.Addr().String()), io.Discard, &stderr); code != 2 || !strings.HasSuffix(stderr.String(), "; -http chooses another address\n") {
			t.Errorf("%q: exit code %d, %s", args, code, stderr.String())
		}
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "absent"))
	var stderr strings.Builder
	if code := run([]string{"dev", "-http", "localhost:0"}, io.Discard, &stderr); code != 2 || !strings.Contains(stderr.String(), "absent") {
		t.Errorf("no folder: exit code %d, %s", code, stderr.String())
	}
}

// TestDevGenerate says what has changed for callers while a package is written.
func TestDevGenerate(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads packages, which -short does without")
	}
	offlineEnv(t)
	t.Chdir(t.TempDir())
	writeModule(t, ".", "example.com/shop")
	p := &devProject{packages: []listedPackage{{Dir: "orders", ImportPath: "example.com/shop/orders"}, {Dir: "none", ImportPath: "example.com/shop/none"}}}
	write(t, "none/none.go", "package none\n")
	write(t, "orders/page.html", "<!doctype html>\n")
	for _, test := range []struct{ code, verdict, err string }{
		{"package orders\n", "", ""},
		{"package orders\n\n// Order orders tea.\n//\n//mcp:tool\n//mcp:app file=page.html\nfunc Order(cups int) {}\n", "callers are safe", ""},
		{"package orders\n\n// Order orders tea.\n//\n//mcp:tool\nfunc Order(mugs int) {}\n", "callers break: tool order ('mcpgen check' says how)", ""},
		{"package orders\n\n// Order orders tea.\n//\n//mcp:tol\nfunc Order(mugs int) {}\n", "", "orders/order.go:5:1: //mcp:tol"},
	} {
		write(t, "orders/order.go", test.code)
		verdict, err := p.generate(t.Context())
		if verdict != test.verdict || (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
			t.Errorf("%s\ngot %q, %v", test.code, verdict, err)
		}
		if pages := strings.Contains(test.code, "page.html"); (len(p.pages) == 1) != pages {
			t.Errorf("%s\nthe pages are %q", test.code, p.pages)
		}
		_, err = os.Stat("orders/mcp_gen.go")
		if (err == nil) != strings.Contains(test.code, "//mcp:") {
			t.Errorf("%s\nmcp_gen.go: %v", test.code, err)
		}
	}
	p.step = func(string) {}
	if _, err := p.Build(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "orders/order.go:5:1: //mcp:tol") {
		t.Errorf("a build of it: %v", err)
	}
	if err := os.Remove("orders/mcp.lock.json"); err != nil {
		t.Fatal(err)
	}
	write(t, "orders/mcp.lock.json/a", "")
	write(t, "orders/order.go", "package orders\n\n// Order orders tea.\n//\n//mcp:tool\nfunc Order(mugs int) {}\n")
	if _, err := p.generate(t.Context()); err == nil || !strings.Contains(err.Error(), "mcp.lock.json is no regular file") {
		t.Errorf("a lock file that cannot be read: %v", err)
	}
}

// TestSandbox serves the origin of apps until it is stopped.
func TestSandbox(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := serveSandbox(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	r, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusTeapot {
		t.Errorf("status %d", r.StatusCode)
	}
	stop()
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("it still serves")
	}
}

// TestHasDirectives looks for what mcpgen tools would read, or has written.
func TestHasDirectives(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       bool
	}{
		{"a.go", "package a\n\n//mcp:tool\n", true},
		{"mcp_gen.go", "package a\n", true},
		{"a.go", "package a\n", false},
		{"a_test.go", "package a\n\n//mcp:tool\n", false},
		{"a.txt", "//mcp:tool", false},
		{"a.go/b.go", "package b\n\n//mcp:tool\n", false},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, filepath.FromSlash(test.name)), test.text)
		if got := hasDirectives(dir); got != test.want {
			t.Errorf("%s with %q: got %t", test.name, test.text, got)
		}
	}
	if hasDirectives(filepath.Join(t.TempDir(), "absent")) {
		t.Error("a folder that does not exist has directives")
	}
}

// devOutput is what dev prints.
type devOutput struct {
	t    *testing.T
	more chan struct{} // receives a value when something was printed

	mu   sync.Mutex
	text string
	seen int // what earlier calls of await were about
}

// Write implements io.Writer.
func (o *devOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text += string(p)
	select {
	case o.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

// await waits until something is printed after what it waited for last, and returns what matches.
func (o *devOutput) await(pattern string) []string {
	o.t.Helper()
	re := regexp.MustCompile(pattern)
	deadline := time.After(2 * time.Minute)
	for {
		o.mu.Lock()
		text := o.text[o.seen:]
		if at := re.FindStringSubmatchIndex(text); at != nil {
			o.seen += at[1]
			o.mu.Unlock()
			return re.FindStringSubmatch(text)
		}
		o.mu.Unlock()
		select {
		case <-o.more:
		case <-deadline:
			o.t.Fatalf("no %q in\n%s", pattern, text)
		}
	}
}

// TestDevArguments checks which server and which arguments a command line means.
func TestDevArguments(t *testing.T) {
	for _, test := range []struct{ line, pattern, args, command string }{
		{"", ".", "", ""},
		{"./cmd/server -- -db x", "./cmd/server", "-db x", ""},
		{"-- -db x", ".", "-db x", ""},
		{"-- --db=x", ".", "--db=x", ""},
		{"-- npx -y server", "", "npx -y server", "npx -y server"},
	} {
		var d devCommand
		c := &cobra.Command{Use: "dev"}
		d.flags.addServer(c)
		d.addr = devAddress
		if err := c.ParseFlags(twoDashes(strings.Fields(test.line))); err != nil {
			t.Fatal(err)
		}
		if err := d.parse(c, c.Flags().Args()); err != nil {
			t.Errorf("%q: %v", test.line, err)
			continue
		}
		command := ""
		if d.target != nil {
			command = strings.Join(d.target.Command, " ")
		}
		if args := strings.Join(d.args, " "); d.pattern != test.pattern || args != test.args || command != test.command {
			t.Errorf("%q: the package %q with %q, or the command %q", test.line, d.pattern, args, command)
		}
	}
}
