package source

import (
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"
)

// typeCheck returns a package of files by name, of which those in Files are read.
func typeCheck(t *testing.T, files map[string]string, read ...string) *Package {
	t.Helper()
	fset := token.NewFileSet()
	p := &Package{Info: new(types.Info), Dir: t.TempDir(), Module: "example.com/p", Sources: NewFiles(fset, nil, nil)}
	for name, text := range files {
		if err := os.WriteFile(p.Dir+"/"+name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range read {
		f, err := parser.ParseFile(fset, p.Dir+"/"+name, files[name], parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		p.Files = append(p.Files, f)
	}
	var err error
	if p.Types, err = new(types.Config).Check("example.com/p", fset, p.Files, p.Info); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseTypes(t *testing.T) {
	p := typeCheck(t, map[string]string{"a.go": "package p\n\ntype T[K comparable, V any] map[K]V\n\ntype U struct{ X int }\n\nconst C = 1\n"}, "a.go")
	for list, want := range map[string]string{
		"int":                               "int",
		"int, U":                            "int|U",
		"T[string,U],*U":                    "T[string, U]|*U",
		"func(int, U),struct{ A, B int },U": "func(int, U)|struct{A int; B int}|U",
		"[2]U,map[string][]int":             "[2]U|map[string][]int",
		"Missing":                           "Missing is no type that is known here",
		"int,C":                             "C is no type that is known here",
		"int,":                              " is no type that is known here",
	} {
		all, err := p.ParseTypes(p.Files[0].Name.Pos(), list)
		var words []string
		for _, typ := range all {
			words = append(words, p.TypeString(typ))
		}
		got := strings.Join(words, "|")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", list, got, want)
		}
	}
}

func TestOwn(t *testing.T) {
	p := typeCheck(t, map[string]string{"a.go": "package p\n"}, "a.go")
	for path, want := range map[string]bool{"example.com/p": true, "example.com/p/sub": true, "example.com/pp": false, "example.com": false} {
		if got := p.Own(types.NewPackage(path, "x")); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	if p.Own(nil) {
		t.Error("the predeclared types belong to no module")
	}
	p.Module = ""
	if !p.Own(p.Types) || p.Own(types.NewPackage("example.com/p/sub", "x")) || p.Own(types.NewPackage("/x", "x")) {
		t.Error("if the module is not known, it is the package alone")
	}
}

func TestElsewhere(t *testing.T) {
	p := typeCheck(t, map[string]string{
		"a.go":       "package p\n\nvar A int\n",
		"a_test.go":  "package p\n\nvar InTest int\n",
		"x_test.go":  "package p_test\n\nvar Outside int\n",
		"mcp_gen.go": "package p\n\nvar Generated int\n",
		"_b.go":      "package p\n\nvar Ignored int\n",
		"c.txt":      "package p\n\nvar Text int\n",
	}, "a.go")
	got := p.Elsewhere()
	if len(got) != 1 || !got["InTest"].IsValid() {
		t.Errorf("got %v, want InTest alone", got)
	}
	if !p.Has(p.Files[0].Pos()) || p.Has(got["InTest"]) {
		t.Error("a package has the positions in its files, and no others")
	}
}
