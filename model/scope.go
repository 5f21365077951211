package model

import (
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// A scope holds the names that a file can use.
type scope struct {
	file   *parser.File
	names  map[string]*declared // declared in it, or imported
	broken map[string]bool      // imported, but from where it is not
}

func newScope(f *parser.File) *scope {
	s := &scope{file: f, names: map[string]*declared{}, broken: map[string]bool{}}
	for _, d := range f.Decls {
		s.names[d.DeclName()] = &declared{scope: s, decl: d, name: d.DeclName()}
	}
	return s
}

// link resolves the imports of a file.
func (l *lowerer) link(s *scope) {
	for _, i := range s.file.Imports {
		for _, n := range i.Names {
			if d := l.imported(s, i.From, n); d != nil {
				s.names[n.Alias] = d
			} else {
				s.broken[n.Alias] = true
			}
		}
	}
}

// imported finds the declaration that a name means in the module from which it is imported or
// re-exported, through any number of re-exports.
func (l *lowerer) imported(s *scope, from string, n parser.ImportName) *declared {
	at, name := s, n.Name
	for range len(l.scopes) + 1 { // a longer way passes a file twice
		next := l.scopes[resolve(at.file.Name, from)]
		if next == nil {
			l.errorf(s, n.Pos, "cannot import from %q: the file was not loaded", from)
			return nil
		}
		d, e := next.exported(name)
		if d != nil {
			return d
		}
		at = next
		if e.from == "" {
			break
		}
		from, name = e.from, e.name
	}
	l.errorf(s, n.Pos, "%s is not declared in %q%s", n.Name, from, l.nearest(n.Name, at.names))
	return nil
}

// An origin is the place from which a file re-exports a name.
type origin struct{ from, name string }

// exported returns the declaration that a file exports under a name, or else its origin.
func (s *scope) exported(name string) (*declared, origin) {
	own := func(name string) *declared {
		if d := s.names[name]; d != nil && d.scope == s {
			return d
		}
		return nil
	}
	if d := own(name); d != nil {
		return d, origin{}
	}
	for _, e := range s.file.Exports {
		for _, n := range e.Names {
			switch {
			case n.Alias != name:
			case e.From != "":
				return nil, origin{e.From, n.Name}
			case own(n.Name) != nil:
				return own(n.Name), origin{}
			default:
				return nil, s.origin(n.Name)
			}
		}
	}
	return nil, origin{}
}

// origin returns where an imported name comes from.
func (s *scope) origin(alias string) origin {
	for _, i := range s.file.Imports {
		for _, n := range i.Names {
			if n.Alias == alias {
				return origin{i.From, n.Name}
			}
		}
	}
	return origin{}
}

// export adds what an export clause names: the declaration, and where it is exported under
// another name, that name too.
func (l *lowerer) export(s *scope, from string, n parser.ImportName) {
	var d *declared
	if from != "" {
		d = l.imported(s, from, n)
	} else if d = s.names[n.Name]; d == nil {
		l.errorf(s, n.Pos, "%s is not declared%s", n.Name, l.nearest(n.Name, s.names))
	}
	if d == nil {
		return
	}
	l.use(d)
	l.exported[d.name] = true
	if len(typeParams(d.decl)) > 0 {
		l.generics = append(l.generics, generic{d, s, n.Pos})
	} else if n.Alias == d.name {
		return
	} else if c, ok := d.decl.(*parser.Const); ok {
		l.addConst(s, &Const{Name: n.Alias, Revs: l.revs, Value: c.Value.Value, Pos: n.Pos, File: s.file.Name})
		return
	}
	if n.Alias != d.name {
		l.addType(s, &Type{Name: n.Alias, Revs: l.revs, Expr: &Expr{Kind: Ref, Name: d.name}, Pos: n.Pos, File: s.file.Name})
	}
}

// lookup returns the declaration of a name, nil if there is none. It will be in the schema.
func (l *lowerer) lookup(s *scope, name string) *declared {
	d := s.names[name]
	if d != nil {
		l.use(d)
	}
	return d
}

func (l *lowerer) use(d *declared) {
	if !d.queued {
		d.queued = true
		l.queue = append(l.queue, d)
	}
}

// nearest suggests the name that was probably meant. To save time, it does not search if there are many mistakes,
// or for long names.
func (l *lowerer) nearest(name string, names map[string]*declared) string {
	const maxErrors, maxLength = 20, 64
	if len(l.errs) > maxErrors || len(name) > maxLength {
		return ""
	}
	best, at := "", len(name)/3+1
	for n := range names {
		if len(n) > len(name)+at || len(name) > len(n)+at {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < at || d == at && best != "" && n < best {
			best, at = n, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is the number of single-letter edits between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
