package golden_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"
)

// TestToolSchemas holds all schemas that are made of annotated functions in this repository, those in
// generated files and those that test cases expect, against the meta-schema of JSON Schema 2020-12,
// and makes sure that none has a list of types.
//
// REQ JSCH-01, JSCH-05
func TestToolSchemas(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "mcp_gen.go" && !strings.Contains(path, "analyzer"): // whose tests have broken ones
			files++
			checkSchemas(t, path, schemasInGo(t, path))
		case filepath.Base(filepath.Dir(path)) == "good" && filepath.Ext(path) == ".txtar":
			files++
			checkSchemas(t, path, schemasInCase(t, path))
		}
		return nil
	})
	if err != nil || files < 70 {
		t.Errorf("%d files: %v", files, err)
	}
}

// schemasInGo returns the schemas that are constants of a Go file.
func schemasInGo(t *testing.T, path string) (schemas []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, spec := range d.Specs {
			if lit, ok := spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				schemas = append(schemas, text)
			}
		}
	}
	return schemas
}

// schemasInCase returns the schemas that a test case of generator/tools expects.
func schemasInCase(t *testing.T, path string) (schemas []string) {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(a.Files[len(a.Files)-1].Data)
	for _, before := range []string{"\n  input {", "\n  output {"} {
		for _, after := range strings.Split(want, before)[1:] {
			var schema json.RawMessage
			if err := json.NewDecoder(strings.NewReader("{" + after)).Decode(&schema); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			schemas = append(schemas, string(schema))
		}
	}
	return schemas
}

func checkSchemas(t *testing.T, path string, schemas []string) {
	t.Helper()
	for _, text := range schemas {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v in %s", path, err, text)
			continue
		}
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		if err := c.AddResource("schema", doc); err != nil {
			t.Errorf("%s: %v in %s", path, err, text)
		} else if _, err := c.Compile("schema"); err != nil {
			t.Errorf("%s: %v in %s", path, err, text)
		}
		if hasTypeList(doc) {
			t.Errorf("%s: a list of types in %s", path, text)
		}
	}
}

func hasTypeList(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if _, is := v["type"].([]any); is {
			return true
		}
		for _, v := range v {
			if hasTypeList(v) {
				return true
			}
		}
	case []any:
		for _, v := range v {
			if hasTypeList(v) {
				return true
			}
		}
	}
	return false
}
