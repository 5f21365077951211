package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A difference is a place at which two JSON Schemas do not say the same.
type difference struct{ path, ours, official string }

func (d difference) String() string {
	return fmt.Sprintf("%s: ours is %s, the official one is %s", d.path, d.ours, d.official)
}

// nothing is what a document says at a path that it does not have.
const nothing = "—"

// compareSchemas lists all differences, by path.
func compareSchemas(tb testing.TB, ours, official []byte) []difference {
	tb.Helper()
	a, b := statements(tb, ours), statements(tb, official)
	all := maps.Clone(a)
	maps.Copy(all, b)
	var out []difference
	for _, path := range slices.Sorted(maps.Keys(all)) {
		x, y := a[path], b[path]
		if x.String() == y.String() {
			continue
		}
		d := difference{path, x.String(), y.String()}
		if x.arms != nil && y.arms != nil && x.presence == y.presence && x.limits == y.limits {
			d.ours, d.official = without(x.arms, y.arms), without(y.arms, x.arms)
		}
		out = append(out, d)
	}
	return out
}

// without lists the strings of a that are not in b.
func without(a, b []string) string {
	rest := slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	return cmp.Or(strings.Join(rest, ", "), nothing)
}

// A statement is what a JSON Schema says at a path. The zero statement says nothing.
type statement struct {
	presence string   // "required " or "optional " for a member
	what     string   // "string", `"object"`, "ref Tool", "any" …
	arms     []string // the alternatives instead, sorted
	limits   string   // format, minimum, …
}

func (s statement) String() string {
	if s.arms != nil {
		s.what = "one of " + strings.Join(s.arms, ", ")
	}
	return cmp.Or(s.presence+s.what+s.limits, nothing)
}

// statements says what a document says, one statement for each definition, member, element and
// value type, by its path: "Tool.inputSchema.type" is `required "object"`. It is the same for both
// dialects, and for any order of definitions, members, values and alternatives.
func statements(tb testing.TB, doc []byte) map[string]statement {
	tb.Helper()
	var root map[string]any
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := dec.Decode(&root); err != nil {
		tb.Fatal(err)
	}
	defs, ok := root["$defs"].(map[string]any)
	if !ok {
		defs, ok = root["definitions"].(map[string]any)
	}
	if !ok || len(root) != 2 {
		tb.Fatal("the document is not definitions and nothing else")
	}
	r := schemaReader{tb, defs}
	out := map[string]statement{}
	for name, def := range defs {
		r.shape(name, def).statements(out, name, "")
	}
	return out
}

// A shape is what a JSON Schema says about a value, whichever way it says it.
type shape struct {
	what     string // as in a statement
	limits   string
	members  map[string]*shape
	required []string
	rest     *shape // the other members
	elem     *shape
	arms     []*shape
}

// A schemaReader reads the schemas of a document.
type schemaReader struct {
	tb   testing.TB
	defs map[string]any
}

// keywords are all that the documents hold: what is not known is not passed over.
var keywords = []string{"$ref", "type", "const", "enum", "anyOf", "allOf", "items", "properties", "required",
	"additionalProperties", "format", "minimum", "maximum", "maxItems", "default", "description", "deprecated"}

// shape reads the schema at a path.
func (r schemaReader) shape(path string, schema any) *shape {
	r.tb.Helper()
	if schema == true {
		return &shape{what: "any"}
	}
	n, ok := schema.(map[string]any)
	if !ok {
		r.tb.Fatalf("%s is %v, not a schema", path, schema)
	}
	for k := range n {
		if !slices.Contains(keywords, k) {
			r.tb.Fatalf("%s has the keyword %s, which this test does not know", path, k)
		}
	}
	s := &shape{}
	for _, k := range []string{"format", "minimum", "maximum", "maxItems", "default"} {
		if v, ok := n[k]; ok {
			s.limits += fmt.Sprintf(" %s=%v", k, v)
		}
	}
	types, several := n["type"].([]any)
	switch {
	case n["$ref"] != nil:
		s.what = "ref " + r.target(n["$ref"].(string))
	case n["allOf"] != nil:
		s.what = "object"
		s.members = map[string]*shape{}
		for _, part := range n["allOf"].([]any) {
			s.add(r.follow(path, part))
		}
	case n["anyOf"] != nil:
		for _, arm := range n["anyOf"].([]any) {
			s.arms = append(s.arms, r.shape(path, arm))
		}
	case several:
		for _, t := range types {
			s.arms = append(s.arms, r.shape(path, map[string]any{"type": t}))
		}
	case n["const"] != nil:
		s.what = literalText(n["const"])
	case n["enum"] != nil:
		var values []string
		for _, v := range n["enum"].([]any) {
			values = append(values, literalText(v))
		}
		slices.Sort(values)
		s.what = strings.Join(values, "|")
	case n["type"] == "array":
		s.what = "array"
		s.elem = r.shape(path, n["items"])
	case n["type"] == "object":
		s.what = "object"
		r.readObject(s, path, n)
	case n["type"] != nil:
		s.what = n["type"].(string)
	default:
		s.what = "any"
	}
	return s.simplified()
}

func (r schemaReader) readObject(s *shape, path string, n map[string]any) {
	r.tb.Helper()
	s.members = map[string]*shape{}
	properties, declared := n["properties"].(map[string]any)
	for name, p := range properties {
		s.members[name] = r.shape(path+"."+name, p)
	}
	if required, ok := n["required"].([]any); ok {
		for _, name := range required {
			s.required = append(s.required, name.(string))
			if s.members[name.(string)] == nil {
				s.members[name.(string)] = &shape{what: "undescribed"}
			}
		}
	}
	if rest, ok := n["additionalProperties"]; ok {
		s.rest = r.shape(path, rest)
	} else if !declared { // {"type": "object"} takes any object
		s.rest = &shape{what: "any"}
	}
}

func literalText(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprint(v)
}

// target returns the definition that a reference names.
func (r schemaReader) target(ref string) string {
	r.tb.Helper()
	name := path.Base(ref)
	if r.defs[name] == nil {
		r.tb.Fatalf("%s points nowhere", ref)
	}
	return name
}

// follow reads the schema of an object, or of what a reference to it stands for.
func (r schemaReader) follow(path string, schema any) *shape {
	r.tb.Helper()
	s := r.shape(path, schema)
	for {
		name, isRef := strings.CutPrefix(s.what, "ref ")
		if !isRef {
			return s
		}
		s = r.shape(name, r.defs[name])
	}
}

// add makes s the intersection of itself and another object.
func (s *shape) add(o *shape) {
	maps.Copy(s.members, o.members)
	s.required = append(s.required, o.required...)
	if o.rest != nil {
		s.rest = o.rest
	}
}

// simplified dissolves alternatives inside alternatives, and a single one.
func (s *shape) simplified() *shape {
	var arms []*shape
	for _, a := range s.arms {
		if a.arms != nil && a.limits == "" {
			arms = append(arms, a.arms...)
		} else {
			arms = append(arms, a)
		}
	}
	if len(arms) == 1 && s.limits == "" {
		return arms[0]
	}
	s.arms = arms
	return s
}

// statements adds what the shape at a path says.
func (s *shape) statements(out map[string]statement, path, presence string) {
	st := statement{presence: presence, what: s.what, limits: s.limits}
	for _, a := range s.arms {
		st.arms = append(st.arms, a.text())
	}
	slices.Sort(st.arms)
	st.arms = slices.Compact(st.arms)
	out[path] = st
	for name, m := range s.members {
		presence := "optional "
		if slices.Contains(s.required, name) {
			presence = "required "
		}
		m.statements(out, path+"."+name, presence)
	}
	if s.rest != nil {
		s.rest.statements(out, path+"[*]", "")
	}
	if s.elem != nil {
		s.elem.statements(out, path+"[]", "")
	}
}

// text is all that the shape says, in one line.
func (s *shape) text() string {
	all := map[string]statement{}
	s.statements(all, "", "")
	if len(all) == 1 {
		return all[""].String()
	}
	var parts []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, strings.TrimSpace(path+" "+all[path].String()))
	}
	return "(" + strings.Join(parts, "; ") + ")"
}
