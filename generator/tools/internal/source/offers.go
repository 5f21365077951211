package source

import (
	"go/ast"
	"iter"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
)

// Kinds lists the directives that say what a function is for.
var Kinds = []string{"tool", "prompt", "resource", "complete"}

// GeneratedNames returns the names of the functions that will be generated for a package of which
// only the syntax is known.
func GeneratedNames(files []*ast.File) []string {
	names := make(map[string]bool)
	register, functions := "Register", false
	for _, f := range files {
		for _, c := range comments(f.Doc) {
			d, _ := directive.Parse(c, directive.Package, "")
			if d == nil || d.Name != "server" {
				continue
			}
			if v := d.Get("register"); v != nil {
				register = v.Text
			}
			if d.Has("name") {
				names["NewServer"] = true
			}
		}
		for _, name := range configs(f) {
			names[BindName(name)] = true
		}
		for fn, d := range Offers(f) {
			if d.Name == "complete" {
				continue
			}
			if fn.Recv == nil || len(fn.Recv.List) == 0 {
				functions = true
			} else if name := embeddedName(fn.Recv.List[0].Type); name != nil {
				names["Register"+Exported(name.Name)] = true
			}
		}
	}
	if functions {
		names[register] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Offers returns the functions of a file that are offered, each with the first directive that says so.
func Offers(f *ast.File) iter.Seq2[*ast.FuncDecl, *directive.Directive] {
	return func(yield func(*ast.FuncDecl, *directive.Directive) bool) {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, c := range comments(fn.Doc) {
				if d, _ := directive.Parse(c, directive.Function, ""); d != nil && slices.Contains(Kinds, d.Name) {
					if !yield(fn, d) {
						return
					}
					break
				}
			}
		}
	}
}

// ServerVersion returns the version that //mcp:server states in a file of which only the syntax is known, or "".
func ServerVersion(f *ast.File) string {
	for _, c := range comments(f.Doc) {
		d, _ := directive.Parse(c, directive.Package, "")
		if d == nil || d.Name != "server" {
			continue
		}
		if v := d.Get("version"); v != nil {
			return v.Text
		}
	}
	return ""
}

func comments(g *ast.CommentGroup) []*ast.Comment {
	if g == nil {
		return nil
	}
	return g.List
}
