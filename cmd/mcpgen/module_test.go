package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestModule uses mcpgen as a project does: as a tool of a module, run by go generate. The program
// that uses the generated package must build and print what is wanted.
func TestModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles programs, which -short does without")
	}
	archive, err := txtar.ParseFile("testdata/module/greet.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, text []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var want string
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
		} else {
			write(f.Name, f.Data)
		}
	}

	writeModule(t, dir, "example.com/greet")

	goCommand(t, dir, "generate", "./...")
	goCommand(t, dir, "vet", "./...")
	if diff := cmp.Diff(want, goCommand(t, dir, "run", ".")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// writeModule makes a folder a module that has mcpgen as a tool, from this checkout. It has the
// requirements of this module, so that nothing has to be looked up.
func writeModule(t *testing.T, dir, path string) {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod = []byte(strings.Replace(string(mod), "module "+self, "module "+path, 1) +
		"\nrequire " + self + " v0.0.0\nreplace " + self + " => " + filepath.ToSlash(repository) + "\n")
	for name, text := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// quickly makes the go command spend less time on programs that run once and are never debugged.
const quickly = " -ldflags=-w '-gcflags=example.com/...=-N -l -dwarf=false'"

// offline is the environment of go commands in tests: what a test needs must come with this module,
// or with what was built for the test.
var offline = []string{"GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "GOFLAGS=" + os.Getenv("GOFLAGS") + quickly}

// offlineEnv makes that the environment of this process until the test ends.
func offlineEnv(t *testing.T) {
	t.Helper()
	for _, v := range offline {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

// goCommand runs the go command in a folder and returns what it prints. It fails the test if it
// fails.
func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), offline...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
