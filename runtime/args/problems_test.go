package args_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// problems reads a text and returns what was read, as fmt prints it, and the problems.
func problems(text string, read func(*args.Decoder) any) (got, wrong string) {
	d := args.New(wire.Raw(text), false)
	got = fmt.Sprint(read(d))
	return got, message(d)
}

// TestNumberOfProblems has as many problems as are told, and one more of each kind.
func TestNumberOfProblems(t *testing.T) {
	told := make([]string, 20)
	for i := range told {
		told[i] = fmt.Sprintf("[%d]: want a boolean, got 1", i)
	}
	bad := strings.Repeat("1,", 20)
	required := args.Type{Members: []args.Member{{Name: "a", Required: true}}}
	for _, tt := range []struct {
		name, last string
		read       func(*args.Decoder)
		want       string
	}{
		{"none", `true`, func(d *args.Decoder) { d.Bool() }, ""},
		{"a value", `1`, func(d *args.Decoder) { d.Bool() }, "… and 1 more"},
		{"one of", `"abcd"`, func(d *args.Decoder) { s := args.In(d, d.String(), "x"); d.Length(s, 5, 5) }, "… and 1 more"},
		{"a length", `"abcd"`, func(d *args.Decoder) { d.Length(d.String(), 1, 3); d.Length("", 1, 3) }, "… and 1 more"},
		{"not accepted", `"x"`, func(d *args.Decoder) { d.Text(refuser{}); d.Length("", 1, 3) }, "… and 1 more"},
		{"unknown and required", `{"b":1,"c":2}`, func(d *args.Decoder) {
			for o := d.Object(&required); o.Next(); {
				t.Errorf("%s is known", o.Name)
			}
		}, "… and 3 more"},
		{"given twice", `{"a":1,"a":2}`, func(d *args.Decoder) {
			for o := d.Object(&required); o.Next(); {
				d.Skip()
			}
		}, "… and 1 more"},
		{"a name of a map", `{"a":"x","b":1}`, func(d *args.Decoder) {
			args.Map(d, func(d *args.Decoder, name string) string { return d.NameIn(name, "b") }, getInt)
		}, "… and 1 more"},
		{"a number as a name", `{"a":1}`, func(d *args.Decoder) {
			args.Map(d, func(d *args.Decoder, name string) int64 { return d.NameInt(name, 1, 2) }, getInt)
		}, "… and 1 more"},
		{"no tag", `{}`, func(d *args.Decoder) { d.Tag("kind", "a") }, "… and 1 more"},
		{"another tag", `{"kind":"b"}`, func(d *args.Decoder) { d.Tag("kind", "a"); d.Length("", 1, 3) }, "… and 1 more"},
		{"no object for a tag", `[]`, func(d *args.Decoder) { d.Tag("kind", "a") }, "… and 1 more"},
		{"no JSON", `tru`, func(d *args.Decoder) { d.Bool() }, "… and 1 more"},
	} {
		i := 0
		_, got := problems("["+bad+tt.last+"]", func(d *args.Decoder) any {
			return args.Slice(d, func(_ *bool, d *args.Decoder) {
				if i++; i <= 20 {
					d.Bool()
				} else {
					tt.read(d)
				}
			})
		})
		want := strings.TrimSuffix(strings.Join(told, "\n")+"\n"+tt.want, "\n")
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, want)
		}
	}
}

// TestOneProblemForAValue makes sure that no check adds to what is wrong with a value already.
func TestOneProblemForAValue(t *testing.T) {
	never := func(string) bool { return false }
	checks := func(d *args.Decoder) {
		d.Length("abcd", 1, 3)
		d.Count(4, 1, 3, "thing")
		d.Format("abcd", "another text", never)
		args.In(d, "abcd", "x")
		d.DurationBounds(5, 1, 3)
		if got := args.In(d, int64(7), 7); got != 0 {
			t.Errorf("In returns %d", got)
		}
	}
	for _, tt := range []struct {
		read func(*args.Decoder)
		want string
	}{
		{func(d *args.Decoder) { d.Length(d.String(), 1, 3) }, "want at most 3 characters, got 4"},
		{func(d *args.Decoder) { d.Format(d.String(), "another text", never) }, `want another text, got "abcd"`},
		{func(d *args.Decoder) { args.In(d, d.String(), "x") }, `want "x", got "abcd"`},
		{func(d *args.Decoder) { d.Int(1, 2) }, `want an integer, got "abcd"`},
		{func(d *args.Decoder) { d.Text(refuser{}) }, "not accepted: " + strings.TrimSpace(strings.Repeat("no ", 67))[:200] + "…"},
		{func(d *args.Decoder) { d.Duration() }, `want a duration such as 1h30m, got "abcd"`},
		{func(d *args.Decoder) { d.Time() }, `want a date and time such as 2006-01-02T15:04:05Z, got "abcd"`},
		{func(d *args.Decoder) { d.Tag("kind", "a") }, `want an object, got "abcd"`},
	} {
		_, got := problems(`"abcd"`, func(d *args.Decoder) any { tt.read(d); checks(d); return nil })
		if want := "arguments: " + tt.want; got != want {
			t.Errorf(" got %s\nwant %s", got, want)
		}
	}
	if _, got := problems(`"abcd"`, func(d *args.Decoder) any {
		d.Format(d.String(), "a text of four letters", func(s string) bool { return len(s) == 4 })
		return nil
	}); got != "" {
		t.Errorf("a text of a format: %s", got)
	}
	_, got := problems(`{"kind":"b"}`, func(d *args.Decoder) any { d.Tag("kind", "a"); checks(d); return nil })
	if want := `kind: want "a", got "b"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A saying is not accepted, for its own reason.
type saying struct{}

func (saying) UnmarshalText(text []byte) error { return errors.New(string(text)) }

// TestExcerpts has values and reasons that are just short enough to be told whole, and longer ones.
func TestExcerpts(t *testing.T) {
	boolean := func(d *args.Decoder) any { return d.Bool() }
	text := func(d *args.Decoder) any { d.Text(saying{}); return nil }
	oneOf := func(s string) func(*args.Decoder) any {
		return func(d *args.Decoder) any { return args.In(d, d.String(), s) }
	}
	letters := strings.Repeat("abcdefghij", 30)
	for _, tt := range []struct {
		read       func(*args.Decoder) any
		text, want string
	}{
		{boolean, `"` + letters[:40] + `"`, `want a boolean, got "` + letters[:40] + `"`},
		{boolean, `"` + letters[:41] + `"`, `want a boolean, got "` + letters[:39] + `…"`},
		{boolean, strings.Repeat("7", 42), "want a boolean, got " + strings.Repeat("7", 42)},
		{boolean, strings.Repeat("7", 43), "want a boolean, got " + strings.Repeat("7", 42) + "…"},
		{boolean, `{"a":1}`, "want a boolean, got an object"},
		{boolean, `[1]`, "want a boolean, got an array"},
		{boolean, `null`, "want a boolean, got null"},
		{text, `"` + letters[:200] + `"`, "not accepted: " + letters[:200]},
		{text, `"` + letters[:201] + `"`, "not accepted: " + letters[:200] + "…"},
		{text, `"` + letters[:199] + `é"`, "not accepted: " + letters[:199] + "…"},
		{oneOf(letters[:40]), `""`, `want "` + letters[:40] + `", got ""`},
		{oneOf(letters[:41]), `""`, `want "` + letters[:40] + `…", got ""`},
	} {
		_, got := problems(tt.text, tt.read)
		if want := "arguments: " + tt.want; got != want {
			t.Errorf("%s:\n got %s\nwant %s", tt.text, got, want)
		}
	}
}

// A mumble is not accepted, for a reason that is no text.
type mumble struct{}

func (mumble) UnmarshalText([]byte) error { return errors.New(strings.Repeat("\x80", 300)) }

func TestReasonThatIsNoText(t *testing.T) {
	_, got := problems(`""`, func(d *args.Decoder) any { d.Text(mumble{}); return nil })
	if want := "arguments: not accepted: …"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestListed has as many allowed values as a problem names, and one more.
func TestListed(t *testing.T) {
	list := make([]int64, 21)
	words := make([]string, 21)
	for i := range list {
		list[i] = int64(i + 10)
		words[i] = fmt.Sprint(i + 10)
	}
	for _, tt := range []struct {
		read func(*args.Decoder) any
		want string
	}{
		{func(d *args.Decoder) any { return args.In(d, d.Int(0, 99), list[:20]...) }, "one of " + strings.Join(words[:20], ", ")},
		{func(d *args.Decoder) any { return args.In(d, d.Int(0, 99), list...) }, "one of " + strings.Join(words[:20], ", ") + ", …"},
		{func(d *args.Decoder) any { return args.In(d, d.Uint(0, 99), 19, 20) }, "one of 19, 20"},
		{func(d *args.Decoder) any { return args.In(d, d.Float(0, 99), 0.1, 1e21) }, "one of 0.1, 1e+21"},
	} {
		if got, wrong := problems("7", tt.read); got != "0" || wrong != "arguments: want "+tt.want+", got 7" {
			t.Errorf("got %s: %s\nwant %s", got, wrong, tt.want)
		}
	}
	if got, wrong := problems("10", func(d *args.Decoder) any { return args.In(d, d.Int(0, 99), list...) }); got != "10" || wrong != "" {
		t.Errorf("the first of a list: got %s: %s", got, wrong)
	}
}

// TestLists reads lists and maps, right and wrong, and what is checked about them afterwards.
func TestLists(t *testing.T) {
	bounded := func(n int) func(*args.Decoder) any {
		return func(d *args.Decoder) any {
			list := args.Slice(d, getInt)
			d.Count(len(list), 0, n, "item")
			return list
		}
	}
	pair := func(d *args.Decoder) any {
		var list [2]int64
		args.Array(d, list[:], getInt)
		d.Format("", "another list", func(string) bool { return false }) // to see whether the value counts as good
		return list
	}
	byName := func(key func(*args.Decoder, string) string, most int) func(*args.Decoder) any {
		return func(d *args.Decoder) any {
			m := args.Map(d, key, getInt)
			d.Count(len(m), 0, most, "member")
			return m
		}
	}
	same := func(_ *args.Decoder, name string) string { return strings.ToLower(name) }
	oneOf := func(d *args.Decoder, name string) string { return d.NameIn(name, "a", "b") }
	byNumber := func(low, high int64) func(*args.Decoder) any {
		return func(d *args.Decoder) any {
			return args.Map(d, func(d *args.Decoder, name string) int64 { return d.NameInt(name, low, high) }, getInt)
		}
	}
	byUint := func(most uint64) func(*args.Decoder) any {
		return func(d *args.Decoder) any {
			return args.Map(d, func(d *args.Decoder, name string) uint64 { return d.NameUint(name, most) }, getInt)
		}
	}
	byText := func(d *args.Decoder) any {
		return args.Map(d, func(d *args.Decoder, name string) string { d.NameText(name, saying{}); return name }, getInt)
	}
	const all = "arguments: "
	for _, tt := range []struct {
		read      func(*args.Decoder) any
		text      string
		got, want string
	}{
		{bounded(2), `[]`, "[]", ""},
		{bounded(2), `[1,2]`, "[1 2]", ""},
		{bounded(2), `[1,2,3]`, "[1 2 3]", all + "want at most 2 items, got 3"},
		{bounded(2), `[1,"a",3]`, "[1 0 3]", "[1]: want an integer, got \"a\"\n" + all + "want at most 2 items, got 3"},
		{bounded(2), `"abc"`, "[]", all + `want an array, got "abc"`},
		{pair, `[1]`, "[1 0]", all + "want 2 items, got 1"},
		{pair, `[]`, "[0 0]", all + "want 2 items, got 0"},
		{pair, `[1,2]`, "[1 2]", all + "want another list, got an array"},
		{pair, `[1,2,"x"]`, "[1 2]", all + "want 2 items, got 3"},
		{pair, `[1,2,3,[4]]`, "[1 2]", all + "want 2 items, got 4"},
		{pair, `["x"]`, "[0 0]", "[0]: want an integer, got \"x\"\n" + all + "want 2 items, got 1"},
		{pair, `["x",2]`, "[0 2]", "[0]: want an integer, got \"x\"\n" + all + "want another list, got an array"},
		{pair, `{"a":1}`, "[0 0]", all + "want an array, got an object"},
		{byName(same, 2), `{}`, "map[]", ""},
		{byName(same, 2), `{"a":1,"b":2}`, "map[a:1 b:2]", ""},
		{byName(same, 1), `{"a":1,"b":2}`, "map[a:1 b:2]", all + "want at most 1 member, got 2"},
		{byName(same, 0), `{"a":"x"}`, "map[a:0]", "a: want an integer, got \"x\"\n" + all + "want 0 members, got 1"},
		{byName(same, 1), `{"a":1,"A":"x"}`, "map[a:1]", "A: given twice"},
		{byName(same, 2), `{"a":1,"A":3,"b":2}`, "map[a:1 b:2]", "A: given twice"},
		{byName(same, 1), `"abc"`, "map[]", all + `want an object, got "abc"`},
		{byName(oneOf, 2), `{"x":"y","a":1}`, "map[a:1]", `x: the name must be one of "a", "b"`},
		{byName(oneOf, 2), `{"x":1,"y":2}`, "map[]", "x: the name must be one of \"a\", \"b\"\ny: the name must be one of \"a\", \"b\""},
		{byNumber(-19, 19), `{"-19":1,"0":2,"19":3}`, "map[-19:1 0:2 19:3]", ""},
		{byNumber(-19, 19), `{"-20":1}`, "map[]", `["-20"]: the name must be an integer of at least -19`},
		{byNumber(-19, 19), `{"20":"x"}`, "map[]", `["20"]: the name must be an integer from -19 to 19`},
		{byNumber(0, 19), `{"0":1,"x":2}`, "map[0:1]", `x: the name must be an integer`},
		{byNumber(1, 19), `{"x":2,"1":1}`, "map[1:1]", `x: the name must be an integer`},
		{byNumber(-19, 19), `{"+1":1}`, "map[]", `["+1"]: the name must be an integer`},
		{byNumber(-19, 19), `{"01":1}`, "map[]", `["01"]: the name must be an integer`},
		{byNumber(-19, 19), `{"1.0":1}`, "map[]", `["1.0"]: the name must be an integer`},
		{byNumber(-19, 19), `{"1e0":1}`, "map[]", `["1e0"]: the name must be an integer`},
		{byNumber(-19, 19), `{" 1":1}`, "map[]", `[" 1"]: the name must be an integer`},
		{byNumber(-19, 19), `{"1 ":1}`, "map[]", `["1 "]: the name must be an integer`},
		{byNumber(-19, 19), `{"":1}`, "map[]", `[""]: the name must be an integer`},
		{byNumber(math.MinInt64, math.MaxInt64), `{"-9223372036854775808":1,"9223372036854775807":2}`, "map[-9223372036854775808:1 9223372036854775807:2]", ""},
		{byNumber(math.MinInt64, math.MaxInt64), `{"9223372036854775808":2}`, "map[]",
			`["9223372036854775808"]: the name must be an integer from -9223372036854775808 to 9223372036854775807`},
		{byNumber(math.MinInt64, math.MaxInt64), `{"-9223372036854775809":2}`, "map[]",
			`["-9223372036854775809"]: the name must be an integer from -9223372036854775808 to 9223372036854775807`},
		{byUint(19), `{"0":1,"19":2}`, "map[0:1 19:2]", ""},
		{byUint(19), `{"20":"x"}`, "map[]", `["20"]: the name must be an integer from 0 to 19`},
		{byUint(19), `{"-1":1}`, "map[]", `["-1"]: the name must be an integer from 0 to 19`},
		{byUint(19), `{"":1}`, "map[]", `[""]: the name must be an integer from 0 to 19`},
		{byUint(19), `{"-0":1}`, "map[]", `["-0"]: the name must be an integer from 0 to 19`},
		{byUint(19), `{"1a":1}`, "map[]", `["1a"]: the name must be an integer from 0 to 19`},
		{byUint(19), `{"1.0":1,"0":2}`, "map[0:2]", `["1.0"]: the name must be an integer from 0 to 19`},
		{byUint(math.MaxUint64), `{"18446744073709551615":2}`, "map[18446744073709551615:2]", ""},
		{byUint(math.MaxUint64), `{"18446744073709551616":2}`, "map[]", `["18446744073709551616"]: the name must be an integer from 0 to 18446744073709551615`},
		{byText, `{"x":"y"}`, "map[]", `x: not accepted: x`},
		{byText, `{"x":1,"y":2}`, "map[]", "x: not accepted: x\ny: not accepted: y"},
	} {
		if got, wrong := problems(tt.text, tt.read); got != tt.got || wrong != tt.want {
			t.Errorf("%s:\n got %s: %s\nwant %s: %s", tt.text, got, wrong, tt.got, tt.want)
		}
	}
}

// TestNilLists makes sure that what is no list or map reads as nil, and an empty one does not.
func TestNilLists(t *testing.T) {
	for text, isNil := range map[string]bool{`[{"a":1}]`: true, `[[],{}]`: false} {
		i := 0
		problems(text, func(d *args.Decoder) any {
			return args.Slice(d, func(_ *int, d *args.Decoder) {
				if i++; i == 1 {
					if list := args.Slice(d, getInt); (list == nil) != isNil {
						t.Errorf("%s: the list is %#v", text, list)
					}
				} else if m := args.Map(d, func(_ *args.Decoder, name string) string { return name }, getInt); m == nil {
					t.Errorf("%s: the map is nil", text)
				}
			})
		})
	}
	problems(`[]`, func(d *args.Decoder) any {
		if m := args.Map(d, func(_ *args.Decoder, name string) string { return name }, getInt); m != nil {
			t.Errorf("the map of an array is %#v", m)
		}
		return nil
	})
}

// TestNamesThatAreWrong makes sure that methods for names return the zero value with a problem.
func TestNamesThatAreWrong(t *testing.T) {
	problems(`{"x":1}`, func(d *args.Decoder) any {
		return args.Map(d, func(d *args.Decoder, name string) string {
			if n := d.NameInt(name, 1, 2); n != 0 {
				t.Errorf("NameInt returns %d", n)
			}
			if n := d.NameUint(name, 2); n != 0 {
				t.Errorf("NameUint returns %d", n)
			}
			if s := d.NameIn(name, "a"); s != "" {
				t.Errorf("NameIn returns %q", s)
			}
			return name
		}, getInt)
	})
}
