package client_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/mcp"
)

// FuzzGenerate generates a client from any schema: it must return an error, or Go source that compiles.
func FuzzGenerate(f *testing.F) {
	for i, t := range corpus(f, "*").Tools {
		if i%20 == 0 {
			f.Add([]byte(t.InputSchema), t.Name)
		}
	}
	for _, schema := range []string{
		``, `true`, `{`, `{"type":"object","type":"object"}`, `[]`, `{"$ref":"#"}`, `{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`,
		`{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/properties/b"}]},"b":{"allOf":[{"$ref":"#/properties/a"}]}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/properties/a/x"}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/properties/a"},{"type":"null"}]}}}`,
		`{"type":"object","additionalProperties":{"$ref":"#"}}`, `{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`,
		`{"type":"object","properties":{"":{"enum":["\u0000","a/b","*/"]},"EncodeWire":{},"Extra":{},"\u2028":{"description":"a\rb\u2028c*/ //go:build x"}}}`,
		`{"type":"object","properties":{"n":{"enum":[1e400,1,-0,9223372036854775808,1.0,1e0]}},"required":["x"],"additionalProperties":false}`,
		`{"type":"object","properties":{"n":{"anyOf":[{"type":"integer","format":"uint64","minimum":0},{"type":"number"}]},"m":{"anyOf":[{"type":"integer","maximum":1e30},{"type":"number"}]}}}`,
		`{"type":"object","properties":{"n":{"anyOf":[{"enum":[1,9007199254740993]},{"type":"number"}]},"m":{"type":"array","prefixItems":[{"const":1},{"type":["null","string"]},{"const":null}]}}}`,
	} {
		f.Add([]byte(schema), "a tool")
	}
	f.Fuzz(func(t *testing.T, schema []byte, name string) {
		if len(schema) > 20_000 {
			return // large inputs find nothing that small ones do not, and take long
		}
		c := &client.Contract{Tools: []mcp.Tool{{Name: name, Description: name, InputSchema: schema, OutputSchema: schema}}}
		for _, opts := range []client.Options{{Package: "example"}, {Package: "example", Names: map[string]string{"tools/a": name}}} {
			out, err := client.Generate(c, opts)
			if err != nil {
				return
			}
			compile(t, out.Source)
			again, err := client.Generate(c, client.Options{Package: "example", Names: out.Names})
			if err != nil || string(again.Source) != string(out.Source) {
				t.Errorf("the second run differs: %v", err)
			}
		}
	})
}
