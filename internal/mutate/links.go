package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// links are what the repository says of rows: which code implements them, and which tests cite them.
type links struct {
	rows      map[string]*row
	packages  map[string]bool              // folders of the code
	generated map[string][]generatedRegion // by file
}

// A generatedRegion is a function that a generator writes, so that it can have no comment.
type generatedRegion struct {
	function string
	rows     []string
}

// generatedFile names the generated code behind rows: FILE FUNCTION: ID, ID
const generatedFile = "internal/mutate/generated.txt"

// readLinks reads the comments of all Go files of the repository, but those of other modules and of
// this program.
func readLinks(repository string, rows []*row) (*links, error) {
	l := &links{rows: map[string]*row{}, packages: map[string]bool{}, generated: map[string][]generatedRegion{}}
	for _, r := range rows {
		l.rows[r.id] = r
	}
	tests := map[string][]string{} // files by folder
	files := os.DirFS(repository)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skipFolder(files, name, entry)
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		switch folder := path.Dir(name); {
		case strings.HasSuffix(name, "_test.go"):
			tests[folder] = append(tests[folder], name)
		case bytes.Contains(src, []byte("// REQ ")):
			l.packages[folder] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	wrong := []error{l.readGenerated(repository)}
	for _, folder := range slices.Sorted(maps.Keys(tests)) {
		wrong = append(wrong, l.cite(repository, folder, tests[folder]))
	}
	return l, errors.Join(wrong...)
}

func skipFolder(files fs.FS, name string, entry fs.DirEntry) error {
	if name == "." {
		return nil
	}
	base := entry.Name()
	if strings.ContainsRune("._", rune(base[0])) || base == "testdata" || base == "node_modules" ||
		name == "internal/mutate" || name == "internal/requirements" {
		return fs.SkipDir
	}
	if _, err := fs.Stat(files, path.Join(name, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// readGenerated reads the links of generated code.
func (l *links) readGenerated(repository string) error {
	text, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(generatedFile)))
	if err != nil {
		return err
	}
	var wrong []error
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		where, ids, _ := strings.Cut(line, ":")
		file, function, _ := strings.Cut(where, " ")
		if function == "" || len(split(ids)) == 0 {
			wrong = append(wrong, fmt.Errorf("%s:%d: want FILE FUNCTION: ID, ID", generatedFile, n))
			continue
		}
		l.packages[path.Dir(file)] = true
		l.generated[file] = append(l.generated[file], generatedRegion{function, split(ids)})
	}
	return errors.Join(wrong...)
}

func (l *links) folders() []string { return slices.Sorted(maps.Keys(l.packages)) }

// cited returns the rows of a comment, by the line of the file.
func cited(fset *token.FileSet, comment *ast.Comment) map[int][]string {
	ids := map[int][]string{}
	line := fset.Position(comment.Pos()).Line
	for text := range strings.Lines(comment.Text) {
		if list, ok := strings.CutPrefix(strings.Trim(text, "/*# \t\r\n"), "REQ "); ok {
			list, _, _ = strings.Cut(list, ":")
			ids[line] = split(list)
		}
		line++
	}
	return ids
}

// split takes a list apart that is separated by commas or spaces.
func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// cite notes which tests of a folder cite which rows. A citation at what is no test counts for the
// tests that use it, directly or not.
func (l *links) cite(repository, folder string, names []string) error {
	fset := token.NewFileSet()
	at := map[string][]string{}          // IDs by declaration
	uses := map[string]map[string]bool{} // names by declaration
	for _, name := range names {
		tree, err := parser.ParseFile(fset, filepath.Join(repository, filepath.FromSlash(name)), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range declarations(tree) {
			for _, name := range d.names {
				if uses[name] == nil {
					uses[name] = map[string]bool{}
				}
				maps.Copy(uses[name], identifiers(d.node))
			}
		}
		for _, group := range tree.Comments {
			for _, comment := range group.List {
				for _, ids := range cited(fset, comment) {
					for _, name := range declarationAt(tree, comment.Pos()) {
						at[name] = append(at[name], ids...)
					}
				}
			}
		}
	}
	for name := range uses {
		if !isTest(name) {
			continue
		}
		for used := range closure(name, uses) {
			for _, id := range at[used] {
				if r := l.rows[id]; r != nil && (used == name || !isTest(used)) {
					r.tests[folder+":"+name] = true
				}
			}
		}
	}
	return nil
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// A declaration is one at the top of a file.
type declaration struct {
	names []string
	node  ast.Node
	begin token.Pos // of its comment
}

func declarations(tree *ast.File) (list []declaration) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			list = append(list, declaration{[]string{d.Name.Name}, d, begin(d.Doc, d)})
		case *ast.GenDecl:
			for i, spec := range d.Specs {
				one := declaration{node: spec, begin: spec.Pos()}
				if i == 0 {
					one.begin = begin(d.Doc, d)
				}
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						one.names = append(one.names, name.Name)
					}
				case *ast.TypeSpec:
					one.names = []string{spec.Name.Name}
				}
				list = append(list, one)
			}
		}
	}
	return list
}

func begin(doc *ast.CommentGroup, d ast.Node) token.Pos {
	if doc != nil {
		return doc.Pos()
	}
	return d.Pos()
}

// declarationAt returns the names of the declaration that holds a place, or is the next.
func declarationAt(tree *ast.File, pos token.Pos) []string {
	for _, d := range declarations(tree) {
		if pos < d.node.End() {
			return d.names
		}
	}
	return nil
}

func identifiers(n ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			names[name.Name] = true
		}
		return true
	})
	return names
}

// closure returns what a declaration uses, itself included.
func closure(name string, uses map[string]map[string]bool) map[string]bool {
	seen := map[string]bool{name: true}
	for open := []string{name}; len(open) > 0; {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		for used := range uses[next] {
			if uses[used] != nil && !seen[used] {
				seen[used] = true
				open = append(open, used)
			}
		}
	}
	return seen
}

// A region is a function that implements rows. Its conditions are mutated.
type region struct {
	from, to token.Pos
	rows     []string
}

type regions []region

func (r regions) rows(pos token.Pos, condition bool) (rows []string, mutate bool) {
	for _, one := range r {
		if condition && one.from <= pos && pos < one.to {
			rows = append(rows, one.rows...)
			mutate = true
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows), mutate
}

// scope returns the functions of a file that implement rows, as their comments say.
func (l *links) scope(s *source) (scope, error) {
	var found regions
	var wrong []error
	functions := map[*ast.CommentGroup]*ast.FuncDecl{}
	for _, d := range s.tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Doc != nil {
			functions[d.Doc] = d
		}
	}
	for _, group := range s.tree.Comments {
		for _, comment := range group.List {
			for line, ids := range cited(s.fset, comment) {
				d := functions[group]
				if d == nil {
					wrong = append(wrong, fmt.Errorf("%s/%s:%d: code cites rows in the comments of functions", s.pkg, s.name, line))
					continue
				}
				found = append(found, region{d.Pos(), d.End(), ids})
			}
		}
	}
	for _, g := range l.generated[path.Join(s.pkg, s.name)] {
		d := s.functionOf(g.function)
		if d == nil {
			wrong = append(wrong, fmt.Errorf("%s: %s/%s has no function %s", generatedFile, s.pkg, s.name, g.function))
			continue
		}
		found = append(found, region{d.Pos(), d.End(), g.rows})
	}
	for _, r := range found {
		for _, id := range r.rows {
			if l.rows[id] == nil {
				wrong = append(wrong, fmt.Errorf("%s/%s:%d: there is no row %s", s.pkg, s.name, s.fset.Position(r.from).Line, id))
				continue
			}
			l.rows[id].linked = true
		}
	}
	return found, errors.Join(wrong...)
}

func (s *source) functionOf(name string) *ast.FuncDecl {
	for _, d := range s.tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && nameOf(d) == name && d.Body != nil {
			return d
		}
	}
	return nil
}
