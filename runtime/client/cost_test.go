package client

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var size = limits.Flags()

// TestCost is the table of what hostile lists cost.
func TestCost(t *testing.T) {
	prefix := strings.Repeat("n", maxToolBytes/maxTools-100)
	c := &Client{opts: Options{CheckOutput: func(context.Context, wire.Raw, wire.Raw) error { return nil }}}
	var known []mcp.Tool
	for i := range maxTools - 1 {
		known = append(known, mcp.Tool{Name: fmt.Sprintf("%s%06d", prefix, i), OutputSchema: wire.Raw(`{}`)})
	}
	c.learnTools(&mcp.ListToolsResult{Tools: known})
	limits.Check(t, *size, []limits.Case{{
		Than: limits.Wire,
		Name: "client: a tool that has an output schema and none in turn, among many that are known",
		Input: func(n int) string {
			return limits.List(n, `{"tools":[`, `]}`, func(i int) string {
				return `{"name":"` + prefix + `x00000","inputSchema":{"type":"object"}` + []string{`,"outputSchema":{}`, ``}[i%2] + `}`
			})
		},
		Run: func(in string) string {
			var r mcp.ListToolsResult
			if err := wire.DecodeAlias(wire.Raw(in), &r); err != nil {
				return err.Error()
			}
			c.learnTools(&r)
			return ""
		},
	}})
}
