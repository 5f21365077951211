package emit

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/runtime/args/jsonschema"
)

// own is the statement that reads a value of a type which has its own JSON form, or its own text, into what ref points to.
func (g *generator) own(t *ir.Type, ref *jen.Statement) *jen.Statement {
	method := "JSON"
	if t.Kind == ir.Text {
		method = "Text"
	}
	read := g.d(method, ref)
	if schema := g.schemaVar(t); schema != "" {
		return jen.If(jen.Id(schema).Dot("Takes").Call(g.id("d"))).Block(read)
	}
	return read
}

// putOwn is the statement that writes such a value.
func (g *generator) putOwn(t *ir.Type, ref *jen.Statement) *jen.Statement {
	form := "JSON"
	if t.Kind == ir.Text {
		form = "Text"
	}
	if schema := g.schemaVar(t); schema != "" && !g.unpromised {
		ref = jen.Id(schema).Dot(form).Call(ref.Clone())
	}
	return g.put("Put"+form, ref)
}

// schemaVar returns the name of the variable with the schema that a directive gives to a type, as far as it is checked; empty
// if there is nothing to check.
func (g *generator) schemaVar(t *ir.Type) string {
	if t.Schema == "" {
		return ""
	}
	key := "schema " + t.Schema
	if name, known := g.names[key]; known {
		return name
	}
	values := g.schemaValues(checkedSchema(t.Schema))
	if len(values) == 0 {
		g.names[key] = ""
		return ""
	}
	name := g.declare("mcpSchema" + typeName(t.Go))
	g.names[key] = name
	g.later = append(g.later, func() {
		g.file.Var().Id(name).Op("=").Add(g.jsonschema("Schema")).Custom(multiline, values...)
		g.file.Line()
	})
	return name
}

// schemaValues are the members of a literal of a jsonschema.Schema.
func (g *generator) schemaValues(s *jsonschema.Schema) (values []jen.Code) {
	set := func(name string, value jen.Code) { values = append(values, jen.Id(name).Op(":").Add(value)) }
	list := func(name string, of []string, text func(string) *jen.Statement) {
		if of != nil {
			set(name, jen.Index().String().ValuesFunc(func(b *jen.Group) {
				for _, v := range of {
					b.Add(text(v))
				}
			}))
		}
	}
	list("Types", s.Types, func(v string) *jen.Statement { return jen.Lit(v) })
	list("Enum", s.Enum, literal)
	for _, k := range []struct {
		name  string
		bound *float64
	}{{"Minimum", s.Minimum}, {"Maximum", s.Maximum}, {"Above", s.Above}, {"Below", s.Below}} {
		if k.bound != nil {
			set(k.name, jen.New(jen.Float64().Call(jen.Id(strconv.FormatFloat(*k.bound, 'g', -1, 64)))))
		}
	}
	if s.MultipleOf != "" {
		set("MultipleOf", jen.Lit(s.MultipleOf))
	}
	for _, k := range []struct {
		name  string
		count *int
	}{
		{"MinLength", s.MinLength}, {"MaxLength", s.MaxLength}, {"MinItems", s.MinItems}, {"MaxItems", s.MaxItems},
		{"MinProperties", s.MinProperties}, {"MaxProperties", s.MaxProperties},
	} {
		if k.count != nil {
			set(k.name, jen.New(jen.Lit(*k.count)))
		}
	}
	if s.Match != nil {
		set("Pattern", literal(s.Pattern))
		set("Match", jen.Id(g.pattern(s.Match().String())))
	}
	for _, f := range formats {
		if s.IsFormat != nil && f[0] == s.Format {
			set("Format", jen.Lit(f[0]))
			set("IsFormat", g.args(f[1]))
		}
	}
	part := func(name string, of *jsonschema.Schema) {
		if of != nil {
			set(name, jen.Op("&").Add(g.jsonschema("Schema")).Values(g.schemaValues(of)...))
		}
	}
	part("Items", s.Items)
	if s.Unique {
		set("Unique", jen.True())
	}
	if s.Properties != nil {
		set("Properties", jen.Index().Add(g.jsonschema("Property")).CustomFunc(multiline, func(b *jen.Group) {
			for _, p := range s.Properties {
				b.ValuesFunc(func(b *jen.Group) {
					b.Id("Name").Op(":").Lit(p.Name)
					if p.Required {
						b.Id("Required").Op(":").True()
					}
					if of := g.schemaValues(&p.Schema); len(of) > 0 {
						b.Id("Schema").Op(":").Add(g.jsonschema("Schema")).Values(of...)
					}
				})
			}
		}))
	}
	part("Additional", s.Additional)
	if s.Closed {
		set("Closed", jen.True())
	}
	for _, k := range []struct {
		name string
		list []jsonschema.Schema
	}{{"AllOf", s.AllOf}, {"AnyOf", s.AnyOf}, {"OneOf", s.OneOf}} {
		if k.list != nil {
			set(k.name, jen.Index().Add(g.jsonschema("Schema")).ValuesFunc(func(b *jen.Group) {
				for i := range k.list {
					b.Values(g.schemaValues(&k.list[i])...)
				}
			}))
		}
	}
	part("Not", s.Not)
	return values
}

// checkedSchema returns what generated code checks of a JSON Schema.
func checkedSchema(text string) *jsonschema.Schema {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var schema any
	if err := d.Decode(&schema); err != nil {
		panic("the schema is not JSON: " + text) // which has been told
	}
	return schemaOf(schema)
}

// schemaOf returns what generated code checks of a schema that has been decoded. It takes all values if that is nothing.
func schemaOf(schema any) *jsonschema.Schema {
	m, isObject := schema.(map[string]any)
	s := new(jsonschema.Schema)
	if !isObject {
		if schema == false {
			s.Types = []string{}
		}
		return s
	}
	unchecked := constraint.Unchecked(encoded(m))
	checks := func(keyword string) bool {
		_, has := m[keyword]
		return has && !slices.ContainsFunc(unchecked, func(place string) bool { return place == "/"+keyword || strings.HasPrefix(place, "/"+keyword+"/") })
	}
	if t, ok := m["type"].(string); ok {
		s.Types = []string{t}
	}
	values, _ := m["enum"].([]any)
	if c, isConst := m["const"]; isConst {
		values = []any{c}
	}
	if checks("enum") || checks("const") {
		for _, v := range values {
			s.Enum = append(s.Enum, encoded(v))
		}
	}
	number := func(keyword string) *float64 {
		n, _ := m[keyword].(json.Number)
		if f, err := n.Float64(); err == nil {
			return &f
		}
		return nil
	}
	s.Minimum, s.Maximum, s.Above, s.Below = number("minimum"), number("maximum"), number("exclusiveMinimum"), number("exclusiveMaximum")
	if n, ok := m["multipleOf"].(json.Number); ok {
		s.MultipleOf = string(n)
	}
	count := func(keyword string) *int {
		if f := number(keyword); f != nil {
			return new(int(min(*f, math.MaxInt32)))
		}
		return nil
	}
	s.MinLength, s.MaxLength, s.MinItems, s.MaxItems = count("minLength"), count("maxLength"), count("minItems"), count("maxItems")
	s.MinProperties, s.MaxProperties = count("minProperties"), count("maxProperties")
	if pattern, ok := m["pattern"].(string); ok {
		if text, err := constraint.GoPattern(pattern); err == nil { // else it has been told
			s.Pattern, s.Match = pattern, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
		}
	}
	if f, ok := formats[wordOf(m["format"])]; ok {
		s.Format, s.IsFormat = f[0], knows[f[1]]
	}
	part := func(keyword string) *jsonschema.Schema {
		if of, has := m[keyword]; has {
			if inner := schemaOf(of); !reflect.DeepEqual(inner, new(jsonschema.Schema)) {
				return inner
			}
		}
		return nil
	}
	s.Items, s.Unique = part("items"), m["uniqueItems"] == true && checks("uniqueItems")
	s.Properties = propertiesOf(m)
	if s.Closed = m["additionalProperties"] == false; !s.Closed {
		s.Additional = part("additionalProperties")
	}
	all := func(keyword string) (list []jsonschema.Schema) {
		arms, _ := m[keyword].([]any)
		for _, arm := range arms {
			list = append(list, *schemaOf(arm))
		}
		return list
	}
	s.AllOf, s.AnyOf = all("allOf"), all("anyOf")
	if checks("oneOf") { // of what is not checked in full, too many might be valid
		s.OneOf = all("oneOf")
	}
	if not, has := m["not"]; has && checks("not") {
		s.Not = schemaOf(not)
	}
	return s
}

// propertiesOf returns the properties of a schema, and those that are required.
func propertiesOf(m map[string]any) (all []jsonschema.Property) {
	properties, _ := m["properties"].(map[string]any)
	required, _ := m["required"].([]any)
	names := slices.Sorted(maps.Keys(properties))
	for _, name := range required {
		if name := wordOf(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		p := jsonschema.Property{Name: name, Required: slices.Contains(required, any(name))}
		if of, has := properties[name]; has {
			p.Schema = *schemaOf(of)
		}
		all = append(all, p)
	}
	return all
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
