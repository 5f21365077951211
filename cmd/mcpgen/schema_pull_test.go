package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSchemaPull downloads from a local server. Nothing is left of a download that fails.
func TestSchemaPull(t *testing.T) {
	const good = "export type Cursor = string;\n"
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/modelcontextprotocol/main/schema/draft/schema.ts", "/modelcontextprotocol/main/schema/2025-11-25/schema.ts",
			"/ext-tasks/main/schema/draft/schema.ts", "/ext-apps/main/src/spec.types.ts", "/known.ts":
			fmt.Fprint(w, good)
		case "/modelcontextprotocol/main/schema/2030-01-01/schema.ts":
			fmt.Fprint(w, "export type ;")
		case "/modelcontextprotocol/main/schema/2030-01-02/schema.ts":
			w.Write(bytes.Repeat([]byte("// a line\n"), maxOfficial/10+1))
		case "/full.ts":
			w.Write(bytes.Repeat([]byte("// full\n"), maxOfficial/8))
		case "/modelcontextprotocol/main/schema/2030-01-03/schema.ts":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, good)
		case "/modelcontextprotocol/main/schema/2030-01-04/schema.ts":
			w.WriteHeader(http.StatusBadGateway)
		default:
			http.NotFound(w, r)
		}
	}))
	defer hs.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache) // where there is no such variable
	t.Setenv("LocalAppData", cache)
	for _, name := range []string{"draft", "tasks", "ui", "draft"} {
		path := strings.TrimSuffix(mcpgen(t, "schema", "pull", name, "-from", hs.URL), "\n")
		if text, err := os.ReadFile(path); err != nil || string(text) != good || !strings.HasSuffix(path, filepath.Join("mcpgen", "schema", name, "schema.ts")) || !strings.HasPrefix(path, cache) {
			t.Errorf("%s: %s has %q, %v", name, path, text, err)
		}
	}
	given := filepath.Join(t.TempDir(), "given.ts")
	if got := mcpgen(t, "schema", "pull", "draft", "-from", hs.URL+"/", "-out", given); got != given+"\n" {
		t.Errorf("-out: printed %q", got)
	}
	sum := sha256.Sum256([]byte(good))
	for _, p := range []pull{{path: "known.ts", digest: hex.EncodeToString(sum[:])}, {path: "full.ts"}} {
		if text, err := p.download(t.Context(), hs.URL); err != nil || len(text) != len(good) && len(text) != maxOfficial {
			t.Errorf("%s: got %d bytes, %v", p.path, len(text), err)
		}
	}
	none := filepath.Join(t.TempDir(), "none.ts")
	for name, want := range map[string]string{
		"2025-11-25":                    fmt.Sprintf("the SHA-256 is %x, want e74b56e73b2e37bdb595f74ba22e428ad7f07aa3519355ba661d681298ed38ac", sum),
		"2030-01-01":                    "this is no schema: ",
		"2030-01-02":                    "more than 8388608 bytes",
		"2030-01-03":                    "unexpected EOF",
		"2030-01-04":                    "status 502 Bad Gateway",
		"2030-01-05":                    "there is no such file: is 2030-01-05 the name of a revision?",
		"latest":                        `"latest" is no revision, not draft, and no extension that mcpgen knows`,
		"draft -from=/tmp":              "-from /tmp: want a URL",
		"draft -from=ftp:x":             "-from ftp:x: want a URL",
		"draft -from=ftp://localhost":   "-from ftp://localhost: want a URL",
		"draft -from=http://%zz":        "-from http://%zz: want a URL",
		"draft -from=" + gone.URL:       "connection refused",
		"draft -out=" + given + "/a.ts": "not a directory",
		"draft -out=.":                  ". is no regular file",
	} {
		args := append([]string{"schema", "pull", "-from", hs.URL, "-out", none}, strings.Fields(name)...)
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, %q, %q, want %q", name, code, stdout.String(), stderr.String(), want)
		}
		if _, err := os.Stat(none); err == nil {
			t.Errorf("%s left a file", name)
		}
	}
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	var stderr bytes.Buffer
	if code := run([]string{"schema", "pull", "draft", "-from", hs.URL}, io.Discard, &stderr); code != 2 || !strings.HasPrefix(stderr.String(), "mcpgen: there is no cache, want -out: ") {
		t.Errorf("no cache: exit code %d, %s", code, stderr.String())
	}
}
