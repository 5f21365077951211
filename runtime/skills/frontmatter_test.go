package skills_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/skills"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ SKILL-04: all that the author wrote is in the JSON.
func TestFrontmatter(t *testing.T) {
	const start = "---\nname: a\ndescription: b\n"
	for text, want := range map[string]string{
		"":                                     ``,
		"license: Apache-2.0\n":                `,"license":"Apache-2.0"`,
		"metadata: {version: 1.10, n: [1, x]}": `,"metadata":{"n":[1,"x"],"version":1.1}`,
		"a-b: yes\nc: no\nd: true\ne: False\n": `,"a-b":"yes","c":"no","d":true,"e":false`,
		"x: ~\ny:\nz: null\n":                  `,"x":null,"y":null,"z":null`,
		"x: 2026-07-28\n":                      `,"x":"2026-07-28"`,
		"x: 0x1F\ny: 0o17\nz: .5\nw: +2\n":     `,"w":2,"x":31,"y":15,"z":0.5`,
		"x: \"0777\"\ny: '1_0'\n":              `,"x":"0777","y":"1_0"`,
		"x: &a [1]\ny: *a\n":                   `,"x":[1],"y":[1]`,
		"x: |\n  one\n  two\n":                 `,"x":"one\ntwo\n"`,
		"x: >-\n  one\n  two\n":                `,"x":"one two"`,
		"x: a # why\n":                         `,"x":"a"`,
		"\"1\": a\n":                           `,"1":"a"`,
		"x: !!str 1\n":                         `,"x":"1"`,
		"x: 0x7fffffffffffffff\n":              `,"x":9223372036854775807`,
	} {
		f, err := skills.Frontmatter([]byte(start + text + "\n---\nbody\n"))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got, err := wire.Marshal(wire.Any, f)
		if want := `{"name":"a","description":"b"` + want + `}`; err != nil || string(got) != want {
			t.Errorf("%q: got %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"\ufeff---\r\nname: a\r\ndescription: b\r\n---", "--- \nname: a\ndescription: b\n---\t\n---\n"} {
		if f, err := skills.Frontmatter([]byte(text)); err != nil || f.Name != "a" || f.Description != "b" || f.Extra != nil {
			t.Errorf("%q: got %+v, %v", text, f, err)
		}
	}
}

// REQ SKILL-04: what readers of YAML understand in different ways, or what costs too much, is an error.
func TestFrontmatterErrors(t *testing.T) {
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for _, s := range []string{"1", "2", "3", "4", "5", "6"} {
		before := string(s[0] - 1)
		bomb += "a" + s + ": &a" + s + " [" + strings.TrimSuffix(strings.Repeat("*a"+before+",", 10), ",") + "]\n"
	}
	for text, want := range map[string]string{
		"":                                      "want --- as the first line",
		"# A":                                   "want --- as the first line",
		"---\nname: a\n":                        "want a line --- at its end",
		"---\n" + strings.Repeat("#\n", 40_000): "want at most 65536 bytes",
		"---\n---\n":                            "want names with values",
		"---\n- a\n---\n":                       "want names with values",
		"---\nname: a\n---\n":                   "missing required member: description",
		"---\nname: 1\ndescription: b\n---\n":   "name: want string, got number",
		"---\nname: a\nname: b\n---\n":          `mapping key "name" already defined`,
		"---\n1: a\n---\n":                      "want a text as a name",
		"---\n? [a]\n: b\n---\n":                "want a text as a name",
		"---\nx: &x {a: 1}\ny: {<<: *x}\n---\n": "want a text as a name",
		"---\nx: 0777\n---\n":                   "line 2: 0777 is not the same number for all readers",
		"---\nx: 1_000\n---\n":                  "1_000 is not the same number",
		"---\nx: .inf\n---\n":                   ".inf is not the same number",
		"---\nx: 1e999\n---\n":                  "",
		"---\nx: !!binary aGk=\n---\n":          "got !!binary",
		"---\nx: !own 1\n---\n":                 "got !own",
		"---\nx: *none\n---\n":                  "unknown anchor",
		"---\nx: &x [*x]\n---\n":                "",
		"---\nx: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n---\n": "want at most 32 levels",
		"---\n" + bomb + "---\n": "want at most 10000 values",
		"---\nx: &x " + strings.Repeat("x", 1000) + "\ny: [" + strings.Repeat("*x,", 65) + "]\n---\n": "want texts of at most 65536 bytes together",
		"---\nx: [\n---\n":        "",
		"---\nx: \"\xff\"\n---\n": "",
	} {
		f, err := skills.Frontmatter([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got %+v, %v; want %s", text, f, err, want)
		}
	}
}

// What is within the bounds is read, and one level or value more is an error.
func TestFrontmatterBounds(t *testing.T) {
	nested := func(n int, open, end string) string { return strings.Repeat(open, n) + strings.Repeat(end, n) }
	for name, test := range map[string]struct {
		most int
		text func(n int) string
	}{
		"levels of lists":   {32, func(n int) string { return "x: " + nested(n, "[", "]") }},
		"levels of objects": {32, func(n int) string { return "x: " + nested(n-1, "{a: ", "}") }},
		"levels of aliases": {32, func(n int) string { return "x: &x " + nested(n-1, "[", "]") + "\ny: *x" }},
		"values":            {10_000 - 7, func(n int) string { return "x: [" + strings.Repeat("1,", n) + "]" }},
	} {
		for n, good := range map[int]bool{test.most: true, test.most + 1: false} {
			_, err := skills.Frontmatter([]byte("---\nname: a\ndescription: b\n" + test.text(n) + "\n---\n"))
			if (err == nil) != good || err != nil && !strings.Contains(err.Error(), "want at most") {
				t.Errorf("%d %s: got %v", n, name, err)
			}
		}
	}
}

// REQ SKILL-13: numbers are compared as values, everything else as it is.
func TestCompare(t *testing.T) {
	parse := func(text string) func() ([]byte, error) {
		return func() ([]byte, error) { return []byte("---\nname: a\ndescription: b\n" + text + "\n---\n"), nil }
	}
	for _, test := range []struct {
		a, b string
		want string
	}{
		{"x: 1.0", "x: 1", ""},
		{"x: {a: 1, b: [2]}", "x: {b: [2], a: 1}", ""},
		{"x: 1", "x: '1'", "x of the file"},
		{"x: null", "", "x of the file"},
		{"", "x: 1", "x of the file"},
		{"x: [1, 2]", "x: [2, 1]", "x of the file"},
		{"x: {a: 1}", "x: {a: 1, b: 2}", "x of the file"},
		{"x: 1\ny: 1\nz: 1\nw: 1", "x: 2\ny: 2\nz: 2\nw: 2", "w of the file"},
	} {
		a, _ := parse(test.a)()
		b, _ := parse(test.b)()
		left, err := skills.Frontmatter(a)
		if err != nil {
			t.Fatal(err)
		}
		right, err := skills.Frontmatter(b)
		if err != nil {
			t.Fatal(err)
		}
		err = skills.Compare(left, right)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q and %q: got %v", test.a, test.b, err)
		}
	}
}

// Whatever comes, reading does not panic, and what it accepts is the same when it is compared with itself.
func FuzzFrontmatter(f *testing.F) {
	f.Add("name: a\ndescription: b\nx: &x [1, 2.50, {y: *x}]\n")
	f.Add("name: 'a'\n\"description\": |\n  b\nm: {<<: {}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		front, err := skills.Frontmatter([]byte("---\n" + text + "\n---\n"))
		if err != nil {
			return
		}
		if err := skills.Compare(front, front); err != nil {
			t.Fatal(err)
		}
	})
}
