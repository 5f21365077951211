package bindings

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/internal/godoc"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
)

// typeDoc returns the comment of the type name, whose definition is t. More is added after the description.
func (g *generator) typeDoc(name string, t *model.Type, more ...string) string {
	texts := []string{g.named(name, t.Doc.Text)}
	if t.Doc.Text == "" && len(more) > 0 {
		more[0] = name + ": " + more[0]
	}
	for _, m := range more {
		texts = append(texts, godoc.Text(m, noLink))
	}
	if when := g.inWords(g.schema.Revisions, t.Revs); when != "" {
		subject := "It"
		if t.Doc.Text == "" && len(more) == 0 {
			subject = name
		}
		texts = append(texts, subject+" exists only "+when+".")
	}
	texts = append(texts, godoc.Deprecated(t.Doc.Deprecated, g.link))
	return godoc.Join(texts...)
}

// named begins a description with the name of what it describes, as Go's comments do.
func (g *generator) named(name, description string) string {
	if description == "" {
		return ""
	}
	return godoc.Text(godoc.About(name, description), g.link)
}

// fieldDoc is the comment of a field: the description, and below it the facts.
func (g *generator) fieldDoc(t *model.Type, f *field) string {
	facts := limits(f.Member)
	add := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	if f.Default != nil && !strings.Contains(f.Doc.Text, "bsent means") {
		add("Absent means %s.", literalWord(f.Default))
	}
	when := g.inWords(t.Revs, f.Revs)
	required := g.inWords(t.Revs, f.Required)
	var fact string
	switch {
	case required != "" && required == when:
		fact = "Only " + when + ", and required there"
	case required != "" && when != "":
		fact = "Only " + when + "; required " + required
	case required != "":
		fact = "Required " + required
	case when != "" && f.Always:
		fact = "In the schema only " + when + ", but written in every revision"
	case when != "":
		fact = "Only " + when
	}
	if required != "" && f.Fill != nil {
		fact += ": if it is absent, " + literalWord(f.Fill) + " is written"
	} else if f.Fill != nil && f.shape.kind == stringShape {
		fact = "If it is empty, " + literalWord(f.Fill) + " is written"
	}
	if fact != "" {
		add("%s.", fact)
	}
	doc := godoc.Text(f.Doc.Text, g.link) + "\n" + godoc.Text(strings.Join(facts, " "), noLink)
	return godoc.Join(strings.Trim(doc, "\n"), godoc.Deprecated(f.Doc.Deprecated, g.link))
}

// limits says which values a member may have, as far as its description does not.
func limits(m *model.Member) []string {
	var out []string
	switch {
	case m.Minimum != "" && m.Maximum != "":
		out = append(out, "From "+m.Minimum+" to "+m.Maximum+".")
	case m.Minimum != "":
		out = append(out, "At least "+m.Minimum+".")
	case m.Maximum != "":
		out = append(out, "At most "+m.Maximum+".")
	}
	if m.MaxItems != "" {
		out = append(out, "At most "+m.MaxItems+" items.")
	}
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(m.Doc.Text), w) })
	}
	switch {
	case m.Format == "", m.Format == "int": // which the type says
	case m.Format == "uri" && says("uri", "url"), m.Format == "uri-template" && says("template"), m.Format == "byte" && says("base64"):
	case m.Format == "uri":
		out = append(out, "A URI.")
	case m.Format == "uri-template":
		out = append(out, "A URI template (RFC 6570).")
	case m.Format == "byte":
		out = append(out, "Base64.")
	default:
		out = append(out, "Its format is "+m.Format+".")
	}
	return out
}

// literalWord is a literal value as a comment shows it.
func literalWord(e *model.Expr) string {
	switch v := e.Value.(type) {
	case string:
		return `"` + v + `"`
	case bool:
		if v {
			return "true"
		}
		return "false"
	case parser.Number:
		return string(v)
	}
	return "null"
}

// article puts "a" or "an" before a name.
func article(name string) string {
	r := []rune(name)
	if strings.ContainsRune("AEIO", r[0]) || r[0] == 'U' && len(r) > 1 && unicode.IsLower(r[1]) {
		return "an " + name
	}
	return "a " + name
}

func noLink(string) string { return "" }

// link returns the Go identifier for a name in a schema's comment, "" if there is none.
func (g *generator) link(name string) string {
	typ, member, _ := strings.Cut(name, ".")
	t := g.schema.Type(typ)
	if t == nil || t.Role != model.RoleData {
		return ""
	}
	name = goname.Type(t.Name)
	if g.schema.IsImported(t) {
		name = path.Base(g.options.Import) + "." + name
	}
	for _, m := range t.Expr.Members {
		if m.Name == member && m.Type.Kind != model.Literal {
			return name + "." + goname.Field(member)
		}
	}
	return name
}
