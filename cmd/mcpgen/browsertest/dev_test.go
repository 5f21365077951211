package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// until waits until an expression of the page is true.
func (t tab) until(expression string) {
	t.Helper()
	for {
		if get(t, chromedp.Evaluate[bool](`Boolean(`+expression+`)`)) {
			return
		}
		select {
		case <-t.ctx.Done():
			t.Fatalf("it never became true that %s", expression)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// shows waits until an element contains a text.
func (t tab) shows(selector, text string) {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	t.until(fmt.Sprintf(`(document.querySelector(%q)?.innerText ?? "").includes(%s)`, selector, quoted))
}

// run runs statements in the page.
func (t tab) run(statements string) {
	t.Helper()
	get(t, chromedp.Evaluate[bool](`(() => { `+statements+`; return true; })()`))
}

// click clicks the element that matches a selector and has a text.
func (t tab) click(selector, text string) {
	t.Helper()
	find := fmt.Sprintf(`Array.from(document.querySelectorAll(%q)).find(e => e.innerText.includes(%q) && e.offsetHeight > 0)`, selector, text)
	t.until(find)
	t.run(find + ".click()")
}

// press presses keys in the element with the focus.
func (t tab) press(keys string) {
	t.Helper()
	t.do(chromedp.KeyEvent(keys))
}

// enter presses Enter in the element with the focus.
func (t tab) enter() {
	t.Helper()
	t.key("Enter", "Enter", "\r", 13)
}

// key presses a key in the element with the focus. Unlike with press, the page can prevent the default action.
func (t tab) key(name, code, text string, number int64) {
	t.Helper()
	for _, p := range []input.DispatchKeyEventParams{{Type: input.DispatchKeyEventTypeKeyDown, Text: text}, {Type: input.DispatchKeyEventTypeKeyUp}} {
		p.Key, p.Code, p.WindowsVirtualKeyCode = name, code, number
		t.do(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
			_, err = cdp.Call(ctx, target, input.DispatchKeyEvent, p)
			return none, err
		})
	}
}

// part shows a part of the page.
func (t tab) part(hash, selector, text string) {
	t.Helper()
	t.run(fmt.Sprintf(`location.hash = %q`, hash))
	t.shows(selector, text)
}

// TestDev uses the page, in one browser.
func TestDev(t *testing.T) {
	browser := startBrowser(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"a form": testForm, "a map": testMap, "confirmation": testConfirmation, "progress": testProgress, "elicitation": testElicitation, "sampling": testSampling,
		"a lost child": testLost, "logs": testLogs, "200 tools": testManyTools, "revisions": testRevisions,
		"resources and prompts": testOthers, "strangers": testStrangers, "states": testStates,
		"numbers": testNumbers, "lines": testLines, "what was typed": testTyped, "a URL": testVisit, "copies": testCopies, "tasks": testTasks,
	} {
		t.Run(name, func(t *testing.T) { test(t, browser) })
	}
}

// testForm fills in a form with the keyboard alone, and finds what it sent.
func testForm(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.part("#/tools/order", "article h2", "Order tea")
	b.run(`document.querySelector("[data-name=street] textarea").focus()`)
	b.run(`document.querySelector("#tabs li").dataset.old = true; document.getElementById("revision").dispatchEvent(new Event("change"))`)
	b.until(`!document.querySelector("#tabs li[data-old]")`) // the definitions were loaded again
	b.until(`document.activeElement === document.querySelector("[data-name=street] textarea")`)
	b.press("\t")
	b.run(`document.querySelector("[data-name=tea] select").focus()`)
	b.press("s")    // sencha
	b.press("\t7")  // 27 cups, after the default 2
	b.press("\t\t") // not urgent
	b.run(`document.querySelector("[data-name=street] textarea").focus()`)
	b.press("Long Lane")
	b.enter()
	b.shows(".job[data-state=done] .tree", `"sencha"`)
	b.shows(".job .chip.good", "matches the output schema")
	var sent struct {
		Arguments struct {
			Tea     string
			Cups    int
			Address struct{ Street string }
			Express *bool
		}
	}
	b.click("form.call button", "As JSON")
	text := get(b, chromedp.Evaluate[string](`document.querySelector("form.call textarea").value`))
	if err := json.Unmarshal([]byte(`{"arguments":`+text+`}`), &sent); err != nil {
		t.Fatal(err)
	}
	if a := sent.Arguments; a.Tea != "sencha" || a.Address.Street != "Long Lane" || a.Cups != 27 && a.Cups != 7 || a.Express != nil {
		t.Errorf("the arguments are %s", text)
	}
	b.run(`const t = document.querySelector("form.call textarea"); t.value = "{\"tea\":\"assam\",\"cups\":1,\"pay\":{\"kind\":\"card\",\"number\":\"4\"},\"gift\":{\"within\":{\"to\":\"Ada\"}}}"`)
	b.click("form.call button", "As JSON")
	for selector, want := range map[string]string{
		"[data-name=pay] [data-name=number] textarea": "4", "[data-name=gift] [data-name=within] [data-name=to] textarea": "Ada",
	} {
		if got := get(b, chromedp.Evaluate[string](fmt.Sprintf(`document.querySelector(%q).value`, selector))); got != want {
			t.Errorf("%s: got %q, want %q", selector, got, want)
		}
	}
	b.part("#/tools/spill", "article h2", "spill")
	b.click("button.primary", "Call")
	b.shows(".job[data-state=failed]", "<img src=x onerror=alert(1)>")
	b.part("#/tools/picture", "article h2", "picture")
	b.click("button.primary", "Call")
	b.until(`document.querySelector(".job img")?.naturalWidth === 240`)
}

// testProgress watches a call, and cancels another.
func testProgress(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.part("#/tools/brew", "article h2", "brew")
	b.click("button.primary", "Call")
	for i := 1; i <= 3; i++ {
		b.until(fmt.Sprintf(`document.querySelector("progress")?.value === %d && document.querySelector(".message").innerText.includes("step %d")`, i, i))
		k.step <- struct{}{}
	}
	b.shows(".job[data-state=done]", "brewed")
	b.click("button.primary", "Call")
	b.shows(".job .message", "step 1")
	b.click(".job button", "Cancel")
	b.shows(".job[data-state=cancelled]", "Cancelled")
	select {
	case <-k.cancelled:
	case <-b.ctx.Done():
		t.Error("the server did not receive the cancellation")
	}
}

// testElicitation fills in a form of the server, wrongly at first, and closes another with Escape.
func testElicitation(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.part("#/tools/reserve", "article h2", "reserve")
	b.click("button.primary", "Call")
	b.shows("dialog[open]", "Who comes, and how many are they?")
	b.press("Ada")
	b.enter()
	b.shows("dialog [data-name=size] .wrong", "required")
	b.press("4\r") // the field has the focus
	b.shows(".job[data-state=done]", "a table for Ada, 4 seats")
	b.until(`!document.querySelector("dialog").open`)
	b.click("button.primary", "Call")
	b.shows("dialog[open]", "Who comes")
	b.press("\x1b")
	b.until(`!document.querySelector("dialog").open && document.querySelector(".job").dataset.state !== "running"`)
}

// testSampling answers in place of a model.
func testSampling(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.part("#/tools/advise", "article h2", "advise")
	b.click("button.primary", "Call")
	b.shows("dialog[open]", "Which tea goes with rain?")
	b.press("Assam")
	b.click("dialog button", "Send")
	b.shows(".job[data-state=done]", "person says: Assam")
}

// TestDevLooks shows everything on a dark phone and on a light screen, and with -screenshots in all four combinations.
func TestDevLooks(t *testing.T) {
	browser := startBrowser(t)
	k := open(t)
	k.page.Show(dev.State{Phase: dev.Failed, Serves: true, Problem: "# example.com/kitchen\nbrew.go:12:7: undefined: water", Summary: "built in 1.1 s: 7 tools", Verdict: "callers are safe"})
	for _, device := range []struct {
		name  string
		width int64
		phone bool
	}{{"390", 390, true}, {"1280", 1280, false}} {
		for _, dark := range []bool{false, true} {
			if *screenshots == "" && dark != device.phone {
				continue // colours do not depend on the width
			}
			name := "dev-" + device.name
			if dark {
				name += "-dark"
			}
			t.Run(name, func(t *testing.T) {
				b := newTab(t, browser)
				b.viewport(device.width, 900, device.phone, dark)
				b.goTo(k.url)
				looks(b, name)
			})
		}
	}
}

// looks goes through the page and reports what is too wide or hard to read.
func looks(b tab, name string) {
	b.Helper()
	check := func(part string) {
		b.Helper()
		if n := b.number(overflow); n > 0 {
			b.Errorf("%s: the page is %d pixels wider than the window", part, n)
		}
		if texts := get(b, chromedp.Evaluate[string](faint)); texts != "" {
			b.Errorf("%s: hard to read: %s", part, texts)
		}
		if tab := get(b, chromedp.Evaluate[string](`Array.from(document.querySelectorAll("#tabs a")).filter(a => a.getBoundingClientRect().right > innerWidth).map(a => a.innerText).join()`)); tab != "" {
			b.Errorf("%s: the tabs %s are cut off", part, tab)
		}
		if n := b.number(unlabelled); n > 0 {
			b.Errorf("%s: %d controls have no label", part, n)
		}
		b.screenshot(name + "-" + part)
	}
	b.shows(".overview", "Connect a client")
	check("overview")
	b.part("#/tools", "main", "Order tea")
	check("tools")
	b.part("#/tools/order", "article h2", "Order tea")
	b.run(`const f = document.querySelector("form.call"); f.querySelector("[data-name=tea] select").value = "1"; f.querySelector("[data-name=street] textarea").value = "Long Lane 5"`)
	b.click("[data-name=notes] button", "+ item")
	b.click("[data-name=gift] button", "+ add")
	b.click("[data-name=extra] button", "+ entry")
	b.run(`const f = document.querySelector("[data-name=extra]"); f.querySelector(".member textarea").value = "sugar"; f.querySelector(".grow input").value = "2"`)
	b.click("button.primary", "Call")
	b.shows(".job[data-state=done]", "Done")
	check("tool")
	b.click("button", "Call in every revision")
	b.shows(".sure", "each call may change something")
	check("sure")
	b.click(".sure button", "Call")
	b.until(`document.querySelector(".compare")?.dataset.state === "done"`)
	check("compare")
	b.part("#/tools/picture", "article h2", "picture")
	b.click("button.primary", "Call")
	b.until(`document.querySelector(".job img")?.naturalWidth === 240`)
	check("picture")
	b.part("#/tools/throw_away", "article h2", "throw_away")
	b.click("button.primary", "Call")
	b.shows("dialog[open]", "Throw all cups away?")
	check("confirmation")
	b.click("dialog button", "No")
	b.until(`!document.querySelector("dialog").open`)
	b.part("#/resources/kitchen%3A%2F%2Fmenu", "article h2", "menu")
	b.click("button.primary", "Read")
	b.shows(".job[data-state=done]", "sencha")
	check("resource")
	b.part("#/wire", ".logs", "tools/call")
	b.click(".log summary", "tools/call")
	check("wire")
	b.part("#/log", ".logs .found", "line")
	check("log")
	b.part("#/tools/advise", "article h2", "advise")
	b.click("button.primary", "Call")
	b.shows("dialog[open]", "Which tea goes with rain?")
	check("sampling")
	b.press("\x1b")
	b.part("#/tools/reserve", "article h2", "reserve")
	b.click("button.primary", "Call")
	b.shows("dialog[open]", "Who comes")
	check("elicitation")
	b.press("\x1b")
	b.until(`!document.querySelector("dialog").open`)
}

// unlabelled counts controls for which a screen reader has no name.
const unlabelled = `Array.from(document.querySelectorAll("main input, main select, main textarea, main button, dialog[open] input, dialog[open] textarea, dialog[open] button"))
	.filter(e => e.offsetHeight > 0 && !e.labels?.length && !e.getAttribute("aria-label") && !e.textContent.trim()).length`

// testLost loses the server during a call.
func testLost(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.part("#/tools/brew", "article h2", "brew")
	b.click("button.primary", "Call")
	b.shows(".job .message", "step 1")
	k.far.Close()
	b.shows(".job[data-state=failed]", "the server failed during the call")
	k.page.Show(dev.State{Phase: dev.Lost, Problem: "the server exited"})
	b.shows("#problem", "the server exited")
	b.shows("#state", "lost")
}

// testLogs logs a thousand lines, and filters them.
func testLogs(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.part("#/tools/chatter", "article h2", "chatter")
	b.click("button.primary", "Call")
	b.shows(".job[data-state=done]", "said")
	b.part("#/log", ".logs .found", "1,000 lines")
	b.shows(".log", "that was much")
	b.run(`const s = document.querySelector(".logs .search"); s.value = "line 77"; s.dispatchEvent(new Event("input"))`)
	b.shows(".logs .found", "11 of 1,000 lines") // 77, and 770 to 779
	b.part("#/wire", ".logs", "tools/call")
	b.until(`Array.from(document.querySelectorAll(".log .method")).every(m => !m.innerText.endsWith("/list")) && !document.querySelector(".log").innerText.includes("this page")`)
	b.run(`document.querySelector(".filters input[type=checkbox]").click()`)
	b.shows(".log", "this page")
	b.shows(".log", "tools/list")
	b.run(`document.querySelector(".filters input[type=checkbox]").click()`)
	b.until(`!document.querySelector(".log").innerText.includes("this page")`)
	b.run(`const s = document.querySelectorAll(".filters select")[0]; s.value = "tools/call"; s.dispatchEvent(new Event("change"))`)
	b.until(`Array.from(document.querySelectorAll(".log .method")).every(m => m.innerText === "tools/call")`)
	b.click(".log summary", "tools/call")
	b.shows(".log details[open] pre", `"name": "chatter"`)
}

// testManyTools finds one tool among two hundred that are added while the page is open.
func testManyTools(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.part("#/tools", ".item", "advise")
	for i := range 200 {
		k.tool(mcp.Tool{Name: fmt.Sprintf("tool_%03d", i), Description: "One of many."}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult("done"), nil
		})
	}
	b.until(`document.querySelectorAll(".item").length === 208`)
	b.run(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true}))`)
	b.press("_117")
	b.shows(".found", "1 of 208 tools")
	b.shows(".mark", "new")
	b.press("\t")
	focused := `document.activeElement?.matches(".item:not([data-old])") && document.activeElement.innerText.includes("tool_117")`
	b.until(focused)
	b.run(`document.activeElement.dataset.old = true; document.getElementById("revision").dispatchEvent(new Event("change"))`)
	b.until(focused) // also when the list was drawn again
	b.press("\r")
	b.shows("article h2", "tool_117")
}

// testRevisions shows the same call in every revision side by side.
func testRevisions(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.part("#/tools/order", "article h2", "Order tea")
	b.run(`const f = document.querySelector("form.call"); f.querySelector("[data-name=tea] select").value = "1"; f.querySelector("[data-name=street] textarea").value = "Long Lane 5"`)
	b.click("form.call button", "every revision")
	n := len(client.Revisions())
	b.shows(".sure", fmt.Sprintf("This calls order %d times", n))
	b.click(".sure button", "Do not call")
	b.until(`!document.querySelector(".sure") && !document.querySelector(".compare")`)
	b.click("form.call button", "every revision")
	b.click(".sure button", fmt.Sprintf("Call %d times", n))
	b.until(`document.querySelector(".compare")?.dataset.state === "done"`)
	b.shows(".compare .line", fmt.Sprintf("2 of %d results differ", n)) // the first two revisions have no structured content
	b.shows(`[data-revision="2024-11-05"] ul:last-of-type`, "structuredContent")
	b.shows(`[data-revision="2025-06-18"] ul:last-of-type`, "resultType")
	if got := get(b, chromedp.Evaluate[int](`document.querySelectorAll(".column .good").length`)); got != n {
		t.Errorf("%d calls are done, want %d", got, n)
	}
	b.part("#/tools/picture", "article h2", "picture")
	b.click("form.call button", "every revision") // which only reads
	b.shows(".compare", "the results are the same, apart from metadata")
}

// testConfirmation says yes and no to questions.
func testConfirmation(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.part("#/tools/throw_away", "article h2", "throw_away")
	for button, want := range map[string]string{"Yes": "thrown away", "No": "not confirmed", "Cancel": "not confirmed"} {
		b.click("button.primary", "Call")
		b.shows("dialog[open]", "Throw all cups away?")
		if text := get(b, chromedp.Evaluate[string](`document.querySelector("dialog").innerText`)); strings.Contains(text, "No arguments") {
			t.Errorf("the dialog is %q", text)
		}
		b.click("dialog button", button)
		b.until(`!document.querySelector("dialog").open`)
		b.shows(".job:not([data-state=running])", want)
		b.run(`document.querySelector(".job").remove()`)
	}
}

// testOthers reads and subscribes, and gets a prompt.
func testOthers(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.part("#/resources/"+"kitchen%3A%2F%2Fmenu", "article h2", "menu")
	b.click("button", "Subscribe")
	b.shows("[aria-pressed=true]", "Subscribed")
	k.ResourceUpdated("kitchen://menu")
	b.shows(".updated", "changed at")
	b.shows(".job[data-state=done]", "darjeeling") // it was read again
	b.click(".item", "tea")
	b.shows("article h2", "tea")
	b.run(`document.querySelector("[data-name=name] input").focus()`)
	b.press("assam\r")
	b.shows(".job[data-state=done]", "a tea called assam")
	b.part("#/prompts/toast", "article h2", "toast")
	b.run(`document.querySelector("[data-name=guest] input").focus()`)
	b.press("a")
	b.until(`Array.from(document.querySelectorAll("datalist option")).map(o => o.value).join() === "Ada,Alan"`)
	b.press("da\r")
	b.shows(".job[data-state=done]", "Raise a cup to ada")
}

// testStrangers opens the page with a wrong token, and calls its API from another page.
func testStrangers(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url + "x")
	b.shows("h1", "not the address")
	base, token, _ := strings.Cut(k.url, "/?token=")
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(stranger.Close)
	b.goTo(stranger.URL)
	b.run(fmt.Sprintf(`window.got = []; for (const options of [{headers: {"Mcpgen-Token": %q}}, {}, {mode: "no-cors"}]) {
		fetch(%q, options).then(async r => window.got.push("read " + r.type + await r.text()), () => window.got.push("refused")) }`, token, base+"/api/definitions"))
	b.until(`window.got.length === 3`)
	if got := get(b, chromedp.Evaluate[string](`window.got.sort().join()`)); got != "read opaque,refused,refused" && got != "refused,refused,refused" {
		t.Errorf("a foreign page has got %q", got)
	}
	b.run(fmt.Sprintf(`window.loaded = ""; const f = document.createElement("iframe"); f.onload = () => { window.loaded = "loaded"; }; f.src = %q; document.body.append(f)`, k.url))
	b.until(`window.loaded === "loaded"`)
	b.until(`(() => { try { return document.querySelector("iframe").contentDocument === null } catch { return true } })()`)
}

// testStates shows mistakes, and then that they are gone.
func testStates(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	b.shows("#state", "serving")
	k.page.Show(dev.State{Phase: dev.Building, Serves: true})
	k.page.Step("generating")
	b.shows("#state", "generating")
	k.page.Show(dev.State{Phase: dev.Failed, Serves: true, Problem: "# example.com/kitchen\nbrew.go:12:7: undefined: <b>water</b>"})
	b.shows("#problem .place", "brew.go:12:7")
	b.shows("#problem", "undefined: <b>water</b>")
	b.shows("#problem", "last good build")
	k.page.Show(dev.State{Phase: dev.Serving, Serves: true, Summary: "built in 1.0 s", Verdict: "callers break: tool brew"})
	b.until(`document.getElementById("problem").hidden`)
	b.shows(".verdict.bad", "Clients that use the tools as they are in mcp.lock.json break: tool brew")
}
