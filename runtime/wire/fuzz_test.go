package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// survey reads data with encoding/json and says what this package must refuse: why is empty for
// one JSON value in UTF-8 that is not too deep. Twice tells whether an object has a name twice.
func survey(data []byte) (why string, twice bool) {
	if !utf8.Valid(data) {
		return "UTF-8", false
	}
	if !json.Valid(data) {
		return "syntax", false
	}
	type level struct {
		object, atName bool
		names          map[string]bool
	}
	var stack []level
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return "", twice
		}
		if err != nil {
			return err.Error(), twice
		}
		if n := len(stack); n > 0 && stack[n-1].object && stack[n-1].atName && tok != json.Delim('}') {
			name := tok.(string)
			twice = twice || stack[n-1].names[name]
			stack[n-1].names[name] = true
			stack[n-1].atName = false
			continue
		} else if n > 0 {
			stack[n-1].atName = true
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			if len(stack) == wire.MaxDepth {
				return "depth", twice
			}
			stack = append(stack, level{object: tok == json.Delim('{'), atName: true, names: map[string]bool{}})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
	}
}

// maxFuzz is the longest input of a fuzz target. Fuzzing minimizes each that reaches new code, in time
// that grows with the square of its length; without a bound it does hardly anything else.
const maxFuzz = 300

func FuzzRaw(f *testing.F) {
	for _, s := range []string{`{"a":1,"a":[2,"\ud800\udc00é"]}`, `1 2`, "\"\xff\"", `-0.0e+1`, `[1,]`, `nul`, strings.Repeat("[", 129) + strings.Repeat("]", 129)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxFuzz {
			return
		}
		why, _ := survey(data)
		if err := wire.Raw(data).Check(); (err == nil) != (why == "") {
			t.Fatalf("%q: error %v, but encoding/json says %q", data, err, why)
		}
		out, err := wire.Append(nil, wire.Any, wire.Raw(data))
		if bytes.ContainsAny(out, "\r\n") {
			t.Fatalf("%q: line break in %q", data, out)
		}
		if why != "" || err != nil {
			return
		}
		var want, got bytes.Buffer
		if json.Compact(&want, data) != nil || json.Compact(&got, out) != nil || !bytes.Equal(want.Bytes(), got.Bytes()) {
			t.Fatalf("%q came out as %q", data, out)
		}
	})
}

// shape has one member of each kind.
type shape struct {
	Text   string
	Int    int64
	Float  float64
	Bool   *bool
	ID     wire.ID
	List   []string
	Object map[string]wire.Raw
	Extra  wire.Extra
}

var typeShape = wire.Type{Name: "Shape", Members: []string{"text", "int", "float", "bool", "id", "list", "object"}, Required: 3}

func (v *shape) DecodeWire(d *wire.Decoder) {
	*v = shape{}
	o := d.Object(&typeShape)
	for o.Next() {
		switch o.Name {
		case "text":
			o.Once(0)
			v.Text = d.String()
		case "int":
			o.Once(1)
			v.Int = d.Int()
		case "float":
			o.Once(2)
			v.Float = d.Float()
		case "bool":
			o.Once(3)
			v.Bool = d.BoolOrNull()
		case "id":
			o.Once(4)
			v.ID = d.IDOrNull()
		case "list":
			o.Once(5)
			if !d.Null() {
				v.List = wire.Slice(d, wire.GetString[string])
			}
		case "object":
			o.Once(6)
			if !d.Null() {
				v.Object = wire.Map(d, (*wire.Raw).DecodeWire)
			}
		default:
			o.Extra(&v.Extra)
		}
	}
}

// oracle decodes a shape with encoding/json, member by member, because encoding/json matches
// names without regard to case and takes null for everything.
func oracle(data []byte) (*shape, error) {
	if why, _ := survey(data); why != "" {
		return nil, errors.New(why)
	}
	v := new(shape)
	dec := json.NewDecoder(bytes.NewReader(data))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, errors.New("no object")
	}
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name := tok.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, errors.New("twice")
		}
		seen[name] = true
		isNull := string(raw) == "null"
		switch name {
		case "text":
			err = json.Unmarshal(raw, &v.Text)
		case "int":
			var n json.Number
			if err = json.Unmarshal(raw, &n); err == nil {
				v.Int, err = exactInt(raw)
			}
		case "float":
			err = json.Unmarshal(raw, &v.Float)
		case "bool":
			err = json.Unmarshal(raw, &v.Bool)
		case "id":
			if s := ""; json.Unmarshal(raw, &s) == nil && !isNull {
				v.ID = wire.StringID(s)
			} else if n := int64(0); !isNull {
				err = json.Unmarshal(raw, &n)
				v.ID = wire.IntID(n)
			}
		case "list":
			var list []*string
			err = json.Unmarshal(raw, &list)
			if list != nil {
				v.List = []string{}
			}
			for _, s := range list {
				if s == nil {
					return nil, errors.New("null element")
				}
				v.List = append(v.List, *s)
			}
		case "object":
			var m map[string]json.RawMessage
			err = json.Unmarshal(raw, &m)
			if m != nil {
				v.Object = map[string]wire.Raw{}
			}
			if err == nil && len(m) != countNames(raw) {
				return nil, errors.New("twice")
			}
			for k, r := range m {
				v.Object[k] = wire.Raw(r)
			}
		default:
			v.Extra = append(v.Extra, wire.Member[wire.Raw]{Name: name, Value: wire.Raw(raw)})
		}
		if err == nil && isNull && (name == "text" || name == "int" || name == "float") {
			err = errors.New("null")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if !seen["text"] || !seen["int"] || !seen["float"] {
		return nil, errors.New("missing")
	}
	return v, nil
}

// countNames counts the members of an object, those of the same name, too.
func countNames(raw []byte) (n int) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, _ := dec.Token(); tok != json.Delim('{') {
		return 0
	}
	for dec.More() {
		var skip json.RawMessage
		if _, err := dec.Token(); err != nil || dec.Decode(&skip) != nil {
			return -1
		}
		n++
	}
	return n
}

// errTooLarge is the oracle's error for a number that is too much work for it.
var errTooLarge = errors.New("exponent too large for the oracle")

// exactInt reads an integer that may have a fraction of zeros and an exponent.
func exactInt(raw []byte) (int64, error) {
	if i := bytes.IndexAny(raw, "eE"); i >= 0 && len(raw)-i > 5 {
		return 0, errTooLarge
	}
	r, ok := new(big.Rat).SetString(string(raw))
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, errors.New("no integer of 64 bits")
	}
	return r.Num().Int64(), nil
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"text":"a","int":1,"float":1.5,"bool":true,"id":"x","list":["a","b"],"object":{"a":1},"more":{}}`,
		`{"text":"\ud800\"é","int":1.50e1,"float":-0,"bool":null,"id":9,"list":null,"object":null}`,
		`{"Text":"a","int":1,"float":1}`,
		`{"text":"a","text":"b","int":1,"float":1}`,
		`{"text":"a","int":1,"float":1,"id":1.0}`,
		`{"text":"a","int":9223372036854775808,"float":1e999}`,
		`{"text":"a","int":1,"float":1,"x":1,"\u0078":2}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxFuzz {
			return
		}
		got := new(shape)
		err := wire.Decode(data, got)
		want, wantErr := oracle(data)
		if errors.Is(wantErr, errTooLarge) {
			return
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: error %v, but by encoding/json %v", data, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\n got %+v\nwant %+v", data, got, want)
		}
		if err != nil && len(err.Error()) > 10_000 {
			t.Fatalf("%q: the error has %d bytes: %v", data, len(err.Error()), err)
		}
	})
}

func FuzzString(f *testing.F) {
	for _, s := range []string{"", "a", "exactly8", "\"\\\b\n\x00\x7f", "é€😀", "\xff\xed\xa0\x80", "\u2028<>&", strings.Repeat("long ", 20) + "\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, err := wire.Append(nil, wire.Any, encodes(func(e *wire.Encoder) { e.String(s) }))
		if err != nil {
			t.Fatal(err)
		}
		var std string
		if err := json.Unmarshal(out, &std); err != nil || std != string([]rune(s)) {
			t.Fatalf("%q came out as %s (%v)", s, out, err)
		}
		got, err := decodeWith(string(out), (*wire.Decoder).String)
		if err != nil || got != std {
			t.Fatalf("%s came back as %q, %v", out, got, err)
		}
		// What encoding/json writes for it, with its other escapes, reads the same.
		stdOut, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeWith(string(stdOut), (*wire.Decoder).String); err != nil || got != std {
			t.Fatalf("%s came back as %q, %v", stdOut, got, err)
		}
	})
}

// What decodes also encodes, on one line, and then decodes to the same value.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}],"structuredContent":{"rows":[{"id":1}]}}`))
	f.Add([]byte(`{"content":[{"type":"x","a":[1,` + "\n" + `2]}],"_meta":{"b":1,"a":2},"structuredContent":null,"zz":"\u00e9"}`))
	f.Add([]byte(`{"content":[{"text":"a","type":"text","annotations":{"audience":["user"],"priority":1e-9}}],"isError":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxFuzz {
			return
		}
		first, second := new(callToolResult), new(callToolResult)
		if wire.Decode(data, first) != nil {
			return
		}
		out, err := wire.Append(nil, wire.Any, first)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if bytes.ContainsAny(out, "\r\n") {
			t.Fatalf("line break in %q", out)
		}
		if err := wire.Decode(out, second); err != nil {
			t.Fatalf("%q came out as %q: %v", data, out, err)
		}
		again, err := wire.Append(nil, wire.Any, second)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("%q, then %q (%v)", out, again, err)
		}
		if len(first.Content) != len(second.Content) || len(first.Extra) != len(second.Extra) {
			t.Fatalf("%q came out as %q", data, out)
		}
	})
}
