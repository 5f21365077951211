package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sync"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goroot"
)

// Files finds the syntax of declarations. If a package was read as export data, it parses the one file with the
// declaration. It may be used by several goroutines at once.
type Files struct {
	fset   *token.FileSet
	read   func(filename string) ([]byte, error)
	locate func(path, base string) string
	mu     sync.Mutex
	byName map[string]*File
}

// NewFiles returns Files for a file set. Read may be nil for files on the disk. Locate returns
// the name of a file on the disk, given the path of its package, where export data has no such name,
// as it is for the standard library; nil if nothing but the Go root is known.
func NewFiles(fset *token.FileSet, read func(string) ([]byte, error), locate func(path, base string) string) *Files {
	if read == nil {
		read = os.ReadFile
	}
	if locate == nil {
		locate = inGoRoot
	}
	return &Files{fset: fset, read: read, locate: locate, byName: make(map[string]*File)}
}

// inGoRoot returns the name of a file of the standard library, "" if the Go root is not known.
func inGoRoot(path, base string) string {
	root, err := goroot.Dir()
	if err != nil {
		return ""
	}
	return filepath.Join(root, "src", path, base)
}

// Scan scans a file of a package that is analyzed, and remembers it by its name.
func (s *Files) Scan(syntax *ast.File) *File {
	f := scan(s.fset, syntax)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byName[s.fset.Position(syntax.FileStart).Filename] = f
	return f
}

// file returns the file in which an object is declared, or nil if there is none.
func (s *Files) file(o types.Object) (*File, token.Position) {
	p := s.fset.Position(o.Pos())
	if p.Filename == "" {
		return nil, p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.byName[p.Filename]; ok {
		return f, p
	}
	f := s.parse(p.Filename, o.Pkg())
	s.byName[p.Filename] = f
	return f, p
}

// maxSource is the size in bytes beyond which files are not searched for doc comments.
const maxSource = 8 << 20

func (s *Files) parse(name string, p *types.Package) *File {
	if !filepath.IsAbs(name) && p != nil {
		name = s.locate(p.Path(), filepath.Base(name))
	}
	src, err := s.read(name)
	if err != nil || len(src) > maxSource {
		return nil // a description less, no mistake of the user's
	}
	syntax, _ := parser.ParseFile(s.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if syntax == nil {
		return nil
	}
	return scan(s.fset, syntax)
}

// Declared returns the node that declares an object: a *ast.TypeSpec, *ast.Field or *ast.ValueSpec
// with its file, or nil.
func (s *Files) Declared(o types.Object) (ast.Node, *File) {
	f, p := s.file(o)
	if f == nil {
		return nil, nil
	}
	return f.declared[place{p.Line, o.Name()}], f
}

// FileSet returns the file set of all files.
func (s *Files) FileSet() *token.FileSet { return s.fset }

// A File is a parsed file with its directives, and its declarations by place.
type File struct {
	Syntax   *ast.File
	Notes    map[ast.Node][]*directive.Directive // by *ast.File, *ast.FuncDecl, *ast.TypeSpec, *ast.Field, *ast.ValueSpec
	Problems []directive.Problem                 // of the directives themselves

	fset     *token.FileSet
	declared map[place]ast.Node
	docs     map[ast.Node]*ast.CommentGroup
}

// A place is a line and a name that is declared on it. Export data has no columns.
type place struct {
	line int
	name string
}
