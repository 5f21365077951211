package main

import (
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// TestExisting lets packages of modules that exist use mcpgen: nothing they had changes, a second time changes nothing,
// what they become compiles, and the program serves the tool that is added.
func TestExisting(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module, which -short does without")
	}
	for _, test := range []struct {
		name, files string
		dir         string   // of the package
		adds        []string // files that init writes
		says        string
		edit        [3]string // file, old, new: what a person does then
	}{{
		name: "main", dir: ".", adds: []string{"mcp.go"},
		files: `
-- go.mod --
module example.com/tracker

go 1.22 // kept

require golang.org/x/sys v0.40.0
-- main.go --
// Command tracker tracks.
package main

import "os"

func main() {
	if len(os.Args) > 1 {
		os.Exit(len(os.Args))
	}
}
`,
		says: "go 1.26.0, which it needs\nmcp.go: the server's name and version; go generate runs mcpgen\n",
		edit: [3]string{"main.go", "\tif len(os.Args) > 1 {\n\t\tos.Exit(len(os.Args))\n\t}", "\tserve.Main(func() (*server.Server, error) { return NewServer(nil) })"},
	}, {
		name: "library", dir: ".", adds: []string{"mcp_generate.go"},
		files: `
-- go.mod --
module example.com/tracker

go 1.26.0
-- tracker.go --
package tracker

// NewServer is something else.
func NewServer() int { return 1 }
-- mcp.go --
package tracker
`,
		says: "The function Register, which is generated, adds the tools to a server.\n",
	}, {
		name: "nested", dir: "internal/issues", adds: []string{"internal/issues/mcp.go"},
		files: `
-- go.mod --
module example.com/tracker

go 1.26.0
-- internal/issues/issues.go --
package issues

type Issue struct{}
`,
		says: "serve.Main(func() (*server.Server, error) { return issues.NewServer(nil) })\n\nNewServer, which go generate writes, takes the receivers of methods before nil. The packages are\n",
	}, {
		name: "tagged", dir: ".", adds: []string{"mcp.go"},
		files: `
-- go.mod --
module example.com/tracker

go 1.26.0
-- tracker.go --
package tracker
-- tracker_test.go --
package tracker_test
-- tools.go --
//go:build tools

package tools

import _ "example.com/tool"
-- zz_gen.go --
//go:build ignore

//mcp:server name=other

package main

func GetIssue() {}
`,
		says: "serve.Main(func() (*server.Server, error) { return tracker.NewServer(nil) })\n",
	}, {
		name: "vendored", dir: ".", adds: []string{"mcp.go"},
		files: `
-- go.mod --
module example.com/tracker

go 1.26.0
-- tracker.go --
package tracker
-- vendor/modules.txt --
`,
		says: "go mod vendor, since there is a folder vendor\n",
	}, {
		name: "new", dir: "cmd/mcp", adds: []string{"cmd/mcp/main.go", "cmd/mcp/greet.go", "cmd/mcp/greet_test.go", "cmd/mcp/mcp_gen.go", "cmd/mcp/mcp.lock.json"},
		files: `
-- go.mod --
module example.com/tracker

go 1.26.0
-- cmd/mcp/README.md --
A server.
`,
		says: "'go tool mcpgen dev' runs it while you write it, with a page to try it on; 'go test' tests it.\n",
	}, {
		name: "workspace", dir: "one", adds: []string{"one/mcp.go"},
		files: `
-- go.work --
go 1.22

use (
	./one
	./two
)
-- one/go.mod --
module example.com/one

go 1.22
-- one/one.go --
package one
-- two/go.mod --
module example.com/two

go 1.22
-- two/two.go --
package two
`,
		says: "go.work: go 1.26.0, which mcpgen needs\n",
	}} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			t.Chdir(root)
			offlineEnv(t)
			vendored := strings.Contains(test.files, "vendor/")
			if vendored || strings.Contains(test.files, "go.work") {
				needsModules(t)
			}
			t.Setenv("GOWORK", "")
			for _, f := range txtar.Parse([]byte(test.files)).Files {
				write(t, f.Name, string(f.Data))
			}
			t.Chdir(test.dir)
			before := contents(t, root)
			said := mcpgen(t, "init", "-replace", repository, ".")
			if !strings.Contains(said, test.says) {
				t.Errorf("init prints\n%s\nwant in it %q", said, test.says)
			}
			after := contents(t, root)
			changed := maps.Clone(after)
			for name, text := range before {
				if base := filepath.Base(name); base != "go.mod" && base != "go.work" && base != "modules.txt" && after[name] != text {
					t.Errorf("%s becomes\n%s", name, after[name])
				}
				delete(changed, name)
			}
			for _, name := range test.adds {
				if changed[name] == "" {
					t.Errorf("there is no %s", name)
				}
				delete(changed, name)
			}
			for name := range changed {
				if filepath.Base(name) != "go.sum" && !strings.HasPrefix(name, "vendor/") {
					t.Errorf("init adds %s", name)
				}
			}
			if test.name != "new" {
				for _, args := range [][]string{{"init", "."}, {"init", "-replace", repository, "."}} {
					if said := mcpgen(t, args...); !strings.HasPrefix(said, ". uses mcpgen already: nothing is changed.\n") {
						t.Errorf("mcpgen %s: a second time prints\n%s", args, said)
					}
				}
				if again := contents(t, root); !maps.Equal(after, again) {
					t.Errorf("a second time changes files")
				}
			}
			goCommand(t, ".", "list", "-deps", self+"/cmd/mcpgen")
			if vendored && !testenv.Full() { // to compile copies of all packages takes long
				return
			}
			mcpgen(t, "add", "tool", "get_issue")
			if test.edit[0] != "" {
				mcpgen(t, "add", "prompt", "review_issue")
				mcpgen(t, "add", "resource", "issue_by_id", "tracker://issues/{number}{?part}")
				text, err := os.ReadFile(test.edit[0])
				if err != nil {
					t.Fatal(err)
				}
				edited := strings.Replace(string(text), test.edit[1], test.edit[2], 1)
				edited = strings.Replace(edited, "import \"os\"", "import (\n\""+self+"/runtime/serve\"\n\""+self+"/runtime/server\"\n)", 1)
				write(t, test.edit[0], edited)
			}
			goCommand(t, ".", "vet", ".")
			if said := mcpgen(t, "check", "-profile", "none"); said != "" {
				t.Errorf("check prints %s", said)
			}
			if test.edit[0] != "" {
				goCommand(t, ".", "build", "-o", "tracker")
				var stdout, stderr strings.Builder
				run([]string{"call", "get_issue", "text=1", "--", "./tracker"}, &stdout, &stderr)
				if want := "get_issue does nothing yet\nmcpgen: the tool get_issue failed\n"; stderr.String() != want {
					t.Errorf("a call of the tool prints %q and\n%s", stdout.String(), stderr.String())
				}
			}
		})
	}
}

// needsModules skips a test for which the go command reads all modules that this one requires, also those that nothing
// needs here.
func needsModules(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("go", "-C", repository, "mod", "download").CombinedOutput(); err != nil {
		t.Skipf("it needs what no test does otherwise. To run this test: go mod download\n%s", out)
	}
}

// TestExistingSeveral refuses a folder with two packages, and one without a free name, before anything is written.
func TestExistingSeveral(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/tracker\n\ngo 1.26.0\n")
	write(t, "one.go", "package one\n")
	write(t, "two.go", "package two\n")
	write(t, "full/mcp.go", "package full\n")
	write(t, "full/mcp_generate.go", "package full\n")
	write(t, "ignored/main.go", "//go:build ignore\n\npackage main\n")
	before := contents(t, ".")
	const several = "found packages one (one.go) and two (two.go) in "
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"init", "-replace", repository, "."}, several},
		{[]string{"add", "tool", "get_issue"}, several},
		{[]string{"init", "-replace", repository, "full"}, "full has a mcp.go and a mcp_generate.go: add the line \"//go:generate go tool mcpgen tools\" to a file of the package\n"},
		{[]string{"init", "-replace", repository, "ignored"}, "mcpgen: ignored/main.go exists already\n"},
	} {
		args := test.args
		var stdout, stderr strings.Builder
		code := run(args, &stdout, &stderr)
		if code != 2 || !strings.Contains(stderr.String(), test.want) || !maps.Equal(before, contents(t, ".")) {
			t.Errorf("%s: exit code %d, printed %q and\n%s", args, code, stdout.String(), stderr.String())
		}
	}
}

// TestExistingAuth says where to read how a package that exists asks for tokens.
func TestExistingAuth(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/tracker\n\ngo 1.26.0\n")
	write(t, "main.go", "package main\n")
	var stdout, stderr strings.Builder
	code := run([]string{"init", "-auth", "-replace", repository, "."}, &stdout, &stderr)
	const section = "A server with an existing identity provider"
	want := "mcpgen: -auth is for a new server, and . has a package main: docs/authorization.md says under \"" + section + "\" what to add\n"
	if code != 2 || !strings.HasPrefix(stderr.String(), want) {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
	if doc, err := os.ReadFile(filepath.Join(repository, "docs", "authorization.md")); err != nil || !strings.Contains(string(doc), "\n## "+section+"\n") {
		t.Errorf("docs/authorization.md has no such section, %v", err)
	}
}

// TestExistingAdd adds a tool to a package that does not use mcpgen yet, in a module that does, and refuses where no
// mcpgen is known that the module could require.
func TestExistingAdd(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads packages, which -short does without")
	}
	t.Chdir(t.TempDir())
	offlineEnv(t)
	writeModule(t, ".", "example.com/tracker")
	write(t, "issues/issues.go", "package issues\n")
	write(t, "other/go.mod", "module example.com/other\n")
	write(t, "other/other.go", "package other\n\n//mcp:tool\nfunc Other() {}\n")
	said := mcpgen(t, "add", "tool", "get_issue", "issues")
	want := "issues/mcp.go: the server's name and version; go generate runs mcpgen\n" +
		"issues/get_issue.go has the function GetIssue: write what it does, then run go generate\n" +
		"Then a program serves it by\n"
	if !strings.HasPrefix(said, want) {
		t.Errorf("add printed\n%s\nwant\n%s", said, want)
	}
	issues, err := filepath.Abs("issues")
	if err != nil {
		t.Fatal(err)
	}
	want = filepath.ToSlash(issues) + "/get_repo.go has the function GetRepo: write what it does, then run go generate\n"
	if said := mcpgen(t, "add", "tool", "get_repo", issues); said != want {
		t.Errorf("add printed\n%s\nwant\n%s", said, want)
	}
	write(t, "issues/find.go", "package issues\n\n// Find finds.\n//\n//mcp:tool name=find_issues\nfunc Find(text string) {}\n\n// Rules are rules.\n//\n//mcp:resource tracker://rules\nfunc Rules() string { return \"\" }\n")
	for args, want := range map[string]string{
		"tool find_issues":               "example.com/tracker/issues has a tool find_issues already",
		"resource other tracker://rules": "example.com/tracker/issues has a resource tracker://rules already",
	} {
		var stdout, stderr strings.Builder
		if code := run(strings.Fields("add "+args+" issues"), &stdout, &stderr); code != 2 || stderr.String() != "mcpgen: "+want+"\n" {
			t.Errorf("%s: exit code %d, %s", args, code, stderr.String())
		}
	}
	write(t, "annotated/annotated.go", "package annotated\n\n// Find finds.\n//\n//mcp:tool\nfunc Find() {}\n")
	want = "annotated/mcp.go: go generate runs mcpgen\nNext: go generate\n"
	if said := mcpgen(t, "init", "annotated"); said != want {
		t.Errorf("init printed\n%s\nwant\n%s", said, want)
	}
	before := contents(t, "other")
	var stdout, stderr strings.Builder
	code := run([]string{"add", "tool", "get_issue", "other"}, &stdout, &stderr)
	if code != 2 || stdout.String() != "" || !strings.Contains(stderr.String(), "this mcpgen is no release") || !maps.Equal(before, contents(t, "other")) {
		t.Errorf("exit code %d, printed %q and\n%s", code, stdout.String(), stderr.String())
	}

	builtIn = filepath.Join(repository, "cmd", "mcpgen")
	defer func() { builtIn = "" }()
	t.Chdir("other")
	if said := mcpgen(t, "add", "tool", "get_issue"); !strings.Contains(said, "replaced by "+filepath.ToSlash(repository)+"; go 1.26.0, which it needs\n") {
		t.Errorf("a command that was built in a checkout prints\n%s", said)
	}
}

// TestExistingUnfinished has no go command to call: what is written says what is left to do.
func TestExistingUnfinished(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOWORK", "off")
	t.Setenv("PATH", "")
	write(t, "go.mod", "module example.com/tracker\n\ngo 1.26.0\n")
	write(t, "tracker.go", "package tracker\n")
	var stdout, stderr strings.Builder
	code := run([]string{"init", "-replace", repository, "."}, &stdout, &stderr)
	if code != 2 || !strings.HasSuffix(stdout.String(), "\ngo mod tidy, since the module and mcpgen together need more\n") ||
		!strings.HasPrefix(stderr.String(), "mcpgen: go mod tidy: exec: ") || !strings.HasSuffix(stderr.String(), "\ngo.mod is written: mend that, then run 'go mod tidy' there\n") {
		t.Errorf("exit code %d, printed %q and\n%s", code, stdout.String(), stderr.String())
	}

	write(t, "go.mod", "module example.com/tracker\n\ngo 1.26.0\n")
	stderr.Reset()
	if code := run([]string{"init", "-replace", repository, "cmd/mcp"}, io.Discard, &stderr); code != 2 || !strings.HasPrefix(stderr.String(), "mcpgen: go mod tidy: exec: ") {
		t.Errorf("a new package: exit code %d, %s", code, stderr.String())
	}
	if _, err := os.Stat("cmd/mcp"); err == nil {
		t.Error("a new package is written to a module that is not ready")
	}

	write(t, "go.mod", "module example.com/tracker\n\ngo 1.26.0\n")
	write(t, "vendor/modules.txt", "")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	m, err := moduleOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		do         func(w io.Writer) error
		work       string
		said, fail string
	}{
		{func(w io.Writer) error {
			changed, err := m.use(t.Context(), &newProject{version: "v1.2.3"}, w)
			if !changed {
				t.Error("a release that cannot be had changes nothing")
			}
			return err
		}, "", "go get -tool github.com/mcpgen/mcpgen/cmd/mcpgen@v1.2.3\n", "go get -tool github.com/mcpgen/mcpgen/cmd/mcpgen@v1.2.3: exec: "},
		{func(w io.Writer) error { return m.vendor(t.Context(), w) }, "", "go mod vendor, since there is a folder vendor\n", "\nthe rest is written: mend that, then run 'go mod vendor' there"},
		{func(w io.Writer) error { return m.vendor(t.Context(), w) }, "go.work", "go work vendor, since there is a folder vendor\n", "\nthe rest is written: mend that, then run 'go work vendor' there"},
		{func(w io.Writer) error { return m.vendor(t.Context(), w) }, "elsewhere/go.work", "", ""},
	} {
		m.work = test.work
		var said strings.Builder
		if err := test.do(&said); said.String() != test.said || (err == nil) != (test.fail == "") || err != nil && !strings.Contains(err.Error(), test.fail) {
			t.Errorf("got %v, and printed %q, want %q", err, said.String(), test.said)
		}
	}
}

// TestModuleOf finds the module of a folder that need not exist.
func TestModuleOf(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GOWORK", "")
	for name, text := range map[string]string{
		"a/go.mod": "module example.com/a\n", "a/go.work": "go 1.26.0\n", "wrong/go.mod": "modul x\n", "none/go.mod": "go 1.26.0\n", "b/go.mod/c": "",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	m, err := moduleOf(filepath.Join(dir, "a", "b", "c"))
	if err != nil || m == nil || m.path(filepath.Join(dir, "a", "b", "c")) != "example.com/a/b/c" || m.work != filepath.Join(dir, "a", "go.work") || m.requires() || m.ready() {
		t.Errorf("got %+v, %v", m, err)
	}
	for _, dir := range []string{filepath.Join(dir, "b"), filepath.Join(dir, "none"), filepath.Join(repository, "cmd")} {
		if m, err := moduleOf(dir); m != nil || err != nil {
			t.Errorf("%s: got %+v, %v", dir, m, err)
		}
	}
	if _, err := moduleOf(filepath.Join(dir, "wrong")); err == nil || !strings.Contains(err.Error(), "wrong/go.mod:1: unknown directive: modul") {
		t.Errorf("a go.mod with a mistake: %v", err)
	}
}

// TestWorkspaceChange makes a workspace, which uses the module, need a version of Go.
func TestWorkspaceChange(t *testing.T) {
	dir := t.TempDir()
	m := &existing{root: filepath.Join(dir, "one"), mod: new(modfile.File)}
	if err := m.mod.AddModuleStmt("example.com/one"); err != nil {
		t.Fatal(err)
	}
	if c, err := m.workspace(&modfile.Go{Version: "1.26.0"}); err != nil || c.Path != "" {
		t.Errorf("no workspace: got %+v, %v", c, err)
	}
	m.work = filepath.Join(dir, "absent")
	if _, err := m.workspace(&modfile.Go{Version: "1.26.0"}); err == nil {
		t.Error("a workspace that does not exist is no error")
	}
	m.work = filepath.Join(dir, "go.work")
	for _, test := range []struct{ work, want, err string }{
		{"go 1.22\n\nuse ./one\n\nuse ./two\n", "go 1.26.0\n\nuse ./one\n\nuse ./two\n", ""},
		{"use ./one\n", "go 1.26.0\n\nuse ./one\n", ""},
		{"go 1.26.1\n\nuse " + filepath.ToSlash(m.root) + "\n", "go 1.26.1\n\nuse " + filepath.ToSlash(m.root) + "\n", ""},
		{"go 1.22\n\nuse ./two\n", "", "go.work does not use the module example.com/one"},
		{"go 1.22\n\nus ./two\n", "", "go.work:3: unknown directive: us"},
	} {
		write(t, m.work, test.work)
		c, err := m.workspace(&modfile.Go{Version: "1.26.0"})
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s\ngot %v", test.work, err)
			}
			continue
		}
		if err != nil || c.Path != m.work || string(c.Old) != test.work || string(c.New) != test.want {
			t.Errorf("%s\ngot %q, %v", test.work, c.New, err)
		}
	}
}

// TestSums adds the checksums that are not there yet.
func TestSums(t *testing.T) {
	checkout, root := t.TempDir(), t.TempDir()
	m := &existing{root: root}
	if _, err := m.sums(checkout); err == nil {
		t.Error("a checkout without checksums is no error")
	}
	write(t, filepath.Join(checkout, "go.sum"), "a v1 h1:x\nb v1 h1:y\n")
	for _, test := range []struct{ old, want string }{
		{"", "a v1 h1:x\nb v1 h1:y\n"},
		{"b v1 h1:y\nc v1 h1:z\n", "b v1 h1:y\nc v1 h1:z\na v1 h1:x\n"},
		{"c v1 h1:z", "c v1 h1:z\na v1 h1:x\nb v1 h1:y\n"},
	} {
		if test.old != "" {
			write(t, filepath.Join(root, "go.sum"), test.old)
		}
		if c, err := m.sums(checkout); err != nil || string(c.Old) != test.old || string(c.New) != test.want {
			t.Errorf("%q: got %q, %v", test.old, c.New, err)
		}
	}
	write(t, filepath.Join(root, "folder", "go.sum", "a"), "")
	if _, err := (&existing{root: filepath.Join(root, "folder")}).sums(checkout); err == nil {
		t.Error("a folder called go.sum is no error")
	}
}

// TestExistingWorkspace refuses a module that the workspace does not use, before anything is written.
func TestExistingWorkspace(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOWORK", "")
	write(t, "go.work", "go 1.26.0\n")
	write(t, "go.mod", "module example.com/tracker\n\ngo 1.22\n")
	write(t, "tracker.go", "package tracker\n")
	before := contents(t, ".")
	var stdout, stderr strings.Builder
	code := run([]string{"init", "-replace", repository, "."}, &stdout, &stderr)
	if code != 2 || !strings.Contains(stderr.String(), "go.work does not use the module example.com/tracker: run 'go work use' there, or set GOWORK=off") ||
		!maps.Equal(before, contents(t, ".")) {
		t.Errorf("exit code %d, printed %q and\n%s", code, stdout.String(), stderr.String())
	}
}

// write writes a file, and the folders that it needs.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestBegin writes what a package lacks: the line for go generate, and the server.
func TestBegin(t *testing.T) {
	const line = "package tracker\n\n//go:generate go tool mcpgen tools\n"
	const server = "//mcp:server name=tracker version=0.1.0\n" + line
	for _, test := range []struct{ name, code, want string }{
		{"plain", "package tracker\n", server},
		{"generated", "package tracker\n\n//go:generate go tool mcpgen tools -target gosdk\n", ""},
		{"generated by others", "package tracker\n\n//go:generate stringer\n\n// mcpgen tools\n", server},
		{"a server", "//mcp:server name=other\npackage tracker\n", line},
		{"a tool", "package tracker\n\n//mcp:tool\nfunc F() {}\n", line},
		{"NewServer", "package tracker\n\nfunc NewServer() {}\n\nvar X int\n", line},
	} {
		root := t.TempDir()
		dir := filepath.Join(root, "tracker")
		write(t, filepath.Join(dir, "tracker.go"), test.code)
		write(t, filepath.Join(root, "go.mod"), "module example.com/root\n")
		m, err := moduleOf(dir)
		if err != nil {
			t.Fatal(err)
		}
		s, err := readSource(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		c, err := m.begin(dir, s)
		if c != nil {
			got = string(c.New)
		}
		if err != nil || got != test.want {
			t.Errorf("%s: got %q, %v", test.name, got, err)
		}
	}
	s := &source{name: "tracker", serves: true}
	if got := new(existing).serving(".", s); got != "" {
		t.Errorf("a program that serves already is told %q", got)
	}
}
