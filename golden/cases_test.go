package golden_test

import (
	"flag"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
	"golang.org/x/tools/txtar"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var update = flag.Bool("update", false, "rewrite the expected output of testdata/cases")

// Each case is an archive: schemas as REVISION/schema.ts, and the Go files that they become, or
// the error. What is generated must compile.
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	module := newModule(t)
	for _, file := range cases {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			files, err := generateCase(a)
			if err != nil {
				got["error"] = err.Error() + "\n"
			}
			for name, content := range files {
				module.write(t, path.Join(strings.ReplaceAll(t.Name(), "/", "_"), name), string(content))
				// The list of revisions says nothing about the case.
				if name != "revisions.go" {
					got[name] = string(content)
				}
			}
			var schemas []txtar.File
			want := map[string]string{}
			for _, f := range a.Files {
				if strings.HasSuffix(f.Name, ".ts") {
					schemas = append(schemas, f)
				} else {
					want[f.Name] = string(f.Data)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" && !*update {
				t.Errorf("want -, got + (rewrite with -update):\n%s", diff)
			}
			if *update {
				a.Files = schemas
				for _, name := range slices.Sorted(maps.Keys(got)) {
					a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(got[name])})
				}
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	module.run(t, "go", "vet", "./...")
}

// generateCase merges the schemas of a case and generates their package.
func generateCase(a *txtar.Archive) (map[string][]byte, error) {
	var all []*model.Schema
	for _, f := range a.Files {
		if !strings.HasSuffix(f.Name, ".ts") {
			continue
		}
		tree, err := parser.Parse(f.Name, f.Data)
		if err != nil {
			return nil, err
		}
		s, err := model.Lower(path.Dir(f.Name), tree)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	merged, err := model.Merge(all...)
	if err != nil {
		return nil, err
	}
	return bindings.Generate(merged, bindings.Options{Package: "example"})
}

// A module is a Go module in a temporary folder that uses this one, and needs nothing that this
// one does not need.
type module struct{ dir string }

func newModule(t *testing.T) module {
	t.Helper()
	m := module{testenv.Dir(t)}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	const ours = "github.com/mcpgen/mcpgen"
	m.write(t, "go.mod", strings.Replace(string(mod), "module "+ours, "module example.com/test", 1)+
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

// run runs a command in the module and returns what it prints.
func (m module) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := testenv.Command(t.Context(), m.dir, name, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
