package client

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/godoc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fieldDoc returns the comment of a field: the description, and then what the type does not express.
func (l *lowering) fieldDoc(s *flat, f *field) string {
	facts := s.facts()
	if f.typ.kind == constKind && !f.required {
		facts = append(facts, "Whether the member is there, with its only value "+short(f.typ.value.json())+".")
	}
	doc := wrap(s.description())
	if len(facts) > 0 {
		doc = strings.TrimPrefix(doc+"\n"+wrap(strings.Join(facts, " ")), "\n")
	}
	deprecated := ""
	if d := s.first("deprecated"); d.isBool("true") {
		deprecated = "Deprecated: the schema says so."
	}
	return godoc.Join(doc, deprecated)
}

// comment is the comment of a field, with why it holds raw values.
func (f *field) comment() string { return withReason(f.doc, f.typ) }

// withReason adds to a comment why the field or type holds raw values.
func withReason(doc string, t *typ) string {
	for t.name == "" && (t.kind == listKind || t.kind == mapKind || t.kind == nullKind) {
		t = t.elem
	}
	switch {
	case t.kind != rawKind:
		return doc
	case t.why == "":
		return strings.TrimPrefix(doc+"\nAny JSON value.", "\n")
	}
	return strings.TrimPrefix(doc+"\n"+wrap("Raw JSON: "+t.why+"."), "\n")
}

// facts returns what a schema says about values besides their types.
func (s *flat) facts() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	text := func(keyword string) string {
		for _, n := range s.nodes {
			if v := n.get(keyword); v != nil && v.kind != wire.KindObject && v.kind != wire.KindArray {
				return short(v.text)
			}
		}
		return ""
	}
	between := func(least, most, unit, what string) {
		lo, hi := text(least), text(most)
		if cmp.Or(hi, lo) == "1" {
			unit = strings.TrimSuffix(unit, "s")
		}
		switch {
		case lo != "" && hi != "" && lo == hi:
			add("%s%s%s.", what, lo, unit)
		case lo != "" && hi != "":
			add("%sFrom %s to %s%s.", what, lo, hi, unit)
		case lo != "" && lo != "0":
			add("%sAt least %s%s.", what, lo, unit)
		case lo != "" && unit == "":
			add("%sAt least %s.", what, lo)
		case hi != "":
			add("%sAt most %s%s.", what, hi, unit)
		}
	}
	for _, n := range s.nodes {
		if values := enumOf(n); len(values) > maxValues {
			add("One of %d values.", len(values))
		}
	}
	if lo, hi := text("minimum"), text("maximum"); lo != minInt64.String() || hi != maxInt64.String() { // as a lock has it of each integer
		between("minimum", "maximum", "", "")
	}
	if v := text("exclusiveMinimum"); v != "" && v != "true" && v != "false" {
		add("More than %s.", v)
	}
	if v := text("exclusiveMaximum"); v != "" && v != "true" && v != "false" {
		add("Less than %s.", v)
	}
	if v := text("multipleOf"); v != "" {
		add("A multiple of %s.", v)
	}
	between("minLength", "maxLength", " characters", "")
	between("minItems", "maxItems", " elements", "")
	between("minProperties", "maxProperties", " members", "")
	if text("uniqueItems") == "true" {
		add("No two elements are equal.")
	}
	if v := text("pattern"); v != "" {
		add("It matches %q.", v)
	}
	if v := text("format"); v != "" && v != "byte" {
		add("Its format is %s.", v)
	}
	if v := text("contentMediaType"); v != "" {
		add("Its media type is %s.", v)
	}
	for _, n := range s.nodes {
		for _, keyword := range []string{"oneOf", "anyOf"} {
			if g := n.get(keyword); g != nil {
				out = append(out, choices(keyword, g)...)
			}
		}
		if n.has("not", "if", "dependentRequired", "dependentSchemas", "dependencies", "propertyNames", "contains") {
			add("The schema has further conditions.")
		}
	}
	if d := s.first("default"); d != nil {
		add("Absent means %s.", short(strings.Join(strings.Fields(string(d.raw)), " ")))
	}
	return out
}

// choices describes which members the arms require, if that is all they do.
func choices(keyword string, g *node) []string {
	var names []string
	for _, arm := range g.items {
		if len(arm.members) != 1 || arm.get("required") == nil {
			return nil
		}
		var all []string
		for _, item := range arm.get("required").items {
			all = append(all, item.text)
		}
		names = append(names, strings.Join(all, " and "))
	}
	how := "One of these must be there, or several: "
	if keyword == "oneOf" {
		how = "Exactly one of these must be there: "
	}
	return []string{how + short(strings.Join(names, "; ")) + "."}
}
