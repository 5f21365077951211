package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnBindings runs the commands of docs/own-bindings.md, one after the other.
func TestOwnBindings(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(repository, "docs", "own-bindings.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	commands := 0
	for line := range strings.Lines(string(doc)) {
		if args, ok := strings.CutPrefix(line, "go tool mcpgen "); ok {
			mcpgen(t, strings.Fields(args)...)
			commands++
		}
	}
	folders, err := filepath.Glob("*")
	if got := strings.Join(folders, " "); err != nil || commands != 4 || got != "mcp20250618 mcp20260728 protocol" {
		t.Errorf("%d commands made %s, %v", commands, got, err)
	}
}
