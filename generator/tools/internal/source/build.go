package source

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
)

// constrained returns the problem of a function in a file that is not part of every build, while the
// generated file, which calls it, is.
func constrained(d *directive.Directive, function, why string) directive.Problem {
	return directive.Problem{Pos: d.Pos(), Msg: fmt.Sprintf(
		"%s: the generated file, which calls %s, is part of every build, but this file is not (%s); move %s to a file that is, and let it call what differs", d, function, why, function)}
}

// Constrained returns problems for functions in a file that is part of this build, but not of every one.
func Constrained(fset *token.FileSet, f *ast.File) []directive.Problem {
	why := constraintOf(f, fset.Position(f.Package).Filename)
	if why == "" {
		return nil
	}
	var problems []directive.Problem
	for decl, d := range Offers(f) {
		problems = append(problems, constrained(d, decl.Name.Name, why))
	}
	return problems
}

// NeedsCgo says what to do about files with import "C".
const NeedsCgo = "run mcpgen with CGO_ENABLED=1, and with a C compiler"

// Excluded returns problems for functions in a file that is not part of the build but has directives. A file that
// is part of no build, with //go:build ignore, may have them.
func Excluded(fset *token.FileSet, f *ast.File) []directive.Problem {
	name := fset.Position(f.Package).Filename
	why := constraintOf(f, name)
	ofC := slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
	if why == "//go:build ignore" || why == "" && !ofC {
		return nil
	}
	var problems []directive.Problem
	for decl, d := range Offers(f) {
		p := constrained(d, decl.Name.Name, why)
		if why == "" {
			p.Msg = fmt.Sprintf(`%s: this file is part of builds with cgo alone (import "C"), so that %s is not seen; %s`, d, decl.Name.Name, NeedsCgo)
		}
		problems = append(problems, p)
	}
	return problems
}

// Unread returns the places of functions with directives in a file that is not read, such as a test, or a file with
// //go:build ignore.
func Unread(fset *token.FileSet, f *ast.File) []directive.Problem {
	var problems []directive.Problem
	for decl, d := range Offers(f) {
		why := "files of tests are not read"
		if !strings.HasSuffix(fset.Position(f.Package).Filename, "_test.go") {
			why = "this file is part of no build (" + constraintOf(f, fset.Position(f.Package).Filename) + ")"
		}
		problems = append(problems, directive.Problem{Pos: d.Pos(), Msg: fmt.Sprintf("%s: %s, so that %s is not offered", d, why, decl.Name.Name)})
	}
	return problems
}

// constraintOf returns the build constraint of a file, from a comment or its name; "" if it is part of all builds.
func constraintOf(f *ast.File, name string) string {
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) {
				return c.Text
			}
		}
	}
	// Of no system and no processor, go/build takes only files whose names say nothing about them.
	nowhere := build.Context{Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	base := filepath.Base(name)
	if ok, err := nowhere.MatchFile(".", base); err == nil && !ok {
		return "its name, " + base
	}
	return ""
}
