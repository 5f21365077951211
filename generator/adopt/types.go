package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/internal/harmless"
	"github.com/mcpgen/mcpgen/runtime/client/outputcheck"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A place is where a schema is.
type place struct {
	path  string // for notes
	name  string // of a type that is made for it
	out   bool   // it is of a result
	depth int
}

func (p place) under(name, path string) place {
	return place{p.path + "." + path, p.name + name, p.out, p.depth + 1}
}

// A goType is a Go type, and what directives say about its values.
type goType struct {
	expr string
	args []string // of //mcp:param
	nils bool     // it has nil: a list or a map
	raw  bool     // its schema is in a directive, with its default
}

// The keywords that say nothing about values. No signature has those of the first list.
var (
	lostWords  = []string{"title", "$comment", "deprecated", "readOnly", "writeOnly"}
	plainWords = append([]string{"description", "default", "examples", "$schema", "$defs", "definitions", "$id"}, lostWords...)
)

// resolve follows references; nil if they lead nowhere, or in a circle.
func (g *generation) resolve(s map[string]any) map[string]any {
	for range maxDepth {
		ref, ok := s["$ref"].(string)
		if !ok {
			return s
		}
		m := maker{root: g.defs}
		to, _ := m.resolve(ref).(map[string]any)
		if to == nil {
			return nil
		}
		merged := map[string]any{}
		for k, v := range to {
			merged[k] = v
		}
		for k, v := range s {
			if k != "$ref" {
				merged[k] = v
			}
		}
		s = merged
	}
	return nil
}

// typeOf returns the Go type of a schema. Where none is exact, it is JSON with the schema in a directive.
func (g *generation) typeOf(schema any, at place) goType {
	if g.parts++; g.parts > maxParts || at.depth > maxDepth {
		g.note(at.path, "the schema is too large: it is any JSON")
		return goType{expr: "any"}
	}
	if schema == nil || schema == true {
		return goType{expr: "any"}
	}
	s, ok := schema.(map[string]any)
	if ok {
		s = g.resolve(s)
	}
	if s == nil {
		return g.raw(schema, at)
	}
	if t, ok := g.exact(s, at); ok {
		return t
	}
	return g.raw(s, at)
}

// exact returns the Go type of a schema, if there is one with exactly its values.
func (g *generation) exact(s map[string]any, at place) (goType, bool) {
	only := func(words ...string) bool {
		for k := range s {
			if k != "type" && !slices.Contains(words, k) && !slices.Contains(plainWords, k) && !strings.HasPrefix(k, "x-") {
				return false
			}
		}
		return true
	}
	t := goType{}
	number := func(of map[string]string) bool {
		for _, k := range sorted(s) {
			if key := of[k]; key != "" {
				text, ok := plainNumber(s[k], s["type"] != "number")
				if !ok {
					return false
				}
				t.args = append(t.args, key+"="+text)
			}
		}
		return true
	}
	switch kind := s["type"]; {
	case s["enum"] != nil || s["const"] != nil:
		return g.enum(s, at, only("enum", "const"))
	case kind == nil:
		return goType{expr: "any"}, only()
	case kind == "boolean":
		return goType{expr: "bool"}, only()
	case kind == "integer", kind == "number":
		t.expr = map[any]string{"integer": "int", "number": "float64"}[kind]
		return t, only("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf") &&
			number(map[string]string{"minimum": "min", "maximum": "max", "exclusiveMinimum": "above", "exclusiveMaximum": "below", "multipleOf": "multipleof"})
	case kind == "string":
		t.expr = "string"
		ok := only("minLength", "maxLength", "pattern", "format") && number(map[string]string{"minLength": "minlen", "maxLength": "maxlen"})
		if pattern, has := s["pattern"].(string); has {
			ok = ok && isShared(pattern)
			t.args = append(t.args, argument("pattern", pattern))
		}
		if format, has := s["format"].(string); has {
			ok = ok && slices.Contains(formats, format)
			t.args = append(t.args, "format="+format)
		}
		return t, ok
	case kind == "array":
		if !only("items", "minItems", "maxItems", "uniqueItems") || !number(map[string]string{"minItems": "minlen", "maxItems": "maxlen"}) {
			return goType{}, false // before types are made of the items
		}
		lengths := t.args
		inner := g.typeOf(s["items"], at.under("Item", "items"))
		t = goType{expr: "[]" + inner.expr, nils: true}
		for _, a := range inner.args {
			t.args = append(t.args, prefixed("items.", a))
		}
		if s["uniqueItems"] == true {
			t.args = append(t.args, "unique")
		}
		g.lost(s["items"], at.path+".items", "description")
		t.args = append(t.args, lengths...)
		return t, true
	case kind == "object" && s["properties"] == nil && s["additionalProperties"] != false && s["required"] == nil:
		if !only("additionalProperties", "minProperties", "maxProperties") || !number(map[string]string{"minProperties": "minlen", "maxProperties": "maxlen"}) {
			return goType{}, false
		}
		lengths := t.args
		inner := g.typeOf(s["additionalProperties"], at.under("Value", "additionalProperties"))
		t = goType{expr: "map[string]" + inner.expr, nils: true}
		for _, a := range inner.args {
			t.args = append(t.args, prefixed("values.", a))
		}
		t.args = append(t.args, lengths...)
		return t, true
	case kind == "object":
		if !only("properties", "required", "additionalProperties") || !g.isStruct(s, at) {
			return goType{}, false
		}
		return goType{expr: g.structType(s, at, false)}, true
	}
	return goType{}, false
}

// prefixed returns an argument of a directive that is about a part.
func prefixed(part, arg string) string {
	if strings.HasPrefix(arg, `"`) {
		return `"` + part + arg[1:]
	}
	return part + arg
}

// isStruct reports whether a struct has exactly the members of a schema.
func (g *generation) isStruct(s map[string]any, at place) bool {
	properties, _ := s["properties"].(map[string]any)
	for _, name := range names(s["required"]) {
		if _, declared := properties[name]; !declared {
			return false
		}
	}
	for name := range properties {
		if !isKey(name) {
			return false
		}
	}
	if len(properties) == 0 {
		return false
	}
	_, other := s["additionalProperties"].(map[string]any)
	if other && len(s["additionalProperties"].(map[string]any)) > 0 {
		return false
	}
	return !(at.out && s["additionalProperties"] == false)
}

// structType returns the name of the struct of a schema. Equal schemas have one.
func (g *generation) structType(s map[string]any, at place, root bool) string {
	open := !at.out && s["additionalProperties"] != false
	key := map[string]any{"properties": s["properties"], "required": s["required"], "open": open}
	if root {
		key["description"] = s["description"]
	}
	text := string(encode(key))
	if strings.Contains(text, `"$ref"`) {
		text += g.tool + at.path[:min(len(at.path), 6)]
	}
	if at.out && strings.Contains(text, `"default"`) { // which results do not have
		text += " out"
	}
	if name := g.types[text]; name != "" {
		if g.active[text] {
			return "*" + name // it contains itself
		}
		return name
	}
	name := unique(g.taken, at.name, "Type")
	g.types[text], g.active[text] = name, true
	defer delete(g.active, text)
	var b strings.Builder
	b.WriteByte('\n')
	if d, _ := s["description"].(string); root && isLine(d) {
		b.WriteString("//mcp:desc " + d + "\n")
	}
	if open && at.path != "input" {
		b.WriteString("//mcp:schema open\n")
	}
	fmt.Fprintf(&b, "type %s struct {\n", name)
	properties, _ := s["properties"].(map[string]any)
	required := names(s["required"])
	taken := map[string]bool{}
	for _, member := range g.order(properties, required) {
		if isKey(member) {
			inner := at.under(goname.Field(member), member)
			inner.name = name + goname.Field(member)
			b.WriteString(g.field(member, properties[member], inner, slices.Contains(required, member), taken))
		}
	}
	b.WriteString("}\n")
	g.decls.WriteString(b.String())
	return name
}

// order returns the names of members, required ones first.
func (g *generation) order(properties map[string]any, required []string) (all []string) {
	for _, name := range required {
		if _, declared := properties[name]; declared && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, name := range sorted(properties) {
		if !slices.Contains(required, name) {
			all = append(all, name)
		}
	}
	return all
}

// field returns a field of a struct, with its comment and directives.
func (g *generation) field(key string, schema any, at place, required bool, taken map[string]bool) string {
	s, _ := schema.(map[string]any)
	if s != nil {
		if whole := g.resolve(s); whole != nil {
			s = whole
		}
	}
	t, isOption := g.option(s, at, required)
	if !isOption {
		t = g.typeOf(schema, at)
	}
	var b strings.Builder
	if d, _ := s["description"].(string); isLine(d) {
		b.WriteString("//mcp:desc " + d + "\n")
	} else if strings.TrimSpace(d) != "" {
		b.WriteString("//mcp:desc " + clean(d) + "\n")
		g.note(at.path, "its description is not one line: it has become one")
	}
	byDefault := false
	if v, has := s["default"]; has && !t.raw {
		text, ok := g.defaultOf(v, s, at)
		switch {
		case required || at.out:
			g.note(at.path, "the default of what is required, or of a result: no directive says it")
		case !ok:
			g.note(at.path, "the default "+shown(v)+": no directive says it")
		default:
			byDefault = true
			t.args = append(t.args, text)
		}
	}
	if !t.raw {
		g.lost(s, at.path, lostWords...)
		if header, ok := s["x-mcp-header"].(string); ok && toolName.MatchString(header) && !at.out {
			t.args = append(t.args, "header="+header)
		}
	}
	if list, _ := s["examples"].([]any); len(list) > 0 && !t.raw {
		if text, ok := g.examplesOf(list, t.expr, s); ok {
			t.args = append(t.args, text)
		} else {
			g.note(at.path, "its examples: no directive says them")
		}
	}
	if len(t.args) > 0 {
		b.WriteString("//mcp:param " + strings.Join(t.args, " ") + "\n")
	}
	name := unique(taken, goname.Field(key), "Member")
	option := "" // of the json tag, by which the member may be absent
	switch {
	case isOption:
		option = ",omitzero"
		if required {
			b.WriteString("//mcp:param required\n")
		}
	case required:
	case t.nils:
		option = ",omitzero"
	case byDefault:
		option = ",omitempty"
	default:
		option = ",omitempty"
		if t.expr != "any" && !strings.HasPrefix(t.expr, "*") {
			t.expr = "*" + t.expr
		}
	}
	fmt.Fprintf(&b, "%s %s `json:\"%s%s\"`\n", name, t.expr, key, option)
	return b.String()
}

// option returns the wire.Option of a member that may be null, if its other values have a Go type, it has no default, and it
// may be absent if it is of a result.
func (g *generation) option(s map[string]any, at place, required bool) (goType, bool) {
	inner := withoutNull(s)
	if _, byDefault := s["default"]; byDefault || s["examples"] != nil || required && at.out {
		return goType{}, false
	}
	if inner = g.resolve(inner); inner == nil || inner["description"] != nil {
		return goType{}, false
	}
	before := len(g.notes)
	t, ok := g.exact(inner, at)
	if !ok || t.expr == "any" || strings.HasPrefix(t.expr, "*") {
		g.notes = g.notes[:before]
		return goType{}, false
	}
	t.expr = "wire.Option[" + t.expr + "]"
	return t, true
}

// withoutNull returns the schema of the values of another one that are not null, or nil if null is no value of that, or is
// not written in a way that leaves one.
func withoutNull(s map[string]any) map[string]any {
	types := names(s["type"])
	other := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	if len(types) == 2 && len(other) == 1 && s["enum"] == nil && s["const"] == nil {
		inner := map[string]any{}
		for k, v := range s {
			if k != "description" {
				inner[k] = v
			}
		}
		inner["type"] = other[0]
		return inner
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list, _ := s[keyword].([]any)
		if len(list) != 2 {
			continue
		}
		for k := range s {
			if k != keyword && !slices.Contains(plainWords, k) && !strings.HasPrefix(k, "x-") {
				return nil
			}
		}
		for i, item := range list {
			if null, _ := item.(map[string]any); len(null) == 1 && null["type"] == "null" {
				inner, _ := list[1-i].(map[string]any)
				return inner
			}
		}
	}
	return nil
}

// lost notes keywords that no directive says.
func (g *generation) lost(schema any, path string, words ...string) {
	s, _ := schema.(map[string]any)
	for _, k := range sorted(s) {
		if slices.Contains(words, k) || strings.HasPrefix(k, "x-") && k != "x-mcp-header" {
			g.note(path, k+": no directive says it here")
		}
	}
}

// defaultOf returns the argument of a directive for a default, if it is valid.
func (g *generation) defaultOf(v any, s map[string]any, at place) (string, bool) {
	if v == nil || g.check(s, string(encode(v))) != nil {
		return "", false
	}
	switch v := v.(type) {
	case string:
		return argument("default", v), isLine(v) || v == ""
	case json.Number:
		text, ok := plainNumber(v, s["type"] == "integer")
		return "default=" + text, ok
	case bool:
		return "default=" + strconv.FormatBool(v), true
	}
	return argument("default", harmless.Line(string(encode(v)))), true
}

// examplesOf returns the argument of a directive for examples, if they are valid.
func (g *generation) examplesOf(values []any, expr string, s map[string]any) (string, bool) {
	var texts []string
	for _, v := range values {
		if g.check(s, string(encode(v))) != nil {
			return "", false
		}
		switch v := v.(type) {
		case string:
			if expr != "string" || !isLine(v) {
				return "", false
			}
			texts = append(texts, v)
		case json.Number:
			text, ok := plainNumber(v, expr == "int")
			if !ok || expr != "int" && expr != "float64" {
				return "", false
			}
			texts = append(texts, text)
		default:
			return "", false
		}
	}
	return argument("examples", list(texts)), true
}

// enum returns a type with constants for texts, or numbers with a directive.
func (g *generation) enum(s map[string]any, at place, plain bool) (goType, bool) {
	values, _ := s["enum"].([]any)
	if c, has := s["const"]; has {
		values = []any{c}
	}
	if !plain || len(values) == 0 || len(values) > maxItems || s["enum"] != nil && s["const"] != nil {
		return goType{}, false
	}
	var texts []string
	kind := s["type"]
	for _, v := range values {
		switch v := v.(type) {
		case string:
			if kind != nil && kind != "string" || slices.Contains(texts, v) {
				return goType{}, false
			}
			texts = append(texts, v)
		case json.Number:
			text, ok := plainNumber(v, true)
			if kind != "integer" || !ok || slices.Contains(texts, text) {
				return goType{}, false
			}
			texts = append(texts, text)
		default:
			return goType{}, false
		}
	}
	if kind == "integer" {
		return goType{expr: "int", args: []string{"enum=" + strings.Join(texts, ",")}}, true
	}
	key := "enum " + string(encode(texts))
	if name := g.types[key]; name != "" {
		return goType{expr: name}, true
	}
	name := unique(g.taken, at.name, "Values")
	g.types[key] = name
	fmt.Fprintf(&g.decls, "\n//mcp:schema closed\ntype %s string\n\nconst (\n", name)
	for i, text := range texts {
		word := goname.Camel(text)
		if word == "" {
			word = "Value" + strconv.Itoa(i+1)
		}
		fmt.Fprintf(&g.decls, "%s %s = %s\n", unique(g.taken, name+word, ""), name, strconv.Quote(text))
	}
	g.decls.WriteString(")\n")
	return goType{expr: name}, true
}

// raw returns a type of JSON whose schema a directive has.
func (g *generation) raw(schema any, at place) goType {
	w := normalizer{maker: maker{root: g.defs}, directive: true}
	alone, ok := w.schema(schema, nil).(map[string]any)
	if schema == false {
		alone, ok = map[string]any{"not": map[string]any{}}, true
	}
	delete(alone, "description") // which stands above the field
	text := encode(alone)
	if !ok || w.refers || w.parts > maxParts || len(text) > maxResult || strings.Contains(fmt.Sprint(g.check(alone, "null")), "cannot be used") {
		g.note(at.path, "its schema cannot stand in a directive: it is any JSON")
		return goType{expr: "any"}
	}
	for _, k := range w.dropped {
		g.note(at.path, k+": a schema in a directive cannot have it")
	}
	g.json = true
	key := "raw " + string(text)
	name := g.types[key]
	if name == "" {
		name = unique(g.taken, at.name, "JSON")
		g.types[key] = name
		g.note(at.path, "no Go type is exact: "+name+" is JSON, with its schema in //mcp:schema")
		unchecked := ""
		if places := tools.Unchecked(string(text)); len(places) > 0 {
			unchecked = "unchecked "
			g.note(at.path, "generated code does not check "+places[0]+" of it")
		}
		fmt.Fprintf(&g.decls, "\n//mcp:schema %s%s\ntype %s struct{ json.RawMessage }\n", unchecked, harmless.Line(string(text)), name)
	}
	return goType{expr: name, raw: true}
}

// check validates a value against a schema.
func (g *generation) check(schema any, value string) error {
	w := normalizer{maker: maker{root: g.defs}}
	return new(outputcheck.Checker).Check(context.Background(), wire.Raw(encode(w.schema(schema, nil))), wire.Raw(value))
}

// oneType returns a schema whose several types are the arms of a union: not all clients read lists of types.
func oneType(s map[string]any) any {
	types := names(s["type"])
	if len(types) == 0 {
		return s
	}
	slices.Sort(types)
	delete(s, "type")
	if len(types) == 1 {
		s["type"] = types[0]
		return s
	}
	if s["anyOf"] != nil {
		return map[string]any{"allOf": []any{s, map[string]any{"anyOf": arms(types, nil)}}}
	}
	inner := map[string]any{}
	for k, v := range s {
		if !slices.Contains(plainWords, k) && k != "enum" && k != "const" {
			inner[k] = v
			delete(s, k)
		}
	}
	s["anyOf"] = arms(types, inner)
	return s
}

// arms returns a schema for each type, with what is said about its values.
func arms(types []string, more map[string]any) (all []any) {
	about := map[string][]string{
		"string": {"minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"}, "array": {"items", "minItems", "maxItems", "uniqueItems", "prefixItems", "contains", "minContains", "maxContains"},
		"object": {"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas"},
	}
	numbers := []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	about["number"], about["integer"] = numbers, numbers
	for _, t := range types {
		s := map[string]any{"type": t}
		for k, v := range more {
			known := slices.ContainsFunc([]string{"string", "array", "object", "number"}, func(of string) bool { return slices.Contains(about[of], k) })
			if !known || slices.Contains(about[t], k) {
				s[k] = v
			}
		}
		all = append(all, s)
	}
	return all
}

// formats lists the formats that directives know.
var formats = []string{"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference", "uuid"}

// isShared reports whether a regular expression certainly means the same in Go and in JavaScript.
func isShared(pattern string) bool {
	if _, err := regexp.Compile(pattern); err != nil || harmless.Line(pattern) != pattern {
		return false
	}
	return !strings.Contains(strings.ReplaceAll(pattern, "(?:", ""), "(?") && !otherEscape.MatchString(strings.ReplaceAll(pattern, `\\`, ""))
}

var otherEscape = regexp.MustCompile(`\\[^dDwWsSbnrt.*+?()\[\]{}|/^$-]|[^\[]*\[\[|\[\^?\]`)

// plainNumber returns a number as directives have it.
func plainNumber(v any, whole bool) (string, bool) {
	n, ok := v.(json.Number)
	f, err := n.Float64()
	switch {
	case !ok || err != nil:
		return "", false
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return strconv.FormatInt(int64(f), 10), true
	case whole:
		i, err := n.Int64()
		return strconv.FormatInt(i, 10), err == nil
	}
	return strconv.FormatFloat(f, 'f', -1, 64), math.Abs(f) < 1e15 && math.Abs(f) > 1e-9
}
