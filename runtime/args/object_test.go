package args_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestManyMembers has types with more members than a word has bits, of which some are missing and
// some come twice, in several orders.
func TestManyMembers(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 66, 127, 128, 129, 130, 193} {
		typ := args.Type{}
		for i := range n {
			typ.Members = append(typ.Members, args.Member{Name: fmt.Sprintf("m%d", i), Required: i%2 == 0 || i > 60})
		}
		for _, left := range []int{0, 1, 60, 62, 63, 64, 65, 66, 127, 128, 129, 191, 192} {
			for _, backwards := range []bool{false, true} {
				var names, want []string
				for i := range n {
					name := fmt.Sprintf("m%d", i)
					if backwards {
						name = fmt.Sprintf("m%d", n-1-i)
					}
					if name != fmt.Sprintf("m%d", left) {
						names = append(names, name)
					}
				}
				if len(names) > 0 {
					again := names[len(names)/2]
					names = append(names, again)
					want = append(want, again+": given twice")
				}
				if left < n && typ.Members[left].Required {
					want = append(want, typ.Members[left].Name+": required")
				}
				checkMembers(t, &typ, names, want)
			}
		}
	}
	typ := args.Type{Members: make([]args.Member, 65)}
	typ.Members[64] = args.Member{Name: "last", Required: true}
	checkMembers(t, &typ, nil, []string{"last: required"})
}

// checkMembers reads an object with members of these names.
func checkMembers(t *testing.T, typ *args.Type, names, want []string) {
	t.Helper()
	text := "{"
	for i, name := range names {
		text += fmt.Sprintf(`%s"%s":%d`, strings.Repeat(",", min(i, 1)), name, i)
	}
	d := args.New(wire.Raw(text+"}"), false)
	seen := map[string]bool{}
	for o := d.Object(typ); o.Next(); {
		if i := d.Int(0, 999); seen[o.Name] || names[i] != o.Name {
			t.Errorf("member %d is %s", i, o.Name)
		}
		seen[o.Name] = true
	}
	for _, name := range names {
		if !seen[name] {
			t.Errorf("%d members, %s does not come", len(typ.Members), name)
		}
	}
	if got := message(d); got != strings.Join(want, "\n") {
		t.Errorf("%d members: got %s, want %s", len(typ.Members), got, want)
	}
}

// TestObjects reads objects with members that are not known, come in any order, or are null.
func TestObjects(t *testing.T) {
	members := []args.Member{{Name: "a"}, {Name: "b", Required: true}, {Name: "c"}}
	closed, open := &args.Type{Members: members}, &args.Type{Members: members, Open: true}
	nullable := &args.Type{Members: []args.Member{{Name: "a", Null: true}, {Name: "b"}}}
	for _, tt := range []struct {
		typ              *args.Type
		coerce           bool
		text, come, want string
	}{
		{closed, false, `{"b":1}`, "b", ""},
		{closed, false, `{"c":1,"b":2,"a":3}`, "c b a", ""},
		{closed, false, `{"b":1,"a":2,"c":3}`, "b a c", ""},
		{closed, false, `{"c":1,"a":2}`, "c a", "b: required"},
		{closed, false, `{"c":1,"c":{},"b":2}`, "c b", "c: given twice"},
		{closed, false, `{"xyzzy":[1],"b":2}`, "b", "xyzzy: unknown argument"},
		{closed, false, `{"a":null,"b":null}`, "a b", "a: want an integer, got null\nb: want an integer, got null"},
		{closed, true, `{"a":null,"b":null}`, "b", "b: want an integer, got null"},
		{closed, true, `{"a":null,"a":1,"b":2}`, "b", "a: given twice"},
		{nullable, true, `{"a":null,"b":null}`, "a", "a: want an integer, got null"},
		{open, false, `{"xyzzy":[1],"b":2,"x":3}`, "b", ""},
		{open, false, `{"a":1,"b":2,"x":3,"c":4}`, "a b c", ""},
		{open, false, `{"xyzzy":[1]}`, "", "b: required"},
		{closed, false, `[]`, "", "arguments: want an object, got an array"},
	} {
		d := args.New(wire.Raw(tt.text), tt.coerce)
		var come []string
		for o := d.Object(tt.typ); o.Next(); {
			come = append(come, o.Name)
			d.Int(0, 9)
		}
		if got := strings.Join(come, " "); got != tt.come {
			t.Errorf("%s: %s come, want %s", tt.text, got, tt.come)
		}
		if got := message(d); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// TestObjectIsBounded checks an object that was read, right or wrong, as a whole.
func TestObjectIsBounded(t *testing.T) {
	typ := &args.Type{Members: []args.Member{{Name: "a"}}}
	for text, want := range map[string]string{
		`{"a":1}`:             "arguments: want 9 members, got 1",
		`{"a":"x"}`:           "a: want an integer, got \"x\"\narguments: want 9 members, got 1",
		`1`:                   "arguments: want an object, got 1",
		`{"a":1,"xyzzy":{}}`:  "xyzzy: unknown argument\narguments: want 9 members, got 1",
		`{"a":1,"a":{"b":1}}`: "a: given twice\narguments: want 9 members, got 1",
	} {
		_, got := problems(text, func(d *args.Decoder) any {
			for o := d.Object(typ); o.Next(); {
				d.Int(0, 9)
			}
			d.Count(1, 9, 9, "member")
			return nil
		})
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestObjectInObject names what is not known in an object that is the first member of another.
func TestObjectInObject(t *testing.T) {
	typ := &args.Type{Members: []args.Member{{Name: "a"}}}
	_, got := problems(`{"a":{"xyzzy":1},"xyzzy":1}`, func(d *args.Decoder) any {
		for o := d.Object(typ); o.Next(); {
			for inner := d.Object(typ); inner.Next(); {
				d.Skip()
			}
		}
		return nil
	})
	if want := "a.xyzzy: unknown member\nxyzzy: unknown argument"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestTags looks for tags, and goes on behind what has another.
func TestTags(t *testing.T) {
	typ := &args.Type{Members: []args.Member{{Name: "kind"}, {Name: "n"}}}
	read := func(d *args.Decoder) any {
		var tags []string
		args.Slice(d, func(_ *int, d *args.Decoder) {
			tag := d.Tag("kind", "a", "b")
			tags = append(tags, tag)
			if tag == "" {
				return
			}
			for o := d.Object(typ); o.Next(); {
				d.Skip()
			}
		})
		return tags
	}
	for text, want := range map[string]string{
		`[{"n":1,"kind":"b"},{"kind":"a","n":2}]`: "[b a]\n",
		`[{"kind":"c","x":[]},{"kind":"a"}]`:      "[ a]\n[0].kind: want one of \"a\", \"b\", got \"c\"",
		`[{"x":{"kind":"a"}},{"kind":"a"}]`:       "[ a]\n[0].kind: required",
		`[{"kind":""},{"kind":"a"}]`:              "[ a]\n[0].kind: want one of \"a\", \"b\", got another value",
		`[{"kind":7},{"kind":"a"}]`:               "[ a]\n[0].kind: want one of \"a\", \"b\", got another value",
		`[7,{"kind":"a"}]`:                        "[ a]\n[0]: want an object, got 7",
	} {
		got, wrong := problems(text, read)
		if got += "\n" + wrong; got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestZeroValues makes sure that what is wrong is read as the zero value.
func TestZeroValues(t *testing.T) {
	for name, read := range map[string]func(d *args.Decoder) any{
		"bool":     func(d *args.Decoder) any { return d.Bool() },
		"string":   func(d *args.Decoder) any { return d.String() },
		"int":      func(d *args.Decoder) any { return d.Int(5, 6) },
		"uint":     func(d *args.Decoder) any { return d.Uint(5, 6) },
		"float":    func(d *args.Decoder) any { return d.Float(5, 6) },
		"float32":  func(d *args.Decoder) any { return d.Float32(5, 6) },
		"number":   func(d *args.Decoder) any { return d.Number(5, 6) },
		"big":      func(d *args.Decoder) any { return d.BigInt() },
		"bytes":    func(d *args.Decoder) any { return d.Bytes() },
		"time":     func(d *args.Decoder) any { return d.Time() },
		"duration": func(d *args.Decoder) any { return d.Duration() },
		"url":      func(d *args.Decoder) any { return d.URL() },
		"tag":      func(d *args.Decoder) any { d.Tag("x"); return time.Duration(0) },
	} {
		for _, text := range []string{`{}`, `1.5`, `-1.5`, `4e0`, `7`, `-7`, `"\u0001"`, `1e9999`, `-1e9999`} {
			if name == "string" && text[0] == '"' || name == "big" && !strings.ContainsAny(text, "{.\"") {
				continue
			}
			d := args.New(wire.Raw(text), false)
			if v := read(d); !reflect.ValueOf(v).IsZero() {
				if d.Finish() != nil {
					t.Errorf("%s as a %s: got %v", text, name, v)
				}
			} else if d.Finish() == nil {
				t.Errorf("%s is a %s", text, name)
			}
		}
	}
}

// TestQuoted reads a list whose first element is one in a string; those that follow are not.
func TestQuoted(t *testing.T) {
	readQuoted(t, func(d *args.Decoder) int64 { return d.Int(math.MinInt64, math.MaxInt64) }, []quoted{
		{`["7",7]`, false, "[7 7] "},
		{`[7,7]`, false, "[0 7] [0]: want an integer in a string, got 7"},
		{`["7","7"]`, false, "[7 0] [1]: want an integer, got \"7\""},
		{`["x","7"]`, false, "[0 0] [0]: want an integer, got \"x\"\n[1]: want an integer, got \"7\""},
		{`[[],7]`, false, "[0 7] [0]: want an integer in a string, got an array"},
		{`[7,"7.0"]`, true, "[7 7] "},
		{`["7.0","7.0"]`, true, "[0 7] [0]: want an integer, got \"7.0\""},
		{`["1e1","1e1"]`, true, "[0 10] [0]: want an integer, got \"1e1\""},
		{`["7"," 7"]`, true, "[7 0] [1]: want an integer, got \" 7\""},
		{`["7","7 "]`, true, "[7 0] [1]: want an integer, got \"7 \""},
		{`["7","\t7"]`, true, "[7 0] [1]: want an integer, got \"\\t7\""},
		{`["7",""]`, true, "[7 0] [1]: want an integer, got \"\""},
		{`["7","-"]`, true, "[7 0] [1]: want an integer, got \"-\""},
		{`["7","true"]`, true, "[7 0] [1]: want an integer, got \"true\""},
	})
	readQuoted(t, (*args.Decoder).Bool, []quoted{
		{`["true",true]`, false, "[true true] "},
		{`[true,true]`, false, "[false true] [0]: want a boolean in a string, got true"},
		{`["true","true"]`, false, "[true false] [1]: want a boolean, got \"true\""},
		{`[true,"true"]`, true, "[true true] "},
		{`["false","false"]`, true, "[false false] "},
		{`["x","x"]`, true, "[false false] [0]: want a boolean in a string, got \"x\"\n[1]: want a boolean, got \"x\""},
	})
}

// A quoted is a list, and what is made of it: the elements and the problems.
type quoted struct {
	text   string
	coerce bool
	want   string
}

func readQuoted[T any](t *testing.T, read func(*args.Decoder) T, tests []quoted) {
	t.Helper()
	for _, tt := range tests {
		d := args.New(wire.Raw(tt.text), tt.coerce)
		first := true
		got := fmt.Sprint(args.Slice(d, func(v *T, d *args.Decoder) {
			if first {
				d.Quoted()
				first = false
			}
			*v = read(d)
		}), " ", message(d))
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}
