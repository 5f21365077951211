package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// interfaceBody lowers an interface to a struct that holds its own members and all inherited ones.
// The most derived declaration of a member wins, in the place of the one it overrides.
func (l *lowerer) interfaceBody(s *scope, env map[string]*Expr, t *Type, decl *parser.Interface) *Expr {
	e := &Expr{Kind: Struct}
	index := map[string]*Member{}
	clash := map[string]string{} // members that two bases declare differently → the bases
	for _, b := range decl.Extends {
		base := l.ref(s, env, b)
		name := l.baseName(s, env, b, base)
		t.Bases = append(t.Bases, name)
		st := l.structOf(s, b.Pos, base)
		if st == nil {
			continue
		}
		for _, m := range l.copyMembers(s, b.Pos, st.Members) {
			if m.From == "" {
				m.From = name
			}
			if old := index[m.Name]; old == nil {
				index[m.Name] = m
				e.Members = append(e.Members, m)
			} else if !same(old.Type, m.Type) {
				clash[m.Name] = old.From + " and " + m.From
			} else if old.Optional && !m.Optional {
				old.Optional, old.Required = false, m.Required
			}
		}
		if st.Rest != nil {
			e.Rest, e.Readonly = st.Rest, st.Readonly
		}
	}
	l.addMembers(s, env, e, decl.Members)
	for _, m := range e.Members {
		if bases := clash[m.Name]; bases != "" && m.From != "" {
			l.errorf(s, decl.Pos, "%s inherits different members %s from %s: declare %s in %s", t.Name, m.Name, bases, m.Name, t.Name)
		}
	}
	return mapIfOnlyRest(e)
}

// baseName returns the name of a base in Type.Bases: that of the type, or the expression if it is made by a utility
// type.
func (l *lowerer) baseName(s *scope, env map[string]*Expr, b *parser.Ref, e *Expr) string {
	if e.Kind == Ref || len(b.Args) == 0 {
		return cmp.Or(e.Name, b.Name)
	}
	var args []string
	for _, a := range b.Args {
		e := l.expr(s, env, a)
		if lits := literalStrings(e); lits != nil {
			args = append(args, `"`+strings.Join(lits, `" | "`)+`"`)
		} else {
			args = append(args, cmp.Or(nameOf(e), describe(e)))
		}
	}
	return b.Name + "<" + strings.Join(args, ", ") + ">"
}

// resolveRef follows names to their types. If a declaration depends on itself, it reports that and returns nil.
func (l *lowerer) resolveRef(s *scope, pos parser.Pos, e *Expr) *Expr {
	for range maxChain {
		if e.Kind != Ref {
			return e
		}
		d := l.known[e.Name]
		t := l.lower(d)
		if t == nil {
			if d.state == lowering {
				i := slices.Index(l.stack, d.name)
				l.errorf(s, pos, "%s is circular: %s", d.name, strings.Join(append(slices.Clone(l.stack[i:]), d.name), " → "))
			}
			return nil
		}
		e = t.Expr
	}
	return nil // aliasCycles will report it
}

// peek follows names as far as possible without declarations that are being lowered. Interfaces stay names.
func (l *lowerer) peek(e *Expr) *Expr {
	for range maxChain {
		if e.Kind != Ref {
			break
		}
		d := l.known[e.Name]
		if _, ok := d.decl.(*parser.Interface); ok {
			break
		}
		t := l.lower(d)
		if t == nil {
			break
		}
		e = t.Expr
	}
	return e
}

// structOf returns a type as a struct. If it is not a struct, it reports an error and returns nil. A map is a
// struct that declares no member.
func (l *lowerer) structOf(s *scope, pos parser.Pos, e *Expr) *Expr {
	r := l.resolveRef(s, pos, e)
	if r == nil {
		return nil
	}
	switch r.Kind {
	case Struct:
		return r
	case Map:
		return &Expr{Kind: Struct, Rest: r.Elem, Readonly: r.Readonly}
	case Unknown:
		if len(l.errs) > 0 {
			return nil // of a mistake already reported
		}
	}
	l.errorf(s, pos, "%s is not an object type", describe(e))
	return nil
}

// copyMembers copies members into another type. The total is bounded, since a few declarations can multiply it.
func (l *lowerer) copyMembers(s *scope, pos parser.Pos, members []*Member) []*Member {
	var out []*Member
	for _, m := range members {
		if !l.copying(s, pos, m.Type) {
			return nil
		}
		c := *m
		out = append(out, &c)
	}
	return out
}
