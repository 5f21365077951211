package toolsearch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
)

var size = limits.Flags()

// TestCost is the table of what hostile plans and queries cost.
func TestCost(t *testing.T) {
	s := newServer(t, nil, nil)
	var tree []string // a recursive schema, with two ways at each level
	for i := range 40 {
		tree = append(tree, fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%[2]d"},"b":{"$ref":"#/$defs/d%[2]d"}},"required":["a","b"]}`, i, (i+1)%40))
	}
	defs := `,"$defs":{` + strings.Join(tree, ",") + `}}`
	add(t, s, "tree", `{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}}`+defs, `{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"required":["x"]`+defs, echo)
	c := roomtest.NewClient(t, s, mcp.V2026_07_28, `{}`)
	const (
		user  = `{"steps":[{"id":"u","tool":"user"},`
		any   = `{"id":"a","tool":"any","args":{"x":`
		bound = `{"$from":"u","pointer":"/id"}`
	)
	var cases []limits.Case
	for _, plan := range []struct{ name, open, one, end string }{
		{"depth", user + any + strings.Repeat("[", 90), "1,", "1" + strings.Repeat("]", 90) + `}}]}`},
		{"values beside a binding", user + any + `[` + bound, `,1`, `]}}]}`},
		{"objects beside a binding", user + any + `[` + bound, `,{"a":{}}`, `]}}]}`},
		{"bindings", user + any + `[` + bound, `,` + bound, `]}}]}`},
		{"values of the wrong type", user + `{"id":"a","tool":"strings","args":{"x":[{"$from":"u","pointer":"/name"}`, `,1`, `]}}]}`},
		{"a long pointer", user + any + `{"$from":"u","pointer":"`, `/a`, `"}}}]}`},
		{"a long id", `{"steps":[{"id":"`, `a`, `","tool":"user"}]}`},
		{"a long name", `{"steps":[{"id":"a","tool":"`, `a`, `"}]}`},
		{"a number of many digits", user + any + `9`, `9`, `}}]}`},
		{"steps to return", `{"steps":[{"id":"a","tool":"user"}],"return":["a"`, `,"a"`, `]}`},
		{"a schema that is recursive", `{"steps":[{"id":"t","tool":"tree"},{"id":"a","tool":"tree","args":{"x":{"$from":"t","pointer":"/x"}}}],"return":["a"`, `,"a"`, `]}`},
		{"plans in plans", `{"steps":[{"id":"a","tool":"run_plan","args":{"steps":[{"id":"a","tool":"run_plan"}`, `,{"id":"a","tool":"run_plan"}`, `]}}]}`},
		{"members that are not allowed", `{"steps":[{"id":"a","tool":"user"`, `,"b":1`, `}]}`},
		{"too many steps", `{"steps":[{"id":"a","tool":"user"}`, `,{"id":"a","tool":"user"}`, `]}`},
	} {
		cases = append(cases, limits.Case{
			Name: "toolsearch: " + plan.name,
			Input: func(n int) string {
				return plan.open + strings.Repeat(plan.one, max(n-1000, 0)/len(plan.one)) + plan.end
			},
			Run: func(in string) string {
				r, err := c.Call("tools/call", `{"name":"run_plan","arguments":`+in+`}`)
				return fmt.Sprint(r, err)
			},
			Most: 40, Memory: 40, Fixed: 100 * time.Millisecond, FixedMemory: 32 << 20, // of 20,000 pairs of schemas
			Large: strings.HasPrefix(plan.open, user+any), // plans that run
		})
	}
	cases = append(cases, limits.Case{
		Name: "toolsearch: a long query", Than: limits.Text, Input: func(n int) string { return strings.Repeat("aB ", n/3) },
		Run: func(in string) string {
			_, failed := call(c, searchTool, string(encode(map[string]string{"query": in})))
			return failed
		},
	})
	limits.Check(t, *size, cases)
}
