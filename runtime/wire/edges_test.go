package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Names that are identifiers stand in paths as they are, others in brackets and quotes.
func TestNamesInPaths(t *testing.T) {
	for name, plain := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "_": true, "$": true, "a0": true, "a9": true, "az_$AZ09": true,
		"": false, "0": false, "9a": false, "a-b": false, "a{": false, "a`": false, "a@": false, "a[": false, "a/": false, "a:": false, "é": false,
		"a b": false, "a\n": false, `a"b`: false, `a\`: false, strings.Repeat("k", 40): true,
	} {
		want := name
		if !plain {
			quoted, _ := json.Marshal(name)
			want = "[" + string(quoted) + "]"
		}
		text, _ := json.Marshal(map[string][]int{name: {1}})
		if got := wire.PathAt(text, bytes.LastIndexByte(text, '1'), ""); got != want+"[0]" {
			t.Errorf("%q: got %s, want %s", name, got, want+"[0]")
		}
		if got := wire.PathAt([]byte("{}"), 0, name); name != "" && got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
	long := strings.Repeat("k", 41)
	if got, want := wire.PathAt([]byte("{}"), 0, long), `["`+long[:40]+`"…]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Of a path that is too long the end is kept, by whole characters.
func TestLongPaths(t *testing.T) {
	for n := 60; n < 80; n++ {
		text := strings.Repeat(`{"é":`, 40) + `{"` + strings.Repeat("é", n-60) + `":[1`
		want := strings.Repeat(`["é"]`, 40) + `["` + strings.Repeat("é", n-60) + `"]` + "[0]"
		if over := len(want) - 200; over > 0 {
			cut := over
			for want[cut]&0xc0 == 0x80 {
				cut++
			}
			want = "…" + want[cut:]
		}
		if got := wire.PathAt([]byte(text), len(text)-1, ""); got != want {
			t.Errorf("%d: got\n%s, want\n%s", n, got, want)
		}
	}
	exact := strings.Repeat(`{"abcdefghi":`, 20) + "1" // 20 names of 9, and 19 points
	if got := wire.PathAt([]byte(exact), len(exact)-1, "b"); strings.HasPrefix(got, "…") {
		t.Error(got)
	}
	exact = strings.Repeat(`{"abcdefghi":`, 19) + `{"abcdefghij":1` // 200 in all
	if got := wire.PathAt([]byte(exact), len(exact)-1, ""); len(got) != 200 || strings.HasPrefix(got, "…") {
		t.Errorf("%d: %s", len(got), got)
	}
}

// The place may be anywhere in the text, even if it breaks off.
func TestPathAtEveryPlace(t *testing.T) {
	text := ` {"a\"b":[ 1 ,{"c":"x\\","d":[[],{}]}],"e":tru`
	want := map[string]string{"1": `["a\"b"][0]`, "c": `["a\"b"][1]`, "x": `["a\"b"][1].c`, "{}": `["a\"b"][1].d[1]`, "tru": "e"}
	for piece, path := range want {
		at := strings.Index(text, piece)
		if piece == "c" || piece == "x" {
			at-- // the quote
		}
		if got := wire.PathAt([]byte(text), at, ""); got != path {
			t.Errorf("%s: got %s, want %s", piece, got, path)
		}
	}
	for i := range len(text) + 5 {
		wire.PathAt([]byte(text), i, "")
		for j := range len(text) {
			data := []byte(text[:j])
			wire.PathAt(data[:j:j], i, "")
		}
	}
	if got := wire.PathAt([]byte(`{"a":1}`), 100, ""); got != "" {
		t.Errorf("behind the text: %s", got)
	}
	if got := wire.PathAt([]byte(`1,2`), 2, ""); got != "" {
		t.Errorf("without brackets: %s", got)
	}
}

func TestRevisionNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"2025-01-01": true, "2025-12-31": true, "0000-10-10": true, "2025-00-10": false, "2025-13-10": false, "2025-10-00": false, "2025-10-32": false,
		"2025-10:10": false, "2025:10-10": false, "2025010110": false, "202/-10-10": false, "202:-10-10": false, "2025-1/-10": false, "2025-10-1:": false,
		"2025-10-101": false,
	} {
		if _, err := wire.ParseRevision(name); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := wire.Revision(20250618); !wire.Any.Before(r) || r.Before(r) || !r.Since(r) || !wire.Any.Since(r) {
		t.Error("Before or Since is wrong")
	}
}

// The depth of what is written is that of what is open, not of what was.
func TestEncodeManySiblings(t *testing.T) {
	list := make([]contentBlock, 3*wire.MaxDepth)
	for i := range list {
		list[i] = &textContent{Text: "x", Annotations: &annotations{}}
	}
	if _, err := wire.Marshal(wire.Any, &callToolResult{Content: list}); err != nil {
		t.Error(err)
	}
	got := write(func(e *wire.Encoder) {
		e.BeginObject()
		for i := range 3 * wire.MaxDepth {
			e.Name(fmt.Sprint(i))
			if !e.BeginObject() {
				t.Error("the object does not begin")
			}
			e.EndObject()
		}
		e.EndObject()
	})
	if !json.Valid([]byte(got)) {
		t.Error(got)
	}
	got = write(func(e *wire.Encoder) {
		list := e.BeginArray()
		for range 3 * wire.MaxDepth {
			list.Next()
			inner := e.BeginArray()
			inner.End()
		}
		list.End()
	})
	if !json.Valid([]byte(got)) {
		t.Error(got)
	}
}

// Arrays in arrays end where those of other depth do.
func TestEncodeDeepArrays(t *testing.T) {
	for depth, want := range map[int]bool{wire.MaxDepth: true, wire.MaxDepth + 1: false} {
		got := write(func(e *wire.Encoder) {
			var open []wire.ArrayEncoder
			for range depth {
				if len(open) > 0 {
					open[len(open)-1].Next()
				}
				open = append(open, e.BeginArray())
			}
			for _, a := range slices.Backward(open) {
				a.End()
			}
		})
		if json.Valid([]byte(got)) != want {
			t.Errorf("depth %d: got %.100s", depth, got)
		}
	}
}

// Numbers are written as encoding/json does.
func TestNumbersOut(t *testing.T) {
	for _, f := range []float64{0, 1e-6, 9.99e-7, 1e-7, 1.5e-10, 1e-99, 1e-100, 1e-101, 1e20, 9.99e20, 1e21, 1e22, 1e100, 5, -5, 0.1, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		for _, f := range []float64{f, -f} {
			want, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			if got := write(func(e *wire.Encoder) { e.Float(f) }); got != string(want) {
				t.Errorf("got %s, want %s", got, want)
			}
			small := float32(f)
			if want, err = json.Marshal(small); err != nil {
				continue
			}
			if got := write(func(e *wire.Encoder) { e.Float32(small) }); got != string(want) {
				t.Errorf("float32: got %s, want %s", got, want)
			}
		}
	}
	for _, f := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		for _, got := range []string{write(func(e *wire.Encoder) { e.Float(f) }), write(func(e *wire.Encoder) { e.Float32(float32(f)) })} {
			if !strings.Contains(got, "is not a JSON number") {
				t.Errorf("%v: %s", f, got)
			}
		}
	}
	if got := write(func(e *wire.Encoder) { e.ID(wire.IntID(7)) }); got != "7" {
		t.Error(got)
	}
}

// Raw values that are to be checked are, wherever they stand; line breaks never come out.
func TestRawOut(t *testing.T) {
	for _, raw := range []string{"\n[1]", "[1]\n", "\r[1]", "[1]\r", "[1\n]", "[1]", " 1", "\n1", "\"a b\"", "[\"\",\n\"x\"]", "[\"\\\"\",\n\"\"]"} {
		v := &callToolResult{StructuredContent: wire.Raw(raw)}
		for name, marshal := range map[string]func(wire.Revision, wire.Encodable) ([]byte, error){"Marshal": marshal, "MarshalChecked": wire.MarshalChecked} {
			got, err := marshal(wire.Any, v)
			if err != nil || bytes.ContainsAny(got, "\r\n") || !json.Valid(got) {
				t.Errorf("%s of %q: %s, %v", name, raw, got, err)
			}
		}
	}
	for _, raw := range []string{"[1", "{]", "x", "1 2", "\"\x01\"", "[1\n"} {
		v := &callToolResult{StructuredContent: wire.Raw(raw)}
		if _, err := wire.MarshalChecked(wire.Any, v); err == nil || !strings.Contains(err.Error(), "structuredContent: the raw value is not valid JSON") {
			t.Errorf("%q: %v", raw, err)
		}
		if got, err := wire.AppendChecked([]byte("x"), wire.Any, v); err == nil || string(got) != "x" {
			t.Errorf("%q: %s, %v", raw, got, err)
		}
	}
	// Otherwise they are trusted.
	trusted := &callToolResult{StructuredContent: wire.Raw("[1")}
	for _, marshal := range []func(wire.Revision, wire.Encodable) ([]byte, error){marshal, appendTo} {
		if got, err := marshal(wire.Any, trusted); err != nil || !strings.Contains(string(got), `"structuredContent":[1`) {
			t.Errorf("%s, %v", got, err)
		}
	}
	if got := write(func(e *wire.Encoder) { e.RawOf(wire.KindObject, wire.Raw("1")) }); got != "error: wire: want object, got number" {
		t.Error(got)
	}
	for _, k := range []string{"{}", "[]", "1"} {
		got := write(func(e *wire.Encoder) { e.RawOf(wire.KindNumber, wire.Raw(k)) })
		if ok := k == "1"; (got == k) != ok {
			t.Errorf("%s: %s", k, got)
		}
		if _, err := decodeWith(k, func(d *wire.Decoder) string { return string(d.RawOf(wire.KindNumber)) }); (err == nil) != (k == "1") {
			t.Errorf("%s: %v", k, err)
		}
	}
	if err := (*wire.Raw)(nil).UnmarshalJSON([]byte("1")); err == nil {
		t.Error("a nil pointer is decoded into")
	}
}

func marshal(rev wire.Revision, v wire.Encodable) ([]byte, error) { return wire.Marshal(rev, v) }

func appendTo(rev wire.Revision, v wire.Encodable) ([]byte, error) { return wire.Append(nil, rev, v) }

// What Marshal returns stays as it is while others are encoded.
func TestMarshalKeepsNothing(t *testing.T) {
	var all [][]byte
	for i := range 10 {
		got, err := wire.Marshal(wire.Any, &textContent{Text: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, got)
	}
	for i, got := range all {
		if want := fmt.Sprintf(`{"type":"text","text":"%d"}`, i); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A name that comes twice is found among few and among many.
func TestTwiceAmongMany(t *testing.T) {
	for n := range 20 {
		for twice := range n {
			var b strings.Builder
			var list wire.Extra
			b.WriteString(`{"content":[]`)
			for i := range n {
				fmt.Fprintf(&b, `,"x%d":1`, i)
				list = append(list, wire.Member[wire.Raw]{Name: fmt.Sprint("x", i), Value: wire.Raw("1")})
			}
			for _, again := range []int{twice, n - 1} {
				if _, err := decodeResult(b.String() + fmt.Sprintf(`,"x%d":2}`, again)); err == nil || !strings.Contains(err.Error(), fmt.Sprintf(`duplicate member "x%d"`, again)) {
					t.Errorf("%d of %d: %v", again, n, err)
				}
				v := &callToolResult{Extra: append(list[:n:n], list[again])}
				if _, err := wire.Marshal(wire.Any, v); err == nil || !strings.Contains(err.Error(), "duplicate extra member") {
					t.Errorf("%d of %d: %v", again, n, err)
				}
			}
			if _, err := decodeResult(b.String() + "}"); err != nil {
				t.Errorf("%d: %v", n, err)
			}
		}
	}
}

// Messages cut what is long at 40 bytes, not before.
func TestCuts(t *testing.T) {
	for n := 39; n <= 41; n++ {
		digits := "1." + strings.Repeat("1", n-2)
		want := digits
		if n > 40 {
			want = digits[:40] + "…"
		}
		_, err := decodeWith(digits, (*wire.Decoder).Int)
		check(t, digits, 0, err, 0, "wire: want integer, got "+want)
		_, err = wire.ParseRevision(digits)
		quoted := `"` + digits + `"`
		if n > 40 {
			quoted = `"` + digits[:40] + `"…`
		}
		check(t, digits, 0, err, 0, "wire: protocol revision "+quoted+" is not a date such as 2025-06-18")
	}
}

// What stands in place of a value is told by its kind, its character, or its byte.
func TestFound(t *testing.T) {
	for text, want := range map[string]string{
		"": "the end of the input", "x": "'x'", "\x7f": `'\x7f'`, "\x80": "byte 0x80", "é": "'é'", "\u2028": `'\u2028'`, "\xff": "byte 0xff", "\x00": `'\x00'`, "}": "'}'",
	} {
		_, err := decodeWith(text, func(d *wire.Decoder) bool { d.Skip(); return true })
		check(t, text, false, err, false, "wire: want a value, got "+want+" at offset 0")
	}
}

// What does not fit leaves zero values, and says what is wrong where.
func TestBadNumbersAndNames(t *testing.T) {
	for text, want := range map[string]string{
		"9223372036854775808": "wire: want integer of 64 bits, got 9223372036854775808", "1.5": "wire: want integer, got 1.5",
		"-x": "wire: want a digit, got 'x' at offset 1", "1.x": "wire: want a digit, got 'x' at offset 2", "1ex": "wire: want a digit, got 'x' at offset 2",
	} {
		d := wire.NewDecoder([]byte(text))
		if n := d.Int(); n != 0 || errorText(d.Finish()) != want {
			t.Errorf("%s: %d, %v", text, n, d.Finish())
		}
		if text[1] != '.' && text[1] != 'e' && text != "-x" {
			continue
		}
		if _, err := decodeWith(text, (*wire.Decoder).Float); text != "1.5" && errorText(err) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		`{"\x":1}`: "wire: invalid escape in a string at offset 2", "{\"a\x1f\":1}": "wire: control character 0x1f in a string, where it must be escaped, at offset 3",
		"{\"a\x01\":1}": "wire: control character 0x1 in a string, where it must be escaped, at offset 3",
		`{"a" 1}`:       "wire: want ':' after a member's name, got number at offset 5", `{"a":1 "b":2}`: "wire: want ',' or '}' after a member, got string at offset 7",
		`{1}`: "wire: want a member's name, got number at offset 1",
	} {
		d := wire.NewDecoder([]byte(text))
		o := d.Object(&wire.Type{})
		n := 0
		for ; o.Next(); n++ {
			d.Skip()
			if d.Failed() {
				t.Fatalf("%s: there is a member", text)
			}
		}
		if err := d.Finish(); errorText(err) != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// The depth of arrays and objects that are read by hand is bounded, and that of siblings is not added.
func TestDepthByHand(t *testing.T) {
	var inArray, inObject func(d *wire.Decoder)
	inArray = func(d *wire.Decoder) {
		for a := d.Array(); a.Next(); {
			inArray(d)
		}
	}
	inObject = func(d *wire.Decoder) {
		for o := d.Object(&wire.Type{}); o.Next(); {
			inObject(d)
		}
	}
	for n, ok := range map[int]bool{wire.MaxDepth: true, wire.MaxDepth + 1: false} {
		for text, read := range map[string]func(*wire.Decoder){
			strings.Repeat("[", n) + strings.Repeat("]", n):                inArray,
			strings.Repeat(`{"a":`, n-1) + "{}" + strings.Repeat("}", n-1): inObject,
		} {
			d := wire.NewDecoder([]byte(text))
			read(&d)
			if err := d.Finish(); (err == nil) != ok || !ok && !strings.Contains(err.Error(), "nesting is deeper than 128 levels") {
				t.Errorf("%d levels: %v", n, err)
			}
		}
	}
	many := "[" + strings.Repeat(`["a"],`, 3*wire.MaxDepth) + "[]]"
	got, err := decodeWith(many, func(d *wire.Decoder) [][]string {
		return wire.Slice(d, func(list *[]string, d *wire.Decoder) { *list = wire.Slice(d, wire.GetString[string]) })
	})
	if err != nil || len(got) != 3*wire.MaxDepth+1 {
		t.Errorf("%d lists, %v", len(got), err)
	}
}

// A value of a map begins as nothing, whatever came before.
func TestMapValuesBeginAnew(t *testing.T) {
	got, err := decodeWith(`{"a":"x","b":null}`, func(d *wire.Decoder) map[string]string {
		return wire.Map(d, func(v *string, d *wire.Decoder) {
			if !d.Null() {
				*v = d.String()
			}
		})
	})
	if err != nil || got["a"] != "x" || got["b"] != "" {
		t.Errorf("%q, %v", got, err)
	}
}

// How many members are missing is said as it is.
func TestMissingInNumbers(t *testing.T) {
	for n, want := range map[int]string{1: "missing required member: content[0].text", 2: "content[0].text, content[1].text", 20: "content[19].text", 21: "content[19].text and 1 more", 22: "and 2 more", 1019: "and 999 more", 1020: "and at least 1000 more", 2000: "and at least 1000 more"} {
		text := `{"content":[` + strings.Repeat(`{"type":"text"},`, n-1) + `{"type":"text"}]}`
		_, err := decodeResult(text)
		if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "members") != (n > 1) {
			t.Errorf("%d: %v", n, err)
		}
		if e := new(wire.DecodeError); !errors.As(err, &e) || e.Offset != int64(strings.Index(text, "[")+1) {
			t.Errorf("%d: the error is not about the first that lacks something: %#v", n, err)
		}
	}
}

// Very many objects that lack members are not all read: they take more memory than their bytes.
func TestManyMissingEnd(t *testing.T) {
	read := 0
	_, err := decodeWith("["+strings.Repeat("{},", 9999)+"{}]", func(d *wire.Decoder) []textContent {
		return wire.Slice(d, func(v *textContent, d *wire.Decoder) {
			read++
			v.DecodeWire(d)
		})
	})
	if err == nil || read > 1100 {
		t.Errorf("%d of 10000 were read: %v", read, err)
	}
}

// Params that may be absent are read if they are there.
func TestOptionalParams(t *testing.T) {
	m := &wire.Method{Name: "m", Optional: true, ToServer: []wire.Span{{}}}
	for _, alias := range []bool{false, true} {
		var p textContent
		if err := m.DecodeParams(wire.Server, wire.Any, wire.Raw(`{"type":"text","text":"a"}`), alias, &p); err != nil || p.Text != "a" {
			t.Errorf("%+v, %v", p, err)
		}
		if err := m.DecodeParams(wire.Server, wire.Any, wire.Raw(`{"type":"text"}`), alias, &p); err == nil {
			t.Error("bad params are taken")
		}
	}
}

// What looks like JSON but for one byte is none, by whatever way it is read.
func TestNearlyJSON(t *testing.T) {
	for _, text := range []string{
		`{"a"x1}`, "{\"a\x01:1}", `{xa":1}`, `{"a\x":1}`, "{\"a\x01\":1}", `{"a":1;"b":2}`, `{"a":1]`, `[1}`, `[1;2]`, `1d5`, `1D5`, `1f5`, `1:`, `-:`, `1.:`, `1e:`, `1e+:`, `{"a":1:2}`,
		`0/`, `-/`, `"a`, `nul`, `nulL`, `truE`, `falsy`, `[1,]`, `{"a":1,}`, `{,}`, `[,]`, `{"a"}`, `{"a":}`, `00`, `-01`, `1.e5`, `"\u12g4"`, `[1 2]`, `{"a":1 "b":2}`, "\v1", "1\v", "\f[]",
	} {
		if json.Valid([]byte(text)) {
			t.Errorf("%s is JSON", text)
		}
		if err := wire.Raw(text).Check(); err == nil {
			t.Errorf("Check takes %s", text)
		}
		for name, read := range map[string]func(d *wire.Decoder){
			"Float": func(d *wire.Decoder) { d.Float() }, "Int": func(d *wire.Decoder) { d.Int() }, "ID": func(d *wire.Decoder) { d.ID() },
			"Map": func(d *wire.Decoder) { wire.Map(d, (*wire.Raw).DecodeWire) }, "Slice": func(d *wire.Decoder) { wire.Slice(d, (*wire.Raw).DecodeWire) },
			"Ordered": func(d *wire.Decoder) { wire.Ordered(d, (*wire.Raw).DecodeWire) }, "Bool": func(d *wire.Decoder) { d.Bool() }, "String": func(d *wire.Decoder) { _ = d.String() },
		} {
			d := wire.NewDecoder([]byte(text))
			read(&d)
			if err := d.Finish(); err == nil {
				t.Errorf("%s takes %s", name, text)
			}
		}
	}
	for text, want := range map[string]int64{"-0e-9": 0, "-0.00e-1": 0, "-0.5e1": -5, "-0.05e2": -5, "0.05e2": 5, "-0.0050e+3": -5, "0.10e1": 1} {
		got, err := decodeWith(text, (*wire.Decoder).Int)
		check(t, text, got, err, want, "")
	}
}

// A look at a member finds objects, too, and the object itself.
func TestPeekAtObjects(t *testing.T) {
	for _, path := range [][]string{{}, {"a"}, {"a", "b"}} {
		for text, want := range map[string]bool{`{"a":{"b":{}}}`: true, `{"x":1}`: len(path) == 0, `{"a":1}`: len(path) < 2} {
			d := wire.NewDecoder([]byte(text))
			if got := d.PeekKey(path...); got != want {
				t.Errorf("PeekKey %q in %s: %t", path, text, got)
			}
			if _, got := d.PeekString(path...); got != want {
				t.Errorf("PeekString %q in %s: %t", path, text, got)
			}
			d.Skip()
			if err := d.Finish(); err != nil {
				t.Error(err)
			}
		}
	}
}
