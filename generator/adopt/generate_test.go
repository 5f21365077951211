package adopt

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var update = flag.Bool("update", false, "write what is generated to the cases in testdata")

// TestGenerate compares the packages that are made of the recordings in testdata with what is there, and the notes with the
// file notes. That such packages offer what the recording has is tested in cmd/mcpgen.
func TestGenerate(t *testing.T) {
	files, err := filepath.Glob("testdata/generate/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := Parse(file, a.Files[0].Data)
			if err != nil {
				t.Fatal(err)
			}
			made, err := Generate(rec, "example")
			if err != nil {
				t.Fatal(err)
			}
			source := string(made.Source)
			if filepath.Base(file) != "about.txtar" { // which has what all have in common
				head, rest, _ := strings.Cut(source, "package example\n")
				_, rest, _ = strings.Cut(rest, "const Instructions")
				source = head + "const Instructions" + rest
			}
			got := map[string]string{"notes": strings.Join(append(made.Notes, ""), "\n"), "tools.go": source}
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "notes", Data: []byte(got["notes"])}, txtar.File{Name: "tools.go", Data: []byte(source)})
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, f := range a.Files[1:] {
				if diff := cmp.Diff(string(f.Data), got[f.Name]); diff != "" {
					t.Errorf("%s: run go test -run TestGenerate -update and look at the difference:\n%s", f.Name, diff)
				}
			}
		})
	}
}

// TestGenerateLimits makes no package of too many tools, and no name or note that is too long.
func TestGenerateLimits(t *testing.T) {
	r := &Recording{Revisions: []Revision{{Revision: "2025-06-18"}}}
	tools := &r.Revisions[0].Tools
	for i := range maxTools {
		*tools = append(*tools, mcp.Tool{Name: fmt.Sprintf("t%d", i), InputSchema: wire.Raw(`{"type":"object"}`)})
	}
	if made, err := Generate(r, "p"); err != nil || made.Tools != maxTools {
		t.Errorf("at the limit: %v", err)
	}
	*tools = append(*tools, mcp.Tool{Name: "more", InputSchema: wire.Raw(`{"type":"object"}`)})
	if _, err := Generate(r, "p"); err == nil {
		t.Errorf("%d tools, and no error", len(*tools))
	}

	long := strings.Repeat("ä", 2*maxShown)
	taken := map[string]bool{}
	for _, name := range []string{unique(taken, "A"+long[:maxShown], ""), unique(taken, long, ""), unique(taken, long, "")} {
		if len(name) > maxShown+1 || strings.ContainsRune(name, '�') {
			t.Errorf("a name is %q", name)
		}
	}
	if len(taken) != 3 {
		t.Errorf("names %v, want three", taken)
	}
	g := generation{tool: long}
	for range maxDifferences + 1 {
		g.note(strings.Repeat("p", 3*maxShown), strings.Repeat("w", 3*maxShown))
	}
	if want := "tool " + long[:2*maxShown] + "…: " + strings.Repeat("p", 2*maxShown) + "…" + strings.Repeat("w", 2*maxShown) + "…"; len(g.notes) != maxDifferences || g.notes[0] != want {
		t.Errorf("%d notes, the first is %q, want %q", len(g.notes), g.notes[0], want)
	}
}

// TestTooLarge makes any JSON of schemas that are too deep or have too many parts.
func TestTooLarge(t *testing.T) {
	deep := func(n int) string {
		return strings.Repeat(`{"type":"array","items":`, n) + `{"type":"string"}` + strings.Repeat("}", n)
	}
	var wide strings.Builder
	for i := range maxParts {
		fmt.Fprintf(&wide, `"p%d":{},`, i)
	}
	for _, test := range []struct {
		schema, has string
		notes       int
	}{
		{`{"type":"object","properties":{` + wide.String() + `"q":{}}}`, "`json:\"q,omitempty\"`", 2},
		{deep(maxDepth - 2), strings.Repeat("[]", maxDepth-2) + "string", 0},
		{deep(maxDepth + 1), strings.Repeat("[]", maxDepth) + "any", 1},
		{`{"type":"string","enum":["` + strings.Join(slices.Repeat([]string{"a"}, maxItems+1), `","`) + `"]}`, "json.RawMessage", 1},
		{`{"type":"integer","not":{"enum":["` + strings.Repeat("x", maxResult) + `"]}}`, "V any", 1},
		{`{"allOf":[` + strings.Repeat(`{"minimum":1},`, maxParts) + `{}]}`, "V any", 1},
	} {
		r := with("2025-06-18", mcp.Tool{InputSchema: wire.Raw(`{"type":"object","properties":{"v":` + test.schema + `}}`)})
		made, err := Generate(r, "p")
		if err != nil || !strings.Contains(string(made.Source), test.has) || len(made.Notes) != test.notes {
			t.Errorf("%.60s: want %s and %d notes, got %v: %.2000s", test.schema, test.has, test.notes, err, made.Source)
			t.Log(made.Notes)
		}
	}
}

// TestLimitOfEach has the limit of parts for each schema, not for all of them.
func TestLimitOfEach(t *testing.T) {
	var half strings.Builder
	for i := range maxParts / 2 {
		fmt.Fprintf(&half, `"p%d":{},`, i)
	}
	schema := wire.Raw(`{"type":"object","properties":{` + half.String() + `"q":{}}}`)
	r := &Recording{Revisions: []Revision{{Revision: "2025-06-18", Tools: []mcp.Tool{{Name: "a", InputSchema: schema}, {Name: "b", InputSchema: schema}}}}}
	if made, err := Generate(r, "p"); err != nil || len(made.Notes) > 0 {
		t.Errorf("notes %q, %v", made.Notes, err)
	}
}

// TestShared knows which regular expressions mean the same in Go and in JavaScript.
func TestShared(t *testing.T) {
	for pattern, want := range map[string]bool{
		"^[a-z]+$": true, `\d{3}-\w*`: true, `(?:a|b)`: true, `a\\z`: true, `\.\*\/`: true, `[^a]`: true, `a[]]`: false,
		`(?=a)`: false, `(?i)a`: false, `(?P<n>a)`: false, `\pL`: false, `\z`: false, `\x41`: false, `[[:alpha:]]`: false, `[^]a]`: false, `(`: false, "a\u202e": false,
	} {
		if got := isShared(pattern); got != want {
			t.Errorf("isShared(%q) = %t", pattern, got)
		}
	}
}

// TestPlainNumber writes numbers as directives have them, or not at all.
func TestPlainNumber(t *testing.T) {
	for _, test := range []struct {
		v     any
		whole bool
		want  string
	}{
		{json.Number("1.0"), true, "1"},
		{json.Number("1e3"), true, "1000"},
		{json.Number("-0.5"), false, "-0.5"},
		{json.Number("0.5"), true, ""},
		{json.Number("9007199254740993"), true, "9007199254740993"},
		{json.Number("9007199254740993.5"), true, ""},
		{json.Number("999999999999999.5"), false, "999999999999999.5"},
		{json.Number("1e15"), false, "1000000000000000"},
		{json.Number("1e16"), false, ""},
		{json.Number("1e-10"), false, ""},
		{json.Number("1e400"), false, ""},
		{json.Number("9223372036854775808"), true, ""},
		{"1", true, ""},
		{nil, false, ""},
	} {
		got, ok := plainNumber(test.v, test.whole)
		if ok != (test.want != "") || ok && got != test.want {
			t.Errorf("plainNumber(%v, %t) = %q, %t, want %q", test.v, test.whole, got, ok, test.want)
		}
	}
}

// TestIsKey bounds the names of members by their characters.
func TestIsKey(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "": false, "1a": false, "a,b": false, strings.Repeat("é", 128): true, strings.Repeat("é", 129): false} {
		if isKey(name) != want {
			t.Errorf("%q is a name: %t", name, !want)
		}
	}
}
