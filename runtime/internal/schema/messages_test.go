package schema_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestProblems is the table of what is said of values. What is long is cut.
func TestProblems(t *testing.T) {
	long := strings.Repeat("x", 201)
	cut := long[:200] + "…"
	array := func(n int, inner string) string { return strings.Repeat("[", n) + inner + strings.Repeat("]", n) }
	for _, test := range []struct{ schema, value, want string }{
		{`{"type":"string"}`, `"a"`, ""},
		{`{"allOf":[{"type":"string"},{"minimum":3}]}`, `2`, "got number, want string; minimum: got 2, want 3"},
		{`{"type":["string","null"]}`, `true`, "got boolean, want null or string"},
		{`{"type":"string"}`, `null`, "got null, want string"},
		{`{` + draft7 + `"format":"uuid"}`, `"a"`, "'a' is not valid uuid: must have 5 elements"},
		{`{` + draft7 + `"format":"uuid"}`, quote(long), "'" + cut + "' is not valid uuid: must have 5 elements"},
		{`{"enum":["a",1]}`, `2`, "value must be one of 'a', 1"},
		{`{"enum":["` + long + `",1]}`, `2`, "value must be one of '" + long + "', 1"},
		{`{"enum":[` + names(20, `"n%d"`) + `]}`, `2`, "value must be one of " + spaced(names(20, "'n%d'"))},
		{`{"enum":[` + names(21, `"n%d"`) + `]}`, `2`, "value must be one of " + spaced(names(21, "'n%d'"))},
		{`{"const":"` + long + `"}`, `2`, "value must be '" + long + "'"},
		{`{"const":{}}`, `2`, "'const' failed"},
		{`{"required":["` + long + `"]}`, `{}`, "missing property '" + long + "'"},
		{`{"required":[` + names(20, `"n%d"`) + `]}`, `{}`, "missing properties " + spaced(names(20, "'n%d'"))},
		{`{"required":[` + names(21, `"n%d"`) + `]}`, `{}`, "missing properties " + spaced(names(21, "'n%d'"))},
		{`{"dependentRequired":{"` + long + `":["b` + long + `"]}}`, `{"` + long + `":1}`, "properties 'b" + long + "' required, if '" + long + "' exists"},
		{`{` + draft7 + `"dependencies":{"` + long + `":["b` + long + `"]}}`, `{"` + long + `":1}`, "properties 'b" + long + "' required, if '" + long + "' exists"},
		{`{"additionalProperties":false}`, `{"` + long + `":1}`, "additional properties '" + long + "' not allowed"},
		{`{"propertyNames":{"const":"a"}}`, `{"` + long + `":1}`, "value must be 'a'"},
		{`{"pattern":"^` + long + `$"}`, quote("y" + long), "'y" + long[:199] + "…' does not match pattern '^" + long + "$'"},
		{`{"contains":true,"maxContains":1}`, `[` + numbers(30) + `]`, "max 1 items required to match contains schema, but matched 30 items at " + strings.ReplaceAll(names(30, "%d"), ",", " ")},
		{`{"contains":true,"minContains":40}`, `[` + numbers(30) + `]`, "min 40 items required to match contains schema, but matched 30 items at " + strings.ReplaceAll(names(30, "%d"), ",", " ")},
		{`{"properties":{"` + long + `":{"type":"string"}}}`, `{"` + long + `":1}`, long[:40] + "…: got number, want string"},
		{`{"type":"array","items":{"$ref":"#"}}`, array(20, "1"), strings.Repeat("[0]", 20) + ": got number, want array"},
		{`{"type":"array","items":{"$ref":"#"}}`, array(21, "1"), "…" + strings.Repeat("[0]", 20) + ": got number, want array"},
		{`{"enum":["` + strings.Repeat(long[:150]+`","`, 9) + `"]}`, `2`, "" + ("value must be one of " + strings.Repeat("'"+long[:150]+"', ", 9))[:1000] + "…"},

		{`{}`, `1e400`, ""},
		{`{}`, `1E401`, numberProblem},
		{`{}`, `-1e-401`, numberProblem},
		{`{}`, `{"a":1e99999999999999999999}`, "a: " + numberProblem},
		{`{}`, strings.Repeat("9", 1000), ""},
		{`{}`, strings.Repeat("9", 1001), numberProblem},
		{`{}`, `[` + strings.Repeat("1e-400,", 77) + "1e-140]", ""}, // 20,000 and 20 times the bytes of the text
		{`{}`, `[` + strings.Repeat("1e-400,", 77) + "1e-141]", "[77]: too many numbers with large exponents"},
		{`{}`, `[1e1x]`, "[0]: want ',' or ']' after an element, got 'x' at offset 4"},
		{`{}`, `tru`, "want true, got an unknown word at offset 0"},
		{`{}`, `{"a":1,"a":2}`, `duplicate member "a"`},
	} {
		s, err := schema.Compile(wire.Raw(test.schema), 0)
		if err != nil {
			t.Fatal(test.schema, err)
		}
		if got := message(s.Check(context.Background(), wire.Raw(test.value), 0)); got != test.want {
			t.Errorf("%.200s and %.200s:\n got %s\nwant %s", test.schema, test.value, got, test.want)
		}
	}
}

const numberProblem = "want a number of at most 1000 characters, with an exponent within ±400"

// Of many problems, those that do not fit are counted.
func TestManyProblems(t *testing.T) {
	s, err := schema.Compile(wire.Raw(`{"items":{"type":"string"}}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{20: "", 21: "; … and 1 more", 23: "; … and 3 more"} {
		got := message(s.Check(context.Background(), wire.Raw("["+numbers(n)+"]"), 0))
		if problems, more, _ := strings.Cut(got, "[9]: got number, want string"); more != want || strings.Count(problems, ": got number, want string; ") != 19 {
			t.Errorf("%d problems: %s", n, got)
		}
	}
	invalid := &schema.ValueError{Problems: []schema.Problem{{Msg: "b"}, {Path: []string{"x"}, Msg: "a"}}}
	if got := strings.Join(invalid.Lines(""), "; "); got != "b; x: a" {
		t.Errorf("got %s", got)
	}
}

// TestSchemas is the table of what is said of schemas that are wrong.
//
// REQ JSCH-05, JSCH-06
func TestSchemas(t *testing.T) {
	long := "https://" + strings.Repeat("x", 2000)
	for text, want := range map[string]string{
		`7`:                          "got number, want boolean or object",
		`{"minLength":-1}`:           "minLength: minimum: got -1, want 0",
		`{"pattern":"("}`:            "pattern: '(' is not valid regex: error parsing regexp: missing closing ): `(`",
		`{"$ref":"#/a"}`:             `json-pointer in "schema:///#/a" not found`,
		`{"$ref":"a"}`:               `failing loading "schema:///a": references to other documents are not followed`,
		`{"$id":"a:a","$ref":"b:b"}`: `failing loading "b:b": references to other documents are not followed`,
		`{"$schema":"https://x"}`:    `failing loading "https://x": references to other documents are not followed`,
		`{"$ref":"` + long + `"}`:    `failing loading "` + long[:1000-len(`failing loading "`)] + "…",
		`{"a":{"a":1,"a":2}}`:        `a: duplicate member "a"`,
		`{`:                          "want a member's name, got the end of the input at offset 1",
	} {
		_, err := schema.Compile(wire.Raw(text), 0)
		if got := message(err); got != want {
			t.Errorf("%.100s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// A strict schema asserts formats and encodings, in its parts, too.
func TestCompileStrict(t *testing.T) {
	for text, want := range map[string]string{
		`{"format":"uuid"}`: "'x' is not valid uuid: must have 5 elements",
		`{"$ref":"#/$defs/a","$defs":{"a":{"format":"uuid"}}}`: "'x' is not valid uuid: must have 5 elements",
		`{"contentEncoding":"base64"}`:                         "value is not 'base64' encoded: illegal base64 data at input byte 0",
	} {
		for _, strict := range []bool{true, false} {
			compile := func(text wire.Raw) (*schema.Schema, error) { return schema.Compile(text, 0) }
			if strict {
				compile = schema.CompileStrict
			}
			s, err := compile(wire.Raw(text))
			if err != nil {
				t.Fatal(err)
			}
			if got := message(s.Check(context.Background(), wire.Raw(`"x"`), 0)); strict && got != want || !strict && got != "" {
				t.Errorf("%s, strict %t: got %s", text, strict, got)
			}
		}
	}
}

// names returns a list of n names, or numbers.
func names(n int, format string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(list, ",")
}

func spaced(list string) string { return strings.ReplaceAll(list, ",", ", ") }
