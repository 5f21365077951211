package forms

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ ELIC-07, ELIC-08, ELIC-10, ELIC-13
func TestForm(t *testing.T) {
	equal := func(t *testing.T, what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	fillIn := func(s *Schema, content map[string]wire.Raw) (map[string]wire.Raw, string) {
		content = Complete(s, content)
		if problems := Check(s, content, false); problems != nil {
			return content, ErrorText(problems)
		}
		return content, ""
	}
	field := func(required bool, schema string) *mcp.ElicitRequestFormParamsRequestedSchema {
		s, err := mcp.UnmarshalPrimitiveSchemaDefinition([]byte(schema))
		if err != nil {
			t.Fatal(err)
		}
		f := &mcp.ElicitRequestFormParamsRequestedSchema{Properties: wire.Members[mcp.PrimitiveSchemaDefinition]{{Name: "x", Value: s}}}
		if required {
			f.Required = []string{"x"}
		}
		return f
	}
	const (
		enum   = `{"type":"string","enum":["a","b"]}`
		titled = `{"type":"string","oneOf":[{"const":"a","title":"A"}]}`
		legacy = `{"type":"string","enum":["a"],"enumNames":["A"]}`
		multi  = `{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b","c"]}}`
		many   = `{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`
	)
	for _, test := range []struct{ schema, value, want string }{
		{`{"type":"string"}`, `"x"`, ""},
		{`{"type":"string"}`, `7`, `form: "x": want string, got number`},
		{`{"type":"string","minLength":2}`, `"ü"`, `form: "x": want at least 2 characters, got 1`},
		{`{"type":"string","maxLength":2}`, `"üüü"`, `form: "x": want at most 2 characters, got 3`},
		{`{"type":"string","minLength":2,"maxLength":2}`, `"üü"`, ""},
		{`{"type":"string","format":"email"}`, `"ada@example.com"`, ""},
		{`{"type":"string","format":"email"}`, `"@c"`, `form: "x": want the format email, got "@c"`},
		{`{"type":"string","format":"email"}`, `"a@"`, `form: "x": want the format email, got "a@"`},
		{`{"type":"string","format":"email"}`, `"a@b@c"`, `form: "x": want the format email, got "a@b@c"`},
		{`{"type":"string","format":"uri"}`, `"http://a b/"`, `form: "x": want the format uri, got "http://a b/"`},
		{`{"type":"string","format":"email"}`, `"ada"`, `form: "x": want the format email, got "ada"`},
		{`{"type":"string","format":"email"}`, `"a b@c"`, `form: "x": want the format email, got "a b@c"`},
		{`{"type":"string","format":"uri"}`, `"https://example.com"`, ""},
		{`{"type":"string","format":"uri"}`, `"example"`, `form: "x": want the format uri, got "example"`},
		{`{"type":"string","format":"date"}`, `"2024-02-29"`, ""},
		{`{"type":"string","format":"date"}`, `"2023-02-29"`, `form: "x": want the format date, got "2023-02-29"`},
		{`{"type":"string","format":"date-time"}`, `"2025-06-18T09:30:00Z"`, ""},
		{`{"type":"string","format":"date-time"}`, `"2025-06-18"`, `form: "x": want the format date-time, got "2025-06-18"`},
		{`{"type":"string","format":"other"}`, `"x"`, ""},
		{`{"type":"number"}`, `1.5`, ""},
		{`{"type":"number"}`, `"1"`, `form: "x": want number, got string`},
		{`{"type":"number"}`, `1e999`, `form: "x": want a number of 64 bits, got 1e999`},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"type":"integer"}`, `1.5`, `form: "x": want an integer, got 1.5`},
		{`{"type":"integer","minimum":3}`, `2`, `form: "x": want at least 3, got 2`},
		{`{"type":"integer","maximum":3}`, `4`, `form: "x": want at most 3, got 4`},
		{`{"type":"integer","minimum":3,"maximum":3}`, `3`, ""},
		{`{"type":"integer","maximum":3}`, `2`, ""},
		{`{"type":"integer","minimum":3}`, `4`, ""},
		{`{"type":"boolean"}`, `true`, ""},
		{`{"type":"boolean"}`, `"true"`, `form: "x": want boolean, got string`},
		{enum, `"b"`, ""},
		{enum, `"c"`, `form: "x": want one of ["a" "b"], got "c"`},
		{titled, `"a"`, ""},
		{titled, `"A"`, `form: "x": want one of ["a"], got "A"`},
		{legacy, `"a"`, ""},
		{legacy, `"A"`, `form: "x": want one of ["a"], got "A"`},
		{multi, `["a","c"]`, ""},
		{multi, `[]`, `form: "x": want at least 1 choices, got 0`},
		{multi, `["a","b","c"]`, `form: "x": want at most 2 choices, got 3`},
		{multi, `["d"]`, `form: "x": want one of ["a" "b" "c"], got "d"`},
		{multi, `["a",7]`, `form: "x": want string, got number`},
		{enum, `7`, `form: "x": want string, got number`},
		{multi, `"a"`, `form: "x": want array, got string`},
		{many, `["a"]`, ""},
		{many, `["A"]`, `form: "x": want one of ["a"], got "A"`},
		{`{"type":"null"}`, `7`, ""}, // only the handler knows what it means
	} {
		_, got := fillIn(field(true, test.schema), map[string]wire.Raw{"x": wire.Raw(test.value)})
		equal(t, test.schema+" "+test.value, got, test.want)
	}

	for _, test := range []struct{ schema, want string }{
		{`{"type":"string","default":""}`, `""`},
		{`{"type":"number","default":95.5}`, `95.5`},
		{`{"type":"integer","default":30}`, `30`},
		{`{"type":"boolean","default":false}`, `false`},
		{`{"type":"string","enum":["a"],"default":"a"}`, `"a"`},
		{`{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"}`, `"a"`},
		{`{"type":"string","enum":["a"],"enumNames":["A"],"default":"a"}`, `"a"`},
		{`{"type":"array","items":{"type":"string","enum":["a"]},"default":["a"]}`, `["a"]`},
		{`{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":["a"]}`, `["a"]`},
		{`{"type":"string"}`, ``},
	} {
		content, problems := fillIn(field(false, test.schema), nil)
		equal(t, test.schema, problems, "")
		equal(t, test.schema, string(content["x"]), test.want)
	}

	// Null is nothing; what the form does not have stays.
	content := map[string]wire.Raw{"x": wire.Raw(`null`), "y": wire.Raw(`1`)}
	content, problems := fillIn(field(false, `{"type":"string","default":"d"}`), content)
	if problems != "" || len(content) != 1 {
		t.Errorf("%v %v", content, problems)
	}
	_, problems = fillIn(field(true, `{"type":"string"}`), map[string]wire.Raw{"x": wire.Raw(`null`)})
	equal(t, "null", problems, `form: "x": required, but absent`)
	other := Check(field(true, `{"type":"string"}`), map[string]wire.Raw{"y": wire.Raw(`1`), "x": wire.Raw(`""`)}, true)
	for schema, want := range map[string]string{
		`{"type":"string","minLength":2}`:               "",
		`{"type":"string","minLength":2,"default":"d"}`: "want at least 2 characters, got 1",
		`{"type":"string","minLength":1,"default":"d"}`: "",
	} {
		equal(t, schema, CheckDefault(field(false, schema).Properties[0].Value), want)
	}
	if problems := Check(field(true, `{"type":"null"}`), map[string]wire.Raw{"x": wire.Raw(`{`)}, true); len(problems) != 1 {
		t.Errorf("what is no JSON: %v", problems)
	}
	equal(t, "another property", ErrorText(other), `form: "y": the form has no such property`)
}

// A text lists 20 problems, or choices, and says that there are more.
func TestLongTexts(t *testing.T) {
	for n, want := range map[int]string{20: `"x": m`, 21: "… and 1 more", 22: "… and 2 more"} {
		text := ErrorText(slices.Repeat([]Problem{{"x", "m"}}, n))
		if !strings.HasSuffix(text, want) || strings.Count(text, `"x": m`) != 20 {
			t.Errorf("%d problems: got %s", n, text)
		}
	}
	for n, want := range map[int]string{20: ` "a"], got "b"`, 21: ` "a" …], got "b"`} {
		s := mcp.UntitledSingleSelectEnumSchema{Enum: slices.Repeat([]string{"a"}, n)}
		form := Schema{Properties: wire.Members[mcp.PrimitiveSchemaDefinition]{{Name: "x", Value: &s}}}
		text := ErrorText(Check(&form, map[string]wire.Raw{"x": wire.Raw(`"b"`)}, true))
		if !strings.HasSuffix(text, want) || strings.Count(text, `"a"`) != 20 {
			t.Errorf("%d choices: got %s", n, text)
		}
	}
}
