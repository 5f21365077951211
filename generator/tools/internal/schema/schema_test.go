package schema_test

import (
	"go/constant"
	"go/token"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
)

// compile compiles a schema, and so checks it against the meta-schema of 2020-12.
func compile(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("case.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("case.json")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// check compares a schema with what is wanted, and tries it on values that it should take and on
// values that it should not.
func check(t *testing.T, got, want string, good, bad []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s := compile(t, got)
	for _, list := range []struct {
		values []string
		fit    bool
	}{{good, true}, {bad, false}} {
		for _, text := range list.values {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if err := s.Validate(v); (err == nil) != list.fit {
				t.Errorf("%s\nvalidates %s: %v", got, text, err)
			}
		}
	}
}

func kind(k ir.Kind) *ir.Type              { return &ir.Type{Kind: k} }
func bits(k ir.Kind, n int) *ir.Type       { return &ir.Type{Kind: k, Bits: n} }
func of(k ir.Kind, elem *ir.Type) *ir.Type { return &ir.Type{Kind: k, Elem: elem} }

func literals(texts ...string) (all []*ir.Literal) {
	for _, text := range texts {
		all = append(all, &ir.Literal{JSON: text})
	}
	return all
}

func unit() *ir.Type {
	return &ir.Type{Kind: ir.String, Name: "Unit", Doc: "A Unit is a temperature unit.", Enum: []*ir.EnumValue{
		{JSON: `"celsius"`, Doc: "degrees\nCelsius"}, {JSON: `"fahrenheit"`, Doc: "degrees Fahrenheit"}, {JSON: `"kelvin"`},
	}}
}

func level() *ir.Type {
	return &ir.Type{Kind: ir.Int, Bits: 8, Name: "Level", Enum: []*ir.EnumValue{{JSON: "-1", Doc: "off"}, {JSON: "0"}, {JSON: "1"}}}
}

// node is a tree by a slice of pointers.
func node() *ir.Type {
	n := &ir.Type{Kind: ir.Struct, Name: "Node", Doc: "A Node has children.", Recursive: true}
	n.Fields = []*ir.Property{
		{Name: "name", Type: kind(ir.String), Required: true},
		{Name: "children", Type: of(ir.Slice, of(ir.Pointer, n))},
	}
	return n
}

// expr is a union that contains itself through one of its arms.
func expr() *ir.Type {
	e := &ir.Type{Kind: ir.Union, Name: "Expr", Recursive: true, Discriminator: "op"}
	add := &ir.Type{Kind: ir.Struct, Name: "Add", Doc: "Add adds.", Recursive: true, Fields: []*ir.Property{
		{Name: "left", Type: e, Required: true}, {Name: "right", Type: e, Required: true},
	}}
	number := &ir.Type{Kind: ir.Struct, Name: "Number", Open: true, Fields: []*ir.Property{{Name: "value", Type: bits(ir.Float, 64), Required: true}}}
	e.Arms = []*ir.Arm{{Value: "add", Type: of(ir.Pointer, add)}, {Value: "number", Type: number}}
	return e
}

// REQ JSCH-01, JSCH-05: valid in 2020-12, which needs no "$schema".
func TestTypes(t *testing.T) {
	for _, test := range []struct {
		name string
		t    *ir.Type
		want string
		good []string
		bad  []string
	}{
		{"bool", kind(ir.Bool), `{"type":"boolean"}`, []string{"true"}, []string{`"true"`, "1", "null"}},
		{"int8", bits(ir.Int, 8), `{"type":"integer","minimum":-128,"maximum":127}`,
			[]string{"-128", "127", "1.0", "1e2"}, []string{"128", "-129", "1.5", `"1"`}},
		{"int64", bits(ir.Int, 64), `{"type":"integer"}`, []string{"9223372036854775807", "-9223372036854775808"}, []string{"0.5"}},
		{"uint64", bits(ir.Uint, 64), `{"type":"integer","minimum":0}`, []string{"18446744073709551615"}, []string{"-1"}},
		{"float32", bits(ir.Float, 32), `{"type":"number","minimum":-3.4028235e+38,"maximum":3.4028235e+38}`,
			[]string{"0.1", "3.4028234663852886e38"}, []string{"3.5e38", `"1"`}},
		{"float64", bits(ir.Float, 64), `{"type":"number"}`, []string{"1e300"}, []string{"null"}},
		{"string", kind(ir.String), `{"type":"string"}`, []string{`""`}, []string{"1"}},
		{"big.Int", kind(ir.BigInt), `{"type":"integer"}`, []string{"123456789012345678901234567890"}, []string{"0.5"}},
		{"json.Number", kind(ir.Number), `{"type":"number"}`, []string{"0.5"}, []string{`"0.5"`}},
		{"bytes", kind(ir.Bytes), `{"type":"string","contentEncoding":"base64"}`, []string{`"AAEC"`}, []string{"[0]"}},
		{"time", kind(ir.Time), `{"type":"string","format":"date-time"}`, []string{`"2026-07-28T10:00:00Z"`}, []string{`"2026-07-28"`}},
		{"url", kind(ir.URL), `{"type":"string","format":"uri"}`, []string{`"https://example.com/a"`}, []string{`"a/b"`}},
		{"duration", kind(ir.Duration),
			`{"type":"string","description":"a duration such as 1h30m","pattern":"^[-+]?(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"}`,
			[]string{`"0"`, `"-0"`, `"1h30m"`, `"+1.5s"`, `".5ms"`, `"1.h"`, `"3µs"`}, []string{`""`, `"1"`, `"00"`, `"1h0"`, `".s"`, `"1d"`, `" 1s"`}},
		{"raw", kind(ir.Raw), `{}`, []string{"null", "[1]"}, nil},
		{"any", kind(ir.Any), `{}`, []string{"null"}, nil},
		{"text", kind(ir.Text), `{"type":"string"}`, []string{`"x"`}, []string{"{}"}},
		{"pointer", of(ir.Pointer, kind(ir.Bool)), `{"type":"boolean"}`, nil, []string{"null"}},
		{"slice", of(ir.Slice, of(ir.Slice, kind(ir.Bool))), `{"type":"array","items":{"type":"array","items":{"type":"boolean"}}}`,
			[]string{"[[true],[]]"}, []string{"[true]", "null"}},
		{"array", &ir.Type{Kind: ir.Array, Len: 2, Elem: kind(ir.Any)}, `{"type":"array","items":{},"minItems":2,"maxItems":2}`,
			[]string{"[1,null]"}, []string{"[1]", "[1,2,3]"}},
		{"map", &ir.Type{Kind: ir.Map, Key: kind(ir.String), Elem: kind(ir.Bool)}, `{"type":"object","additionalProperties":{"type":"boolean"}}`,
			[]string{`{"a":true}`}, []string{`{"a":1}`}},
		{"map of any", &ir.Type{Kind: ir.Map, Key: kind(ir.String), Elem: kind(ir.Any)}, `{"type":"object","additionalProperties":{}}`,
			[]string{`{"a":null}`}, []string{"[]"}},
		{"map by integer", &ir.Type{Kind: ir.Map, Key: bits(ir.Int, 64), Elem: kind(ir.Bool)},
			`{"type":"object","propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$"},"additionalProperties":{"type":"boolean"}}`,
			[]string{`{"-1":true,"0":true}`}, []string{`{"a":true}`, `{"01":true}`, `{"-0":true}`}},
		{"map by unsigned", &ir.Type{Kind: ir.Map, Key: bits(ir.Uint, 8), Elem: kind(ir.Bool)},
			`{"type":"object","propertyNames":{"pattern":"^(0|[1-9][0-9]*)$"},"additionalProperties":{"type":"boolean"}}`,
			[]string{`{"1":true}`}, []string{`{"-1":true}`}},
		{"map by enum", &ir.Type{Kind: ir.Map, Key: level(), Elem: kind(ir.Bool)},
			`{"type":"object","propertyNames":{"enum":["-1","0","1"]},"additionalProperties":{"type":"boolean"}}`,
			[]string{`{"-1":true}`}, []string{`{"2":true}`}},
		{"enum", unit(), `{"type":"string","description":"A Unit is a temperature unit.\n- celsius: degrees Celsius\n- fahrenheit: degrees Fahrenheit","enum":["celsius","fahrenheit","kelvin"]}`,
			[]string{`"kelvin"`}, []string{`"Kelvin"`}},
		{"enum of integers", level(), `{"type":"integer","description":"- -1: off","enum":[-1,0,1]}`, []string{"-1", "1.0"}, []string{"2", `"1"`}},
		{"empty struct", kind(ir.Struct), `{"type":"object"}`, []string{"{}", `{"a":1}`}, []string{"[]"}},
		{"open struct", &ir.Type{Kind: ir.Struct, Open: true, Fields: []*ir.Property{{Name: "a<b", Type: kind(ir.Bool), Required: true}}},
			`{"type":"object","properties":{"a<b":{"type":"boolean"}},"required":["a<b"]}`, []string{`{"a<b":true,"c":1}`}, []string{`{"c":1}`}},
		{"items with text", of(ir.Slice, &ir.Type{Kind: ir.Struct, Name: "Alert", Doc: "An Alert \"warns\"."}),
			`{"type":"array","items":{"type":"object","description":"An Alert \"warns\"."}}`, nil, nil},
		{"schema of a directive", &ir.Type{Kind: ir.JSON, Doc: "A Color.", Schema: `{ "pattern": "^#[0-9a-f]{6}$", "type": "string", "x-ui": [1, 2] }`},
			`{"type":"string","description":"A Color.","pattern":"^#[0-9a-f]{6}$","x-ui":[1,2]}`, []string{`"#00ff00"`}, []string{`"green"`}},
		{"recursive struct", node(),
			`{"$ref":"#/$defs/Node","$defs":{"Node":{"type":"object","description":"A Node has children.","properties":{"name":{"type":"string"},` +
				`"children":{"type":"array","items":{"$ref":"#/$defs/Node"}}},"required":["name"]}}}`,
			[]string{`{"name":"a","children":[{"name":"b"}]}`}, []string{`{"name":"a","children":[{"nam":"b"}]}`}},
		{"recursive union", expr(),
			`{"$ref":"#/$defs/Expr","$defs":{"Expr":{"type":"object","oneOf":[` +
				`{"type":"object","description":"Add adds.","properties":{"op":{"type":"string","const":"add"},"left":{"$ref":"#/$defs/Expr"},"right":{"$ref":"#/$defs/Expr"}},"required":["op","left","right"]},` +
				`{"type":"object","properties":{"op":{"type":"string","const":"number"},"value":{"type":"number"}},"required":["op","value"]}]}}}`,
			[]string{`{"op":"add","left":{"op":"number","value":1},"right":{"op":"number","value":2,"note":"open"}}`},
			[]string{`{"op":"add","left":{"op":"number","value":1}}`, `{"value":1}`, `{"op":"sub"}`}},
		{"recursive map", func() *ir.Type {
			m := &ir.Type{Kind: ir.Map, Name: "Tree", Key: kind(ir.String), Recursive: true}
			m.Elem = m
			return m
		}(), `{"$ref":"#/$defs/Tree","$defs":{"Tree":{"type":"object","additionalProperties":{"$ref":"#/$defs/Tree"}}}}`,
			[]string{`{"a":{"b":{}}}`}, []string{`{"a":1}`}},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, schema.Of(test.t), test.want, test.good, test.bad) })
	}
}

func TestInput(t *testing.T) {
	min, max := 1, 5
	int64s := func(n int64) constant.Value { return constant.MakeInt64(n) }
	pattern := `"pattern":"` + schema.Duration + `"`
	for _, test := range []struct {
		name string
		tool ir.Tool
		want string
		good []string
		bad  []string
	}{
		// REQ TOOL-05: the preferred form.
		{"no parameters", ir.Tool{}, `{"type":"object","additionalProperties":false}`, []string{"{}"}, []string{`{"a":1}`, "null"}},
		{"open", ir.Tool{Open: true}, `{"type":"object"}`, []string{`{"a":1}`}, []string{"[]"}},
		{"forecast", ir.Tool{Input: []*ir.Property{
			{Name: "city", Description: "the city's English name", Type: kind(ir.String), Required: true},
			{Name: "days", Description: "how many days ahead", Type: bits(ir.Int, 64), Default: literals("3")[0],
				Constraints: &ir.Constraints{Min: int64s(1), Max: int64s(14)}},
			{Name: "unit", Type: unit(), Default: literals(`"celsius"`)[0], Constraints: &ir.Constraints{Enum: literals(`"celsius"`, `"kelvin"`)}},
		}}, `{"type":"object","properties":{"city":{"type":"string","description":"the city's English name"},` +
			`"days":{"type":"integer","description":"how many days ahead","minimum":1,"maximum":14,"default":3},` +
			`"unit":{"type":"string","description":"A Unit is a temperature unit.\n- celsius: degrees Celsius","enum":["celsius","kelvin"],"default":"celsius"}},` +
			`"required":["city"],"additionalProperties":false}`,
			[]string{`{"city":"Oslo"}`, `{"city":"Oslo","days":14,"unit":"kelvin"}`}, []string{`{}`, `{"city":"Oslo","days":15}`, `{"city":"Oslo","unit":"fahrenheit"}`}},
		// REQ XHDR-01, XHDR-05: the header stands on a property of the root.
		{"header", ir.Tool{Input: []*ir.Property{{Name: "region", Type: kind(ir.String), Required: true, Header: "Region", Examples: literals(`"eu"`, `"us"`)}}},
			`{"type":"object","properties":{"region":{"type":"string","examples":["eu","us"],"x-mcp-header":"Region"}},"required":["region"],"additionalProperties":false}`,
			nil, nil},
		{"lengths", ir.Tool{Input: []*ir.Property{
			{Name: "text", Type: kind(ir.String), Constraints: &ir.Constraints{MinLen: &min, MaxLen: &max, Pattern: `^\d+"$`}},
			{Name: "list", Type: of(ir.Pointer, of(ir.Slice, kind(ir.Bool))), Constraints: &ir.Constraints{MinLen: &min, MaxLen: &max}},
			{Name: "map", Type: &ir.Type{Kind: ir.Map, Key: kind(ir.String), Elem: kind(ir.Bool)}, Constraints: &ir.Constraints{MinLen: &min}},
			{Name: "bytes", Type: kind(ir.Bytes), Constraints: &ir.Constraints{MinLen: &min, MaxLen: &max}},
			{Name: "mail", Type: kind(ir.String), Constraints: &ir.Constraints{Format: "email"}},
		}}, `{"type":"object","properties":{"text":{"type":"string","pattern":"^\\d+\"$","minLength":1,"maxLength":5},` +
			`"list":{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":5},` +
			`"map":{"type":"object","additionalProperties":{"type":"boolean"},"minProperties":1},` +
			`"bytes":{"type":"string","minLength":4,"maxLength":8,"contentEncoding":"base64"},` +
			`"mail":{"type":"string","format":"email"}},"additionalProperties":false}`,
			[]string{`{"text":"12\"","bytes":"AA==","list":[true],"map":{"a":true},"mail":"a@example.com"}`},
			[]string{`{"text":"a\""}`, `{"list":[]}`, `{"map":{}}`, `{"bytes":""}`, `{"bytes":"AAAAAAAAAAAA"}`, `{"mail":"a"}`}},
		{"numbers", ir.Tool{Input: []*ir.Property{
			{Name: "big", Type: kind(ir.BigInt), Constraints: &ir.Constraints{Max: constant.MakeFromLiteral("123456789012345678901234567890", token.INT, 0)}},
			{Name: "tenth", Type: bits(ir.Float, 64), Constraints: &ir.Constraints{Min: constant.BinaryOp(int64s(1), token.QUO, int64s(10)), Max: constant.MakeFloat64(1e21)}},
			{Name: "odd", Type: bits(ir.Uint, 8), Constraints: &ir.Constraints{Enum: literals("1", "3")}},
			{Name: "max", Type: bits(ir.Uint, 64), Constraints: &ir.Constraints{Min: constant.MakeUint64(math.MaxUint64)}},
		}}, `{"type":"object","properties":{"big":{"type":"integer","maximum":123456789012345678901234567890},` +
			`"tenth":{"type":"number","minimum":0.1,"maximum":1e+21},"odd":{"type":"integer","enum":[1,3]},` +
			`"max":{"type":"integer","minimum":18446744073709551615}},"additionalProperties":false}`,
			[]string{`{"big":123456789012345678901234567890,"tenth":0.1,"odd":3,"max":18446744073709551615}`},
			[]string{`{"big":123456789012345678901234567891}`, `{"tenth":0.09}`, `{"odd":2}`, `{"max":18446744073709551614}`}},
		{"quoted", ir.Tool{Input: []*ir.Property{
			{Name: "b", Type: kind(ir.Bool), Quoted: true},
			{Name: "i", Type: bits(ir.Int, 64), Quoted: true, Default: literals(`"3"`)[0]},
			{Name: "u", Type: of(ir.Pointer, bits(ir.Uint, 8)), Quoted: true},
			{Name: "f", Type: bits(ir.Float, 64), Quoted: true},
			{Name: "e", Type: level(), Quoted: true},
		}}, `{"type":"object","properties":{"b":{"type":"string","enum":["true","false"]},"i":{"type":"string","pattern":"^(0|-?[1-9][0-9]*)$","default":"3"},` +
			`"u":{"type":"string","pattern":"^(0|[1-9][0-9]*)$"},"f":{"type":"string","pattern":"^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$"},` +
			`"e":{"type":"string","description":"- -1: off","enum":["-1","0","1"]}},"additionalProperties":false}`,
			[]string{`{"b":"true","i":"-3","u":"0","f":"1.5e-3","e":"-1"}`}, []string{`{"b":"1"}`, `{"i":"+3"}`, `{"u":"-1"}`, `{"f":".5"}`, `{"e":"5"}`}},
		{"durations", ir.Tool{Input: []*ir.Property{
			{Name: "wait", Type: of(ir.Pointer, kind(ir.Duration))},
			{Name: "pause", Type: kind(ir.Duration), Description: "between attempts"},
			{Name: "timeout", Type: kind(ir.Duration), Constraints: &ir.Constraints{Max: int64s(60e9)}},
			{Name: "step", Type: kind(ir.Duration), Constraints: &ir.Constraints{Enum: literals(`"1s"`, `"1m0s"`)}},
			{Name: "period", Type: &ir.Type{Kind: ir.Duration, Doc: "A Period is what a report is about."}},
			{Name: "seconds", Type: &ir.Type{Kind: ir.Duration, Schema: `{"type":"integer"}`}},
			{Name: "waits", Type: of(ir.Slice, kind(ir.Duration))},
		}}, `{"type":"object","properties":{` + strings.Join([]string{
			`"wait":{"type":"string","description":"a duration such as 1h30m",` + pattern + `}`,
			`"pause":{"type":"string","description":"between attempts",` + pattern + `}`,
			`"timeout":{"type":"string","description":"at most 1m0s",` + pattern + `}`,
			`"step":{"type":"string","enum":["1s","1m0s"],` + pattern + `}`,
			`"period":{"type":"string","description":"A Period is what a report is about.",` + pattern + `}`,
			`"seconds":{"type":"integer"}`,
			`"waits":{"type":"array","items":{"type":"string","description":"a duration such as 1h30m",` + pattern + `}}`,
		}, ",") + `},"additionalProperties":false}`,
			[]string{`{"wait":"1h30m","step":"1s","seconds":3}`}, []string{`{"wait":"90 minutes"}`, `{"step":"2s"}`}},
		{"recursive", ir.Tool{Input: []*ir.Property{{Name: "root", Description: "the tree", Type: of(ir.Pointer, node()), Required: true},
			{Name: "other", Type: node()}}},
			`{"type":"object","properties":{"root":{"$ref":"#/$defs/Node","description":"the tree"},"other":{"$ref":"#/$defs/Node"}},"required":["root"],"additionalProperties":false,` +
				`"$defs":{"Node":{"type":"object","description":"A Node has children.","properties":{"name":{"type":"string"},` +
				`"children":{"type":"array","items":{"$ref":"#/$defs/Node"}}},"required":["name"],"additionalProperties":false}}}`,
			[]string{`{"root":{"name":"a","children":[{"name":"b"}]}}`}, []string{`{"root":{}}`}},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, schema.Input(&test.tool), test.want, test.good, test.bad) })
	}
}

func TestOutput(t *testing.T) {
	result := func(x *ir.Type) []*ir.Property { return []*ir.Property{{Name: "result", Type: x, Required: true}} }
	for _, test := range []struct {
		name string
		out  ir.Output
		want string
		good []string
		bad  []string
	}{
		{"object", ir.Output{Kind: ir.ObjectOutput, Type: of(ir.Pointer, &ir.Type{Kind: ir.Struct, Doc: "A Report.", Fields: result(kind(ir.String))})},
			`{"type":"object","description":"A Report.","properties":{"result":{"type":"string"}},"required":["result"]}`,
			[]string{`{"result":"x"}`}, []string{`{}`}},
		{"map", ir.Output{Kind: ir.ObjectOutput, Type: &ir.Type{Kind: ir.Map, Key: kind(ir.String), Elem: bits(ir.Float, 64)}},
			`{"type":"object","additionalProperties":{"type":"number"}}`, []string{`{"x":1}`}, []string{`{"x":""}`}},
		{"recursive object", ir.Output{Kind: ir.ObjectOutput, Type: of(ir.Pointer, node())},
			`{"type":"object","$ref":"#/$defs/Node","$defs":{"Node":{"type":"object","description":"A Node has children.","properties":{"name":{"type":"string"},` +
				`"children":{"type":"array","items":{"$ref":"#/$defs/Node"}}},"required":["name"]}}}`,
			[]string{`{"name":"a"}`}, []string{`{"nam":"a"}`}},
		{"named", ir.Output{Kind: ir.NamedOutput, Members: []*ir.Property{{Name: "sum", Type: kind(ir.BigInt), Required: true}, {Name: "note", Type: of(ir.Pointer, kind(ir.String))}}},
			`{"type":"object","properties":{"sum":{"type":"integer"},"note":{"type":"string"}},"required":["sum"]}`,
			[]string{`{"sum":3}`}, []string{`{"note":""}`}},
		{"wrapped", ir.Output{Kind: ir.WrappedOutput, Type: kind(ir.Time), Members: result(kind(ir.Time))},
			`{"type":"object","properties":{"result":{"type":"string","format":"date-time"}},"required":["result"]}`, nil, nil},
		{"stream", ir.Output{Kind: ir.StreamOutput, Type: kind(ir.String)},
			`{"type":"object","properties":{"result":{"type":"array","items":{"type":"string"}}},"required":["result"]}`,
			[]string{`{"result":["a"]}`}, []string{`{"result":"a"}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, schema.Output(&ir.Tool{Output: test.out}), test.want, test.good, test.bad)
		})
	}
	for k := ir.NoOutput; k <= ir.WholeOutput; k++ {
		if got := schema.Output(&ir.Tool{Output: ir.Output{Kind: k}}); got != "" {
			t.Errorf("output of kind %d has the schema %s", k, got)
		}
	}
}

// TestOpen has one type as an argument and as a result: no object of the arguments is open, and none of the results
// closed, at any depth, in $defs, in unions and in exact schemas, too.
func TestOpen(t *testing.T) {
	big := &ir.Type{Kind: ir.Struct, Name: "Big", Fields: []*ir.Property{{Name: strings.Repeat("long", 200), Type: kind(ir.String)}}} // in $defs
	all := []*ir.Property{
		{Name: "node", Type: node()}, {Name: "expr", Type: expr()}, {Name: "big", Type: big}, {Name: "again", Type: big},
		{Name: "deep", Type: of(ir.Slice, &ir.Type{Kind: ir.Map, Key: kind(ir.String), Elem: of(ir.Pointer, &ir.Type{Kind: ir.Struct})})},
	}
	for name, o := range map[string]ir.Output{
		"named": {Kind: ir.NamedOutput, Members: all}, "wrapped": {Kind: ir.WrappedOutput, Members: all},
		"object": {Kind: ir.ObjectOutput, Type: &ir.Type{Kind: ir.Struct, Fields: all}},
		"stream": {Kind: ir.StreamOutput, Type: &ir.Type{Kind: ir.Struct, Fields: all}},
	} {
		tool := &ir.Tool{Input: all, Output: o}
		for _, text := range []string{schema.Input(tool), schema.ExactInput(tool)} {
			if got, want := strings.Count(text, `"additionalProperties":false`), 5; got != want { // all but that with the discriminator "number"
				t.Errorf("%s: %d objects of the arguments are closed, want %d: %s", name, got, want, text)
			}
		}
		for _, text := range []string{schema.Output(tool), schema.ExactOutput(tool)} {
			if strings.Contains(text, `"additionalProperties":false`) {
				t.Errorf("%s: an object of the result is closed: %s", name, text)
			}
		}
	}
	for _, p := range all {
		if text := schema.Of(p.Type) + schema.ExactOf(p.Type); strings.Contains(text, `"additionalProperties":false`) {
			t.Errorf("contents with %s: an object is closed: %s", p.Name, text)
		}
	}
}
