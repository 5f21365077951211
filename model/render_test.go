package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A renderer prints a schema for people to review: one line for each type, member, arm, value,
// test and method. What is usual (all revisions, no documentation) is left out.
type renderer struct {
	strings.Builder
	all    Revs // of the schema
	within Revs // of what is being printed: they go without saying
	docs   bool
	indent int
}

// render prints a schema, with or without its documentation.
func render(s *Schema, docs bool) string {
	r := renderer{all: s.Revisions, within: s.Revisions, docs: docs}
	for _, c := range s.Consts {
		r.line("const %s", c.Name)
		if c.Type != nil {
			r.WriteString(": ")
			r.expr(c.Type)
		}
		r.WriteString(" = " + value(c.Value))
		r.notes(append(r.docNotes(c.Doc), r.revs("in", c.Revs), note("category", c.Category), mark("internal", c.Internal))...)
	}
	for _, t := range s.Types {
		r.typ(t)
	}
	for _, m := range s.Methods {
		r.method(m)
	}
	for _, h := range s.Headers {
		r.line("\nheader %s", h.Name)
		r.notes(h.Doc, r.revs("in", h.Revs))
	}
	return strings.TrimLeft(r.String(), "\n") + "\n"
}

func (r *renderer) line(format string, args ...any) {
	r.WriteByte('\n')
	r.WriteString(strings.Repeat("  ", r.indent))
	fmt.Fprintf(r, format, args...)
}

// notes ends a line with what is noteworthy about it.
func (r *renderer) notes(notes ...string) {
	notes = slices.DeleteFunc(notes, func(s string) bool { return s == "" })
	if len(notes) > 0 {
		r.WriteString(" // " + strings.Join(notes, "; "))
	}
}

func note(what, text string) string {
	if text == "" {
		return ""
	}
	return what + " " + text
}

func mark(what string, set bool) string {
	if !set {
		return ""
	}
	return what
}

func (r *renderer) docNotes(d Doc) []string {
	if !r.docs {
		return []string{mark("deprecated", d.Deprecated != "")}
	}
	var notes []string
	if d.Text != "" {
		notes = append(notes, strconv.Quote(d.Text))
	}
	if d.Deprecated != "" {
		notes = append(notes, "deprecated: "+strconv.Quote(d.Deprecated))
	}
	for _, t := range d.Tags {
		notes = append(notes, "@"+t.Name+" "+strconv.Quote(t.Text))
	}
	return notes
}

// revs names a set of revisions; those that go without saying it does not.
func (r *renderer) revs(what string, set Revs) string {
	if slices.Equal(set, r.within) {
		return ""
	}
	return what + " " + spans(r.all, set)
}

func spans(all, set Revs) string {
	var out []string
	for i := 0; i < len(all); i++ {
		if !set.Has(all[i]) {
			continue
		}
		first := i
		for i+1 < len(all) && set.Has(all[i+1]) {
			i++
		}
		switch {
		case first == 0 && i == len(all)-1:
			return "all revisions"
		case first == i:
			out = append(out, all[i])
		case i == len(all)-1:
			out = append(out, "≥"+all[first])
		case first == 0:
			out = append(out, "≤"+all[i])
		default:
			out = append(out, all[first]+"…"+all[i])
		}
	}
	if out == nil {
		return "no revision"
	}
	return strings.Join(out, ", ")
}

func value(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprint(v)
}

func (r *renderer) typ(t *Type) {
	r.line("\ntype %s", t.Name)
	if t.Generic != "" {
		r.WriteString(" = " + t.Generic + "<")
		for i, a := range t.Args {
			if i > 0 {
				r.WriteString(", ")
			}
			r.WriteString(a.Param)
			for _, part := range []struct {
				what string
				e    *Expr
			}{{" extends ", a.Constraint}, {" by default ", a.Default}, {" = ", a.Type}} {
				if part.e != nil {
					r.WriteString(part.what)
					r.expr(part.e)
				}
			}
		}
		r.WriteString(">")
	}
	r.WriteString(": ")
	r.expr(t.Expr)
	notes := []string{string(t.Role), r.revs("in", t.Revs), note("extends", strings.Join(t.Bases, ", ")),
		note("category", t.Category), note("at", t.Key), mark("internal", t.Internal), mark("inline", t.Inline)}
	r.notes(append(notes, r.docNotes(t.Doc)...)...)
	r.within = t.Revs
	r.inside(t.Expr)
	r.within = r.all
}

// expr prints a type on the current line; what needs lines of its own is printed by inside.
func (r *renderer) expr(e *Expr) {
	elem := func(name string) {
		r.WriteString(name + "<")
		r.expr(e.Elem)
		r.WriteString(">")
	}
	if e.Readonly {
		r.WriteString("readonly ")
	}
	switch e.Kind {
	case Literal, String, Integer, Boolean:
		switch {
		case e.Kind == Literal:
			r.WriteString(value(e.Value))
		case e.Pattern != "":
			r.WriteString("string like " + e.Pattern)
		default:
			r.WriteString(string(e.Kind))
		}
		if e.Name != "" {
			r.WriteString(" (" + e.Name + ")")
		}
	case Ref:
		r.WriteString(e.Name)
	case Array, OneOrMany, Nullable:
		if e.Brackets {
			r.WriteString("bracketed ")
		}
		elem(string(e.Kind))
	case Map:
		if e.Ordered {
			r.WriteString("ordered ")
		}
		elem("map")
	case Raw:
		if e.Elem != nil {
			elem("raw")
		} else {
			r.WriteString("raw")
		}
	case Struct, Union, Enum:
		if e.Open {
			r.WriteString("open ")
		}
		r.WriteString(string(e.Kind))
		if e.Name != "" {
			r.WriteString(" of " + e.Name)
		}
	case Tuple:
		r.WriteString("[")
		for i, x := range e.Elems {
			if i > 0 {
				r.WriteString(", ")
			}
			if x.Rest {
				r.WriteString("...")
			}
			r.WriteString(x.Name)
			if x.Optional {
				r.WriteString("?")
			}
			if x.Name != "" || x.Optional {
				r.WriteString(": ")
			}
			r.expr(x.Type)
		}
		r.WriteString("]")
	default:
		r.WriteString(string(e.Kind))
	}
	if r.docs && !e.Doc.empty() {
		r.WriteString(" (" + strings.Join(r.docNotes(e.Doc), "; ") + ")")
	}
}

// inside prints the members, arms, values and elements of a type, one line each.
func (r *renderer) inside(e *Expr) {
	if e == nil {
		return
	}
	r.indent++
	defer func() { r.indent-- }()
	for _, m := range e.Members {
		r.member(m)
	}
	if e.Rest != nil {
		r.line("[key]: ")
		r.expr(e.Rest)
		r.inside(e.Rest)
	}
	for _, a := range e.Arms {
		r.line("| ")
		r.expr(a.Expr)
		r.notes(append([]string{r.revs("in", a.Revs)}, r.docNotes(a.Doc)...)...)
		r.inside(a.Expr)
	}
	for _, v := range e.Values {
		r.line("%q", v.Value)
		r.notes(append([]string{note("name", v.Name), r.revs("in", v.Revs)}, r.docNotes(v.Doc)...)...)
	}
	for _, x := range e.Elems {
		r.inside(x.Type)
	}
	if e.Elem != nil {
		r.indent--
		r.inside(e.Elem)
		r.indent++
	}
	if e.Plan != nil {
		r.line("plan: ")
		r.plan(e.Plan)
	}
}

func (r *renderer) member(m *Member) {
	if m.Readonly {
		r.line("readonly %s", m.Name)
	} else {
		r.line("%s", m.Name)
	}
	if m.Optional {
		r.WriteString("?")
	}
	r.WriteString(": ")
	r.expr(m.Type)
	notes := []string{note("from", m.From), r.revs("in", m.Revs)}
	usual := m.Revs // of a member that may not be absent
	if m.Optional {
		usual = nil
	}
	if !slices.Equal(m.Required, usual) {
		notes = append(notes, "required in "+spans(r.all, m.Required))
	}
	for _, v := range m.Narrowings {
		notes = append(notes, describe(v.Type)+" "+r.revs("in", v.Revs))
	}
	if m.Default != nil {
		notes = append(notes, "default "+value(m.Default.Value))
	}
	if m.Fill != nil {
		notes = append(notes, "filled with "+value(m.Fill.Value))
	}
	notes = append(notes, mark("pointer", m.Pointer), note("format", m.Format), note("minimum", m.Minimum),
		note("maximum", m.Maximum), note("maxItems", m.MaxItems))
	r.notes(append(notes, r.docNotes(m.Doc)...)...)
	r.inside(m.Type)
}

// plan prints a plan: the test, and below it what follows from each outcome.
func (r *renderer) plan(p *Plan) {
	if p.On == "" {
		r.WriteString(p.Arm)
		return
	}
	r.WriteString(string(p.On))
	if p.Member != "" {
		r.WriteString(" of " + strings.Join(append(slices.Clone(p.In), p.Member), "."))
	}
	r.indent++
	defer func() { r.indent-- }()
	then := func(outcome string, p *Plan) {
		if p != nil {
			r.line("%s → ", outcome)
			r.plan(p)
		}
	}
	for _, c := range p.Cases {
		then(strings.Join(c.Values, ", "), c.Then)
	}
	then("(present)", p.Has)
	then("(absent)", p.None)
}

func (r *renderer) method(m *Method) {
	kind := "request"
	if m.Notification {
		kind = "notification"
	}
	r.line("\n%s %s", kind, m.Name)
	r.notes(append([]string{m.Type, r.revs("in", m.Revs), note("category", m.Category)}, r.docNotes(m.Doc)...)...)
	r.indent++
	r.within = m.Revs
	defer func() { r.indent--; r.within = r.all }()
	for _, to := range []struct {
		what string
		revs Revs
	}{{"to server", m.ToServer}, {"to client", m.ToClient}, {"as input", m.AsInput}} {
		if len(to.revs) > 0 {
			r.line("%s", to.what)
			r.notes(r.revs("in", to.revs))
		}
	}
	switch {
	case m.Params == "":
		r.line("no params")
	case m.Optional:
		r.line("params? %s", m.Params)
	default:
		r.line("params %s", m.Params)
	}
	for _, x := range m.Results {
		r.line("result %s", x.Name)
		r.notes(r.revs("in", x.Revs))
	}
	if m.Response != "" {
		r.line("response %s", m.Response)
	}
	for _, f := range []struct {
		what string
		revs Revs
	}{{"may ask", m.MayAsk}, {"cacheable", m.Cacheable}} {
		if len(f.revs) > 0 {
			r.line("%s", f.what)
			r.notes(r.revs("in", f.revs))
		}
	}
	if m.NameParam != "" {
		r.line("named by %s", m.NameParam)
	}
	if m.ServerCap != "" {
		r.line("server capability %s", m.ServerCap)
	}
	if len(m.Uncovered) > 0 {
		r.notes("none " + r.revs("in", m.Uncovered))
	}
	if m.ClientCap != "" {
		r.line("client capability %s", m.ClientCap)
	}
}
