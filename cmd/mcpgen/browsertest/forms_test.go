package browsertest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// echo adds a tool that returns its arguments, in place of an earlier one.
func (k *kitchen) echo(name, description, schema string) {
	k.Helper()
	k.RemoveTools(name)
	k.tool(mcp.Tool{Name: name, Description: description, InputSchema: wire.Raw(schema)}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: args}, nil
	})
}

// value returns the value of a control.
func (t tab) value(selector string) string {
	t.Helper()
	quoted, err := json.Marshal(selector)
	if err != nil {
		t.Fatal(err)
	}
	return get(t, chromedp.Evaluate[string](`document.querySelector(`+string(quoted)+`).value`))
}

// setJSON sets the arguments as JSON.
func (t tab) setJSON(text string) {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	t.run(`document.querySelector("form.call .json").value = ` + string(quoted))
}

// testNumbers uses numbers that JavaScript cannot represent: they stay exact in forms, as JSON, in results and in copies.
func testNumbers(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	k.echo("weigh", "Weighs.", `{"type":"object","properties":{
		"grains":{"type":"integer","default":9007199254740993,"minimum":-9223372036854775808},
		"size":{"enum":[18446744073709551615,2]},
		"all":{"type":"array","items":{"type":"number"}},
		"inner":{"type":"object","properties":{"n":{"type":"integer"}}}}}`)
	b.goTo(k.url)
	b.part("#/tools/weigh", "article h2", "weigh")
	if got := b.value("[data-name=grains] input"); got != "9007199254740993" {
		t.Errorf("the default is %s", got)
	}
	b.shows("[data-name=grains] .kind", "-9223372036854775808")
	b.click("form.call button", "As JSON")
	if got := b.value("form.call .json"); got != "{\n  \"grains\": 9007199254740993\n}" {
		t.Errorf("as JSON: %s", got)
	}
	b.setJSON(`{"grains":-9007199254740995,"size":18446744073709551615,"all":[0.10000000000000000001,1e400,1.0],"inner":{"n":12345678901234567890}}`)
	b.click("form.call button", "As JSON") // it is a form now
	b.until(`document.querySelector("[data-name=grains] input")?.value === "-9007199254740995"`)
	b.run(`document.querySelector("[data-name=grains] input").value = "9007199254740997"`)
	b.click("form.call button", "As JSON")
	const want = `{"grains":9007199254740997,"size":18446744073709551615,"all":[0.10000000000000000001,1e400,1.0],"inner":{"n":12345678901234567890}}`
	if got := strings.Join(strings.Fields(b.value("form.call .json")), ""); got != want {
		t.Errorf("as JSON again: %s", got)
	}
	b.setJSON(strings.Replace(want, "1e400,", "", 1)) // which no server accepts
	b.click("button.primary", "Call")
	for _, text := range []string{"9007199254740997", "18446744073709551615", "0.10000000000000000001", "12345678901234567890"} {
		b.shows(".job[data-state=done] .tree", text)
	}
	b.setJSON(`{"grains":1,"unknown":{"a":[]}}`)
	b.click("form.call button", "As JSON")
	b.shows("#notice", "not have a place")
	b.until(`document.querySelector("form.call .json")?.value.includes("unknown")`)
}

// testMap fills in objects whose members have any names.
func testMap(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	k.echo("stock", "Counts.", `{"type":"object","properties":{
		"counts":{"type":"object","additionalProperties":{"type":"integer"},"description":"How many there are."},
		"labels":{"type":"object","additionalProperties":{"type":"string"},"default":{"shelf":"left"}},
		"shelves":{"type":"object","propertyNames":{"enum":["left","right"]},"additionalProperties":{"type":"array","items":{"type":"string"}}},
		"any":{"type":"object"},
		"settings":{"type":"object","additionalProperties":{}},
		"notes":{"type":"object","additionalProperties":true}},
		"additionalProperties":{"type":"object","additionalProperties":{"type":"boolean"}}}`)
	b.goTo(k.url)
	b.part("#/tools/stock", "article h2", "stock")
	b.shows("[data-name=counts] .kind", "integer by name")
	if got := b.value("[data-name=labels] .member textarea") + b.value("[data-name=labels] .grow textarea"); got != "shelfleft" {
		t.Errorf("the default is %q", got)
	}
	b.run(`document.querySelector("[data-name=counts] button").focus()`)
	b.enter() // which adds an entry, and moves to its name
	b.press("cups	9007199254740993")
	b.click("button.primary", "Call")
	b.shows(".job[data-state=done] .tree", "9007199254740993")
	b.click("[data-name=counts] button", "+ entry")
	b.press("cups	1")
	b.click("button.primary", "Call")
	b.shows("[data-name=counts] .wrong", `"cups" is there twice`)
	b.run(`document.querySelectorAll("[data-name=counts] .member textarea")[1].value = "pots"; document.querySelectorAll("[data-name=counts] .grow input")[1].value = ""`)
	b.click("button.primary", "Call")
	b.shows("[data-name=counts] .wrong", `"pots" has no value`)
	b.run(`document.querySelectorAll("[data-name=counts] .row button")[1].click()`)
	b.click("[data-name=shelves] button", "+ entry")
	b.click("button.primary", "Call")
	b.shows("[data-name=shelves] .wrong", "a name is missing")
	b.press("right")
	b.click("[data-name=shelves] .row button", "+ item")
	b.press("tea")
	b.run(`document.querySelector(".results").replaceChildren()`)
	b.click("button.primary", "Call")
	b.shows(".job[data-state=done] .tree", "right: [ 1 ]")
	for _, name := range []string{"settings", "notes"} { // whose values are JSON
		b.shows("[data-name="+name+"] .kind", "values by name")
		b.click("[data-name="+name+"] button", "+ entry")
		b.press("colour	\"red\"")
	}
	b.run(`document.querySelector(".results").replaceChildren()`)
	b.click("button.primary", "Call")
	b.shows(".job[data-state=done] .tree", "colour: \"red\"")
	b.click("[data-name=notes] button", "+ entry")
	b.press("size	big")
	b.click("button.primary", "Call")
	b.shows("[data-name=notes] .wrong", "JSON")
	b.run(`document.querySelectorAll("[data-name=notes] .row button")[1].click()`)
	const whole = `{"counts":{"a b":1,"c":-2},"any":{"x":[1]},"settings":{"x":[1],"y":"2"},"others":{"yes":true}}`
	b.click("form.call button", "As JSON")
	b.setJSON(whole)
	b.click("form.call button", "As JSON") // it is a form now
	b.until(`document.querySelectorAll("[data-name=counts] .row").length === 2`)
	b.click("form.call button", "As JSON")
	if got := strings.ReplaceAll(strings.Join(strings.Fields(b.value("form.call .json")), ""), "ab", "a b"); got != whole {
		t.Errorf("as JSON again: %s", got)
	}
}

// testLines types texts of several lines, into arguments and into a form of the server.
func testLines(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	k.echo("write", "Writes.", `{"type":"object","properties":{"title":{"type":"string"},"body":{"type":"string","maxLength":5000}}}`)
	b.goTo(k.url)
	b.part("#/tools/write", "article h2", "write")
	b.run(`document.querySelector("[data-name=body] textarea").focus()`)
	b.press("one\rtwo")
	b.run(`document.querySelector("[data-name=title] textarea").focus()`)
	b.press("Short")
	b.enter() // calls
	b.shows(".job[data-state=done] .tree", `"one\ntwo"`)
	b.run(`const t = document.querySelector("[data-name=title] textarea"); t.value = "a\nb"; t.dispatchEvent(new Event("input")); t.setSelectionRange(3, 3)`)
	b.enter() // begins a line
	b.press("c")
	if got := b.value("[data-name=title] textarea"); got != "a\nb\nc" {
		t.Errorf("the title is %q", got)
	}
	if got := get(b, chromedp.Evaluate[int](`document.querySelector("[data-name=title] textarea").rows`)); got != 3 {
		t.Errorf("the title has %d rows", got)
	}
	b.run(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true}))`)
	b.shows(".job[data-state=done] .tree", `"a\nb\nc"`)
	b.part("#/prompts/toast", "article h2", "toast")
	b.run(`const i = document.querySelector("[data-name=guest] input"), d = new DataTransfer(); d.setData("text", "Ada\nAlan"); i.focus();
		i.dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, bubbles: true, cancelable: true}))`)
	b.click("button.primary", "Get")
	b.shows(".job[data-state=done]", "Raise a cup to Ada\nAlan")
}

// testTyped changes definitions while somebody types.
func testTyped(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	b.goTo(k.url)
	toast := func(description string, arguments ...mcp.PromptArgument) {
		k.RemovePrompts("toast")
		k.must(k.AddPrompt(mcp.Prompt{Name: "toast", Description: description, Arguments: arguments}, func(_ context.Context, _ *server.Call, args map[string]string) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Description: "to " + args["guest"]}, nil
		}))
	}
	b.part("#/prompts/toast", "article h2", "toast")
	b.run(`document.querySelector("[data-name=guest] input").value = "Grace"`)
	toast("Another one.", mcp.PromptArgument{Name: "place"}, mcp.PromptArgument{Name: "guest"})
	b.shows("article .description", "Another one.")
	if got := b.value("[data-name=guest] input"); got != "Grace" {
		t.Errorf("of the prompt's argument is left %q", got)
	}
	tea := func(description string) {
		k.RemoveTemplates("kitchen://teas/{name}")
		k.must(k.AddTemplate(mcp.ResourceTemplate{Name: "tea", URITemplate: "kitchen://teas/{name}", Description: description},
			func(uri string) (map[string]string, bool) { return nil, false },
			func(context.Context, *server.Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
				return nil, server.ErrNotFound
			}))
	}
	b.part("#/resources/kitchen%3A%2F%2Fteas%2F%7Bname%7D", "article h2", "tea")
	b.run(`document.querySelector("[data-name=name] input").value = "sencha"`)
	tea("Green.")
	b.shows("article .description", "Green.")
	if got := b.value("[data-name=name] input"); got != "sencha" {
		t.Errorf("of the template's argument is left %q", got)
	}

	const schema = `{"type":"object","properties":{"n":{"type":"integer"},"note":{"type":"string"}}}`
	k.echo("order2", "First.", schema)
	b.part("#/tools/order2", "article .description", "First.")
	b.run(`document.querySelector("[data-name=n] input").value = "5 or so"; document.querySelector("[data-name=note] textarea").value = "hot"`)
	k.echo("order2", "Second.", schema)
	b.shows("article .description", "Second.")
	if n, note := b.value("[data-name=n] input"), b.value("[data-name=note] textarea"); n != "5 or so" || note != "hot" {
		t.Errorf("of the arguments is left %q and %q", n, note)
	}
	k.echo("order2", "Third.", strings.Replace(schema, "integer", "boolean", 1))
	b.shows("article .description", "Third.")
	if note := b.value("[data-name=note] textarea"); note != "hot" {
		t.Errorf("of the arguments of another schema is left %q", note)
	}
	b.click("form.call button", "As JSON")
	b.setJSON(`{"note": "unfinished`)
	k.echo("order2", "Fourth.", schema)
	b.shows("article .description", "Fourth.")
	if got := b.value("form.call .json"); got != `{"note": "unfinished` {
		t.Errorf("of the JSON is left %q", got)
	}
}

// testVisit is asked to visit a page, and accepts or refuses.
func testVisit(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	k.tool(mcp.Tool{Name: "pay"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		r, err := c.Elicit(ctx, &mcp.ElicitRequestURLParams{Message: "Pay the tea", URL: "https://pay.example.com/tea?<b>", ElicitationID: "p1"})
		if err != nil {
			return nil, err
		}
		return server.TextResult("the guest chose " + string(r.Action)), nil
	})
	b.goTo(k.url)
	b.run(`window.open = (...args) => { window.opened = args.join(" "); }`)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		b.run(`const r = document.getElementById("revision"); r.value = "` + revision + `"; r.dispatchEvent(new Event("change"))`)
		b.part("#/tools/pay", "article h2", "pay")
		for _, test := range []struct{ button, action, opened string }{
			{"Decline", "decline", ""}, {"Cancel", "cancel", ""}, {"Open it", "accept", "https://pay.example.com/tea?<b> _blank noopener,noreferrer"},
		} {
			b.run(`window.opened = ""`)
			b.click("button.primary", "Call")
			b.shows("dialog[open]", "Pay the tea")
			b.shows("dialog strong", "pay.example.com")
			b.shows("dialog .address", "https://pay.example.com/tea?<b>")
			b.click("dialog button", test.button)
			b.until(`document.querySelector(".job").dataset.state !== "running"`)
			if got := get(b, chromedp.Evaluate[string](`window.opened`)); got != test.opened {
				t.Errorf("%s: %s: opened %q", revision, test.button, got)
			}
			got := get(b, chromedp.Evaluate[string](`document.querySelector(".job").innerText`))
			if !strings.Contains(got, "the guest chose "+test.action) && (test.action == "accept" || !strings.Contains(got, test.action)) {
				t.Errorf("%s: %s: got %s", revision, test.button, got)
			}
		}
	}
}

// testCopies copies a call, and runs what was copied.
func testCopies(t *testing.T, browser context.Context) {
	k, b := open(t), newTab(t, browser)
	k.tool(mcp.Tool{Name: "say", InputSchema: wire.Raw(`{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"},"list":{"type":"array","items":{"type":"integer"}}}}`)},
		func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult(string(args)), nil
		})
	b.goTo(k.url)
	b.run(`navigator.clipboard.writeText = async text => { window.copied = text; }`)
	b.part("#/tools/say", "article h2", "say")
	b.click("form.call button", "As JSON")
	const arguments = `{"text":"it's ` + "`5`" + ` $HOME","n":9007199254740993,"list":[1,9007199254740995]}`
	b.setJSON(arguments)
	copied := func(button string) string {
		b.run(`window.copied = ""`)
		b.click(".copies button", button)
		b.until(`window.copied !== ""`)
		b.shows("#notice", "Copied")
		return get(b, chromedp.Evaluate[string](`window.copied`))
	}
	if got := strings.ReplaceAll(strings.ReplaceAll(copied("JSON"), "\n", ""), "  ", ""); got != `{"name": "say","arguments": {"text": "it's `+"`5`"+` $HOME","n": 9007199254740993,"list": [1,9007199254740995]}}` {
		t.Errorf("as JSON: %s", got)
	}
	command, program := copied("command"), copied("Go")
	b.click("button.primary", "Call")
	b.shows(".job[data-state=done]", "9007199254740995")
	b.run(`window.copied = ""`)
	b.click(".job button", "Copy result")
	b.until(`window.copied.includes("9007199254740995")`)
	b.part("#/", ".overview", "Connect a client")
	for i := range 6 {
		b.run(`window.copied = ""; document.querySelectorAll(".snippet")[` + string(rune('0'+i)) + `].open = true`)
		b.run(`document.querySelectorAll(".snippet button")[` + string(rune('0'+i)) + `].click()`)
		b.until(`window.copied.includes("/mcp")`)
	}
	if testing.Short() {
		return
	}
	dir := t.TempDir()
	k.must(os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o666))
	build := exec.Command("go", "build", "-o", dir, ".")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, cmd := range map[string]*exec.Cmd{
		"command": exec.CommandContext(b.ctx, "sh", "-c", command), "Go": exec.CommandContext(b.ctx, "go", "run", filepath.Join(dir, "main.go")),
	} {
		cmd.Dir = ".."
		cmd.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
		var got, want any
		decode := func(text string, into *any) {
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			k.must(d.Decode(into))
		}
		decode(string(out), &got)
		decode(arguments, &want)
		if a, b := shownAs(t, got), shownAs(t, want); a != b {
			t.Errorf("%s: the server received %s, want %s", name, a, b)
		}
	}
}

// shownAs returns a value as JSON.
func shownAs(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
