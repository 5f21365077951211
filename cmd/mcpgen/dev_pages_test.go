package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Files of pages are watched, also where their folder is that of the package, and where the page has mistakes.
func TestPageFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[project") // which is no pattern
	for name, text := range map[string]string{
		"a.go": "package p\n\n//mcp:tool\n//mcp:app file=ui/chart csp.connect=https://a.example\nfunc F() {}\n\n//mcp:tool\n//mcp:app visibility=app\nfunc G() {}\n",
		"b.go": "package p\n\n//mcp:tool\n//mcp:app visibility=app file=page.html\nfunc H() {}\n", "c.go": "package p\n\n//mcp:tool\n//mcp:app file=gone/page.html\nfunc I() {}\n",
		"ui/chart/index.html": "", "ui/chart/main.ts": "", "ui/other.ts": "", "page.html": "", "style.css": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, file := range pageFiles(dir) {
		below, err := filepath.Rel(dir, file)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(below))
	}
	slices.Sort(got)
	if want := []string{"page.html", "style.css", "ui/chart/index.html", "ui/chart/main.ts"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
