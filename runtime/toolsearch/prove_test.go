package toolsearch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestFits is the table of what is proved: each value of the first schema is one of the second, or the error says what may be wrong.
func TestFits(t *testing.T) {
	const (
		text   = `{"type":"string"}`
		number = `{"type":"number"}`
		array  = `{"type":"array"}`
		object = `{"type":"object"}`
	)
	for _, test := range []struct{ a, b, want string }{
		// types
		{text, `true`, ""}, {text, `false`, "there is no such member"}, {`false`, text, ""}, {`{}`, `{}`, ""},
		{`{"type":"integer"}`, number, ""}, {number, `{"type":"integer"}`, "want integer, got number"},
		{`{"type":["string","null"]}`, text, "want string, got null or string"}, {text, `{"type":["string","null"]}`, ""},
		{`{}`, text, "want string, got null or boolean or number or string or array or object"},

		// bounds
		{`{"type":"number","maximum":3}`, `{"type":"number","maximum":3}`, ""}, {`{"type":"number","maximum":2.5}`, `{"maximum":3}`, ""},
		{`{"type":"number","maximum":4}`, `{"maximum":3.5}`, "want maximum 3.5, which"}, {number, `{"maximum":1000000}`, "want maximum 1000000, which"},
		{`{"type":"number","exclusiveMaximum":3}`, `{"exclusiveMaximum":3}`, ""}, {`{"type":"number","maximum":3}`, `{"exclusiveMaximum":3}`, "exclusiveMaximum 3"},
		{`{"type":"number","minimum":3}`, `{"minimum":3}`, ""}, {`{"type":"number","minimum":2}`, `{"minimum":3}`, "minimum 3"}, {`{"type":"integer","minimum":4}`, `{"minimum":3}`, ""},
		{`{"type":"number","exclusiveMinimum":3}`, `{"exclusiveMinimum":2}`, ""}, {number, `{"exclusiveMinimum":2}`, "exclusiveMinimum 2"},
		{`{"type":"number","multipleOf":3}`, `{"multipleOf":3}`, ""}, {`{"type":"number","multipleOf":6}`, `{"multipleOf":3}`, "multipleOf 3"}, {number, `{"multipleOf":3}`, "multipleOf 3"},
		{`{"type":"string","maxLength":3}`, `{"maxLength":4}`, ""}, {text, `{"maxLength":4}`, "maxLength 4"}, {`{"type":"string","minLength":3}`, `{"minLength":4}`, "minLength 4"},
		{`{"type":"string","minLength":4}`, `{"minLength":4}`, ""}, {text, `{"maximum":3,"minItems":1}`, ""},
		{`{"type":"array","maxItems":3}`, `{"maxItems":4}`, ""}, {array, `{"maxItems":4}`, "maxItems 4"}, {`{"type":"array","minItems":1}`, `{"minItems":2}`, "minItems 2"},
		{`{"type":"array","minItems":2}`, `{"minItems":2}`, ""}, {number, `{"maxLength":3,"pattern":"a","format":"uuid","contentEncoding":"base64","contentMediaType":"application/json","uniqueItems":true}`, ""},
		{`{"type":"string","uniqueItems":true}`, `{"uniqueItems":true,"maxItems":3,"minItems":1,"maximum":3}`, ""},

		// what must be the same
		{`{"type":"string","pattern":"^a$"}`, `{"pattern":"^a$"}`, ""}, {`{"type":"string","pattern":"^b$"}`, `{"pattern":"^a$"}`, "want pattern ^a$"}, {text, `{"pattern":"^a$"}`, "want pattern"},
		{`{"type":"string","format":"uuid"}`, `{"format":"uuid"}`, ""}, {`{"type":"string","format":"date"}`, `{"format":"uuid"}`, "want format uuid"}, {text, `{"format":"uuid"}`, "want format uuid"},
		{text, `{"format":"which nobody checks"}`, ""},
		{`{"type":"string","contentEncoding":"base64"}`, `{"contentEncoding":"base64"}`, ""}, {text, `{"contentEncoding":"base64"}`, "want contentEncoding base64"},
		{`{"type":"string","contentMediaType":"application/json"}`, `{"contentMediaType":"application/json"}`, ""}, {text, `{"contentMediaType":"application/json"}`, "want contentMediaType application/json"},
		{`{"type":"array","uniqueItems":true}`, `{"uniqueItems":true}`, ""}, {array, `{"uniqueItems":true}`, "want uniqueItems true"},

		// values that are known, and alternatives
		{`{"const":"a"}`, text, ""}, {`{"const":1}`, text, "got number, want string"}, {`{"enum":["a",1]}`, text, "got number, want string"}, {`{"enum":["a","b"]}`, `{"maxLength":1}`, ""},
		{`{"const":1}`, `{"not":{"type":"string"}}`, ""}, {text, `{"const":"a"}`, "want one of certain values"}, {text, `{"enum":["a"]}`, "want one of certain values"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, text, "want string, got null"}, {`{"oneOf":[{"type":"string"},{"type":"string"}]}`, text, ""},
		{`{"type":"string","anyOf":[{"type":"null"}]}`, text, ""}, {text, `{"anyOf":[{"type":"null"},{"type":"string"}]}`, ""},
		{text, `{"anyOf":[{"type":"null"},{"type":"number"}]}`, "none of the alternatives"}, {text, `{"anyOf":[{"type":"string"}],"maxLength":1}`, "maxLength 1"},

		// arrays
		{`{"type":"array","items":{"type":"integer"}}`, `{"items":{"type":"number"}}`, ""}, {`{"type":"array","items":{"type":"number"}}`, `{"items":{"type":"integer"}}`, "x[]: want integer"},
		{array, `{"items":{"type":"integer"}}`, "x[]: want integer"}, {`{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, `{"items":{"type":"string"}}`, ""},
		{`{"type":"array","prefixItems":[{"type":"integer"}],"items":false}`, `{"items":{"type":"string"}}`, "x[0]: want string"},
		{`{"type":"array","prefixItems":[true],"items":{"type":"string"}}`, `{"items":{"type":"string"}}`, "x[0]: want string"},
		{`{"type":"array","items":{"type":"string"},"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"items":{"type":"string"}}`, ""},

		// objects
		{`{"type":"object","required":["a"]}`, `{"required":["a"]}`, ""}, {object, `{"required":["a"]}`, "a is required, and may be absent"},
		{`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}}}`, ""},
		{object, `{"properties":{"a":{"type":"string"}}}`, "x.a: want string"},
		{`{"type":"object","additionalProperties":false}`, `{"properties":{"a":{"type":"string"}}}`, ""},
		{`{"type":"object","additionalProperties":true}`, `{"properties":{"a":{"type":"string"}}}`, "x.a: want string"},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, `{"properties":{"a":{"type":"string"}}}`, ""},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, `{"additionalProperties":{"type":"number"}}`, "x.*: want number"},
		{`{"type":"object","properties":{"a":true}}`, `{"additionalProperties":false}`, "x.a: there is no such member"},
		{object, `{"additionalProperties":false}`, "x.*: there is no such member"},
		{`{"type":"object","additionalProperties":false,"patternProperties":{"b":true}}`, `{"properties":{"a":{"type":"string"}}}`, "x.a: want string"},
		{`{"type":"object","additionalProperties":{"type":"string"},"patternProperties":{"b":true}}`, `{"properties":{"a":{"type":"string"}}}`, "x.a: want string"},

		// references
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, text, ""}, {text, `{"$ref":"#/$defs/a","$defs":{"a":{"type":"number"}}}`, "want number, got string"},
		{text, `{"$ref":"#/$defs/a","maxLength":3,"$defs":{"a":{"type":"string"}}}`, "maxLength 3"}, {`{"$ref":"#s","$defs":{"a":{"$anchor":"s","type":"string"}}}`, text, ""},
		{`{"$id":"http://x/b","$ref":"c","$defs":{"c":{"$id":"c","type":"string"}}}`, text, ""},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, text, "its references lead to each other"},
	} {
		a, err := schema.CompileStrict(wire.Raw(test.a))
		if err != nil {
			t.Fatal(test.a, err)
		}
		b, err := schema.CompileStrict(wire.Raw(test.b))
		if err != nil {
			t.Fatal(test.b, err)
		}
		err = new(prover).fits("x", a.Compiled(), b.Compiled())
		if got := fmt.Sprint(err); (err == nil) != (test.want == "") || err != nil && (!strings.HasPrefix(got, "x") || !strings.Contains(got, test.want)) {
			t.Errorf("%s as %s: got %v, want %q", test.a, test.b, err, test.want)
		}
	}
	// What is not understood is refused.
	for name, value := range map[string]string{
		"allOf": `[{}]`, "oneOf": `[{}]`, "not": `{}`, "if": `{}`, "prefixItems": `[{}]`, "contains": `{}`, "dependentSchemas": `{"a":{}}`, "dependentRequired": `{"a":[]}`,
		"propertyNames": `{}`, "minProperties": `0`, "maxProperties": `1`, "patternProperties": `{"a":{}}`, "unevaluatedProperties": `true`, "unevaluatedItems": `true`,
		"$dynamicRef": `"#"`, "items": `[{}],"$schema":"http://json-schema.org/draft-07/schema#"`, "dependencies": `{"a":[]},"$schema":"http://json-schema.org/draft-07/schema#"`,
		"$recursiveRef": `"#","$schema":"https://json-schema.org/draft/2019-09/schema"`,
	} {
		b, err := schema.CompileStrict(wire.Raw(`{"` + name + `":` + value + `}`))
		if err != nil {
			t.Fatal(name, err)
		}
		want := fmt.Sprintf("x: it cannot be proved that what is bound here satisfies %q of its schema", name)
		if err := new(prover).fits("x", anything, b.Compiled()); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// What has the member $from is a binding, or an error.
func TestBindings(t *testing.T) {
	for text, want := range map[string]string{
		`{"pointer":"/a"}`:             "",
		`{"$from":"s","pointer":""}`:   "s ",
		`{"$from":"s","pointer":"/a"}`: "s /a",
		`{"$from":"s"}`:                "error", `{"$from":1,"pointer":"/a"}`: "error", `{"$from":"s","pointer":1}`: "error",
		`{"$from":"s","pointer":"a"}`: "error", `{"$from":"s","pointer":"/a","x":1}`: "error",
	} {
		v, err := decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if b, err := bindingOf(v.(map[string]any)); err != nil {
			got = "error"
		} else if b != nil {
			got = b.From + " " + b.Pointer
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// What has a place that is too long, or takes too long, is refused.
func TestFitsBounds(t *testing.T) {
	s, err := schema.CompileStrict(wire.Raw(`{"type":"array","items":{"$ref":"#"}}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = "it takes too many steps to compare the schemas"
	if err := new(prover).fits("x", s.Compiled(), s.Compiled()); fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for pairs, fits := range map[int]bool{maxProof - 1: true, maxProof: false} {
		if err := (&prover{pairs}).fits("x", anything, anything); (err == nil) != fits {
			t.Errorf("after %d pairs: got %v", pairs, err)
		}
	}
	for length, fits := range map[int]bool{maxPlace: true, maxPlace + 1: false} {
		if err := new(prover).fits(strings.Repeat("x", length), anything, anything); (err == nil) != fits {
			t.Errorf("at a place of %d bytes: got %v", length, err)
		}
	}
}
