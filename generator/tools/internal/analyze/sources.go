package analyze

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

// Sources finds the syntax of declarations. If a package was read as export data, it parses the one file with the
// declaration. It may be used by several goroutines at once.
type Sources struct {
	fset   *token.FileSet
	read   func(filename string) ([]byte, error)
	locate func(path, base string) string
	mu     sync.Mutex
	byName map[string]*file
}

// NewSources returns Sources for a file set. Read may be nil for files on the disk. Locate returns
// the name of a file on the disk, given the path of its package, where export data has no such name,
// as it is for the standard library; nil if nothing but the Go root is known.
func NewSources(fset *token.FileSet, read func(string) ([]byte, error), locate func(path, base string) string) *Sources {
	if read == nil {
		read = os.ReadFile
	}
	if locate == nil {
		locate = inGoRoot
	}
	return &Sources{fset: fset, read: read, locate: locate, byName: make(map[string]*file)}
}

// inGoRoot returns the name of a file of the standard library, "" if the Go root is not known.
func inGoRoot(path, base string) string {
	root, err := goroot.Dir()
	if err != nil {
		return ""
	}
	return filepath.Join(root, "src", path, base)
}

func (s *Sources) add(name string, f *file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byName[name] = f
}

// file returns the file in which an object is declared, or nil if there is none.
func (s *Sources) file(o types.Object) (*file, token.Position) {
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

func (s *Sources) parse(name string, p *types.Package) *file {
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

// declared returns the node that declares an object: a *ast.TypeSpec, *ast.Field or *ast.ValueSpec
// with its file, or nil.
func (s *Sources) declared(o types.Object) (ast.Node, *file) {
	f, p := s.file(o)
	if f == nil {
		return nil, nil
	}
	return f.declared[place{p.Line, o.Name()}], f
}

// A file is a parsed file with its directives, and its declarations by place.
type file struct {
	fset     *token.FileSet
	syntax   *ast.File
	notes    map[ast.Node][]*directive.Directive // by *ast.File, *ast.FuncDecl, *ast.TypeSpec, *ast.Field, *ast.ValueSpec
	declared map[place]ast.Node
	docs     map[ast.Node]*ast.CommentGroup
	problems []Problem
}

// A place is a line and a name that is declared on it. Export data has no columns.
type place struct {
	line int
	name string
}
