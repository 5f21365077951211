package args

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestOption(t *testing.T) {
	d := New(wire.Raw(`[null,"a",1]`), false)
	got := Slice(d, func(v *wire.Option[string], d *Decoder) {
		*v = Option(d, func(v *string, d *Decoder) { *v = d.String() })
	})
	if v, ok := got[1].Get(); !got[0].IsNull() || v != "a" || !ok {
		t.Errorf("got %v", got)
	}
	if err := d.Finish(); err == nil || err.Error() != "[2]: want a string, got 1" {
		t.Errorf("got %v", err)
	}
}

func TestType(t *testing.T) {
	for text, want := range map[string]string{
		`"x"`: "string", `1.5`: "number", `true`: "boolean",
		`null`: "arguments: want a string, a number or a boolean, got null", `[1]`: "arguments: want a string, a number or a boolean, got an array",
	} {
		d := New(wire.Raw(text), true)
		got := d.Type("string", "number", "boolean")
		if got != "" {
			d.Skip()
		}
		if err := d.Finish(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	d := New(wire.Raw(`true`), false)
	if d.Type("number", "string"); d.Finish().Error() != "arguments: want a number or a string, got true" {
		t.Errorf("got %v", d.Finish())
	}
}
