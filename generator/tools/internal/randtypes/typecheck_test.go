package randtypes

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// exported are the files with what packages export, by their paths.
var exported = sync.OnceValues(func() (map[string]string, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedExportFile | packages.NeedImports | packages.NeedDeps},
		append(slices.Sorted(maps.Values(imports)), "github.com/mcpgen/mcpgen/runtime/args", "github.com/mcpgen/mcpgen/runtime/args/jsonschema")...)
	files := make(map[string]string)
	packages.Visit(loaded, nil, func(p *packages.Package) { files[p.PkgPath] = p.ExportFile })
	return files, err
})

// A typeChecker checks sources in memory.
type typeChecker struct {
	fset   *token.FileSet
	export types.Importer
	own    map[string]*types.Package
}

func newTypeChecker(t *testing.T) *typeChecker {
	t.Helper()
	files, err := exported()
	if err != nil {
		t.Fatal(err)
	}
	c := &typeChecker{fset: token.NewFileSet(), own: make(map[string]*types.Package)}
	c.export = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(files[path])
	})
	return c
}

func (c *typeChecker) Import(path string) (*types.Package, error) {
	if p := c.own[path]; p != nil {
		return p, nil
	}
	return c.export.Import(path)
}

// A checkedPackage is a package with what is wrong with it.
type checkedPackage struct {
	fset   *token.FileSet
	syntax []*ast.File
	types  *types.Package
	info   *types.Info
	errs   []types.Error
}

// check checks a package of files.
func (c *typeChecker) check(path string, files map[string]string) *checkedPackage {
	p := &checkedPackage{fset: c.fset, info: &types.Info{
		Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue),
	}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(c.fset, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			pos := token.NoPos
			if f != nil {
				pos = f.Package
			}
			p.errs = append(p.errs, types.Error{Fset: c.fset, Pos: pos, Msg: err.Error()})
			return p
		}
		p.syntax = append(p.syntax, f)
	}
	config := types.Config{Importer: c, Error: func(err error) { p.errs = append(p.errs, err.(types.Error)) }}
	p.types, _ = config.Check(path, c.fset, p.syntax, p.info)
	c.own[path] = p.types
	return p
}

// prepare writes the sources of a package, without the types that are no Go or are refused, and what is
// generated for it, which must suit all its files.
func (b *batch) prepare(p *randomPackage) {
	b.t.Helper()
	for range 10 * perPackage {
		if generated := b.generate(p); generated != nil {
			for name, data := range generated {
				b.write(p.name+"/"+name, string(data))
				b.suits(p, p.name+"/"+name, string(data))
			}
			return
		}
	}
	b.t.Fatalf("seed %d: package %s is refused whatever is left out of it", *seedFlag, p.name)
}

// generate returns the generated files, or nil if a type has to be left out first.
func (b *batch) generate(p *randomPackage) map[string][]byte {
	b.t.Helper()
	if err := os.RemoveAll(filepath.Join(b.dir, p.name)); err != nil {
		b.t.Fatal(err)
	}
	files := p.files(func(t *randomType) bool { return b.left[t] })
	for name, src := range files {
		b.write(name, src)
	}
	checked := b.typeCheck(newTypeChecker(b.t), p, files, "")
	if b.leaveInvalid(p, checked) {
		return nil
	}
	pkg, problems := tools.Analyze(checked.fset, checked.syntax, checked.types, checked.info, filepath.Join(b.dir, p.name), module)
	if len(problems) > 0 {
		b.refuse(problems)
		return nil
	}
	generated, err := pkg.Generate(tools.Runtime)
	if err != nil {
		b.refuse(err)
		return nil
	}
	b.analyzed[p.name] = pkg
	return generated
}

// leaveInvalid leaves out the types that are no Go, and reports whether there are any.
func (b *batch) leaveInvalid(p *randomPackage, checked *checkedPackage) bool {
	b.t.Helper()
	for _, e := range checked.errs {
		t := b.typeAt(b.relative(e.Fset.Position(e.Pos).Filename))
		if t == nil {
			b.t.Fatalf("the sources of package %s are no Go: %s: %v", p.name, e.Fset.Position(e.Pos), e)
		}
		if !b.left[t] {
			b.left[t] = true
			b.tally.invalid++
		}
	}
	return len(checked.errs) > 0
}

// relative is the name of a file in the module.
func (b *batch) relative(file string) string {
	if rel, err := filepath.Rel(b.dir, file); err == nil {
		return filepath.ToSlash(rel)
	}
	return file
}

// suits checks the generated file of a package beside tests, and beside the files of another system.
func (b *batch) suits(p *randomPackage, name, generated string) {
	b.t.Helper()
	files := p.files(func(t *randomType) bool { return b.left[t] })
	files[name] = generated
	for _, suffix := range []string{"_test.go", "_plan9.go"} {
		for _, err := range b.typeCheck(newTypeChecker(b.t), p, files, suffix).errs {
			b.t.Errorf("seed %d: package %s does not compile with names%s: %s: %v\n%s", *seedFlag, p.name, suffix, err.Fset.Position(err.Pos), err.Msg, files[p.name+"/names"+suffix])
		}
	}
}

// typeCheck checks a package with those of its files that suit: without a suffix, those that are
// compiled here, with one also those of tests or of another system.
func (b *batch) typeCheck(c *typeChecker, p *randomPackage, files map[string]string, suffix string) *checkedPackage {
	b.t.Helper()
	other, own := make(map[string]string), make(map[string]string)
	for name, src := range files {
		file := filepath.Join(b.dir, filepath.FromSlash(name))
		switch dir := path.Dir(name); {
		case dir == p.name+"/"+p.otherName:
			other[file] = src
		case dir != p.name:
		case !strings.HasPrefix(path.Base(name), "names_") || suffix != "" && strings.HasSuffix(name, suffix):
			own[file] = src
		}
	}
	if errs := c.check(module+"/"+p.name+"/"+p.otherName, other).errs; len(errs) > 0 {
		b.t.Fatalf("package %s: %v", p.otherName, errs)
	}
	return c.check(module+"/"+p.name, own)
}
