package constraint

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
)

// SchemaProblem says what is wrong with the text of a schema, or "".
func SchemaProblem(text string) string {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return "the schema is not JSON: " + err.Error()
	}
	if _, ok := v.(map[string]any); !ok {
		return `a schema is a JSON object, such as {"type":"string"}`
	}
	if p := keywordProblem("", v); p != "" {
		return p
	}
	_, err = compileSchema(v)
	var invalid *jsonschema.SchemaValidationError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &invalid):
		var wrong *jsonschema.ValidationError
		if errors.As(invalid.Err, &wrong) {
			return "the schema is not a JSON Schema (2020-12): " + strings.Join(schemaErrors(wrong), "; ")
		}
	}
	return "the schema is not a JSON Schema (2020-12): " + err.Error()
}

// compileSchema compiles a schema that has been parsed.
func compileSchema(v any) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseRegexpEngine(sharedPattern)
	const name = "schema"
	if err := c.AddResource(name, v); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// TakesNull reports whether null is valid by the text of a schema.
func TakesNull(text string) bool {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return false // which is reported elsewhere
	}
	schema, err := compileSchema(v)
	return err == nil && schema.Validate(nil) == nil
}

// sharedPattern compiles a regular expression that means the same in Go and in JavaScript.
func sharedPattern(pattern string) (jsonschema.Regexp, error) {
	text, err := GoPattern(pattern)
	if err != nil {
		return nil, err
	}
	return compiled{regexp.MustCompile(text), pattern}, nil
}

// A compiled pattern is shown as it was written.
type compiled struct {
	*regexp.Regexp
	pattern string
}

func (c compiled) String() string { return c.pattern }

// schemaErrors returns the first error of the meta-schema for each place.
func schemaErrors(e *jsonschema.ValidationError) []string {
	english := message.NewPrinter(language.English)
	var all []string
	said := make(map[string]bool)
	var visit func(e *jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			visit(cause)
		}
		place := "/" + strings.Join(e.InstanceLocation, "/")
		if len(e.Causes) > 0 || said[place] {
			return
		}
		said[place] = true
		text := e.ErrorKind.LocalizedString(english)
		if f, ok := e.ErrorKind.(*kind.Format); ok {
			text = f.Err.Error()
		}
		all = append(all, place+": "+text)
	}
	visit(e)
	slices.Sort(all)
	return all
}

// vocabulary says what each keyword of JSON Schema 2020-12 holds: a schema, a list of schemas, schemas by name, or
// something else.
var vocabulary = map[string]string{
	"additionalProperties": "schema", "contains": "schema", "contentSchema": "schema", "else": "schema", "if": "schema",
	"items": "schema", "not": "schema", "propertyNames": "schema", "then": "schema", "unevaluatedItems": "schema",
	"unevaluatedProperties": "schema",
	"allOf":                 "list", "anyOf": "list", "oneOf": "list", "prefixItems": "list",
	"dependentSchemas": "map", "patternProperties": "map", "properties": "map",
	"const": "", "enum": "", "type": "", "exclusiveMaximum": "", "exclusiveMinimum": "", "maxItems": "", "maxLength": "", "maximum": "",
	"maxProperties": "", "maxContains": "", "minContains": "", "minItems": "", "minLength": "", "minimum": "", "minProperties": "",
	"multipleOf": "", "pattern": "", "required": "", "dependentRequired": "", "uniqueItems": "", "format": "", "contentEncoding": "",
	"contentMediaType": "", "title": "", "description": "", "default": "", "deprecated": "", "examples": "", "readOnly": "",
	"writeOnly": "", "$comment": "", "$vocabulary": "",
}

// keywordProblem finds keywords that would reach outside of a schema, which is put into others, and
// those that are misspelt, which JSON Schema would ignore.
func keywordProblem(path string, v any) string {
	m, _ := v.(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		switch k {
		case "$ref", "$defs", "$id", "$schema", "$anchor", "$dynamicRef", "$dynamicAnchor":
			return "the schema must stand on its own, without " + k
		}
		if _, several := m[k].([]any); several && k == "type" {
			return fmt.Sprintf("the schema's %s/type is a list, which not all clients read; write anyOf with a schema for each", path)
		}
		below, known := vocabulary[k]
		if near := spelling.Nearest(k, slices.Sorted(maps.Keys(vocabulary))); !known && near != "" && !strings.HasPrefix(k, "x-") {
			return fmt.Sprintf("the schema's %s/%s is no keyword; did you mean %s?", path, k, near)
		}
		if p := partProblem(path+"/"+k, below, m[k]); p != "" {
			return p
		}
	}
	return ""
}

// partProblem looks into the value of a keyword. The meta-schema reports values of the wrong form.
func partProblem(path, form string, v any) string {
	switch form {
	case "schema":
		return keywordProblem(path, v)
	case "list":
		list, _ := v.([]any)
		for i, s := range list {
			if p := keywordProblem(path+"/"+strconv.Itoa(i), s); p != "" {
				return p
			}
		}
	case "map":
		m, _ := v.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if p := keywordProblem(path+"/"+name, m[name]); p != "" {
				return p
			}
		}
	}
	return ""
}
