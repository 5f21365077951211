package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// prefixes calls f with each beginning of a text, alone in its memory so that a look beyond it
// panics, and whether encoding/json takes it for a value.
func prefixes(text string, f func(data []byte, valid bool)) {
	for i := range len(text) + 1 {
		data := slices.Clone([]byte(text[:i]))
		f(data[:i:i], json.Valid(data))
	}
}

// What breaks off anywhere is an error, and what was read of it counts for nothing.
func TestTruncated(t *testing.T) {
	reads := map[string]func(d *wire.Decoder) any{
		"Int":          func(d *wire.Decoder) any { return d.Int() },
		"IntOrNull":    func(d *wire.Decoder) any { return *cmpOr(d.IntOrNull()) },
		"Float":        func(d *wire.Decoder) any { return d.Float() },
		"FloatOrNull":  func(d *wire.Decoder) any { return *cmpOr(d.FloatOrNull()) },
		"Bool":         func(d *wire.Decoder) any { return d.Bool() },
		"BoolOrNull":   func(d *wire.Decoder) any { return *cmpOr(d.BoolOrNull()) },
		"String":       func(d *wire.Decoder) any { return d.String() },
		"StringOrNull": func(d *wire.Decoder) any { return d.StringOrNull() },
		"ID":           func(d *wire.Decoder) any { return d.ID() },
		"IDOrNull":     func(d *wire.Decoder) any { return d.IDOrNull() },
		"Raw":          func(d *wire.Decoder) any { return string(d.Raw()) },
		"RawOf":        func(d *wire.Decoder) any { return string(d.RawOf(wire.KindObject)) },
		"Null": func(d *wire.Decoder) any {
			null := d.Null()
			if !null && !d.Failed() {
				d.Skip()
			}
			return null && d.Failed()
		},
		"Kind":        func(d *wire.Decoder) any { d.Kind(); d.Skip(); return nil },
		"Slice":       func(d *wire.Decoder) any { return len(wire.Slice(d, (*wire.Raw).DecodeWire)) },
		"Map":         func(d *wire.Decoder) any { return len(wire.Map(d, (*wire.Raw).DecodeWire)) },
		"Ordered":     func(d *wire.Decoder) any { return len(wire.Ordered(d, (*wire.Raw).DecodeWire)) },
		"PeekKey":     func(d *wire.Decoder) any { d.PeekKey("a", "b"); d.Skip(); return nil },
		"PeekString":  func(d *wire.Decoder) any { d.PeekString("a", "b"); d.Skip(); return nil },
		"Literal":     func(d *wire.Decoder) any { d.Literal("ab\n"); return nil },
		"LiteralBool": func(d *wire.Decoder) any { d.LiteralBool(true); return nil },
		"Number":      func(d *wire.Decoder) any { d.LiteralNumber(-0.5); return nil },
	}
	zeros := map[any]bool{nil: true, int64(0): true, 0.0: true, 0: true, false: true, "": true, wire.ID{}: true}
	for _, text := range []string{
		" -12.5e+10 ", "0", "-0.5", " true ", "false", "null", `"ab\n"`, `"\u00e9\ud83d\ude00x"`, "\"\xc3\xa9\xe2\x82\xac\"",
		` [ 1 , [ ] , { } , "x" , null ] `, `[[1],[2],[3]]`, ` { "a" : { "b" : "c\t" , "d" : [ 1.0 , { } ] } , "e" : null } `,
		`{"a":{"c":{},"b":1}}`, `{"a":1,"b":2}`, `{"a":[[],[]],"b":{"c":{"d":false}}}`,
	} {
		prefixes(text, func(data []byte, valid bool) {
			for name, read := range reads {
				d := wire.NewDecoder(data)
				got := read(&d)
				if d.Failed() && !zeros[got] {
					t.Errorf("%s of %q: got %v beside an error", name, data, got)
				}
				if err := d.Finish(); err == nil && !valid {
					t.Errorf("%s takes %q", name, data)
				}
			}
			if err := wire.Raw(data).Check(); (err == nil) != valid {
				t.Errorf("Check of %q: %v", data, err)
			}
		})
	}
}

func cmpOr[T any](v *T) *T {
	if v == nil {
		return new(T)
	}
	return v
}

// After an error nothing more is read.
func TestNothingAfterAnError(t *testing.T) {
	for _, text := range []string{`x`, `[1,2`, `{"a":1,}`, `"a`, `-`, `"\x"`, `1e`, "\"\x01\""} {
		d := wire.NewDecoder([]byte(text))
		d.Skip()
		if !d.Failed() {
			d.Kind()
			d.Skip()
		}
		a, o := d.Array(), d.Object(&typeAnnotations)
		if d.Int() != 0 || d.Float() != 0 || d.Bool() || d.String() != "" || d.ID() != (wire.ID{}) || d.Raw() != nil || d.Null() ||
			a.Next() || o.Next() || wire.Slice(&d, wire.GetString[string]) != nil || wire.Map(&d, wire.GetString[string]) != nil {
			t.Errorf("%s: something is read after the error", text)
		}
		if err := d.Finish(); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// Integers are what their digits, point and exponent say, or an error.
func TestIntExactly(t *testing.T) {
	var texts []string
	for _, digits := range []string{"0", "7", "10", "120", "123456789012345678", "999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808"} {
		for _, sign := range []string{"", "-"} {
			texts = append(texts, sign+digits)
			for point := range len(digits) {
				for _, exponent := range []string{"", "e0", "E1", "e-1", "e2", "e+3", fmt.Sprintf("e%d", len(digits)-point), fmt.Sprintf("e-%d", point), fmt.Sprintf("e-%d", point+1)} {
					texts = append(texts, sign+digits[:point+1]+"."+digits[point:]+exponent, sign+digits+exponent)
				}
			}
		}
	}
	for _, text := range texts {
		if !json.Valid([]byte(text)) {
			continue
		}
		want, ok := new(big.Rat).SetString(text)
		ok = ok && want.IsInt() && want.Num().IsInt64()
		got, err := decodeWith(text, (*wire.Decoder).Int)
		if (err == nil) != ok || ok && got != want.Num().Int64() {
			t.Errorf("%s: got %d, %v; it is %s", text, got, err, want.RatString())
		}
	}
	for _, text := range []string{"1e20", "1e402", "-1e99999999999"} {
		_, err := decodeWith(text, (*wire.Decoder).Int)
		check(t, text, 0, err, 0, "wire: want integer of 64 bits, got "+text)
	}
}

// special are what a string cannot hold as it is, and what comes near.
var special = []string{`"`, `\`, "\x00", "\x01", "\x1f", " ", "!", "#", "[", "]", "\x7f", "\u0080", "é", "\u07ff", "\u0800", "€", "\uffff", "😀",
	"\b", "\f", "\n", "\r", "\t", "/", "\x80", "\xc1\x80", "\xc2", "\xc2\xc0", "\xdf\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\xe2\x82"}

// Strings are scanned by words: what is special is found at every place of one.
func TestStringsAtEveryPlace(t *testing.T) {
	plain := strings.Repeat("abcdefghijklmnopqrstuvwxyz0123456789", 3)
	for _, s := range special {
		for _, more := range []string{"", s, "b", "12345678", plain[:50]} {
			for n := range 75 {
				value := plain[:n] + s + more + plain[:n%11]
				want, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				var back string
				if err := json.Unmarshal(want, &back); err != nil {
					t.Fatal(err)
				}
				text, err := wire.Append(make([]byte, 0, n%40), wire.Any, encodes(func(e *wire.Encoder) { e.String(value) }))
				var again string
				if err != nil || json.Unmarshal(text, &again) != nil || again != back {
					t.Fatalf("%q becomes %s", value, text)
				}
				for _, text := range [][]byte{text, want} {
					if got, err := decodeWith(string(text), (*wire.Decoder).String); err != nil || got != back {
						t.Fatalf("%s: got %q, %v", text, got, err)
					}
				}
				// As it is, it must be refused exactly if encoding/json does, or if it is no UTF-8.
				text = []byte(`"` + value + `"`)
				_, err = decodeWith(string(text), (*wire.Decoder).String)
				if taken := json.Valid(text) && strings.ToValidUTF8(value, "") == value; (err == nil) != taken {
					t.Fatalf("%q: got %v", text, err)
				}
				var e *wire.DecodeError
				if errors.As(err, &e) && e.Offset != 0 && int(e.Offset) < n+1 {
					t.Fatalf("%q: the error is at %d, before what is wrong", text, e.Offset)
				}
			}
		}
	}
}

// Escapes of all kinds, at every place of a word.
func TestEscapesAtEveryPlace(t *testing.T) {
	for _, escape := range []string{`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0041`, `\u00e9`, `\u20AC`, `\uabcd`, `\uABCD`, `\uFfFf`, `\u0000`, `\ud83d\ude00`, `\uD83D\uDE00`,
		`\ud800`, `\ud800\n`, `\ud83d\u0041`, `\ud800\ud800`, `\udc00\ud800`, `\ud83dXXde00`, `\ud83d\nde00`, `\ud83du`, `\ud83d\\u`, `\udbff\udfff`} {
		for n := range 20 {
			for _, rest := range []string{"", "x", "12345678", escape} {
				text := `"` + strings.Repeat("a", n) + escape + rest + `"`
				var want string
				if err := json.Unmarshal([]byte(text), &want); err != nil {
					t.Fatal(text, err)
				}
				if got, err := decodeWith(text, (*wire.Decoder).String); err != nil || got != want {
					t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
				}
			}
		}
	}
	for _, escape := range []string{`\x`, `\`, `\u`, `\u1`, `\u12`, `\u123`, `\u123g`, `\u12/4`, `\u:234`, "\\u123`", `\u@123`, `\uG123`, `\U0041`, `\'`, `\a`, `\0`} {
		for _, text := range []string{`"` + escape + `"`, `"12345678` + escape, `"` + escape + `12345678"`} {
			if _, err := decodeWith(text, (*wire.Decoder).String); (err == nil) != json.Valid([]byte(text)) {
				t.Errorf("%s: got %v", text, err)
			}
		}
	}
}

// The depth is that of what is open, not of what was.
func TestDepthOfSiblings(t *testing.T) {
	deep := strings.Repeat("[", wire.MaxDepth-2) + strings.Repeat("]", wire.MaxDepth-2)
	object := strings.Repeat(`{"a":`, wire.MaxDepth-2) + "1" + strings.Repeat("}", wire.MaxDepth-2)
	empty := strings.Repeat("[],{},[1],{\"a\":1},", 200) + "0"
	for _, inner := range []string{deep, object, "[" + empty + "]"} {
		list, members := "["+inner+","+inner+","+inner+"]", `{"a":`+inner+`,"b":`+inner+`,"c":`+inner+`}`
		for name, read := range map[string]func(d *wire.Decoder){
			"Slice": func(d *wire.Decoder) { wire.Slice(d, (*wire.Raw).DecodeWire) },
			"Array": func(d *wire.Decoder) {
				for a := d.Array(); a.Next(); {
					d.Skip()
				}
			},
			"Skip": func(d *wire.Decoder) { d.Skip() },
		} {
			d := wire.NewDecoder([]byte(list))
			read(&d)
			if err := d.Finish(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, read := range map[string]func(d *wire.Decoder){
			"Map":     func(d *wire.Decoder) { wire.Map(d, (*wire.Raw).DecodeWire) },
			"Ordered": func(d *wire.Decoder) { wire.Ordered(d, (*wire.Raw).DecodeWire) },
			"Object": func(d *wire.Decoder) {
				for o := d.Object(&wire.Type{}); o.Next(); {
					d.Skip()
				}
			},
			"Skip": func(d *wire.Decoder) { d.Skip() },
		} {
			d := wire.NewDecoder([]byte(members))
			read(&d)
			if err := d.Finish(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, text := range []string{
		strings.Repeat("[", wire.MaxDepth) + strings.Repeat("]", wire.MaxDepth),
		strings.Repeat(`{"a":`, wire.MaxDepth) + "1" + strings.Repeat("}", wire.MaxDepth),
	} {
		if err := wire.Raw(text).Check(); err != nil {
			t.Error(err)
		}
		for _, more := range []string{"[" + text + "]", `{"a":` + text + "}"} {
			if err := wire.Raw(more).Check(); err == nil || !strings.Contains(err.Error(), "nesting is deeper than 128 levels") {
				t.Errorf("%.20s…: %v", more, err)
			}
		}
	}
}
