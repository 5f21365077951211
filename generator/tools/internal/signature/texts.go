package signature

import (
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// texts finds title and descriptions of a function and its parameters, in directives and in the doc
// comment.
func (f *Function) texts() {
	var params, injected []string
	for _, p := range f.Func.Params {
		if p.Injected == ir.NotInjected {
			params = append(params, p.Name)
		} else {
			injected = append(injected, p.Name)
		}
	}
	described := slices.Concat(params, f.members)
	doc := source.FunctionDoc(f.decl.Doc, f.decl.Name.Name, described, injected)
	f.Description, f.about = doc.Text, doc.About
	*f.problems = append(*f.problems, doc.Problems...)
	said := make(map[string]bool)
	for _, d := range f.notes {
		switch d.Name {
		case "title":
			f.Title = d.Free.Text
		case "desc":
			name, rest, _ := strings.Cut(d.Free.Text, " ")
			if _, ok := isPath(name, params); ok && strings.TrimSpace(rest) != "" {
				if said[name] {
					f.problems.Addf(d.Pos(), "//mcp:desc stands here twice for the same thing")
				}
				said[name] = true
				f.inside = append(f.inside, pathDesc{directive.Word{Text: name, Pos: d.Free.Pos}, strings.TrimSpace(rest), d})
				continue
			}
			if !slices.Contains(described, name) || strings.TrimSpace(rest) == "" {
				if near := spelling.Nearest(name, described); near != "" && !slices.Contains(described, name) && token.IsIdentifier(name) && strings.ToLower(name) == name {
					kind := "parameter"
					if len(f.members) > 0 {
						kind += " or result"
					}
					f.problems.Addf(d.Free.Pos, "//mcp:desc %s: %s has no %s %s; did you mean %s?", name, f.Func.GoName(), kind, name, near)
					f.problems.Suggest(name, near)
					continue
				}
				name, rest = "", d.Free.Text
			}
			if said[name] {
				f.problems.Addf(d.Pos(), "//mcp:desc stands here twice for the same thing")
			}
			said[name] = true
			if name == "" {
				f.Description = rest
			} else {
				f.about[name] = strings.TrimSpace(rest)
			}
		}
	}
}
