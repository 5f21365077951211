package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
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
	if testing.Short() {
		t.Skip("it compiles programs, which -short does without")
	}
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

	ctx, cancel := context.WithCancel(t.Context())
	log := &devOutput{t: t, more: make(chan struct{}, 1)}
	ended := make(chan error, 1)
	go func() { ended <- runDev(ctx, log, ".", nil, "127.0.0.1:0") }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("dev failed: %v", err)
		}
		if left, err := filepath.Glob(filepath.Join(os.TempDir(), "mcpgen-dev-*")); err != nil || len(left) > 0 {
			t.Errorf("%q are left, %v", left, err)
		}
	}()

	url := log.await(`serving at (\S+);`)[1]
	changed := make(chan struct{}, 10)
	c, err := client.Connect(ctx, streamable.NewClient(url, nil), &client.Options{
		Revisions:      client.Revisions()[:4], // which are notified without a subscription
		OnToolsChanged: func(context.Context, *mcp.NotificationParams) { changed <- struct{}{} },
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
		{[]string{".", "data"}, "goes after two dashes"},
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
