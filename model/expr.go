package model

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// expr lowers a type expression. Where it finds a mistake it reports it and returns Unknown, so
// that the rest can still be checked.
func (l *lowerer) expr(s *scope, env map[string]*Expr, t parser.Type) *Expr {
	pos := t.TypePos()
	bad := func(format string, args ...any) *Expr {
		l.errorf(s, pos, format, args...)
		return &Expr{Kind: Unknown, Pos: pos}
	}
	switch t := t.(type) {
	case *parser.Keyword:
		switch t.Name {
		case "string":
			return &Expr{Kind: String, Pos: pos}
		case "number":
			return &Expr{Kind: Integer, Pos: pos}
		case "boolean":
			return &Expr{Kind: Boolean, Pos: pos}
		case "null":
			return &Expr{Kind: Null, Pos: pos}
		case "unknown", "any":
			return &Expr{Kind: Unknown, Pos: pos}
		case "object":
			return &Expr{Kind: AnyObject, Pos: pos}
		}
		return bad("%s has no form in JSON", t.Name)
	case *parser.Literal:
		return &Expr{Kind: Literal, Value: t.Value, Pos: pos}
	case *parser.Template:
		return l.template(s, env, t)
	case *parser.Array:
		return &Expr{Kind: Array, Elem: l.expr(s, env, t.Elem), Readonly: t.Readonly, Pos: pos}
	case *parser.Tuple:
		e := &Expr{Kind: Tuple, Readonly: t.Readonly, Pos: pos}
		for _, x := range t.Elems {
			e.Elems = append(e.Elems, &Elem{Name: x.Name, Type: l.expr(s, env, x.Type), Optional: x.Optional, Rest: x.Rest})
		}
		return e
	case *parser.Union:
		return l.union(s, env, t)
	case *parser.Intersection:
		return l.intersection(s, env, t)
	case *parser.Object:
		return l.object(s, env, t)
	case *parser.TypeOf:
		d := l.lookup(s, t.Name)
		if d == nil {
			return bad("%s is not declared%s", t.Name, nearest(t.Name, s.names))
		}
		c, ok := d.decl.(*parser.Const)
		if !ok {
			return bad("typeof needs a constant, and %s is a type", t.Name)
		}
		return &Expr{Kind: Literal, Value: c.Value.Value, Pos: pos}
	case *parser.KeyOf:
		return l.keyOf(s, env, t)
	case *parser.Indexed:
		return l.indexed(s, env, t)
	case *parser.Ref:
		return l.ref(s, env, t)
	}
	return bad("this type is not supported")
}

// ref lowers a name: a type parameter, a utility type, a declaration or an instantiation.
func (l *lowerer) ref(s *scope, env map[string]*Expr, t *parser.Ref) *Expr {
	bad := func(format string, args ...any) *Expr {
		l.errorf(s, t.Pos, format, args...)
		return &Expr{Kind: Unknown, Pos: t.Pos}
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
		return bad("%s is not declared%s", t.Name, nearest(t.Name, s.names))
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
		return &Expr{Kind: Ref, Name: d.name, Pos: t.Pos}
	}
	inst := l.instantiate(s, env, d, t)
	if inst == nil {
		return &Expr{Kind: Unknown, Pos: t.Pos}
	}
	return &Expr{Kind: Ref, Name: inst.name, Pos: t.Pos}
}

// instantiate makes the type that a generic declaration is with these arguments. Its name is the
// generic name followed by those of the arguments: Page<Tool> is PageTool.
func (l *lowerer) instantiate(s *scope, env map[string]*Expr, d *declared, t *parser.Ref) *declared {
	params := typeParams(d.decl)
	least := 0
	for i, p := range params {
		if p.Default == nil {
			least = i + 1
		}
	}
	if len(t.Args) < least || len(t.Args) > len(params) {
		want := count(least, "type argument")
		if least < len(params) {
			want = "from " + strconv.Itoa(least) + " to " + count(len(params), "type argument")
		}
		l.errorf(s, t.Pos, "%s takes %s, not %d", t.Name, want, len(t.Args))
		return nil
	}
	args := map[string]*Expr{}
	name := d.name
	for i, p := range params {
		var e *Expr
		if i < len(t.Args) {
			e = l.expr(s, env, t.Args[i])
		} else {
			e = l.expr(d.scope, args, p.Default)
		}
		args[p.Name] = e
		n := nameOf(e)
		if n == "" {
			l.errorf(s, t.Pos, "argument %d of %s has no name: declare a type for it", i+1, t.Name)
			return nil
		}
		name += n
	}
	if inst := d.insts[name]; inst != nil {
		return inst
	}
	if len(name) > 200 {
		l.errorf(s, t.Pos, "%s is instantiated with itself without end", t.Name)
		return nil
	}
	inst := &declared{scope: d.scope, decl: d.decl, name: name, env: args}
	if d.insts == nil {
		d.insts = map[string]*declared{}
	}
	d.insts[name] = inst
	l.known[name] = inst
	l.queue = append(l.queue, inst)
	inst.queued = true
	return inst
}

// nameOf is the part of an instantiation's name that an argument gives it.
func nameOf(e *Expr) string {
	switch e.Kind {
	case Ref:
		return e.Name
	case Array, OneOrMany, Map, Nullable:
		if n := nameOf(e.Elem); n != "" {
			return n + capital(string(e.Kind))
		}
	case String, Integer, Number, Boolean, Null, Unknown, AnyObject, ID:
		return capital(string(e.Kind))
	}
	return ""
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// object lowers an object type.
func (l *lowerer) object(s *scope, env map[string]*Expr, t *parser.Object) *Expr {
	e := &Expr{Kind: Struct, Pos: t.Pos}
	l.addMembers(s, env, e, t.Members)
	return mapIfOnlyRest(e)
}

func mapIfOnlyRest(e *Expr) *Expr {
	if e.Rest != nil && len(e.Members) == 0 {
		return &Expr{Kind: Map, Elem: e.Rest, Pos: e.Pos}
	}
	return e
}

// addMembers adds declared members to a struct; a member that it has already is overridden.
func (l *lowerer) addMembers(s *scope, env map[string]*Expr, e *Expr, members []parser.Member) {
	for _, m := range members {
		switch m := m.(type) {
		case *parser.Index:
			if k, ok := m.Key.(*parser.Keyword); !ok || k.Name != "string" {
				l.errorf(s, m.Pos, "the keys of a JSON object are strings: want [%s: string]", m.Param)
				continue
			}
			e.Rest = l.expr(s, env, m.Value)
			if doc := l.tags(s, m.Doc).doc; doc.Text != "" && e.Rest != nil {
				rest := *e.Rest
				rest.Doc = doc
				e.Rest = &rest
			}
		case *parser.Property:
			l.setMember(e, l.member(s, env, m))
		}
	}
}

// setMember adds m to a struct in the place of a member of the same name, else at the end.
func (l *lowerer) setMember(e *Expr, m *Member) {
	for i, old := range e.Members {
		if old.Name != m.Name {
			continue
		}
		if m.Doc.Text == "" && m.Doc.Deprecated == "" {
			m.Doc = old.Doc
		}
		e.Members[i] = m
		return
	}
	e.Members = append(e.Members, m)
}

func (l *lowerer) member(s *scope, env map[string]*Expr, p *parser.Property) *Member {
	t := l.tags(s, p.Doc)
	m := &Member{
		Name: p.Name, Doc: t.doc, Optional: p.Optional, Readonly: p.Readonly, Revs: l.revs, Pos: p.Pos,
		Format: t.format, Minimum: t.minimum, Maximum: t.maximum, MaxItems: t.maxItems,
	}
	typ := p.Type
	if u, ok := typ.(*parser.Union); ok { // T | undefined: the member may be absent
		if rest, found := withoutUndefined(u); found {
			typ, m.Optional = rest, true
		}
	}
	m.Type = l.expr(s, env, typ)
	if t.number != "" {
		m.Type = l.numberKind(s, t.pos, m.Type, t.number)
	}
	if t.def != "" {
		m.Default = l.defaultValue(s, t.pos, t.def)
	}
	if !m.Optional {
		m.Required = l.revs
	}
	return m
}

func withoutUndefined(u *parser.Union) (parser.Type, bool) {
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
	var b strings.Builder
	b.WriteByte('^')
	for i, text := range t.Texts {
		b.WriteString(regexp.QuoteMeta(text))
		if i == len(t.Types) {
			break
		}
		switch e := l.expr(s, env, t.Types[i]); e.Kind {
		case String:
			b.WriteString(`[\s\S]*`)
		case Integer, Number:
			b.WriteString(`-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`)
		case Boolean:
			b.WriteString(`(true|false)`)
		case Literal, Enum:
			var alts []string
			for _, v := range literalStrings(e) {
				alts = append(alts, regexp.QuoteMeta(v))
			}
			b.WriteString("(" + strings.Join(alts, "|") + ")")
		default:
			l.errorf(s, t.Types[i].TypePos(), "a template literal type takes strings, numbers, booleans and literals")
		}
	}
	b.WriteByte('$')
	return &Expr{Kind: String, Pattern: b.String(), Pos: t.Pos}
}

// union lowers a union: to an enum, an id, a nullable or one-or-many type where it is one.
func (l *lowerer) union(s *scope, env map[string]*Expr, t *parser.Union) *Expr {
	e := &Expr{Kind: Union, Pos: t.Pos}
	for _, a := range t.Arms {
		x := l.expr(s, env, a.Type)
		if x.Kind == Unknown {
			return x // it takes everything
		}
		doc := l.tags(s, a.Doc).doc
		if x.Kind == Union { // (A | B) | C
			for _, inner := range x.Arms {
				e.Arms = append(e.Arms, inner)
			}
			continue
		}
		e.Arms = append(e.Arms, &Arm{Expr: x, Doc: doc, Revs: l.revs})
	}
	return l.simplify(e)
}

func (l *lowerer) simplify(e *Expr) *Expr {
	if enum := l.enumOf(e); enum != nil {
		return enum
	}
	if bools := 0; true {
		for _, a := range e.Arms {
			if _, ok := a.Expr.Value.(bool); ok && a.Expr.Kind == Literal {
				bools++
			}
		}
		if bools == 2 && len(e.Arms) == 2 {
			return &Expr{Kind: Boolean, Pos: e.Pos}
		}
	}
	for i, a := range e.Arms {
		if a.Expr.Kind != Null || len(e.Arms) < 2 {
			continue
		}
		rest := &Expr{Kind: Union, Pos: e.Pos}
		rest.Arms = append(append(rest.Arms, e.Arms[:i]...), e.Arms[i+1:]...)
		if len(rest.Arms) > 1 {
			return &Expr{Kind: Nullable, Elem: l.simplify(rest), Pos: e.Pos}
		}
		return &Expr{Kind: Nullable, Elem: rest.Arms[0].Expr, Pos: e.Pos}
	}
	if len(e.Arms) == 2 {
		a, b := e.Arms[0].Expr, e.Arms[1].Expr
		if a.Kind == Array {
			a, b = b, a
		}
		switch {
		case a.Kind == String && a.Pattern == "" && b.Kind == Integer, a.Kind == Integer && b.Kind == String && b.Pattern == "":
			return &Expr{Kind: ID, Pos: e.Pos}
		case b.Kind == Array && same(a, b.Elem):
			return &Expr{Kind: OneOrMany, Elem: a, Pos: e.Pos}
		}
	}
	for _, a := range e.Arms { // nothing says that a number among other scalars is whole
		if a.Expr.Kind == Integer {
			a.Expr = &Expr{Kind: Number, Pos: a.Expr.Pos}
		}
	}
	return e
}

// enumOf returns the enum that a union of string literals is. With `string` as an arm it is open.
func (l *lowerer) enumOf(u *Expr) *Expr {
	e := &Expr{Kind: Enum, Pos: u.Pos}
	seen := map[string]bool{}
	add := func(v *EnumValue) {
		if !seen[v.Value] {
			seen[v.Value] = true
			e.Values = append(e.Values, v)
		}
	}
	for _, a := range u.Arms {
		x := a.Expr
		if x.Kind == Ref {
			if t := l.out.byName[x.Name]; t != nil && t.Expr != nil && (t.Expr.Kind == Enum || t.Expr.Kind == Literal) {
				x = t.Expr
			}
		}
		switch x.Kind {
		case Literal:
			v, ok := x.Value.(string)
			if !ok {
				return nil
			}
			add(&EnumValue{Value: v, Doc: a.Doc, Revs: l.revs})
		case Enum:
			for _, v := range x.Values {
				add(v)
			}
			e.Open = e.Open || x.Open
		case String:
			e.Open = true
		default:
			return nil
		}
	}
	if len(e.Values) == 0 {
		return nil
	}
	return e
}

func literalStrings(e *Expr) []string {
	switch e.Kind {
	case Literal:
		switch v := e.Value.(type) {
		case string:
			return []string{v}
		case parser.Number:
			return []string{string(v)}
		case bool:
			if v {
				return []string{"true"}
			}
			return []string{"false"}
		}
	case Enum:
		var out []string
		for _, v := range e.Values {
			out = append(out, v.Value)
		}
		return out
	}
	return nil
}
