package client_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var update = flag.Bool("update", false, "write what is generated to the cases in testdata")

// A testContract is a Contract as test data has it.
type testContract struct {
	Server            mcp.Implementation     `json:"server"`
	Tools             []mcp.Tool             `json:"tools"`
	Prompts           []mcp.Prompt           `json:"prompts"`
	ResourceTemplates []mcp.ResourceTemplate `json:"resourceTemplates"`
	Names             map[string]string      `json:"names"`
}

func readContract(t testing.TB, text []byte) (*client.Contract, map[string]string) {
	t.Helper()
	var c testContract
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return &client.Contract{c.Server, c.Tools, c.Prompts, c.ResourceTemplates}, c.Names
}

// TestCases compares the code for the contracts in testdata with what is there. The file untyped of a case has a line
// for each part that became a raw value, mistakes one for each mistake, and the file errors has those of a strict run.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runCase(t, file) })
	}
}

func runCase(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, names := readContract(t, fileOf(a, "contract.json"))
	got := map[string][]byte{}
	out, err := client.Generate(c, client.Options{Package: "example", Names: names, Strict: filepath.Base(file) == "errors.txtar"})
	if err != nil {
		got["errors"] = []byte(err.Error() + "\n")
	} else {
		got["client.go"] = out.Source
		compile(t, out.Source)
		var b bytes.Buffer
		for _, u := range out.Untyped {
			fmt.Fprintf(&b, "%s %s #%s: %s\n", u.Tool, map[bool]string{false: "input", true: "output"}[u.Output], u.Pointer, u.Why)
		}
		got["untyped"] = b.Bytes()
		for _, l := range out.LeftOut {
			got["mistakes"] = fmt.Appendln(got["mistakes"], l)
		}
		for _, m := range out.Mistakes {
			got["mistakes"] = fmt.Appendln(got["mistakes"], m)
		}
	}
	if *update {
		a.Files = a.Files[:1]
		for _, name := range []string{"errors", "mistakes", "untyped", "client.go"} {
			if len(got[name]) > 0 {
				a.Files = append(a.Files, txtar.File{Name: name, Data: got[name]})
			}
		}
		if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, name := range []string{"errors", "mistakes", "untyped", "client.go"} {
		if diff := cmp.Diff(string(fileOf(a, name)), string(got[name])); diff != "" {
			t.Errorf("%s: run go test -run TestCases -update and look at the difference:\n%s", name, diff)
		}
	}
}

func fileOf(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}
