package tools

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// module writes a module of its own, in the form of txtar, and returns its folder.
func module(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte("-- go.mod --\nmodule example.com/m\n\ngo 1.26.0\n" + archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// offered writes what packages offer: path: tools, prompts and resources.
func offered(packages []*Package) string {
	var b strings.Builder
	for _, p := range packages {
		b.WriteString(p.Path() + ":")
		for _, t := range p.ir.Tools {
			b.WriteString(" " + t.Name)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestLoad loads modules as they are in daily life.
func TestLoad(t *testing.T) {
	const weather = `
-- weather/weather.go --
package weather

type Weather struct{}

//mcp:tool
func (w *Weather) Forecast(city string) string { return "" }

//mcp:tool
func Add(a, b int) int { return a + b }
`
	const more = `
-- weather/more.go --
package weather

//mcp:tool
func More() {}
`
	const app = `
-- cmd/app/main.go --
package main

import "example.com/m/weather"

func main() {
	if err := weather.Register(nil); err != nil {
		panic(err)
	}
	weather.RegisterWeather(nil, &weather.Weather{})
}
`
	for _, tt := range []struct {
		name, files, patterns, want, errs string
		env                               []string
	}{
		{name: "one package", files: weather, patterns: "./weather", want: "example.com/m/weather: add forecast\n"},
		{name: "by import path", files: weather, patterns: "example.com/m/weather", want: "example.com/m/weather: add forecast\n"},
		{name: "a file, for the package of its folder", files: weather + more, patterns: "weather/more.go", want: "example.com/m/weather: add forecast more\n"},
		{name: "two files of one folder", files: weather + more, patterns: "./weather/more.go ./weather/weather.go", want: "example.com/m/weather: add forecast more\n"},
		{name: "a file beside a package", files: weather + more + app, patterns: "cmd/app/main.go ./weather", want: "example.com/m/weather: add forecast more\n"},
		{
			name: "a test declares what will be generated", patterns: "./weather",
			files: weather + "\n-- weather/weather_test.go --\npackage weather\n\nfunc Register() {}\n",
			errs:  "weather/weather_test.go:3:6: Register is the name of the generated function that registers functions with a server; rename yours, or write //mcp:server register=RegisterTools above the package clause",
		},
		{
			name: "a file of another system hides what Go declares", patterns: "./weather",
			files: weather + "\n-- weather/weather_plan9.go --\npackage weather\n\nvar nil = 1\n",
			errs:  "weather/weather_plan9.go:3:5: package weather declares nil, which hides the predeclared identifier that generated code needs",
		},
		{
			name: "a type without end", patterns: ".",
			files: "\n-- a.go --\npackage m\n\ntype G[T any] struct{ Next *G[[]T] }\n\n//mcp:tool\nfunc F(g G[int]) {}\n",
			errs: "a.go:3:8: instantiation cycle:\n" +
				"a.go:3:23: F: parameter g: G[int]: field Next: G[[]int]: field Next: G[[][]int]: field Next: G[[][][]int]: fiel…" +
				strings.Repeat("[]", 42) + "int]: field Next: types are nested more than 100 deep\n" +
				"a.go:3:31: \tT instantiated as []T",
		},
		{name: "a file that is not there", files: weather, patterns: "./weather/none.go", errs: "./weather/none.go: there is no such file"},
		{name: "an import path like the name of a file", files: weather + "\n-- x.go/x.go --\npackage x\n\n//mcp:tool\nfunc X() {}\n", patterns: "example.com/m/x.go", want: "example.com/m/x.go: x\n"},
		{name: "a folder with the name of a file", files: weather + "\n-- x.go/x.go --\npackage x\n\n//mcp:tool\nfunc X() {}\n", patterns: "./x.go", want: "example.com/m/x.go: x\n"},
		{name: "main uses what will be generated", files: weather + app, patterns: "./...", want: "example.com/m/weather: add forecast\n"},
		{
			name: "the package itself uses what will be generated",
			files: `
-- a.go --
//mcp:server name=a register=RegisterTools
package main

func main() {
	s, err := NewServer()
	if err != nil {
		panic(err)
	}
	RegisterTools(s)
}

//mcp:tool
func Add(a, b int) int { return a + b }
`,
			patterns: ".", want: "example.com/m: add\n",
		},
		{
			name: "a server without tasks", patterns: ".",
			files: `
-- a.go --
//mcp:server name=a
package a

type Options struct{ Setup, Instructions any }

//mcp:tool task=optional
func Export() {}

func serve(opts *Options) {
	NewServer(nil)
	NewServer(1, &Options{Instructions: "a"})
	NewServer(opts)
	NewServer(&Options{Setup: 1})
	serve(nil)
}
`,
			errs: `a.go:10:12: the tool export has task=optional, but this server has no tasks: want an option Setup, as in &server.Options{Setup: []server.Setup{taskserver.Enable(nil)}}
a.go:11:15: the tool export has task=optional, but this server has no tasks: want an option Setup, as in &server.Options{Setup: []server.Setup{taskserver.Enable(nil)}}`,
		},
		{
			name: "a dependency outside of the patterns lacks its file",
			files: weather + `
-- weather/serve.go --
package weather

var Serve = func() { Register(nil) }
-- app/app.go --
//mcp:server register=RegisterOther
package app

import "example.com/m/weather"

//mcp:tool
func Other(w weather.Weather) {
	weather.Serve()
	weather.Register(nil)
}
`,
			patterns: "./app", want: "example.com/m/app: other\n",
		},
		{
			name: "a name that will not be generated",
			files: weather + `
-- app/app.go --
package app

import "example.com/m/weather"

//mcp:tool
func Other() {
	weather.RegisterAll(nil)
	NewServer()
	Register()
}
`,
			patterns: "./app", errs: "app/app.go:7:10: undefined: weather.RegisterAll\napp/app.go:8:2: undefined: NewServer",
		},
		{
			name: "the generated file is stale",
			files: weather + app + `
-- weather/mcp_gen.go --
// Code generated by mcpgen tools; DO NOT EDIT.

package weather

import "nowhere.example/runtime"

func Register(s any) error { return Gone(1, 2) }

func init() { Add("too", "many", "arguments") }
`,
			patterns: "./...", want: "example.com/m/weather: add forecast\n",
		},
		{
			name: "the generated file is in conflict",
			files: weather + app + `
-- weather/mcp_gen.go --
// Code generated by mcpgen tools; DO NOT EDIT.

package weather

<<<<<<< ours
func Register(s any) error {
`,
			patterns: "./...", want: "example.com/m/weather: add forecast\n",
		},
		{
			name: "no directives any more",
			files: weather + `
-- old/old.go --
package old
-- old/mcp.lock.json --
{}
-- older/older.go --
package older
-- older/mcp_gen.go --
// Code generated by mcpgen tools; DO NOT EDIT.

package older
-- plain/plain.go --
package plain
-- plain/mcp_gen.go --
package plain
`,
			patterns: "./...", want: "example.com/m/old:\nexample.com/m/older:\nexample.com/m/weather: add forecast\n",
		},
		{name: "no directives", files: "\n-- a.go --\npackage a\n", patterns: ".", errs: "no //mcp: directives in .; a tool is a function with //mcp:tool above it"},
		{
			name: "mistakes of all packages", want: "example.com/m/weather: add forecast\n",
			files: weather + `
-- b/b.go --
package b

//mcp:tools
func B() { undeclared() }
-- a/a.go --
package a

//mcp:tool
//mcp:param x min=1
func A(n int, m Missing) { var s string = 1 }
`,
			patterns: "./...",
			errs: `a/a.go:4:13: //mcp:param x: A has no parameter x; it has n, m
a/a.go:5:17: undefined: Missing
a/a.go:5:32: declared and not used: s
a/a.go:5:43: cannot use 1 (untyped int constant) as string value in variable declaration
b/b.go:3:1: //mcp:tools: there is no such directive; did you mean tool?
b/b.go:4:12: undefined: undeclared`,
		},
		{
			name:     "a type error elsewhere is not our affair",
			files:    weather + "\n-- b/b.go --\npackage b\n\nvar X int = \"x\"\n",
			patterns: "./...", want: "example.com/m/weather: add forecast\n",
		},
		{
			name: "a package of another build beside a good one", want: "example.com/m/weather: add forecast\n",
			files:    weather + "\n-- b/b_plan9.go --\npackage b\n\n//mcp:tool\nfunc F() {}\n-- b/b.go --\npackage b\n",
			patterns: "./...", errs: "b/b_plan9.go:3:1: //mcp:tool: the generated file",
		},
		{
			name:     "a syntax error",
			files:    weather + "\n-- weather/b.go --\npackage weather\n\nfunc {\n\nvar x = undeclared\n",
			patterns: "./...", errs: "weather/b.go:3:6: expected 'IDENT', found '{'\nweather/b.go:5:1: expected '(', found 'var'",
		},
		{
			name:     "a missing import",
			files:    "\n-- a.go --\npackage a\n\nimport \"example.com/m/none\"\n\n//mcp:tool\nfunc F(x none.T) {}\n",
			patterns: ".", errs: "a.go:3:8: could not import example.com/m/none",
		},
		{name: "a pattern for nothing", files: weather, patterns: "./none", errs: "none"},
		{
			name: "tests are not read",
			files: weather + `
-- weather/a_test.go --
package weather

//mcp:tools
func f() {}
`,
			patterns: "./...", want: "example.com/m/weather: add forecast\n",
		},
		{
			name: "build constraints",
			files: `
-- a_linux.go --
package a

//mcp:tool
func Linux() {}
-- a_windows.go --
package a

//mcp:tool
func Windows() {}
-- b.go --
//go:build special

package a

//mcp:tool
func Special() {}
-- c.go --
package a

//mcp:tool
func Always() {}
-- d.go --
//go:build ignore

package main

//mcp:tool
func Ignored() {}
`,
			patterns: ".", env: []string{"GOOS=windows", "GOFLAGS=-tags=special"},
			errs: `a_linux.go:3:1: //mcp:tool: the generated file, which calls Linux, is part of every build, but this file is not (its name, a_linux.go); move Linux to a file that is, and let it call what differs
a_windows.go:3:1: //mcp:tool: the generated file, which calls Windows, is part of every build, but this file is not (its name, a_windows.go); move Windows to a file that is, and let it call what differs
b.go:5:1: //mcp:tool: the generated file, which calls Special, is part of every build, but this file is not (//go:build special); move Special to a file that is, and let it call what differs`,
		},
		{
			name:     "nothing but excluded files",
			files:    "\n-- a.go --\n//go:build special\n\npackage a\n\n//mcp:tool\nfunc F() {}\n",
			patterns: ".",
			errs:     "a.go:5:1: //mcp:tool: the generated file, which calls F, is part of every build, but this file is not (//go:build special); move F to a file that is, and let it call what differs",
		},
		{
			name:     "nothing but excluded files without directives",
			files:    "\n-- a.go --\n//go:build special\n\npackage a\n",
			patterns: ".", errs: "build constraints exclude all Go files of .",
		},
		{
			name: "nothing but files that are not read",
			files: `
-- a.go --
//go:build ignore

package main

//mcp:tool
func F() {}
-- b.go --
package a
-- b_test.go --
package a

//mcp:tool
func G() {}
`,
			patterns: ".",
			errs: `a.go:5:1: //mcp:tool: this file is part of no build (//go:build ignore), so that F is not offered
b_test.go:3:1: //mcp:tool: files of tests are not read, so that G is not offered`,
		},
		{
			name:     "an ignored file beside others",
			files:    weather + "\n-- weather/a.go --\n//go:build ignore\n\npackage main\n\n//mcp:tool\nfunc F() {}\n",
			patterns: "./...", want: "example.com/m/weather: add forecast\n",
		},
		{
			name:     "an empty generated file",
			files:    weather + "\n-- weather/mcp_gen.go --\n",
			patterns: "./...", errs: "weather/mcp_gen.go:1:1: expected 'package', found 'EOF'; the file is generated: delete it and run mcpgen tools again (with -target=gosdk, if it had that target)",
		},
		{
			name: "a method by an alias of its receiver", patterns: ".",
			files: "\n-- a.go --\npackage a\n\ntype W struct{}\n\ntype A = W\n\n//mcp:tool\nfunc (a A) F() {}\n\n//mcp:tool\nfunc (a *A) G() {}\n\nfunc serve() { RegisterW(nil, nil) }\n",
			want:  "example.com/m: f g\n",
		},
		{
			name: "lines of a template with the name of a file", patterns: ".",
			files: "\n-- a.go --\npackage a\n-- gen.go --\npackage a\n\n//line templates/a.go:70\n//mcp:tool\nfunc F(c chan int) {}\n\nvar x int = \"\"\n",
			errs: "templates/a.go:71: F: parameter c: a channel cannot be JSON; use a slice, []int, or return an iter.Seq2[int, error] of results that come one by one\n" +
				"templates/a.go:73: cannot use \"\" (untyped string constant) as int value in variable declaration",
		},
		{
			name: "two packages, of which one is not of this build", patterns: "./weather ./b",
			files: weather + "\n-- b/b.go --\n//go:build special\n\npackage b\n",
			want:  "example.com/m/weather: add forecast\n", errs: "build constraints exclude all Go files in ",
		},
		{
			name: "tests alone", patterns: ".",
			files: "\n-- a_test.go --\npackage a\n",
			errs:  "no //mcp: directives in .; a tool is a function with //mcp:tool above it",
		},
		{
			name: "imports in a circle", patterns: "./weather",
			files: weather + "\n-- weather/b.go --\npackage weather\n\nimport _ \"example.com/m/b\"\n-- b/b.go --\npackage b\n\nimport _ \"example.com/m/weather\"\n",
			errs:  "import cycle not allowed: import stack: [example.com/m/weather example.com/m/b example.com/m/weather]",
		},
		{
			name: "trimmed paths",
			files: `
-- a.go --
package a

import "example.com/m/unit"

//mcp:tool
func F(u unit.Unit) {}
-- unit/unit.go --
package unit

// A Unit is something.
type Unit string
`,
			patterns: ".", env: []string{"GOFLAGS=-trimpath"}, want: "example.com/m: f\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			packages, err := Load(t.Context(), &Config{
				Dir: module(t, strings.TrimPrefix(tt.files, "\n")), Env: append(append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0"), tt.env...),
			}, strings.Fields(tt.patterns)...)
			if tt.errs != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.errs) && tt.patterns != "./none" {
					t.Fatalf("got %v\nwant %s", err, tt.errs)
				}
				var list ErrorList
				if errors.As(err, &list) && len(list) != strings.Count(tt.errs, "\n")+1 {
					t.Errorf("got %d errors: %v", len(list), err)
				}
				if got := offered(packages); got != tt.want {
					t.Errorf("beside the mistakes, got %q, want %q", got, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := offered(packages); got != tt.want {
				t.Errorf("got %swant %s", got, tt.want)
			}
		})
	}
}

// TestLoadNoModule says why nothing can be found where there is no module.
func TestLoadNoModule(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\n//mcp:tool\nfunc F() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{".", "./..."} {
		_, err := Load(t.Context(), &Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=")}, pattern)
		if want := "there is no go.mod in " + dir + " or above it; go mod init makes one"; err == nil || err.Error() != want {
			t.Errorf("%s: got %v\nwant %s", pattern, err, want)
		}
	}
}

// TestLoadNothing says that a folder of a module has no packages.
func TestLoadNothing(t *testing.T) {
	dir := module(t, "-- sub/text --\n")
	_, err := Load(t.Context(), &Config{Dir: filepath.Join(dir, "sub"), Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=")}, "./...")
	if err == nil || strings.Contains(err.Error(), "go.mod") {
		t.Errorf("got %v", err)
	}
}

// TestPosition reads places as go/packages writes them.
func TestPosition(t *testing.T) {
	for text, want := range map[string]token.Position{
		"-": {}, "": {}, "a.go": {Filename: "a.go"}, "a.go:3": {Filename: "a.go", Line: 3}, "a.go:3:4": {Filename: "a.go", Line: 3, Column: 4},
		`c:\a.go:3:4`: {Filename: `c:\a.go`, Line: 3, Column: 4}, "a:5.go:3": {Filename: "a:5.go", Line: 3}, "5:6:7": {Filename: "5", Line: 6, Column: 7}, "a:1:2:3": {Filename: "a:1", Line: 2, Column: 3},
	} {
		if got := position(text); got != want {
			t.Errorf("position(%s) = %+v, want %+v", text, got, want)
		}
	}
}

// TestAnalyze leaves out the generated file and tests.
func TestAnalyze(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range map[string]string{"a.go": "A", "mcp_gen.go": "Gen", "a_test.go": "Test"} {
		f, err := parser.ParseFile(fset, name, "package p\n\n//mcp:tool\nfunc "+text+"() {}\n", parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{}).Check("example.com/p", fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	p, problems := Analyze(fset, files, pkg, info, "/", "")
	if len(problems) > 0 || !slices.Equal(p.Tools(), []string{"a"}) {
		t.Errorf("got %v, %v", p.Tools(), problems)
	}
}

// TestLoadUnlisted passes on what the go command says about a module that it cannot list.
func TestLoadUnlisted(t *testing.T) {
	dir := module(t, `-- go.mod --
module a

go 1.26

require example.com/b v0.0.0

replace (
	example.com/b => ./b
	example.com/c => ./c
)
-- a.go --
package a

import _ "example.com/b"
-- b/go.mod --
module example.com/b

go 1.26

require example.com/c v0.0.0
-- b/b.go --
package b

import _ "example.com/c"
-- c/go.mod --
module example.com/c

go 1.26
-- c/c.go --
package c
`)
	_, err := Load(t.Context(), &Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off")}, ".")
	if want := "go: updates to go.mod needed; to update it:\n\tgo mod tidy"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestLoadDocs finds the descriptions of types of packages that are read as export data only.
func TestLoadDocs(t *testing.T) {
	dir := module(t, `-- a.go --
package a

import (
	"image/color" // it imports nothing: with -trimpath, imports are compiled anew

	"example.com/m/unit"
)

//mcp:tool
func F(u unit.Unit, c color.Gray) {}
-- unit/unit.go --
package unit

// A Unit is something. There is more to it.
type Unit string

const One Unit = "one" // the first
`)
	for _, flags := range []string{"", "-trimpath"} {
		packages, err := Load(t.Context(), &Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS="+flags)}, ".")
		if err != nil {
			t.Fatal(err)
		}
		in := packages[0].ir.Tools[0].Input
		if in[0].Type.Doc != "A Unit is something. There is more to it." || in[0].Type.Enum[0].Doc != "the first" || in[1].Type.Doc != "" {
			t.Errorf("GOFLAGS=%s: got %q, %q, %q", flags, in[0].Type.Doc, in[0].Type.Enum[0].Doc, in[1].Type.Doc)
		}
	}
}

// TestLoadOverlay reads files that are not on the disk.
func TestLoadOverlay(t *testing.T) {
	dir := module(t, "-- a.go --\npackage a\n")
	packages, err := Load(t.Context(), &Config{
		Dir: dir, Env: append(os.Environ(), "GOWORK=off"),
		Overlay: map[string][]byte{filepath.Join(dir, "a.go"): []byte("package a\n\n//mcp:tool\nfunc F() {}\n")},
	}, ".")
	if err != nil || offered(packages) != "example.com/m: f\n" {
		t.Errorf("got %s, %v", offered(packages), err)
	}
}

// needsC skips the test if there is no C compiler.
func needsC(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs a C compiler: install gcc")
	}
}

// TestLoadCgo reads a package that the go command rewrites for C.
func TestLoadCgo(t *testing.T) {
	needsC(t)
	dir := module(t, `-- a.go --
package a

// static int twice(int n) { return 2 * n; }
import "C"

// Twice doubles.
//
//mcp:tool
//mcp:param n min=x
func Twice(n int) int { return int(C.twice(C.int(n))) }
`)
	_, err := Load(t.Context(), &Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "CGO_ENABLED=1")}, ".")
	if want := `a.go:9:15: //mcp:param n: min=x: "x" is no integer`; fmt.Sprint(err) != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestLoadTypesOfC takes functions that use C, as long as their types are Go's and there is cgo.
func TestLoadTypesOfC(t *testing.T) {
	const header = `-- a.go --
package a

// #include <stdlib.h>
// struct point { int x, y; };
import "C"
`
	abs := header + `
//mcp:tool
func Abs(n int) int { return int(C.abs(C.int(n))) }
`
	withC := []string{"CGO_ENABLED=1"}
	for _, test := range []struct {
		name, source string
		env          []string
		want         string
	}{
		{"its types are Go's", abs, withC, "example.com/m: abs\n"},
		{"no cgo", abs, []string{"CGO_ENABLED=0"}, `a.go:7:1: //mcp:tool: this file is part of builds with cgo alone (import "C"), so that Abs is not seen; run mcpgen with CGO_ENABLED=1, and with a C compiler`},
		{"no compiler", abs, []string{"CGO_ENABLED=1", "CC=nosuchcompiler"}, `a.go:5:8: could not import C: it needs cgo; run mcpgen with CGO_ENABLED=1, and with a C compiler`},
		{"its types are of C", header + `
//mcp:tool
func F(n C.int, list []*C.char) (C.long, error) { return 0, nil }

//mcp:tool
func G(p struct{ X C.struct_point }) {}
`, withC, `a.go:8:8: F: parameter n: C.int is a type of C, which generated code cannot name; use one of Go
a.go:8:17: F: parameter list: C.char is a type of C, which generated code cannot name; use one of Go
a.go:8:34: F: result: C.long is a type of C, which generated code cannot name; use one of Go
a.go:11:18: G: parameter p: field X: C.struct_point is a type of C, which generated code cannot name; use one of Go`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if slices.Equal(test.env, withC) {
				needsC(t)
			}
			packages, err := Load(t.Context(), &Config{Dir: module(t, test.source), Env: append(append(os.Environ(), "GOWORK=off"), test.env...)}, ".")
			got := offered(packages)
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%v: got\n%s\nwant\n%s", test.env, got, test.want)
			}
		})
	}
}

// TestLoadCancelled returns when its context ends.
func TestLoadCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, &Config{Dir: module(t, "-- a.go --\npackage a\n"), Env: append(os.Environ(), "GOWORK=off")}, "."); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestErrorPlaces names files relative to the folder of the Config.
func TestErrorPlaces(t *testing.T) {
	dir := module(t, `-- p/a.go --
package p

import "net/url"

//mcp:prompt
func F(u *url.URL) int { return 0 }
`)
	_, err := Load(t.Context(), &Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off")}, "./...")
	if want := filepath.Join("p", "a.go") + ":6:20: F: a prompt is a string, []mcp.PromptMessage or *mcp.GetPromptResult, not int"; fmt.Sprint(err) != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	packages, err := Load(t.Context(), &Config{Dir: module(t, "-- a.go --\npackage p\n\n//mcp:tool\nfunc F() {}\n"), Env: append(os.Environ(), "GOWORK=off")}, ".")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := packages[0].Generate("other"); err == nil || err.Error() != `unknown target "other"; there are mcpgen and gosdk` {
		t.Errorf("got %v", err)
	}
}
