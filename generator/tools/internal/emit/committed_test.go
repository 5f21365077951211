package emit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// TestCommitted generates the files again that are in this repository.
func TestCommitted(t *testing.T) {
	packages, err := tools.Load(t.Context(), &tools.Config{Dir: "../../../..", Env: testenv.Offline()},
		"./golden/annotated", "./golden/corpus", "./golden/forms", "./examples/app", "./examples/toolsets/...", "./examples/weather", "./generator/tools/internal/example")
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 8 {
		t.Errorf("%d packages, want those with a generated file", len(packages))
	}
	for _, p := range packages {
		name := filepath.Join(p.Dir(), tools.GoFile)
		committed, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files, err := p.Generate(tools.TargetOf(committed))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(committed), string(files[tools.GoFile])); diff != "" {
			t.Errorf("%s is not what is generated now: run go generate ./... and look at the difference:\n%s", name, diff)
		}
	}
}
