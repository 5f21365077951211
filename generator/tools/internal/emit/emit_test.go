package emit_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var update = flag.Bool("update", false, "rewrite the expected output of testdata/cases")

// TestCases generates code for the packages of all cases, builds one program of them, and compares
// what their tools, prompts and resources answer. A case holds the source of a package, and calls: a
// line that begins with > and, until the next of them, what is answered.
//
// REQ TOOL-08: results that break the promises of their output schemas are errors
// REQ TOOL-18, TOOL-20
func TestCases(t *testing.T) {
	paths, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	if testing.Short() {
		t.Skip("it runs the compiler, which -short does without")
	}
	m := newModule(t)
	archives := make(map[string]*txtar.Archive)
	var imports, servers strings.Builder
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		archives[name] = a
		for _, f := range a.Files {
			if f.Name != "calls" {
				m.write(t, name+"/"+f.Name, string(f.Data))
			}
		}
		imports.WriteString("import case" + name + " \"example.com/cases/" + name + "\"\n")
		servers.WriteString("\t\"" + name + "\": case" + name + ".Make,\n")
	}
	m.generate(t, tools.Runtime)
	driver, err := os.ReadFile("testdata/driver.txt")
	if err != nil {
		t.Fatal(err)
	}
	m.write(t, "main.go", strings.Replace(string(driver), "import (\n", imports.String()+"import (\n", 1)+servers.String()+"}\n")
	m.build(t, "-o", "driver.exe", ".")
	m.build(t, "-tags", "other", "./elsewhere")
	if testenv.Full() {
		m.run(t, nil, "go", "vet", "./...")
		m.run(t, nil, "go", "vet", "-tags", "other", "./elsewhere")
	}

	var requests bytes.Buffer
	to := json.NewEncoder(&requests)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		for _, c := range calls(archives[name]) {
			if err := to.Encode(c.request(name)); err != nil {
				t.Fatalf("%s: %s: %v", name, c.line, err)
			}
		}
	}
	answers := json.NewDecoder(strings.NewReader(m.run(t, &requests, filepath.Join(m.dir, "driver.exe"))))
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			var got, want strings.Builder
			for _, c := range calls(archives[name]) {
				var answer string
				if err := answers.Decode(&answer); err != nil {
					t.Fatal(err)
				}
				got.WriteString("> " + c.line + "\n" + answer + "\n")
				want.WriteString("> " + c.line + "\n" + c.want)
			}
			if *update {
				files := archives[name].Files
				files[len(files)-1].Data = []byte(got.String())
				if err := os.WriteFile(path, txtar.Format(archives[name]), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("want -, got + (rewrite with -update):\n%s", diff)
			}
		})
	}
}

// A testCall is one call of a case: a line, and the lines that answer it.
type testCall struct{ line, want string }

func calls(a *txtar.Archive) []testCall {
	var out []testCall
	for line := range strings.Lines(string(a.Files[len(a.Files)-1].Data)) {
		if text, ok := strings.CutPrefix(line, "> "); ok {
			out = append(out, testCall{line: strings.TrimSuffix(text, "\n")})
		} else if len(out) > 0 {
			out[len(out)-1].want += line
		}
	}
	return out
}

// request returns the call as the driver reads it. A line is a kind, a name and arguments; for a
// tool, the kind is left out.
func (c testCall) request(name string) map[string]any {
	kind, rest, _ := strings.Cut(c.line, " ")
	switch kind {
	case "prompt", "read", "complete", "list":
	default:
		kind, rest = "tool", c.line
	}
	of, args, _ := strings.Cut(rest, " ")
	if args == "" {
		args = "{}"
	}
	return map[string]any{"Case": name, "Kind": kind, "Name": of, "Args": json.RawMessage(args)}
}

// A module is a Go module in a temporary folder that uses this one, and needs nothing that this one
// does not need.
type module struct{ dir string }

func newModule(t *testing.T) module {
	t.Helper()
	m := module{testenv.Dir(t)}
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const ours = "github.com/mcpgen/mcpgen"
	m.write(t, "go.mod", strings.Replace(string(mod), "module "+ours, "module example.com/cases", 1)+
		"\nrequire "+ours+" v0.0.0\nreplace "+ours+" => "+root+"\n")
	m.write(t, "go.sum", string(sum))
	return m
}

func (m module) write(t *testing.T, name, content string) {
	t.Helper()
	file := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// generate writes the generated files of all packages.
func (m module) generate(t *testing.T, target tools.Target) {
	t.Helper()
	packages, err := tools.Load(t.Context(), &tools.Config{Dir: m.dir, Env: testenv.Offline()}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		files, err := p.Generate(target)
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.Generate(target)
		if diff := cmp.Diff(files, again); diff != "" || err != nil {
			t.Errorf("%s: generated twice, it differs: %v\n%s", p.Path(), err, diff)
		}
		for name, data := range files {
			if clean, err := format.Source(data); err != nil || !bytes.Equal(clean, data) {
				t.Errorf("%s: %s is not as gofmt has it: %v", p.Path(), name, err)
			}
			if err := os.WriteFile(filepath.Join(p.Dir(), name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// build runs go build without optimizations, which takes half the time: the tests are not about speed.
func (m module) build(t *testing.T, args ...string) {
	t.Helper()
	m.run(t, nil, "go", append([]string{"build", "-gcflags=example.com/cases/...=-N -l -dwarf=false", "-ldflags=-s -w"}, args...)...)
}

// run runs a command in the module and returns what it prints.
func (m module) run(t *testing.T, stdin *bytes.Buffer, name string, args ...string) string {
	t.Helper()
	cmd := testenv.Command(t.Context(), m.dir, name, args...)
	if stdin != nil {
		cmd.Stdin = stdin
	}
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String()
}
