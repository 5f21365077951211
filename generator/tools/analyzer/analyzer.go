// Package analyzer reports mistakes in annotated functions where they are, in an editor or by
//
//	go vet -vettool=$(go tool -n mcpgen) ./...
package analyzer

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// Analyzer reports what [tools.Load] would report, generated code that is stale, and requests for input that differ from
// one run of a handler to the next.
var Analyzer = &analysis.Analyzer{
	Name: "mcp",
	Doc: `check functions with //mcp: directives, and whether code generated from them is stale

A mistake in a directive, and a signature that cannot be a tool, is reported where
it is. So is mcp_gen.go if it is not what mcpgen tools would write now, and a request
for input that is made of a fresh value, such as time.Now, and so never finds its response.`,
	URL:              "https://pkg.go.dev/github.com/mcpgen/mcpgen/generator/tools/analyzer",
	Run:              run,
	RunDespiteErrors: true, // such as those for lack of the generated file
}

// run analyzes a package as it is before code is generated, without the generated file and tests. Only if there are
// such files, it type-checks the others again.
func run(pass *analysis.Pass) (any, error) {
	var own []*ast.File
	var generated *ast.File
	for _, f := range pass.Files {
		switch name := filename(pass, f); {
		case filepath.Base(name) == tools.GoFile && isGenerated(f):
			generated = f
		case !strings.HasSuffix(name, "_test.go"): // what tests declare is not there when code is generated
			own = append(own, f)
		}
	}
	if len(own) == 0 && generated == nil {
		return nil, nil // a package of tests
	}
	reportFresh(pass, own)
	pkg, info := pass.Pkg, pass.TypesInfo
	if len(own) < len(pass.Files) {
		pkg, info = check(pass, own)
	}
	module := ""
	if pass.Module != nil {
		module = pass.Module.Path
	}
	p, problems := tools.Analyze(pass.Fset, own, pkg, info, filepath.Dir(filename(pass, pass.Files[0])), module)
	if len(problems) == 0 && (p != nil || generated != nil) && pass.Pkg.Path() != fileArguments {
		var err error
		if problems, err = stale(pass, p, generated); err != nil {
			return nil, err
		}
	}
	for _, e := range problems {
		report(pass, e)
	}
	if generated != nil {
		misfits(pass, own, generated)
	}
	return nil, nil
}

// fileArguments is the path of a package that consists of the files on a command line. They need not be all files
// whose functions the generated file registers.
const fileArguments = "command-line-arguments"

func isGenerated(f *ast.File) bool {
	return len(f.Comments) > 0 && strings.HasPrefix(f.Comments[0].List[0].Text, tools.Mark)
}

// check type-checks files of a package again, without the generated one and tests, whose declarations must not hide
// those that will be generated. What is then missing is not a mistake.
func check(pass *analysis.Pass, files []*ast.File) (*types.Package, *types.Info) {
	imports := importer{}
	for _, f := range files {
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value) // it has been parsed
			if name := pass.TypesInfo.PkgNameOf(spec); name != nil {
				imports[path] = name.Imported()
			}
		}
	}
	info := &types.Info{
		Instances: map[*ast.Ident]types.Instance{}, Implicits: map[ast.Node]types.Object{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}
	config := types.Config{Importer: imports, Sizes: pass.TypesSizes, GoVersion: pass.Pkg.GoVersion(), Error: func(error) {}}
	pkg, _ := config.Check(pass.Pkg.Path(), pass.Fset, files, info)
	return pkg, info
}

// An importer imports packages that have been imported before.
type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s was not imported", path)
}

// filename returns the name of a file. It ignores //line directives.
func filename(pass *analysis.Pass, f *ast.File) string {
	return pass.Fset.PositionFor(f.FileStart, false).Filename
}

// report reports a mistake.
func report(pass *analysis.Pass, e *tools.Error) {
	for _, f := range pass.Files {
		file := pass.Fset.File(f.FileStart)
		if file.Name() != e.Pos.Filename {
			continue
		}
		d := analysis.Diagnostic{Pos: file.Pos(e.Pos.Offset), Message: e.Msg}
		if e.New != "" {
			d.End = d.Pos + token.Pos(len(e.Old))
			d.SuggestedFixes = []analysis.SuggestedFix{{
				Message:   fmt.Sprintf("Replace %s by %s", e.Old, e.New),
				TextEdits: []analysis.TextEdit{{Pos: d.Pos, End: d.End, NewText: []byte(e.New)}},
			}}
		}
		pass.Report(d)
		return
	}
	pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Message: e.Error()}) // in a file of another package
}

// stale finds generated code that is stale, missing or, if p is nil, no longer needed.
func stale(pass *analysis.Pass, p *tools.Package, generated *ast.File) (tools.ErrorList, error) {
	var old, now []byte
	at := pass.Files[0].Package
	if generated != nil {
		at = generated.Package
		var err error
		if old, err = pass.ReadFile(filename(pass, generated)); err != nil {
			return nil, err
		}
	}
	if p != nil {
		files, err := p.Generate(tools.TargetOf(old))
		if err != nil {
			var problems tools.ErrorList
			if errors.As(err, &problems) {
				return problems, nil
			}
			return nil, err
		}
		now = files[tools.GoFile]
	}
	if bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), now) { // git can change line ends
		return nil, nil
	}
	msg := " is stale: run go generate"
	switch {
	case old == nil:
		msg = " is missing: run go generate"
	case now == nil:
		msg = " is stale, since nothing is annotated: run mcpgen tools"
	}
	return tools.ErrorList{{Pos: pass.Fset.PositionFor(at, false), Msg: tools.GoFile + msg}}, nil
}
