package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/testenv"
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

// TestClientsCommands runs the commands of docs/clients.md with a server of the tests in place of those that it names.
func TestClientsCommands(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(repository, "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	s := newConsoleHTTP(t)
	commands := 0
	for line := range strings.Lines(string(doc)) {
		line, ok := strings.CutPrefix(line, "go tool mcpgen ")
		if !ok {
			continue
		}
		line = strings.Replace(line, "https://mcp.example.com/mcp", s.URL, 1)
		line = strings.Replace(line, "npx -y @modelcontextprotocol/server-everything", self+" "+asServer, 1)
		mcpgen(t, strings.Fields(line)...)
		commands++
	}
	if commands != 4 {
		t.Errorf("there are %d commands, want 4", commands)
	}
}

// TestClientsCode compiles the code of docs/clients.md, beside the client that it uses, and runs its test.
func TestClientsCode(t *testing.T) {
	testenv.Long(t) // it compiles and vets a module
	guide, err := txtar.ParseFile("testdata/guide/clients.txtar")
	if err != nil {
		t.Fatal(err)
	}
	transcript, err := txtar.ParseFile("testdata/client.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	writeModule(t, dir, "example.com/reports")
	for _, f := range append(guide.Files, transcript.Files[0]) {
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"gen.go", "tracker/gen.go"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(filepath.Join(dir, filepath.Dir(file)))
		_, args, _ := strings.Cut(string(text), "//go:generate go tool mcpgen ")
		mcpgen(t, strings.Fields(args)...)
	}
	goCommand(t, dir, "vet", "./...")
	goCommand(t, dir, "test", "./...")
}
