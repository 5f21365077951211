package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// TestBaseOf has folders of which git knows nothing, or not enough.
func TestBaseOf(t *testing.T) {
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	outside, broken, fresh, full := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	t.Chdir(broken)
	commit(t, []string{"init", "-q"})
	write(broken, ".git/config", "[core]\nrepositoryformatversion = 99\n")
	t.Chdir(fresh)
	commit(t, []string{"init", "-q"})
	t.Chdir(full)
	commit(t, []string{"init", "-q"})
	write(full, tools.LockFile, "{\r\n}\r\n")
	write(full, "other", "")
	commit(t, []string{"-c", "core.autocrlf=false", "add", "."})
	commit(t, []string{"commit", "-q", "-m", "first"})
	if err := os.Mkdir("below", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, dir, ref string
		shown          string // how it begins
		known          bool   // whether something was released is known
		lock           string
		err            string
	}{
		{name: "outside", dir: outside, shown: "it was written"},
		{name: "outside, with a ref", dir: outside, ref: "v1", err: "-base v1: git finds no such commit: git rev-parse: fatal: not a git repository"},
		{name: "broken", dir: broken, shown: "it was written; git knows no more: git rev-parse: fatal: "},
		{name: "no commit", dir: fresh, shown: "the first commit", known: true},
		{name: "lock file", dir: full, shown: "HEAD, for lack of a tag", known: true, lock: "{\n}\n"},
		{name: "no lock file", dir: filepath.Join(full, "below"), shown: "HEAD, for lack of a tag", known: true},
		{name: "ref", dir: full, ref: "HEAD", shown: "HEAD", known: true, lock: "{\n}\n"},
		{name: "ref of no commit", dir: full, ref: "HEAD:other", err: "-base HEAD:other: git finds no such commit: git rev-parse: fatal: "},
	} {
		b, err := baseOf(test.dir, test.ref)
		if test.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("%s: got %v, want %s", test.name, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if !strings.HasPrefix(b.shown, test.shown) || (b.lock != nil) != test.known || (b.ref != "") != test.known || b.lock != nil && string(b.lock.Lock) != test.lock {
			t.Errorf("%s: got %q, %+v", test.name, b.shown, b.lock)
		}
	}
	for _, c := range []struct{ tag, server, test string }{{"v1.0.0", "1.0.0", "0.9.0"}, {"v2.0.0", "", "0.9.0"}} {
		server := "package p\n"
		if c.server != "" {
			server = "//mcp:server name=p version=" + c.server + "\npackage p\n"
		}
		write(full, "a_test.go", "//mcp:server name=p version="+c.test+"\npackage p\n")
		write(full, "b.go", server)
		commit(t, []string{"add", "."})
		commit(t, []string{"commit", "-q", "-m", c.tag})
		commit(t, []string{"tag", c.tag})
		b, err := baseOf(full, "")
		if err != nil || b.ref != c.tag || b.shown != c.tag+", the last tag" || b.lock.Version != c.server {
			t.Errorf("%s: %+v, %v", c.tag, b, err)
		}
	}
	if err := os.Remove(tools.LockFile); err != nil {
		t.Fatal(err)
	}
	write(full, "below/"+tools.LockFile, "{}\n")
	if err := os.Rename("below", tools.LockFile); err != nil {
		t.Fatal(err)
	}
	commit(t, []string{"add", "-A"})
	commit(t, []string{"commit", "-q", "-m", "folder"})
	if b, err := baseOf(full, "HEAD"); err != nil || b.lock.Lock != nil {
		t.Errorf("a folder called %s: %+v, %v", tools.LockFile, b, err)
	}
	if err := os.Mkdir("below", 0o777); err != nil {
		t.Fatal(err)
	}
	commit(t, []string{"tag", "-d", "v1.0.0", "v2.0.0"})
	t.Setenv("GIT_DIR", ".git") // as git sets it for hooks, from where the folder of a package has none
	if b, err := baseOf(filepath.Join(full, "below"), ""); err != nil || b.shown != "HEAD, for lack of a tag" {
		t.Errorf("in a hook: %+v, %v", b, err)
	}
	t.Setenv("PATH", "")
	if b, err := baseOf(full, ""); err != nil || b.lock != nil || b.shown != "it was written" {
		t.Errorf("without git: %+v, %v", b, err)
	}
	if _, err := baseOf(full, "HEAD"); err == nil || !strings.Contains(err.Error(), "executable file not found") {
		t.Errorf("without git, with a ref: %v", err)
	}
}
