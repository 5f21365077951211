package constraint

import (
	"strings"
	"testing"
)

func TestSchemaProblem(t *testing.T) {
	for schema, want := range map[string]string{
		`{`:                                "the schema is not JSON: unexpected EOF",
		`true`:                             `a schema is a JSON object, such as {"type":"string"}`,
		`{}`:                               "",
		`{"type":"string"}`:                "",
		`{"type":"strnig"}`:                "the schema is not a JSON Schema (2020-12): /type: value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'",
		`{"minLength":-1,"maxLength":"1"}`: "the schema is not a JSON Schema (2020-12): /maxLength: got string, want integer; /minLength: minimum: got -1, want 0",
		`{"pattern":"(?i)a"}`:              "the schema is not a JSON Schema (2020-12): /pattern: JavaScript has no flags such as (?i) inside a pattern; spell out both cases: [Aa]",
		`{"$ref":"#/$defs/a"}`:             "the schema must stand on its own, without $ref",
		`{"items":{"$id":"a"}}`:            "the schema must stand on its own, without $id",
		`{"type":["string"]}`:              "the schema's /type is a list, which not all clients read; write anyOf with a schema for each",
		`{"enum":["string"]}`:              "",
		`{"minlength":1}`:                  "the schema's /minlength is no keyword; did you mean minLength?",
		`{"x-minlength":1}`:                "",
		`{"x-titl":1}`:                     "",
		`{"somethingElse":1}`:              "",
		`{"items":{"titel":"a"}}`:          "the schema's /items/titel is no keyword; did you mean title?",
		`{"anyOf":[{},{"titel":"a"}]}`:     "the schema's /anyOf/1/titel is no keyword; did you mean title?",
		`{"properties":{"a":{},"b":{"titel":"a"}}}`:       "the schema's /properties/b/titel is no keyword; did you mean title?",
		`{"properties":{"titel":{}},"const":{"titel":1}}`: "",
		`{"items":1}`:                "the schema is not a JSON Schema (2020-12): /items: got number, want boolean or object",
		`{"anyOf":1,"properties":1}`: "the schema is not a JSON Schema (2020-12): /anyOf: got number, want array; /properties: got number, want object",
	} {
		if got := SchemaProblem(schema); got != want {
			t.Errorf("%s: got %q, want %q", schema, got, want)
		}
	}
}

func TestTakesNull(t *testing.T) {
	for schema, want := range map[string]bool{
		`{`: false, `{}`: true, `{"type":"null"}`: true, `{"type":"string"}`: false, `{"anyOf":[{"type":"string"},{"type":"null"}]}`: true,
		`{"pattern":"(?i)a"}`: false, `{"pattern":"a"}`: true,
	} {
		if got := TakesNull(schema); got != want {
			t.Errorf("%s: got %v", schema, got)
		}
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"":                   `""`,
		`a"\é<&>`:            `"a\"\\é<&>"`,
		"\n\t\r":             `"\n\t\r"`,
		"\x00\x1f":           `"\u0000\u001f"`,
		" \x7f":              `" \u007f"`,
		"\u2028\u2029\u202a": `"\u2028\u2029` + "\u202a\"",
	} {
		if got := Quote(s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

// TestIsName bounds names by their characters.
func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "": false, "1a": false, "a b": false, "$é-1.x": true, strings.Repeat("é", 128): true, strings.Repeat("é", 129): false,
	} {
		if IsName(name) != want {
			t.Errorf("%q is a name: %t", name, !want)
		}
	}
}
