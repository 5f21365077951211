package directive

import (
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("-want +got (run with -update to accept):\n%s", diff)
	}
}

// TestParse parses comments. A case is a line of testdata/parse.txt, a place and a comment; the indented lines below it say
// what the comment means and what is wrong, with positions from 0.
func TestParse(t *testing.T) {
	const name = "testdata/parse.txt"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]Place{"function": Function, "type": Type, "field": Field, "constant": Constant, "package": Package, "nowhere": ""}
	var got strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		got.WriteString(line)
		line = strings.TrimSuffix(line, "\n")
		word, comment, ok := strings.Cut(line, " ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		place, known := places[word]
		if !known {
			t.Fatalf("%s is no place", word)
		}
		c := &ast.Comment{Slash: 100, Text: strings.ReplaceAll(comment, "<ff>", "\xff")}
		d, problems := Parse(c, place, "move it")
		if d != nil {
			fmt.Fprintf(&got, "\t%s\n", shown(d))
			if d.Comment != c || d.Place != place || d.Pos() != c.Slash {
				t.Errorf("%s: the place is lost", line)
			}
		}
		for _, p := range problems {
			fmt.Fprintf(&got, "\t%d: %s\n", p.Pos-c.Slash, strings.ReplaceAll(p.Msg, "\xff", "<ff>"))
			if p.Old != "" || p.New != "" {
				fmt.Fprintf(&got, "\t\t%q → %q\n", p.Old, p.New)
			}
			if begin := int(p.Pos - c.Slash); !strings.HasPrefix(c.Text[begin:], p.Old) {
				t.Errorf("%s: there is no %q at %d", line, p.Old, begin)
			}
		}
	}
	golden(t, name, got.String())
}

func shown(d *Directive) string {
	parts := []string{d.String()}
	for _, w := range d.Words {
		parts = append(parts, fmt.Sprintf("word %q at %d", w.Text, w.Pos-d.Pos()))
	}
	for _, v := range d.Given {
		parts = append(parts, fmt.Sprintf("%s=%q at %d", v.Key, v.Text, v.Pos-d.Pos()))
		if first := d.Get(v.Key); first == nil || !d.Has(v.Key) || d.All(v.Key)[0] != first || first.Key != v.Key {
			parts = append(parts, "which nobody finds")
		}
	}
	if d.Free != (Word{}) {
		parts = append(parts, fmt.Sprintf("text %q at %d", d.Free.Text, d.Free.Pos-d.Pos()))
	}
	return strings.Join(parts, ", ")
}

func TestValues(t *testing.T) {
	d := &Directive{Spec: Lookup("tool"), Given: []Value{{Key: "oneof", Text: "a"}, {Key: "open"}, {Key: "oneof", Text: "b"}}}
	if all := d.All("oneof"); len(all) != 2 || all[0].Text != "a" || all[1].Text != "b" || len(d.All("name")) != 0 {
		t.Errorf("got %v", all)
	}
	if d.Get("oneof").Text != "a" || d.Get("name") != nil || !d.Has("open") || d.Has("strict") {
		t.Error("a value is not found, or one that is not there is")
	}
	d.Tag = "mcp"
	if got := d.String(); got != "the tag mcp of" {
		t.Error(got)
	}
}

// Which directives may stand more than once above the same thing.
func TestRepeat(t *testing.T) {
	var got []string
	for _, s := range All() {
		if s.Repeat {
			got = append(got, s.Name)
		}
	}
	if diff := cmp.Diff([]string{"tool", "param", "result", "desc", "resource", "icon", "complete", "nolint"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTable(t *testing.T) { golden(t, "testdata/table.txt", Table()) }

func TestJoin(t *testing.T) {
	for _, values := range [][]string{{""}, {"a", "b"}, {"a,b", `c\`, ""}, {`\,`}} {
		if got := Split(Join(values)); !slices.Equal(got, values) {
			t.Errorf("%q: got %q", values, got)
		}
	}
	if got := Join([]string{"a,b", `c\d`}); got != `a\,b,c\\d` {
		t.Error(got)
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{"a b": "a b", "é": "é", "a\nb": `"a\nb"`, "\u202e": `"\u202e"`} {
		if got := Visible(in); got != want {
			t.Errorf("%q: got %s", in, got)
		}
	}
}

func TestCutParts(t *testing.T) {
	for name, want := range map[string][2]string{
		"min": {"", "min"}, "items.min": {"items", "min"}, "values.items.min": {"values.items", "min"}, "keys.min": {"keys", "min"},
		"item.min": {"", "item.min"}, "items": {"", "items"}, "items.": {"items", ""},
	} {
		if of, base := CutParts(name); [2]string{of, base} != want {
			t.Errorf("%s: got %q, %q", name, of, base)
		}
	}
}
