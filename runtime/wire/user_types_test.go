package wire_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// write returns what put writes, or its error.
func write(put func(e *wire.Encoder)) string {
	text, err := wire.MarshalFunc(wire.Any, &put, func(put *func(*wire.Encoder), e *wire.Encoder) { (*put)(e) })
	if err != nil {
		return "error: " + err.Error()
	}
	return string(text)
}

func TestEncodeByHand(t *testing.T) {
	for _, tt := range []struct {
		name string
		put  func(e *wire.Encoder)
		want string
	}{
		{"uint", func(e *wire.Encoder) { e.Uint(math.MaxUint64) }, "18446744073709551615"},
		{"float32", func(e *wire.Encoder) { e.Float32(0.1) }, "0.1"},
		{"not a float32", func(e *wire.Encoder) { e.Float32(float32(math.NaN())) }, "error: wire: NaN is not a JSON number"},
		{"infinite float32", func(e *wire.Encoder) { e.Float32(float32(math.Inf(-1))) }, "error: wire: -Inf is not a JSON number"},
		{"quoted", func(e *wire.Encoder) { e.Quote(); e.Int(-7); e.Quote() }, `"-7"`},
		{"object", func(e *wire.Encoder) {
			e.BeginObject()
			e.Key("a")
			e.BeginObject()
			e.EndObject()
			e.Name("b\n\"")
			e.Int(1)
			e.EndObject()
		}, `{"a":{},"b\n\"":1}`},
		{"error in an object", func(e *wire.Encoder) {
			e.BeginObject()
			e.Name("a b")
			e.Fail("no")
			if e.BeginObject() {
				t.Error("an object begins after an error")
			}
		}, `error: wire: ["a b"]: no`},
		{"too deep", func(e *wire.Encoder) {
			n := 0
			for e.Enter() {
				n++
			}
			if n != wire.MaxDepth {
				t.Errorf("%d levels", n)
			}
		}, "error: wire: nesting is deeper than 128 levels; does the value contain itself?"},
		{"levels that end", func(e *wire.Encoder) {
			for range 1000 {
				e.Enter()
				e.Leave()
			}
			e.Null()
		}, "null"},
	} {
		if got := write(tt.put); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestFloat32 compares with encoding/json.
func TestFloat32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		f := math.Float32frombits(r.Uint32())
		want, err := json.Marshal(f)
		if err != nil {
			continue
		}
		if got := write(func(e *wire.Encoder) { e.Float32(f) }); got != string(want) {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}

func TestArray(t *testing.T) {
	for text, want := range map[string]int{`[]`: 0, ` [ 1 , [2] , "x" ] `: 3, `[1 2]`: -1, `[1,]`: -1, `[`: -1, `{}`: -1} {
		d := wire.NewDecoder([]byte(text))
		n := 0
		for a := d.Array(); a.Next(); n++ {
			d.Skip()
		}
		failed := d.Failed()
		if err := d.Finish(); (err != nil) != (want < 0) || failed != (want < 0) {
			t.Errorf("%s: %v, failed %t", text, err, failed)
		} else if err == nil && n != want {
			t.Errorf("%s: %d elements, want %d", text, n, want)
		}
	}
}

func TestPathAt(t *testing.T) {
	data := []byte(`{"a":[{"b c":1},{"d":2}]}`)
	for _, tt := range []struct {
		offset int
		member string
		want   string
	}{{0, "", ""}, {0, "x", "x"}, {5, "", "a"}, {6, "y", "a[0].y"}, {13, "", `a[0]["b c"]`}, {21, "", "a[1].d"}, {21, "z-z", `a[1].d["z-z"]`}} {
		if got := wire.PathAt(data, tt.offset, tt.member); got != tt.want {
			t.Errorf("%d %s: got %s, want %s", tt.offset, tt.member, got, tt.want)
		}
	}
}
