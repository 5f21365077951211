package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// unbuilt adds problems for annotated functions in files that are not part of this build.
func (l *loader) unbuilt(all []*analyzed) {
	for _, p := range all {
		before := len(l.problems)
		for _, name := range p.IgnoredFiles {
			if f := l.annotated(name); f != nil {
				l.add(p.Package, source.Excluded(l.fset, f))
			}
		}
		p.wrong = p.wrong || len(l.problems) > before
	}
}

// unmatched returns an error that says why no packages were found: package packages leaves out what the go command says.
func (l *loader) unmatched(ctx context.Context, patterns []string) error {
	if !inModule(l.dir) {
		return fmt.Errorf("there is no go.mod in %s or above it; go mod init makes one", l.dir)
	}
	list := exec.CommandContext(ctx, "go", append([]string{"list", "--"}, patterns...)...)
	list.Dir, list.Env = l.dir, l.config.Env
	if _, err := list.Output(); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
			return errors.New(strings.TrimSpace(string(exit.Stderr)))
		}
		return err
	}
	return fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
}

// nothing returns an error that says why the packages have no directives.
func (l *loader) nothing(loaded []*packages.Package, patterns string) error {
	excluded := 0
	for _, p := range loaded {
		tests, _ := filepath.Glob(filepath.Join(p.Dir, "*_test.go")) // the pattern is well-formed
		for _, name := range append(tests, p.IgnoredFiles...) {
			if f := l.annotated(name); f != nil {
				l.add(p, source.Unread(l.fset, f))
			}
		}
		if len(p.GoFiles) == 0 {
			excluded += len(p.IgnoredFiles)
		}
	}
	switch {
	case len(l.problems) > 0:
		return l.sorted()
	case excluded > 0:
		return fmt.Errorf("build constraints exclude all Go files of %s", patterns)
	}
	return fmt.Errorf("no //mcp: directives in %s; a tool is a function with //mcp:tool above it", patterns)
}

func (l *loader) add(pkg *packages.Package, problems []directive.Problem) {
	for _, p := range problems {
		l.problems = append(l.problems, &Error{Pos: l.place(pkg, p.Pos), Msg: p.Msg, Old: p.Old, New: p.New})
	}
}

// annotated parses a file that may have directives. It returns nil if there are none, or if the file cannot be
// read, since it is not part of the build.
func (l *loader) annotated(name string) *ast.File {
	src, err := l.read(name)
	if err != nil || !bytes.Contains(src, []byte("//mcp:")) {
		return nil
	}
	f, err := parser.ParseFile(l.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return f
}

// inModule reports whether a folder or one above it has a go.mod.
func inModule(dir string) bool {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}
