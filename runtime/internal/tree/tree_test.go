package tree

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestTree(t *testing.T) {
	for text, want := range map[string]string{
		` { "b" : [ 1.50, true , null ] , "a" : { "\u0078" : "\u0022" } } `: `{"a":{"x":"\""},"b":[1.50,true,null]}`,
		`[]`:                    `[]`,
		`{}`:                    `{}`,
		`9007199254740993`:      `9007199254740993`,
		`{"a":1,"a":2}`:         "",
		`[{"a":{"b":1,"b":1}}]`: "",
		`[1`:                    "",
		``:                      "",
	} {
		v, err := Decode(wire.Raw(text))
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		got, err := Encode(v)
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
}
