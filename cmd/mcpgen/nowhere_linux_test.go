package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNowhere runs commands in a folder that somebody has removed: they say so, and do nothing.
func TestNowhere(t *testing.T) {
	hello := filepath.Join(t.TempDir(), "hello")
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	const want = "getwd: no such file or directory"
	for _, args := range []string{
		"init hello", "init " + hello, "init -replace mcpgen " + hello, "docs", "client -out a -check", "schema verify schema.ts", "schema adopt schema.ts",
		"diff ui ui.ts", "diff 2025-06-18 a.ts", "dump -schema schema.ts", "bindings -schema schema.ts", "tools", "check", "publish",
	} {
		var stdout, stderr strings.Builder
		if code := run(strings.Fields(args), &stdout, &stderr); code != 2 || stdout.String() != "" || stderr.String() != "mcpgen: "+want+"\n" {
			t.Errorf("%s: exit code %d, printed %q and %q", args, code, stdout.String(), stderr.String())
		}
	}
	if _, err := os.Stat(hello); err == nil {
		t.Error("init has written a folder")
	}
	if _, err := lockFile("r.json"); err == nil || err.Error() != want {
		t.Errorf("a lock: %v", err)
	}
	if roots := devRoots(); len(roots) > 0 {
		t.Errorf("a page tells servers the roots %+v", roots)
	}
}
