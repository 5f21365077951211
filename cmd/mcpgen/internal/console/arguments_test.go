package console

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzArguments makes arguments of any schema and words: they are an object, or there is an error.
func FuzzArguments(f *testing.F) {
	f.Add(`{"type":"object","properties":{"n":{"type":"integer"},"tags":{"type":"array","items":{"$ref":"#/$defs/t"}}},"$defs":{"t":{"anyOf":[{"type":"string"},{"$ref":"#"}]}}}`, "n=1 tags=a tags=b")
	f.Add(`{"properties":{"a":{"$ref":"#/properties/a"},"b":{"oneOf":[{"$ref":"#/properties/b"}]}},"additionalProperties":false}`, "a.b=1 b=x a:=[1]")
	f.Add(`{"properties":{"l":{"type":"array","items":{"type":"array","items":{"type":"number"}}}}}`, `l=1 l=[2]`)
	f.Add(`true`, `{"a":1}`)
	f.Add(`{"properties":{"e":{"enum":["x",1]},"t":{"type":["null","string"]}}}`, `e=x t=null :=1 .=2 =`)
	f.Fuzz(func(t *testing.T, schema, words string) {
		args, err := Arguments([]byte(schema), strings.Fields(words))
		if err != nil {
			if args != nil || err.Error() == "" {
				t.Errorf("%s and %v", args, err)
			}
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(args, &object); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	})
}
