package console

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestLimits(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string","minLength":1,"maxLength":80}`: "at least 1 character, at most 80 characters",
		`{"type":"array","minItems":1,"maxItems":1}`:     "at least 1 item, at most 1 item",
		`{"type":"array","maxItems":2}`:                  "at most 2 items",
		`{"type":"string","pattern":"^items$"}`:          "matches ^items$",
		`{"type":"integer","minimum":1,"default":3}`:     "at least 1, default 3",
		`{"type":"integer"}`:                             "",
		`{"exclusiveMinimum":0,"exclusiveMaximum":9}`:    "more than 0, less than 9",
		`{"maximum":1,"multipleOf":0.5}`:                 "at most 1, a multiple of 0.5",
		`{"uniqueItems":true,"default":"a"}`:             "no item twice, default \"a\"",
		`{"uniqueItems":false}`:                          "",
	} {
		var s any
		if err := json.Unmarshal([]byte(schema), &s); err != nil {
			t.Fatal(err)
		}
		if got := (schemaOf{}).limits(s); got != want {
			t.Errorf("%s: got %q, want %q", schema, got, want)
		}
	}
}

func TestSchemaOf(t *testing.T) {
	for schema, want := range map[string]string{ // kinds, description
		`{}`:                                "[] any",
		`true`:                              "[] any",
		`{"type":"string"}`:                 "[string] string",
		`{"type":"string","format":"date"}`: "[string] date",
		`{"type":"integer","format":"x"}`:   "[integer] integer",
		`{"type":["string","null"],"format":"date"}`: "[string null] string or null",
		`{"type":["string",1]}`:                      "[string] string",
		`{"enum":["a","b"]}`:                         "[string] a|b",
		`{"enum":["a",1]}`:                           "[string] a",
		`{"enum":[1]}`:                               "[] any",
		`{"anyOf":[{"type":"string"},{"type":"integer"}],"oneOf":[{"type":"integer"}]}`: "[integer string] integer or string",
		`{"oneOf":[{"type":"string"},{}]}`:                                              "[] any",
		`{"type":"array"}`:                                                              "[array] array",
		`{"type":"array","items":{"type":"integer"}}`:                                   "[array] list of integer",
		`{"type":"array","items":{"enum":["a"]}}`:                                       "[array] list of a",
		`{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"integer"}}]}`:       "[array null] list of integer or null",
		`{"anyOf":[{"type":"null"},{"type":"array"}]}`:                                  "[array null] array or null",
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"integer"}}}`:                         "[integer] integer",
		`{"$ref":"#/$defs/a~1b~0c","$defs":{"a/b~c":{"type":"integer"}}}`:               "[integer] integer",
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"null"}}}`:   "[null] null",
		`{"$ref":"#/$defs/b"}`:                                                          "[] any",
		`{"$ref":"other"}`:                                                              "[] any",
		`{"$ref":"#"}`:                                                                  "[] any",
		`{"anyOf":[{"$ref":"#"}]}`:                                                      "[] any",
	} {
		s := schemaOf{parsed(t, schema)}
		if got := fmt.Sprint(s.kinds(s.root, 0), " ", s.describe(s.root, 0)); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}

// TestReferences follows references, but not for ever.
func TestReferences(t *testing.T) {
	chain := func(n int) schemaOf {
		defs := map[string]any{}
		for i := range n {
			defs[fmt.Sprint(i)] = map[string]any{"$ref": fmt.Sprintf("#/$defs/%d", i+1)}
		}
		defs[fmt.Sprint(n)] = map[string]any{"type": "integer"}
		return schemaOf{map[string]any{"$ref": "#/$defs/0", "$defs": defs}}
	}
	if s := chain(deepest - 2); s.object(s.root)["type"] != "integer" {
		t.Error("a reference of a reference was not followed")
	}
	if s := chain(deepest - 1); s.object(s.root) != nil {
		t.Error("too many references were followed")
	}
	nested := func(n int) schemaOf {
		var schema any = map[string]any{"type": "integer"}
		for range n {
			schema = map[string]any{"anyOf": []any{schema}}
		}
		return schemaOf{schema}
	}
	if s := nested(deepest); fmt.Sprint(s.kinds(s.root, 0)) != "[integer]" {
		t.Error("a choice in a choice was not looked at")
	}
	if s := nested(deepest + 1); s.kinds(s.root, 0) != nil {
		t.Error("too many choices were looked at")
	}
}

func TestMember(t *testing.T) {
	s := schemaOf{parsed(t, `{"properties":{"a":1},"patternProperties":{"^a":2,"^b":3,"(":4},"additionalProperties":5}`)}
	for name, want := range map[string]any{"a": 1.0, "ab": 2.0, "b": 3.0, "c": 5.0} {
		if got, ok := s.member(s.root, name); got != want || !ok {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if got, ok := s.member(parsed(t, `{"additionalProperties":false}`), "a"); ok {
		t.Errorf("got %v", got)
	}
	if got := s.items(parsed(t, `{"anyOf":[{},{"items":1}]}`)); got != 1.0 {
		t.Errorf("got %v", got)
	}
}

func parsed(t *testing.T, schema string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(schema), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
