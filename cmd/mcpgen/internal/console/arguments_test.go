package console

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestArgumentsOfMaps reads the values of maps by the schemas that these have for members without names.
func TestArgumentsOfMaps(t *testing.T) {
	const schema = `{"properties":{
		"meta":{"type":"object","additionalProperties":{"type":"string"}},
		"counts":{"$ref":"#/$defs/counts"},
		"places":{"additionalProperties":{"properties":{"zip":{"type":"string"}},"additionalProperties":false}},
		"mixed":{"patternProperties":{"^x-":{"type":"string"}},"properties":{"n":{"type":"integer"}},"additionalProperties":false}
	},"$defs":{"counts":{"type":"object","additionalProperties":{"type":"integer"}}}}`
	for words, want := range map[string]string{
		"meta.prio=1 meta.who=true": `{"meta":{"prio":"1","who":"true"}}`,
		"counts.a=1":                `{"counts":{"a":1}}`,
		"counts.a=x":                `the argument counts.a is x: want an integer`,
		"places.home.zip=1234":      `{"places":{"home":{"zip":"1234"}}}`,
		"places.home.city=1234":     `there is no argument places.home.city: want zip`,
		"mixed.x-a=1 mixed.n=1":     `{"mixed":{"n":1,"x-a":"1"}}`,
		"mixed.y=1":                 `there is no argument mixed.y: want n`,
	} {
		got, err := Arguments([]byte(schema), strings.Fields(words))
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != want {
			t.Errorf("%s: got %s, want %s", words, got, want)
		}
	}
}

// FuzzArguments makes arguments of any schema and words: they are an object, or there is an error.
func FuzzArguments(f *testing.F) {
	f.Add(`{"type":"object","properties":{"n":{"type":"integer"},"tags":{"type":"array","items":{"$ref":"#/$defs/t"}}},"$defs":{"t":{"anyOf":[{"type":"string"},{"$ref":"#"}]}}}`, "n=1 tags=a tags=b")
	f.Add(`{"properties":{"a":{"$ref":"#/properties/a"},"b":{"oneOf":[{"$ref":"#/properties/b"}]}},"additionalProperties":false}`, "a.b=1 b=x a:=[1]")
	f.Add(`{"properties":{"l":{"type":"array","items":{"type":"array","items":{"type":"number"}}}}}`, `l=1 l=[2]`)
	f.Add(`{"properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"array","items":{"$ref":"#/$defs/t"}}}}`, "t=x")
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
