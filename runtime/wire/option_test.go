package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// optioned has a member that may be absent, null or a string, and members of one type that it does not declare.
type optioned struct {
	Name wire.Option[string]
	More map[string]int64
}

var typeOptioned = wire.Type{Name: "optioned", Members: []string{"name"}}

func (v *optioned) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeOptioned, v != nil) {
		return
	}
	if !v.Name.IsZero() {
		e.Key("name")
		wire.PutOption(e, &v.Name, wire.PutString[string])
	}
	wire.PutMore(e, &typeOptioned, v.More, wire.PutInt)
	e.End(&typeOptioned, nil)
}

func (v *optioned) DecodeWire(d *wire.Decoder) {
	*v = optioned{}
	o := d.Object(&typeOptioned)
	for o.Next() {
		switch o.Name {
		case "name":
			o.Once(0)
			v.Name = wire.GetOption(d, wire.GetString[string])
		default:
			wire.More(&o, &v.More, wire.GetInt)
		}
	}
}

func TestOption(t *testing.T) {
	for _, text := range []string{`{}`, `{"name":null}`, `{"name":""}`, `{"name":"x","a":1,"b":2}`} {
		var v optioned
		if err := wire.Decode([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		got, err := wire.Marshal(wire.Any, &v)
		if err != nil || string(got) != text {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
	name := wire.Some("x")
	if s, ok := name.Get(); s != "x" || !ok || name.IsNull() || name.IsZero() {
		t.Errorf("Some: %q, %v", s, ok)
	}
	if null := wire.Null[string](); !null.IsNull() || null.IsZero() {
		t.Error("Null is not null")
	}
}

// With encoding/json, an Option is read and written as generated code does.
func TestOptionJSON(t *testing.T) {
	type patch struct {
		Name wire.Option[string]   `json:"name,omitzero"`
		Tags wire.Option[[]string] `json:"tags,omitzero"`
	}
	for _, text := range []string{`{}`, `{"name":null}`, `{"name":""}`, `{"name":"x","tags":["a"]}`, `{"tags":[]}`} {
		v := patch{Name: wire.Some("old")}
		if text == `{}` {
			v = patch{}
		}
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if _, ok := v.Name.Get(); v.Name.IsNull() && ok {
			t.Errorf("%s: null and a value", text)
		}
		if !strings.Contains(text, "name") {
			v.Name = wire.Option[string]{}
		}
		if got, err := json.Marshal(v); err != nil || string(got) != text {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"name":1}`), new(patch)); err == nil {
		t.Error("a number is read as a string")
	}
}

func TestMore(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"a":2}`: `optioned: duplicate member "a"`,
		`{"a":"x"}`:     `optioned: a: want integer, got string`,
		`{"a":null}`:    `optioned: a: want integer, got null`,
	} {
		if err := wire.Decode([]byte(text), new(optioned)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	_, err := wire.Marshal(wire.Any, &optioned{More: map[string]int64{"name": 1}})
	if want := "optioned: name: want an extra member, got one that the type declares"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestUnknown(t *testing.T) {
	d := wire.NewDecoder([]byte(`{"a":1}`))
	for o := d.Object(&typeOptioned); o.Next(); {
		o.Unknown()
	}
	want := `optioned: unknown member "a": the schema allows no others than those that it declares`
	if err := d.Finish(); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestPeekRaw(t *testing.T) {
	d := wire.NewDecoder([]byte(`{"a":{"b": [1, 2] },"c":true}`))
	for path, want := range map[string]string{"a": `{"b": [1, 2] }`, "c": "true", "x": ""} {
		if got := d.PeekRaw(path); string(got) != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if got := d.PeekRaw("a", "b"); string(got) != "[1, 2]" {
		t.Errorf("got %q", got)
	}
	if got := d.PeekRaw(); string(got) != `{"a":{"b": [1, 2] },"c":true}` {
		t.Errorf("got %q", got)
	}
	d = wire.NewDecoder([]byte(`{"a":tru}`))
	if got := d.PeekRaw("a"); got != nil || !d.Failed() {
		t.Errorf("got %q of what is not JSON", got)
	}
}

func TestInto(t *testing.T) {
	var n int64
	if err := wire.Decode([]byte("7"), wire.Into(&n, wire.GetInt)); err != nil || n != 7 {
		t.Errorf("%d, %v", n, err)
	}
}
