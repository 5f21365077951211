package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// Lower turns the declarations of files[0], and what they use of the other files, into a Schema of one revision:
// names are resolved, inheritance is flattened, inline types stay in place. The other files are those that Load
// found. The error is a parser.ErrorList of all mistakes, up to some number.
func Lower(revision string, files ...*parser.File) (*Schema, error) {
	l := &lowerer{
		revs:   Revs{revision},
		out:    &Schema{Revisions: []string{revision}, byName: map[string]*Type{}},
		scopes: map[string]*scope{},
		known:  map[string]*declared{},
		sizes:  map[*Expr]int{},
		said:   map[string]bool{},
		consts: map[string]*Const{},

		exported: map[string]bool{},
	}
	for _, f := range files {
		l.scopes[f.Name] = newScope(f)
		sum := sha256.Sum256(f.Source)
		l.out.Sources = append(l.out.Sources, Source{Revision: revision, SHA256: hex.EncodeToString(sum[:])})
	}
	for _, f := range files {
		l.link(l.scopes[f.Name])
	}
	main := l.scopes[files[0].Name]
	for _, decl := range files[0].Decls {
		d := main.names[decl.DeclName()]
		l.declare(d)
		if len(typeParams(decl)) > 0 {
			l.generics = append(l.generics, generic{d, main, decl.DeclPos()})
		}
	}
	for _, e := range files[0].Exports {
		for _, n := range e.Names {
			l.export(main, e.From, n)
		}
	}
	for len(l.queue) > 0 { // instances, and what is used of other files
		d := l.queue[0]
		l.queue = l.queue[1:]
		l.declare(d)
	}
	for _, g := range l.generics {
		if !g.decl.asked {
			l.errorf(g.scope, g.pos, "%s is generic and is never given type arguments: no type comes of it", g.decl.name)
		}
	}
	for _, path := range l.out.aliasCycles() {
		t, s := l.out.byName[path[0]], l.scopes[l.out.byName[path[0]].File]
		if len(path) == maxChain {
			l.errorf(s, t.Pos, "%s stands for another type over more than %d steps", t.Name, maxChain)
		} else {
			l.errorf(s, t.Pos, "%s is circular: %s", t.Name, strings.Join(path, " → "))
		}
	}
	if len(l.errs) > 0 {
		slices.SortStableFunc(l.errs, func(a, b *parser.Error) int {
			return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
		})
		l.errs = slices.CompactFunc(l.errs, func(a, b *parser.Error) bool { return *a == *b })
		return nil, l.errs
	}
	l.sort(files)
	for _, t := range l.out.Types {
		t.Imported = t.File != files[0].Name && !l.exported[t.Name]
	}
	return l.out, nil
}

// sort puts the types and constants in the order in which the files declare them.
func (l *lowerer) sort(files []*parser.File) {
	at := map[string]int{}
	for i, f := range files {
		at[f.Name] = i
	}
	slices.SortStableFunc(l.out.Types, func(a, b *Type) int {
		return cmp.Or(cmp.Compare(at[a.File], at[b.File]), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
	slices.SortStableFunc(l.out.Consts, func(a, b *Const) int {
		return cmp.Or(cmp.Compare(at[a.File], at[b.File]), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
}

type lowerer struct {
	revs   Revs
	out    *Schema
	scopes map[string]*scope    // by file name
	consts map[string]*Const    // those of the schema
	known  map[string]*declared // by the name of the type that it becomes
	stack  []string             // names of the declarations being lowered
	queue  []*declared
	errs   parser.ErrorList

	exported  map[string]bool // names that files[0] exports from others
	generics  []generic       // that must be used
	sizes     map[*Expr]int
	copies    int
	instances int
	said      map[string]bool // limits whose excess is reported
}

// declared is one declaration, or one instance of a generic one.
type declared struct {
	scope *scope
	decl  parser.Decl
	name  string
	args  []*TypeArg           // of an instance
	env   map[string]*Expr     // the same, by parameter
	insts map[string]*declared // of a generic declaration, by name
	asked bool                 // for an instance, even if in vain

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

func (l *lowerer) errorf(s *scope, pos parser.Pos, format string, args ...any) {
	if len(l.errs) == maxErrors {
		return
	}
	l.errs = append(l.errs, errorAt(s.file, pos, format, args...))
}

// declare adds a declaration to the schema. For a generic declaration, only the instances are types.
func (l *lowerer) declare(d *declared) {
	if c, ok := d.decl.(*parser.Const); ok {
		l.declareConst(d, c)
	} else if len(typeParams(d.decl)) == 0 || d.env != nil {
		l.lower(d)
	}
}

// declareConst adds a constant, once. One whose type is T["key"] must be a value of that: so a schema says that a constant and a
// member go together.
func (l *lowerer) declareConst(d *declared, decl *parser.Const) {
	if d.state != fresh {
		return
	}
	d.state = lowered
	tags := l.tags(d.scope, decl.Doc, declTags)
	c := &Const{
		Name: d.name, Revs: l.revs, Value: decl.Value.Value, Pos: decl.Pos, File: d.scope.file.Name,
		Doc: tags.doc, Category: tags.category, Internal: tags.internal,
	}
	if decl.Type != nil {
		c.Type = l.expr(d.scope, nil, decl.Type)
		if _, ok := decl.Type.(*parser.Indexed); ok && c.Type.Kind != Unknown && !accepts(l.peek(c.Type), &Expr{Kind: Literal, Value: c.Value}) {
			l.errorf(d.scope, decl.Value.Pos, "the constant %s is %s, and its type takes %s", c.Name, describe(&Expr{Kind: Literal, Value: c.Value}), describe(c.Type))
		}
	}
	l.addConst(d.scope, c)
}

func (l *lowerer) addConst(s *scope, c *Const) {
	if prev := l.consts[c.Name]; prev != nil {
		l.errorf(s, c.Pos, "%s is declared in %s too: two constants of one schema need two names", c.Name, prev.File)
	}
	l.consts[c.Name] = c
	l.out.Consts = append(l.out.Consts, c)
}

func (l *lowerer) addType(s *scope, t *Type) {
	if prev := l.out.byName[t.Name]; prev != nil {
		l.errorf(s, t.Pos, "%s is declared in %s too: two types of one schema need two names", t.Name, prev.File)
	}
	l.out.Types = append(l.out.Types, t)
	l.out.byName[t.Name] = t
}

// lower makes the Type of a declaration, once. It returns nil while that is under way.
func (l *lowerer) lower(d *declared) *Type {
	switch {
	case d.state == lowered:
		return d.typ
	case d.state == lowering:
		return nil
	case len(l.stack) == maxChain:
		l.exceeded(d.scope, d.decl.DeclPos(), "too many declarations must each be known before the next one")
		return nil
	}
	d.state = lowering
	l.stack = append(l.stack, d.name)
	tags := l.tags(d.scope, d.decl.DeclDoc(), declTags)
	t := &Type{
		Name: d.name, Revs: l.revs, Pos: d.decl.DeclPos(), File: d.scope.file.Name,
		Doc: tags.doc, Category: tags.category, Internal: tags.internal, Args: d.args,
	}
	if d.env != nil {
		t.Generic = d.decl.DeclName()
	}
	l.addType(d.scope, t)
	t.Expr = l.body(d, t)
	d.typ = t
	d.state = lowered
	l.stack = l.stack[:len(l.stack)-1]
	return t
}

func (l *lowerer) body(d *declared, t *Type) *Expr {
	s := d.scope
	switch decl := d.decl.(type) {
	case *parser.Interface:
		return l.interfaceBody(s, d.env, t, decl)
	case *parser.Alias:
		return l.aliasBody(s, d.env, t, decl)
	case *parser.Enum:
		return l.enumBody(s, t, decl)
	}
	l.errorf(s, t.Pos, "a declaration of this kind is not supported")
	return &Expr{Kind: Unknown}
}

// aliasBody lowers the type that an alias stands for. The objects in an intersection are bases, as those that an interface extends
// are.
func (l *lowerer) aliasBody(s *scope, env map[string]*Expr, t *Type, decl *parser.Alias) *Expr {
	e := l.expr(s, env, decl.Type)
	if x, ok := decl.Type.(*parser.Intersection); ok {
		for _, part := range x.Parts {
			r, ok := part.(*parser.Ref)
			if !ok {
				continue
			}
			base := l.ref(s, env, r)
			if of := l.out.deref(base); of.Kind == Struct || of.Kind == Map {
				t.Bases = append(t.Bases, l.baseName(s, env, r, base))
			}
		}
	}
	// A tag on the alias of a number speaks of the number.
	if tags := l.tags(s, decl.Doc, aliasTags); tags.number.Text != "" {
		t.Doc.Tags = tags.doc.Tags // without it
		e = l.numberKind(s, e, tags.number)
	}
	return e
}

// enumBody lowers an enum. Its values must differ, since on the wire there are only they.
func (l *lowerer) enumBody(s *scope, t *Type, decl *parser.Enum) *Expr {
	e := &Expr{Kind: Enum}
	if len(decl.Members) == 0 {
		l.errorf(s, decl.Pos, "the enum %s has no member", t.Name)
	}
	names := map[string]string{}
	for _, m := range decl.Members {
		value := m.Value.Value.(string)
		if first, ok := names[value]; ok {
			l.errorf(s, m.Pos, "the enum members %q and %q have the same value", first, m.Name)
		}
		names[value] = m.Name
		e.Values = append(e.Values, &EnumValue{Name: m.Name, Value: value, Doc: l.tags(s, m.Doc, nil).doc, Revs: l.revs})
	}
	return e
}
