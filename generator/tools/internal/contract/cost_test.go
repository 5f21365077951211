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
		return fmt.Sprintf(`{"version":%d,"tools":{"t":{"input":%s}}}`, version, schema)
	}
	var cases []costs.Case
	for name, input := range map[string]func(n int) string{
		"many tools": func(n int) string {
			return costs.List(n, fmt.Sprintf(`{"version":%d,"tools":{`, version), "}}", func(i int) string { return fmt.Sprintf(`"%d":{"input":{"type":"object"}}`, i) })
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
			return tool(strings.Repeat(`{"type":"array","items":`, n/26) + `{"type":"string"}` + strings.Repeat("}", n/26))
		},
		"alternatives": func(n int) string {
			return tool(costs.List(n, `{"type":"object","properties":{"a":{"oneOf":[`, "]}}}", func(i int) string {
				return fmt.Sprintf(`{"type":"object","properties":{"k":{"const":"%d"}},"required":["k"]}`, i)
			}))
		},
		"definitions that refer to each other": func(n int) string {
			return tool(costs.List(n, `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`, `}}`, func(i int) string {
				return fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1)
			}))
		},
		"doubled arrays": func(n int) string {
			return tool(`{"type":"object","properties":{"a":` + strings.Repeat("[", n) + `}}`)
		},
	} {
		cases = append(cases, costs.Case{Name: "contract: " + name, Input: input, Large: true, Run: func(in string) string {
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
