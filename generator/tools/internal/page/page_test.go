package page_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/tools/internal/page"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestRead reads the pages of testdata. The comment of an archive names the page; its last file is what comes of it: the
// document, what it needs from elsewhere, the files that it was made of, or what is wrong.
func TestRead(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatal(archives, err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			want := ""
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				file := filepath.Join(dir, filepath.FromSlash(f.Name))
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			got := shown(t, dir, strings.TrimSpace(string(archive.Comment)))
			if again := shown(t, dir, strings.TrimSpace(string(archive.Comment))); got != again {
				t.Errorf("a second time: %s", cmp.Diff(got, again))
			}
			if *update {
				archive.Files[len(archive.Files)-1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func shown(t *testing.T, dir, file string) string {
	t.Helper()
	p, err := page.Read(dir, file)
	if err != nil {
		return "error: " + strings.ReplaceAll(err.Error(), dir, "DIR") + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: as it is: %t\n", p.File, p.HTML == nil)
	b.Write(p.HTML)
	for _, need := range p.Needs {
		fmt.Fprintf(&b, "needs %s: %s, a frame: %t\n", need.Origin, need.By, need.Frame)
	}
	for _, s := range p.Sources {
		below, err := filepath.Rel(dir, s)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "of %s\n", filepath.ToSlash(below))
	}
	return b.String()
}

// TestLarge reads files that are too large, alone and together.
func TestLarge(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, size int) {
		text := "<!doctype html><img src=a.png><img src=b.png>"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+strings.Repeat(" ", size-len(text))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read := func(want string) {
		t.Helper()
		_, err := page.Read(dir, "page.html")
		if got := fmt.Sprint(err); got != want {
			t.Errorf("got %s", got)
		}
	}
	write("a.png", page.MaxBytes/2)
	write("b.png", page.MaxBytes/4)
	write("page.html", page.MaxBytes+1)
	read("page.html: want at most 2097152 bytes, got 2097153")
	write("page.html", 100)
	read("page.html: want at most 2097152 bytes with all that belongs to it, got 2097294")
	write("a.png", page.MaxBytes/2-1000)
	read("<nil>")
	write("a.png", page.MaxBytes+1)
	read("page.html:1: <img>: a.png: want at most 2097152 bytes, got 2097153")
}
