package schema_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ JSCH-01, JSCH-02, JSCH-03, JSCH-05, JSCH-06, JSCH-08
func TestCompile(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{"type":"object"}`, ""},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[true]}`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{}}}`, ""},
		{`{"$defs":{"a":{"type":"string"}},"$ref":"#/$defs/a"}`, ""},
		{`{"type":7}`, "type"},
		{`{"$schema":"https://example.com/mine"}`, "https://example.com/mine"},
		{`{"$ref":"https://example.com/other"}`, "not followed"},
		{`{"$ref":"file:///etc/passwd"}`, "not followed"},
		{`{"$ref":"#/$defs/none"}`, "$defs/none"},
		{`{`, "got the end of the input"},
	} {
		_, err := schema.Compile(wire.Raw(test.schema), 0)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.schema, err, test.want)
		}
	}
}

// Each dialect has keywords of its own; without $schema those of 2020-12 count, and no others.
//
// REQ JSCH-01, JSCH-02, JSCH-03
func TestDialects(t *testing.T) {
	for _, test := range []struct{ dialect, rest, value, want string }{
		{"", `"prefixItems":[{"type":"string"}]`, `[1]`, "[0]: got number, want string"},
		{"", `"prefixItems":[{"type":"string"}],"items":{"type":"integer"}`, `["a","b"]`, "[1]: got string, want integer"},
		{"", `"dependentRequired":{"a":["b"]}`, `{"a":1}`, "properties 'b' required, if 'a' exists"},
		{"", `"properties":{"a":true},"unevaluatedProperties":false`, `{"b":1}`, "b: false schema"},
		{"", `"$ref":"#/$defs/x","maximum":3,"$defs":{"x":{}}`, `4`, "maximum: got 4, want 3"},
		{"https://json-schema.org/draft/2020-12/schema", `"prefixItems":[{"type":"string"}]`, `[1]`, "[0]: got number, want string"},
		{"http://json-schema.org/draft-07/schema#", `"prefixItems":[{"type":"string"}]`, `[1]`, ""},
		{"http://json-schema.org/draft-07/schema#", `"items":[{"type":"string"}]`, `[1]`, "[0]: got number, want string"},
		{"http://json-schema.org/draft-07/schema#", `"dependencies":{"a":["b"]}`, `{"a":1}`, "properties 'b' required, if 'a' exists"},
	} {
		text := `{` + test.rest + `}`
		if test.dialect != "" {
			text = `{"$schema":"` + test.dialect + `",` + test.rest + `}`
		}
		s, err := schema.Compile(wire.Raw(text), 0)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := message(s.Check(t.Context(), wire.Raw(test.value), 0)); got != test.want {
			t.Errorf("%s of %s: got %q, want %q", test.value, text, got, test.want)
		}
	}
	// What is valid in draft-07 alone is no schema without $schema.
	if _, err := schema.Compile(wire.Raw(`{"items":[{"type":"string"}]}`), 0); err == nil {
		t.Error("items of draft-07 was taken in 2020-12")
	}
}

func TestCheck(t *testing.T) {
	s, err := schema.Compile(wire.Raw(`{"type":"object","properties":{"days":{"type":"array","items":{"type":"object",
		"properties":{"n":{"type":"integer","maximum":14}}}},"id":{"type":"integer"},"x":{"properties":{"n":{"properties":{"k":{"type":"string"}}}}}},"required":["id"]}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ value, want string }{
		{`{"id":9007199254740993}`, ""},
		{`{"id":1.0}`, ""},
		{`{}`, "missing property 'id'"},
		{`{"id":1.5}`, "id: got number, want integer"},
		{`{"id":"x","days":[{"n":1},{"n":20}]}`, "days[1].n: maximum: got 20, want 14; id: got string, want integer"},
		{`[]`, "got array, want object"},
		{`{"id":1,"id":1}`, `duplicate member "id"`},
		{`{"x":{"n":{"k":1}},"id":1}`, "x.n.k: got number, want string"},
	} {
		if got := message(s.Check(t.Context(), wire.Raw(test.value), 0)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.value, got, test.want)
		}
	}
}
