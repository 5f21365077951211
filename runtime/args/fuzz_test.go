package args_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A record has the kinds of values on which this package and encoding/json agree.
type record struct {
	I int64             `json:"i"`
	U uint8             `json:"u"`
	F float64           `json:"f"`
	G float32           `json:"g"`
	B bool              `json:"b"`
	S string            `json:"s"`
	L []string          `json:"l"`
	A [2]int64          `json:"a"`
	M map[string]int64  `json:"m"`
	N map[int64]*record `json:"n"`
	D []byte            `json:"d"`
	R json.RawMessage   `json:"r"`
	C *record           `json:"c"`
}

var typeRecord = args.Type{Members: []args.Member{{Name: "i"}, {Name: "u"}, {Name: "f"}, {Name: "g"}, {Name: "b"}, {Name: "s"}, {Name: "l"},
	{Name: "a"}, {Name: "m"}, {Name: "n"}, {Name: "d"}, {Name: "r"}, {Name: "c"}}}

func getInt(v *int64, d *args.Decoder)     { *v = d.Int(math.MinInt64, math.MaxInt64) }
func getString(v *string, d *args.Decoder) { *v = d.String() }
func getRecordPointer(v **record, d *args.Decoder) {
	*v = new(record)
	getRecord(*v, d)
}

func getRecord(v *record, d *args.Decoder) {
	for o := d.Object(&typeRecord); o.Next(); {
		switch o.Name {
		case "i":
			v.I = d.Int(math.MinInt64, math.MaxInt64)
		case "u":
			v.U = uint8(d.Uint(0, math.MaxUint8))
		case "f":
			v.F = d.Float(-math.MaxFloat64, math.MaxFloat64)
		case "g":
			v.G = d.Float32(-args.MaxFloat32, args.MaxFloat32)
		case "b":
			v.B = d.Bool()
		case "s":
			v.S = d.String()
		case "l":
			v.L = args.Slice(d, getString)
		case "a":
			args.Array(d, v.A[:], getInt)
		case "m":
			v.M = args.Map(d, func(_ *args.Decoder, name string) string { return name }, getInt)
		case "n":
			v.N = args.Map(d, func(d *args.Decoder, name string) int64 { return d.NameInt(name, math.MinInt64, math.MaxInt64) }, getRecordPointer)
		case "d":
			v.D = d.Bytes()
		case "r":
			v.R = json.RawMessage(d.Raw())
		case "c":
			getRecordPointer(&v.C, d)
		}
	}
}

func putRecord(v *record, e *wire.Encoder) {
	if !e.BeginObject() {
		return
	}
	e.Key("i")
	e.Int(v.I)
	e.Key("u")
	e.Uint(uint64(v.U))
	e.Key("f")
	e.Float(v.F)
	e.Key("g")
	e.Float32(v.G)
	e.Key("b")
	e.Bool(v.B)
	e.Key("s")
	e.String(v.S)
	if v.L != nil {
		e.Key("l")
		wire.PutSlice(e, v.L, wire.PutString[string])
	}
	e.Key("a")
	wire.PutSlice(e, v.A[:], wire.PutInt)
	if v.M != nil {
		e.Key("m")
		wire.PutMap(e, v.M, wire.PutInt)
	}
	if v.D != nil {
		e.Key("d")
		args.PutBytes(v.D, e)
	}
	if v.R != nil {
		e.Key("r")
		args.PutRaw(v.R, e)
	}
	if v.C != nil {
		e.Key("c")
		putRecord(v.C, e)
	}
	e.EndObject()
}

// FuzzDecoder checks that what is accepted means the same to encoding/json, that what encoding/json
// writes is accepted, and that problems are bounded.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		`{"i":1,"u":2,"f":1.5,"g":0.1,"b":true,"s":"x\u00e9","l":["a"],"a":[1,2],"m":{"a":1},"n":{"-1":{"i":2}},"d":"AAE=","r":{"a":[null]},"c":{"c":{}}}`,
		`{"i":1.0}`, `{"a":[1]}`, `{"n":{"01":{}}}`, `{"i":1,"i":2}`, `{"c":null}`, `{"s":"\ud800"}`, `{"x":{}}`, `[]`, `{"l":[1,2,3]}`, `{"g":3.4028235e38}`,
		`{"d":"AA\nA="}`, `{"i":"1"}`, `{`, `{"a":[1,2,3`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, coerce := range []bool{false, true} {
			var got record
			d := args.New(bytes.Clone(data), coerce)
			getRecord(&got, d)
			if err := d.Finish(); err != nil {
				if problems := err.(*args.Error).Problems; len(problems) == 0 || len(problems) > 22 {
					t.Errorf("%d problems", len(problems))
				} else if text := err.Error(); len(text) > 22*1000 || !utf8.ValidString(text) {
					t.Errorf("a message of %d bytes: %q", len(text), text)
				}
				continue
			}
			again, err := args.Encode(&got, putRecord)
			if err != nil {
				t.Fatal(err)
			}
			if !json.Valid(again) {
				t.Fatalf("written: %s", again)
			}
			if coerce || bytes.ContainsAny(data, ".eE") { // which encoding/json takes for no integer
				continue
			}
			var want record
			from := json.NewDecoder(bytes.NewReader(data))
			from.DisallowUnknownFields()
			if err := from.Decode(&want); err != nil {
				t.Fatalf("accepted, but encoding/json says %v", err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("encoding/json -, got +:\n%s", diff)
			}
		}
		var want record
		if json.Unmarshal(data, &want) != nil || !utf8.Valid(data) {
			return
		}
		want.N = nil // whose pointers may be nil
		text, err := args.Encode(&want, putRecord)
		if err != nil {
			t.Fatal(err)
		}
		var got, back record
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		d := args.New(text, false)
		getRecord(&got, d)
		if err := d.Finish(); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(back, got); diff != "" {
			t.Errorf("%s: encoding/json -, got +:\n%s", text, diff)
		}
	})
}
