package goroot

import (
	"os"
	"path/filepath"
	"testing"
)

// The sources of the standard library are there, even if this test was built with -trimpath.
func TestDir(t *testing.T) {
	if _, err := os.Stat(filepath.Join(Dir(), "src", "net", "http", "server.go")); err != nil {
		t.Error(err)
	}
}
