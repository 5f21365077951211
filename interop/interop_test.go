// Package interop proves, against the official TypeScript implementations, over stdio and HTTP, that
// what is written here speaks with what others wrote. See README.md.
package interop

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A driver is a TypeScript client that tries every feature of a server.
type driver struct {
	name     string
	command  []string // of Node.js
	limit    string   // the only revision that the server speaks; all if empty
	revision string   // the revision that the two agree on
}

var drivers = []driver{
	{"v1", []string{"drive-v1.mjs"}, "", "2025-11-25"},
	{"v1, server of 2025-06-18", []string{"drive-v1.mjs"}, "2025-06-18", "2025-06-18"},
	{"v1, server of 2025-03-26", []string{"drive-v1.mjs"}, "2025-03-26", "2025-03-26"},
	{"v1, server of 2024-11-05", []string{"drive-v1.mjs"}, "2024-11-05", "2024-11-05"},
	{"v2 legacy", []string{"drive-v2.mjs", "legacy"}, "", "2025-11-25"},
	{"v2 auto", []string{"drive-v2.mjs", "auto"}, "", "2026-07-28"},
	{"v2 auto, server of 2025-11-25", []string{"drive-v2.mjs", "auto"}, "2025-11-25", "2025-11-25"},
	{"v2 modern", []string{"drive-v2.mjs", "modern"}, "", "2026-07-28"},
}

// TestServer has our server with every feature driven by the TypeScript clients.
func TestServer(t *testing.T) {
	m := newModules(t)
	server := build(t, "../examples/everything")
	driveAll(t, m, drivers, nil, func(t *testing.T, limit []string) []string {
		return append([]string{server}, limit...)
	})
}

// TestServerHTTP is TestServer over Streamable HTTP.
func TestServerHTTP(t *testing.T) {
	m := newModules(t)
	server := build(t, "../examples/everything")
	driveAll(t, m, drivers, nil, func(t *testing.T, limit []string) []string {
		args := append([]string{server, "-http", "127.0.0.1:0"}, limit...)
		return []string{serve(t, string(m), args...)}
	})
}

// TestServerSSE is TestServer over HTTP+SSE, which the revisions with sessions can use.
func TestServerSSE(t *testing.T) {
	m := newModules(t)
	server := build(t, "../examples/everything")
	legacy := slices.DeleteFunc(slices.Clone(drivers), func(d driver) bool {
		return d.revision >= modern || slices.Contains(d.command, "auto")
	})
	driveAll(t, m, legacy, nil, func(t *testing.T, limit []string) []string {
		args := append([]string{server, "-http", "127.0.0.1:0"}, limit...)
		return []string{strings.TrimSuffix(serve(t, string(m), args...), "/mcp") + "/sse"}
	})
}

// lateCode is what the drivers would report of servers that are on the TypeScript SDK.
var lateCode = map[string]string{
	"resource-unknown": "up to 2025-11-25 it answers with the code that came later",
}

// TestDrivers has the drivers try a TypeScript server with every feature. What they find missing
// in ours is then not their own fault.
func TestDrivers(t *testing.T) {
	m := newModules(t)
	driveAll(t, m, drivers, lateCode, func(t *testing.T, limit []string) []string {
		return append([]string{"node", "server-v2.mjs"}, limit...)
	})
}

// TestDriversHTTP is TestDrivers over Streamable HTTP.
func TestDriversHTTP(t *testing.T) {
	m := newModules(t)
	driveAll(t, m, drivers, lateCode, func(t *testing.T, limit []string) []string {
		args := append([]string{"node", "server-v2.mjs", "--http"}, limit...)
		return []string{serve(t, string(m), args...)}
	})
}

// build builds a program and returns its path.
func build(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(dir))
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build in %s: %v\n%s", dir, err, out)
	}
	return path
}

// driveAll runs drivers with a server, which target describes to them: a command or a URL. Limit
// is the flag for a server of one revision, or nothing. The exceptions are features that the server
// has otherwise up to 2025-11-25, as the SDK v1 shows it, each with its reason.
func driveAll(
	t *testing.T, m modules, drivers []driver, exceptions map[string]string,
	target func(t *testing.T, limit []string) []string,
) {
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			var limit []string
			if d.limit != "" {
				limit = []string{"--revision", d.limit}
			}
			except := exceptions
			if d.revision >= modern || d.command[0] != "drive-v1.mjs" {
				except = nil
			}
			args := slices.Concat(d.command, target(t, limit))
			d.check(t, m.node(t, args...), except)
		})
	}
}

// A finding is what a driver prints about a feature.
type finding struct {
	Feature string
	OK      bool
	Skip    string // why the driver could not try it
	Detail  json.RawMessage
}

// check compares what a driver printed with what it must have found.
func (d driver) check(t *testing.T, printed []byte, exceptions map[string]string) {
	want := featuresOf(d.revision)
	for line := range bytes.Lines(printed) {
		var f finding
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatalf("the driver printed %q: %v", line, err)
		}
		if !want[f.Feature] {
			t.Errorf("%s: revision %s has no such feature, or it was tried before", f.Feature, d.revision)
		}
		delete(want, f.Feature)
		reason := exceptions[f.Feature]
		switch {
		case f.Skip != "":
			t.Errorf("%s: %s", f.Feature, f.Skip)
		case !f.OK && reason == "":
			t.Errorf("%s: %s", f.Feature, f.Detail)
		case f.OK && reason != "":
			t.Errorf("%s works, but is excepted: %s", f.Feature, reason)
		}
		if f.Feature == "connect" {
			var agreed struct{ Revision string }
			if json.Unmarshal(f.Detail, &agreed); agreed.Revision != d.revision {
				t.Errorf("they agreed on revision %q, want %q", agreed.Revision, d.revision)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("the driver did not try %s", strings.Join(slices.Sorted(maps.Keys(want)), ", "))
	}
}
