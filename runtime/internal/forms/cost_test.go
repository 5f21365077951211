package forms_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/internal/forms"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var size = limits.Flags()

// TestCost is the table of what hostile forms, and hostile answers to them, cost.
func TestCost(t *testing.T) {
	members := func(n int, format string) string {
		return limits.List(n, "{", "}", func(i int) string { return fmt.Sprintf(format, i) })
	}
	var cases []limits.Case
	for _, c := range []struct {
		name          string
		form, content func(n int) string
	}{
		{"many answers that are not asked for", func(int) string { return `{}` }, func(n int) string { return members(n, `"a%d":1`) }},
		{"many properties and as many answers", func(n int) string { return members(n/2, `"a%d":{"type":"string","minLength":9}`) },
			func(n int) string { return members(n/2, `"b%d":"x"`) }},
		{"a long text that is no address", func(int) string { return `{"a":{"type":"string","format":"email"}}` },
			func(n int) string { return `{"a":"` + strings.Repeat("x", n) + `"}` }},
		{"a long number", func(int) string { return `{"a":{"type":"integer","maximum":3}}` },
			func(n int) string { return `{"a":` + strings.Repeat("9", n) + `}` }},
		{"a number of many zeros", func(int) string { return `{"a":{"type":"number","maximum":3}}` },
			func(n int) string { return `{"a":4.` + strings.Repeat("0", n) + `}` }},
		{"many choices and an answer that is none", func(n int) string {
			return `{"a":{"type":"string","enum":` + limits.List(n, "[", "]", func(i int) string { return fmt.Sprintf(`"a%d"`, i) }) + `}}`
		}, func(int) string { return `{"a":"x"}` }},
		{"many choices and many answers", func(n int) string {
			return `{"a":{"type":"array","items":{"type":"string","enum":` + limits.List(n/2, "[", "]", func(i int) string { return fmt.Sprintf(`"a%d"`, i) }) + `}}}`
		}, func(n int) string {
			last := fmt.Sprintf(`"a%d"`, strings.Count(limits.List(n/2, "[", "]", func(i int) string { return fmt.Sprintf(`"a%d"`, i) }), ","))
			return `{"a":` + limits.List(n/2, "[", "]", func(int) string { return last }) + `}`
		}},
	} {
		cases = append(cases, limits.Case{
			Name: "forms: " + c.name,
			Input: func(n int) string {
				return `{"type":"object","properties":` + c.form(n) + `}` + "\n" + c.content(n)
			},
			Run: func(in string) string {
				text, content, _ := strings.Cut(in, "\n")
				var form forms.Schema
				if err := wire.DecodeAlias([]byte(text), &form); err != nil {
					return err.Error()
				}
				d := wire.NewDecoder([]byte(content))
				answers := wire.Map(&d, (*wire.Raw).DecodeWire)
				form.Required = []string{"a"}
				return forms.ErrorText(forms.Check(&form, forms.Complete(&form, answers), true))
			},
		})
	}
	limits.Check(t, *size, cases)
}
