package contract

import (
	"fmt"
	"strings"
	"testing"

	costs "github.com/mcpgen/mcpgen/internal/limits"
)

var size = costs.Flags()

// TestCost is the table of what hostile lock files cost, read and compared with another.
func TestCost(t *testing.T) {
	tool := func(schema string) string {
		return fmt.Sprintf(`{"version":%d,"tools":{"t":{"input":%s,"result":"text"}}}`, version, schema)
	}
	var cases []costs.Case
	for name, input := range map[string]func(n int) string{
		"many tools": func(n int) string {
			return costs.List(n, fmt.Sprintf(`{"version":%d,"tools":{`, version), "}}", func(i int) string { return fmt.Sprintf(`"%d":{"input":{"type":"object"},"result":"text"}`, i) })
		},
		"many properties": func(n int) string {
			return tool(costs.List(n, `{"type":"object","properties":{`, "}}", func(i int) string { return fmt.Sprintf(`"%d":{"type":"string"}`, i) }))
		},
		"many choices": func(n int) string {
			return tool(costs.List(n, `{"type":"object","properties":{"a":{"enum":[`, "]}}}", func(i int) string { return fmt.Sprintf(`"%d"`, i) }))
		},
		"many required": func(n int) string {
			return tool(costs.List(n, `{"type":"object","required":[`, "]}", func(i int) string { return fmt.Sprintf(`"%d"`, i) }))
		},
		"deep": func(n int) string {
			deep := strings.Repeat(`{"type":"array","items":`, 100) + `{"type":"string"}` + strings.Repeat("}", 100)
			return tool(costs.List(n, `{"type":"object","properties":{`, "}}", func(i int) string { return fmt.Sprintf(`"%d":%s`, i, deep) }))
		},
		"arms": func(n int) string {
			return tool(costs.List(n, `{"type":"object","properties":{"a":{"oneOf":[`, "]}}}", func(i int) string {
				return fmt.Sprintf(`{"type":"object","properties":{"k":{"const":"%d"}},"required":["k"]}`, i)
			}))
		},
		"definitions that refer to each other": func(n int) string {
			return tool(costs.List(n, `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`, `,"end":{}}}`, func(i int) string {
				return fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i, i/2, i/3)
			}))
		},
		"doubled arrays": func(n int) string {
			return tool(`{"type":"object","properties":{"a":` + strings.Repeat("[", n) + `}}`) // too deep
		},
	} {
		cases = append(cases, costs.Case{Name: "contract: " + name, Input: input, Large: true, Most: 120, Memory: 60, Run: func(in string) string {
			old, err := Parse("mcp.lock.json", []byte(in))
			if err != nil {
				return err.Error()
			}
			changed, err := Parse("mcp.lock.json", []byte(strings.ReplaceAll(strings.ReplaceAll(in, "string", "number"), `"1`, `"x1`)))
			if err != nil {
				return err.Error()
			}
			return fmt.Sprint(Compare(old, old), Compare(old, changed))
		}})
	}
	costs.Check(t, *size, cases)
}
