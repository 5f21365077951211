package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// Merge makes the model that code is generated from out of one lowered schema or of several, one per revision. It
// takes over the schemas: do not use them afterwards.
//
// Types of the same name are merged member by member. The newest form takes precedence; what only older revisions
// have is kept beside it, and everything records the revisions in which it exists. A conflict that no rule and no
// exception decides is an error.
func Merge(schemas ...*Schema) (*Schema, error) {
	s, err := merge(table, schemas)
	if err == nil && len(s.Methods) > 0 {
		s.Headers = headersOf(s.Revisions)
	}
	return s, err
}

// merge merges the schemas of revisions, by a table of exceptions: from the newest to the oldest, so that each older one only
// adds to what is there.
func merge(table []exception, schemas []*Schema) (*Schema, error) {
	if len(schemas) == 0 {
		return nil, errors.New("no schema to merge")
	}
	schemas = slices.Clone(schemas)
	slices.SortFunc(schemas, func(a, b *Schema) int { return strings.Compare(a.Revisions[0], b.Revisions[0]) })
	var revs Revs
	for _, s := range schemas {
		if len(s.Revisions) != 1 || s.Methods != nil {
			return nil, fmt.Errorf("the schema of %s is merged already", strings.Join(s.Revisions, ", "))
		}
		if r := s.Revisions[0]; revs.Has(r) {
			return nil, fmt.Errorf("two schemas of revision %s", r)
		}
		revs = append(revs, s.Revisions[0])
	}
	m := newMerger(table, revs)
	for _, s := range schemas {
		m.prepare(s)
		m.direct(s)
	}
	m.out = schemas[len(schemas)-1]
	for i := len(schemas) - 2; i >= 0; i-- {
		m.mergeSchema(schemas[i])
		if cycles := m.out.aliasCycles(); cycles != nil {
			return nil, fmt.Errorf("with %s, %s is circular: %s", schemas[i].Revisions[0], cycles[0][0], strings.Join(cycles[0], " → "))
		}
	}
	m.out.Revisions = revs
	return m.complete()
}

// complete makes the model from what has been merged.
func (m *merger) complete() (*Schema, error) {
	m.adopt()
	m.openParams()
	m.assignRoles()
	m.hoist()
	m.categorize()
	m.finish()
	m.plan()
	m.pair()
	if len(m.errs) == 0 {
		if err := m.x.unused(); err != nil {
			m.errs = append(m.errs, err)
		}
	}
	if len(m.errs) > 0 {
		return nil, errors.Join(m.errs...)
	}
	return m.out, nil
}

type merger struct {
	x       *exceptions
	out     *Schema
	methods map[string]*direction // by type name
	parts   map[string]bool       // unions inside the unions that give direction
	places  map[string]string     // by name of an inline type: the path at which it is declared
	olds    map[string]*Expr      // member at a revision → its type there, at the place merged first
	arms    map[string]string     // union at a revision → its arms, as far as inline unions said
	rules   map[meeting]rule
	errs    []error

	flattened map[string]bool // arms of unions that became one object
}

func newMerger(table []exception, revs Revs) *merger {
	return &merger{
		x:         newExceptions(table, revs),
		methods:   map[string]*direction{},
		parts:     map[string]bool{},
		places:    map[string]string{},
		olds:      map[string]*Expr{},
		arms:      map[string]string{},
		rules:     rules(),
		flattened: map[string]bool{},
	}
}

func (m *merger) errorf(format string, args ...any) { m.report(fmt.Errorf(format, args...)) }

// errorAt reports a mistake in the declaration of a type.
func (m *merger) errorAt(t *Type, format string, args ...any) {
	m.report(&parser.Error{File: t.File, Pos: t.Pos, Msg: fmt.Sprintf(format, args...)})
}

func (m *merger) report(err error) {
	if len(m.errs) < maxErrors && !slices.ContainsFunc(m.errs, func(e error) bool { return e.Error() == err.Error() }) {
		m.errs = append(m.errs, err)
	}
}

// mergeSchema adds an older schema to what has been merged, which keeps the order and the documentation of the newer ones; types that
// only the older schema has come last.
func (m *merger) mergeSchema(old *Schema) {
	m.out.Sources = append(old.Sources, m.out.Sources...)
	consts := make(map[string]*Const, len(m.out.Consts))
	for _, c := range m.out.Consts {
		consts[c.Name] = c
	}
	for _, c := range old.Consts {
		switch now := consts[c.Name]; {
		case now == nil:
			m.out.Consts = append(m.out.Consts, c)
		case now.Value == c.Value, c.Name == latestVersion: // each file names a revision, not always its own
			now.Revs = now.Revs.with(c.Revs)
		default:
			m.errorf("cannot merge constant %s: %v in %s, %v in %s", c.Name, now.Value, now.Revs[0], c.Value, c.Revs[0])
		}
	}
	// Declared types first: what is only in this schema must be there when a member refers to it.
	var both []*Type
	for _, t := range old.Types {
		if m.out.byName[t.Name] == nil {
			m.out.Types = append(m.out.Types, t)
			m.out.byName[t.Name] = t
		} else {
			both = append(both, t)
		}
	}
	for _, t := range both {
		n := m.out.byName[t.Name]
		n.Revs = n.Revs.with(t.Revs)
		if n.Category == "" {
			n.Category = t.Category
		}
		if n.Doc.Text == "" {
			n.Doc.Text = t.Doc.Text
		}
		for _, b := range t.Bases {
			if !slices.Contains(n.Bases, b) {
				n.Bases = append(n.Bases, b)
			}
		}
		if isDirection(t) || isEnvelope(old, t) || isEnvelope(m.out, n) {
			continue // JSON-RPC's own types are not data: their newest shape stands for all
		}
		at := site{path: t.Name, rev: old.Revisions[0], old: old}
		n.Expr, _ = m.merge(at, n.Expr, t.Expr)
	}
}

// latestVersion is the constant by which a schema file names a revision.
const latestVersion = "LATEST_PROTOCOL_VERSION"

// A site is a place at which a newer and an older type are merged.
type site struct {
	path string
	rev  string  // the older revision
	old  *Schema // its schema
}

func (s site) in(member string) site {
	s.path += "." + member
	return s
}

// element is the place of the elements or values of an array or map.
func (s site) element() site {
	s.path += "[]"
	return s
}

func hasArm(u *Expr, name string) bool {
	return slices.ContainsFunc(u.Arms, func(a *Arm) bool { return a.Expr.Kind == Ref && a.Expr.Name == name })
}

func (m *merger) newest() string { return m.x.revs[len(m.x.revs)-1] }

// mergeMembers adds the members of the older struct to the newer one.
func (m *merger) mergeMembers(at site, n, o *Expr) (*Expr, bool) {
	for _, om := range o.Members {
		nm := n.member(om.Name)
		if nm == nil {
			c := *om
			c.Type = clone(om.Type)
			n.Members = append(n.Members, &c)
			continue
		}
		typ, narrow := m.merge(at.in(om.Name), nm.Type, om.Type)
		nm.Type = typ
		m.narrow(at.in(om.Name), nm, om, narrow)
		nm.Revs = nm.Revs.with(om.Revs)
		nm.Required = nm.Required.with(om.Required)
		if nm.Default == nil {
			nm.Default = om.Default
		}
		if nm.Doc.Text == "" {
			nm.Doc.Text = om.Doc.Text
		}
	}
	if n.Rest == nil && o.Rest != nil {
		n.Rest = o.Rest
	}
	return n, false
}

// narrow notes whether a member has a narrower type in an older revision. Several places may share the struct: they must
// agree about that revision.
func (m *merger) narrow(at site, nm, om *Member, narrow bool) {
	key := at.path + " " + at.rev
	if prev, ok := m.olds[key]; ok && (narrow || nm.narrowing(at.rev) != nil) && !same(prev, om.Type) {
		m.errorf("%s: in %s one place has %s and another %s; they cannot share a type",
			at.path, at.rev, describe(prev), describe(om.Type))
		return
	}
	m.olds[key] = om.Type
	if !narrow || nm.narrowing(at.rev) != nil {
		return
	}
	if i := slices.IndexFunc(nm.Narrowings, func(v *Narrowing) bool { return same(v.Type, om.Type) }); i >= 0 {
		nm.Narrowings[i].Revs = nm.Narrowings[i].Revs.with(om.Revs)
		nm.Narrowings[i].Type.addRevs(om.Revs)
		return
	}
	nm.Narrowings = append(nm.Narrowings, &Narrowing{Revs: om.Revs, Type: clone(om.Type)})
}

// mergeUnion adds what an older revision has in place of a union: another union, or an object that became one of
// the arms.
func (m *merger) mergeUnion(at site, n, o *Expr) (*Expr, bool) {
	switch o.Kind {
	case Ref:
		for _, a := range n.Arms {
			if a.Expr.Kind == Ref && a.Expr.Name == o.Name {
				a.Revs = a.Revs.with(Revs{at.rev})
				return n, false
			}
		}
		return nil, false
	case Struct:
		arm, err := m.armFor(at.path, n, o)
		if err != nil {
			m.report(err)
			return n, false
		}
		if arm == nil {
			return nil, false
		}
		arm.Revs = arm.Revs.with(Revs{at.rev})
		m.merge(at, arm.Expr, o)
		return n, false
	case Union:
	default: // a scalar that became one of several
		for _, a := range n.Arms {
			if same(a.Expr, o) {
				a.Revs = a.Revs.with(Revs{at.rev})
				return n, true
			}
		}
		return nil, false
	}
	var names []string
	for _, oa := range o.Arms {
		names = append(names, describe(oa.Expr))
		i := slices.IndexFunc(n.Arms, func(a *Arm) bool {
			return same(a.Expr, oa.Expr)
		})
		if i >= 0 {
			n.Arms[i].Revs = n.Arms[i].Revs.with(oa.Revs)
			continue
		}
		if oa.Expr.Kind == Ref && m.mergeInner(n, oa, map[string]bool{}) {
			continue
		}
		if twin := m.twin(n, oa, at); twin != "" {
			m.errorf("%s: arm %s of %s looks like %s of a later revision: rename it in the table of exceptions",
				at.path, oa.Expr.Name, at.rev, twin)
			continue
		}
		n.Arms = append(n.Arms, oa)
	}
	// Several places may share the union: they must agree about an older revision.
	slices.Sort(names)
	key, set := at.path+" "+at.rev, strings.Join(names, " | ")
	if prev, ok := m.arms[key]; ok && prev != set {
		m.errorf("%s: in %s one place has %s and another %s; they cannot share a union", at.path, at.rev, prev, set)
	}
	m.arms[key] = set
	return n, false
}

// adopt gives inherited members the type of the newest declaration at the same place: what a removed request
// declares as `{ progressToken? }` is now RequestMetaObject.
func (m *merger) adopt() {
	for _, t := range m.out.Types {
		if isEnvelope(m.out, t) {
			continue
		}
		t.Expr.walk(func(e *Expr) {
			for _, x := range e.Members {
				if x.From == "" {
					continue
				}
				if common := m.out.byName[x.From+"Params"]; x.Name == "params" && x.Type.Kind == Struct && common != nil && common.Expr.Kind == Struct {
					m.adoptAt(t, x, common.Name)
					continue
				}
				base := m.out.byName[x.From]
				if base == nil || x.Type.Kind == Ref || isEnvelope(m.out, base) {
					continue
				}
				now := base.Expr.member(x.Name)
				if now == nil || now.Type.Kind != Ref {
					continue
				}
				m.adoptAt(t, x, now.Type.Name)
			}
		})
	}
}

// adoptAt merges the inline type of a member into the type of that name.
func (m *merger) adoptAt(t *Type, x *Member, name string) {
	at := site{path: t.Name + "." + x.Name, rev: x.Revs[0], old: m.out}
	x.Type, _ = m.merge(at, &Expr{Kind: Ref, Name: name}, x.Type)
	m.out.byName[name].Revs = m.out.byName[name].Revs.with(x.Revs)
}

// openParams gives requests and notifications that do not declare params those that all may have: the open object
// of their base, or RequestParams if there is one.
func (m *merger) openParams() {
	for name := range m.methods {
		t := m.out.byName[name]
		if t == nil || t.Expr.Kind != Struct {
			continue
		}
		p := t.Expr.member("params")
		if p == nil || p.Type.Kind != Map && p.Type.Kind != AnyObject {
			continue
		}
		if common := m.out.byName[p.From+"Params"]; p.From != "" && common != nil && common.Expr.Kind == Struct {
			p.Type = &Expr{Kind: Ref, Name: common.Name}
		} else {
			p.Type = &Expr{Kind: Struct, Rest: &Expr{Kind: Unknown}}
		}
	}
}

// mergeInner adds an older arm to the union inside n that has it. Seen has the unions on the way.
func (m *merger) mergeInner(n *Expr, oa *Arm, seen map[string]bool) bool {
	for _, a := range n.Arms {
		inner := m.out.byName[a.Expr.Name]
		if a.Expr.Kind != Ref || inner.Expr.Kind != Union || seen[inner.Name] {
			continue
		}
		seen[inner.Name] = true
		found := hasArm(inner.Expr, oa.Expr.Name)
		for _, b := range inner.Expr.Arms {
			if b.Expr.Kind == Ref && b.Expr.Name == oa.Expr.Name {
				b.Revs = b.Revs.with(oa.Revs)
			}
		}
		if found || m.mergeInner(inner.Expr, oa, seen) {
			a.Revs = a.Revs.with(oa.Revs)
			inner.Revs = inner.Revs.with(oa.Revs)
			return true
		}
	}
	return false
}

// twin finds the arm of a newer union that the same literal selects.
func (m *merger) twin(n *Expr, oa *Arm, at site) string {
	if oa.Expr.Kind != Ref {
		return ""
	}
	ot := at.old.byName[oa.Expr.Name]
	for _, a := range n.Arms {
		nt := m.out.byName[a.Expr.Name]
		if nt == nil || ot == nil || nt.Expr.Kind != Struct || ot.Expr.Kind != Struct {
			continue
		}
		for _, om := range ot.Expr.Members {
			nm := nt.Expr.member(om.Name)
			if nm != nil && om.Type.Kind == Literal && nm.Type.Kind == Literal && om.Type.Value == nm.Type.Value {
				return a.Expr.Name
			}
		}
	}
	return ""
}

// addRevs adds revisions to everything in a type that records them.
func (e *Expr) addRevs(revs Revs) {
	e.walk(func(x *Expr) {
		for _, v := range x.Values {
			v.Revs = v.Revs.with(revs)
		}
		for _, m := range x.Members {
			m.Revs = m.Revs.with(revs)
		}
		for _, a := range x.Arms {
			a.Revs = a.Revs.with(revs)
		}
	})
}
