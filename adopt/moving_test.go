// Package adopt_test moves servers of other libraries over as docs/moving-over.md says.
package adopt_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const self = "github.com/mcpgen/mcpgen"

// A move is the rest of what somebody does by hand.
type move struct {
	archive string
	differs []string    // lines of the comparison that are accepted
	edits   [][2]string // of tools.go, one tool after the other
}

// TestMovingOver records the servers in testdata, adopts them, serves old tools beside new ones, and compares after each step.
func TestMovingOver(t *testing.T) {
	testenv.Long(t) // it compiles three programs for each server
	temp := t.TempDir()
	mcpgen := filepath.Join(temp, "mcpgen")
	output(t, "..", "go", "build", "-o", mcpgen, "./cmd/mcpgen")
	for _, m := range []move{
		{"gosdk", []string{"tool find_books: output: other members are allowed now"}, [][2]string{
			{"(*mcp.CallToolResult, error) {\n\treturn nil, t.old(ctx, call)\n}\n\n// Cover", "string {\n\tcall.Progress().Report(1, 1, \"\")\n\treturn \"2\"\n}\n\n// Cover"},
		}},
		{"mcpgo", nil, [][2]string{
			{"(*mcp.CallToolResult, error) {\n\treturn nil, t.old(ctx, call)\n}\n\n// FinishTask", "string {\n\treturn fmt.Sprintf(\"%d minutes\", len(args.Text))\n}\n\n// FinishTask"},
		}},
	} {
		t.Run(m.archive, func(t *testing.T) { m.test(t, mcpgen) })
	}
}

func (m *move) test(t *testing.T, mcpgen string) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", m.archive+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range append(archive.Files, module(t)...) {
		write(t, filepath.Join(dir, f.Name), f.Data)
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	before, after := filepath.Join(dir, "old.bin"), filepath.Join(dir, "new.bin")
	output(t, dir, "go", "build", "-o", before, "./cmd/old")
	output(t, dir, mcpgen, "adopt", "-record", "old.json", "-calls", "calls.jsonl", "--", before)
	output(t, dir, mcpgen, "adopt", "old.json", "-out", "tools")
	write(t, filepath.Join(dir, "accept"), []byte(strings.Join(m.differs, "\n")))
	check := func() {
		t.Helper()
		output(t, dir, mcpgen, "tools", "./tools")
		output(t, dir, "go", "build", "-o", after, "./cmd/server")
		got := output(t, dir, mcpgen, "adopt", "-check", "old.json", "-accept", "accept", "--", after)
		for _, line := range m.differs {
			if !strings.Contains(got, "accepted: "+line) {
				t.Errorf("want the difference %s, got\n%s", line, got)
			}
		}
	}
	check()
	name := filepath.Join(dir, "tools", "tools.go")
	for _, edit := range m.edits {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), edit[0], edit[1], 1)
		if changed == string(text) {
			t.Fatalf("tools.go lacks\n%s\n%s", edit[0], text)
		}
		write(t, name, []byte(changed))
	}
	check()
}

// module returns the files of a module that uses this one.
func module(t *testing.T) []txtar.File {
	t.Helper()
	read := func(name string) []byte {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.ToSlash(filepath.Dir(here))
	mod := strings.NewReplacer("module "+self+"/adopt", "module example.com/moved", self+" => ..", self+" => "+root).Replace(string(read("go.mod")))
	mod += "\nrequire " + self + "/adopt v0.0.0\nreplace " + self + "/adopt => " + root + "/adopt\n"
	return []txtar.File{{Name: "go.mod", Data: []byte(mod)}, {Name: "go.sum", Data: append(read("go.sum"), read("../go.sum")...)}}
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// output runs a command and returns what it prints. The test fails if the command does.
func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out.String(), errOut.String())
	}
	return out.String()
}
