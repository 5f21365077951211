package args_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A point is what the tests read: what generated code would do for a struct.
type point struct {
	X, Y  int64
	Name  string
	Inner []point
}

var typePoint = args.Type{Members: []args.Member{{Name: "x", Required: true}, {Name: "y"}, {Name: "name"}, {Name: "inner"}}}

func getPoint(v *point, d *args.Decoder) {
	v.Y = 7
	for o := d.Object(&typePoint); o.Next(); {
		switch o.Name {
		case "x":
			v.X = d.Int(math.MinInt64, math.MaxInt64)
		case "y":
			v.Y = d.Int(0, 10)
		case "name":
			v.Name = d.String()
			d.Length(v.Name, 1, 3)
		case "inner":
			v.Inner = args.Slice(d, getPoint)
			d.Count(len(v.Inner), 0, 2, "item")
		}
	}
}

func read(text string, coerce bool) (point, string) {
	var p point
	d := args.New(wire.Raw(text), coerce)
	getPoint(&p, d)
	if err := d.Finish(); err != nil {
		return point{}, err.Error()
	}
	return p, ""
}

func TestDecoder(t *testing.T) {
	deep := strings.Repeat(`{"x":1,"inner":[`, 70) + strings.Repeat(`]}`, 70)
	for _, tt := range []struct {
		name, text, want string
	}{
		{"good", ` { "x" : 1 , "inner" : [ { "x" : 2 , "name" : "a" } ] } `, ""},
		{"no object", `[1]`, "arguments: want an object, got an array"},
		{"null", `null`, "arguments: want an object, got null"},
		{"several problems", `{"y":11,"name":"","inner":[{"x":"a"},{"Y":1}]}`,
			"y: want an integer of at most 10, got 11\nname: want at least 1 character, got 0\n" +
				"inner[0].x: want an integer, got \"a\"\ninner[1].Y: unknown member; did you mean y?\ninner[1].x: required\nx: required"},
		{"given twice", `{"x":1,"name":"a","x":2,"name":"b"}`, "x: given twice\nname: given twice"},
		{"a name with escapes", `{"\u0078":1}`, ""},
		{"unknown names are cut", `{"x":1,"` + strings.Repeat("n", 500) + `":1}`,
			`["` + strings.Repeat("n", 40) + `"…]: unknown argument`},
		{"long values are cut", `{"x":"` + strings.Repeat("é", 500) + `"}`,
			`x: want an integer, got "` + strings.Repeat("é", 19) + `…"`},
		{"long numbers are cut", `{"x":1` + strings.Repeat("0", 500) + `}`,
			"x: want an integer of at most 9223372036854775807, got 1" + strings.Repeat("0", 41) + "…"},
		{"too many items, one of them wrong", `{"x":1,"inner":[{"x":1},{"x":true},{"x":3}]}`,
			"inner[1].x: want an integer, got true\ninner: want at most 2 items, got 3"},
		{"no JSON", `{"x":1,]`, "arguments: want a member's name, got ']' at offset 7"},
		{"no JSON after a problem", `{"x":"a","y":tru}`, "x: want an integer, got \"a\"\ny: want true, got an unknown word at offset 13"},
		{"nothing", ``, "arguments: want a value, got the end of the input at offset 0"},
		{"cut off", `{"x":1,"inner":[{"x":1`, "inner[0]: want a member's name, got the end of the input at offset 22"},
		{"bytes that follow", `{"x":1} 2`, "arguments: want nothing after the value, got number at offset 8"},
		{"invalid UTF-8", "{\"x\":1,\"name\":\"\xff\"}", "name: invalid UTF-8 in a string at offset 15"},
		{"too deep", deep, "…" + deepPath() + ": nesting is deeper than 128 levels"},
	} {
		if _, got := read(tt.text, false); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// deepPath is the end of the path of the first value that nests too deep.
func deepPath() string {
	path := strings.Repeat(".inner[0]", 64)
	return path[len(path)-200:]
}

func TestProblemsAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"x":1,"inner":[`)
	for i := range 100_000 {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(`{"x":true}`)
	}
	text.WriteString(`]}`)
	_, got := read(text.String(), false)
	lines := strings.Split(got, "\n")
	if len(lines) != 21 || lines[19] != "inner[19].x: want an integer, got true" || lines[20] != "… and 99981 more" {
		t.Errorf("got %d lines, the last ones %q", len(lines), lines[max(0, len(lines)-2):])
	}
}

func TestCoercion(t *testing.T) {
	got, problems := read(`{"x":"12","y":null,"name":null,"inner":null}`, true)
	if diff := cmp.Diff(point{X: 12, Y: 7}, got); diff != "" || problems != "" {
		t.Errorf("%s\n%s", problems, diff)
	}
	for text, want := range map[string]string{
		`{"x":null}`:       `x: want an integer, got null`,
		`{"x":""}`:         `x: want an integer, got ""`,
		`{"x":"1 "}`:       `x: want an integer, got "1 "`,
		`{"x":"[1]"}`:      `x: want an integer, got "[1]"`,
		`{"x":"1","x":2}`:  `x: given twice`,
		`{"x":1,"name":2}`: `name: want a string, got 2`,
	} {
		if _, got := read(text, true); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if _, got := read(`{"x":"12","y":null}`, false); got != "x: want an integer, got \"12\"\ny: want an integer, got null" {
		t.Errorf("without coercion: got %s", got)
	}
}

func TestOfStrings(t *testing.T) {
	var p point
	d := args.OfStrings(map[string]string{"y": "3", "x": "2", "name": "\"\xff"})
	getPoint(&p, d)
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(point{X: 2, Y: 3, Name: "\"\ufffd"}, p); diff != "" {
		t.Error(diff)
	}
	d = args.OfStrings(nil)
	getPoint(&p, d)
	if err := d.Finish(); err == nil || err.Error() != "x: required" {
		t.Errorf("got %v", err)
	}
}

func TestNearest(t *testing.T) {
	members := []args.Member{{Name: "city"}, {Name: "days"}, {Name: "max_results"}, {Name: "id"}}
	for name, want := range map[string]string{
		"dayz": "days", "day": "days", "dasy": "days", "Days": "days", "maxResults": "max_results", "max-results": "max_results",
		"ctiy": "city", "place": "", "ids": "id", "x": "", "": "", strings.Repeat("city", 1000): "",
	} {
		d := args.New(wire.Raw(fmt.Sprintf("{%q:1}", name)), false)
		for o := d.Object(&args.Type{Members: members}); o.Next(); {
			t.Errorf("%s is known", name)
		}
		got := ""
		if _, after, found := strings.Cut(d.Finish().Error(), "did you mean "); found {
			got = strings.TrimSuffix(after, "?")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestAllocations makes sure that reading costs nothing but what it returns.
func TestAllocations(t *testing.T) {
	raw := wire.Raw(`{"x":1,"y":2,"name":"abc"}`)
	allocs := testing.AllocsPerRun(100, func() {
		d := args.New(raw, true)
		for o := d.Object(&typePoint); o.Next(); {
			switch o.Name {
			case "x", "y":
				d.Int(0, 10)
			default:
				d.Length(d.String(), 1, 3)
			}
		}
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
