package golden_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/format"
	goparser "go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/schema"
)

// The official schema files, unchanged, make the same declarations as our copies and, comments
// aside, the same Go code.
func TestOfficialSchemas(t *testing.T) {
	dir := testenv.NeedsOfficial(t)
	var all []*model.Schema
	for _, r := range schema.Revisions() {
		path := filepath.Join(dir, "schema", r.Name, schema.FileName)
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.Parse(r.Name+"/"+schema.FileName, src)
		if err != nil {
			t.Fatal(err)
		}
		our, err := schema.Source(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		copied, err := parser.Parse(r.Name, our)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(parser.Format(f), parser.Format(copied)); diff != "" {
			t.Errorf("%s: official -, ours +:\n%s", r.Name, diff)
		}
		s, err := model.Lower(r.Name, f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	merged, err := model.Merge(all...)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := protocol.Merged()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(code(t, ours), code(t, merged)); diff != "" {
		t.Errorf("generated from ours -, from the official files +:\n%s", diff)
	}
}

// code generates a package and takes the comments out.
func code(t *testing.T, s *model.Schema) map[string]string {
	t.Helper()
	files, err := bindings.Generate(s, bindings.Options{Package: "mcp", Import: "example.com/base"})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, content := range files {
		fset := token.NewFileSet()
		tree, err := goparser.ParseFile(fset, name, content, goparser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := format.Node(&b, token.NewFileSet(), tree); err != nil { // no positions: one layout
			t.Fatal(err)
		}
		out[name] = b.String()
	}
	return out
}

// The same for the schemas of extensions, whose checkouts say where ours imports from. Official files
// import from a copy of the protocol's that stands beside them, or from a package.
func TestOfficialExtensions(t *testing.T) {
	for _, x := range schema.Extensions() {
		t.Run(x.Name, func(t *testing.T) {
			official := officialExtension(t, x)
			if sum := fmt.Sprintf("%x", sha256.Sum256(official[0].Source)); sum != x.Official {
				t.Errorf("the official file has the digest %s, not %s: compare it with ours, and note its own", sum, x.Official)
			}
			copied, err := model.Load(x.Path(), schema.Files().ReadFile, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range copied[0].Imports {
				i.From = official[0].Imports[0].From
			}
			if diff := cmp.Diff(parser.Format(official[0]), parser.Format(copied[0])); diff != "" {
				t.Errorf("official -, ours +:\n%s", diff)
			}
			theirs, err := protocol.ExtensionOf(x, official)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := protocol.Extension(x)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(code(t, ours), code(t, theirs)); diff != "" {
				t.Errorf("generated from ours -, from the official files +:\n%s", diff)
			}
		})
	}
}

// checkout returns the folder of an extension's repository.
func checkout(t *testing.T, x schema.Extension) string {
	t.Helper()
	return testenv.NeedsOfficialExtension(t, path.Base(x.Repository))
}

// officialExtension loads the official file of an extension.
func officialExtension(t *testing.T, x schema.Extension) []*parser.File {
	t.Helper()
	const ours = "ours/"
	dir := os.DirFS(checkout(t, x)).(fs.ReadFileFS)
	files, err := model.Load(x.File, func(name string) ([]byte, error) {
		if name, ok := strings.CutPrefix(name, ours); ok {
			return schema.Files().ReadFile(name)
		}
		return dir.ReadFile(name)
	}, map[string]string{"@modelcontextprotocol/client": ours + x.Revision + "/" + schema.FileName})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The messages that the specification of an extension shows come back as they were.
func TestOfficialExtensionMessages(t *testing.T) {
	methods := map[string]func(string) *wire.Method{
		"tasks": either(tasks.ServerMethod, tasks.ClientMethod), "ui": either(ui.ServerMethod, ui.ClientMethod),
	}
	for _, x := range schema.Extensions() {
		t.Run(x.Name, func(t *testing.T) {
			rev, err := wire.ParseRevision(x.Revision)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]int{}
			for _, src := range examples(t, checkout(t, x)) {
				var message struct {
					Method         string
					Params, Result wire.Raw
				}
				if json.Unmarshal(src, &message) != nil {
					continue
				}
				if m := methods[x.Name](message.Method); m != nil && message.Params != nil {
					seen[m.Name]++
					roundTrip(t, m.Name, rev, m.NewParams, withMeta(m, message.Params))
				}
				if name := taskResult(message.Result); name != "" {
					seen[name]++
					roundTrip(t, name, rev, registry["mcp/tasks"][name], message.Result)
				}
			}
			t.Logf("examples: %v", seen)
			if x.Name == "tasks" && (len(seen) < 5 || seen["CreateTaskResult"] == 0 || seen["GetTaskResult"] == 0) {
				t.Errorf("examples of %v only", seen)
			}
		})
	}
}

func either(a, b func(string) *wire.Method) func(string) *wire.Method {
	return func(name string) *wire.Method {
		if m := a(name); m != nil {
			return m
		}
		return b(name)
	}
}

// withMeta adds the metadata that a request must have, and that examples leave out.
func withMeta(m *wire.Method, params wire.Raw) wire.Raw {
	if wire.Decode(params, m.NewParams()) == nil {
		return params
	}
	const meta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"n","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},`
	return append(wire.Raw(meta), bytes.TrimPrefix(params, []byte("{"))...)
}

// taskResult returns the type of a result of the tasks extension, empty if it is another.
func taskResult(result wire.Raw) string {
	switch {
	case result.StringAt("taskId") == "":
		return ""
	case result.StringAt("resultType") == "task":
		return "CreateTaskResult"
	}
	return "GetTaskResult"
}

// examples returns the JSON texts in the specification of an extension.
func examples(t *testing.T, dir string) [][]byte {
	t.Helper()
	fence := regexp.MustCompile("(?s)```json\\w?\\n(.*?)```")
	comment := regexp.MustCompile(`(?m)^\s*//.*$`)
	var all [][]byte
	err := filepath.WalkDir(filepath.Join(dir, "specification"), func(name string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(name); err != nil || ext != ".md" && ext != ".mdx" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range fence.FindAllSubmatch(text, -1) {
			all = append(all, comment.ReplaceAll(m[1], nil))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
