package browsertest

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
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
	if out, err := exec.Command("go", "run", "..", "docs", "-playground", "-out", dir).CombinedOutput(); err != nil {
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
		b.goTo("file://" + filepath.ToSlash(page))
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
	t.Run("playground", func(t *testing.T) { playground(t, open, look, filepath.Join(dir, "playground.html")) })
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
