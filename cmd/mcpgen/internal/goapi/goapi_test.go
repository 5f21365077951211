package goapi

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

func TestCompare(t *testing.T) {
	const header = "package p\nimport (\"context\"; \"example.com/wire\"; o \"example.com/other\"; \"unsafe\")\nvar _ context.Context; var _ wire.Raw\n"
	for _, test := range []struct {
		name, older, newer string
		want               []Change
	}{
		{"the same in another order, with other names of parameters",
			"func F(a int, b string) error\ntype T struct { A wire.Raw; b int }", "type T struct { A wire.Raw; c string }\nfunc F(x int, y string) error", nil},
		{"a new field", "type T struct { A []int }", "type T struct { A []int; B *wire.Raw }",
			[]Change{{Kind: "added", Name: "T.B", New: "*wire.Raw"}}},
		{"a field less", "type T struct { A, B int }", "type T struct { A int }",
			[]Change{{Kind: "removed", Name: "T.B", Old: "int", Breaks: "it is gone"}}},
		{"a field of another type", "type T struct { A string }", "type T struct { A *string }",
			[]Change{{Kind: "changed", Name: "T.A", Old: "string", New: "*string", Breaks: Retyped}}},
		{"a type of an import", "type T struct { A wire.Raw }", "type T struct { A wire.Opt[int] }",
			[]Change{{Kind: "changed", Name: "T.A", Old: "wire.Raw", New: "wire.Opt[int]", Breaks: Retyped}}},
		{"another kind of type", "type T struct { A string }\nfunc (T) M() {}", "type T interface { M() }",
			[]Change{{Kind: "changed", Name: "T", Old: "type struct", New: "type interface", Breaks: Retyped}}},
		{"a method of an interface", "type I interface { A() }", "type I interface { A(); B(context.Context) error }",
			[]Change{{Kind: "added", Name: "I.B", New: "method(context.Context) error", Breaks: "what implements I lacks it"}}},
		{"a method of a sealed interface", "type I interface { A(); p() }", "type I interface { A(); B(); p() }",
			[]Change{{Kind: "added", Name: "I.B", New: "method()"}}},
		{"a method of an interface that implementations embed", "type I interface { A() }\ntype UnimplementedI struct{}", "type I interface { A(); B() }\ntype UnimplementedI struct{}",
			[]Change{{Kind: "added", Name: "I.B", New: "method()"}}},
		{"a signature", "type T int\nfunc (*T) M(a int) {}\nfunc F() int", "type T int\nfunc (*T) M(a ...int) {}\nfunc F() (int, error)",
			[]Change{{Kind: "changed", Name: "F", Old: "func() int", New: "func() (int, error)", Breaks: Retyped},
				{Kind: "changed", Name: "T.M", Old: "*method(int)", New: "*method(...int)", Breaks: Retyped}}},
		{"constants", "const C wire.Code = 1\nconst D = \"d\"", "const C wire.Code = 2\nconst D = 1\nconst E = 3",
			[]Change{{Kind: "changed", Name: "C", Old: "const wire.Code = 1", New: "const wire.Code = 2", Breaks: "it has another value"},
				{Kind: "changed", Name: "D", Old: `const untyped string = "d"`, New: "const untyped int = 1", Breaks: Retyped},
				{Kind: "added", Name: "E", New: "const untyped int = 3"}}},
		{"an alias", "type A = int", "type A = string", []Change{{Kind: "changed", Name: "A", Old: "type = int", New: "type = string", Breaks: Retyped}}},
		{"promoted", "type b struct{ X int }\nfunc (b) M() {}\ntype T struct { b }", "type b struct{ X int }\ntype T struct { b }",
			[]Change{{Kind: "removed", Name: "T.M", Old: "method()", Breaks: "it is gone"}}},
		{"embedded in an interface", "type I interface { A() }", "type I interface { A(); wire.Value }",
			[]Change{{Kind: "added", Name: "I.Value", New: "embedded wire.Value", Breaks: "what implements I lacks it"}}},
		{"embedded in a struct", "type T struct { wire.Caller }", "type T struct { wire.Value }",
			[]Change{{Kind: "removed", Name: "T.Caller", Old: "wire.Caller", Breaks: "it is gone"}, {Kind: "added", Name: "T.Value", New: "wire.Value"}}},
		{"embedded in an interface of the package", "type J interface { B() }\ntype I interface { A() }", "type J interface { B() }\ntype I interface { A(); J }",
			[]Change{{Kind: "added", Name: "I.B", New: "method()", Breaks: "what implements I lacks it"}}},
		{"a union, which is part of the type", "type I interface { ~int | ~string }", "type I interface { ~int | ~string | ~bool }", nil},
		{"a method that seals", "type I interface { A(); p() }", "type I interface { A(); p(); q() }", nil},
		{"what is not exported", "type t struct { A int }\nfunc f()\ntype T int\nfunc (T) m() {}", "type T int", nil},
		{"a type less, with its methods", "type T int\nfunc (T) M() {}\ntype S struct { A int }", "",
			[]Change{{Kind: "removed", Name: "S", Old: "type struct", Breaks: "it is gone"}, {Kind: "removed", Name: "T", Old: "type int", Breaks: "it is gone"}}},
		{"an underlying type", "type T int", "type T string", []Change{{Kind: "changed", Name: "T", Old: "type int", New: "type string", Breaks: Retyped}}},
		{"type parameters", "type T[K any] struct{}", "type T[K, V any] struct{}",
			[]Change{{Kind: "changed", Name: "T", Old: "type of 1 parameters struct", New: "type of 2 parameters struct", Breaks: Retyped}}},
		{"the first type parameter", "type T struct{}", "type T[K any] struct{}",
			[]Change{{Kind: "changed", Name: "T", Old: "type struct", New: "type of 1 parameters struct", Breaks: Retyped}}},
		{"a constant that becomes a variable", "const V = 1", "var V int", []Change{{Kind: "changed", Name: "V", Old: "const untyped int = 1", New: "var int", Breaks: Retyped}}},
		{"constants of imported types", "const (C wire.Code = -1\nD = wire.Max)", "const (C wire.Code = -2\nD = wire.Min)",
			[]Change{{Kind: "changed", Name: "C", Old: "const wire.Code = -1", New: "const wire.Code = -2", Breaks: "it has another value"}}},
		{"a constant whose value is missing", "const C wire.Code", "const C wire.Code", nil},
		{"types of the package", "type T int\nfunc F(T)", "type T int\nfunc F(*T)", []Change{{Kind: "changed", Name: "F", Old: "func(T)", New: "func(*T)", Breaks: Retyped}}},
		{"what functions of imports return is unknown", "var V = wire.New()", "var V = wire.Other()", nil},
		{"arguments", "var V = new(wire.A)", "var V = new(wire.B)", []Change{{Kind: "changed", Name: "V", Old: "var *wire.A", New: "var *wire.B", Breaks: Retyped}}},
		{"several type arguments", "var V wire.Map[int,  string]", "var V wire.Map[int, bool]",
			[]Change{{Kind: "changed", Name: "V", Old: "var wire.Map[int, string]", New: "var wire.Map[int, bool]", Breaks: Retyped}}},
		{"fields of a variable", "var a struct { B struct { C int } }\nvar V = a.B.C\nvar W = a.B", "var a struct { B struct { C string } }\nvar V = a.B.C\nvar W = 1",
			[]Change{{Kind: "changed", Name: "V", Old: "var int", New: "var string", Breaks: Retyped}, {Kind: "changed", Name: "W", Old: "var struct{C int}", New: "var int", Breaks: Retyped}}},
		{"an import with another name, and unsafe", "type A o.T\nvar V o.T", "type A o.T\nvar V unsafe.Pointer",
			[]Change{{Kind: "changed", Name: "V", Old: "var other.T", New: "var unsafe.Pointer", Breaks: Retyped}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Compare(read(t, header+test.older), read(t, header+test.newer))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func read(t *testing.T, src string) *API {
	t.Helper()
	api, err := Read(map[string][]byte{"p.go": []byte(src), "p_test.go": []byte("package p\nfunc OfTests() {}"), "p.txt": []byte("text")})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func TestReadErrors(t *testing.T) {
	if _, err := Read(map[string][]byte{"p.go": []byte("package p\nfunc {")}); err == nil {
		t.Error("what is no Go code was read")
	}
}

// What is invented of imports does not show: the generated packages have the declarations that they have when
// they are loaded with what they import.
func TestReadGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads packages, which -short does without")
	}
	conf := &packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile}
	pkgs, err := packages.Load(conf, "github.com/mcpgen/mcpgen/mcp/...")
	if err != nil || packages.PrintErrors(pkgs) > 0 || len(pkgs) < 2 {
		t.Fatal(len(pkgs), err)
	}
	for _, pkg := range pkgs {
		files := map[string][]byte{}
		for _, file := range pkg.GoFiles {
			if files[file], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
		api, err := Read(files)
		if err != nil {
			t.Fatal(err)
		}
		want := list(pkg.Types)
		if len(want.decls) < 50 {
			t.Fatalf("%s has %d declarations", pkg.PkgPath, len(want.decls))
		}
		if diff := cmp.Diff(want.decls, api.decls, cmp.AllowUnexported(decl{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", pkg.PkgPath, diff)
		}
	}
}
