package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// errorText returns the text of err, empty for nil.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// check reports a difference between what f(in) returned and what it should have.
func check[T comparable](t *testing.T, in string, got T, err error, want T, wantErr string) {
	t.Helper()
	if text := errorText(err); text != wantErr {
		t.Errorf("%s:\n got error %s\nwant error %s", in, text, wantErr)
	} else if err == nil && got != want {
		t.Errorf("%s: got %v, want %v", in, got, want)
	}
}

func decodeWith[T any](data string, read func(*wire.Decoder) T) (v T, err error) {
	err = wire.Decode([]byte(data), decodes(func(d *wire.Decoder) { v = read(d) }))
	return v, err
}

type decodes func(*wire.Decoder)

func (f decodes) DecodeWire(d *wire.Decoder) { f(d) }

func TestInt(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int64
		err  string
	}{
		{"0", 0, ""},
		{"-0", 0, ""},
		{"-7", -7, ""},
		{"9223372036854775807", 9223372036854775807, ""},
		{"-9223372036854775808", -9223372036854775808, ""},
		{"9007199254740993", 9007199254740993, ""},
		{"1.0", 1, ""},
		{"-1.50e1", -15, ""},
		{"1e2", 100, ""},
		{"1E+2", 100, ""},
		{"100e-2", 1, ""},
		{"0.001e3", 1, ""},
		{"0.0e99999999999999999999", 0, ""},
		{"9223372036854775807.000", 9223372036854775807, ""},
		{"922337203685477580.7e1", 9223372036854775807, ""},
		{"900719925474099.3e1", 9007199254740993, ""},
		{"1.5", 0, "wire: want integer, got 1.5"},
		{"15e-1", 0, "wire: want integer, got 15e-1"},
		{"1e-1", 0, "wire: want integer, got 1e-1"},
		{"1e99999999999999999999", 0, "wire: want integer of 64 bits, got 1e99999999999999999999"},
		{"1e-99999999999999999999", 0, "wire: want integer, got 1e-99999999999999999999"},
		{"1e19", 0, "wire: want integer of 64 bits, got 1e19"},
		{"9223372036854775808", 0, "wire: want integer of 64 bits, got 9223372036854775808"},
		{"-9223372036854775809", 0, "wire: want integer of 64 bits, got -9223372036854775809"},
		{"01", 0, "wire: want nothing after the value, got number at offset 1"},
		{"+1", 0, "wire: want integer, got '+' at offset 0"},
		{".5", 0, "wire: want integer, got '.' at offset 0"},
		{"1e", 0, "wire: want a digit, got the end of the input at offset 2"},
		{`"1"`, 0, "wire: want integer, got string"},
		{"NaN", 0, "wire: want integer, got 'N' at offset 0"},
	} {
		got, err := decodeWith(tt.in, (*wire.Decoder).Int)
		check(t, tt.in, got, err, tt.want, tt.err)
	}
}

func TestFloat(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want float64
		out  string
		err  string
	}{
		{"0", 0, "0", ""},
		{"1.50", 1.5, "1.5", ""},
		{"1e21", 1e21, "1e+21", ""},
		{"1e20", 1e20, "100000000000000000000", ""},
		{"0.0000001", 1e-7, "1e-7", ""},
		{"0.000001", 1e-6, "0.000001", ""},
		{"-5e-324", -5e-324, "-5e-324", ""},
		{"1e-400", 0, "0", ""},
		{"1e309", 0, "", "wire: want number in the range of float64, got 1e309"},
		{"true", 0, "", "wire: want number, got boolean"},
	} {
		got, err := decodeWith(tt.in, (*wire.Decoder).Float)
		check(t, tt.in, got, err, tt.want, tt.err)
		if err != nil {
			continue
		}
		out, err := wire.Append(nil, wire.Any, encodes(func(e *wire.Encoder) { e.Float(got) }))
		check(t, tt.in, string(out), err, tt.out, "")
	}
}

type encodes func(*wire.Encoder)

func (f encodes) EncodeWire(e *wire.Encoder) { f(e) }

func TestString(t *testing.T) {
	for _, tt := range []struct{ in, want, out string }{
		{`""`, "", `""`},
		{`"a"`, "a", `"a"`},
		{`"exactly8"`, "exactly8", `"exactly8"`},
		{`"\"\\\/\b\f\n\r\t\u0001"`, "\"\\/\b\f\n\r\t\x01", `"\"\\/\b\f\n\r\t\u0001"`},
		{`"\u00e9\u20AC\ud83d\ude00"`, "é€😀", `"é€😀"`},
		{`"é€😀"`, "é€😀", `"é€😀"`},
		{`"\ud800"`, "\ufffd", `"` + "\ufffd" + `"`},
		{`"\ud800x"`, "\ufffdx", `"` + "\ufffd" + `x"`},
		{`"\ud800\u0041"`, "\ufffdA", `"` + "\ufffd" + `A"`},
		{`"\ud800\ud83d\ude00"`, "\ufffd😀", `"` + "\ufffd" + `😀"`},
		{`"\ude00\ud83d"`, "\ufffd\ufffd", `"` + "\ufffd\ufffd" + `"`},
		{`"a long text with \n one escape in the middle of it"`, "a long text with \n one escape in the middle of it", `"a long text with \n one escape in the middle of it"`},
		{`"<>&` + "\u2028" + `"`, "<>&\u2028", `"<>&` + "\u2028" + `"`},
	} {
		got, err := decodeWith(tt.in, (*wire.Decoder).String)
		check(t, tt.in, got, err, tt.want, "")
		var std string
		if err := json.Unmarshal([]byte(tt.in), &std); err != nil || std != got {
			t.Errorf("%s: encoding/json reads %q, %v", tt.in, std, err)
		}
		out, err := wire.Append(nil, wire.Any, encodes(func(e *wire.Encoder) { e.String(got) }))
		check(t, tt.in, string(out), err, tt.out, "")
	}
	out, err := wire.Append(nil, wire.Any, encodes(func(e *wire.Encoder) { e.String("a\xffb\xed\xa0\x80") }))
	check(t, "invalid UTF-8", string(out), err, "\"a\ufffdb\ufffd\ufffd\ufffd\"", "")
}

// REQ JRPC-02
func TestID(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want wire.ID
		str  string
		err  string
	}{
		{`1`, wire.IntID(1), "1", ""},
		{`-5`, wire.IntID(-5), "-5", ""},
		{`0`, wire.IntID(0), "0", ""},
		{`"1"`, wire.StringID("1"), `"1"`, ""},
		{`""`, wire.StringID(""), `""`, ""},
		{`9223372036854775807`, wire.IntID(9223372036854775807), "9223372036854775807", ""},
		{`9223372036854775808`, wire.ID{}, "", "wire: want string or integer, got 9223372036854775808, which does not fit 64 bits"},
		{`1.5`, wire.ID{}, "", "wire: want string or integer, got 1.5: an id is not written with a fraction or an exponent"},
		{`1.0`, wire.ID{}, "", "wire: want string or integer, got 1.0: an id is not written with a fraction or an exponent"},
		{`1e3`, wire.ID{}, "", "wire: want string or integer, got 1e3: an id is not written with a fraction or an exponent"},
		{`null`, wire.ID{}, "", "wire: want string or integer, got null"},
		{`{}`, wire.ID{}, "", "wire: want string or integer, got object"},
		{`-`, wire.ID{}, "", "wire: want a digit, got the end of the input at offset 1"},
	} {
		var got wire.ID
		err := got.UnmarshalJSON([]byte(tt.in))
		check(t, tt.in, got, err, tt.want, tt.err)
		check(t, tt.in, got.String(), nil, tt.str, "")
		if err == nil {
			out, err := json.Marshal(got)
			check(t, tt.in, string(out), err, tt.in, "")
		}
	}
	if wire.IntID(1) == wire.StringID("1") {
		t.Error("1 and \"1\" are the same id")
	}
	if !(wire.ID{}).IsZero() || wire.IntID(0).IsZero() || wire.StringID("").IsZero() {
		t.Error("only the zero ID is absent")
	}
	if n, ok := wire.IntID(3).Int(); n != 3 || !ok {
		t.Errorf("Int: %d, %t", n, ok)
	}
	if _, ok := wire.StringID("3").Int(); ok {
		t.Error("a string id is an integer")
	}
	if s, ok := wire.StringID("3").Str(); s != "3" || !ok {
		t.Errorf("Str: %q, %t", s, ok)
	}
	_, err := wire.ID{}.MarshalJSON()
	check(t, "absent", "", err, "", "wire: the id is absent")
}

func TestRevision(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want wire.Revision
		err  string
	}{
		{"2025-06-18", 20250618, ""},
		{"2024-11-05", 20241105, ""},
		{"9999-12-31", 99991231, ""},
		{"2025-06-1", 0, `wire: protocol revision "2025-06-1" is not a date such as 2025-06-18`},
		{"2025-13-18", 0, `wire: protocol revision "2025-13-18" is not a date such as 2025-06-18`},
		{"2025-06-00", 0, `wire: protocol revision "2025-06-00" is not a date such as 2025-06-18`},
		{"2025/06/18", 0, `wire: protocol revision "2025/06/18" is not a date such as 2025-06-18`},
		{"202x-06-18", 0, `wire: protocol revision "202x-06-18" is not a date such as 2025-06-18`},
		{"", 0, `wire: protocol revision "" is not a date such as 2025-06-18`},
	} {
		got, err := wire.ParseRevision(tt.in)
		check(t, tt.in, got, err, tt.want, tt.err)
		if err == nil {
			check(t, tt.in, got.String(), nil, tt.in, "")
		}
	}
	check(t, "any", wire.Any.String(), nil, "any", "")
	check(t, "year 987", wire.Revision(9870102).String(), nil, "0987-01-02", "")

	const a, b, c = wire.Revision(20241105), wire.Revision(20250618), wire.Revision(20260728)
	for _, tt := range []struct {
		span wire.Span
		has  [4]bool // Any, a, b, c
		str  string
	}{
		{wire.Span{}, [4]bool{true, true, true, true}, "in every revision"},
		{wire.Span{From: b}, [4]bool{true, false, true, true}, "since 2025-06-18"},
		{wire.Span{Until: b}, [4]bool{true, true, false, false}, "before 2025-06-18"},
		{wire.Span{From: b, Until: c}, [4]bool{true, false, true, false}, "since 2025-06-18 and before 2026-07-28"},
	} {
		for i, r := range []wire.Revision{wire.Any, a, b, c} {
			check(t, tt.str+" has "+r.String(), tt.span.Has(r), nil, tt.has[i], "")
		}
		check(t, "span", tt.span.String(), nil, tt.str, "")
	}
}

func TestMembers(t *testing.T) {
	var m wire.Members[int]
	for i, name := range []string{"b", "a", "c", "a"} {
		m.Set(name, i)
	}
	for _, tt := range []struct {
		name  string
		value int
		found bool
	}{{"b", 0, true}, {"a", 3, true}, {"c", 2, true}, {"d", 0, false}} {
		if v, ok := m.Get(tt.name); v != tt.value || ok != tt.found {
			t.Errorf("Get(%q) = %d, %t; want %d, %t", tt.name, v, ok, tt.value, tt.found)
		}
	}
	if len(m) != 3 || m[1].Name != "a" {
		t.Errorf("order or length changed: %v", m)
	}

	list, err := decodeWith(`{"z":1,"a":[],"m":null}`, func(d *wire.Decoder) wire.Members[wire.Raw] {
		return wire.Ordered(d, (*wire.Raw).DecodeWire)
	})
	if err != nil {
		t.Fatal(err)
	}
	put := encodes(func(e *wire.Encoder) { wire.PutOrdered(e, list, (*wire.Raw).EncodeWire) })
	out, err := wire.Append(nil, wire.Any, put)
	check(t, "order", string(out), err, `{"z":1,"a":[],"m":null}`, "")
	list = append(list, list[1])
	_, err = wire.Append(nil, wire.Any, put)
	check(t, "twice", "", err, "", "wire: a: duplicate member")
	_, err = decodeWith(`{"a":1,"a":2}`, func(d *wire.Decoder) wire.Members[wire.Raw] {
		return wire.Ordered(d, (*wire.Raw).DecodeWire)
	})
	check(t, "twice", "", err, "", `wire: duplicate member "a"`)
}

func TestRawJSON(t *testing.T) {
	var v struct{ A, B, C wire.Raw }
	if err := json.Unmarshal([]byte(`{"A":{"x":1.50},"B":null}`), &v); err != nil {
		t.Fatal(err)
	}
	check(t, "A", string(v.A), nil, `{"x":1.50}`, "")
	check(t, "B", string(v.B), nil, `null`, "")
	out, err := json.Marshal(v)
	check(t, "out", string(out), err, `{"A":{"x":1.50},"B":null,"C":null}`, "")
	for raw, kind := range map[string]wire.Kind{
		"": wire.KindInvalid, "x": wire.KindInvalid, " null": wire.KindNull, "true": wire.KindBool, "false": wire.KindBool,
		"-1": wire.KindNumber, `""`: wire.KindString, "\n[]": wire.KindArray, "{}": wire.KindObject,
	} {
		check(t, raw, wire.Raw(raw).Kind(), nil, kind, "")
	}
}

func TestLiterals(t *testing.T) {
	read := func(f func(*wire.Decoder)) func(*wire.Decoder) bool {
		return func(d *wire.Decoder) bool { f(d); return true }
	}
	isText := read(func(d *wire.Decoder) { d.Literal("text") })
	isTrue := read(func(d *wire.Decoder) { d.LiteralBool(true) })
	isTwo := read(func(d *wire.Decoder) { d.LiteralNumber(2) })
	for _, tt := range []struct {
		in   string
		read func(*wire.Decoder) bool
		err  string
	}{
		{`"text"`, isText, ``},
		{`"\u0074ext"`, isText, ``},
		{`"texts"`, isText, `wire: want "text", got "texts"`},
		{`"test"`, isText, `wire: want "text", got "test"`},
		{`xtext"`, isText, `wire: want "text", got 'x' at offset 0`},
		{`"text`, isText, `wire: the string is not closed at the end of the input`},
		{`1`, isText, `wire: want "text", got number`},
		{`"tex`, isText, `wire: the string is not closed at the end of the input`},
		{`true`, isTrue, ``},
		{`false`, isTrue, `wire: want true, got false`},
		{`"true"`, isTrue, `wire: want boolean, got string`},
		{`2.0`, isTwo, ``},
		{`3`, isTwo, `wire: want 2, got 3`},
	} {
		got, err := decodeWith(tt.in, tt.read)
		check(t, tt.in, got, err, true, tt.err)
	}
}

func TestElements(t *testing.T) {
	for _, tt := range []struct {
		in    string
		read  func(*wire.Decoder) []byte
		wrong string
		err   string
	}{
		{`[1.5,2]`, elements(wire.GetFloat, wire.PutFloat), `[true]`, `wire: [0]: want number, got boolean`},
		{`[true,false]`, elements(wire.GetBool, wire.PutBool), `[true,null]`, `wire: [1]: want boolean, got null`},
		{`[1,2]`, elements(wire.GetInt, wire.PutInt), `[1,2.5]`, `wire: [1]: want integer, got 2.5`},
		{`["a","b"]`, elements(wire.GetString[role], wire.PutString[role]), `["a",{}]`, `wire: [1]: want string, got object`},
		{`["a",7]`, elements((*wire.ID).DecodeWire, (*wire.ID).EncodeWire), `["a",null]`, `wire: [1]: want string or integer, got null`},
		{`[{},null]`, elements((*wire.Raw).DecodeWire, (*wire.Raw).EncodeWire), `[{"\u0061":[x]}]`, `wire: [0].a[0]: want a value, got 'x' at offset 12`},
	} {
		out, err := decodeWith(tt.in, tt.read)
		check(t, tt.in, string(out), err, tt.in, "")
		_, err = decodeWith(tt.wrong, tt.read)
		check(t, tt.wrong, "", err, "", tt.err)
	}
}

// elements returns a function that reads an array and writes it again.
func elements[T any](get func(*T, *wire.Decoder), put func(*T, *wire.Encoder)) func(*wire.Decoder) []byte {
	return func(d *wire.Decoder) []byte {
		list := wire.Slice(d, get)
		out, _ := wire.Append(nil, wire.Any, encodes(func(e *wire.Encoder) { wire.PutSlice(e, list, put) }))
		return out
	}
}

func TestOrNull(t *testing.T) {
	i, err := decodeWith(`[3,null]`, func(d *wire.Decoder) []*int64 {
		return wire.Slice(d, func(v **int64, d *wire.Decoder) { *v = d.IntOrNull() })
	})
	check(t, "integers", *i[0] == 3 && i[1] == nil, err, true, "")
	f, err := decodeWith(`[1.5,null]`, func(d *wire.Decoder) []*float64 {
		return wire.Slice(d, func(v **float64, d *wire.Decoder) { *v = d.FloatOrNull() })
	})
	check(t, "numbers", *f[0] == 1.5 && f[1] == nil, err, true, "")
	b, err := decodeWith(`[true,null]`, func(d *wire.Decoder) []*bool {
		return wire.Slice(d, func(v **bool, d *wire.Decoder) { *v = d.BoolOrNull() })
	})
	check(t, "booleans", *b[0] && b[1] == nil, err, true, "")
	s, err := decodeWith(`["s",null]`, func(d *wire.Decoder) []string {
		return wire.Slice(d, func(v *string, d *wire.Decoder) { *v = d.StringOrNull() })
	})
	check(t, "strings", s[0] == "s" && s[1] == "", err, true, "")
	id, err := decodeWith(`["s",null]`, func(d *wire.Decoder) []wire.ID {
		return wire.Slice(d, func(v *wire.ID, d *wire.Decoder) { *v = d.IDOrNull() })
	})
	check(t, "ids", id[0] == wire.StringID("s") && id[1].IsZero(), err, true, "")
}

func TestFail(t *testing.T) {
	_, err := decodeWith(`{"a":[1, 2]}`, func(d *wire.Decoder) map[string][]int64 {
		return wire.Map(d, func(v *[]int64, d *wire.Decoder) { d.Fail("this is not wanted here") })
	})
	check(t, "fail", "", err, "", "wire: a: this is not wanted here")
}

func TestPeek(t *testing.T) {
	const data = ` {"items":{"enum":[1],"type":"string"},"type":"array","n":1,"items2":[],"null":null}`
	type found struct {
		value string
		ok    bool
	}
	for _, tt := range []struct {
		path []string
		want found
	}{
		{[]string{"type"}, found{"array", true}},
		{[]string{"items", "type"}, found{"string", true}},
		{[]string{"items", "enum"}, found{"", true}},
		{[]string{"items", "anyOf"}, found{"", false}},
		{[]string{"items2", "enum"}, found{"", false}},
		{[]string{"n"}, found{"", true}},
		{[]string{"none"}, found{"", false}},
		{[]string{"null"}, found{"", false}},
	} {
		_, err := decodeWith(data, func(d *wire.Decoder) bool {
			value, ok := d.PeekString(tt.path...)
			check(t, "string", found{value, ok}, nil, tt.want, "")
			check(t, "key", d.PeekKey(tt.path...), nil, tt.want.ok || tt.path[0] == "null", "")
			d.Skip() // peeking read nothing
			return true
		})
		check(t, data, true, err, true, "")
	}
	check(t, "StringAt", wire.Raw(data).StringAt("items", "type"), nil, "string", "")
	check(t, "StringAt", wire.Raw(data).StringAt("n"), nil, "", "")
	check(t, "StringAt", wire.Raw("x").StringAt("n"), nil, "", "")
	check(t, "StringAt", wire.Raw(` "pro"`).StringAt(), nil, "pro", "")
	check(t, "StringAt", wire.Raw(`{"n":"pro"}`).StringAt(), nil, "", "")
	check(t, "StringAt", wire.Raw(nil).StringAt(), nil, "", "")
	for in, want := range map[string]string{
		`[]`:            `wire: want object, got array`,
		`{"a":1,"b" 2}`: `wire: want ':' after a member's name, got number at offset 11`,
		`{"c":"\x"}`:    `wire: c: invalid escape in a string at offset 6`,
	} {
		_, err := decodeWith(in, func(d *wire.Decoder) string { s, _ := d.PeekString("c"); return s })
		check(t, in, "", err, "", want)
	}
}

func TestOneOrMany(t *testing.T) {
	for in, want := range map[string]string{`"a"`: `"a"`, `["a"]`: `"a"`, `[]`: `[]`, `["a","b"]`: `["a","b"]`} {
		list, err := decodeWith(in, func(d *wire.Decoder) []string { return wire.OneOrMany(d, wire.GetString[string]) })
		check(t, in, len(list), err, len(list), "")
		out, err := wire.Append(nil, wire.Any, encodes(func(e *wire.Encoder) { wire.PutOneOrMany(e, list, wire.PutString) }))
		check(t, in, string(out), err, want, "")
	}
}

func TestMap(t *testing.T) {
	const data = `{"b":2,"a":1,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}`
	m, err := decodeWith(data, func(d *wire.Decoder) map[string]int64 { return wire.Map(d, wire.GetInt) })
	if err != nil {
		t.Fatal(err)
	}
	out, err := wire.Append(nil, wire.Any, encodes(func(e *wire.Encoder) { wire.PutMap(e, m, wire.PutInt) }))
	check(t, "sorted", string(out), err, `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}`, "")
	_, err = decodeWith(`{"a":1,"a":1}`, func(d *wire.Decoder) map[string]int64 { return wire.Map(d, wire.GetInt) })
	check(t, "twice", "", err, "", `wire: duplicate member "a"`)
}

// What one type does not know another one reads, and the reverse.
func TestExtraOf(t *testing.T) {
	want := wire.Extra{{Name: "a\"", Value: wire.Raw("1")}, {Name: "b", Value: wire.Raw(`{"c":[]}`)}}
	var raw wire.Raw
	if err := wire.DecodeExtra(want, &raw); err != nil || string(raw) != `{"a\"":1,"b":{"c":[]}}` {
		t.Fatalf("%s, %v", raw, err)
	}
	got, err := wire.ExtraOf(wire.Any, raw)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := wire.ExtraOf(wire.Any, wire.Raw("[]")); err == nil {
		t.Error("an array has members")
	}
	if err := wire.DecodeExtra(nil, &raw); err != nil || string(raw) != "{}" {
		t.Errorf("%s, %v", raw, err)
	}
	if err := wire.DecodeExtra(want, new(textContent)); err == nil {
		t.Error("members that make no text were read as one")
	}
	var refused *wire.EncodeError
	if _, err := wire.ExtraOf(wire.Any, encodes(func(e *wire.Encoder) { e.Fail("is not a URL") })); !errors.As(err, &refused) {
		t.Errorf("got %v, want what is wrong with the value", err)
	}
	if err := wire.DecodeExtra(append(want, want[0]), &raw); !errors.As(err, &refused) {
		t.Errorf("got %v, want what is wrong with the members", err)
	}
}

// What a program prints to look at it is JSON, not bytes.
func TestRawIsPrinted(t *testing.T) {
	extra := wire.Extra{{Name: "a", Value: wire.Raw(`{"b":1}`)}, {Name: "c"}}
	if got, want := fmt.Sprintf("%v %s %q", extra, wire.Raw("true"), wire.Raw("1")), `[{a {"b":1}} {c }] true "1"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
