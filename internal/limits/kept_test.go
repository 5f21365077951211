package limits_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// bounding are the names of options that bound what is kept.
var bounding = regexp.MustCompile(`^(Max[A-Z]\w*|\w*Idle|\w*TTL|\w+Bytes|\w+Events)$`)

// keptTable returns the section of docs/limits.md about what is kept.
func keptTable(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "limits.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## What a peer can make us keep\n")
	if !ok {
		t.Fatal("docs/limits.md has no section on what a peer can make us keep")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// Every test that the table names exists, and every row names one.
func TestKeptTestsExist(t *testing.T) {
	named := regexp.MustCompile("`((?:runtime|cluster)/[a-z/]+) (Test\\w+)`")
	rows := 0
	for line := range strings.Lines(keptTable(t)) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| What ") {
			continue
		}
		rows++
		if cells := strings.Count(line, "|"); cells != 8 {
			t.Errorf("a row has %d cells, want 7: %s", cells-1, line)
		}
		tests := named.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("a row names no test, as in `runtime/internal/peer TestTooManyRequests`: %s", line)
		}
		for _, test := range tests {
			if !declares(t, filepath.Join(root, test[1]), "func "+test[2]+"(") {
				t.Errorf("there is no %s in %s: %s", test[2], test[1], line)
			}
		}
	}
	if rows == 0 {
		t.Error("the table has no rows")
	}
}

// A row whose bound all clients share names the tests in which one of them takes until it is refused, and another one still
// gets some; it names all of these. Who shares a bound is one of a few words, so that no row avoids this by another name.
func TestKeptIsShared(t *testing.T) {
	alone := regexp.MustCompile(`^(connection|batch|message|session|call|child|task|server|process|request|stream|address|client|grant|user|list|form|session or subscription|stream, session|bytes: without shares|all, as a cache: .*)$`)
	shared := regexp.MustCompile("^all(, where a client is its address)?: (`(?:runtime|cluster)/[a-z/]+ Test\\w+`(, |$))+$")
	tests, named := sharedTests(t), make(map[string]bool)
	for line := range strings.Lines(keptTable(t)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 7 || strings.HasPrefix(line, "| What ") {
			continue
		}
		for part := range strings.SplitSeq(cells[4], "; ") {
			if alone.MatchString(part) {
				continue
			}
			if !shared.MatchString(part) {
				t.Errorf("shared by %q: want whose each is, or all with the tests of shares, as in all: `runtime/server TestListensAreBounded`: %s", part, line)
			}
			for _, test := range regexp.MustCompile("`(.*?)`").FindAllStringSubmatch(part, -1) {
				if named[test[1]] = true; !tests[test[1]] {
					t.Errorf("%s does not call limits.Shared: %s", test[1], line)
				}
			}
		}
	}
	for test := range tests {
		if !named[test] {
			t.Errorf("%s calls limits.Shared, but no row of docs/limits.md names it as the test of what all share", test)
		}
	}
	if n := strings.Count(keptTable(t), "bytes: without shares"); n > 2 {
		t.Errorf("%d rows are without shares, want no more than there were", n)
	}
}

// declares reports whether a text stands at the start of a line of a test file in a folder.
func declares(t *testing.T, dir, text string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains("\n"+string(data), "\n"+text) {
			return true
		}
	}
	return false
}

// Every option that bounds what is kept stands in the table, so that none is forgotten,
// and every option in the table exists.
func TestKeptOptionsStandInTable(t *testing.T) {
	table := keptTable(t)
	exist := options(t)
	for name, bounds := range exist {
		if bounds && !strings.Contains(table, "`"+name+"`") {
			t.Errorf("the option %s does not stand in the table of docs/limits.md", name)
		}
	}
	for _, m := range regexp.MustCompile("`([a-z]+\\.[A-Z]\\w*(?:\\.\\w+)?)`").FindAllStringSubmatch(table, -1) {
		if _, ok := exist[m[1]]; !ok {
			t.Errorf("docs/limits.md names %s, which there is not", m[1])
		}
	}
}

// options returns the fields of exported structs and the functions of the public packages of the runtime and its
// clusters, by their names with package and type, and whether they bound what is kept.
func options(t *testing.T) map[string]bool {
	t.Helper()
	all := make(map[string]bool)
	eachFile(t, func(file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil {
					all[file.Name.Name+"."+n.Name.Name] = false
				}
				return false
			case *ast.TypeSpec:
				s, ok := n.Type.(*ast.StructType)
				if !ok || !n.Name.IsExported() {
					return true
				}
				isOptions := strings.HasSuffix(n.Name.Name, "Options") || n.Name.Name == "Checker"
				for _, field := range s.Fields.List {
					for _, name := range field.Names {
						all[file.Name.Name+"."+n.Name.Name+"."+name.Name] = isOptions && bounding.MatchString(name.Name)
					}
				}
			}
			return true
		})
	})
	return all
}

// eachFile calls f for the files of the public packages of the runtime and its clusters, without those for tests.
func eachFile(t *testing.T, f func(*ast.File)) {
	t.Helper()
	for _, dir := range []string{"runtime", "cluster"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "internal" || d.Name() == "testdata" || d.Name() == "mcptest" || d.Name() == "transporttest"):
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err == nil {
				f(file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
