package model

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pairTypes are the types of which TestPairs makes pairs. The names are declared by pairDecls.
var pairTypes = []string{
	"string", "number", "boolean", "null", "unknown", "object", `"a"`, `1`, `true`, `"a" | "b"`, `"b" | string`, "`a${string}`",
	"S", "{ s: string }", `{ s?: "x"; n: number }`, "{ readonly [k: string]: string }", "{ [k: string]: unknown }",
	"{ s?: string }", "{ s: string }[]", "string[]", "S[]", "readonly string[]", "string | string[]", "S | null", "S | T", "T | U | null", "string | number", "string | boolean", "S | string", "string[] | null", "[string, S?]", "[string, S]", "[string, S[]]", "[S | T]", "[S | U]", "[string, ...S[]]", "E", "Any",
}

const pairDecls = `
interface S { s: string; }
interface T { kind: "t"; n?: number; }
interface U { kind: "u"; }
type E = "b" | "c";
type Any = S | T;
`

// TestPairs has what becomes of all pairs of some types: of their union, of their intersection, and of a member whose type
// was the one and is the other. Where that is an error, and always the same one, there is no line.
func TestPairs(t *testing.T) {
	const path = "testdata/pairs.golden"
	oneLine := func(s *Schema, err error) string {
		if err != nil {
			text := err.Error()
			if _, message, ok := strings.Cut(text, ".ts:"); ok {
				_, text, _ = strings.Cut(message, ": ")
			}
			if strings.HasPrefix(text, "the intersection of ") || strings.HasPrefix(text, "cannot merge X.m") {
				return ""
			}
			first, _, _ := strings.Cut(text, "\n")
			return "error: " + first
		}
		var out []string
		for _, typ := range s.Types {
			if strings.HasPrefix(typ.Name, "X") || typ.Inline {
				r := renderer{all: s.Revisions, within: s.Revisions}
				r.typ(typ)
				_, text, _ := strings.Cut(strings.TrimSpace(r.String()), " ")
				out = append(out, strings.Join(strings.Fields(text), " "))
			}
		}
		return strings.Join(out, "; ")
	}
	files := func(revision, text string) testCase {
		name := "schema.ts"
		if revision != "" {
			name = revision + "/schema.ts"
		}
		return testCase{files: map[string][]byte{name: []byte(pairDecls + text)}}
	}
	group := func(x string) string { return "(" + x + ")" }
	var b strings.Builder
	for i, x := range pairTypes {
		for k, y := range pairTypes {
			lines := ""
			add := func(mark, text string) {
				if text != "" {
					lines += "  " + mark + " " + text + "\n"
				}
			}
			if i < k {
				add("|", oneLine(files("", "type X = "+group(x)+" | "+group(y)+";").lower()))
			}
			add("&", oneLine(files("", "type X = "+group(x)+" & "+group(y)+";").lower()))
			var both []*Schema
			for revision, text := range map[string]string{"2025-06-18": x, "2025-11-25": y} {
				s, err := files(revision, "interface X { m: "+text+" }").load(revision, revision+"/schema.ts")
				if err != nil {
					t.Fatal(err)
				}
				both = append(both, s)
			}
			add("→", oneLine(merge(nil, both)))
			if lines != "" {
				b.WriteString(x + ", " + y + "\n" + lines)
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("-want +got (run with -update to accept):\n%s", diff)
	}
}
