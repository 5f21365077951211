package codecs

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFacts reads code that has all that generated code has, and more that says nothing about the wire.
func TestFacts(t *testing.T) {
	facts, err := Read(map[string][]byte{"doc.md": []byte("# no Go"), "p.go": []byte(`package p

import "wire"

const version = 2

var (
	none   *int
	a, b   = 1, 2
	point  = image.Point{1, 2}
	typeX  = wire.Type{Name: "X"}
	typeP  = wire.Type{
		Name:      "P",
		Members:   []string{"a", "b", "c"},
		Required:  1,
		Revisions: wire.Span{From: V2},
	}
	method = wire.Method{Name: "ask", Notification: true, ToServer: []wire.Span{{From: V1}}}
)

func (v *P) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeP, v != nil) {
		return
	}
	e.Key("a")
	e.String(v.A)
	if v.B != "" {
		e.Key("b")
		e.String(v.B)
	} else {
		e.Key("d")
	}
	e.End(&typeP, v.Extra)
}

func (v *P) DecodeWire(d *wire.Decoder) {
	o := d.Object(&typeP)
	for o.Next() {
		switch o.Name {
		case "a":
			o.Once(0)
			v.A = d.String()
		default:
			o.Extra(&v.Extra)
		}
	}
}

func (v *P) UnmarshalJSON(b []byte) error { return wire.Unmarshal(b, v) }

func (v *P) Skip(d *wire.Decoder) { d.Skip() }

func helper(s string) bool { return s == "" }

func outside(d *wire.Decoder)

func DecodeU(d *wire.Decoder) U {
	switch kind, _ := d.PeekString("t"); kind {
	case "x", "y":
		v := new(X)
		return v
	default:
		return d.Raw()
	}
}

func encodeList(e *wire.Encoder, list []int) { e.Ints(list) }
`)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for k, text := range facts {
		got = append(got, k.what+"|"+k.name+"|"+k.part+"|"+text)
	}
	slices.Sort(got)
	want := []string{
		`code|DecodeU|case "x", "y"|v := new(X); return v`,
		`code|DecodeU|case |return d.Raw()`,
		`code|DecodeU||`,
		`code|encodeList|all|{ e.Ints(list) }`,
		`code|encodeList||`,
		`method|ask|Notification|true`,
		`method|ask|ToServer|[]wire.Span{{From: V1}}`,
		`method|ask||`,
		`type|P|member a|always required; written by e.String(v.A); read by v.A = d.String(); `,
		`type|P|member b|sometimes absent; written by if v.B != "" { e.Key("b") e.String(v.B) } else { e.Key("d") }; `,
		`type|P|member c|sometimes absent; `,
		`type|P|revisions|wire.Span{From: V2}`,
		`type|P||`,
		`type|X||`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestOrder compares what is at neither version, at one of them and at both.
func TestOrder(t *testing.T) {
	older := Facts{{"code", "c", ""}: "", {"type", "b", ""}: "", {"type", "b", "y"}: "1", {"type", "b", "x"}: "1", {"type", "gone", ""}: "", {"type", "gone", "m"}: "1"}
	newer := Facts{{"type", "b", ""}: "", {"type", "b", "y"}: "2", {"type", "b", "z"}: "3", {"type", "a", ""}: "", {"type", "a", "m"}: "1", {"method", "z", ""}: ""}
	want := []Change{
		{"added", "method", "z", "", "", ""},
		{"added", "type", "a", "", "", ""},
		{"removed", "type", "b", "x", "1", ""},
		{"changed", "type", "b", "y", "1", "2"},
		{"added", "type", "b", "z", "", "3"},
		{"removed", "type", "gone", "", "", ""},
		{"removed", "code", "c", "", "", ""},
	}
	if diff := cmp.Diff(want, Compare(older, newer)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
