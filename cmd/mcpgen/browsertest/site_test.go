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
	if out, err := exec.Command("go", "run", "-C", "../../../site", ".", "-out", dir).CombinedOutput(); err != nil {
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
				for _, name := range []string{"index", "docs/start", "docs/features", "revisions/2025-11-25-2026-07-28"} {
					look(b, wrong, filepath.Join(dir, name+".html"))
					if texts := get(b, chromedp.Evaluate[string](faint)); texts != "" {
						t.Errorf("%s is hard to read: %s", name, texts)
					}
					b.screenshot("site-" + strings.ReplaceAll(name, "/", "-") + "-" + t.Name()[len("TestSite/"):])
				}
			})
		}
	}
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
