package schema_test

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestSteps is the table of how many steps are counted for a schema and a value: with one less, nothing is validated.
//
// REQ JSCH-09
func TestSteps(t *testing.T) {
	long := strings.Repeat("a", 1600)
	for _, test := range []struct {
		schema, value string
		want          int
	}{
		{`{}`, `1`, 1},
		{`true`, `1`, 1},
		{`{"allOf":[true,{}]}`, `1`, 3},
		{chain(40), `1`, 42 + 16*1 + 10*2}, // one more for each 16 schemas that lead to one

		{`{"type":"string"}`, quote(long), 1 + 1},
		{`{` + draft7 + `"format":"uuid"}`, quote(long), 1 + 1 + 100},
		{`{"pattern":"^b"}`, quote("a"), 1 + 1},
		{`{"pattern":"^b"}`, quote(long), 1 + 1 + 1 + 1600*4/64},
		{`{"pattern":"^b"}`, `1`, 1},
		{`{"type":"integer"}`, strings.Repeat("9", 160), 1 + 10},
		{`{"type":"integer"}`, strings.Repeat("9", 159), 1 + 9},
		{`{"type":"integer"}`, `1e3`, 1 + 8},
		{`{"type":"integer"}`, `1E3`, 1 + 8},

		{`{"const":1}`, `"a"`, 1},
		{`{"const":1}`, `[1]`, 1 + (1+8)/16},
		{`{"const":1}`, `[1,2]`, 1 + 19/16},
		{`{"const":1}`, `[1e3]`, 1 + (1+1+8*9)/16},
		{`{"const":1}`, `{"a":1,"b":1}`, 1 + (1+2*(8+9))/16},
		{`{"const":1}`, quote(long), 1 + 1 + (1+25)/16},
		{`{"enum":[1,2,3,4]}`, `[1]`, 1 + 4*10/16},
		{`{"enum":[1,2,3,4]}`, `"a"`, 1},
		{`{"enum":[` + numbers(32) + `]}`, `"a"`, 1 + 2},
		{`{"enum":[` + numbers(15) + `]}`, `"a"`, 1},
		{`{"enum":[` + numbers(15) + `],"const":1}`, `"a"`, 1 + 1},

		{`{"required":["a","b","c","d","e","f","g","h"]}`, `{}`, 1 + 2},
		{`{"required":["a","b","c","d","e","f","g","h"]}`, `1`, 1},
		{`{"required":["a","b","c"],"dependentSchemas":{"a":true}}`, `{}`, 1 + 1},
		{`{"required":["a","b"],"dependentRequired":{"a":["b"]}}`, `{}`, 1 + 1},
		{`{"required":["a"],"dependentRequired":{"a":["b"]}}`, `{}`, 1},
		{`{` + draft7 + `"dependencies":{"a":["b","c","d"]}}`, `{}`, 1 + 1},
		{`{` + draft7 + `"dependencies":{"a":["b","c"]}}`, `{}`, 1},
		{`{` + draft7 + `"dependencies":{"a":["b","c"]}}`, `{"a":1}`, 1},
		{`{` + draft7 + `"dependencies":{"a":{}}}`, `{"a":1}`, 1 + 1},
		{`{` + draft7 + `"dependencies":{"a":{}}}`, `{"b":1}`, 1},
		{`{"dependentSchemas":{"a":{}}}`, `{"a":1}`, 1 + 1},
		{`{"dependentSchemas":{"a":{}}}`, `{"b":1}`, 1},

		{`{"minProperties":0}`, members(32), 1 + 2},
		{`{"unevaluatedProperties":true}`, members(32), 1 + 32 + 32},
		{`{"properties":{"m1":{}}}`, members(2), 1 + 1},
		{`{"properties":{"m1":{}},"additionalProperties":{}}`, members(2), 1 + 2},
		{`{"properties":{"m1":{}},"unevaluatedProperties":{}}`, members(2), 1 + 2 + 2},
		{`{"patternProperties":{"1":{}}}`, members(2), 1 + 2 + 1},
		{`{"patternProperties":{"1":{}},"additionalProperties":{}}`, members(2), 1 + 2 + 2},
		{`{"propertyNames":{}}`, members(2), 1 + 2},

		{`{"minItems":0}`, `[` + numbers(32) + `]`, 1 + 2},
		{`{"unevaluatedItems":true}`, `[` + numbers(32) + `]`, 1 + 32 + 32},
		{`{"uniqueItems":true}`, `["a","b","c"]`, 1 + 1 + 3},
		{`{"uniqueItems":true}`, `[1,2]`, 1 + 1 + 2*9},
		{`{"items":{}}`, `[1,2,3]`, 1 + 3},
		{`{"contains":{}}`, `[1,2,3]`, 1 + 3},
		{`{"prefixItems":[{"allOf":[{}]}],"items":{}}`, `[1,2,3]`, 1 + 2 + 2},
		{`{` + draft7 + `"items":{}}`, `[1,2,3]`, 1 + 3},
		{`{` + draft7 + `"items":[{"allOf":[{}]}],"additionalItems":{}}`, `[1,2,3]`, 1 + 2 + 2},
	} {
		if got := fewest(t, test.schema, test.value); got != test.want {
			t.Errorf("%.100s and %.100s: %d steps, want %d", test.schema, test.value, got, test.want)
		}
	}
}

// TestSizesOfPatterns is the table of how large regular expressions are, which the steps show that a match takes.
//
// REQ JSCH-09
func TestSizesOfPatterns(t *testing.T) {
	for text, want := range map[string]int{
		"b":                    2,
		"[ab]":                 3,
		"^b":                   1 + 1 + 2,
		"bc|de":                1 + 3 + 3,
		"(?:bc){2,5}":          (1 + 3) * 5,
		"(?:bc){2,}":           (1 + 3) * 2,
		"(?:bc){0,1}":          1 + 3,
		"(?:bc){0}":            1 + 3,
		"b*":                   1 + 2,
		"(?:(?:bc){3}){4}":     (1 + (1+3)*3) * 4,
		"(?:(?:bc){30}d?){30}": (1 + 1 + (1+3)*30 + 1 + 2) * 30,
	} {
		const length = 64
		got := fewest(t, `{"pattern":`+quote(text)+`}`, quote(strings.Repeat("a", length))) - 2
		if got != want {
			t.Errorf("%s: size %d, want %d", text, got, want)
		}
	}
}

// The sizes of all regular expressions of a schema are added up, each once, and may be 50,000.
func TestPatternsAreBounded(t *testing.T) {
	b, c := strings.Repeat("b", 24_999), strings.Repeat("c", 24_999) // of size 25,000
	if _, err := schema.Compile(wire.Raw(`{"allOf":[{"pattern":"`+b+`"},{"pattern":"`+b+`"},{"pattern":"`+c+`"}]}`), 0); err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		`{"allOf":[{"pattern":"` + b + `"},{"pattern":"` + c + `c"}]}`,
		`{"pattern":"` + strings.Repeat("(?:", 4) + "a" + strings.Repeat("){1000}", 4) + `"}`,
	} {
		if _, err := schema.Compile(wire.Raw(text), 0); err == nil || !strings.Contains(err.Error(), "not valid regex") {
			t.Errorf("%.50s: got %v", text, err)
		}
	}
}

// TestParts is the table of how many parts schemas have, of which a foreign one may have only so many.
func TestParts(t *testing.T) {
	for text, want := range map[string]int{
		`{}`:                                     1,
		`true`:                                   1,
		`{"allOf":[true,{}]}`:                    1 + 2 + 2,
		`{"properties":{"a":{"type":"string"}}}`: 3,
		`{"enum":["a","b"],"required":["a","b"]}`: 1,
		`{"enum":[{},[{}]]}`:                      3,
		`{"type":["string","number"]}`:            1 + 2,
		`{"examples":[1,2]}`:                      1 + 2,
	} {
		if _, err := schema.Compile(wire.Raw(text), want); err != nil {
			t.Errorf("%s: with a limit of %d: %v", text, want, err)
		}
		_, err := schema.Compile(wire.Raw(text), want-1)
		if want > 1 && (err == nil || err.Error() != fmt.Sprintf("it has %d parts; the limit is %d", want, want-1)) {
			t.Errorf("%s: with a limit of %d: got %v", text, want-1, err)
		}
	}
}

// fewest returns how many steps a check must be given.
func fewest(t *testing.T, text, value string) int {
	t.Helper()
	s, err := schema.Compile(wire.Raw(text), schema.MaxParts)
	if err != nil {
		t.Fatal(text, err)
	}
	return 1 + sort.Search(100_000, func(i int) bool {
		return !errors.Is(s.Check(context.Background(), wire.Raw(value), i+1), schema.ErrSteps)
	})
}

// chain returns a schema of n references, each to the next.
func chain(n int) string {
	defs := make([]string, n)
	for i := range defs {
		defs[i] = fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
	}
	return fmt.Sprintf(`{"$defs":{%s,"d%d":{}},"allOf":[{"$ref":"#/$defs/d1"}]}`, strings.Join(defs, ","), n)
}

func numbers(n int) string { // of one digit
	return strings.TrimSuffix(strings.Repeat("0,1,2,3,4,5,6,7,8,9,", n/10+1)[:2*n], ",")
}

func members(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"m%d":"x"`, i)
	}
	return "{" + strings.Join(list, ",") + "}"
}

func quote(s string) string { return `"` + s + `"` }
