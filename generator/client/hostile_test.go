package client

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestHostileSchemas generates clients from schemas that say much with few words: what they multiply is bounded.
func TestHostileSchemas(t *testing.T) {
	refused := map[string]string{
		"product of alternatives": "there are too many alternatives",
		"doubling references":     "the schema says too much",
		"many arms":               "there are too many alternatives",
	}
	for name, schema := range hostileSchemas() {
		_, err := Generate(&Contract{Tools: []mcp.Tool{{Name: name, InputSchema: wire.Raw(schema)}}}, Options{Package: "example", Strict: true})
		if want := refused[name]; want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %.200v, want %q", name, err, want)
		}
	}
}

func hostileSchemas() map[string]string {
	repeat := func(n int, sep string, f func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = f(i)
		}
		return strings.Join(parts, sep)
	}
	return map[string]string{
		"deep": strings.Repeat(`{"type":"object","properties":{"a":`, 60) + "{}" + strings.Repeat("}}", 60),
		"product of alternatives": `{"type":"object","properties":{"a":{"allOf":[` + repeat(12, ",", func(i int) string {
			return fmt.Sprintf(`{"oneOf":[{"properties":{"p%d":{"const":1}}},{"properties":{"q%d":{"const":2}}}]}`, i, i)
		}) + `]}}}`,
		"doubling references": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + repeat(40, ",", func(i int) string {
			return fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1)
		}) + `,"d40":{"type":"string"}}}`,
		"all refer to all": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + repeat(40, ",", func(i int) string {
			return fmt.Sprintf(`"d%d":{"type":"object","properties":{%s}}`, i, repeat(20, ",", func(j int) string { return fmt.Sprintf(`"m%d":{"$ref":"#/$defs/d%d"}`, j, j) }))
		}) + `}}`,
		"many arms": `{"type":"object","properties":{"a":{"oneOf":[` + repeat(1000, ",", func(i int) string {
			return fmt.Sprintf(`{"type":"object","properties":{"t":{"const":"v%d"}},"required":["t"]}`, i)
		}) + `]}}}`,
		"arms with many members": `{"type":"object","properties":{"a":{"oneOf":[` + repeat(50, ",", func(i int) string {
			return `{"type":"object","properties":{` + repeat(50, ",", func(j int) string { return fmt.Sprintf(`"m%d":{"type":"string"}`, j) }) + `}}`
		}) + `]}}}`,
		"many members": `{"type":"object","properties":{` + repeat(300, ",", func(i int) string { return fmt.Sprintf(`"m%d":{"type":"string"}`, i) }) + `}}`,
		"one name":     `{"type":"object","properties":{` + repeat(300, ",", func(i int) string { return fmt.Sprintf(`"a%s":{"type":"string"}`, strings.Repeat("-", i)) }) + `}}`,
	}
}
