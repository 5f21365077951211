package transcript

import (
	"slices"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	for _, test := range []struct {
		original, port string
		want           []string // path, original and port
	}{
		{`{"a":1,"b":[1,{"c":null}]}`, `{"b":[1,{"c":null}],"a":1}`, nil},
		{`{"a":1}`, `{}`, []string{"a 1 -"}},
		{`{}`, `{"a":{"b":1}}`, []string{`a - {"b":1}`}},
		{`{"a":[1,2,{"b":"x"}]}`, `{"a":[1,3,{"b":"<"}]}`, []string{`a.1 2 3`, `a.2.b "x" "<"`}},
		{`[1]`, `[1,2]`, []string{` [1] [1,2]`}},
		{`{"a":null}`, `{}`, []string{`a null -`}},
		{`{"text":"{ \"x\": 1, \"y\": [2] }"}`, `{"text":"{\"y\":[3],\"x\":1}"}`, []string{`text.y.0 2 3`}},
		{`{"text":"{ no JSON"}`, `{"text":"{ no json"}`, []string{`text "{ no JSON" "{ no json"`}},
	} {
		var got []string
		for _, f := range diff(decoded(t, test.original), decoded(t, test.port)) {
			got = append(got, strings.Join(f.path, ".")+" "+f.original+" "+f.port)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s and %s: got %q, want %q", test.original, test.port, got, test.want)
		}
	}
}

func TestCovers(t *testing.T) {
	f := found{strings.Split("result.tools.greet.inputSchema.properties.name.type", "."), `["null","string"]`, `"string"`}
	for _, test := range []struct {
		d    Difference
		want bool
	}{
		{Difference{Step: "tools/list", Path: "result.tools.greet.inputSchema.properties.name.type"}, true},
		{Difference{Step: "*/list", Path: "result.tools.*.inputSchema.**.type"}, true},
		{Difference{Step: "*", Path: "**.type"}, true},
		{Difference{Step: "*", Path: "result.**.tools.**"}, true},
		{Difference{Step: "*", Path: "result.*.inputSchema.**"}, false},
		{Difference{Step: "*", Path: "result.tools"}, false},
		{Difference{Step: "prompts/list", Path: "**"}, false},
		{Difference{Step: "*", Path: "**", Original: `["null","string"]`, Port: `"string"`}, true},
		{Difference{Step: "*", Path: "**", Original: `"string"`}, false},
		{Difference{Step: "*", Path: "**", Port: "-"}, false},
		{Difference{Step: "*", Path: "**", Original: `~\["null",.*\]`, Port: `~"\w+"`}, true},
		{Difference{Step: "*", Path: "**", Port: `~\w+`}, false},
	} {
		if got := test.d.covers("tools/list", f); got != test.want {
			t.Errorf("%+v: got %v, want %v", test.d, got, test.want)
		}
	}
}

// TestReport has a difference that is met, one of another revision, one that is not met, and what none covers.
func TestReport(t *testing.T) {
	r := newReport("2025-11-25", []Difference{
		{Step: "a", Path: "x", Why: "met"},
		{Step: "a", Path: "x", Revision: "2026-07-28", Why: "elsewhere"},
		{Step: "b", Path: "x", Why: "unmet"},
	})
	r.add("a", []found{{[]string{"x"}, "1", "2"}, {[]string{"y"}, "3", "-"}})
	got := strings.Join(r.all(), "\n")
	for _, want := range []string{"step \"a\", at y:\noriginal 3\nport     -", "no answers differ in this way: step \"b\", at x: original , port : unmet"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if n := len(r.all()); n != 2 {
		t.Errorf("got %d, want 2:\n%s", n, got)
	}
}
