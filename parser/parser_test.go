package parser

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// testArchives runs a test for each txtar file in a folder. The test gets the file in.ts and
// returns what all the other files should hold, by name.
func testArchives(t *testing.T, dir string, run func(t *testing.T, src []byte) map[string]string) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test cases in %s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) == 0 || archive.Files[0].Name != "in.ts" {
				t.Fatalf("%s does not begin with in.ts", path)
			}
			got := run(t, archive.Files[0].Data)
			if *update {
				archive.Files = archive.Files[:1]
				for _, name := range []string{"format", "tree", "error"} {
					if text, ok := got[name]; ok {
						archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
					}
				}
				if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want := map[string]string{}
			for _, f := range archive.Files[1:] {
				want[f.Name] = string(f.Data)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got (run with -update to accept):\n%s", diff)
			}
		})
	}
}

// TestParse compares trees, with all positions and comments, and their canonical print.
func TestParse(t *testing.T) {
	testArchives(t, "testdata", func(t *testing.T, src []byte) map[string]string {
		f, err := Parse("in.ts", src)
		if err != nil {
			t.Fatal(err)
		}
		format := Format(f)
		checkFixedPoint(t, format)
		checkPrint(t, f)
		checkTypeScript(t, src)
		return map[string]string{"format": format, "tree": dump(f)}
	})
}

// checkFixedPoint checks that Format's output is what it makes of that output.
func checkFixedPoint(t *testing.T, format string) {
	t.Helper()
	f, err := Parse("format.ts", []byte(format))
	if err != nil {
		t.Fatalf("Parse refuses what Format printed: %v", err)
	}
	if diff := cmp.Diff(format, Format(f)); diff != "" {
		t.Fatalf("Format is no fixed point, -once +twice:\n%s", diff)
	}
}

// checkPrint checks that Print loses nothing, and that it changes nothing of what it printed.
func checkPrint(t *testing.T, f *File) {
	t.Helper()
	text := Print(f)
	again, err := Parse("print.ts", []byte(text))
	if err != nil {
		t.Fatalf("Parse refuses what Print printed: %v\n%s", err, text)
	}
	checkTypeScript(t, []byte(text))
	if diff := cmp.Diff(Format(f), Format(again)); diff != "" {
		t.Fatalf("Print changes declarations, -before +after:\n%s", diff)
	}
	if diff := cmp.Diff(comments(f), comments(again)); diff != "" {
		t.Fatalf("Print changes comments, -before +after:\n%s", diff)
	}
	if diff := cmp.Diff(text, Print(again)); diff != "" {
		t.Fatalf("Print is no fixed point, -once +twice:\n%s", diff)
	}
}

// comments returns the words of all comments by their places.
func comments(f *File) map[string]string {
	all := map[string]string{}
	walk(f, func(p place) {
		if d := *p.doc; d != nil {
			text := d.Text
			for _, t := range d.Tags {
				text += "\n@" + t.Name + " " + t.Text
			}
			all[p.path] += text
		}
	})
	return all
}

// checkTypeScript checks that esbuild accepts what Parse accepts.
func checkTypeScript(t *testing.T, src []byte) {
	t.Helper()
	if off, msg, ok := notTypeScript(string(src)); ok {
		t.Fatalf("Parse accepts what is not TypeScript: %s at offset %d of\n%s", msg, off, src)
	}
}

// TestErrors compares the messages for wrong schemas.
func TestErrors(t *testing.T) {
	testArchives(t, "testdata/errors", func(t *testing.T, src []byte) map[string]string {
		f, err := Parse("in.ts", src)
		if err == nil {
			t.Fatalf("Parse accepts it as:\n%s", Format(f))
		}
		var list ErrorList
		if !errors.As(err, &list) || f != nil {
			t.Fatalf("Parse returns %v and the error type %T", f, err)
		}
		return map[string]string{"error": err.Error() + "\n"}
	})
}

// TestSchemas parses the published revisions.
func TestSchemas(t *testing.T) {
	paths := schemas(t)
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(path, src)
		if err != nil {
			t.Error(err)
			continue
		}
		checkFixedPoint(t, Format(f))
		checkTypeScript(t, src)
	}
}

// schemas returns the paths of all schema.ts files of this repository.
func schemas(tb testing.TB) []string {
	paths, err := filepath.Glob("../schema/*/schema.ts")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no schemas found: %v", err)
	}
	return paths
}

func mustFormat(t *testing.T, src []byte) string {
	t.Helper()
	f, err := Parse("in.ts", src)
	if err != nil {
		t.Fatal(err)
	}
	return Format(f)
}

// TestFormatTellsApart checks that what two schemas may differ in shows in their canonical print.
func TestFormatTellsApart(t *testing.T) {
	same := []string{ // all one schema
		"interface A { x: string | number; y?: B[] }",
		"export interface A {\n  x:\n    | string\n    | number\n  y?: (B)[];\n}\n",
		"/** Prose. @example in prose */ declare interface A { 'x': (string | number), /** y */ y?: B[], }",
		"interface A { /** @default 1 */ x: (string | (number)); y?: B[] };",
	}
	different := []string{
		"interface B { x: string | number; y?: B[] }",
		"interface A { y?: B[]; x: string | number }",
		"interface A { x: number | string; y?: B[] }",
		"interface A { x: string | number; y: B[] }",
		"interface A { x: string | number; y?: Array<B> }",
		"interface A { x: string | number; readonly y?: B[] }",
		"interface A { x: string | number; y?: readonly B[] }",
		"interface A { x: string | number; y?: B[][] }",
		"interface A { x: string | number; y?: B }",
		"interface A { x: string | number; y?: B[]; [k: string]: unknown }",
		"interface A { x: string | number; y?: B[]; [k: string]: any }",
		"interface A<T> { x: string | number; y?: B[] }",
		"interface A<T = B> { x: string | number; y?: B[] }",
		"interface A extends C { x: string | number; y?: B[] }",
		"interface A extends C, D { x: string | number; y?: B[] }",
		"type A = { x: string | number; y?: B[] }",
		"type A = string & B",
		"type A = 'string'",
		"type A = typeof B",
		"type A = keyof B",
		"type A = `${B}`",
		"type A = [B]",
		"type A = [...B]",
		"type A = B['x']",
		"type A = 1",
		"type A = true",
		"const A = 1",
		"const A: number = 1",
		"const A = '1'",
		"enum A { X = '1' }",
		"/** @internal */ interface A { x: string | number; y?: B[] }",
		"/** @deprecated */ interface A { x: string | number; y?: B[] }",
		"/** @category C */ interface A { x: string | number; y?: B[] }",
		"/** @category D */ interface A { x: string | number; y?: B[] }",
		"interface A { /** @nullable */ x: string | number; y?: B[] }",
		"interface A { x: string | /** @deprecated */ number; y?: B[] }",
		"import type { B } from 'b'; interface A { x: string | number; y?: B[] }",
		"export type { B } from 'b'; interface A { x: string | number; y?: B[] }",
	}
	want := mustFormat(t, []byte(same[0]))
	for _, src := range same[1:] {
		if got := mustFormat(t, []byte(src)); got != want {
			t.Errorf("%s\nis printed as\n%s\nand not as\n%s", src, got, want)
		}
	}
	seen := map[string]string{want: same[0]}
	for _, src := range different {
		got := mustFormat(t, []byte(src))
		if other, ok := seen[got]; ok {
			t.Errorf("%s\nis printed like\n%s", src, other)
		}
		seen[got] = src
	}
}

// TestLineBreaks checks positions where lines end in other ways than \n, and after a byte order mark.
func TestLineBreaks(t *testing.T) {
	src := "\ufefftype A = `\r\n`;\r\n/** One\r\n * two\r\n */\r\ntype B = A\rtype C = A\u2028type\tD = B\n"
	f, err := Parse("in.ts", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := []Pos{{8, 1, 6}, {46, 6, 6}, {57, 7, 6}, {70, 8, 6}}
	for i, d := range f.Decls {
		if got := d.DeclPos(); got != want[i] || src[got.Offset:got.Offset+1] != d.DeclName() {
			t.Errorf("%s is at %v, which is %q; want %v", d.DeclName(), got, src[got.Offset:got.Offset+1], want[i])
		}
	}
	if got, want := f.Decls[1].DeclDoc().Text, "One\ntwo"; got != want {
		t.Errorf("the comment is %q, want %q", got, want)
	}
}

// TestAwkwardErrors holds the wrong schemas that a text file cannot.
func TestAwkwardErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"CRLF", "interface A {\r\n\tx: ;\r\n}\r\n",
			"in.ts:2:5: not TypeScript: expected a type, found \";\"\n\tx: ;\n\t   ^"},
		{"byte order mark", "\ufefftype A = ;",
			"in.ts:1:10: not TypeScript: expected a type, found \";\"\ntype A = ;\n         ^"},
		{"position told by esbuild", "\ufefftype A = 'é';\u2028\r\n\r\n  interface B { é??: 1 }",
			"in.ts:4:19: not TypeScript: Unexpected \"??\"\n  interface B { é??: 1 }\n                 ^"},
		{"not UTF-8", "type A = 'a\xffb';",
			"in.ts:1:12: the source is not valid UTF-8\ntype A = 'a\ufffdb';\n           ^"},
		{"no line break at the end", "interface A {",
			"in.ts:1:14: not TypeScript: expected \"}\" to close the \"{\" of 1:13, found the end of the file\ninterface A {\n             ^"},
		{"nothing after a type alias", "type A =\n\n",
			"in.ts:1:9: not TypeScript: expected a type, found the end of the file\ntype A =\n        ^"},
		{"long statement", "interface A {\n" + strings.Repeat("  /** Long. */\n", 10_000) + "  x: ;\n}\n",
			"in.ts:10002:6: not TypeScript: expected a type, found \";\"\n  x: ;\n     ^"},
		{"long rest", "type A =\n  | ;\n/* " + strings.Repeat("long ", 50_000),
			"in.ts:2:5: not TypeScript: expected a type, found \";\"\n  | ;\n    ^"},
		{"long rest that is TypeScript", "class A {\n" + strings.Repeat("  /* € */\n", 50_000) + "}",
			"in.ts:1:1: classes are not supported in a schema\nclass A {\n^"},
		{"long line", "type A = ;" + strings.Repeat(" ", 1000),
			"in.ts:1:10: not TypeScript: expected a type, found \";\""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("in.ts", []byte(test.src))
			if err == nil {
				t.Fatal("Parse accepts it")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestDepth checks that nesting is bounded, however it is written, and that what is far beyond the
// bound is refused fast.
func TestDepth(t *testing.T) {
	const want = "types are nested more than 200 levels deep"
	tests := []struct{ name, open, middle, close string }{
		{"parentheses", "(", "A", ")"},
		{"objects", "{ x: ", "A", "}"},
		{"type arguments", "A<", "A", ">"},
		{"tuples", "[", "A", "]"},
		{"arrays", "", "A", "[]"},
		{"indexed", "", "A", "['x']"},
		{"indexes", "A[", "A", "]"},
		{"keyof", "keyof ", "A", ""},
		{"templates", "`${", "A", "}`"},
		{"unions", "(A | ", "A", ")"},
		{"intersections", "(A & ", "A", ")"},
	}
	nested := func(open, middle, close string, n int) []byte {
		return []byte("type T = " + strings.Repeat(open, n) + middle + strings.Repeat(close, n) + ";")
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := Parse("in.ts", nested(test.open, test.middle, test.close, 150))
			if err != nil {
				t.Errorf("150 levels: %v", err)
			} else {
				checkFixedPoint(t, Format(f))
			}
			for _, n := range []int{250, 100_000} {
				_, err := Parse("in.ts", nested(test.open, test.middle, test.close, n))
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%d levels: %.200v", n, err)
				}
			}
		})
	}
}

// TestWild checks sources that are refused early and whose rest would keep esbuild busy for
// minutes, or would overflow its stack.
func TestWild(t *testing.T) {
	for _, rest := range []string{
		strings.Repeat("[infer a extends ", 1000),
		strings.Repeat("a ? (b) : c => ", 1000),
		strings.Repeat("(", 5_000_000),
		strings.Repeat("!", 5_000_000) + "x",
		strings.Repeat("keyof ", 1_000_000) + "x",
		strings.Repeat("a:", 2_000_000),
	} {
		if _, err := Parse("in.ts", []byte("type A = ?\n"+rest)); err == nil {
			t.Errorf("Parse accepts %.20s…", rest)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	var largest []byte
	for _, path := range schemas(b) {
		src, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		if len(src) > len(largest) {
			largest = src
		}
	}
	b.SetBytes(int64(len(largest)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("schema.ts", largest); err != nil {
			b.Fatal(err)
		}
	}
}
