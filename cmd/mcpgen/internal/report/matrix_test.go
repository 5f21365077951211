package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatrix(t *testing.T) {
	m := &Matrix{Columns: []string{"a", "b"}}
	p, q, method := m.Row("type", "P"), m.Row("type", "Q"), m.Row("method", "P")
	if m.Row("type", "P") != p || m.Row("method", "P") != method || len(m.Rows) != 3 || len(p.Cells) != 2 || len(p.Declarations) != 2 {
		t.Errorf("got the rows %+v", m.Rows)
	}
	first, second := p.Part("x"), p.Part("y")
	if p.Part("x") != first || p.Part("y") != second || len(p.Parts) != 2 || len(first.Cells) != 2 || len(first.Text) != 2 {
		t.Errorf("got the parts %+v", p.Parts)
	}
	m.Sort("method", "type")
	if m.Rows[0] != method || m.Rows[1] != p || m.Rows[2] != q {
		t.Errorf("sorted: %+v", m.Rows)
	}
}

func TestShownCells(t *testing.T) {
	m := &Matrix{Columns: []string{"1", "2", "3", "4", "5", "6", "7"}}
	got := m.shownCells([]Cell{Absent, Present, Present, Optional, Optional, Absent, Absent}, []string{"", "a", "a", "a", "b", "", ""})
	want := []shownCell{
		{"", "·", "1: absent"},
		{"added", "+●", "2: present, added"},
		{"", "●", "3: present"},
		{"changed", "~○", "4: optional, changed"},
		{"changed", "~○", "5: optional, changed"},
		{"removed", "−", "6: absent, removed"},
		{"", "·", "7: absent"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestShownLines(t *testing.T) {
	want := []shownLine{{"", "a"}, {"added", "b"}, {"", "c"}}
	if diff := cmp.Diff(want, shownLines("a\nb\nc\n", "c\na\n", "added")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestShortNames(t *testing.T) {
	for _, test := range []struct{ columns, want string }{
		{"2001-01-01 2002-02-02", "01-01-01 02-02-02"},
		{"before.json after.json", "old new"},
		{"before.json 2001-01-01 between.json 1999-01-01 after.json", "old 01-01-01 between.json 1999-01-01 new"},
		{"20-a-b 20-a-b-old 2001-01-1a-", "old 20-a-b-old new"},
		{"x 20010101ab 1901-01-01 20-1-1 y", "old 20010101ab 1901-01-01 20-1-1 new"},
	} {
		if got := strings.Join(shortNames(strings.Fields(test.columns)), " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.columns, got, test.want)
		}
	}
}

// TestPageRow says of a row whether it has changed: because of changes, or because a declaration has.
func TestPageRow(t *testing.T) {
	changed := []Change{{Kind: "changed", Text: "Text"}}
	breaking := []Change{{Kind: "changed", Text: "one", Breaks: "clients"}, {Kind: "changed", Text: "two"}}
	for _, test := range []struct {
		name              string
		declarations      []string
		changes           []Change
		changed, breaking bool
		words             string
	}{
		{"the same", []string{"a", "a", "a"}, nil, false, false, "p x"},
		{"changes alone", []string{"a", "a", "a"}, changed, true, false, "p x text"},
		{"between others", []string{"a", "b", "b"}, nil, true, false, "p x"},
		{"it breaks", []string{"a", "a", "b"}, breaking, true, true, "p x one two"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &Report{Matrix: &Matrix{Columns: []string{"1", "2", "3"}}}
			row := r.Matrix.Row("type", "P")
			row.Cells, row.Declarations = []Cell{Present, Present, Present}, test.declarations
			row.Part("X")
			got := r.pageRow(row, test.changes)
			if got.Changed != test.changed || got.Breaking != test.breaking || got.Words != test.words {
				t.Errorf("got %+v", got)
			}
			if last := test.declarations[2]; (got.Old[0].Class == "removed") != (last != "a") || (got.New[0].Class == "added") != (last != "a") {
				t.Errorf("got the declarations %v and %v", got.Old, got.New)
			}
		})
	}
}

// TestHTMLKinds offers each kind of rows once, and shows changes of one subject that come apart in one row.
func TestHTMLKinds(t *testing.T) {
	m := &Matrix{Columns: []string{"1"}}
	for _, what := range []string{"type", "method"} {
		for _, name := range []string{"a", "b"} {
			m.Row(what, name)
		}
	}
	one, two := Change{Kind: "added", Text: "one"}, Change{Kind: "added", Text: "two"}
	r := &Report{Matrix: m, Sections: []Section{{Subjects: []Subject{{"type", "a", []Change{one}}, {"type", "a", []Change{two}}}}}}
	var page strings.Builder
	if err := r.HTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<option value="">everything</option><option value="type">types</option><option value="method">methods</option></select>`,
		`data-words="a one two"`, `data-words="b"`,
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("there is no %s in\n%s", want, page.String())
		}
	}
}

func TestAdd(t *testing.T) {
	one, two := Change{Kind: "added", Text: "one"}, Change{Kind: "removed", Text: "two"}
	var got Section
	got.Add("type", "a", one)
	got.Add("type", "a", two)
	got.Add("type", "b", two)
	got.Add("method", "b", one)
	want := []Subject{{"type", "a", []Change{one, two}}, {"type", "b", []Change{two}}, {"method", "b", []Change{one}}}
	if diff := cmp.Diff(want, got.Subjects); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestArrow(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{{"a", "b", "a → b"}, {"a", "", "a"}, {"", "b", "b"}} {
		if got := Arrow(test.old, test.new); got != test.want {
			t.Errorf("Arrow(%q, %q) = %q", test.old, test.new, got)
		}
	}
}

// TestSections puts the only change of a subject on its line if it is about all of it, and folds at the width.
func TestSections(t *testing.T) {
	whole := Change{Kind: "added", Whole: true}
	sections := []Section{{Subjects: []Subject{
		{"type", "a", []Change{{Kind: "added", Text: "part"}}},
		{"type", "b", []Change{whole}},
		{"type", "c", []Change{whole, {Kind: "changed", Text: "more"}}},
		{"", "d", []Change{{Kind: "added", Text: "\x1b", Whole: true}}},
		{"type", "abcdef ghij kl", []Change{whole}},
		{"type", "abcdefghijklmnopqr", []Change{whole}},
	}}}
	var got strings.Builder
	Sections(&got, Style{Width: 18}, sections)
	const want = `
  type a
+   part

+ type b

  type c
+
~   more

+ d: \u001b

+ type abcdef ghij
    kl

+ type
    abcdefghijklmnopqr
`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(strings.ReplaceAll(got.String(), "+   \n", "+\n"), "\n")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got.Reset()
	Sections(&got, Style{Width: 17}, sections[:1])
	if !strings.Contains(got.String(), "\n+ type abcdef\n    ghij kl\n") {
		t.Errorf("got\n%s", &got)
	}
	var markdown strings.Builder
	(&Report{Old: "a", New: "b", Summary: "None.", Sections: []Section{{Title: "T", Note: "n"}}}).Markdown(&markdown)
	if want := "## a → b\n\nNone.\n\n### T\n\nn\n"; markdown.String() != want {
		t.Errorf("got %q", markdown.String())
	}
}
