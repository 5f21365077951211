package interop

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTypedFixture generates a client of the conformance fixture, compiles and vets a program that uses it, and runs the
// program against the fixture over stdio and over HTTP.
func TestTypedFixture(t *testing.T) {
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), driverLimit)
	defer cancel()
	do := func(in, name string, args ...string) string {
		t.Helper()
		cmd := process(ctx, name, args...)
		cmd.Dir = in
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	do(repository, "go", "build", "-o", dir, "./cmd/mcpgen", "./examples/everything")
	server, mcpgen := filepath.Join(dir, "everything"), filepath.Join(dir, "mcpgen")
	do(dir, mcpgen, "client", "-out", filepath.Join(dir, "fixture"), "--", server)
	module, program := filepath.Join(repository, "interop"), "./testdata/typedfixture"
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(module, program, "fixture", "client.go"): filepath.Join(dir, "fixture", "mcp_client_gen.go"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	do(module, "go", "vet", "-overlay", file, program, program+"/fixture")
	do(module, "go", "build", "-overlay", file, "-o", filepath.Join(dir, "typed"), program)

	overHTTP := process(ctx, server, "-http", "localhost:0")
	stdout, err := overHTTP.StdoutPipe()
	if err == nil {
		err = overHTTP.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	url := ""
	for url == "" && lines.Scan() {
		if at := strings.Index(lines.Text(), "http://"); at >= 0 {
			url, _, _ = strings.Cut(lines.Text()[at:], " ")
		}
	}
	if url == "" {
		t.Fatal("the server prints no URL")
	}
	do(dir, mcpgen, "client", "-check", "-url", url, "-out", filepath.Join(dir, "fixture"))
	for _, where := range []string{server, url} {
		got := do(dir, filepath.Join(dir, "typed"), where)
		for _, want := range []string{"-3.5 snow in Oslo\n", "3 steps\n", `true tool "test_error_handling" failed`, "Ada", "arg1='a', arg2='b'"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the program printed\n%s\nwhich lacks\n%s", where, got, want)
			}
		}
	}
	if err := overHTTP.Process.Kill(); err != nil {
		t.Error(err)
	}
	for lines.Scan() { // until it has ended
	}
	overHTTP.Wait() // it was killed
}
