// Package minimal runs the smallest programs: a client calls a tool of a server.
package minimal

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMinimal(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", dir, "./...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := func(name string, args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), filepath.Join(dir, name), args...)
	}
	check := func(t *testing.T, client *exec.Cmd) {
		t.Helper()
		if out, err := client.CombinedOutput(); err != nil || string(out) != "Hello, Ada!\n" {
			t.Errorf("the client: %v, it printed %q", err, out)
		}
	}
	t.Run("stdio", func(t *testing.T) {
		check(t, program("stdioclient", filepath.Join(dir, "stdioserver")))
	})
	t.Run("http", func(t *testing.T) {
		server := program("httpserver")
		out, err := server.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			server.Process.Kill()
			server.Wait()
		}()
		url, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		check(t, program("httpclient", strings.TrimSpace(url)))
	})
}
