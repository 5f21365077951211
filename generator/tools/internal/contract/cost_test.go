package contract_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generator/tools/internal/contract"
	"github.com/mcpgen/mcpgen/internal/limits"
)

var size = limits.Flags()

// TestCosts has the worst lock files that are known.
func TestCosts(t *testing.T) {
	file := func(input string) string {
		return `{"version":2,"tools":{"plan":{"input":{"type":"object"` + input + `},"result":"none"}}}`
	}
	list := func(open, end string, item func(i int) string) func(n int) string {
		return func(n int) string { return file(limits.List(n, open, end, item)) }
	}
	nested := func(open, end string) func(n int) string { // at the depth that is allowed, again and again
		return list(`,"properties":{`, `}`, func(i int) string {
			const depth = 100
			return fmt.Sprintf(`"p%d":`, i) + strings.Repeat(open, depth) + `{}` + strings.Repeat(end, depth)
		})
	}
	code := contract.Of(weather())
	run := func(in string) string {
		c, err := contract.Parse("mcp.lock.json", []byte(in))
		if err != nil {
			return err.Error()
		}
		contract.Compare(code, c)
		contract.Compare(c, contract.Update(c, code))
		again, err := contract.Parse("mcp.lock.json", c.Format())
		if err != nil {
			return err.Error()
		}
		contract.Compare(c, again)
		return ""
	}
	var cases []limits.Case
	for _, c := range []struct {
		name  string
		input func(n int) string
	}{
		{"properties", list(`,"properties":{`, `}`, func(i int) string { return fmt.Sprintf(`"p%d":{}`, i) })},
		{"required", list(`,"required":[`, `]`, func(i int) string { return fmt.Sprintf(`"p%d"`, i) })},
		{"required twice", list(`,"required":[`, `]`, func(int) string { return `"p"` })},
		{"values", list(`,"properties":{"route":{"enum":[`, `]}}`, func(i int) string { return fmt.Sprint(i) })},
		{"arms", list(`,"oneOf":[`, `]`, func(i int) string { return fmt.Sprintf(`{"properties":{"a":{"const":%d}}}`, i) })},
		{"arms that cannot be told apart", list(`,"oneOf":[`, `]`, func(i int) string { return `{}` })},
		{"unknown keywords", list(`,`, ``, func(i int) string { return fmt.Sprintf(`"x%d":[[]]`, i) })},
		{"wrong keywords", list(`,"properties":{`, `}`, func(i int) string { return fmt.Sprintf(`"p%d":{"minimum":"x"}`, i) })},
		{"one wrong keyword", list(`,"minimum":[`, `]`, func(i int) string { return `"x"` })},
		{"objects in objects", nested(`{"properties":{"a":`, `}}`)},
		{"lists in lists", nested(`{"items":`, `}`)},
		{"long names in objects", func(n int) string {
			open := `{"properties":{"` + strings.Repeat("a", n/80) + `":`
			return file(`,"properties":{"route":` + strings.Repeat(open, 80) + `{}` + strings.Repeat("}}", 80) + `}`)
		}},
		{"references", list(`,"$defs":{`, `},"$ref":"#/$defs/d0"`, func(i int) string { return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, max(i-1, 0)) })},
		{"a chain of references", list(`,"properties":{"route":{"$ref":"#/$defs/d0"}},"$defs":{`, `}`, func(i int) string {
			return fmt.Sprintf(`"d%d":{"properties":{"next":{"$ref":"#/$defs/d%d"}}},"e%[1]d":{}`, i, i/2*2)
		})},
		{"references with more", list(`,"properties":{"route":{"$ref":"#/$defs/d0"}},"$defs":{"d0":{"$ref":"#/$defs/d0"},`, `}`, func(i int) string {
			return fmt.Sprintf(`"x%d":{"$ref":"#/$defs/d0","x-%[1]d":1}`, i)
		})},
		{"tools", func(n int) string {
			return limits.List(n, `{"version":2,"tools":{`, `}}`, func(i int) string { return fmt.Sprintf(`"t%d":{"input":{"type":"object"},"result":"none"}`, i) })
		}},
		{"promises", func(n int) string {
			return limits.List(n, `{"version":2,"tools":{"t":{"promises":[`, `],"input":{"type":"object"},"result":"none"}}}`, func(int) string { return `"readonly"` })
		}},
		{"a number", func(n int) string { return file(`,"minProperties":1` + strings.Repeat("0", n)) }},
		{"an exponent", list(`,"properties":{`, `}`, func(i int) string { return fmt.Sprintf(`"p%d":{"minimum":1e%d}`, i, 999999999) })},
		{"durations", list(`,"properties":{`, `}`, func(i int) string { return fmt.Sprintf(`"p%d":{"x-go-min":"1h1m1s"}`, i) })},
		{"a pattern", func(n int) string {
			return file(`,"properties":{"route":{"type":"string","pattern":"` + strings.Repeat("(a|", n/4) + strings.Repeat(")", n/4) + `"}}`)
		}},
		{"line breaks", func(n int) string { return strings.Repeat("\n", n) + "x" }},
		{"members twice", list(`,"properties":{`, `}`, func(int) string { return `"p":{}` })},
		{"brackets", func(n int) string { return strings.Repeat("[", n) }},
	} {
		cases = append(cases, limits.Case{Name: "lock file: " + c.name, Input: c.input, Run: run, Most: 100, Memory: 150, Fixed: 20 * time.Millisecond})
	}
	limits.Check(t, *size, cases)
}

// TestDeepReferences compares what references make deeper than any file.
func TestDeepReferences(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{"next":{"$ref":"#/$defs/d%d"}}},`, i, i+1)
	}
	text := `{"version":2,"tools":{"plan":{"input":{"type":"object","properties":{"route":{"$ref":"#/$defs/d0"}},"$defs":{` + b.String() + `"d20000":{}}},"result":"none"}}}`
	old := parse(t, text)
	if got := lines(contract.Compare(old, contract.Of(weather()))); !strings.Contains(got, "! tool plan: input.route.next.next.next") || !strings.Contains(got, "nested too deep to be compared") {
		t.Errorf("got %.1000s", got)
	}
}
