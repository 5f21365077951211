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
	archive, err := txtar.ParseFile("testdata/module/greet.txtar")
	if err != nil {
		t.Fatal(err)
	}
	repository, err := filepath.Abs("../..")
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

	// The module has the requirements of this one, so that nothing has to be looked up.
	const self = "github.com/mcpgen/mcpgen"
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	write("go.mod", []byte(strings.Replace(string(mod), "module "+self, "module example.com/greet", 1)+
		"\ntool "+self+"/cmd/mcpgen\nrequire "+self+" v0.0.0\nreplace "+self+" => "+filepath.ToSlash(repository)+"\n"))
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", sum)

	command := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	command("generate", "./...")
	command("vet", "./...")
	if diff := cmp.Diff(want, command("run", ".")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
