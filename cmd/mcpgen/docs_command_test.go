package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
)

// TestDocs serves the documentation of this checkout until it is interrupted, and leaves no files.
func TestDocs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Chdir(repository)
	read, write := io.Pipe()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	ended := make(chan error, 1)
	go func() {
		d := &docsCommand{addr: "localhost:0"}
		ended <- d.run(ctx, console.NewPrinter(write, func(string) string { return "" }))
		write.Close()
	}()
	said := make([]byte, 200)
	n, err := read.Read(said)
	_, address, ok := strings.Cut(string(said[:n]), "is at ")
	address, _, _ = strings.Cut(address, ";")
	if err != nil || !ok {
		t.Fatalf("it said %q, %v, and ended with %v", said[:n], err, <-ended)
	}
	for name, want := range map[string]string{
		"": "<h1", "docs/tools.md": "# ", "revisions/2025-11-25-2026-07-28.html": "Progress", "pages.js": "const pages = ", "llms.txt": "](docs/tools.md)",
	} {
		r, err := http.Get(address + name)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if r.StatusCode != http.StatusOK || err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, %v, without %q", name, r.Status, err, want)
		}
	}
	interrupt()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// TestDocsNowhere has no files to make the documentation of, and is asked for what contradicts itself.
func TestDocsNowhere(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"docs":                          "mcpgen: this mcpgen is no release, whose documentation the go command has; run 'mcpgen docs' in a checkout of mcpgen\n",
		"docs -http example.com:80":     `mcpgen: flag -http cannot be "example.com:80": want localhost or another address of this machine alone, since nobody has to log in`,
		"docs -http localhost:0 -out x": "mcpgen: if any flags in the group [http out] are set none of the others can be",
		"docs tools":                    `mcpgen: one argument too many: "tools"`,
	} {
		var stdout, stderr bytes.Buffer
		if code := run(strings.Fields(args), &stdout, &stderr); code != 2 || !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("mcpgen %s: exit code %d, %s", args, code, stderr.Bytes())
		}
	}
	t.Chdir(repository)
	t.Setenv("TMPDIR", "/absent")
	var stderr bytes.Buffer
	if code := run([]string{"docs"}, io.Discard, &stderr); code != 2 || !strings.Contains(stderr.String(), "absent") || strings.Contains(stderr.String(), "is at") {
		t.Errorf("no folder: exit code %d, %s", code, stderr.String())
	}
}
