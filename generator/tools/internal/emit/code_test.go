package emit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// TestCode compares the code for the packages in testdata/code with what is there: of the Go SDK, whose programs are built
// on request alone (TestGoSDK), and what the cases and the committed files lack.
func TestCode(t *testing.T) {
	paths, err := filepath.Glob("testdata/code/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	m := newModule(t)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m.write(t, name+"/"+a.Files[0].Name, string(a.Files[0].Data))
		packages, err := tools.Load(t.Context(), &tools.Config{Dir: m.dir, Env: testenv.Offline()}, "./"+name)
		if err != nil {
			t.Fatal(err)
		}
		target := tools.Runtime
		if strings.HasPrefix(name, "gosdk") {
			target = tools.GoSDK
		}
		files, err := packages[0].Generate(target)
		if err != nil {
			t.Fatal(err)
		}
		got := files[tools.GoFile]
		if *update {
			a.Files = append(a.Files[:1], txtar.File{Name: tools.GoFile, Data: got})
			if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(a.Files[1].Data), string(got)); diff != "" {
			t.Errorf("%s: want -, got + (rewrite with -update):\n%s", name, diff)
		}
	}
}
