package emit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// own is the statement that reads a value of a type which has its own JSON form, or its own text, into what ref points to.
func (g *generator) own(t *ir.Type, ref *jen.Statement) *jen.Statement {
	method := "JSON"
	if t.Kind == ir.Text {
		method = "Text"
	}
	read := g.d(method, ref)
	if schema := g.schemaOf(t); schema != "" {
		return jen.If(g.d("Matches", jen.Op("&").Id(schema))).Block(read)
	}
	return read
}

// putOwn is the statement that writes such a value.
func (g *generator) putOwn(t *ir.Type, ref *jen.Statement) *jen.Statement {
	put := "PutJSON"
	if t.Kind == ir.Text {
		put = "PutText"
	}
	if schema := g.schemaOf(t); schema != "" && !g.unpromised {
		return g.args(put+"As").Call(ref.Clone(), jen.Op("&").Id(schema), g.id("e"))
	}
	return g.put(put, ref)
}

// schemaOf returns the name of the variable with the schema that a directive gives to a type, as far as it is checked; empty
// if there is nothing to check.
func (g *generator) schemaOf(t *ir.Type) string {
	if t.Schema == "" {
		return ""
	}
	key := "schema " + t.Schema
	if name, known := g.names[key]; known {
		return name
	}
	d := json.NewDecoder(bytes.NewReader([]byte(t.Schema)))
	d.UseNumber()
	var schema any
	if err := d.Decode(&schema); err != nil {
		g.errorf("the schema of %s: %v", t.Go, err)
		return ""
	}
	values := g.schemaValues(schema)
	if len(values) == 0 {
		g.names[key] = ""
		return ""
	}
	name := g.declare("mcpSchema" + typeName(t.Go))
	g.names[key] = name
	g.later = append(g.later, func() {
		g.file.Var().Id(name).Op("=").Add(g.args("Schema")).Custom(multiline, values...)
		g.file.Line()
	})
	return name
}

// schemaValues are the members of an args.Schema.
func (g *generator) schemaValues(schema any) (values []jen.Code) {
	m, isObject := schema.(map[string]any)
	if !isObject {
		if schema == false {
			return []jen.Code{jen.Id("Types").Op(":").Index().String().Values()}
		}
		return nil
	}
	set := func(name string, value jen.Code) { values = append(values, jen.Id(name).Op(":").Add(value)) }
	if t, ok := m["type"].(string); ok {
		set("Types", jen.Index().String().Values(jen.Lit(t)))
	}
	if enum, ok := g.enumValues(m); ok {
		set("Enum", enum)
	}
	for _, k := range []struct{ keyword, name string }{{"minimum", "Minimum"}, {"maximum", "Maximum"}, {"exclusiveMinimum", "Above"}, {"exclusiveMaximum", "Below"}} {
		if n, ok := m[k.keyword].(json.Number); ok {
			if f, err := n.Float64(); err == nil {
				set(k.name, jen.New(jen.Float64().Call(jen.Id(strconv.FormatFloat(f, 'g', -1, 64)))))
			}
		}
	}
	if n, ok := m["multipleOf"].(json.Number); ok {
		set("MultipleOf", jen.Lit(string(n)))
	}
	for _, k := range []struct{ keyword, name string }{
		{"minLength", "MinLength"}, {"maxLength", "MaxLength"}, {"minItems", "MinItems"}, {"maxItems", "MaxItems"}, {"minProperties", "MinProperties"}, {"maxProperties", "MaxProperties"},
	} {
		if n, ok := m[k.keyword].(json.Number); ok {
			if f, err := n.Float64(); err == nil {
				set(k.name, jen.New(jen.Lit(int(min(f, 1<<31-1)))))
			}
		}
	}
	if pattern, ok := m["pattern"].(string); ok {
		text, err := constraint.GoPattern(pattern)
		if err != nil {
			g.errorf("the pattern %q: %v", pattern, err)
			return nil
		}
		set("Pattern", literal(pattern))
		set("Match", jen.Id(g.pattern(text)))
	}
	if format, ok := formats[wordOf(m["format"])]; ok {
		set("Format", jen.Lit(format[0]))
		set("IsFormat", g.args(format[1]))
	}
	part := func(name string, schema any) {
		if inner := g.schemaValues(schema); len(inner) > 0 {
			set(name, jen.Op("&").Add(g.args("Schema")).Values(inner...))
		}
	}
	part("Items", m["items"])
	if m["uniqueItems"] == true && !slices.Contains(constraint.Unchecked(encoded(m)), "/uniqueItems") {
		set("Unique", jen.True())
	}
	g.schemaProperties(m, set)
	if m["additionalProperties"] == false {
		set("Closed", jen.True())
	} else {
		part("Additional", m["additionalProperties"])
	}
	for _, k := range []struct{ keyword, name string }{{"allOf", "AllOf"}, {"anyOf", "AnyOf"}, {"oneOf", "OneOf"}} {
		if list, ok := m[k.keyword].([]any); ok && (k.keyword != "oneOf" || len(constraint.Unchecked(encoded(map[string]any{"oneOf": list}))) == 0) {
			set(k.name, jen.Index().Add(g.args("Schema")).ValuesFunc(func(b *jen.Group) {
				for _, s := range list {
					b.Values(g.schemaValues(s)...)
				}
			}))
		}
	}
	if not, ok := m["not"]; ok && len(constraint.Unchecked(encoded(not))) == 0 {
		set("Not", jen.Op("&").Add(g.args("Schema")).Values(g.schemaValues(not)...))
	}
	return values
}

// enumValues are the scalars that a schema enumerates, as JSON texts; not ok if there are none or others.
func (g *generator) enumValues(m map[string]any) (list *jen.Statement, ok bool) {
	all, isList := m["enum"].([]any)
	if c, isConst := m["const"]; isConst {
		all, isList = []any{c}, true
	}
	places := constraint.Unchecked(encoded(m))
	if !isList || slices.Contains(places, "/enum") || slices.Contains(places, "/const") {
		return nil, false
	}
	return jen.Index().String().ValuesFunc(func(b *jen.Group) {
		for _, v := range all {
			b.Add(literal(encoded(v)))
		}
	}), true
}

// schemaProperties sets the properties of a schema, and those that are required.
func (g *generator) schemaProperties(m map[string]any, set func(string, jen.Code)) {
	properties, _ := m["properties"].(map[string]any)
	required, _ := m["required"].([]any)
	names := slices.Sorted(maps.Keys(properties))
	for _, name := range required {
		if name := wordOf(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	set("Properties", jen.Index().Add(g.args("Property")).CustomFunc(multiline, func(b *jen.Group) {
		for _, name := range names {
			b.ValuesFunc(func(b *jen.Group) {
				b.Id("Name").Op(":").Lit(name)
				if slices.Contains(required, any(name)) {
					b.Id("Required").Op(":").True()
				}
				if values := g.schemaValues(properties[name]); len(values) > 0 {
					b.Id("Schema").Op(":").Add(g.args("Schema")).Values(values...)
				}
			})
		}
	}))
}

// wordOf returns a string that was decoded, empty if it is none.
func wordOf(v any) string {
	s, _ := v.(string)
	return s
}

// encoded returns the JSON text of what was decoded from one.
func encoded(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it came from JSON
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
