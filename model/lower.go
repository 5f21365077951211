package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// Lower turns the declarations of files[0], and what they use of the other files, into a Schema
// of one revision: names resolved, inheritance flattened, inline types left where they stand.
// The other files are those that Load found. The error is a parser.ErrorList of all mistakes.
func Lower(revision string, files ...*parser.File) (*Schema, error) {
	l := &lowerer{
		revs:   Revs{revision},
		out:    &Schema{Revisions: []string{revision}, byName: map[string]*Type{}},
		scopes: map[string]*scope{},
		known:  map[string]*declared{},
	}
	for _, f := range files {
		l.scopes[f.Name] = newScope(f)
		sum := sha256.Sum256(f.Source)
		l.out.Sources = append(l.out.Sources, Source{Revision: revision, SHA256: hex.EncodeToString(sum[:])})
	}
	main := l.scopes[files[0].Name]
	l.link(main)
	for _, d := range files[0].Decls {
		l.declare(main.names[d.DeclName()])
	}
	for _, e := range files[0].Exports {
		for _, n := range e.Names {
			if d := l.lookup(main, n.Alias); d != nil {
				l.declare(d)
			}
		}
	}
	for len(l.queue) > 0 { // used by what was declared, in other files
		d := l.queue[0]
		l.queue = l.queue[1:]
		l.declare(d)
	}
	l.checkAliases()
	if len(l.errs) > 0 {
		slices.SortStableFunc(l.errs, func(a, b *parser.Error) int {
			return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
		})
		l.errs = slices.CompactFunc(l.errs, func(a, b *parser.Error) bool { return *a == *b })
		return nil, l.errs
	}
	return l.out, nil
}

type lowerer struct {
	revs   Revs
	out    *Schema
	scopes map[string]*scope    // by file name
	known  map[string]*declared // by the name of the type that it becomes
	stack  []string             // names of the declarations being lowered
	queue  []*declared
	errs   parser.ErrorList
}

// A scope holds the names that a file can use.
type scope struct {
	file  *parser.File
	names map[string]*declared
	froms map[string]parser.ImportName // imported or re-exported under this name …
	files map[string]string            // … from this module
	links bool                         // imports are resolved
}

// declared is one declaration, or one instantiation of a generic one.
type declared struct {
	scope *scope
	decl  parser.Decl
	name  string
	env   map[string]*Expr // type arguments
	insts map[string]*declared

	state  state
	typ    *Type
	queued bool
}

type state int

const (
	fresh state = iota
	lowering
	lowered
)

func newScope(f *parser.File) *scope {
	s := &scope{file: f, names: map[string]*declared{}}
	for _, d := range f.Decls {
		s.names[d.DeclName()] = &declared{scope: s, decl: d, name: d.DeclName()}
	}
	return s
}

// link resolves the imports and re-exports of a file.
func (l *lowerer) link(s *scope) {
	if s.links {
		return
	}
	s.links = true
	add := func(names []parser.ImportName, from string) {
		if from == "" {
			return
		}
		target, err := resolve(s.file.Name, from)
		other := l.scopes[target]
		if err != nil || other == nil {
			l.errorf(s, names[0].Pos, "cannot import from %q: the file was not loaded", from)
			return
		}
		l.link(other)
		for _, n := range names {
			d := other.names[n.Name]
			switch {
			case d == nil:
				l.errorf(s, n.Pos, "%s is not declared in %q%s", n.Name, from, nearest(n.Name, other.names))
			case s.names[n.Alias] != nil && s.names[n.Alias] != d:
				l.errorf(s, n.Pos, "%s is declared in this file too", n.Alias)
			default:
				s.names[n.Alias] = d
			}
		}
	}
	for _, i := range s.file.Imports {
		add(i.Names, i.From)
	}
	for _, e := range s.file.Exports {
		add(e.Names, e.From)
	}
}

func (l *lowerer) errorf(s *scope, pos parser.Pos, format string, args ...any) {
	l.errs = append(l.errs, errorAt(s.file, pos, format, args...))
}

func (l *lowerer) lookup(s *scope, name string) *declared {
	d := s.names[name]
	if d != nil && d.scope != s && !d.queued {
		d.queued = true
		l.queue = append(l.queue, d)
	}
	return d
}

// declare adds the declaration to the schema.
func (l *lowerer) declare(d *declared) {
	if d == nil || d.state != fresh {
		return
	}
	switch decl := d.decl.(type) {
	case *parser.Const:
		d.state = lowered
		c := &Const{Name: d.name, Revs: l.revs, Value: decl.Value.Value, Pos: decl.Pos}
		tags := l.tags(d.scope, decl.Doc)
		c.Doc, c.Category, c.Internal = tags.doc, tags.category, tags.internal
		l.out.Consts = append(l.out.Consts, c)
	default:
		if len(typeParams(decl)) > 0 && d.env == nil {
			l.checkGeneric(d)
			return // only its instantiations are types
		}
		l.lower(d)
	}
}

func typeParams(d parser.Decl) []parser.TypeParam {
	switch d := d.(type) {
	case *parser.Interface:
		return d.Params
	case *parser.Alias:
		return d.Params
	}
	return nil
}

// checkGeneric finds mistakes in a generic declaration that nothing instantiates.
func (l *lowerer) checkGeneric(d *declared) {
	d.state = lowered
	if len(d.insts) > 0 {
		return
	}
	env := map[string]*Expr{}
	for _, p := range typeParams(d.decl) {
		env[p.Name] = &Expr{Kind: Unknown, Pos: p.Pos}
	}
	l.body(d, env, &Type{Name: d.name})
}

// lower makes the Type of a declaration, once. It returns nil while that is under way.
func (l *lowerer) lower(d *declared) *Type {
	switch d.state {
	case lowering:
		return nil
	case lowered:
		return d.typ
	}
	d.state = lowering
	l.stack = append(l.stack, d.name)
	defer func() { l.stack = l.stack[:len(l.stack)-1] }()
	doc := d.decl.DeclDoc()
	tags := l.tags(d.scope, doc)
	t := &Type{
		Name: d.name, Revs: l.revs, Pos: d.decl.DeclPos(), File: d.scope.file.Name,
		Doc: tags.doc, Category: tags.category, Internal: tags.internal,
	}
	if prev := l.out.byName[t.Name]; prev != nil {
		l.errorf(d.scope, t.Pos, "%s is declared in %s too: two types of one schema need two names", t.Name, prev.File)
	}
	// Its place in the output is where it is declared, not where it was first needed.
	at := len(l.out.Types)
	for at > 0 && l.out.Types[at-1].File == t.File && l.out.Types[at-1].Pos.Offset > t.Pos.Offset {
		at--
	}
	l.out.Types = slices.Insert(l.out.Types, at, t)
	l.out.byName[t.Name] = t
	t.Expr = l.body(d, d.env, t)
	d.typ = t
	d.state = lowered
	return t
}

func (l *lowerer) body(d *declared, env map[string]*Expr, t *Type) *Expr {
	s := d.scope
	switch decl := d.decl.(type) {
	case *parser.Interface:
		return l.interfaceBody(s, env, t, decl)
	case *parser.Alias:
		e := l.expr(s, env, decl.Type)
		if x, ok := decl.Type.(*parser.Intersection); ok {
			for _, part := range x.Parts {
				if r, ok := part.(*parser.Ref); ok && e.Kind == Struct {
					t.Bases = append(t.Bases, l.baseName(s, env, r))
				}
			}
		}
		// A tag on the alias of a number speaks of the number.
		if tags := l.tags(s, decl.Doc); tags.number != "" {
			e = l.numberKind(s, decl.Pos, e, tags.number)
		}
		return e
	case *parser.Enum:
		e := &Expr{Kind: Enum, Pos: decl.Pos}
		for _, m := range decl.Members {
			e.Values = append(e.Values, &EnumValue{
				Name: m.Name, Value: m.Value.Value.(string), Doc: l.tags(s, m.Doc).doc, Revs: l.revs,
			})
		}
		return e
	}
	return nil
}

// checkAliases finds aliases that are nothing but themselves.
func (l *lowerer) checkAliases() {
	done := map[string]bool{}
	for _, t := range l.out.Types {
		var path []string
		var visit func(name string) bool
		var inside func(e *Expr) bool
		inside = func(e *Expr) bool {
			if e == nil {
				return true
			}
			switch e.Kind {
			case Ref:
				return visit(e.Name)
			case Nullable:
				return inside(e.Elem)
			case Union:
				for _, a := range e.Arms {
					if !inside(a.Expr) {
						return false
					}
				}
			}
			return true
		}
		visit = func(name string) bool {
			if i := slices.Index(path, name); i >= 0 {
				first := l.out.byName[path[i]]
				l.errs = append(l.errs, errorAt(l.scopes[first.File].file, first.Pos,
					"type %s is circular: %s", path[i], strings.Join(append(path[i:], name), " → ")))
				return false
			}
			u := l.out.byName[name]
			if done[name] || u == nil {
				return true
			}
			path = append(path, name)
			ok := inside(u.Expr)
			path = path[:len(path)-1]
			done[name] = true
			return ok
		}
		visit(t.Name)
	}
}

// nearest suggests the name that was probably meant.
func nearest[V any](name string, names map[string]V) string {
	best, at := "", len(name)/3+1
	for n := range names {
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
