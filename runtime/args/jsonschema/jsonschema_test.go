package jsonschema

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var lower = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[a-z]+$") })

// What a schema takes and refuses is compared with a library in golden/annotated; here are the messages.
func TestMessages(t *testing.T) {
	one, three, half := 1, 3, 0.5
	scalar := Schema{AnyOf: []Schema{{Types: []string{"string"}, MaxLength: &three}, {Types: []string{"null"}}}}
	object := Schema{
		Types: []string{"object"}, Closed: true, MinProperties: &one,
		Properties: []Property{
			{Name: "name", Required: true, Schema: Schema{Types: []string{"string"}, Pattern: "^[a-z]+$", Match: lower}},
			{Name: "mail", Schema: Schema{Format: "an email address", IsFormat: args.IsEmail}},
			{Name: "n", Schema: Schema{Types: []string{"integer"}, Minimum: &half, MultipleOf: "2"}},
			{Name: "list", Schema: Schema{Types: []string{"array"}, Items: &Schema{Types: []string{"number"}, Below: &half}, MinItems: &one, MaxItems: &three, Unique: true}},
			{Name: "either", Schema: Schema{OneOf: []Schema{{Types: []string{"string", "boolean"}}, {Types: []string{"string"}}}}},
			{Name: "both", Schema: Schema{AllOf: []Schema{{Types: []string{"string"}, MinLength: &one}, {Not: &Schema{Enum: []string{`"no"`}}}}}},
			{Name: "c", Schema: Schema{Enum: []string{`1`, `"x"`, `null`}}},
			{Name: "never", Schema: Schema{Types: []string{}}},
		},
	}
	more := Schema{Types: []string{"object"}, Additional: &Schema{Types: []string{"boolean"}}}
	for _, tt := range []struct {
		schema *Schema
		text   string
		want   string
	}{
		{&scalar, `"abc"`, ""},
		{&scalar, ` null `, ""},
		{&scalar, `"abcd"`, "arguments: want at most 3 characters, got 4"},
		{&scalar, `1`, "arguments: want a string or null, got 1"},
		{&object, `{"name":"a"}`, ""},
		{&object, `{"name":"a","n":2.0,"list":[0,-1],"either":true,"both":"yes","c":1.0,"mail":7}`, ""},
		{&object, `[]`, "arguments: want an object, got an array"},
		{&object, `{}`, "name: required\narguments: want at least 1 member, got 0"},
		{&object, `{"name":"A","name":"a","x":1}`, "name: want a match of ^[a-z]+$, got \"A\"\nname: given twice\nx: unknown member"},
		{&object, `{"name":"a","n":3}`, "n: want a multiple of 2, got 3"},
		{&object, `{"name":"a","n":0}`, "n: want a number of at least 0.5, got 0"},
		{&object, `{"name":"a","n":1.5}`, "n: want an integer, got 1.5"},
		{&object, `{"name":"a","n":2e4095}`, ""},
		{&object, `{"name":"a","n":2e4096}`, "n: want an integer of at most 4096 digits, got 2e4096"},
		{&object, `{"name":"a","list":[0,0.0]}`, "list: want items that differ from each other, got an array"},
		{&object, `{"name":"a","list":[]}`, "list: want at least 1 item, got 0"},
		{&object, `{"name":"a","list":[0.5,"x"]}`, "list[0]: want a number below 0.5, got 0.5\nlist[1]: want a number, got \"x\""},
		{&object, `{"name":"a","either":"x"}`, "either: want a value of one alternative, not of 2, got \"x\""},
		{&object, `{"name":"a","either":null}`, "either: want a string or a boolean, got null"},
		{&object, `{"name":"a","both":"no"}`, "both: want another value, got \"no\""},
		{&object, `{"name":"a","both":""}`, "both: want at least 1 character, got 0"},
		{&object, `{"name":"a","c":2}`, "c: want one of 1, \"x\", null, got 2"},
		{&object, `{"name":"a","mail":"x"}`, "mail: want an email address, got \"x\""},
		{&object, `{"name":"a","never":1}`, "never: want another value, got 1"},
		{&more, `{"a":true,"b":false}`, ""},
		{&more, `{"a":"true"}`, "a: want a boolean, got \"true\""},
		{&more, `{"a":tru}`, "a: want true, got an unknown word at offset 5"},
		{&Schema{}, `[{"a":1}]`, ""},
	} {
		d := args.New(wire.Raw(tt.text), true) // what a schema says is not coerced
		if got := tt.schema.Takes(d); got != (tt.want == "") && !strings.Contains(tt.text, "tru}") {
			t.Errorf("%s: %t", tt.text, got)
		} else if got {
			d.Skip() // which Takes has left
		}
		got := ""
		if err := d.Finish(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
}

// own writes whatever it holds, or fails.
type own string

func (o own) MarshalJSON() ([]byte, error) {
	if o == "" {
		return nil, errors.New("it is empty")
	}
	return []byte(o), nil
}

func (o own) MarshalText() ([]byte, error) { return []byte(o), nil }

// A result that its schema does not take is an error of the function.
func TestPut(t *testing.T) {
	schema := &Schema{Types: []string{"object"}, Properties: []Property{{Name: "a", Required: true, Schema: Schema{Types: []string{"string"}}}}}
	text := &Schema{Types: []string{"string"}, Pattern: "^[a-z]+$", Match: lower}
	asJSON := func(v *own, e *wire.Encoder) { args.PutJSON(schema.JSON(v), e) }
	asText := func(v *own, e *wire.Encoder) { args.PutText(text.Text(v), e) }
	for _, tt := range []struct {
		v         own
		put       func(*own, *wire.Encoder)
		want, err string
	}{
		{`{"a":"x"}`, asJSON, `{"a":"x"}`, ""},
		{`{"a":1}`, asJSON, "", `its schema does not take it: a: want a string, got 1`},
		{`{}`, asJSON, "", "its schema does not take it: a: required"},
		{`[]`, asJSON, "", "its schema does not take it: want an object, got an array"},
		{``, asJSON, "", "it is empty"},
		{`{`, asJSON, "", "JSON"},
		{`abc`, asText, `"abc"`, ""},
		{`A`, asText, "", `its schema does not take it: want a match of ^[a-z]+$, got "A"`},
	} {
		got, err := args.Encode(&tt.v, tt.put)
		if tt.err == "" && (err != nil || string(got) != tt.want) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: got %s, %v, want %s%s", tt.v, got, err, tt.want, tt.err)
		}
	}
}
