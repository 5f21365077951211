package diff

import (
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/schema"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/revisions.md")

const revisionsDoc = "../../docs/revisions.md"

// rowNames are the rows of a table in docs/revisions.md, in their order.
var rowNames = []string{
	"methods added", "methods removed", "methods changed", "types added", "types removed", "types changed",
	"members added", "members removed", "members required now", "members optional now", "members retyped",
	"arms added", "arms removed", "values added", "values removed", "constants added", "constants removed", "constants changed", "deprecated",
}

// rowOf returns the row that a change belongs to, empty for documentation, and the name that stands there.
func rowOf(ch Change) (row, name string) {
	name = ch.Name
	if ch.Of != "" {
		name = ch.Of + "." + strings.Trim(ch.Name, `"`)
	}
	switch {
	case ch.Kind == Documented:
		return "", ""
	case ch.Kind == Deprecated:
		return "deprecated", name
	case ch.What == Member && ch.New == "required":
		return "members required now", name
	case ch.What == Member && ch.New == "optional":
		return "members optional now", name
	case ch.What == Member && ch.Kind == Changed:
		return "members retyped", name
	}
	return string(ch.What) + "s " + string(ch.Kind), name
}

// rowsOf returns the rows that say what changed: names in order, by row.
func rowsOf(changes []Change) map[string][]string {
	rows := map[string][]string{}
	for _, ch := range changes {
		if row, name := rowOf(ch); row != "" && !slices.Contains(rows[row], name) {
			rows[row] = append(rows[row], name)
		}
	}
	for _, names := range rows {
		slices.Sort(names)
	}
	return rows
}

// code matches what stands between backquotes.
var code = regexp.MustCompile("`([^`]+)`")

// documented returns the rows of the tables below a heading of a document.
func documented(section string) map[string][]string {
	rows := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.SplitN(line, "|", 3)
		if len(cells) != 3 || cells[0] != "" || strings.HasPrefix(line, "|--") || strings.HasPrefix(line, "| |") {
			continue
		}
		row := strings.TrimSpace(cells[1])
		rows[row] = []string{}
		for _, m := range code.FindAllStringSubmatch(cells[2], -1) {
			rows[row] = append(rows[row], m[1])
		}
		slices.Sort(rows[row])
	}
	return rows
}

// TestRevisionsDoc compares the tables of docs/revisions.md with the schemas.
func TestRevisionsDoc(t *testing.T) {
	data, err := os.ReadFile(revisionsDoc)
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.ReplaceAll(string(data), "\r\n", "\n")
	revisions := schema.Revisions()
	for i, newer := range revisions[1:] {
		heading := "\n## " + revisions[i].Name + " → " + newer.Name + "\n"
		rows := rowsOf(Compare(published(t, revisions[i].Name), published(t, newer.Name)))
		for row := range rows {
			if !slices.Contains(rowNames, row) {
				t.Errorf("a change belongs to the row %q, which no table has", row)
			}
		}
		before, rest, found := strings.Cut(doc, heading)
		section, after, more := strings.Cut(rest, "\n## ")
		if *update {
			prose, _, _ := strings.Cut(section, "\n| | |\n")
			doc = before + heading + strings.TrimRight(prose, "\n") + "\n" + table(rows)
			if more {
				doc += "\n## " + after
			}
			continue
		}
		if !found {
			t.Errorf("docs/revisions.md has no section %q (run with -update to add it)", strings.TrimSpace(heading))
			continue
		}
		compareRows(t, strings.TrimSpace(heading), documented(section), rows)
		mentions(t, strings.TrimSpace(heading), section, rows)
	}
	if *update {
		if err := os.WriteFile(revisionsDoc, []byte(doc), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func compareRows(t *testing.T, heading string, got, want map[string][]string) {
	t.Helper()
	all := maps.Clone(got)
	maps.Copy(all, want)
	for _, row := range slices.Sorted(maps.Keys(all)) {
		for _, name := range want[row] {
			if !slices.Contains(got[row], name) {
				t.Errorf("docs/revisions.md, %s, %s: %s is missing", heading, row, name)
			}
		}
		for _, name := range got[row] {
			if !slices.Contains(want[row], name) {
				t.Errorf("docs/revisions.md, %s, %s: %s is not so", heading, row, name)
			}
		}
	}
}

// mentions checks that a section has prose, and that what it names as changed is in the table, by itself or as a type.
func mentions(t *testing.T, heading, section string, rows map[string][]string) {
	t.Helper()
	prose, _, _ := strings.Cut(section, "\n| | |\n")
	if strings.TrimSpace(prose) == "" {
		t.Errorf("docs/revisions.md, %s: a paragraph above the table should say what it was about", heading)
	}
	names := slices.Concat(slices.Collect(maps.Values(rows))...)
	for _, m := range code.FindAllStringSubmatch(prose, -1) {
		if !slices.ContainsFunc(names, func(name string) bool {
			return name == m[1] || strings.HasPrefix(name, m[1]+".") || strings.HasSuffix(name, "."+m[1])
		}) {
			t.Errorf("docs/revisions.md, %s: the text names %s, which has not changed", heading, m[1])
		}
	}
}

// table returns the rows as Markdown.
func table(rows map[string][]string) string {
	var b strings.Builder
	b.WriteString("\n| | |\n|---|---|\n")
	for _, row := range rowNames {
		if len(rows[row]) > 0 {
			b.WriteString("| " + row + " | `" + strings.Join(rows[row], "`, `") + "` |\n")
		}
	}
	return b.String()
}

// What the document says wrong, leaves out or has in another row is found.
func TestRevisionsDocRows(t *testing.T) {
	rows := rowsOf([]Change{
		{Kind: Added, What: Method, Name: "a/b"}, {Kind: Changed, What: Member, Of: "T", Name: "m", Old: "optional", New: "required"},
		{Kind: Added, What: Value, Of: "V", Name: `"x"`}, {Kind: Documented, What: Type, Name: "D"}, {Kind: Deprecated, What: Type, Name: "T"},
	})
	want := map[string][]string{"methods added": {"a/b"}, "members required now": {"T.m"}, "values added": {"V.x"}, "deprecated": {"T"}}
	if !maps.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("got %v", rows)
	}
	if got := documented("text `a`\n" + table(rows)); !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("read back: %v", got)
	}
}
