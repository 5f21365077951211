package browsertest

import (
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// complaints collects what the browser says is wrong with a page: exceptions, errors in the console, violations of its policy.
type complaints struct {
	sync.Mutex
	all []string
}

func (c *complaints) listen(ev any) {
	c.Lock()
	defer c.Unlock()
	switch ev := ev.(type) {
	case *log.EventEntryAdded:
		c.all = append(c.all, ev.Entry.Text+" "+ev.Entry.URL)
	case *runtime.EventExceptionThrown:
		c.all = append(c.all, ev.ExceptionDetails.Text+" "+ev.ExceptionDetails.URL)
	case *runtime.EventConsoleAPICalled:
		c.all = append(c.all, "console."+string(ev.Type))
	}
}

// take returns what was collected, and forgets it.
func (c *complaints) take() string {
	c.Lock()
	defer c.Unlock()
	defer func() { c.all = nil }()
	return strings.Join(c.all, "; ")
}

// TestSite opens every page of the documentation's site on a phone, from files, and some on a screen.
func TestSite(t *testing.T) {
	browser := startBrowser(t)
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "-C", "../../..", "./cmd/mcpgen", "docs", "-playground", "-out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var pages []string
	if err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if filepath.Ext(name) == ".html" {
			pages = append(pages, name)
		}
		return err
	}); err != nil || len(pages) < 50 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	open := func(t *testing.T) (tab, *complaints) {
		b, wrong := newTab(t, browser), &complaints{}
		if err := chromedp.Listen(b.ctx, wrong.listen); err != nil {
			t.Fatal(err)
		}
		return b, wrong
	}
	look := func(b tab, wrong *complaints, page string) {
		b.Helper()
		url := "file://" + filepath.ToSlash(page)
		b.goTo(url)
		b.until(fmt.Sprintf(`document.readyState === "complete" && location.href.startsWith(%q)`, url))
		if n := b.number(overflow); n > 0 {
			b.Errorf("%s is %d pixels wider than the window", page, n)
		}
		if said := wrong.take(); said != "" {
			b.Errorf("%s: %s", page, said)
		}
	}
	t.Run("phone", func(t *testing.T) {
		b, wrong := open(t)
		b.viewport(390, 800, true, false)
		for _, page := range pages {
			look(b, wrong, page)
			if get(b, chromedp.Evaluate[bool](`document.getElementById("pages").open`)) {
				t.Errorf("%s: the list of pages is open", page)
			}
		}
	})
	for _, device := range []struct {
		name  string
		width int64
	}{{"phone", 390}, {"tablet", 1000}, {"screen", 1500}} {
		for scheme, dark := range map[string]bool{"light": false, "dark": true} {
			t.Run(device.name+"-"+scheme, func(t *testing.T) {
				b, wrong := open(t)
				b.viewport(device.width, 900, device.width == 390, dark)
				for _, name := range []string{"index", "playground", "docs/start", "docs/features", "revisions/2025-11-25-2026-07-28"} {
					look(b, wrong, filepath.Join(dir, name+".html"))
					if texts := get(b, chromedp.Evaluate[string](faint)); texts != "" {
						t.Errorf("%s is hard to read: %s", name, texts)
					}
					b.screenshot("site-" + strings.ReplaceAll(name, "/", "-") + "-" + t.Name()[len("TestSite/"):])
				}
			})
		}
	}
	t.Run("axe", func(t *testing.T) { axe(t, open, look, pages, dir) })
	t.Run("playground", func(t *testing.T) { playground(t, open, look, filepath.Join(dir, "playground.html")) })
	t.Run("keyboard", func(t *testing.T) {
		b, wrong := open(t)
		b.viewport(390, 800, true, false)
		look(b, wrong, filepath.Join(dir, "docs", "revision-matrix.html"))
		if scrolls := get(b, chromedp.Evaluate[bool](`(box => box.scrollWidth > box.clientWidth && box.tabIndex === 0)(document.querySelector(".table"))`)); !scrolls {
			t.Error("the matrix does not scroll inside its box, or not by the keyboard")
		}
		b.key("Tab", "Tab", "", 9)
		const seen = `(e => e.matches(":focus-visible") && getComputedStyle(e).outlineStyle !== "none" && e.getBoundingClientRect().left >= 0)(document.activeElement)`
		b.until(`document.activeElement.textContent === "Skip to the text" && ` + seen)
		b.enter()
		b.until(`location.hash === "#text"`)
		b.key("Tab", "Tab", "", 9)
		b.until(`document.activeElement.closest("article") && ` + seen)
		if said := wrong.take(); said != "" {
			t.Error(said)
		}
	})
	t.Run("search", func(t *testing.T) {
		b, wrong := open(t)
		b.viewport(390, 800, true, false)
		look(b, wrong, filepath.Join(dir, "docs", "start.html"))
		b.key("/", "Slash", "/", 191)
		b.until(`document.activeElement.id === "query" && document.activeElement.value === ""`)
		b.press("how do I add authorization?")
		b.until(`document.querySelector("#found a strong")?.textContent === "How do I add authorization to a server?"`)
		if n := b.number(overflow); n > 0 {
			t.Errorf("what is found is %d pixels wider than the window", n)
		}
		b.screenshot("site-search")
		b.enter()
		b.until(`location.pathname.endsWith("/docs/authorization.html")`)
		if said := wrong.take(); said != "" {
			t.Error(said)
		}
	})
}

// axe has axe-core look for what keeps people out: at what differs from page to page, on every eighth page, or on all if
// MCPGEN_FULL asks for them; and on some pages at all.
func axe(t *testing.T, open func(*testing.T) (tab, *complaints), look func(tab, *complaints, string), pages []string, dir string) {
	script := axeSource(t)
	step := 8
	if testenv.Full() {
		step = 1
	}
	var chosen []string
	for i := 0; i < len(pages); i += step {
		chosen = append(chosen, pages[i])
	}
	for some := range slices.Chunk(chosen, 40) { // a tab has its time
		b, wrong := open(t)
		b.viewport(390, 800, true, false)
		for _, page := range some {
			look(b, wrong, page)
			b.accessible(script, page, ofContent)
		}
	}
	for scheme, dark := range map[string]bool{"light": false, "dark": true} {
		b, wrong := open(t)
		for _, width := range []int64{390, 1500} {
			b.viewport(width, 800, width == 390, dark)
			for _, name := range []string{"index", "docs/start", "docs/revisions", "mistakes/tool", "revisions/2024-11-05-2025-03-26"} {
				look(b, wrong, filepath.Join(dir, name+".html"))
				b.accessible(script, name+", "+scheme, "{}")
			}
			b.run(`document.getElementById("query").focus()`)
			b.press("authorization")
			b.until(`document.querySelectorAll("#found a").length > 3`)
			b.accessible(script, "what is found, "+scheme, "{}")
			look(b, wrong, filepath.Join(dir, "playground.html"))
			b.shows("#tools summary strong", "forecast")
			b.accessible(script, "the playground, "+scheme, "{}")
		}
	}
}

// playground types in the playground, and opens the link to what was typed.
func playground(t *testing.T, open func(*testing.T) (tab, *complaints), look func(tab, *complaints, string), page string) {
	link := ""
	for scheme, dark := range map[string]bool{"light": false, "dark": true} {
		b, wrong := open(t)
		b.viewport(390, 800, true, dark)
		look(b, wrong, page)
		b.shows("#tools summary strong", "forecast")
		b.until(`document.querySelectorAll("#tools pre").length === 3`)
		b.shows("#status", "1 tool, about ")
		b.shows("#result", `days: want an integer of at most 14, got 20`)
		b.shows("#result", `unit: want one of "celsius", "fahrenheit", got "kelvin"`)
		for _, revision := range []string{"2024-11-05", "2026-07-28"} {
			b.run(`const list = document.getElementById("revision"); list.value = "` + revision + `"; list.dispatchEvent(new Event("change"))`)
			b.shows("#tools", "tools/list, "+revision)
			if has := get(b, chromedp.Evaluate[bool](`document.querySelector("#tools details").innerText.split("tools/list")[1].includes("outputSchema")`)); has != (revision != "2024-11-05") {
				t.Errorf("in %s a tool has an output schema: %t", revision, has)
			}
		}
		settled := func(what string) {
			t.Helper()
			if n := b.number(overflow); n > 0 {
				t.Errorf("%s, the page is %d pixels wider than the window", what, n)
			}
			if texts := get(b, chromedp.Evaluate[string](faint)); texts != "" {
				t.Errorf("%s, it is hard to read: %s", what, texts)
			}
			if said := wrong.take(); said != "" {
				t.Errorf("%s: %s", what, said)
			}
			b.screenshot("playground-" + strings.ReplaceAll(what, " ", "-") + "-" + scheme)
		}
		settled("with a tool")
		b.run(`const list = document.getElementById("arguments"); list.value = '{"city": "Oslo", "unit": "celsius"}'; list.dispatchEvent(new Event("input"))`)
		b.shows("#result", "The arguments are valid.")

		b.run(`const source = document.getElementById("source"); source.focus(); source.setSelectionRange(source.value.length, source.value.length)`)
		b.press("//mcp:tool readony\rfunc Other(c chan int) {}\r")
		b.shows("#problems", "tools.go:30:12: //mcp:tool: there is no readony; did you mean readonly?")
		b.shows("#status", "2 problems:")
		settled("with problems")
		b.click("#problems button", "readony")
		b.until(`document.activeElement.id === "source" && document.activeElement.value.slice(document.activeElement.selectionStart).startsWith("readony")`)
		b.until(`document.getElementById("link").href === location.href && location.hash.startsWith("#code=")`)
		link = get(b, chromedp.Evaluate[string](`location.href`))
	}
	b, wrong := open(t)
	b.goTo(link)
	b.shows("#problems", "there is no readony")
	b.until(`document.getElementById("source").value.endsWith("func Other(c chan int) {}\n")`)
	b.until(`document.getElementById("arguments").value === '{"city": "Oslo", "unit": "celsius"}'`)
	b.goTo("about:blank")
	b.goTo(link[:len(link)-20])
	b.until(`document.getElementById("status").textContent.includes("1 tool") || document.getElementById("status").textContent.startsWith("The link is broken")`)
	if said := wrong.take(); said != "" {
		t.Error(said)
	}
}
