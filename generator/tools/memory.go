package tools

import (
	"errors"
	"go/ast"
	"go/build"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// A File is the only file of a package, held in memory. Other files that its directives name are those of the current
// folder, if there is one.
type File struct {
	Name string // without a folder
	Text []byte

	Path string // of the package, which is a module by itself
	Go   string // the version of Go of that module, such as go1.26

	Imports types.Importer
	Fset    *token.FileSet // of Imports
	// Sources has the files in which imported packages declare something with a doc comment, below their paths:
	// time/time.go. Types of other files have no descriptions. Nil is an empty one.
	Sources fs.FS
}

// Load reads the package, as [Load] does from the disk, for linux/amd64.
func (f *File) Load() (*Package, error) {
	read := map[string]bool{f.Name: true}
	defer f.removeFiles(read)
	l := &loader{config: &Config{Overlay: map[string][]byte{f.Name: f.Text}}, fset: f.Fset}
	// Files of imported packages must not have the names that their importer gives them in the file set.
	const prefix = "source:"
	l.sources = source.NewFiles(f.Fset, func(name string) ([]byte, error) {
		name, ok := strings.CutPrefix(name, prefix)
		if f.Sources == nil || !ok {
			return nil, fs.ErrNotExist
		}
		read[prefix+name] = true
		return fs.ReadFile(f.Sources, name)
	}, func(pkg, base string) string { return prefix + path.Join(pkg, base) })
	p := &packages.Package{
		ID: f.Path, PkgPath: f.Path, Module: &packages.Module{Path: f.Path}, Fset: f.Fset, TypesInfo: &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Instances: make(map[*ast.Ident]types.Instance), Defs: make(map[*ast.Ident]types.Object),
			Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
			Scopes: make(map[ast.Node]*types.Scope), FileVersions: make(map[*ast.File]string),
		},
	}
	if f.isBuilt() {
		p.GoFiles, p.CompiledGoFiles = []string{f.Name}, []string{f.Name}
		f.check(p)
	} else {
		p.IgnoredFiles = []string{f.Name}
	}
	out, err := l.packages([]*packages.Package{p}, ".")
	if len(out) == 0 {
		return nil, err
	}
	return out[0], err
}

// removeFiles removes parsed files from the file set, which lives longer than they do: programs load a file again and
// again.
func (f *File) removeFiles(names map[string]bool) {
	var files []*token.File
	f.Fset.Iterate(func(file *token.File) bool {
		if names[file.Name()] {
			files = append(files, file)
		}
		return true
	})
	for _, file := range files {
		f.Fset.RemoveFile(file)
	}
}

// isBuilt reports whether the file is part of the build.
func (f *File) isBuilt() bool {
	c := build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc", CgoEnabled: true, ReleaseTags: build.Default.ReleaseTags, OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(string(f.Text))), nil
	}}
	ok, err := c.MatchFile("", f.Name)
	return ok || err != nil // what is wrong is found by the parser
}

// check parses and type-checks the file, and adds what is wrong as package packages does.
func (f *File) check(p *packages.Package) {
	syntax, err := parseFile(p.Fset, f.Name, f.Text)
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
		for _, e := range list {
			p.Errors = append(p.Errors, packages.Error{Pos: e.Pos.String(), Msg: e.Msg, Kind: packages.ParseError})
		}
	}
	if syntax == nil {
		return
	}
	p.Name, p.Syntax = syntax.Name.Name, []*ast.File{syntax}
	config := &types.Config{
		Importer: f.Imports, GoVersion: f.Go, Sizes: types.SizesFor("gc", "amd64"),
		Error: func(err error) {
			if e, ok := errors.AsType[types.Error](err); ok {
				p.TypeErrors = append(p.TypeErrors, e)
				p.Errors = append(p.Errors, packages.Error{Pos: p.Fset.Position(e.Pos).String(), Msg: e.Msg, Kind: packages.TypeError})
			}
		},
	}
	p.Types, _ = config.Check(f.Path, p.Fset, p.Syntax, p.TypesInfo) // its error is the first of those above
}
