package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/golines"
)

const module = "github.com/mcpgen/mcpgen/"

// kits are packages for tests alone: no program links them.
var kits = []string{"runtime/internal/roomtest", "runtime/internal/servertest", "runtime/mcptest", "runtime/transport/transporttest"}

// programs are the smallest programs, in the order of the table.
var programs = []string{"stdioserver", "httpserver", "stdioclient", "httpclient"}

// commented are the packages whose share of comments counts.
var commented = []string{"runtime/server", "runtime/client", "runtime/transport/streamable", "runtime/internal/peer"}

// options are the structs of options of a server, a client, and Streamable HTTP.
var options = []string{
	"runtime/server Options", "runtime/client Options",
	"runtime/transport/streamable Options", "runtime/transport/httpclient Options",
}

// A lines is how many lines of files, or of a package, have code, and how many only a comment. Blank lines are neither.
type lines struct{ files, code, comments int }

func (l lines) plus(m lines) lines {
	return lines{l.files + m.files, l.code + m.code, l.comments + m.comments}
}

// share is the part of the lines, without blank ones, that are comments, in percent.
func (l lines) share() int { return 100 * l.comments / max(1, l.code+l.comments) }

// A size is what is measured.
type size struct {
	packages   map[string]lines // hand-written code of each package, by its path in the module
	imports    map[string]int   // lines below runtime that a program imports
	options    map[string]int   // fields of each struct of options
	middleware []string         // the types of middleware
}

// measure measures the repository whose root is dir.
func measure(dir string) (*size, error) {
	m := &size{packages: map[string]lines{}, imports: map[string]int{}, options: map[string]int{}}
	fset := token.NewFileSet()
	err := filepath.WalkDir(filepath.Join(dir, "runtime"), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if err == nil || d.Name() == "testdata" {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		return m.add(fset, filepath.ToSlash(rel), text)
	})
	if err != nil {
		return nil, err
	}
	for _, p := range programs {
		list := exec.Command("go", "list", "-deps", "./examples/minimal/"+p)
		list.Dir, list.Stderr = dir, os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for pkg := range strings.Lines(string(out)) {
			if pkg, ours := strings.CutPrefix(strings.TrimSpace(pkg), module); ours {
				m.imports[p] += m.packages[pkg].code
			}
		}
	}
	return m, nil
}

// add counts the lines of a file, and what it declares.
func (m *size) add(fset *token.FileSet, name string, text []byte) error {
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(file) {
		return nil
	}
	pkg := path.Dir(name)
	l := lines{files: 1}
	l.code, l.comments = golines.Count(text)
	m.packages[pkg] = m.packages[pkg].plus(l)
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.TYPE {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.TypeSpec)
			if strings.HasSuffix(spec.Name.Name, "Middleware") && spec.Name.IsExported() {
				m.middleware = append(m.middleware, path.Base(pkg)+"."+spec.Name.Name)
			}
			if t, ok := spec.Type.(*ast.StructType); ok && slices.Contains(options, pkg+" "+spec.Name.Name) {
				for _, f := range t.Fields.List {
					m.options[pkg+" "+spec.Name.Name] += max(1, len(f.Names))
				}
			}
		}
	}
	return nil
}

// library is the code below runtime without the kits.
func (m *size) library() (sum lines) {
	for pkg, l := range m.packages {
		if !slices.Contains(kits, pkg) {
			sum = sum.plus(l)
		}
	}
	return sum
}

func (m *size) fields() (sum int) {
	for _, n := range m.options {
		sum += n
	}
	return sum
}

// table returns the table of docs/architecture.md.
func (m *size) table() string {
	var b bytes.Buffer
	row := func(what, was, now, aim string) { fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", what, was, now, aim) }
	row("what", "before the rooms", "now", "aim")
	row("---", "--:", "--:", "--:")
	row("lines below `runtime`, without test kits", "38,579", thousands(m.library().code), "27,000")
	srv := m.packages["runtime/server"]
	row("lines of package `server`", "7,924 in 70 files", fmt.Sprintf("%s in %d files", thousands(srv.code), srv.files), "5,000")
	for i, p := range programs {
		was := []string{"18,039", "21,209", "11,474", "11,892"}[i]
		aim := []string{"13,500", "17,000", "9,500", "11,000"}[i]
		row("lines below `runtime` that `examples/minimal/"+p+"` imports", was, thousands(m.imports[p]), aim)
	}
	row("options of server, client and Streamable HTTP", "115", fmt.Sprint(m.fields()), "75")
	row("types of middleware", "6", fmt.Sprint(len(m.middleware)), "3")
	for i, pkg := range commented {
		was := []string{"14", "15", "13", "13"}[i]
		row("comments in `"+strings.TrimPrefix(pkg, "runtime/")+"`, in percent of the lines", was, fmt.Sprint(m.packages[pkg].share()), "22")
	}
	return b.String()
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
