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

// TestArguments reads the values of arguments of all types.
func TestArguments(t *testing.T) {
	const schema = `{"properties":{
		"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},"z":{"type":"null"},"o":{"type":"object"},
		"u":{"type":["integer","null"]},"any":{},"e":{"enum":["x","1"]},"choice":{"anyOf":[{"type":"integer"},{"type":"boolean"}]},
		"l":{"type":"array","items":{"type":"integer"}},"ls":{"type":"array","items":{"type":"string"}},"la":{"type":"array"},
		"ll":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},
		"in":{"type":"object","properties":{"a":{"type":"integer"},"deep":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}},"additionalProperties":false},
		"dot.ted":{"type":"integer"},"dot":{"type":"string"}
	},"additionalProperties":false}`
	for words, want := range map[string]string{
		"":                      `{}`,
		`{"s":1}`:               `{"s":1}`,
		`{`:                     `the arguments { are not a JSON object`,
		`{"s":1} i=1`:           `"{\"s\":1}" is no argument: want name=value, name:=JSON, or one JSON object for all`,
		"s":                     `"s" is no argument: want name=value, name:=JSON, or one JSON object for all`,
		"=1":                    `"=1" is no argument: want name=value, name:=JSON, or one JSON object for all`,
		".=1":                   `".=1" is no argument: want name=value, name:=JSON, or one JSON object for all`,
		":=1":                   `":=1" is no argument: want name=value, name:=JSON, or one JSON object for all`,
		"s=1":                   `{"s":"1"}`,
		"s=":                    `{"s":""}`,
		"s=a=b":                 `{"s":"a=b"}`,
		"s=1 s=2":               `the argument s is given twice`,
		"i=1":                   `{"i":1}`,
		"i=1.0":                 `the argument i is 1.0: want an integer`,
		"i=1e3":                 `the argument i is 1e3: want an integer`,
		"i=1E3":                 `the argument i is 1E3: want an integer`,
		"i=":                    `the argument i is : want an integer`,
		"n=1":                   `{"n":1}`,
		"n=1.5":                 `{"n":1.5}`,
		"n=x":                   `the argument n is x: want a number`,
		"b=true":                `{"b":true}`,
		"b=yes":                 `the argument b is yes: want true or false`,
		"z=null":                `{"z":null}`,
		"z=0":                   `the argument z is 0: want null`,
		`o={"a":1}`:             `{"o":{"a":1}}`,
		"o=1":                   `the argument o is 1: want a JSON object, such as {"name":"value"}`,
		"u=null":                `{"u":null}`,
		"u=x":                   `the argument u is x: want an integer or null`,
		"any=1":                 `{"any":1}`,
		"any=x":                 `{"any":"x"}`,
		`any="x"`:               `{"any":"x"}`,
		"any=[1]":               `{"any":[1]}`,
		"e=1":                   `{"e":"1"}`,
		"choice=1":              `{"choice":1}`,
		"choice=x":              `the argument choice is x: want true or false or an integer`,
		"l=1 l=2":               `{"l":[1,2]}`,
		"l=[1,2]":               `{"l":[1,2]}`,
		"l=[1] l=2":             `the argument l is given twice`,
		"l=1 l=[2]":             `the argument l is given twice`,
		"l=x":                   `the argument l is x: want an integer`,
		"ls=1":                  `{"ls":["1"]}`,
		"la=x":                  `{"la":["x"]}`,
		"la=1":                  `{"la":[1]}`,
		"ll=1":                  `the argument ll is a list of lists: write it as JSON, ll:=[[…]]`,
		"ll=[[1]]":              `{"ll":[[1]]}`,
		"ll=[1]":                `{"ll":[1]}`,
		"s:=1":                  `{"s":1}`,
		"s:=x":                  `the argument s is not JSON: x`,
		"in.a=1":                `{"in":{"a":1}}`,
		"in.a=1 in.deep.b=2":    `{"in":{"a":1,"deep":{"b":"2"}}}`,
		"in.a=1 in.a=2":         `the argument in.a is given twice`,
		"in.x=1":                `there is no argument in.x: want a, deep`,
		"in.deep.x=1":           `there is no argument in.deep.x: want b`,
		"in.deep.b.c=1":         `{"in":{"deep":{"b":{"c":1}}}}`,
		"in={} in.a=1":          `the argument in is given twice`,
		"in.deep={} in.deep.b=": `the argument in.deep is given twice`,
		"in.a=1 in={}":          `the argument in is given twice`,
		"dot.ted=1":             `{"dot.ted":1}`,
		"x=1":                   `there is no argument x: want any, b, choice, dot, dot.ted, e, i, in, l, la, ll, ls, n, o, s, u, z`,
	} {
		got, err := Arguments([]byte(schema), strings.Fields(words))
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != want {
			t.Errorf("%s:\n got %s\nwant %s", words, got, want)
		}
	}
	if _, err := Arguments([]byte("{"), nil); err == nil || !strings.HasPrefix(err.Error(), "the tool's input schema is not JSON: ") {
		t.Errorf("got %v", err)
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
