// Package analyzetest has what the tests of packages that analyze packages share: it makes packages of text, and text of
// types in the IR.
package analyzetest

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// Cases runs a test for each archive in testdata, which compares what analyze writes about a package with the file want.
// Files without a folder are of the package, which is example.com/p; those in a folder are of the package of that path.
// No other package can be imported, so that a case imitates what it needs of the standard library.
func Cases(t *testing.T, analyze func(*source.Package) string) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test cases: %v", err)
	}
	for _, name := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool {
				if f.Name == "want" {
					want = string(f.Data)
				}
				return f.Name == "want"
			})
			got := analyze(load(t, archive))
			if *update {
				archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("-want +got (run with -update to accept):\n%s", diff)
			}
		})
	}
}

// load type-checks the package of an archive.
func load(t *testing.T, archive *txtar.Archive) *source.Package {
	t.Helper()
	i := &importer{fset: token.NewFileSet(), files: make(map[string][]txtar.File), done: make(map[string]*types.Package)}
	text := make(map[string][]byte)
	for _, f := range archive.Files {
		folder := path.Dir(f.Name)
		if folder == "." {
			folder = "example.com/p"
		}
		f.Name = "/" + f.Name
		text[f.Name] = f.Data
		i.files[folder] = append(i.files[folder], f)
	}
	info := &types.Info{
		Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object),
		Instances: make(map[*ast.Ident]types.Instance),
	}
	syntax, pkg, err := i.check("example.com/p", info)
	if err != nil {
		t.Fatalf("the case does not type-check: %v", err)
	}
	read := func(name string) ([]byte, error) {
		if src, ok := text[name]; ok {
			return src, nil
		}
		return nil, os.ErrNotExist
	}
	return &source.Package{Files: syntax, Types: pkg, Info: info, Dir: "/", Module: "example.com/p", Sources: source.NewFiles(i.fset, read, nil)}
}

// An importer imports packages of an archive.
type importer struct {
	fset  *token.FileSet
	files map[string][]txtar.File
	done  map[string]*types.Package
}

func (i *importer) Import(path string) (*types.Package, error) {
	if i.done[path] == nil {
		_, pkg, err := i.check(path, nil)
		if err != nil {
			return nil, err
		}
		i.done[path] = pkg
	}
	return i.done[path], nil
}

// check parses and type-checks the package of a path, which may import others of the archive. Info is nil for these.
func (i *importer) check(path string, info *types.Info) ([]*ast.File, *types.Package, error) {
	if len(i.files[path]) == 0 {
		return nil, nil, fmt.Errorf("the archive has no files of package %s", path)
	}
	var syntax []*ast.File
	for _, f := range i.files[path] {
		file, err := parser.ParseFile(i.fset, f.Name, f.Data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		syntax = append(syntax, file)
	}
	config := types.Config{Importer: i}
	pkg, err := config.Check(path, i.fset, syntax, info)
	return syntax, pkg, err
}

// Problems writes problems by place, each with what is suggested.
func Problems(pkg *source.Package, problems directive.Problems) string {
	slices.SortStableFunc(problems, func(x, y directive.Problem) int {
		p, q := pkg.Position(x.Pos), pkg.Position(y.Pos)
		return cmp.Or(cmp.Compare(p.Filename, q.Filename), cmp.Compare(p.Offset, q.Offset), cmp.Compare(x.Msg, y.Msg))
	})
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "%s: %s", strings.TrimPrefix(pkg.Position(p.Pos).String(), "/"), p.Msg)
		if p.Old != "" {
			fmt.Fprintf(&b, " [%s → %s]", p.Old, p.New)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Type writes a type with all that is known of it. A named type that contains itself is written by its name inside.
func Type(t *ir.Type) string {
	var b strings.Builder
	(&typeWriter{out: &b, within: make(map[*ir.Type]bool)}).write(t)
	return b.String()
}

var kinds = map[ir.Kind]string{
	ir.Invalid: "invalid", ir.Bool: "bool", ir.Int: "int", ir.Uint: "uint", ir.Float: "float", ir.String: "string", ir.Bytes: "bytes",
	ir.Time: "time", ir.Duration: "duration", ir.URL: "url", ir.BigInt: "bigint", ir.Number: "number", ir.Raw: "raw", ir.Any: "any",
	ir.Text: "text", ir.JSON: "JSON", ir.Pointer: "*", ir.Option: "option", ir.Slice: "[]", ir.Array: "array", ir.Map: "map", ir.Struct: "struct", ir.Union: "union",
	ir.Protocol: "protocol",
}

type typeWriter struct {
	out    *strings.Builder
	within map[*ir.Type]bool
}

// write writes a type and its parts, with a word for each thing that the IR says of it. A type that contains itself is
// cut off inside.
func (w *typeWriter) write(t *ir.Type) {
	if t.Name != "" {
		w.out.WriteString(t.Name + " ")
	}
	if t.Recursive {
		w.out.WriteString("recursive ")
	}
	if t.Use != "" {
		fmt.Fprintf(w.out, "(%s) ", t.Use)
	}
	if w.within[t] {
		w.out.WriteString("…")
		return
	}
	w.within[t] = true
	defer delete(w.within, t)
	w.out.WriteString(kinds[t.Kind])
	if t.Go == nil {
		w.out.WriteString(" of no Go type")
	}
	if t.Bits > 0 {
		fmt.Fprint(w.out, t.Bits)
	}
	for _, is := range []struct {
		word string
		so   bool
	}{{"open", t.Open}, {"named", t.Named}, {"numbers", t.Numbers}, {"more", t.MoreValues}, {"null", t.Null}} {
		if is.so {
			w.out.WriteString(" " + is.word)
		}
	}
	if t.Doc != "" {
		fmt.Fprintf(w.out, " %q", t.Doc)
	}
	if t.Schema != "" {
		w.out.WriteString(" " + t.Schema)
	}
	for _, s := range t.Inner {
		w.out.WriteString(" ." + s.Field.Name())
	}
	switch t.Kind {
	case ir.Pointer, ir.Option, ir.Slice:
		w.write(t.Elem)
	case ir.Array:
		fmt.Fprintf(w.out, "[%d]", t.Len)
		w.write(t.Elem)
	case ir.Map:
		w.out.WriteString("[")
		w.write(t.Key)
		w.out.WriteString("]")
		w.write(t.Elem)
	case ir.Struct:
		w.out.WriteString("{")
		for i, f := range t.Fields {
			if i > 0 {
				w.out.WriteString("; ")
			}
			w.property(f)
		}
		w.out.WriteString("}")
	case ir.Union:
		fmt.Fprintf(w.out, " by %s", t.Discriminator)
		for _, arm := range t.Arms {
			fmt.Fprintf(w.out, " | %s: ", arm.Value)
			w.write(arm.Type)
		}
	}
	for _, v := range t.Enum {
		fmt.Fprintf(w.out, " | %s=%s %s%q", v.Const.Name(), v.JSON, v.Name, v.Doc)
	}
}

// Property writes a property with all that is known of it.
func Property(p *ir.Property) string {
	var b strings.Builder
	(&typeWriter{out: &b, within: make(map[*ir.Type]bool)}).property(p)
	return b.String()
}

// property writes a property: a ? if it is optional, behind an @ the way to its Go field if that is not its name, its
// type, and what else the IR says of it.
func (w *typeWriter) property(p *ir.Property) {
	w.out.WriteString(p.Name)
	if !p.Required {
		w.out.WriteString("?")
	}
	if p.Go != p.Name || len(p.Embedded) > 0 {
		w.out.WriteString(" @")
		for _, s := range p.Embedded {
			if s.Hidden {
				w.out.WriteString("hidden ")
			}
			if s.Pointer {
				w.out.WriteString("*")
			}
			w.out.WriteString(s.Field.Name() + ".")
		}
		w.out.WriteString(p.Go)
	}
	w.out.WriteString(" ")
	w.write(p.Type)
	for _, is := range []struct {
		word string
		so   bool
	}{{"omitempty", p.OmitEmpty}, {"omitzero", p.OmitZero}, {"quoted", p.Quoted}} {
		if is.so {
			w.out.WriteString(" " + is.word)
		}
	}
	if p.Header != "" {
		w.out.WriteString(" header " + p.Header)
	}
	if p.Default != nil {
		w.out.WriteString(" = " + p.Default.JSON)
	}
	if c := p.Constraints; c != nil {
		for _, bound := range []struct {
			word  string
			value any
			given bool
		}{{"min", c.Min, c.Min != nil}, {"max", c.Max, c.Max != nil}, {"minlen", c.MinLen, c.MinLen != nil}, {"maxlen", c.MaxLen, c.MaxLen != nil}, {"enum", len(c.Enum), c.Enum != nil}} {
			if n, ok := bound.value.(*int); ok && bound.given {
				bound.value = *n
			}
			if bound.given {
				fmt.Fprintf(w.out, " %s %v", bound.word, bound.value)
			}
		}
	}
	if p.Title != "" {
		fmt.Fprintf(w.out, " title %q", p.Title)
	}
	if p.Description != "" {
		fmt.Fprintf(w.out, " %q", p.Description)
	}
}
