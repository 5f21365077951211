package args_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Integers with names are read by their names, and as the numbers that they are, but for those that only
// look like one in 64 bits.
func TestNamed(t *testing.T) {
	signed := []args.Name[int64]{{"none", 0}, {"in_use", 1}, {"lost", -1}, {"least", math.MinInt64}}
	unsigned := []args.Name[uint64]{{"zero", 0}, {"most", math.MaxUint64}, {"near", math.MaxUint64 - 4}}
	for _, c := range []struct {
		text, strict, coerced string // what becomes of it: "-" if it is refused
	}{
		{`"in_use"`, "in_use", "in_use"},
		{`"IN_USE"`, "-", "in_use"},
		{`"used"`, "-", "-"},
		{`1`, "in_use", "in_use"},
		{`1.0`, "in_use", "in_use"},
		{`"1"`, "-", "in_use"},
		{`"01"`, "-", "-"},
		{`"+1"`, "-", "-"},
		{`""`, "-", "-"},
		{`-0`, "none", "none"},
		{`-1`, "lost", "lost"},
		{`18446744073709551615`, "-", "-"},
		{`-9223372036854775808`, "least", "least"},
		{`9223372036854775808`, "-", "-"},
		{`2`, "-", "-"},
		{`"2"`, "-", "-"}, // as PutName has it
		{`1.5`, "-", "-"},
		{`null`, "-", "-"},
		{`{"a":1}`, "-", "-"},
		{`true`, "-", "-"},
	} {
		for coerce, want := range map[bool]string{false: c.strict, true: c.coerced} {
			d := args.New(wire.Raw(c.text), coerce)
			v := args.Named(d, signed)
			got := "-"
			for _, n := range signed {
				if n.Value == v {
					got = n.Name
				}
			}
			if err := d.Finish(); err != nil {
				got = "-"
				if want := "arguments: want one of \"none\", \"in_use\", \"lost\", \"least\", got "; len(err.Error()) <= len(want) || err.Error()[:len(want)] != want {
					t.Errorf("%s: %v", c.text, err)
				}
			}
			if got != want {
				t.Errorf("%s, coerce %v: want %s, got %s", c.text, coerce, want, got)
			}
		}
	}
	d := args.New(wire.Raw(`[1,{"a":1},-1,null]`), false) // one that is refused does not keep from reading the next
	got := args.Slice(d, func(v *int64, d *args.Decoder) { *v = args.Named(d, signed) })
	const problems = "[1]: want one of \"none\", \"in_use\", \"lost\", \"least\", got an object\n[3]: want one of \"none\", \"in_use\", \"lost\", \"least\", got null"
	if err := d.Finish(); !slices.Equal(got, []int64{1, 0, -1, 0}) || err == nil || err.Error() != problems {
		t.Errorf("got %v, %v", got, err)
	}
	for text, want := range map[string]bool{`18446744073709551615`: true, `-5`: false, `-0`: true, `"most"`: true, `18446744073709551616`: false} {
		d := args.New(wire.Raw(text), false)
		args.Named(d, unsigned)
		if err := d.Finish(); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Results have the names that arguments have; a number without a name is a string, too.
func TestPutName(t *testing.T) {
	list := []args.Name[int64]{{"low", -1}, {"high", 2}}
	for v, want := range map[int64]string{-1: `"low"`, 2: `"high"`, 7: `"7"`, math.MinInt64: `"-9223372036854775808"`} {
		got, err := args.Encode(&v, func(v *int64, e *wire.Encoder) { args.PutName(e, *v, list) })
		if err != nil || string(got) != want {
			t.Errorf("%d: got %s, %v, want %s", v, got, err, want)
		}
	}
	promised := func(v *uint64, e *wire.Encoder) {
		args.WantName(e, *v, []args.Name[uint64]{{"one", 1}})
		args.PutName(e, *v, []args.Name[uint64]{{"one", 1}})
	}
	if got, err := args.Encode(new(uint64(1)), promised); err != nil || string(got) != `"one"` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := args.Encode(new(uint64(2)), promised); err == nil || !strings.Contains(err.Error(), `want "one", got 2`) {
		t.Errorf("got %v", err)
	}
}
