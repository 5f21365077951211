package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// diffPage writes the page of a difference, and returns its URL.
func diffPage(t *testing.T, older, newer string) string {
	t.Helper()
	cmd := exec.Command("go", "run", ".", "diff", "-format=html", older, newer)
	cmd.Dir = ".."
	html, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	file := filepath.Join(t.TempDir(), "diff.html")
	if err := os.WriteFile(file, html, 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(file)
}

// The expressions of the tests.
const (
	overflow = `document.documentElement.scrollWidth - document.documentElement.clientWidth`
	shown    = `Array.from(document.querySelectorAll("details")).filter(row => row.offsetHeight > 0).length`
	all      = `document.querySelectorAll("details").length`
	fetched  = `performance.getEntriesByType("resource").length`
	// faint counts the texts that hardly stand out from what is behind them (WCAG 2.2, 1.4.3).
	faint = `(() => {
		const parts = colour => colour.match(/[\d.]+/g).map(Number);
		const light = colour => parts(colour).slice(0, 3).map(v => v / 255)
			.map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
		const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (parts(c)[3] !== 0) return c; } return "rgb(255, 255, 255)"; };
		const bad = [];
		for (const e of document.querySelectorAll("h1, p, p span, .name, .tag, .cell, li code, .why, figcaption, pre span, .none, input, select, label, button, summary, time, .chip, .about, .quiet, .kind, h2, h3, h4, dt, dd, mark, .state")) {
			const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((a, b) => b - a);
			if ((a + .05) / (b + .05) < 4.5) bad.push(e.className + " " + e.textContent.slice(0, 20));
		}
		return Array.from(new Set(bad)).join("; ");
	})()`
)

// filter sets the controls of the page.
func (t tab) filter(words, what, kind string) {
	t.Helper()
	t.do(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = chromedp.Evaluate[bool](fmt.Sprintf(`(() => {
			for (const [id, value] of Object.entries({words: %q, what: %q, kind: %q})) {
				const control = document.getElementById(id);
				control.value = value;
				control.dispatchEvent(new Event("input"));
			}
			return true;
		})()`, words, what, kind))(ctx, target)
		return none, err
	})
}

func (t tab) number(expression string) int {
	t.Helper()
	return get(t, chromedp.Evaluate[int](expression))
}

// TestPage tries the page on a phone and on a screen, light and dark.
func TestPage(t *testing.T) {
	browser := startBrowser(t)
	url := diffPage(t, "2024-11-05", "2026-07-28")
	for _, device := range []struct {
		name   string
		width  int64
		phone  bool
		beside bool // the declarations
	}{{"phone", 390, true, false}, {"screen", 1280, false, true}} {
		for _, dark := range []bool{false, true} {
			name := device.name
			if dark {
				name += "-dark"
			}
			t.Run(name, func(t *testing.T) {
				b := newTab(t, browser)
				b.viewport(device.width, 900, device.phone, dark)
				b.goTo(url)
				rows, changed := b.number(all), b.number(shown)
				if changed == 0 || changed >= rows {
					t.Errorf("at first %d rows of %d are shown, want those that changed", changed, rows)
				}
				b.filter("", "", "")
				if n := b.number(shown); n != rows {
					t.Errorf("%d rows of %d are shown, want all", n, rows)
				}
				b.filter("", "breaking", "")
				if n := b.number(shown); n == 0 || n >= changed {
					t.Errorf("%d rows are shown, want those of %d that break", n, changed)
				}
				b.filter("ELICIT create", "", "method")
				if n := b.number(shown); n != 1 {
					t.Errorf("%d rows are shown, want elicitation/create alone", n)
				}
				b.filter("tool", "changed", "")
				b.do(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
					_, err = chromedp.Evaluate[bool](`document.querySelectorAll("details").forEach(row => row.open = row.dataset.words.startsWith("tool ") || row.dataset.words.startsWith("tools/call")), true`)(ctx, target)
					return none, err
				})
				sides := `(() => { const [a, b] = Array.from(document.querySelectorAll("[open] figure")).map(f => f.getBoundingClientRect()); return a.top === b.top })()`
				if got := get(b, chromedp.Evaluate[bool](sides)); got != device.beside {
					t.Errorf("the declarations stand side by side: %v, want %v", got, device.beside)
				}
				if n := b.number(overflow); n > 0 {
					t.Errorf("the page is %d pixels wider than the window", n)
				}
				if texts := get(b, chromedp.Evaluate[string](faint)); texts != "" {
					t.Errorf("hard to read: %s", texts)
				}
				if n := b.number(fetched); n != 0 {
					t.Errorf("the page fetches %d resources", n)
				}
				b.screenshot(name)
			})
		}
	}
}
