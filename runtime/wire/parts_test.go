package wire_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestTakeApartByHand(t *testing.T) {
	data := []byte(` {"a" : [1, {"b":2}] ,"c":"x"} `)
	var pair = wire.Type{Members: []string{"a", "c"}}
	d := wire.NewDecoder(data)
	o := d.Object(&pair)
	var a wire.Raw
	var from, to int
	var c string
	for o.Next() {
		switch o.Name {
		case "a":
			o.Once(0)
			d.Kind() // go on to the value
			from = d.Offset()
			a = d.Raw()
			to = d.Offset()
		case "c":
			o.Once(1)
			c = d.String()
		}
	}
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	if string(a) != `[1, {"b":2}]` || c != "x" || string(data[from:to]) != string(a) {
		t.Errorf("a is %s, at %d to %d; c is %q", a, from, to, c)
	}
	if len(a) > 0 && &a[0] != &data[from] {
		t.Error("the raw value is a copy")
	}
}

func TestFinish(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`"x"`, ""},
		{`"x" `, ""},
		{`"x" 1`, `wire: want nothing after the value, got number at offset 4`},
		{`"x`, `wire: the string is not closed at the end of the input`},
		{``, `wire: want string, got the end of the input at offset 0`},
	} {
		d := wire.NewDecoder([]byte(c.in))
		_ = d.String()
		err := d.Finish()
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%q: %v, want %q", c.in, err, c.want)
		}
	}
}

func TestAppendParts(t *testing.T) {
	for _, c := range []struct {
		id   wire.ID
		want string
	}{
		{wire.IntID(1), `1`},
		{wire.IntID(1 << 60), `1152921504606846976`},
		{wire.IntID(-3), `-3`},
		{wire.StringID("1"), `"1"`},
		{wire.StringID("a\"\n"), `"a\"\n"`},
		{wire.ID{}, `null`},
	} {
		if got := string(wire.AppendID([]byte("id="), c.id)); got != "id="+c.want {
			t.Errorf("AppendID(%v) = %s, want %s", c.id, got, c.want)
		}
	}
	if got := string(wire.AppendString(nil, "é\x01\xff")); got != `"é\u0001�"` {
		t.Errorf("AppendString = %s", got)
	}
}

func TestPartsDoNotAllocate(t *testing.T) {
	data := []byte(`{"a":[1,{"b":2}],"c":"x"}`)
	var pair = wire.Type{Members: []string{"a", "c"}}
	buf := make([]byte, 0, 64)
	n := testing.AllocsPerRun(100, func() {
		d := wire.NewDecoder(data)
		o := d.Object(&pair)
		for o.Next() {
			d.Skip()
		}
		if d.Finish() != nil {
			t.Fatal("bad")
		}
		buf = wire.AppendID(wire.AppendString(buf[:0], "method"), wire.StringID("x"))
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
