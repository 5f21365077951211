package browsertest

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// teaMain and teaTool are the files of a server.
const (
	teaMain = `// Tea sells tea.
//
//mcp:server name=tea version=0.1.0
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
	teaTool = `package main

// Order orders tea.
//
//mcp:tool
func Order(cups int) int { return cups }
`
)

// TestWrite writes a server while its page is open.
func TestWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles programs, which -short leaves out: go test -run TestWrite .")
	}
	browser := startBrowser(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			text = []byte(strings.Replace(string(text), "module github.com/mcpgen/mcpgen\n", "module example.com/tea\n", 1) +
				"\nrequire github.com/mcpgen/mcpgen v0.0.0\nreplace github.com/mcpgen/mcpgen => " + filepath.ToSlash(root) + "\n")
		}
		write(name, string(text))
	}
	write("main.go", teaMain)
	write("order.go", teaTool)

	b := newTab(t, browser)
	url := startDev(t, dir)
	b.goTo(url)
	b.shows("#state", "serving")
	b.part("#/tools/order", ".description", "Orders tea.")
	b.run(`document.querySelector("[data-name=cups] input").value = "3"`)

	b.run(`window.seen = 0; const look = () => { if (window.seen === 0 && document.querySelector(".description")?.innerText.includes("cups of tea")) window.seen = Date.now(); };
		new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true})`)
	write("order.go", strings.Replace(teaTool, "orders tea", "orders cups of tea", 1))
	b.shows(".description", "Orders cups of tea.")
	b.shows("#state", "serving")
	b.shows(".mark", "changed")
	seen := get(b, chromedp.Evaluate[float64](`window.seen`))
	took := time.UnixMilli(int64(seen)).Sub(servesSince(b, url, "changed: order"))
	t.Logf("the page shows the comment %v after the build", took)
	if took > 2*time.Second {
		t.Errorf("the page shows the comment %v after the build, want at most 2s", took)
	}
	b.click("button.primary", "Call") // what was typed is still there
	b.shows(".job[data-state=done] .tree", "3")

	write("order.go", strings.Replace(teaTool, "return cups", "return cup", 1))
	b.shows("#problem .place", "order.go:6:35")
	b.shows("#problem", "undefined: cup")
	b.shows("#state", "failed")
	b.click("button.primary", "Call")
	b.until(`document.querySelectorAll(".job[data-state=done]").length === 2`) // the last good build

	write("order.go", strings.Replace(teaTool, "Order orders tea.", "Order orders any tea.", 1))
	b.shows(".description", "Orders any tea.")
	b.until(`document.getElementById("problem").hidden`)
}

// servesSince returns the time since which a build serves whose summary contains a text.
func servesSince(b tab, page, summary string) time.Time {
	b.Helper()
	base, token, _ := strings.Cut(page, "/?token=")
	r, err := http.NewRequestWithContext(b.ctx, http.MethodGet, base+"/api/events?after=0", nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Mcpgen-Token", token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var e struct {
			Kind  string
			Value struct {
				Phase, Summary string
				At             int64
			}
		}
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Kind == "state" && e.Value.Phase == "serving" && strings.Contains(e.Value.Summary, summary) {
			return time.UnixMilli(e.Value.At)
		}
	}
	b.Fatalf("no build has the summary %q: %v", summary, lines.Err())
	return time.Time{}
}

// startDev runs mcpgen dev in a folder until the end of the test, and returns the URL of its page.
func startDev(t *testing.T, dir string) string {
	t.Helper()
	mcpgen := filepath.Join(t.TempDir(), "mcpgen")
	if runtime.GOOS == "windows" {
		mcpgen += ".exe"
	}
	build := exec.Command("go", "build", "-o", mcpgen, ".")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(mcpgen, "dev", "-http", "127.0.0.1:0")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOSUMDB=off")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		rest, err := io.ReadAll(lines)
		if err == nil {
			err = cmd.Wait()
		}
		if t.Failed() || err != nil {
			t.Errorf("mcpgen dev: %v\n%s", err, rest)
		}
	})
	for url := regexp.MustCompile(`the page is (\S+)`); ; {
		line, err := lines.ReadString('\n')
		if at := url.FindStringSubmatch(line); at != nil {
			return at[1]
		}
		if err != nil {
			t.Fatalf("mcpgen dev prints no URL of a page: %v", err)
		}
	}
}
