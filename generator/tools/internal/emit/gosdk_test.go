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

// TestGoSDK generates code for a server of the Go SDK, builds a program of it, and compares what that
// prints. It needs the modules of bench, which requires the SDK.
func TestGoSDK(t *testing.T) {
	testenv.Long(t)
	const path = "testdata/gosdk.txtar"
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := newSDKModule(t)
	output := len(a.Files) - 1
	for _, f := range a.Files[:output] {
		m.write(t, f.Name, string(f.Data))
	}
	m.generate(t, tools.GoSDK)
	m.run(t, nil, "go", "vet", "./...")
	m.build(t, "-o", "driver.exe", ".")
	deps := m.run(t, nil, "go", "list", "-deps", "./tools")
	for _, path := range []string{"github.com/mcpgen/mcpgen/mcp", "github.com/mcpgen/mcpgen/runtime/server"} {
		if strings.Contains(deps, path+"\n") {
			t.Errorf("code for the Go SDK needs %s", path)
		}
	}
	got := m.run(t, nil, filepath.Join(m.dir, "driver.exe"))
	if *update {
		a.Files[output].Data = []byte(got)
		if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(a.Files[output].Data), got); diff != "" {
		t.Errorf("want -, got + (rewrite with -update):\n%s", diff)
	}
}

// newSDKModule is newModule for code that needs the Go SDK.
func newSDKModule(t *testing.T) module {
	t.Helper()
	m := module{testenv.Dir(t)}
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "bench", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "bench", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/mcpgen/mcpgen/bench", "module example.com/cases", 1)
	m.write(t, "go.mod", strings.Replace(text, "=> ..", "=> "+root, 1))
	m.write(t, "go.sum", string(sum))
	cmd := testenv.Command(t.Context(), m.dir, "go", "list", "-deps", "github.com/modelcontextprotocol/go-sdk/mcp")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the Go SDK is not in the module cache; in bench, run: go mod download\n%s", out)
	}
	return m
}
