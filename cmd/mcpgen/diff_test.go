package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/model/diff"
	"github.com/mcpgen/mcpgen/schema"
)

// TestDiffPairs compares each revision with each later one in every format. Of the pages, the digests are
// compared: TestDiffPage says what is in them.
func TestDiffPairs(t *testing.T) {
	var pages strings.Builder
	for _, p := range revisionPairs() {
		d, err := compare(t.Context(), p[0], p[1], true)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range diffFormats {
			var got strings.Builder
			d.print(&got, format, diffFilter{})
			name := p[0] + "_" + p[1]
			if format == "html" {
				fmt.Fprintf(&pages, "%x  %s\n", sha256.Sum256([]byte(got.String())), name)
				continue
			}
			golden(t, filepath.Join("testdata", "diff", name+"."+format), got.String())
		}
	}
	golden(t, filepath.Join("testdata", "diff", "html.sha256"), pages.String())
}

func revisionPairs() (pairs [][2]string) {
	all := schema.Revisions()
	for i, older := range all {
		for _, newer := range all[i+1:] {
			pairs = append(pairs, [2]string{older.Name, newer.Name})
		}
	}
	return pairs
}

// golden compares a text with a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s: -want +got (run with -update to accept):\n%s", file, diff)
	}
}

// TestDiffPage finds on the page every change that the other formats have, and a row for everything that a
// revision declares, with all its columns.
func TestDiffPage(t *testing.T) {
	revisions := schema.Revisions()
	first, last := revisions[0].Name, revisions[len(revisions)-1].Name
	d, err := compare(t.Context(), first, last, true)
	if err != nil {
		t.Fatal(err)
	}
	var page, text strings.Builder
	d.print(&page, "html", diffFilter{})
	d.print(&text, "json", diffFilter{})
	var all struct{ Changes []diff.Change }
	if err := json.Unmarshal([]byte(text.String()), &all); err != nil || len(all.Changes) == 0 {
		t.Fatal(len(all.Changes), err)
	}
	shown := html.UnescapeString(page.String())
	for _, ch := range all.Changes {
		if what := said(ch); what != "" && !strings.Contains(shown, "<code>"+what+"</code>") {
			t.Errorf("the page lacks %+v", ch)
		}
	}
	for _, r := range revisions {
		if !strings.Contains(shown, fmt.Sprintf(`<span title="%s">%s</span>`, r.Name, r.Name[2:])) {
			t.Errorf("the page has no column of %s", r.Name)
		}
		in := inputs{revisions: []string{r.Name}}
		s, err := in.merged()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range s.Methods {
			if !strings.Contains(shown, `<span class="faint">method</span> `+m.Name+"<") {
				t.Errorf("the page has no row of %s", m.Name)
			}
		}
	}
	if want := `const JSONRPC_VERSION = "2.0"`; !strings.Contains(shown, want) {
		t.Errorf("the page has no line %s", want)
	}
	row := shown[strings.Index(shown, `<span class="faint">method</span> elicitation/create<`):]
	row, _, _ = strings.Cut(row, "</summary>")
	for _, want := range []string{"2024-11-05: absent", "2025-06-18: present, added", "2026-07-28: present, changed"} {
		if !strings.Contains(row, want) {
			t.Errorf("the row of elicitation/create does not say %q: %s", want, row)
		}
	}
}

// TestDiffGo adds a file to the revisions that mcpgen has, and replaces one of them.
func TestDiffGo(t *testing.T) {
	revisions := schema.Revisions()
	last := revisions[len(revisions)-1].Name
	src, err := schema.Source(last)
	if err != nil {
		t.Fatal(err)
	}
	const before, after = "export interface Root {\n", "export interface Root {\n  label?: string;\n"
	retyped := strings.Replace(string(src), before, after, 1)
	if retyped == string(src) {
		t.Fatalf("the schema of %s has no %q", last, before)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("next.ts", []byte(retyped), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, arg := range []string{"next.ts@2099-01-01", "next.ts@" + last} {
		there := mcpgen(t, "diff", last, arg)
		if !strings.Contains(there, "  type Root\n+   member label?: string\n") || !strings.Contains(there, "0 for Go callers") {
			t.Errorf("diff %s %s:\n%s", last, arg, there)
		}
		back := mcpgen(t, "diff", arg, last)
		if !strings.Contains(back, "  Root\n-   Label: string\n") {
			t.Errorf("diff %s %s:\n%s", arg, last, back)
		}
	}
}

// TestDiffMatrix has a column for each revision between two, in their order, and none between files.
func TestDiffMatrix(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, r := range []string{"2025-03-26", "2025-11-25"} {
		src, err := schema.Source(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r+".ts", src, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		older, newer string
		want         []string
	}{
		{"2024-11-05", "2025-11-25", []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}},
		{"2025-11-25", "2024-11-05", []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}},
		{"2025-03-26.ts@2025-03-26", "2025-11-25", []string{"2025-03-26.ts@2025-03-26", "2025-06-18", "2025-11-25"}},
		{"2025-03-26", "2025-11-25.ts@2025-11-25", []string{"2025-03-26", "2025-06-18", "2025-11-25.ts@2025-11-25"}},
		{"2025-03-26.ts@2025-03-26", "2025-11-25.ts@2025-11-25", []string{"2025-03-26.ts@2025-03-26", "2025-11-25.ts@2025-11-25"}},
	} {
		var models [2]*model.Schema
		for i, arg := range []string{test.older, test.newer} {
			in := inputs{}
			if isRevision(arg) {
				in.revisions = []string{arg}
			} else {
				in.files = []string{arg}
			}
			s, err := in.merged()
			if err != nil {
				t.Fatal(err)
			}
			models[i] = s
		}
		if m := schemaMatrix([2]string{test.older, test.newer}, models); !slices.Equal(m.Columns, test.want) {
			t.Errorf("%s and %s: got %q", test.older, test.newer, m.Columns)
		}
	}
}

// TestLockChange tells what is added and removed from what is changed.
func TestLockChange(t *testing.T) {
	for text, want := range map[string]string{
		"added": "added", "added, and required": "added", "added: a": "added", "addedly": "changed",
		"removed": "removed", "removed, was 1": "removed", "removedly": "changed", "renamed to b": "changed",
	} {
		if got := lockChange(tools.Change{Text: text}); got.Kind != want || got.Text != text || !got.Whole || got.Breaks != "" {
			t.Errorf("%s: got %+v", text, got)
		}
	}
	if got := lockChange(tools.Change{Path: "input.a", Text: "removed", Breaking: true}); got.Text != "input.a: removed" || got.Whole || got.Breaks != "callers" {
		t.Errorf("got %+v", got)
	}
}

// TestExtensionWith finds the extensions that mcpgen knows by their identifiers, and takes others as of the newest revision.
func TestExtensionWith(t *testing.T) {
	for _, x := range schema.Extensions() {
		if got := extensionWith(x.ID); got != x {
			t.Errorf("%s: got %+v", x.ID, got)
		}
	}
	revisions := schema.Revisions()
	if got, want := extensionWith("com.example/a/jobs"), (schema.Extension{Name: "jobs", ID: "com.example/a/jobs", Revision: revisions[len(revisions)-1].Name}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
