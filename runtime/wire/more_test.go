package wire_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestUint(t *testing.T) {
	for text, want := range map[string]uint64{"0": 0, "-0": 0, "18446744073709551615": 1<<64 - 1, "1e2": 100, "7.0": 7} {
		d := wire.NewDecoder([]byte(text))
		if got := d.Uint(); got != want || d.Finish() != nil {
			t.Errorf("%s: got %d, %v", text, got, d.Finish())
		}
	}
	for text, want := range map[string]string{
		"-1":                   "wire: want integer of 64 bits that is not negative, got -1",
		"18446744073709551616": "wire: want integer of 64 bits that is not negative, got 18446744073709551616",
		"1.5":                  "wire: want integer, got 1.5",
		"1e999":                "wire: want integer of 64 bits, got 1e999",
		`"1"`:                  "wire: want integer, got string",
		"":                     "wire: want integer, got the end of the input at offset 0",
		"-":                    "wire: want a digit, got the end of the input at offset 1",
	} {
		d := wire.NewDecoder([]byte(text))
		got := d.Uint()
		if err := d.Finish(); got != 0 || err == nil || err.Error() != want {
			t.Errorf("%q: got %d, %v, want 0, %s", text, got, err, want)
		}
	}
}

// tuple is an array of a string and perhaps an integer.
type tuple struct {
	first  string
	second *int64
	third  *int64
}

func (v *tuple) EncodeWire(e *wire.Encoder) {
	a := e.BeginArray()
	a.Next()
	e.String(v.first)
	for _, n := range []*int64{v.second, v.third} {
		if n == nil {
			a.Skip()
			continue
		}
		a.Next()
		e.Int(*n)
	}
	a.End()
}

func TestArrayEncoder(t *testing.T) {
	for want, v := range map[string]*tuple{`["x"]`: {first: "x"}, `["x",1]`: {"x", new(int64(1)), nil}, `["x",1,2]`: {"x", new(int64(1)), new(int64(2))}} {
		if got, err := wire.Marshal(wire.Any, v); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if got, err := wire.Marshal(wire.Any, &tuple{third: new(int64(2))}); err == nil {
		t.Errorf("an element after one that is absent: got %s", got)
	}
}

func TestIntOrFloat(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "9007199254740993": 9007199254740993, "7.0": 7} {
		d := wire.NewDecoder([]byte(text))
		if n, f := d.IntOrFloat(); d.Finish() != nil || f != nil || *n != want {
			t.Errorf("%s: got %v, %v, %v", text, n, f, d.Finish())
		}
	}
	for text, want := range map[string]float64{"0.5": 0.5, "1e30": 1e30, "9223372036854775808": 1 << 63} {
		d := wire.NewDecoder([]byte(text))
		if n, f := d.IntOrFloat(); d.Finish() != nil || n != nil || *f != want {
			t.Errorf("%s: got %v, %v, %v", text, n, f, d.Finish())
		}
	}
	for _, text := range []string{`"1"`, "1e999", "", "-"} {
		d := wire.NewDecoder([]byte(text))
		if n, f := d.IntOrFloat(); d.Finish() == nil || n != nil || f != nil {
			t.Errorf("%s: got %v, %v, want an error", text, n, f)
		}
	}
}
