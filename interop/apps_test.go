package interop

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/evanw/esbuild/pkg/api"

	"github.com/mcpgen/mcpgen/runtime/apps/csp"
)

// sandbox is the proxy between a host and a page: it shows what it is given, and passes on the rest.
const sandbox = `<!doctype html><iframe sandbox="allow-scripts allow-forms" style="width:100%;height:600px"></iframe><script>
const frame = document.querySelector("iframe");
addEventListener("message", ({ source, data }) => {
  if (source === frame.contentWindow) parent.postMessage(data, "*");
  else if (data.method === "ui/notifications/sandbox-resource-ready") frame.srcdoc = data.params.html;
  else frame.contentWindow.postMessage(data, "*");
});
parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
</script>`

// Our server's page in a host on the official AppBridge and client, in a browser: it begins, gets input and result, draws, and
// redraws by calling its tools through the host.
//
// REQ APP-01, APP-02, APP-04, APP-05, APP-07: in skipping tests
func TestAppInOfficialHost(t *testing.T) {
	m := newModules(t)
	browser := newChromium(t)
	app := build(t, "../examples/app")
	for name, pin := range map[string]string{"legacy": "", "modern": "2026-07-28"} {
		t.Run(name, func(t *testing.T) {
			upstream := listening(t, func(addr string) []string { return []string{app, "-http", addr} })
			policy, _ := csp.Header(nil)
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Security-Policy", policy)
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, sandbox)
			}))
			t.Cleanup(other.Close)
			script := bundle(t, string(m), map[string]string{
				"SANDBOX": strconv.Quote(other.URL), "PIN": strconv.Quote(pin), "TOOL": `"tide"`, "ARGUMENTS": `{"port":"Brest","date":"2026-03-21"}`,
			})
			mux := http.NewServeMux()
			mux.Handle("/mcp", &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(upstream)
				r.Out.Header.Del("Origin") // it is that of this page, which the server does not know
			}})
			mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, "<!doctype html><body><script type=module src=/host.js></script>")
			})
			mux.HandleFunc("/host.js", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/javascript")
				w.Write(script)
			})
			host := httptest.NewServer(mux)
			t.Cleanup(func() { // the page keeps a stream open
				host.CloseClientConnections()
				host.Close()
			})

			tab := browser(t)
			tab.open(host.URL)
			tab.eventually("said('sent')", "yes")
			tab.eventually("said('apponly')", "ports")
			tab.eventually("said('mime')", "text/html;profile=mcp-app")
			tab.eventually("said('meta')", `{"prefersBorder":true}`)
			tab.eventually("said('app')", `{"name":"tides","version":"1.0.0"}`)
			tab.eventually("said('size')", "true")
			tab.inApp(`document.querySelector("[role=status]").textContent`, "Brest, 2026-03-21")
			tab.inApp(`[...document.querySelectorAll("option")].map(o => o.value).join()`, "Brest,Cuxhaven,Saint John,Venice")
			tab.inApp(`document.documentElement.style.colorScheme`, "dark")
			tab.inApp(`String(document.querySelector("path").getAttribute("d").split("L").length)`, "25")
			tab.inApp(`(() => { const p = document.querySelector("select"); p.value = "Venice"; p.dispatchEvent(new Event("change", { bubbles: true })); return "done" })()`, "done")
			tab.inApp(`document.querySelector("[role=status]").textContent`, "Venice, 2026-03-21")
			tab.eventually("(teardown(), 'asked')", "asked")
			tab.eventually("said('down')", "yes")
			tab.eventually("said('failed')", "")
		})
	}
}

// The app of an official example server in the page of mcpgen dev, in a browser: it begins, and calls its tool when its button
// is pressed.
//
// REQ APP-10, APP-15: in skipping tests
func TestOfficialAppInDev(t *testing.T) {
	m := newModules(t)
	browser := newChromium(t)
	mcpgen := build(t, "../cmd/mcpgen")
	script := filepath.Join(string(m), "node_modules", "@modelcontextprotocol", "server-basic-vanillajs", "dist", "index.js")
	said, stderr := io.Pipe()
	defer said.Close()
	go io.Copy(io.Discard, startTo(t, stderr, "", nil, mcpgen, "dev", "-http", "127.0.0.1:0", "--", "node", script, "--stdio"))
	url, lines := "", bufio.NewScanner(said)
	for url == "" && lines.Scan() {
		t.Log(lines.Text())
		_, url, _ = strings.Cut(lines.Text(), "the page is ")
	}
	if url == "" {
		t.Fatal("mcpgen dev prints no URL")
	}
	go io.Copy(io.Discard, said)
	tab := browser(t)
	tab.open(url + "#/tools/get-time")
	tab.eventually(`String(document.querySelector("form.call button.primary") !== null)`, "true")
	tab.eventually(`(document.querySelector("form.call button.primary").click(), "clicked")`, "clicked")
	tab.inApp(`String(/\d{4}-\d\d-\d\dT/.test(document.body.innerText))`, "true")
	tab.inApp(`(() => { const b = [...document.querySelectorAll("button")].find(b => /time/i.test(b.textContent)); b?.click(); return b ? "pressed" : document.body.innerText })()`, "pressed")
	tab.eventually(`String(document.querySelector(".host .notes")?.innerText.includes("called get-time"))`, "true")
}

// listening starts a server that listens on an address of its own, and returns the URL of that.
func listening(t *testing.T, command func(addr string) []string) *url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	go io.Copy(io.Discard, start(t, "", nil, command(addr)...))
	for end := time.Now().Add(listenLimit); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return &url.URL{Scheme: "http", Host: addr}
		} else if time.Now().After(end) {
			t.Fatalf("the server does not listen within %v: %v", listenLimit, err)
		}
	}
}

// bundle returns the script of the host, with what it imports of npm.
func bundle(t *testing.T, dir string, define map[string]string) []byte {
	t.Helper()
	built := api.Build(api.BuildOptions{
		AbsWorkingDir: dir, EntryPoints: []string{filepath.Join(dir, "apps", "host.ts")}, Outdir: filepath.Join(dir, "out"),
		Bundle: true, Format: api.FormatESModule, Platform: api.PlatformBrowser, Define: define, LogLevel: api.LogLevelSilent,
	})
	if len(built.Errors) > 0 {
		t.Fatalf("the host cannot be bundled: %v", built.Errors)
	}
	return built.OutputFiles[0].Contents
}

// newChromium starts a browser, and returns what opens a tab of it.
func newChromium(t *testing.T) func(t *testing.T) *hostPage {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("there is no Chromium; install it, on Debian by: apt-get install -y chromium")
	}
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("disable-site-isolation-trials", true), chromedp.Flag("disable-features", "IsolateOrigins,site-per-process,IsolateSandboxedIframes"), // frames are in the tree of their page
		chromedp.WSURLReadTimeout(time.Minute))
	t.Cleanup(cancel)
	browser, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return func(t *testing.T) *hostPage {
		ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
		t.Cleanup(cancel)
		if err := chromedp.Do(ctx); err != nil {
			t.Fatal(err)
		}
		ctx, cancel = context.WithTimeout(ctx, time.Minute)
		t.Cleanup(cancel)
		return &hostPage{t, ctx}
	}
}

// A hostPage is a tab with a host.
type hostPage struct {
	*testing.T
	ctx context.Context
}

func (p *hostPage) open(url string) {
	p.Helper()
	if err := chromedp.Do(p.ctx, chromedp.Navigate(url)); err != nil {
		p.Fatal(err)
	}
}

// eventually waits until an expression about the host has a value.
func (p *hostPage) eventually(expression, want string) {
	p.Helper()
	const said = `var said = id => document.getElementById(id)?.textContent ?? "";`
	got := ""
	for p.ctx.Err() == nil {
		value, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](said+expression))
		if err != nil {
			p.Fatalf("%s: %v", expression, err)
		}
		if got = value; got == want {
			return
		}
		if failed, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](said+`said("failed")`)); err == nil && failed != "" {
			p.Fatalf("the host: %s", failed)
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.Fatalf("%s is %s, want %s", expression, got, want)
}

// inApp waits until an expression about the page of the app, the innermost frame, has a value.
func (p *hostPage) inApp(expression, want string) {
	p.Helper()
	got := ""
	for p.ctx.Err() == nil {
		value, err := chromedp.Run(p.ctx, inInnermost(expression))
		if err == nil && value == want {
			return
		}
		if got = value; err != nil { // the frame may just be coming
			got = err.Error()
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.Fatalf("%s is %s, want %s", expression, got, want)
}

func inInnermost(expression string) chromedp.Action[string] {
	return func(ctx context.Context, target *chromedp.Target) (string, error) {
		tree, err := cdp.Call(ctx, target, cdppage.GetFrameTree, cdp.Empty{})
		if err != nil {
			return "", err
		}
		frame := tree.FrameTree
		for len(frame.ChildFrames) > 0 {
			frame = frame.ChildFrames[0]
		}
		world, err := cdp.Call(ctx, target, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: frame.Frame.ID})
		if err != nil {
			return "", err
		}
		return chromedp.Evaluate[string](expression, func(p *runtime.EvaluateParams) { p.ContextID = world.ExecutionContextID })(ctx, target)
	}
}
