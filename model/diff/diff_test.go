package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

// Nothing differs between a revision and itself, and what one direction adds the other removes.
func TestPublished(t *testing.T) {
	revisions := schema.Revisions()
	for i, r := range revisions {
		if changes := Compare(published(t, r.Name), published(t, r.Name)); len(changes) > 0 {
			t.Errorf("%s differs from itself: %v", r.Name, changes)
		}
		for _, later := range revisions[i+1:] {
			there := names(Compare(published(t, r.Name), published(t, later.Name)), Added)
			back := names(Compare(published(t, later.Name), published(t, r.Name)), Removed)
			if len(there) == 0 || !slices.Equal(there, back) {
				t.Errorf("%s adds %v to %s, but the way back removes %v", later.Name, there, r.Name, back)
			}
		}
	}
}

func published(t *testing.T, revision string) *model.Schema {
	t.Helper()
	s, err := protocol.Merged(revision)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func names(changes []Change, kind Kind) (list []string) {
	for _, ch := range changes {
		if ch.Kind == kind {
			list = append(list, string(ch.What)+" "+ch.Of+"."+ch.Name)
		}
	}
	slices.Sort(list)
	return list
}

// What is said of a change, and whom it breaks. The client sends P and gets R.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name       string
		older, new string
		want       []string
	}{
		{"a new optional member", "interface P { a: string }", "interface P { a: string; b?: number }",
			[]string{"added member P.b [b?: number]"}},
		{"a new required member of params", "interface P { a: string }", "interface P { a: string; b: number }",
			[]string{"added member P.b [b: number] breaks client: it must be sent"}},
		{"a new required member of a result", "interface R { a: string }", "interface R { a: string; b: number }",
			[]string{"added member R.b [b: number] breaks server: it must be sent"}},
		{"a required member less", "interface R { a: string; b: number }", "interface R { a: string }",
			[]string{"removed member R.b [b: number] breaks client: it is no longer sent"}},
		{"an optional member less", "interface R { a: string; b?: number }", "interface R { a: string }",
			[]string{"removed member R.b [b?: number]"}},
		{"required", "interface P { a?: string }", "interface P { a: string }",
			[]string{"changed member P.a [optional → required] breaks client: it must be sent"}},
		{"not required", "interface R { a: string }", "interface R { a?: string }",
			[]string{"changed member R.a [required → optional] breaks client: it may be absent"}},
		{"a wider type", "interface P { a: string }", "interface P { a: string | null }",
			[]string{"changed member P.a [string → string | null] breaks server: more values may occur"}},
		{"a narrower type", "interface R { a: string | number }", "interface R { a: string }",
			[]string{"changed member R.a [string | number → string] breaks server: fewer values are allowed"}},
		{"one or many", "interface P { a: string }", "interface P { a: string | string[] }",
			[]string{"changed member P.a [string → string | string[]] breaks server: more values may occur"}},
		{"another type", "interface P { a: string }", "interface P { a: boolean }",
			[]string{"changed member P.a [string → boolean] breaks client server: it is a different type"}},
		{"any object", "interface P { a: { [key: string]: unknown } }", "interface P { a: object }", nil},
		{"the same by another name", "interface P { a: X } interface X { x?: string }", "interface P { a: Y } interface Y { x?: string }",
			[]string{"added type Y [{ x?: string }]", "removed type X [{ x?: string }]"}},
		{"a new value", `interface P { a: V } type V = "x" | "y"`, `interface P { a: V } type V = "x" | "y" | "z"`,
			[]string{`added value V."z" [] breaks server: it may occur`}},
		{"a value less", `interface P { a: V } type V = "x" | "y" | "z"`, `interface P { a: V } type V = "x" | "y"`,
			[]string{`removed value V."z" [] breaks client: it is no longer allowed`}},
		{"a new arm", `interface P { a: U } type U = X | Y; interface X { t: "x" } interface Y { t: "y" } interface Z { t: "z" }`,
			`interface P { a: U } type U = X | Y | Z; interface X { t: "x" } interface Y { t: "y" } interface Z { t: "z" }`,
			[]string{"added arm U.Z [] breaks server: it may occur"}},
		{"a limit", "interface P { a: number }", "interface P {\n/** @minimum 1 */ a: number }",
			[]string{"changed member P.a [@minimum none → @minimum 1] breaks client server: the limits differ"}},
		{"deprecated", "interface P { a: string }", "interface P {\n/** @deprecated use b */ a: string }",
			[]string{"deprecated member P.a [use b]"}},
		{"documentation", "interface P { a: string }", "interface P {\n/** An a. */ a: string }",
			[]string{"documented member P.a []"}},
		{"a constant", "const C = 1;", "const C = 2;", []string{"changed constant C [1 → 2]"}},
		{"inherited", "interface B { a: string } interface P extends B { b: string }", "interface B { a: string; c?: string } interface P extends B { b: string }",
			[]string{"added member P.c [c?: string]"}},
		{"a text becomes one of some", "interface P { a: string }", `interface P { a: "x" | "y" }`, []string{"changed member P.a [string → PA] breaks client: fewer values are allowed", `added type PA ["x" | "y"]`}},
		{"one of some becomes any text", `interface P { a: "x" | "y" }`, "interface P { a: string }", []string{"changed member P.a [PA → string] breaks server: more values may occur", `removed type PA ["x" | "y"]`}},
		{"one of others", `interface P { a: "x" | "y" }`, `interface P { a: "y" | "z" }`, []string{`added value PA."z" [] breaks server: it may occur`, `removed value PA."x" [] breaks client: it is no longer allowed`}},
		{"one of more", `interface R { a: "x" | "y" }`, `interface R { a: "x" | "y" | "z" }`, []string{`added value RA."z" [] breaks client: it may occur`}},
		{"a constant becomes one of some", `interface P { a: "x" }`, `interface P { a: "x" | "y" }`, []string{`changed member P.a ["x" → PA] breaks server: more values may occur`, `added type PA ["x" | "y"]`}},
		{"a member of a base that is no data", `interface Request { b?: string } interface P extends Request { a: string }`, `interface Request { b?: number } interface P extends Request { a: string }`, []string{"changed member P.b [string → number] breaks client server: it is a different type"}},
		{"other members", `interface P { a: string; [key: string]: unknown }`, `interface P { a: string; [key: string]: string }`, []string{"changed member P.[key: string] [unknown → string]"}},
		{"an open enumeration", `interface P { a: V } type V = "x" | "y"`, `interface P { a: V } type V = "x" | "y" | string`, []string{"changed type V [these values → any string] breaks server: other values may occur"}},
		{"a closed enumeration", `interface R { a: V } type V = "x" | "y" | string`, `interface R { a: V } type V = "x" | "y"`, []string{"changed type V [any string → these values] breaks server: other values are no longer allowed"}},
		{"a value of an open enumeration", `interface R { a: V } type V = "x" | string`, `interface R { a: V } type V = "x" | "y" | string`, []string{`added value V."y" []`}},
		{"a list of others", "interface P { a: string[] }", "interface P { a: (string | number)[] }", []string{"changed member P.a [string[] → (string | number)[]] breaks server: more values may occur"}},
		{"a map of others", "interface R { a: { [key: string]: string } }", "interface R { a: { [key: string]: number } }", []string{"changed member R.a [{ [key: string]: string } → { [key: string]: number }] breaks client server: it is a different type"}},
		{"a map of any value", "interface P { a: { [key: string]: string } }", "interface P { a: { [key: string]: unknown } }", []string{"changed member P.a [{ [key: string]: string } → { [key: string]: unknown }] breaks server: more values may occur"}},
		{"an object with members for any", "interface P { a: object }", "interface P { a: X } interface X { x: string }", []string{"changed member P.a [object → X] breaks client: fewer values are allowed", "added type X [{ x: string }]"}},
		{"not null any more", "interface R { a: string | null }", "interface R { a: string }", []string{"changed member R.a [string | null → string] breaks server: fewer values are allowed"}},
		{"a text or a number", "interface P { a: string }", "interface P { a: string | number }", []string{"changed member P.a [string → string | number] breaks server: more values may occur"}},
		{"what P and R share", "interface P { a: X } interface R { a: X } interface X { x: string }", "interface P { a: X } interface R { a: X } interface X { x: string; y: string }", []string{"added member X.y [y: string] breaks client server: it must be sent"}},
		{"inside a tuple of things", "interface P { a: { b: X[] }[] } interface X { x: string }", "interface P { a: { b: X[] }[] } interface X { x: string; y: string }", []string{"added member X.y [y: string] breaks client: it must be sent"}},
		{"a method less", "", "type ClientRequest = OtherRequest;", []string{
			"added method other [request of clients]", "removed method call [request of clients] breaks client: it no longer exists",
			"added type OtherResult [{ r: R }]", "removed type CallResult [{ r: R }]"}},
		{"a method that servers send, too", "", "type ServerRequest = CallRequest;", []string{
			"changed method call [request of clients → request of clients and servers]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, ch := range Compare(made(t, "2001-01-01", test.older), made(t, "2002-02-02", test.new)) {
				got = append(got, line(ch))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func line(ch Change) string {
	name := ch.Name
	if ch.Of != "" {
		name = ch.Of + "." + name
	}
	text := ch.Old + ch.New
	if ch.Old != "" && ch.New != "" {
		text = ch.Old + " → " + ch.New
	}
	s := string(ch.Kind) + " " + string(ch.What) + " " + name + " [" + text + "]"
	if ch.Breaks != nil {
		s += " breaks"
		for _, side := range ch.Breaks {
			s += " " + string(side)
		}
		s += ": " + ch.Why
	}
	return s
}

// made returns the model of a schema with one request, whose params are P and whose result is R.
func made(t *testing.T, revision, declarations string) *model.Schema {
	t.Helper()
	src := declarations
	if !strings.Contains(src, "ClientRequest =") {
		src += "\ntype ClientRequest = CallRequest;"
	}
	for _, method := range []string{"Call", "Other"} {
		if strings.Contains(src, method+"Request") {
			src += fmt.Sprintf(`
interface %sRequest { jsonrpc: "2.0"; id: string; method: %q; params: P }
interface %sResult { r: R }`, method, strings.ToLower(method), method)
		}
	}
	for _, name := range []string{"P", "R"} {
		if !strings.Contains(src, "interface "+name+" ") {
			src += "\ninterface " + name + " { none?: string }"
		}
	}
	f, err := parser.Parse(revision+"/schema.ts", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := model.Lower(revision, f)
	if err != nil {
		t.Fatal(err)
	}
	s, err := model.Merge(lowered)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What an object without a name may have, too, breaks nobody, and is a change all the same.
func TestCompareInline(t *testing.T) {
	changes := Compare(published(t, "2025-06-18"), published(t, "2025-11-25"))
	for _, member := range []string{"inputSchema", "outputSchema"} {
		i := slices.IndexFunc(changes, func(ch Change) bool { return ch.Of == "Tool" && ch.Name == member })
		if i < 0 {
			t.Errorf("Tool.%s has $schema since 2025-11-25, which is no change", member)
		} else if ch := changes[i]; ch.Class != Compatible || !strings.Contains(ch.New, "$schema?: string") || strings.Contains(ch.Old, "$schema") {
			t.Errorf("Tool.%s: got %+v", member, ch)
		}
	}
}

// A declaration has what a type inherits, and is empty for what is no data.
func TestDeclaration(t *testing.T) {
	s := made(t, "2001-01-01", `interface B { b?: number } interface P extends B { a: string; [key: string]: unknown } type U = X | Y; interface X { t: "x" } interface Y { t: "y" }
type V = "x" | "y"; type O = "x" | string; type T = string[]; interface R { u: U; v: V; o: O; t: T; n: X | null }`)
	for name, want := range map[string]string{
		"P":           "interface P {\n  b?: number;\n  a: string;\n  [key: string]: unknown;\n}\n",
		"U":           "type U =\n  | X\n  | Y\n",
		"V":           "type V =\n  | \"x\"\n  | \"y\"\n",
		"O":           "type O =\n  | \"x\"\n  | string\n",
		"T":           "type T = string[]\n",
		"CallRequest": "",
		"None":        "",
	} {
		if got := Declaration(s, name); got != want {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// In an extension, both sides may send what is in no message of its own: a type more in it breaks whoever has to send it.
func TestExtension(t *testing.T) {
	for _, x := range schema.Extensions() {
		s, err := protocol.Extension(x)
		if err != nil {
			t.Fatal(err)
		}
		sent := map[string]bool{}
		for _, ch := range Compare(&model.Schema{Extension: s.Extension}, s) {
			if ch.What == Type {
				sent[ch.Direction()] = true
			}
		}
		if sent[""] || !sent["both ways"] {
			t.Errorf("%s: its types are sent %v", x.ID, sent)
		}
		if changes := Compare(s, s); len(changes) > 0 {
			t.Errorf("%s differs from itself: %v", x.ID, changes)
		}
	}
}
