package main

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestStartServer starts what is no server.
func TestStartServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs the program true")
	}
	dir := t.TempDir()
	if _, err := startServer(t.Context(), filepath.Join(dir, "absent")); err == nil {
		t.Error("an absent program is started")
	}
	if _, err := startServer(t.Context(), "true"); err == nil || !strings.Contains(err.Error(), "does not say") {
		t.Errorf("a program that prints nothing: %v", err)
	}
}
