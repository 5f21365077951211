// Package kinds_test uses the generated package kinds; that it is current is tested by
// generator/bindings.
package kinds_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpgen/mcpgen/golden/kinds"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// everything is an Everything of the newer revision, with its members in the order of the encoder.
const everything = `{"literal":"fixed","on":true,"version":2,"maybeLiteral":"perhaps",` +
	`"text":"a","count":1,"ratio":0.5,"flag":false,"id":"x","any":null,"object":{"k":[1]},"list":[],"color":"deep-blue",` +
	`"shape":{"kind":"circle","radius":1},"drawing":{"kind":"line"},"grown":"g","note":"n","demanded":"d",` +
	nulls + `"mixed":"one","many":[{"kind":"square","side":1},{"kind":"star","points":5}],"table":{"a":1,"b":2},` +
	`"tables":{"t":{"p":{"x":1,"y":2}}},"matrix":[[1,2],[]],"flags":[true,false],"ratios":[1,1.5],"nullable":[1,null],` +
	`"ids":[1,"1"],"levels":["low","middling"],"points":[{"x":1,"y":2}],"named":{"p":{"x":1,"y":2}},"scalar":7,` +
	`"tuple":["a",1],"point":{"x":0,"y":0},` +
	`"optional":{"text":"t","alias":"","count":0,"ratio":0,"flag":false,"color":"red","id":0,"any":null,"object":{},"list":[],` +
	`"shape":{"kind":"polygon","corners":[]},"many":[],"table":{},"points":[],"point":{"x":0,"y":0},"nullText":"","nullList":[],` +
	`"level":"high","self":{},"mode":"only"},` +
	`"empty":{},"x-dashed":"x","example.com/prefixed":"p","unknown":{"b":1,"a":2}}`

const nulls = `"nullText":null,"nullCount":null,"nullList":null,"nullShape":null,"nullPoint":null,`

func TestRoundTrip(t *testing.T) {
	var v kinds.Everything
	if err := json.Unmarshal([]byte(everything), &v); err != nil {
		t.Fatal(err)
	}
	for rev, want := range map[wire.Revision]string{
		kinds.V2002_02_02: everything,
		// A null is written where a revision requires the member; no particular one does.
		wire.Any: strings.Replace(everything, nulls, "", 1),
	} {
		got, err := wire.Marshal(rev, &v)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("at %s: -want +got\n%s", rev, diff)
		}
	}
	if _, ok := v.Many[1].(*kinds.UnknownShape); !ok {
		t.Errorf("a star is a %T", v.Many[1])
	}
	if got := v.Many[1].(*kinds.UnknownShape).Kind(); got != "star" {
		t.Errorf("the unknown shape is a %q", got)
	}
}

// The older revision has fewer members and shapes, and nothing of what it lacks is written.
func TestOlderRevision(t *testing.T) {
	var v kinds.Everything
	if err := json.Unmarshal([]byte(everything), &v); err != nil {
		t.Fatal(err)
	}
	v.Retired, v.Narrowed = "r", &kinds.Circle{Radius: 2}
	got, err := wire.Marshal(kinds.V2001_01_01, &v)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"text":"a","count":1,"ratio":0.5,"flag":false,"id":"x","any":null,"object":{"k":[1]},"list":[],"color":"deep-blue",` +
		`"shape":{"kind":"circle","radius":1},"drawing":{"kind":"line"},"grown":"g","note":"n","retired":"r","narrowed":{"kind":"circle","radius":2},"unknown":{"b":1,"a":2}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A literal that may be absent is written in every revision that has it; at Any, where it was.
func TestOptionalLiteral(t *testing.T) {
	for _, in := range []string{`{"maybe":"so"}`, `{}`, `{"maybe":null}`} {
		var v kinds.Maybe
		if err := json.Unmarshal([]byte(in), &v); err != nil {
			t.Fatal(err)
		}
		came := `{}`
		if in == `{"maybe":"so"}` {
			came = in
		}
		for rev, want := range map[wire.Revision]string{kinds.V2001_01_01: `{}`, kinds.V2002_02_02: `{"maybe":"so"}`, wire.Any: came} {
			if got, err := wire.Marshal(rev, &v); err != nil || string(got) != want {
				t.Errorf("%s at %s is %s, error %v; want %s", in, rev, got, err, want)
			}
		}
	}
	if err := json.Unmarshal([]byte(`{"maybe":"not"}`), new(kinds.Maybe)); err == nil {
		t.Error("another value is accepted")
	}
}

// What was one or many is many in the newer revision, and has brackets there; it may still come without.
func TestBrackets(t *testing.T) {
	for _, text := range []string{`{"bracketed":"a"}`, `{"bracketed":["a"]}`} {
		var v kinds.Brackets
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		for _, rev := range append(kinds.Revisions(), wire.Any) {
			got, err := wire.Marshal(rev, &v)
			if want := `{"bracketed":["a"]}`; err != nil || string(got) != want {
				t.Errorf("%s at %s is %s, error %v; want %s", text, rev, got, err, want)
			}
		}
	}
}

// What may be null only in the newer revision is an error in the older one, which requires a value.
func TestNullOfNewerRevision(t *testing.T) {
	for in, fails := range map[string]bool{
		`{"text":"a","id":1}`: false, `{"text":"","id":"x"}`: false, `{"text":null,"id":1}`: true, `{"text":"a","id":null}`: true,
	} {
		var v kinds.Loosened
		if err := json.Unmarshal([]byte(in), &v); err != nil {
			t.Fatal(err)
		}
		for _, rev := range []wire.Revision{kinds.V2002_02_02, wire.Any} {
			if got, err := wire.Marshal(rev, &v); err != nil || string(got) != in {
				t.Errorf("%s at %s is %s, error %v", in, rev, got, err)
			}
		}
		if got, err := wire.Marshal(kinds.V2001_01_01, &v); (err != nil) != fails || err == nil && string(got) != in {
			t.Errorf("%s at %s is %s, error %v", in, kinds.V2001_01_01, got, err)
		}
	}
}

// A code has all revisions in which it has a name.
func TestHasCode(t *testing.T) {
	for _, tt := range []struct {
		code         int64
		older, newer bool
	}{
		{kinds.CodeOldName, true, true},
		{kinds.CodeNewName, true, true},
		{kinds.CodeGone, true, false},
		{kinds.CodeNew, false, true},
		{0, false, false},
	} {
		if older, newer := kinds.HasCode(kinds.V2001_01_01, tt.code), kinds.HasCode(kinds.V2002_02_02, tt.code); older != tt.older || newer != tt.newer {
			t.Errorf("%d: %t in the older revision, %t in the newer", tt.code, older, newer)
		}
		if since := kinds.HasCodeSince(kinds.V2001_01_01, tt.code); since != (tt.older || tt.newer) {
			t.Errorf("%d: since the older revision: %t", tt.code, since)
		}
		if since := kinds.HasCodeSince(kinds.V2002_02_02, tt.code); since != (tt.newer && !tt.older) {
			t.Errorf("%d: since the newer revision: %t", tt.code, since)
		}
	}
}

func TestErrors(t *testing.T) {
	complete := func(change func(*kinds.Everything)) *kinds.Everything {
		v := new(kinds.Everything)
		if err := json.Unmarshal([]byte(everything), v); err != nil {
			t.Fatal(err)
		}
		change(v)
		return v
	}
	for _, tt := range []struct {
		v    wire.Encodable
		rev  wire.Revision
		want string
	}{
		{complete(func(v *kinds.Everything) { v.Demanded = "" }), kinds.V2002_02_02,
			"Everything: demanded: the member is absent, but required in 2002-02-02"},
		{complete(func(v *kinds.Everything) { v.Color = "" }), kinds.V2002_02_02,
			"Everything: color: the member is absent, but required in 2002-02-02"},
		{complete(func(v *kinds.Everything) { v.Table = nil }), kinds.V2002_02_02,
			"Everything: table: the member is absent, but required in 2002-02-02"},
		{complete(func(v *kinds.Everything) { v.Shape = nil }), wire.Any, "Everything: shape: the Shape is nil"},
		{complete(func(v *kinds.Everything) { v.Shape = (*kinds.Square)(nil) }), wire.Any, "Everything: shape: the Square is nil"},
		{complete(func(v *kinds.Everything) { v.Any = nil }), wire.Any, "Everything: any: the raw value is absent"},
		{complete(func(v *kinds.Everything) { v.ID = wire.ID{} }), wire.Any, "Everything: id: the id is absent"},
		{complete(func(v *kinds.Everything) { v.Shape = &kinds.Polygon{} }), kinds.V2001_01_01,
			"Everything: shape: Polygon exists since 2002-02-02, not in 2001-01-01"},
		{complete(func(v *kinds.Everything) { v.Drawing = &kinds.Square{} }), kinds.V2001_01_01,
			"Everything: drawing: Square as Drawing exists since 2002-02-02, not in 2001-01-01"},
		{complete(func(v *kinds.Everything) { v.Grown = []string{"a", "b"} }), kinds.V2001_01_01,
			"Everything: grown: want exactly one value in 2001-01-01"},
		{&kinds.Point{}, kinds.V2001_01_01, "Point: it exists since 2002-02-02, not in 2001-01-01"},
		{(*kinds.Points)(nil), wire.Any, "wire: the Points is nil"},
	} {
		_, err := wire.Marshal(tt.rev, tt.v)
		if err == nil || err.Error() != tt.want {
			t.Errorf("got %v\nwant %s", err, tt.want)
		}
	}

	for _, tt := range []struct{ old, new, want string }{
		{`"literal":"fixed"`, `"literal":"loose"`, `Everything: literal: want "fixed", got "loose"`},
		{`"on":true`, `"on":false`, `Everything: on: want true, got false`},
		{`"version":2`, `"version":3`, `Everything: version: want 2, got 3`},
		{`"nullCount":null`, `"nullCount":"1"`, `Everything: nullCount: want integer, got string`},
		{`"nullPoint":null`, `"nullPoint":{"x":1}`, `Everything: missing required member: nullPoint.y`},
		{`"matrix":[[1,2],[]]`, `"matrix":[[1,2],[null]]`, `Everything: matrix[1][0]: want integer, got null`},
		{`"tables":{"t":{"p":{"x":1`, `"tables":{"t":{"p":{"x":1.5`, `Everything: tables.t.p.x: want integer, got 1.5`},
		{`"mixed":"one"`, `"mixed":[1]`, `Everything: mixed[0]: want string, got number`},
		{`"mode":"only"`, `"mode":1`, `Everything: optional.mode: want string, got number`},
		{`"self":{}`, `"self":{"self":{"flag":0}}`, `Everything: optional.self.self.flag: want boolean, got number`},
		{`"example.com/prefixed":"p"`, `"example.com/prefixed":1`, `Everything: ["example.com/prefixed"]: want string, got number`},
		{`"text":"a",`, ``, `Everything: missing required member: text`},
	} {
		data := strings.Replace(everything, tt.old, tt.new, 1)
		if data == everything {
			t.Fatalf("%s is not in the message", tt.old)
		}
		err := json.Unmarshal([]byte(data), new(kinds.Everything))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s\n got %v\nwant %s", tt.new, err, tt.want)
		}
	}
}

// Null for what is optional is absence.
func TestNulls(t *testing.T) {
	var v kinds.Optional
	err := json.Unmarshal([]byte(`{"text":null,"alias":null,"count":null,"ratio":null,"flag":null,"color":null,"id":null,`+
		`"object":null,"list":null,"shape":null,"many":null,"table":null,"points":null,"point":null,"nullText":null,"nullList":null,`+
		`"level":null,"self":null,"mode":null}`), &v)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kinds.Optional{}, v, cmp.AllowUnexported(wire.ID{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got, err := json.Marshal(v); err != nil || string(got) != "{}" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestGetters(t *testing.T) {
	var none *kinds.Optional
	for _, v := range []*kinds.Optional{none, {}} {
		if v.GetAlias() != "" || v.GetCount() != 0 || v.GetRatio() != 0.5 || !v.GetFlag() || v.GetColor() != kinds.ColorRed {
			t.Errorf("%v: %q %d %g %t %q", v, v.GetAlias(), v.GetCount(), v.GetRatio(), v.GetFlag(), v.GetColor())
		}
	}
	v := &kinds.Optional{Alias: new(kinds.Label("a")), Count: new(int64(1)), Ratio: new(0.0), Flag: new(false), Color: kinds.ColorGreen}
	if v.GetAlias() != "a" || v.GetCount() != 1 || v.GetRatio() != 0 || v.GetFlag() || v.GetColor() != kinds.ColorGreen {
		t.Errorf("%q %d %g %t %q", v.GetAlias(), v.GetCount(), v.GetRatio(), v.GetFlag(), v.GetColor())
	}
	if !kinds.ColorDeepBlue.Valid() || kinds.Color("blue").Valid() {
		t.Error("Valid does not know the values")
	}
}

func TestUnions(t *testing.T) {
	for _, tt := range []struct {
		data string
		read func([]byte) (wire.Encodable, error)
		want wire.Encodable
	}{
		{`{"a":""}`, byKey, &kinds.WithA{}},
		{`{"b":""}`, byKey, &kinds.WithB{}},
		{`{"in":{"c":""}}`, byKey, &kinds.WithDeep{}},
		{`{"in":{"d":""}}`, byKey, &kinds.WithDeeper{}},
		{`{"in":{"e":1},"c":"","d":""}`, byKey, &kinds.UnknownByKey{Raw: wire.Raw(`{"in":{"e":1},"c":"","d":""}`)}},
		{`{"in":[]}`, byKey, &kinds.UnknownByKey{Raw: wire.Raw(`{"in":[]}`)}},
		{`{"name":"n"}`, byAbsence, &kinds.Plain{Name: "n"}},
		{`{"name":"n","style":null}`, byAbsence, &kinds.Plain{Name: "n"}},
		{`{"name":"n","style":"plain"}`, byAbsence, &kinds.Plain{HasStyle: true, Name: "n"}},
		{`{"name":"n","style":"fancy"}`, byAbsence, &kinds.Fancy{Name: "n"}},
		{`{"name":"n","style":"wild"}`, byAbsence, &kinds.UnknownByAbsence{Raw: wire.Raw(`{"name":"n","style":"wild"}`)}},
		{`{"name":"n","style":1}`, byAbsence, &kinds.UnknownByAbsence{Raw: wire.Raw(`{"name":"n","style":1}`)}},
	} {
		got, err := tt.read([]byte(tt.data))
		if err != nil {
			t.Errorf("%s: %v", tt.data, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.data, diff)
		}
	}
	if v, err := kinds.UnmarshalByKey([]byte(`"a"`)); v != nil || err == nil || err.Error() != "wire: want object, got string" {
		t.Errorf("got %v, %v", v, err)
	}
}

func byKey(data []byte) (wire.Encodable, error)     { return kinds.UnmarshalByKey(data) }
func byAbsence(data []byte) (wire.Encodable, error) { return kinds.UnmarshalByAbsence(data) }

// Values of generated types inside of other types work with encoding/json.
func TestStandardLibrary(t *testing.T) {
	type mine struct {
		Point  kinds.Point
		Pointp *kinds.Point
		Points []kinds.Point
		ByName kinds.PointsByName
		Shape  kinds.Shape `json:",omitempty"`
	}
	in := mine{Point: kinds.Point{X: 1}, Points: kinds.Points{{Y: 2}}, ByName: kinds.PointsByName{"b": {}, "a": {}}}
	const want = `{"Point":{"x":1,"y":0},"Pointp":null,"Points":[{"x":0,"y":2}],"ByName":{"a":{"x":0,"y":0},"b":{"x":0,"y":0}}}`
	got, err := json.Marshal(in)
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	var out mine
	if err := json.Unmarshal(got, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Errorf("-in +out\n%s", diff)
	}
	if !slices.Equal(kinds.Revisions(), []wire.Revision{kinds.V2001_01_01, kinds.V2002_02_02}) {
		t.Errorf("the revisions are %v", kinds.Revisions())
	}
}
