package main

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// repository copies the one in testdata, with lists of survivors, and returns options to run in it.
func repository(t *testing.T, packages, rows string) (options, *bytes.Buffer) {
	t.Helper()
	testenv.Long(t) // it compiles and runs tests for every mutant
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/repo")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{survivorsFile: packages, rowsSurvivors: rows, generatedFile: ""} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := new(bytes.Buffer)
	return options{repository: dir, seed: 1, workers: 2, least: 100, match: regexp.MustCompile(""), folders: regexp.MustCompile(""), out: out}, out
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// mutantsOf returns the mutants of a file, and the file that has them all.
func mutantsOf(t *testing.T, src string) (list, instrumented string) {
	t.Helper()
	dir, to := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "m.go": src} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := load(dir, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	mutants, overlay, err := instrument(sources, func(*source) (scope, error) { return everything{}, nil }, to)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range mutants {
		b.WriteString(strings.TrimPrefix(m.key(), "m.go ") + "\n")
	}
	text, err := os.ReadFile(overlay[filepath.Join(dir, "m.go")])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := format.Source(text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return b.String(), string(text)
}

func TestOperators(t *testing.T) {
	for _, tt := range []struct{ name, body, mutants string }{
		{"a check", "if a == 1 { return }", `f: if a == 1 becomes if !(a == 1)
f: drop if a == 1
f: a == 1 becomes a == 2
`},
		{"a check with more to do otherwise", "if ok { a++ } else { a-- }", `f: if ok becomes if !(ok)
f: drop a++
f: drop a--
`},
		{"two conditions", "if ok && a < b { return }", `f: drop if ok && a < b
f: ok && a < b becomes ok || a < b
f: ok && a < b becomes a < b
f: ok && a < b becomes ok
f: a < b becomes a <= b
`},
		{"three conditions", "ok = ok || a > b || s == t", `f: drop ok = ok || a > b || s == t
f: ok || a > b || s == t becomes ok || a > b && s == t
f: ok || a > b || s == t becomes ok || a > b
f: ok || a > b becomes ok && a > b
f: ok || a > b becomes a > b
f: ok || a > b becomes ok
f: a > b becomes a >= b
`},
		{"bounds, of which those that are the same are one", "ok = a <= 5; ok = 5 >= a", `f: drop ok = a <= 5
f: drop ok = 5 >= a
f: a <= 5 becomes a < 5
f: a <= 5 becomes a <= 6
f: 5 >= a becomes 5 > a
f: 5 >= a becomes 6 >= a
`},
		{"assignments", "a, b = b, a; x := a; x += 2; _ = x", `f: drop a, b = b, a
f: drop x += 2
f: x += 2 becomes x += 3
f: x += 2 becomes x += 1
`},
		{"calls", "g(); defer g(); mu.Lock(); defer mu.Unlock(); panic(7)", `f: drop g()
f: drop defer g()
`},
		{"the same twice", "g(); g()", `f: drop g()
f: drop g() (2)
`},
		{"loops", "for a < 3 { a++ }; for range 2 { g() }", `f: drop for a < 3
f: a < 3 becomes a <= 3
f: a < 3 becomes a < 2
f: drop a++
f: for range 2 becomes for range 3
f: for range 2 becomes for range 1
f: drop g()
`},
		{"a switch of conditions", "switch { case a < b: g(); default: return }", `f: drop g()
f: drop case a < b
f: a < b becomes a <= b
`},
		{"a switch of values", `switch s { case "x": g(); case "y": }`, `f: drop g()
f: drop case "x"
`},
		{"a literal of a struct", `p = point{x: a, name: "n"}`, `f: drop p = point{x: a, name: "n"}
f: drop x: a
f: drop name: "n"
`},
		{"constants", "const c = 3; var list [2]int; list[1] = c; l := make([]int, 1, 8); _ = l[0]", `f: drop list[1] = c
f: list[1] becomes list[2]
f: list[1] becomes list[0]
f: make([]int, 1, 8) becomes make([]int, 2, 8)
f: make([]int, 1, 8) becomes make([]int, 0, 8)
f: l[0] becomes l[1]
f: l[0] becomes l[-1]
`},
		{"a variable with the name of a type", "var n number; n = 1; number := n; number += 2; _ = number", `f: drop n = 1
f: drop number += 2
f: n = 1 becomes n = 2
f: n = 1 becomes n = 0
`},
		{"a bool", "ok = true", `f: drop ok = true
f: ok = true becomes ok = false
`},
	} {
		src := "package m\n\nimport \"sync\"\n\nvar mu sync.Mutex\nvar p point\n\ntype point struct { x int; name string }\ntype number int\n\nfunc g() {}\n\n" +
			"func f(a, b int, s, t string, ok bool) {\n" + tt.body + "\n}\n"
		got, _ := mutantsOf(t, src)
		equal(t, tt.name, got, tt.mutants)
	}
}

func TestReturns(t *testing.T) {
	got, _ := mutantsOf(t, `package m

import "errors"

type list []int

func (l *list) first() (int, error) {
	if len(*l) == 0 {
		return 0, errors.New("empty")
	}
	if (*l)[0] < 0 {
		println()
		return 1, errors.New("negative")
	}
	return (*l)[0], nil
}

func (l list) find(n int, deep bool) (int, bool, bool) {
	if deep {
		println()
		return 7, deep, false
	}
	return 7, false, l.at(n)
}

func (l list) has(n int) bool { return l.at(n) }

func (l list) at(n int) bool { return true }
`)
	equal(t, "returns", got, `list.first: if len(*l) == 0 becomes if !(len(*l) == 0)
list.first: drop if len(*l) == 0
list.first: len(*l) == 0 becomes len(*l) == 1
list.first: if (*l)[0] < 0 becomes if !((*l)[0] < 0)
list.first: drop if (*l)[0] < 0
list.first: (*l)[0] < 0 becomes (*l)[0] <= 0
list.first: (*l)[0] becomes (*l)[1]
list.first: (*l)[0] becomes (*l)[-1]
list.first: (*l)[0] < 0 becomes (*l)[0] < -1
list.first: drop println()
list.first: return 1, errors.New("negative") becomes return 1, nil
list.first: (*l)[0] becomes (*l)[1] (2)
list.first: (*l)[0] becomes (*l)[-1] (2)
list.find: if deep becomes if !(deep)
list.find: drop if deep
list.find: drop println()
list.find: return 7, deep, false becomes return 7, deep, true
list.find: return 7, false, l.at(n) becomes return 7, false, !(l.at(n))
list.find: return 7, false, l.at(n) becomes return 8, false, l.at(n)
list.find: return 7, false, l.at(n) becomes return 6, false, l.at(n)
list.find: return 7, false, l.at(n) becomes return 7, true, l.at(n)
list.has: return l.at(n) becomes return !(l.at(n))
list.at: return true becomes return false
`)
}

// Lines stay where they are, so that what a test reports is true.
func TestInstrumented(t *testing.T) {
	_, got := mutantsOf(t, `package m

func f(a, b int) bool {
	if a < b && // one
		b > 2 {
		return a != b
	}
	return false
}
`)
	equal(t, "instrumented", got, `package m

func f(a, b int) bool {
	if ((mutantOn(2) != ((mutantOn(2) != (((mutantLess(5, a , b)) || mutantOn(3)))) && // one
		(mutantOn(2) != (((mutantGreater(6, b , (2 + mutantAdd[int](7, 0)))) || mutantOn(4))))))) && !mutantOn(1) {
		return (mutantOn(8) != (a != b))
	}
	return (mutantOn(9) != false)
}
`)
}

// survive is what survives of package code of the repository in testdata.
const survive = `# Comments do not count.
code/code.go open: drop owner: owner
code/code.go open: drop sum: sum + 1
code/code.go open: sum + 1 becomes sum + 2
code/code.go open: sum + 1 becomes sum + 0
	nobody looks

code/code.go account.pay: a.sum < 0 becomes a.sum <= 0
	it becomes zero, which it is
code/code.go account.pay: a.sum < 0 becomes a.sum < -1
code/code.go count: list[i] == s || s == "" becomes list[i] == s
code/code.go count: drop if n == 0
code/code.go count: n == 0 becomes n == 1
code/code.go count: drop err = errors.New("none")
code/code.go count: return n, err becomes return n, nil
code/code.go untested: return n <= 3 becomes return !(n <= 3)
code/code.go untested: n <= 3 becomes n < 3
code/code.go untested: n <= 3 becomes n <= 4
	for this test
`

func TestPackages(t *testing.T) {
	o, out := repository(t, survive, "")
	o.names = []string{"code"}
	if err := mutatePackages(o); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "code                        45 mutants,    31 killed (0 by time), 8 reached by no test: 68.9 %\n") ||
		!strings.Contains(out.String(), "code/code.go open: drop owner: owner\n\tcode.go:16, reached by 1 tests: may survive: nobody looks\n") {
		t.Errorf("got\n%s", out)
	}
}

// What is in the diary does not run again, whatever would come of it; what is not in it does.
func TestDiary(t *testing.T) {
	o, out := repository(t, survive, "")
	o.names, o.diary = []string{"./code"}, filepath.Join(t.TempDir(), "diary")
	if err := mutatePackages(o); err != nil {
		t.Fatal(err)
	}
	first := out.String()
	if err := os.WriteFile(filepath.Join(o.repository, "code", "code_test.go"), []byte("package code\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := mutatePackages(o); err != nil {
		t.Error(err)
	}
	score := regexp.MustCompile(`(?m)^code .*\n`)
	equal(t, "score", score.FindString(out.String()), score.FindString(first))

	lines, err := os.ReadFile(o.diary)
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(lines, []byte(`"Killer":`))
	i = bytes.LastIndexByte(lines[:i], '\n') + 1 // where the first line of one that was killed begins
	end := i + bytes.IndexByte(lines[i:], '\n') + 1
	if err := os.WriteFile(o.diary, append(lines[:i:i], lines[end:]...), 0o666); err != nil {
		t.Fatal(err)
	}
	equal(t, "error", strings.ReplaceAll(message(mutatePackages(o)), o.repository, ""), "1 of 45 mutants survive that /"+survivorsFile+" does not name")
	if err := os.WriteFile(o.diary, []byte("survives\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := mutatePackages(o); err == nil || !strings.HasPrefix(err.Error(), o.diary+":1: ") {
		t.Errorf("got %v", err)
	}
}

func TestPackagesThatAreNotAsNamed(t *testing.T) {
	more := "code/code.go account.note: drop defer func() { a.log = append(a.log, s) }()\ncode/code.go gone: drop x()\nother/other.go gone: drop x()\n\tno reason\n"
	o, out := repository(t, strings.Replace(survive, "code/code.go count: drop if n == 0\n", "", 1)+more, "")
	o.names, o.match = []string{"code"}, regexp.MustCompile("count|note|open")
	got := strings.ReplaceAll(message(mutatePackages(o)), o.repository+string(filepath.Separator), "")
	equal(t, "error", filepath.ToSlash(got), `internal/mutate/survivors.txt:20: unused entry: no such mutant exists
internal/mutate/survivors.txt:19: unused entry: TestPay kills the mutant
1 of 35 mutants survive that internal/mutate/survivors.txt does not name`)
	if want := "code/code.go count: drop if n == 0\n\tcode.go:53, reached by 0 tests: survives\n"; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestRows(t *testing.T) {
	o, out := repository(t, "", "A-02 code/code.go account.pay: a.sum < 0 becomes a.sum <= 0\n\tit becomes zero, which it is\n")
	equal(t, "error", strings.ReplaceAll(message(mutateRows(o)), o.repository, ""), "1 of 16 mutants survive that /"+rowsSurvivors+" does not name")
	for _, want := range []string{
		"A-01: 1 of 8 mutants survive\nA           2 rows,    1 killed,    16 mutants,    1 survive\n",
		"4 MUST rows, 3 cited by tests, 2 of these linked with code\nnot linked: A-05\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant\n%s", out, want)
		}
	}

	o.least = 93
	equal(t, "error", message(mutateRows(o)), "")

	o, out = repository(t, "", "")
	o.names = []string{"A-03"} // by a test that uses what cites it
	if err := mutateRows(o); err != nil || !strings.Contains(out.String(), "1 rows,    1 killed,     3 mutants,    0 survive") {
		t.Errorf("got %v\n%s", err, out)
	}
	o.list, o.match = true, regexp.MustCompile("A-02.*<")
	out.Reset()
	if err := mutateRows(o); err != nil {
		t.Error(err)
	}
	equal(t, "list", out.String(), `A-02 code/code.go account.pay: a.sum < 0 becomes a.sum <= 0
A-02 code/code.go account.pay: drop if a.sum < 0
A-02 code/code.go account.pay: if a.sum < 0 becomes if !(a.sum < 0)
`)
	o.names = []string{"A-09"}
	o.list = false
	equal(t, "error", message(mutateRows(o)), "docs/requirements.md has no row A-09")
}

// What the lists of this repository name exists, so that a function that moves is noticed before all
// mutants run.
func TestLists(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads packages, which -short does without")
	}
	for name, mutate := range map[string]func(options) error{"packages": mutatePackages, "rows": mutateRows} {
		o := options{repository: "../..", list: true, workers: 1, out: io.Discard}
		if err := o.complete("", "", mutate); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLinks(t *testing.T) {
	for _, tt := range []struct{ file, text, want string }{
		{"code/x.go", "package code\n\n// REQ A-01\n\nfunc f() {}\n", "code/x.go:3: code cites rows in the comments of functions"},
		{"code/x.go", "package code\n\nfunc f() {\n\t// REQ A-01\n\tprintln()\n}\n", "code/x.go:4: code cites rows in the comments of functions"},
		{"code/x.go", "package code\n\n// REQ A-09\nfunc f() {}\n", "code/x.go:4: there is no row A-09"},
		{generatedFile, "# generated\ncode/code.go gone: A-01\n", generatedFile + ": code/code.go has no function gone"},
		{generatedFile, "code/code.go: A-01\n", generatedFile + ":1: want FILE FUNCTION: ID, ID"},
	} {
		o, _ := repository(t, "", "")
		if err := os.WriteFile(filepath.Join(o.repository, filepath.FromSlash(tt.file)), []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		equal(t, tt.file, message(mutateRows(o)), tt.want)
	}

	o, out := repository(t, "", "")
	if err := os.WriteFile(filepath.Join(o.repository, filepath.FromSlash(generatedFile)), []byte("code/code.go count: A-05\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	o.names = []string{"A-05"}
	mutateRows(o)
	if want := "code/code.go count: drop if n == 0\n"; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestReadSurvivors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"a\nb\n\twhy\n# no\n\nc\n  why\n", ""},
		{"a\n", "list:1: the mutant has no reason below"},
		{"\twhy\n", "list:1: a reason without a mutant above"},
		{"a\n\twhy\n\tmore\n", "list:3: a reason without a mutant above"},
		{"a\n\twhy\na\n\twhy\n", "list:3: the mutant is named in line 1, too"},
	} {
		file := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(file, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := readSurvivors(file)
		equal(t, tt.text, strings.ReplaceAll(message(err), file, "list"), tt.want)
	}
}

func TestSample(t *testing.T) {
	all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	a, again, b := fmt.Sprint(sample(all, 4, 1)), fmt.Sprint(sample(all, 4, 1)), fmt.Sprint(sample(all, 4, 2))
	if a != again || a == b || len(sample(all, 4, 1)) != 4 || len(sample(all, 0, 1)) != 9 || len(sample(all, 10, 1)) != 9 {
		t.Errorf("got %s, %s, %s", a, again, b)
	}
}

// A test that does not end is ended, and counts as failed.
func TestTimeout(t *testing.T) {
	o, _ := repository(t, "", "")
	l, err := newLab(o.repository, t.TempDir(), nil, o.out)
	if err != nil {
		t.Fatal(err)
	}
	endless := "package code\n\nimport \"testing\"\n\nfunc TestEndless(t *testing.T) { for {} }\n"
	if err := os.WriteFile(filepath.Join(o.repository, "code", "endless_test.go"), []byte(endless), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := l.build("code"); err != nil {
		t.Fatal(err)
	}
	if r := l.run([]*test{{pkg: "code", name: "TestEndless"}}, time.Second); !r.failed || !r.timeout {
		t.Errorf("got %+v", r)
	}
}

func TestGroups(t *testing.T) {
	tests := []*test{
		{pkg: "a", name: "1", took: 100 * time.Millisecond}, {pkg: "b", name: "2", took: 150 * time.Millisecond},
		{pkg: "a", name: "3", took: 200 * time.Millisecond}, {pkg: "a", name: "4", took: 400 * time.Millisecond},
	}
	var got strings.Builder
	for _, g := range groups(tests) {
		for _, one := range g {
			got.WriteString(one.name + " ")
		}
		got.WriteString("| ")
	}
	equal(t, "groups", got.String(), "1 3 | 2 | 4 | ")
}
