package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sample returns a report with all that a report can have.
func sample() *Report {
	m := &Matrix{Columns: []string{"2001-01-01", "2002-02-02"}}
	p := m.Row("type", "P")
	p.Cells, p.Declarations = []Cell{Present, Present}, []string{"interface P {\n  c: string;\n}\n", "interface P {\n  b: number;\n}\n"}
	p.Part("c").Cells[0], p.Part("b").Cells[1] = Present, Optional
	same := m.Row("type", "Same")
	same.Cells, same.Declarations = []Cell{Present, Present}, []string{"type Same = string\n", "type Same = string\n"}
	return &Report{
		Old: "2001-01-01", New: "2002-02-02", Summary: "Changes: 5.", Matrix: m,
		Sections: []Section{
			{Subjects: []Subject{
				{What: "type", Name: "P", Changes: []Change{
					{Kind: "added", Text: "member b: number", Breaks: "clients: it must be sent"},
					{Kind: "removed", Text: "member c: string"},
					{Kind: "deprecated", Text: "member d: deprecated: use b"},
				}},
				{What: "type", Name: "Long", Changes: []Change{{Kind: "added", Whole: true,
					Text: "{ " + strings.Repeat("first?: string; second?: { [key: string]: unknown }; ", 6) + "}"}}},
			}},
			{Title: "What breaks Go callers", Note: "A <note>.",
				Subjects: []Subject{{Name: "P", Changes: []Change{{Kind: "changed", Text: "string → *string", Whole: true}}}}},
		},
	}
}

func TestText(t *testing.T) {
	var got strings.Builder
	sample().Text(&got, Style{Width: 60})
	const want = `2001-01-01 → 2002-02-02
Changes: 5.

  type P
+   member b: number
      breaks clients: it must be sent
-   member c: string
!   member d: deprecated: use b

+ type Long: { first?: string; second?: { [key: string]:
    unknown }; first?: string; second?: { [key: string]:
    unknown }; first?: string; second?: { [key: string]:
    unknown }; first?: string; second?: { [key: string]:
    unknown }; first?: string; second?: { [key: string]:
    unknown }; first?: string; second?: { [key: string]:
    unknown }; }

What breaks Go callers

~ P: string → *string

  A <note>.
`
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
}

// A word that is wider than the terminal stands on a line of its own.
func TestTextNarrow(t *testing.T) {
	var got strings.Builder
	r := &Report{Old: "a", New: "b", Summary: "one " + strings.Repeat("x", 30) + " two"}
	r.Text(&got, Style{Width: 20})
	if want := "a → b\none\n  " + strings.Repeat("x", 30) + "\n  two\n"; got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
}

// What is no terminal gets neither colours nor folds.
func TestStyleOfFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := StyleOf(f, os.Getenv); got != (Style{}) {
		t.Errorf("got %+v", got)
	}
	if got := StyleOf(&strings.Builder{}, os.Getenv); got != (Style{}) {
		t.Errorf("got %+v", got)
	}
}

func TestMarkdown(t *testing.T) {
	var got strings.Builder
	r := sample()
	r.Sections[0].Subjects = r.Sections[0].Subjects[:1]
	r.Sections[0].Subjects[0].Changes[1].Text = "a | b"
	r.Markdown(&got)
	const want = "## 2001-01-01 → 2002-02-02\n\nChanges: 5.\n\n| | what | change | breaks |\n|---|---|---|---|\n" +
		"| + | type `P` | member b: number | clients: it must be sent |\n| - |  | a \\| b |  |\n| ! |  | member d: deprecated: use b |  |\n" +
		"\n### What breaks Go callers\n\n| | what | change | breaks |\n|---|---|---|---|\n| ~ | `P` | string → *string |  |\n\nA <note>.\n"
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
}

// The page loads nothing, escapes what it shows, and says of each row whether it changed.
func TestHTML(t *testing.T) {
	var page strings.Builder
	if err := sample().HTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`data-kind="type" data-words="p c b member b: number member c: string member d: deprecated: use b" data-changed data-breaking>`,
		`data-kind="type" data-words="same">`,
		`<span class="removed">  c: string;</span>`, `<span class="added">  b: number;</span>`, "A &lt;note&gt;.",
		`<span class="cell added" title="2002-02-02: optional, added">&#43;○</span>`, `<span class="cell removed" title="2002-02-02: absent, removed">−</span>`,
		`title="2001-01-01">01-01-01</span>`,
		`<span class="name"><span class="faint">type</span> P<span class="tag">breaking</span></span>`,
		`<li><b class="added">&#43;</b><code>member b: number</code><span class="why">breaks clients: it must be sent</span></li>`,
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("there is no %s in\n%s", want, page.String())
		}
	}
	if n := strings.Count(page.String(), "<section>"); n != 1 {
		t.Errorf("there are %d other sections", n)
	}
	for _, link := range []string{"http:", "https:", "src=", "<link", "url(", "@import", "href="} {
		if strings.Contains(page.String(), link) {
			t.Errorf("the page has %s", link)
		}
	}
}
