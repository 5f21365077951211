package main

import (
	"embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A source is one file of a package that is mutated.
type source struct {
	pkg   string // its folder in the repository
	name  string // of the file
	path  string // on the disk
	src   []byte
	tree  *ast.File
	fset  *token.FileSet
	info  *types.Info
	types *types.Package
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *source) text(from, to token.Pos) string {
	return string(s.src[s.offset(from):s.offset(to)])
}

func (s *source) textOf(n ast.Node) string { return s.text(n.Pos(), n.End()) }

// load reads the files of packages of a repository, those of tests aside.
func load(repository string, folders []string) ([]*source, error) {
	patterns := make([]string, len(folders))
	for i, f := range folders {
		patterns[i] = "./" + f
	}
	fset := token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedExportFile |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir: repository, Fset: fset,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	var sources []*source
	for _, p := range loaded {
		for _, e := range p.Errors {
			return nil, e
		}
		for i, tree := range p.Syntax {
			file := p.CompiledGoFiles[i]
			src, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			folder, err := filepath.Rel(repository, filepath.Dir(file))
			if err != nil {
				return nil, err
			}
			sources = append(sources, &source{
				pkg: filepath.ToSlash(folder), name: filepath.Base(file), path: file,
				src: src, tree: tree, fset: fset, info: p.TypesInfo, types: p.Types,
			})
		}
	}
	return sources, nil
}

//go:embed points/*.go
var points embed.FS

// instrument finds the mutants of the sources and writes the files that have them all to a folder.
// It returns the overlay, by the files that are replaced.
func instrument(sources []*source, scopes func(*source) (scope, error), to string) ([]*mutant, map[string]string, error) {
	var all []*mutant
	overlay := map[string]string{}
	next := map[string]*int{}
	for _, s := range sources {
		scope, err := scopes(s)
		if err != nil {
			return nil, nil, err
		}
		if next[s.pkg] == nil {
			next[s.pkg] = new(int)
			if err := addPoints(s, to, overlay); err != nil {
				return nil, nil, err
			}
		}
		f := &finder{source: s, scope: scope, next: next[s.pkg]}
		f.find()
		if len(f.mutants) == 0 {
			continue
		}
		all = append(all, f.mutants...)
		file := filepath.Join(to, filepath.FromSlash(s.pkg), s.name)
		if err := os.WriteFile(file, f.edits.apply(s.src), 0o666); err != nil {
			return nil, nil, err
		}
		overlay[s.path] = file
	}
	return all, overlay, nil
}

// addPoints adds what the instrumented code of a package calls.
func addPoints(s *source, to string, overlay map[string]string) error {
	folder := filepath.Join(to, filepath.FromSlash(s.pkg))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	files, err := points.ReadDir("points")
	if err != nil {
		return err
	}
	for _, entry := range files {
		if strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		text, err := points.ReadFile("points/" + entry.Name())
		if err != nil {
			return err
		}
		own := strings.Replace(string(text), "package points\n", "package "+s.tree.Name.Name+"\n", 1)
		own = strings.Replace(own, `mutantPackage = "points"`, fmt.Sprintf("mutantPackage = %q", s.pkg), 1)
		name := "mutant_" + entry.Name()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(own), 0o666); err != nil {
			return err
		}
		overlay[filepath.Join(filepath.Dir(s.path), name)] = filepath.Join(folder, name)
	}
	return nil
}
