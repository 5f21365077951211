package schema_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var size = limits.Flags()

// TestCostOfValues is the table of what hostile values cost where the schema is our own.
func TestCostOfValues(t *testing.T) {
	words := `["` + strings.Join(strings.Fields(strings.Repeat("word ", 50)), `1","`) + `"]`
	var cases []limits.Case
	for _, c := range []struct{ name, schema, open, item, end string }{
		{"numbers with huge exponents", `{"items":{"type":"integer"}}`, "[", "1e999999,", "1]"},
		{"numbers with large exponents", `{"items":{"type":"integer"}}`, "[", "1e-400,", "1]"},
		{"numbers of many digits", `{"items":{"type":"integer","maximum":3}}`, "[", strings.Repeat("9", 1000) + ",", "1]"},
		{"a number of very many digits", `{"type":"integer"}`, "", "9", ""},
		{"small numbers", `{"items":{"type":"integer"}}`, "[", "1,", "1]"},
		{"values of the wrong type", `{"items":{"type":"string"}}`, "[", "1,", "1]"},
		{"strings that are none of many", `{"items":{"enum":` + words + `}}`, "[", `"b",`, "1]"},
		{"members that are not allowed", `{"items":{"additionalProperties":false}}`, "[", `{"a":1,"b":2},`, "{}]"},
		{"members that are missing", `{"items":{"required":["a","b"]}}`, "[", `{},`, "{}]"},
		{"items that are the same", `{"uniqueItems":true}`, "[", `{"a":[1]},`, "1]"},
		{"items deep in each other", `{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}`, "[", strings.Repeat("[", 100) + strings.Repeat("]", 100) + ",", "1]"},
		{"a long string and a pattern", `{"pattern":"^(a|b)*c$"}`, `"`, "a", `"`},
		{"strings and a pattern", `{"items":{"pattern":"^(a|b)*c$"}}`, `[`, `"ab",`, "1]"},
		{"names and a pattern", `{"patternProperties":{"^[a-z]+$":{"type":"string"}},"additionalProperties":false}`, `{"x":1`, ``, "}"},
		{"a string of escapes", `{"maxLength":3}`, `"`, `\u00e9`, `"`},
		{"unevaluated members", `{"unevaluatedProperties":false,"allOf":[{"properties":{"a":true}}]}`, `{"x":1`, ``, "}"},
	} {
		s, err := schema.Compile(wire.Raw(c.schema), 0)
		if err != nil {
			t.Fatal(c.name, err)
		}
		cases = append(cases, limits.Case{
			Name: "schema: " + c.name,
			Input: func(n int) string {
				if c.item == "" {
					return limits.List(n, c.open+",", c.end, func(i int) string { return fmt.Sprintf(`"a%d":%d`, i, i) })
				}
				return c.open + strings.Repeat(c.item, max(n/len(c.item), 1)) + c.end
			},
			Run: func(in string) string { return message(s.Check(context.Background(), wire.Raw(in), 0)) },
		})
	}
	cases = append(cases, limits.Case{Name: "schema: a duplicate member", Input: func(n int) string {
		return limits.List(n, "{", `,"1":1}`, func(i int) string { return fmt.Sprintf(`"%d":1`, i) })
	}, Run: func(in string) string {
		s, _ := schema.Compile(wire.Raw(`{}`), 0)
		return message(s.Check(context.Background(), wire.Raw(in), 0))
	}})
	limits.Check(t, *size, cases)
}

// TestCostOfSchemas is the table of what hostile schemas cost, with the value that makes most of them.
func TestCostOfSchemas(t *testing.T) {
	list := func(n int, open, end string, item func(i int) string) string { return limits.List(n, open, end, item) }
	var cases []limits.Case
	for _, c := range []struct {
		name          string
		schema, value func(n int) string
	}{
		{"an enumeration of strings and strings that are none", func(n int) string {
			return list(n/2, `{"items":{"enum":[`, "]}}", func(i int) string { return fmt.Sprintf(`"a%d"`, i) })
		}, func(n int) string { return list(n/2, "[", "]", func(i int) string { return fmt.Sprintf(`"b%d"`, i) }) }},
		{"an enumeration of objects and objects that are the last", func(n int) string {
			return list(n/2, `{"items":{"enum":[`, `,{"a":"x"}]}}`, func(i int) string { return fmt.Sprintf(`{"a":%d}`, i) })
		}, func(n int) string { return list(n/2, "[", "]", func(i int) string { return `{"a":"x"}` }) }},
		{"an enumeration of numbers and numbers", func(n int) string {
			return list(n/2, `{"items":{"enum":[`, "]}}", func(i int) string { return fmt.Sprint(i) })
		}, func(n int) string { return list(n/2, "[", "]", func(i int) string { return fmt.Sprintf(`-%d`, i) }) }},
		{"many names that are missing", func(n int) string {
			return list(n/2, `{"items":{"required":[`, "]}}", func(i int) string { return fmt.Sprintf(`"a%d"`, i) })
		}, func(n int) string { return list(n/2, "[", "]", func(i int) string { return `{}` }) }},
		{"a doubling of references", func(n int) string {
			return list(n, `{"$ref":"#/$defs/d0","$defs":{`, "}}", func(i int) string {
				return fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1)
			})
		}, func(int) string { return "1" }},
		{"a long chain of references", func(n int) string {
			return list(n, `{"$ref":"#/$defs/d0","$defs":{`, `,"end":{}}}`, func(i int) string {
				return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
			})
		}, func(int) string { return "1" }},
		{"a long chain of references that ends", func(n int) string {
			text := list(n, `{"$ref":"#/$defs/d0","$defs":{`, ``, func(i int) string {
				return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
			})
			return text + fmt.Sprintf(`,"d%d":{}}}`, strings.Count(text, ":{\"$ref\""))
		}, func(int) string { return "1" }},
		{"patterns that are small and become large", func(n int) string {
			return list(n, `{"allOf":[`, "]}", func(i int) string { return fmt.Sprintf(`{"pattern":"(?:a{31}){31}b%d"}`, i) })
		}, func(int) string { return `"` + strings.Repeat("a", 1000) + `"` }},
		{"a large pattern and a long string", func(n int) string { return `{"pattern":"(?:a{0,31}){0,31}b"}` },
			func(n int) string { return `"` + strings.Repeat("a", n) + `"` }},
		{"many patterns of names and many names", func(n int) string {
			return list(n/2, `{"patternProperties":{`, "}}", func(i int) string { return fmt.Sprintf(`"%d$":{}`, i) })
		}, func(n int) string { return list(n/2, "{", "}", func(i int) string { return fmt.Sprintf(`"%d":1`, i) }) }},
		{"many properties", func(n int) string {
			return list(n, `{"properties":{`, "}}", func(i int) string { return fmt.Sprintf(`"%d":{}`, i) })
		}, func(int) string { return "1" }},
		{"many booleans", func(n int) string { return list(n, `{"allOf":[`, "]}", func(int) string { return "true" }) },
			func(int) string { return "1" }},
		{"many ids", func(n int) string {
			return list(n, `{"$defs":{`, "}}", func(i int) string { return fmt.Sprintf(`"%d":{"$id":"a:%d"}`, i, i) })
		}, func(int) string { return "1" }},
		{"many anchors and references to them", func(n int) string {
			return list(n, `{"$defs":{`, "}}", func(i int) string { return fmt.Sprintf(`"%d":{"$anchor":"a%d","$ref":"#a%d"}`, i, i, i) })
		}, func(int) string { return "1" }},
		{"many references with long names", func(n int) string {
			long := strings.Repeat("x", n/3)
			return `{"$defs":{"` + long + `":{}},` + list(n/2, `"allOf":[`, "]}", func(int) string { return `{"$ref":"#/$defs/` + long + `"}` })
		}, func(int) string { return "1" }},
		{"uniqueness at each level", func(n int) string { return `{"uniqueItems":true,"items":{"$ref":"#"}}` + strings.Repeat(" ", 8) },
			func(n int) string {
				return strings.Repeat("[", 100) + list(n, "", "", func(i int) string { return fmt.Sprint(i) }) + strings.Repeat("]", 100)
			}},
		{"uniqueness of what is nearly the same", func(n int) string { return `{"uniqueItems":true,"items":{"$ref":"#"}}` },
			func(n int) string {
				inner := list(n/20, "[[", "]", func(int) string { return `"x"` })
				return list(n-n/20, "[", "]", func(i int) string { return fmt.Sprintf("%s,%d]", inner, i) })
			}},
		{"many schemas for one long object", func(n int) string {
			return list(n/2, `{"allOf":[`, "]}", func(int) string { return `{"properties":{"x":{}}}` })
		}, func(n int) string { return list(n/2, "{", "}", func(i int) string { return fmt.Sprintf(`"%d":1`, i) }) }},
		{"many schemas for one long array", func(n int) string {
			return list(n/2, `{"unevaluatedItems":false,"allOf":[`, "]}", func(int) string { return `{"contains":{}}` })
		}, func(n int) string { return list(n/2, "[", "]", func(i int) string { return "1" }) }},
		{"many multiples of a long number", func(n int) string {
			return list(n/2, `{"allOf":[`, "]}", func(i int) string { return fmt.Sprintf(`{"multipleOf":1e-%d}`, 300+i%50) })
		}, func(n int) string { return strings.Repeat("9", 1000) }},
		{"many bounds of many numbers", func(n int) string {
			return list(n/2, `{"items":{"allOf":[`, "]}}", func(i int) string { return `{"maximum":1e300}` })
		}, func(n int) string { return list(n/2, "[", "]", func(i int) string { return "1e-300" }) }},
		{"a schema that is wrong everywhere", func(n int) string { return list(n, `{"allOf":[`, "]}", func(int) string { return `7` }) },
			func(int) string { return "1" }},
		{"a long unknown dialect", func(n int) string { return `{"$schema":"https://` + strings.Repeat("x", n) + `"}` }, func(int) string { return "1" }},
		{"a long reference", func(n int) string { return `{"$ref":"https://` + strings.Repeat("x", n) + `"}` }, func(int) string { return "1" }},
		{"alternatives in each other", func(n int) string {
			return `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"items":{"$ref":"#/$defs/a"},"maxItems":0},{"items":{"$ref":"#/$defs/a"},"minItems":9},{"type":"array","items":{"$ref":"#/$defs/a"}}]}}}`
		},
			func(n int) string {
				return strings.Repeat("[", 100) + strings.Repeat("1", n) + strings.Repeat("]", 100)
			}},
	} {
		cases = append(cases, limits.Case{
			Name:  "outputcheck: " + c.name,
			Input: func(n int) string { return c.schema(n) + "\n" + c.value(n) },
			Run: func(in string) string {
				text, value, _ := strings.Cut(in, "\n")
				s, err := schema.Compile(wire.Raw(text), schema.MaxParts)
				if err == nil {
					err = s.Check(context.Background(), wire.Raw(value), 50_000+len(in))
				}
				return message(err)
			},
			Fixed: 400 * time.Millisecond, FixedMemory: 128 << 20, // of 4000 parts, and 50,000 steps
		})
	}
	limits.Check(t, *size, cases)
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A check that nobody waits for any more does not begin.
func TestCancelled(t *testing.T) {
	s, err := schema.Compile(wire.Raw(`{}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Check(ctx, wire.Raw(`1`), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
