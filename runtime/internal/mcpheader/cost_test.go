package mcpheader_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var size = limits.Flags()

// TestCost is the table of what hostile headers, and schemas that ask for headers, cost.
func TestCost(t *testing.T) {
	var cases []limits.Case
	add := func(name string, than limits.Parser, input func(n int) string, run func(in string) error) {
		cases = append(cases, limits.Case{Name: "mcpheader: " + name, Than: than, Input: input, Run: func(in string) string {
			if err := run(in); err != nil {
				return err.Error()
			}
			return ""
		}})
	}
	decode := func(in string) error { _, err := mcpheader.Decode(in); return err }
	schema := func(in string) error { _, err := mcpheader.Params(wire.Raw(in)); return err }
	add("a coded value", limits.Text, func(n int) string {
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("é", n/3))) + "?="
	}, decode)
	add("a value that is wrongly coded", limits.Text, func(n int) string { return "=?base64?" + strings.Repeat("\n", n) + "?=" }, decode)
	add("a plain value", limits.Text, func(n int) string { return strings.Repeat("x", n) + "\x00" }, decode)
	add("many annotations", limits.JSON, func(n int) string {
		return limits.List(n, `{"properties":{`, `}}`, func(i int) string { return fmt.Sprintf(`"%d":{"type":"string","x-mcp-header":"h%d"}`, i, i) })
	}, schema)
	add("an annotation deep below long names", limits.JSON, func(n int) string {
		const depth = 50
		return strings.Repeat(`{"properties":{"`+strings.Repeat("x", n/depth)+`":`, depth) + `{"type":"string","x-mcp-header":1}` + strings.Repeat("}}", depth)
	}, schema)
	add("annotations where there may be none", limits.JSON, func(n int) string {
		return limits.List(n, `{"allOf":[`, `]}`, func(int) string { return `{"properties":{"a":{"x-mcp-header":"a"}}}` })
	}, schema)
	params, err := mcpheader.Params(wire.Raw(`{"properties":{"a":{"type":"integer","x-mcp-header":"a"},"b":{"type":"string","x-mcp-header":"b"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	add("many arguments", limits.JSON, func(n int) string {
		return limits.List(n, `{`, `,"a":1,"b":"x"}`, func(i int) string { return fmt.Sprintf(`"%d":1`, i) })
	}, func(in string) error {
		return mcpheader.CheckParams(http.Header{"Mcp-Param-A": {"1"}, "Mcp-Param-B": {"x"}}, params, wire.Raw(in))
	})
	add("a long number", limits.JSON, func(n int) string { return `{"a":` + strings.Repeat("9", n) + `}` }, func(in string) error {
		return mcpheader.CheckParams(http.Header{"Mcp-Param-A": {in[5:len(in)-1] + ".0"}}, params, wire.Raw(in))
	})
	limits.Check(t, *size, cases)
}
