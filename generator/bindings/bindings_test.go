package bindings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// merged makes the model of schemas in TypeScript, by revision; oldest first.
func merged(t *testing.T, schemas ...[2]string) *model.Schema {
	t.Helper()
	var lowered []*model.Schema
	for _, s := range schemas {
		f, err := parser.Parse(s[0]+".ts", []byte(s[1]))
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Lower(s[0], f)
		if err != nil {
			t.Fatal(err)
		}
		lowered = append(lowered, m)
	}
	m, err := model.Merge(lowered...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The package golden/kinds, which has a type of each kind, is what the generator makes of the
// schemas beside it. Its own tests use it.
func TestKinds(t *testing.T) {
	const dir = "../../golden/kinds/"
	read := func(name string) string {
		b, err := os.ReadFile(dir + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var schemas [][2]string
	for _, r := range []string{"2001-01-01", "2002-02-02"} {
		schemas = append(schemas, [2]string{r, read("schema/" + r + ".ts")})
	}
	options := Options{
		Package: "kinds",
		Doc: "Package kinds has the types of the protocol with their codecs, its methods, and an interface\n" +
			"for each side. Its revisions: 2001-01-01, 2002-02-02.",
	}
	files, err := Generate(merged(t, schemas...), options)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Generate(merged(t, schemas...), options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files, again); diff != "" {
		t.Fatalf("two runs differ: %s", diff)
	}
	old, err := filepath.Glob(dir + "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range old {
		if name := filepath.Base(path); files[name] == nil && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s is not generated any more", path)
		}
	}
	for name, want := range files {
		if diff := cmp.Diff(string(want), read(name)); diff != "" {
			t.Errorf("%s is stale (run go generate in the root): -generated +file\n%s", name, diff)
		}
	}
}

func TestGenerateErrors(t *testing.T) {
	wide := func(members int) string {
		s := "export interface Wide {"
		for i := range members {
			s += "a" + strings.Repeat("b", i) + ": string;"
		}
		return s + "}"
	}
	const arms = `export interface X { kind: "x" } export interface Y { kind: "y" } export interface Z { kind: "z" } export interface T { u: U; x: X; y: Y; z: Z } `
	const named = `export interface EmptyResult {} export interface PickRequest { method: "tools/call"; params: { name: string } } export type ClientRequest = PickRequest; `
	const none = "export interface Other { x: string }"
	for _, tt := range []struct {
		name    string
		schemas [][2]string
		want    string
	}{
		{"members that differ in case", [][2]string{{"2001-01-01", `export interface T { mimeType: string; MIMEType: string }`}},
			`bindings: T: the member mimeType and the member MIMEType would both be called MIMEType in Go`},
		{"a member like the field for unknown members", [][2]string{{"2001-01-01", `export interface T { extra: string }`}},
			`bindings: T: the field for unknown members and the member extra would both be called Extra in Go`},
		{"a member like a method", [][2]string{{"2001-01-01", `export interface T { encodeWire: string }`}},
			`bindings: T: the method EncodeWire and the member encodeWire would both be called EncodeWire in Go`},
		{"a member like a getter", [][2]string{{"2001-01-01", `export interface T { count?: number; getCount: string }`}},
			`bindings: T: the getter of count and the member getCount would both be called GetCount in Go`},
		{"a member without a name", [][2]string{{"2001-01-01", `export interface T { "--": string }`}},
			`bindings: T: the member "--" has no letter or digit to make a Go name of`},
		{"types that differ in case", [][2]string{{"2001-01-01", `export interface T { x: string } export interface t { x: string }`}},
			`bindings: type T and type t would both be called T in Go: rename one in the table of exceptions`},
		{"a type like a constant", [][2]string{{"2001-01-01", `export type Color = "red" | "blue"; export interface ColorRed { x: string }`}},
			`bindings: the value red of Color and type ColorRed would both be called ColorRed in Go: rename one in the table of exceptions`},
		{"a value without a name", [][2]string{{"2001-01-01", `export type Sign = "+" | "plus";`}},
			`bindings: Sign: the value "+" has no letter or digit to make a Go name of`},
		{"an optional literal without a name", [][2]string{{"2001-01-01", `export interface T { "--"?: "x" }`}},
			`bindings: T: the member "--" has no letter or digit to make a Go name of`},
		{"a literal without a name, which needs none", [][2]string{{"2001-01-01", `export interface T { "--": "x" }`}}, ``},
		{"a member like what says whether there was another", [][2]string{{"2001-01-01", `export interface T { a?: "x"; hasA: string }`}},
			`bindings: T: what says whether there was the member a and the member hasA would both be called HasA in Go`},
		{"as many members as can be counted", [][2]string{{"2001-01-01", wide(64)}}, ``},
		{"a revision that is no date", [][2]string{{"2001-01-0x", `export interface T { a: string }`}}, `bindings: the revision "2001-01-0x" is not a date such as 2025-06-18`},
		{"a revision that is too short", [][2]string{{"2001-01", `export interface T { a: string }`}}, `bindings: the revision "2001-01" is not a date such as 2025-06-18`},
		{"several mistakes", [][2]string{{"2001-01-01", `export interface A$B { a: A$B } export interface C { c: C }`}},
			"bindings: type A$B: \"A$B\" is no identifier in Go: rename the type in the schema\n" +
				"bindings: A$B requires itself, by way of A$B.a: no value of it can end\nbindings: C requires itself, by way of C.c: no value of it can end"},
		{"too many members", [][2]string{{"2001-01-01", wide(65)}},
			`bindings: Wide has 65 members, more than the 64 that generated code can count`},
		{"a type that contains itself", [][2]string{{"2001-01-01", `export interface A { b: B } export interface B { c: C } export type C = A;`}},
			`bindings: A requires itself, by way of A.b, B.c: no value of it can end`},
		{"a type that comes back", [][2]string{
			{"2001-01-01", `export interface T { x: string }`}, {"2002-02-02", none}, {"2003-03-03", none + ` export interface T { x: string }`},
		}, `bindings: T exists in [2001-01-01 2003-03-03], with an interruption`},
		{"an arm that comes back", [][2]string{{"2001-01-01", arms + `export type U = X | Y | Z`}, {"2002-02-02", arms + `export type U = X | Z`}, {"2003-03-03", arms + `export type U = X | Y | Z`}},
			`bindings: U: the arm Y exists with an interruption`},
		{"a type like the function for kinds", [][2]string{{"2001-01-01", arms + `export type U = X | Y`}, {"2002-02-02", arms + `export type U = X | Y | Z; export interface HasU { a: string }`}},
			`bindings: the function for the kinds of U in a revision and type HasU would both be called HasU in Go: rename one in the table of exceptions`},
		{"older types of two kinds", [][2]string{{"2001-01-01", `export interface T { a: string }`}, {"2002-02-02", `export interface T { a: number }`}, {"2003-03-03", `export interface T { a: unknown }`}},
			`bindings: T.a: older revisions take KindString, then KindNumber: only one narrower kind can be checked`},
		{"a constant like an older type", [][2]string{
			{"2001-01-01", `export interface A { b: B; k: K } export interface B { kind: "x" } export type K = "x";`},
			{"2002-02-02", `export const A = "x"; export interface B { kind: typeof A } export type K = typeof A;`},
		}, ``},
		{"a type like a header", [][2]string{{"2030-01-01", named + `export interface HeaderMethod { a: string }`}},
			`bindings: the header Mcp-Method and type HeaderMethod would both be called HeaderMethod in Go: rename one in the table of exceptions`},
		{"a type like what finds names", [][2]string{{"2030-01-01", named + `export interface NameParam { a: string }`}},
			`bindings: type NameParam and what finds the NameParam of a method would both be called NameParam in Go: rename one in the table of exceptions`},
	} {
		_, err := Generate(merged(t, tt.schemas...), Options{Package: "p"})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestRanges(t *testing.T) {
	all := model.Revs{"2001", "2002", "2003", "2004"}
	for _, tt := range []struct {
		within, set model.Revs
		want        []bound
		words       string
	}{
		{all, all, []bound{{}}, ""},
		{all, all[1:], []bound{{from: "2002"}}, "since 2002"},
		{all, all[:2], []bound{{until: "2003"}}, "through 2002"},
		{all, all[1:2], []bound{{"2002", "2003"}}, "in 2002"},
		{all, all[1:3], []bound{{"2002", "2004"}}, "from 2002 to 2003"},
		{all, model.Revs{"2001", "2003"}, []bound{{until: "2002"}, {"2003", "2004"}}, "through 2001, and in 2003"},
		{all, model.Revs{"2001", "2002", "2004"}, []bound{{until: "2003"}, {from: "2004"}}, "through 2002, and since 2004"},
		{all[1:], all[1:], []bound{{}}, ""},
		{all[1:3], all[1:2], []bound{{until: "2003"}}, "through 2002"},
		{model.Revs{"2001", "2003"}, model.Revs{"2001", "2003"}, []bound{{}}, ""},
		{model.Revs{"2001", "2003"}, model.Revs{"2003"}, []bound{{from: "2003"}}, "since 2003"},
	} {
		got := ranges(all, tt.within, tt.set)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(bound{})); diff != "" {
			t.Errorf("%v within %v: -want +got\n%s", tt.set, tt.within, diff)
		}
		g := &generator{schema: &model.Schema{Revisions: all}}
		if words := g.inWords(tt.within, tt.set); words != tt.words {
			t.Errorf("%v within %v: %q, want %q", tt.set, tt.within, words, tt.words)
		}
	}
}
