package model

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// expr lowers a type expression. If it finds a mistake it reports it and returns Unknown, so that the rest can
// still be checked.
func (l *lowerer) expr(s *scope, env map[string]*Expr, t parser.Type) *Expr {
	pos := t.TypePos()
	bad := func(format string, args ...any) *Expr {
		l.errorf(s, pos, format, args...)
		return &Expr{Kind: Unknown}
	}
	switch t := t.(type) {
	case *parser.Keyword:
		switch t.Name {
		case "string":
			return &Expr{Kind: String}
		case "number":
			return &Expr{Kind: Integer}
		case "boolean":
			return &Expr{Kind: Boolean}
		case "null":
			return &Expr{Kind: Null}
		case "unknown", "any":
			return &Expr{Kind: Unknown}
		case "object":
			return &Expr{Kind: AnyObject}
		}
		return bad("%s has no form in JSON", t.Name)
	case *parser.Literal:
		return &Expr{Kind: Literal, Value: t.Value}
	case *parser.Template:
		return l.template(s, env, t)
	case *parser.Array:
		return &Expr{Kind: Array, Elem: l.expr(s, env, t.Elem), Readonly: t.Readonly}
	case *parser.Tuple:
		e := &Expr{Kind: Tuple, Readonly: t.Readonly}
		for _, x := range t.Elems {
			elem := &Elem{Name: x.Name, Type: l.expr(s, env, x.Type), Optional: x.Optional, Rest: x.Rest}
			if x.Rest {
				if r := l.peek(elem.Type); r.Kind != Array && r.Kind != Unknown {
					l.errorf(s, x.Pos, "the rest element of a tuple must be an array")
				}
			}
			e.Elems = append(e.Elems, elem)
		}
		return e
	case *parser.Union:
		return l.union(s, env, t)
	case *parser.Intersection:
		return l.intersection(s, env, t)
	case *parser.Object:
		return l.object(s, env, t)
	case *parser.Mapped:
		return l.mapped(s, env, t)
	case *parser.TypeOf:
		d := l.lookup(s, t.Name)
		if d == nil {
			return l.undeclared(s, pos, t.Name)
		}
		c, ok := d.decl.(*parser.Const)
		if !ok {
			return bad("typeof needs a constant, and %s is a type", t.Name)
		}
		if i, ok := c.Type.(*parser.Indexed); ok { // const X: A["x"] = "x", where A["x"] may be any string
			if of := l.expr(d.scope, nil, i); of.Kind != Literal {
				return of
			}
		}
		e := &Expr{Kind: Literal, Value: c.Value.Value}
		if k, ok := c.Type.(*parser.Keyword); ok { // const X: string = "x"
			e = l.expr(d.scope, nil, k)
		}
		e.Name = d.name
		return e
	case *parser.KeyOf:
		return l.keyOf(s, env, t)
	case *parser.Indexed:
		return l.indexed(s, env, t)
	case *parser.Ref:
		return l.ref(s, env, t)
	}
	return bad("this type is not supported")
}

// undeclared reports a name that nothing declares, unless its import is reported already.
func (l *lowerer) undeclared(s *scope, pos parser.Pos, name string) *Expr {
	if !s.broken[name] {
		l.errorf(s, pos, "%s is not declared%s", name, l.nearest(name, s.names))
	}
	return &Expr{Kind: Unknown}
}

// ref lowers a name: a type parameter, a utility type, a declaration or an instantiation.
func (l *lowerer) ref(s *scope, env map[string]*Expr, t *parser.Ref) *Expr {
	bad := func(format string, args ...any) *Expr {
		l.errorf(s, t.Pos, format, args...)
		return &Expr{Kind: Unknown}
	}
	if e := env[t.Name]; e != nil {
		if len(t.Args) > 0 {
			return bad("%s is a type parameter and takes no type arguments", t.Name)
		}
		return e
	}
	d := l.lookup(s, t.Name)
	if d == nil {
		if n, ok := utilities[t.Name]; ok {
			if len(t.Args) != n {
				return bad("%s takes %s, not %d", t.Name, count(n, "type argument"), len(t.Args))
			}
			return l.utility(s, env, t)
		}
		return l.undeclared(s, t.Pos, t.Name)
	}
	if _, ok := d.decl.(*parser.Const); ok {
		return bad("%s is a constant, not a type: write typeof %s", t.Name, t.Name)
	}
	params := typeParams(d.decl)
	if len(params) == 0 {
		if len(t.Args) > 0 {
			return bad("%s is not generic and takes no type arguments", t.Name)
		}
		l.known[d.name] = d
		return &Expr{Kind: Ref, Name: d.name}
	}
	inst := l.instantiate(s, env, d, t)
	if inst == nil {
		return &Expr{Kind: Unknown}
	}
	return &Expr{Kind: Ref, Name: inst.name}
}

// object lowers an object type.
func (l *lowerer) object(s *scope, env map[string]*Expr, t *parser.Object) *Expr {
	e := &Expr{Kind: Struct}
	l.addMembers(s, env, e, t.Members)
	return mapIfOnlyRest(e)
}

func mapIfOnlyRest(e *Expr) *Expr {
	if e.Rest != nil && len(e.Members) == 0 {
		return &Expr{Kind: Map, Elem: e.Rest, Readonly: e.Readonly}
	}
	return e
}

// addMembers adds declared members to a struct. A member that the struct already has is overridden in its place,
// and keeps its documentation if the new one has none.
func (l *lowerer) addMembers(s *scope, env map[string]*Expr, e *Expr, members []parser.Member) {
	index := map[string]int{}
	for i, m := range e.Members {
		index[m.Name] = i
	}
	for _, decl := range members {
		switch decl := decl.(type) {
		case *parser.Index:
			l.addIndex(s, env, e, decl)
		case *parser.Property:
			if l.isAbsent(s, decl) {
				e.Absent = append(e.Absent, decl.Name)
				continue
			}
			m := l.member(s, env, decl)
			i, overrides := index[m.Name]
			if !overrides {
				e.Members = append(e.Members, m)
				continue
			}
			if decl.Doc == nil {
				m.Doc = e.Members[i].Doc
			}
			e.Members[i] = m
		}
	}
	e.removeAbsent()
}

// isAbsent reports whether a member is declared only to say that it is absent.
func (l *lowerer) isAbsent(s *scope, p *parser.Property) bool {
	never, undefined := false, false
	arms := []parser.UnionArm{{Type: p.Type}}
	if u, ok := p.Type.(*parser.Union); ok {
		arms = u.Arms
	}
	for _, a := range arms {
		switch k, ok := a.Type.(*parser.Keyword); {
		case ok && k.Name == "never":
			never = true
		case ok && k.Name == "undefined":
			undefined = true
		default:
			return false
		}
	}
	if never && !undefined && !p.Optional {
		l.errorf(s, p.Type.TypePos(), "no object has a member of type never: write %s?: never where it is to be absent", p.Name)
	}
	return true
}

// removeAbsent removes the members of a struct that are declared absent.
func (e *Expr) removeAbsent() {
	e.Members = slices.DeleteFunc(e.Members, func(m *Member) bool { return slices.Contains(e.Absent, m.Name) })
}

func (l *lowerer) addIndex(s *scope, env map[string]*Expr, e *Expr, decl *parser.Index) {
	if k, ok := decl.Key.(*parser.Keyword); !ok || k.Name != "string" {
		l.errorf(s, decl.Pos, "the keys of a JSON object are strings: want [%s: string]", decl.Param)
		return
	}
	rest := *l.expr(s, env, decl.Value)
	tags := l.tags(s, decl.Doc, indexTags)
	if tags.number.Text != "" {
		rest = *l.numberKind(s, &rest, tags.number)
	}
	rest.Doc = tags.doc.with(rest.Doc)
	e.Rest, e.Readonly = &rest, decl.Readonly
}

// member lowers a member. It is required in all revisions of the schema, unless it is optional or undefined is one of its types.
func (l *lowerer) member(s *scope, env map[string]*Expr, p *parser.Property) *Member {
	t := l.tags(s, p.Doc, memberTags)
	m := &Member{
		Name: p.Name, Doc: t.doc, Optional: p.Optional, Readonly: p.Readonly, Revs: l.revs, Pos: p.Pos,
		Format: t.format, Minimum: t.minimum, Maximum: t.maximum, MaxItems: t.maxItems,
	}
	typ := p.Type
	if rest, found := withoutUndefined(typ); found { // T | undefined: the member may be absent
		typ, m.Optional = rest, true
	}
	m.Type = l.expr(s, env, typ)
	if t.number.Text != "" {
		m.Type = l.numberKind(s, m.Type, t.number)
	}
	if t.def.Text != "" {
		m.Default = l.defaultValue(s, m.Type, t.def)
	}
	if !m.Optional {
		m.Required = l.revs
	}
	return m
}

// withoutUndefined removes undefined from a union, and reports whether the union had it.
func withoutUndefined(t parser.Type) (parser.Type, bool) {
	u, ok := t.(*parser.Union)
	if !ok {
		return t, false
	}
	rest := &parser.Union{Pos: u.Pos}
	for _, a := range u.Arms {
		if k, ok := a.Type.(*parser.Keyword); ok && k.Name == "undefined" {
			continue
		}
		rest.Arms = append(rest.Arms, a)
	}
	switch len(rest.Arms) {
	case len(u.Arms), 0:
		return u, false
	case 1:
		return rest.Arms[0].Type, true
	}
	return rest, true
}

// template lowers a template literal type to a string with a pattern.
func (l *lowerer) template(s *scope, env map[string]*Expr, t *parser.Template) *Expr {
	if len(t.Types) == 0 {
		return &Expr{Kind: Literal, Value: t.Texts[0]}
	}
	var b strings.Builder
	b.WriteByte('^')
	for i, text := range t.Texts {
		b.WriteString(regexp.QuoteMeta(text))
		if i == len(t.Types) {
			break
		}
		switch e := l.peek(l.expr(s, env, t.Types[i])); {
		case e.Kind == String && e.Pattern != "":
			b.WriteString(strings.TrimSuffix(strings.TrimPrefix(e.Pattern, "^"), "$"))
		case e.Kind == String || e.Kind == ID || e.Kind == Enum && e.Open:
			b.WriteString(`[\s\S]*`)
		case e.Kind == Integer || e.Kind == Number:
			b.WriteString(`-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`)
		case e.Kind == Boolean:
			b.WriteString(`(true|false)`)
		case e.Kind == Literal || e.Kind == Enum:
			var alts []string
			for _, v := range literalStrings(e) {
				alts = append(alts, regexp.QuoteMeta(v))
			}
			b.WriteString("(" + strings.Join(alts, "|") + ")")
		case e.Kind == Unknown && len(l.errs) > 0: // of a mistake already reported
		default:
			l.errorf(s, t.Types[i].TypePos(), "a template literal type takes strings, numbers, booleans and literals")
		}
		if b.Len() > maxPattern {
			l.exceeded(s, t.Pos, "the template literal type is too long")
			b.Reset()
			break
		}
	}
	b.WriteByte('$')
	return &Expr{Kind: String, Pattern: b.String()}
}
