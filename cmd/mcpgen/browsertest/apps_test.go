package browsertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev/page"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/runtime/apps"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// appPage is the page of an app that records what it gets, and has what a test needs to drive it.
const appPage = `<!doctype html><meta charset="utf-8"><title>app</title><p id="out"></p><script>
var got = [], results = {}, last = 0;
addEventListener("message", e => {
  if (e.source !== parent) return;
  got.push(e.data);
  if (e.data.method === "ui/resource-teardown") {
    ask("tools/call", {name: "more"}); // which is too late
    send({method: "notifications/message", params: {data: "good bye"}});
    send({id: e.data.id, result: {}});
  }
  if (e.data.method === undefined) results[e.data.id] = JSON.stringify(e.data.result ?? e.data.error);
});
var send = m => parent.postMessage({jsonrpc: "2.0", ...m}, "*");
var ask = (method, params) => { send({id: ++last, method, params}); return String(last); };
var said = method => JSON.stringify(got.filter(m => m.method === method).map(m => m.params));
BEGIN
</script>`

const begins = `ask("ui/initialize", {protocolVersion: "2026-01-26", appInfo: {name: "app", version: "1"}, appCapabilities: {}}); setTimeout(() => send({method: "ui/notifications/initialized"}), 0);`

// A hosted server is one with apps, behind the page of mcpgen dev.
type hosted struct {
	tab
	page   *page.Page
	second chan struct{} // lets the tool slow end
}

// host serves a server whose app has a page, and shows the tool with it.
func host(t *testing.T, browser context.Context, html string, meta ui.ResourceMeta) *hosted {
	t.Helper()
	h := &hosted{page: page.New(), second: make(chan struct{})}
	s := server.New(mcp.Implementation{Name: "apps", Version: "1"}, &server.Options{Logger: quiet, Filters: []server.Filter{apps.ForApps()}})
	if err := apps.Add(s, apps.Page{URI: "ui://apps/app", Name: "app", HTML: html, Meta: meta}); err != nil {
		t.Fatal(err)
	}
	for name, meta := range map[string]mcp.MetaObject{
		"show": apps.Meta("ui://apps/app"), "slow": apps.Meta("ui://apps/app"), "more": apps.Meta("", ui.ToolVisibilityApp),
		"secret": apps.Meta("", ui.ToolVisibilityModel), "broken": apps.Meta("ui://apps/none"), "old": {"ui/resourceUri": wire.Raw(`"ui://apps/app"`)},
	} {
		err := s.AddTool(mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`), Meta: meta}, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			if name == "slow" {
				select {
				case <-h.second:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			if name == "secret" {
				return nil, errors.New("the secret tool was called")
			}
			return &mcp.CallToolResult{StructuredContent: wire.Raw(fmt.Sprintf(`{"tool":%q,"args":%s}`, name, args))}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	url, _ := show(t, s, h.page)
	h.tab = newTab(t, browser)
	h.goTo(url)
	return h
}

// call calls a tool on the page.
func (h *hosted) call(tool string) {
	h.Helper()
	h.part("#/tools/"+tool, "article h2", tool)
	h.click("form.call button", "Call")
}

// inApp waits until an expression about the app, which is in the innermost frame, has a value.
func (h *hosted) inApp(expression, want string) {
	h.Helper()
	got := ""
	for h.ctx.Err() == nil {
		value, err := chromedp.Run(h.ctx, inFrame(2, expression))
		if err == nil && value == want {
			return
		}
		if got = value; err != nil { // the frame may just be coming
			got = err.Error()
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.Fatalf("%s is %s, want %s", expression, got, want)
}

// inFrame evaluates an expression in the first frame at a depth: 1 is the sandbox, 2 the app.
func inFrame(depth int, expression string) chromedp.Action[string] {
	return func(ctx context.Context, target *chromedp.Target) (string, error) {
		tree, err := cdp.Call(ctx, target, cdppage.GetFrameTree, cdp.Empty{})
		if err != nil {
			return "", err
		}
		frame := tree.FrameTree
		for range depth {
			if len(frame.ChildFrames) == 0 {
				return "", errors.New("there is no such frame")
			}
			frame = frame.ChildFrames[0]
		}
		world, err := cdp.Call(ctx, target, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: frame.Frame.ID})
		if err != nil {
			return "", err
		}
		// An element with a script has what the scripts of the frame have, which a world of its own has not.
		const run = `(() => { const s = document.createElement("script"), root = document.documentElement; delete root.dataset.out;
			s.textContent = "document.documentElement.dataset.out = String(" + %q + ")"; root.append(s); s.remove(); return root.dataset.out ?? "it failed"; })()`
		return chromedp.Evaluate[string](fmt.Sprintf(run, expression), func(p *runtime.EvaluateParams) { p.ContextID = world.ExecutionContextID })(ctx, target)
	}
}

// once evaluates an expression about the app, when it is there.
func (h *hosted) once(expression string) string {
	h.Helper()
	h.inApp("typeof ask", "function")
	value, err := chromedp.Run(h.ctx, inFrame(2, expression))
	if err != nil {
		h.Fatalf("%s: %v", expression, err)
	}
	return value
}

// asks makes a request of the host as the app, and waits for the response.
func (h *hosted) asks(method, params, want string) {
	h.Helper()
	id := h.once(fmt.Sprintf("ask(%q, %s)", method, params))
	h.inApp(fmt.Sprintf("results[%s] ?? ''", id), want)
}

// TestApps shows the pages of tools, in one browser.
//
// REQ APP-10, APP-11, APP-14, APP-15, APP-16, APP-17, APP-18, APP-19: in skipping tests
func TestApps(t *testing.T) {
	browser := startBrowser(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"a call": testApp, "requests": testAppRequests, "a slow call": testAppSlow, "no page": testAppNone, "attacks": testAppAttacks, "floods": testAppFloods,
		"connections": testAppConnections, "strangers": testAppStrangers,
	} {
		t.Run(name, func(t *testing.T) { test(t, browser) })
	}
}

var beginning = strings.Replace(appPage, "BEGIN", begins, 1)

func testApp(t *testing.T, browser context.Context) {
	h := host(t, browser, beginning, ui.ResourceMeta{})
	h.call("show")
	h.inApp(`said("ui/notifications/tool-input")`, `[{"arguments":{}}]`)
	h.inApp(`JSON.stringify(got.find(m => m.method === "ui/notifications/tool-result")?.params?.structuredContent)`, `{"tool":"show","args":{}}`)
	h.inApp(`JSON.parse(results[1]).protocolVersion + JSON.parse(results[1]).hostContext.toolInfo.tool.name`, "2026-01-26show")
	h.inApp(`got.map(m => m.method ?? "response").slice(0, 3).join()`, "response,ui/notifications/tool-input,ui/notifications/tool-result")
	h.once(`send({method: "ui/notifications/size-changed", params: {width: 10, height: 777}})`)
	h.until(`document.querySelector(".host iframe").style.height === "777px"`)
	h.once(`send({method: "ui/notifications/size-changed", params: {width: 10, height: 7e9}})`)
	h.until(`document.querySelector(".host iframe").style.height === "1200px"`)
	h.part("#/log", "#tabs a[aria-current]", "Log") // and back: the frame is loaded again, and begins anew
	h.part("#/tools/show", "article h2", "show")
	h.inApp(`got.map(m => m.method ?? "response").slice(0, 3).join()`, "response,ui/notifications/tool-input,ui/notifications/tool-result")
	h.click(".host button", "Close the page")
	h.shows(".host", "The page is gone: closed.")
	h.shows(".host .notes", `logs: "good bye"`)
	if text := get(h.tab, chromedp.Evaluate[string](`document.querySelector(".host .notes").innerText`)); strings.Contains(text, "called") {
		t.Errorf("a page that ends has done something: %s", text)
	}
	h.until(`!document.querySelector("iframe")`)
	h.call("old") // with the older key alone
	h.inApp(`said("ui/notifications/tool-input")`, `[{"arguments":{}}]`)
}

// testAppSlow shows an app whose call takes long, and one that is cancelled.
func testAppSlow(t *testing.T, browser context.Context) {
	h := host(t, browser, beginning, ui.ResourceMeta{})
	h.call("slow")
	h.inApp(`said("ui/notifications/tool-input")`, `[{"arguments":{}}]`)
	h.inApp(`said("ui/notifications/tool-result")`, `[]`)
	h.part("#/log", "#tabs a[aria-current]", "Log") // the page begins anew while the call goes on
	h.part("#/tools/slow", "article h2", "slow")
	h.inApp(`said("ui/notifications/tool-input")`, `[{"arguments":{}}]`)
	close(h.second)
	h.inApp(`got.filter(m => m.method === "ui/notifications/tool-result").length`, "1")
	h.asks("ping", "{}", "{}")
	h.inApp(`got.filter(m => m.method === "ui/notifications/tool-result").length`, "1")
	h.second = make(chan struct{})
	h.call("slow")
	h.inApp(`said("ui/notifications/tool-result") + said("ui/notifications/tool-input")`, `[][{"arguments":{}}]`)
	h.click(".job button", "Cancel")
	h.inApp(`said("ui/notifications/tool-cancelled")`, `[{"reason":"the call was cancelled"}]`)
	h.inApp(`said("ui/notifications/tool-result")`, `[]`)
}

func testAppRequests(t *testing.T, browser context.Context) {
	h := host(t, browser, beginning, ui.ResourceMeta{})
	h.call("show")
	h.asks("ping", "{}", "{}")
	h.inApp("last > 1", "true")
	id := h.once(`ask("tools/call", {name: "more", arguments: {n: 1}})`)
	h.inApp(`JSON.stringify(JSON.parse(results[`+id+`] ?? "{}").structuredContent)`, `{"tool":"more","args":{"n":1}}`)
	h.asks("tools/call", `{name: "secret", arguments: {}}`, `{"code":-32000,"message":"the tool secret is not for pages"}`)
	h.asks("tools/call", `{name: "none"}`, `{"code":-32000,"message":"the server has no tool none"}`)
	h.asks("tools/call", `undefined`, `{"code":-32000,"message":"the server has no tool undefined"}`)
	h.asks("ui/none", `{}`, `{"code":-32601,"message":"this host has no ui/none"}`)
	h.asks("constructor", `{}`, `{"code":-32601,"message":"this host has no constructor"}`)
	h.asks("ui/request-display-mode", `{mode: "fullscreen"}`, `{"mode":"inline"}`)
	id = h.once(`ask("resources/read", {uri: "ui://apps/app"})`)
	h.inApp(`JSON.parse(results[`+id+`] ?? '{"contents":[{}]}').contents[0].mimeType`, apps.MIMEType)
	h.asks("ui/open-link", `{url: "javascript:alert(1)"}`, `{"code":-32000,"message":"want a URL of https or http"}`)
	id = h.once(`ask("ui/open-link", {url: "https://example.com/?<b>"})`)
	h.shows(".host", "The page wants to open https://example.com/?%3Cb%3E")
	h.click(".host button", "Do not")
	h.inApp(`results[`+id+`] ?? ""`, `{"isError":true}`)
	h.asks("ui/message", `{role: "user", content: [{type: "text", text: "<img src=x>"}]}`, `{}`)
	h.shows(".host .notes", `says as the user: [{"type":"text","text":"<img src=x>"}]`)
	h.asks("ui/update-model-context", `{structuredContent: {a: 1}}`, `{}`)
	h.shows(".host .notes", `tells the model: {"a":1}`)
	h.once(`send({method: "notifications/message", params: {level: "info", data: "a log"}})`)
	h.shows(".host .notes", `logs: "a log"`)
}

// testAppNone calls a tool whose page there is not.
func testAppNone(t *testing.T, browser context.Context) {
	h := host(t, browser, beginning, ui.ResourceMeta{})
	h.call("broken")
	h.shows(".host", "The page is gone:")
	h.shows(".job[data-state=done]", "broken") // the call is what it is without a page
	h.part("#/tools/more", ".chips", "for pages alone")
}

// testAppAttacks has an app try what it must not be able to do. Nothing reaches it before it says that it has begun.
func testAppAttacks(t *testing.T, browser context.Context) {
	h := host(t, browser, strings.Replace(appPage, "BEGIN", `ask("ui/initialize", {})`, 1), ui.ResourceMeta{})
	h.call("show")
	h.inApp(`results[1] !== undefined`, "true")
	h.shows(".job[data-state=done]", "show")
	h.asks("ping", "{}", "{}")
	h.inApp(`got.filter(m => m.method).length`, "0")
	for attack, want := range map[string]string{
		`(() => { try { return parent.document.title } catch (e) { return e.name } })()`:                     "SecurityError",
		`(() => { try { return top.document.title } catch (e) { return e.name } })()`:                        "SecurityError",
		`(() => { try { return parent.frame.title } catch (e) { return e.name } })()`:                        "SecurityError",
		`(() => { try { return localStorage.length } catch (e) { return e.name } })()`:                       "SecurityError",
		`(() => { try { top.location = "about:blank#gone"; return "gone" } catch (e) { return e.name } })()`: "SecurityError",
		`String(window.open("about:blank"))`:                                                                 "null",
		`origin`:                                                                                             "null",
	} {
		if got := h.once(attack); got != want {
			t.Errorf("%s: got %s, want %s", attack, got, want)
		}
	}
	// Messages that are the proxy's: the frame would be replaced, or the page begin again.
	h.once(`(window.mark = "here")`)
	h.once(`send({method: "ui/notifications/sandbox-resource-ready", params: {html: "<p>forged"}})`)
	h.once(`send({method: "ui/notifications/sandbox-proxy-ready", params: {}})`)
	// Past the proxy, to the page itself.
	h.once(`top.postMessage({jsonrpc: "2.0", id: 99, method: "tools/call", params: {name: "more"}}, "*")`)
	h.asks("ping", "{}", "{}")
	h.asks("ping", "{}", "{}")
	h.inApp("window.mark", "here")
	h.until(`document.querySelector(".host iframe").sandbox.value === "allow-scripts allow-same-origin allow-forms"`)
	h.inApp(`JSON.stringify(results[99] ?? null) + got.filter(m => m.method).length`, "null0")
	if text := get(h.tab, chromedp.Evaluate[string](`document.querySelector(".host .notes").innerText`)); text != "" {
		t.Errorf("the page did something: %s", text)
	}
	h.once(`send({method: "ui/notifications/initialized"})`)
	h.once(`send({method: "ui/notifications/initialized"})`)
	h.inApp(`got.filter(m => m.method === "ui/notifications/tool-input").length + "," + got.filter(m => m.method === "ui/notifications/tool-result").length`, "1,1")
}

// testAppFloods has apps send too much.
func testAppFloods(t *testing.T, browser context.Context) {
	h := host(t, browser, beginning, ui.ResourceMeta{})
	for script, want := range map[string]string{
		`for (let i = 0; i < 500; i++) send({method: "ui/notifications/size-changed", params: {height: i}})`: "it sent more than 200 messages in a second",
		`send({method: "notifications/message", params: {data: "x".repeat(2e6)}})`:                           "it sent a message of more than 1048576 bytes",
	} {
		h.call("show")
		h.inApp("typeof ask", "function")
		h.once("(() => { " + script + " })()")
		h.shows(".host", "The page is gone: "+want)
		h.until(`!document.querySelector("iframe")`)
	}
	h.call("show")
	h.inApp(`said("ui/notifications/tool-input")`, `[{"arguments":{}}]`)
}

// testAppConnections has an app connect to where it may and may not.
func testAppConnections(t *testing.T, browser context.Context) {
	var asked [2]atomic.Int32
	var urls [2]string
	for i := range urls {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked[i].Add(1)
			w.Header().Set("Access-Control-Allow-Origin", "*")
		}))
		t.Cleanup(other.Close)
		urls[i] = other.URL
	}
	h := host(t, browser, beginning, ui.ResourceMeta{Csp: &ui.ResourceCsp{ConnectDomains: []string{urls[0]}}})
	h.call("show")
	for i, want := range []string{"ok", "refused"} {
		h.once(fmt.Sprintf(`(window.to%d = "", fetch(%q).then(() => { to%[1]d = "ok" }, () => { to%[1]d = "refused" }))`, i, urls[i]))
		h.inApp(fmt.Sprintf("to%d", i), want)
	}
	h.once(fmt.Sprintf(`(window.image = "", Object.assign(new Image(), {onerror: () => { image = "refused" }, onload: () => { image = "ok" }}).src = %q)`, urls[1]))
	h.inApp("image", "refused")
	h.once(fmt.Sprintf(`(() => { const f = document.createElement("iframe"); f.src = %q; document.body.append(f) })()`, urls[1]))
	h.once(fmt.Sprintf(`(() => { location = %q })()`, urls[1])) // the frame stays empty, or as it is
	h.shows(".job[data-state=done]", "show")
	h.call("show") // a second one, by whose time requests of the first have been made
	h.inApp(`said("ui/notifications/tool-input")`, `[{"arguments":{}}]`)
	if got := []int32{asked[0].Load(), asked[1].Load()}; got[0] != 1 || got[1] != 0 {
		t.Errorf("the origins were asked %v times, want 1 and 0", got)
	}
}

// testAppStrangers asks for a sandbox in other ways than the page does.
func testAppStrangers(t *testing.T, browser context.Context) {
	h := host(t, browser, beginning, ui.ResourceMeta{})
	h.call("show")
	h.inApp("typeof ask", "function")
	at := get(h.tab, chromedp.Evaluate[string](`document.querySelector(".host iframe").src`))
	status := func(method, url, host string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			if p := resp.Header.Get("Content-Security-Policy"); !strings.Contains(p, "connect-src 'none'") || !strings.Contains(p, "frame-ancestors http://127.0.0.1:") {
				t.Errorf("the policy is %s", p)
			}
		}
		return resp.StatusCode
	}
	for want, got := range map[string]int{
		"the page: 200": status("GET", at, ""), "no id: 404": status("GET", at[:strings.LastIndex(at, "/")+1], ""), "another name: 404": status("GET", at, "evil.example"),
		"a post: 404": status("POST", at, ""), "another id: 404": status("GET", at+"A", ""),
	} {
		if !strings.HasSuffix(want, fmt.Sprint(" ", got)) {
			t.Errorf("%s, got %d", want, got)
		}
	}
}
