package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	typed "github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/mcp"
)

// TestClient makes a client of a server over HTTP, of the same one over standard input and output, and of what inspect
// prints of it: all are the same. Then the server has changed.
func TestClient(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	s := newConsoleHTTP(t)
	const summary = "package shop: 8 tools, 1 prompt: mcp_client_gen.go and mcp.client.lock.json written"
	if got := mcpgen(t, "client", "-url", s.URL, "-header", "X-Test: 1", "-out", "http/shop"); !strings.HasPrefix(got, summary) {
		t.Errorf("over HTTP: %s", got)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got := mcpgen(t, "client", "-revision", "2025-06-18", "-out", "stdio/shop", "--", self, asServer); !strings.HasPrefix(got, summary) {
		t.Errorf("over standard input and output: %s", got)
	}
	if err := os.WriteFile("all.json", []byte(mcpgen(t, "inspect", "-json", "-url", s.URL)), 0o666); err != nil {
		t.Fatal(err)
	}
	mcpgen(t, "client", "all.json", "-out", "file/shop")
	for _, name := range []string{"mcp_client_gen.go", "mcp.client.lock.json"} {
		want := readFile(t, filepath.Join("http/shop", name))
		for _, other := range []string{"stdio/shop", "file/shop"} {
			if readFile(t, filepath.Join(other, name)) != want {
				t.Errorf("%s differs in %s", name, other)
			}
		}
	}
	lock := filepath.Join("http/shop", "mcp.client.lock.json")
	if got := mcpgen(t, "client", "-check", "-url", s.URL, "-out", "http/shop"); got != "" {
		t.Errorf("the server differs from itself:\n%s", got)
	}
	edited := strings.Replace(readFile(t, lock), `    "escape": {
      "description": "Tries to clear the screen",
      "input": {"type": "object", "additionalProperties": false}
    },
`, "", 1)
	if err := os.WriteFile(lock, []byte(edited), 0o666); err != nil {
		t.Fatal(err)
	}
	mcpgen(t, "client", "-out", "http/shop")
	// What only a server has new is no reason to fail.
	if got := mcpgen(t, "client", "-check", "-all", "-url", s.URL, "-out", "http/shop"); !strings.HasSuffix(got,
		"tool escape: added\nnothing breaks the client; mcpgen client adds what is new\n") {
		t.Errorf("got %s", got)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPackageName names a package like those that are in a folder, or else after the folder.
func TestPackageName(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "full", "a.go"), "package other\n")
	write(t, filepath.Join(dir, "several", "a.go"), "package a\n")
	write(t, filepath.Join(dir, "several", "b.go"), "package b\n")
	for name, want := range map[string]string{
		"full": "other", "Shop": "shop", "my-shop_2": "myshop_2", "2nd": "client2nd", "...x": "x", "--": "client", "épicerie": "épicerie",
	} {
		if got, err := packageName(filepath.Join(dir, name)); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
	if _, err := packageName(filepath.Join(dir, "several")); err == nil || !strings.HasSuffix(err.Error(), "several: it has the packages a and b: say which, by -package") {
		t.Errorf("several packages: %v", err)
	}
}

// TestSameServer keeps the client of one server from becoming that of another.
func TestSameServer(t *testing.T) {
	server := func(name, tool string) *typed.Lock {
		return &typed.Lock{Contract: &typed.Contract{Server: mcp.Implementation{Name: name}, Tools: []mcp.Tool{{Name: tool}}}}
	}
	for _, test := range []struct {
		was, is *typed.Lock
		fails   string
	}{
		{server("a", "x"), server("a", "x"), ""},
		{server("a", "x"), server("", "x"), ""},
		{server("", "x"), server("a", "x"), ""},
		{server("a", "x"), server("b", "x"), `is that of a client for "a", and a folder has one client: choose another folder for "b"`},
		{server("", "x"), server("a", "y"), "is that of a client for another server, with nothing in common with file"},
		{nil, server("a", "y"), ""},
	} {
		err := (&clientFolder{lock: test.was}).sameServer(&clientSource{Lock: test.is, shown: "file"})
		if (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%+v, %+v: %v", test.was, test.is, err)
		}
	}
}
