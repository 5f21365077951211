package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/tools/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// A Config says where packages are and how they are read. The zero Config means the current folder and environment.
type Config struct {
	Dir     string            // in which patterns are resolved; empty for the current folder
	Env     []string          // of the go command; nil for that of the process
	Overlay map[string][]byte // what files hold, by absolute path, instead of what is on the disk
}

// Load reads the packages that match the patterns, as the go command understands them, and returns those that have
// directives, and those that no longer have any but still have generated files. All packages are read at once. A Go
// file, such as $GOFILE, means the package of its folder, since generated files belong to a whole package. Files of
// tests are not read.
//
// Its error is an [ErrorList] if the code is wrong, and then it still returns the packages that have no
// mistake. Missing and stale generated files are none: what is not declared because it has yet to be
// generated is no mistake.
func Load(ctx context.Context, c *Config, patterns ...string) ([]*Package, error) {
	if c == nil {
		c = new(Config)
	}
	dir, err := filepath.Abs(cmp.Or(c.Dir, "."))
	if err != nil {
		return nil, err
	}
	l := &loader{config: c, dir: dir, fset: token.NewFileSet()}
	folders, err := l.folders(patterns)
	if err != nil {
		return nil, err
	}
	loaded, err := l.load(ctx, folders)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(loaded, func(p *packages.Package) bool { return p.Dir != "" }) && (len(loaded) == 0 || !inModule(dir)) {
		return nil, l.unmatched(ctx, folders)
	}
	l.sources = source.NewFiles(l.fset, l.read, locator(loaded))
	return l.packages(loaded, strings.Join(patterns, " "))
}

// packages analyzes the packages that were loaded by these patterns.
func (l *loader) packages(loaded []*packages.Package, patterns string) ([]*Package, error) {
	var analyzed []*analyzed
	for _, p := range loaded {
		analyzed = append(analyzed, l.analyze(p))
	}
	l.errors(analyzed)
	l.unbuilt(analyzed)
	var out []*Package
	for _, p := range analyzed {
		if p.ir != nil && !p.wrong {
			out = append(out, &Package{ir: p.ir, base: l.dir})
		}
	}
	if len(l.problems) > 0 {
		return out, l.sorted()
	}
	if len(out) == 0 {
		return nil, l.nothing(loaded, patterns)
	}
	return out, nil
}

// Analyze reads one package that has been parsed, with comments, and type-checked already. Module is the path of
// its module, empty if that is not known. It returns nil without an error if the package has no directives. Tests
// and the generated file are ignored. Positions in errors are those of the file set.
func Analyze(fset *token.FileSet, files []*ast.File, pkg *types.Package, info *types.Info, dir, module string) (*Package, ErrorList) {
	var own []*ast.File
	for _, f := range files {
		name := fset.PositionFor(f.Package, false).Filename
		if filepath.Base(name) != GoFile && !strings.HasSuffix(name, "_test.go") {
			own = append(own, f)
		}
	}
	p, problems := analyze.Package(&source.Package{Files: own, Types: pkg, Info: info, Dir: dir, Module: module, Sources: source.NewFiles(fset, nil, nil)})
	if len(problems) > 0 {
		var list ErrorList
		for _, p := range problems {
			list = append(list, &Error{Pos: fset.Position(p.Pos), Msg: p.Msg, Old: p.Old, New: p.New})
		}
		return nil, list
	}
	if p == nil {
		return nil, nil
	}
	return &Package{ir: p}, nil
}

// locator returns the function that finds files on the disk whose names are cut short in export
// data: $GOROOT/src/time/time.go, and all names under -trimpath.
func locator(loaded []*packages.Package) func(path, base string) string {
	files := sync.OnceValue(func() map[string][]string {
		m := make(map[string][]string)
		packages.Visit(loaded, nil, func(p *packages.Package) { m[p.PkgPath] = p.GoFiles })
		return m
	})
	return func(path, base string) string {
		for _, name := range files()[path] {
			if filepath.Base(name) == base {
				return name
			}
		}
		return base
	}
}

// A loader is one call of Load.
type loader struct {
	config   *Config
	dir      string
	fset     *token.FileSet
	sources  *source.Files
	problems ErrorList
}

// mode says what is read of the packages that match. What they import is read from export data, which is usually in
// the go command's cache.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax |
	packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedImports | packages.NeedModule

func (l *loader) load(ctx context.Context, patterns []string) ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Mode: mode, Context: ctx, Dir: l.dir, Env: l.config.Env, Overlay: l.config.Overlay, Fset: l.fset, ParseFile: parseFile,
	}, patterns...)
}

// folders returns the patterns with each Go file replaced by its folder.
func (l *loader) folders(patterns []string) ([]string, error) {
	out := slices.Clone(patterns)
	for i, pattern := range patterns {
		if !strings.HasSuffix(pattern, ".go") {
			continue
		}
		path := pattern
		if !filepath.IsAbs(path) {
			path = filepath.Join(l.dir, path)
		}
		_, overlaid := l.config.Overlay[path]
		switch info, err := os.Stat(path); {
		case overlaid || err == nil && !info.IsDir():
			out[i] = filepath.Dir(path)
		case errors.Is(err, fs.ErrNotExist) && (build.IsLocalImport(filepath.ToSlash(pattern)) || filepath.Base(pattern) == pattern):
			return nil, fmt.Errorf("%s: there is no such file", pattern)
		}
	}
	return out, nil
}

// parseFile parses a file. Of a generated file it returns only the package clause: the file may be stale, and its
// declarations must not hide those that will be generated. An overlay would do the same, but then go/packages would
// type-check all dependencies from source.
func parseFile(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	if filepath.Base(name) == GoFile {
		return parser.ParseFile(fset, name, src, parser.PackageClauseOnly)
	}
	return parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
}

// read returns what a file holds.
func (l *loader) read(name string) ([]byte, error) {
	if src, ok := l.config.Overlay[name]; ok {
		return src, nil
	}
	return os.ReadFile(name)
}

// An analyzed package is a loaded package with the result of its analysis.
type analyzed struct {
	*packages.Package
	ir        *ir.Package // nil if it has no directives
	problems  []directive.Problem
	annotated bool
	wrong     bool // something is wrong with it
}

// analyze analyzes a loaded package. One that has no directives, but files of an earlier run, has an empty ir.Package,
// for which these files are stale.
func (l *loader) analyze(p *packages.Package) *analyzed {
	out := &analyzed{Package: p}
	if len(p.Syntax) == 0 {
		return out
	}
	dir, module := p.Dir, ""
	if p.Module != nil {
		module = p.Module.Path
	}
	out.ir, out.problems = analyze.Package(&source.Package{Files: p.Syntax, Types: p.Types, Info: p.TypesInfo, Dir: dir, Module: module, Sources: l.sources})
	out.annotated = out.ir != nil || len(out.problems) > 0
	if !out.annotated && dir != "" && wasGenerated(dir) {
		out.ir = &ir.Package{Path: p.PkgPath, Name: p.Name, Dir: dir, Types: p.Types, Register: "Register"}
	}
	return out
}

// wasGenerated reports whether a folder has files made by Generate.
func wasGenerated(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, LockFile)); err == nil {
		return true
	}
	src, err := os.ReadFile(filepath.Join(dir, GoFile))
	return err == nil && strings.HasPrefix(string(src), Mark)
}

// errors collects what is wrong with the packages that have directives, or that could not be read.
func (l *loader) errors(all []*analyzed) {
	expected := l.expected(all)
	for _, p := range all {
		before := len(l.problems)
		l.add(p.Package, p.problems)
		broken := slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind == packages.ParseError })
		for _, e := range p.TypeErrors {
			if p.annotated && !broken && !expected.excuses(p, e) {
				l.problem(l.place(p.Package, e.Pos), understood(e.Msg))
			}
		}
		for _, e := range p.Errors {
			switch e.Kind {
			case packages.ParseError:
				pos, advice := position(e.Pos), ""
				if filepath.Base(pos.Filename) == GoFile {
					advice = "; the file is generated: delete it and run mcpgen tools again (with -target=gosdk, if it had that target)"
				}
				l.problem(pos, e.Msg+advice)
			case packages.ListError, packages.UnknownError:
				if len(all) == 1 && len(p.GoFiles) == 0 && len(p.IgnoredFiles) > 0 {
					continue // nothing is said better below
				}
				if strings.HasPrefix(e.Msg, "# ") {
					continue // the compiler's output: the type checker has more to say, and knows what is stale
				}
				if len(p.Syntax) == 0 || p.annotated && len(p.TypeErrors) == 0 {
					l.problem(position(e.Pos), e.Msg)
				}
			}
		}
		p.wrong = len(l.problems) > before
	}
}

// understood returns an error of the type checker in the user's terms.
func understood(msg string) string {
	if strings.HasPrefix(msg, "could not import C (") {
		return "could not import C: it needs cgo; " + source.NeedsCgo
	}
	return msg
}

func (l *loader) problem(pos token.Position, msg string) {
	l.problems = append(l.problems, &Error{Pos: pos, Msg: msg})
}

// place returns a position in a package. If a file was rewritten for C, the go command has the result in its cache,
// which under -trimpath can name the folder of another copy of the package.
func (l *loader) place(p *packages.Package, pos token.Pos) token.Position {
	at := l.fset.Position(pos)
	if read := l.fset.PositionFor(pos, false).Filename; slices.Contains(p.GoFiles, read) || !slices.Contains(p.CompiledGoFiles, read) {
		return at
	}
	for _, name := range p.GoFiles {
		if filepath.Base(name) == filepath.Base(at.Filename) {
			at.Filename = name
		}
	}
	return at
}

// sorted returns the problems by place, once each, with files relative to the folder.
func (l *loader) sorted() ErrorList {
	for _, e := range l.problems {
		e.Pos = relative(e.Pos, l.dir)
	}
	l.problems.sort()
	return slices.CompactFunc(l.problems, func(x, y *Error) bool { return x.Pos == y.Pos && x.Msg == y.Msg })
}

// position reads a position as go/packages writes it: file:line:col, file:line, or - for none.
func position(s string) token.Position {
	var p token.Position
	if s == "-" || s == "" {
		return p
	}
	p.Filename = s
	var numbers []int
	for range 2 {
		i := strings.LastIndexByte(p.Filename, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(p.Filename[i+1:])
		if err != nil {
			break
		}
		numbers = append([]int{n}, numbers...)
		p.Filename = p.Filename[:i]
	}
	if len(numbers) > 0 {
		p.Line = numbers[0]
	}
	if len(numbers) > 1 {
		p.Column = numbers[1]
	}
	return p
}
