package goroot

import (
	"os"
	"path/filepath"
	"testing"
)

// The sources of the standard library are there, even if this test was built with -trimpath.
func TestDir(t *testing.T) {
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "src", "net", "http", "server.go")); err != nil {
		t.Error(err)
	}
}

// Without a go command there is no folder, and none that is relative to the one of the program. When
// there is a go command again, it is found.
func TestDirWithoutGo(t *testing.T) {
	before := found.Swap(nil)
	t.Cleanup(func() { found.Store(before) })
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	if dir, err := Dir(); err == nil {
		t.Errorf("found %q", dir)
	}
	t.Setenv("PATH", path)
	if _, err := Dir(); err != nil {
		t.Error(err)
	}
}
