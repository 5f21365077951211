package analyze

import (
	"go/token"
	"net/url"
	"path/filepath"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// packageClause reads the directives above a package clause.
func (a *analyzer) packageClause(f *source.File) {
	a.publish(f.Notes[f.Syntax])
	instructions := ""
	a.out.Silences = append(a.out.Silences, a.silences(f.Notes[f.Syntax])...)
	for _, d := range f.Notes[f.Syntax] {
		if !d.Repeat && d.Name != "schema" { // of which each is about another type
			a.problems.Once(d, f.Notes[f.Syntax])
		}
		if d.Name == "desc" {
			if instructions != "" {
				a.problems.Addf(d.Pos(), "//mcp:desc stands here twice")
			}
			instructions = d.Free.Text
		}
	}
	for _, d := range f.Notes[f.Syntax] {
		if d.Name != "server" {
			continue
		}
		if a.serverAt != token.NoPos {
			a.problems.Addf(d.Pos(), "%s: there is one in %s already", d, filepath.Base(a.pkg.Position(a.serverAt).Filename))
			return
		}
		a.serverAt = d.Pos()
		if v := d.Get("register"); v != nil {
			a.out.Register = v.Text
			if !token.IsIdentifier(v.Text) {
				a.problems.Addf(v.Pos, "%s: register=%s: a function needs a Go identifier", d, v.Text)
			}
		}
		if v := d.Get("prefix"); v != nil {
			a.prefix = v.Text
			if !toolName.MatchString(v.Text) {
				a.problems.Addf(v.Pos, "%s: prefix=%s: want characters of A-Z a-z 0-9 _ . -", d, directive.Visible(v.Text))
			}
		}
		a.open = d.Has("open")
		name := d.Get("name")
		if name == nil {
			for _, key := range []string{"version", "title", "description", "website"} {
				if v := d.Get(key); v != nil {
					a.problems.Addf(v.Pos, "%s: a server with a %s needs a name too: name=%s", d, key, a.pkg.Types.Name())
				}
			}
			if v := d.Get("search"); v != nil {
				a.problems.Addf(v.Pos, "%s: a server with search needs a name too: name=%s", d, a.pkg.Types.Name())
			}
			if len(d.Given) == 0 && !a.open {
				a.problems.Addf(d.Pos(), "%s: name is missing, as in //mcp:server name=%s", d, a.pkg.Types.Name())
			}
			continue
		}
		if name.Text == "" {
			a.problems.Addf(name.Pos, "%s: a server's name cannot be empty", d)
		}
		a.out.Server = &ir.Server{Name: name.Text, Search: d.Has("search"), Pos: a.pkg.Position(d.Pos())}
		if v := d.Get("version"); v != nil {
			a.out.Server.Version = v.Text
		}
		if v := d.Get("title"); v != nil {
			a.out.Server.Title = v.Text
		}
		if v := d.Get("description"); v != nil {
			a.out.Server.Description = v.Text
		}
		if v := d.Get("website"); v != nil {
			a.out.Server.Website = v.Text
			if u, err := url.Parse(v.Text); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
				a.problems.Addf(v.Pos, "%s: website=%s: want a URL of https", d, directive.Visible(v.Text))
			}
		}
	}
	if icons := a.extras(f.Notes[f.Syntax]).Icons; icons != nil {
		if a.out.Server == nil {
			a.problems.Addf(f.Notes[f.Syntax][0].Pos(), "//mcp:icon: above a package clause, an icon belongs to a server; add //mcp:server name=%s", a.pkg.Types.Name())
			return
		}
		a.out.Server.Icons = icons
	}
	if instructions != "" {
		if a.out.Server == nil {
			a.problems.Addf(f.Notes[f.Syntax][0].Pos(), "//mcp:desc: instructions belong to a server; add //mcp:server name=%s", a.pkg.Types.Name())
			return
		}
		a.out.Server.Instructions = instructions
	}
}
