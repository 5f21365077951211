package interop

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTypedClients generates clients of servers from npm, compiles a program that uses them, and runs it.
func TestTypedClients(t *testing.T) {
	m := newModules(t)
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir, files := t.TempDir(), t.TempDir()
	do := func(in, name string, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), driverLimit)
		defer cancel()
		cmd := process(ctx, name, args...)
		cmd.Dir = in
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	mcpgen := filepath.Join(dir, "mcpgen")
	do(repository, "go", "build", "-o", mcpgen, "./cmd/mcpgen")
	var scripts []string
	for _, name := range []string{"everything", "memory", "filesystem"} {
		command := m.server("server-" + name)
		scripts = append(scripts, command[1])
		if name == "filesystem" {
			command = append(command, files)
		}
		args := append([]string{"client", "-out", name, "--"}, command...)
		if out := do(dir, mcpgen, args...); !strings.Contains(out, "package "+name+": ") {
			t.Errorf("%s: mcpgen printed %s", name, out)
		}
	}
	do(dir, mcpgen, append([]string{"client", "-check", "-out", "memory", "--"}, m.server("server-memory")...)...)
	// The packages are where the program imports them from, as far as the go command can tell.
	replaced := map[string]string{}
	for _, name := range []string{"everything", "memory", "filesystem"} {
		replaced[filepath.Join(repository, "interop", "testdata", "typed", name, "client.go")] = filepath.Join(dir, name, "mcp_client_gen.go")
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	do(filepath.Join(repository, "interop"), "go", "build", "-overlay", file, "-o", filepath.Join(dir, "typed"), "./testdata/typed")
	got := do(dir, filepath.Join(dir, "typed"), append(scripts, files)...)
	for _, want := range []string{"The sum of 2 and 3 is 5.\n33 Cloudy 82\n1\n1\n", "Ada [writes programs]\n", "one\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the program printed\n%s\nwhich lacks\n%s", got, want)
		}
	}
}
