package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
		says: "go tool mcpgen dev",
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
				mcpgen(t, "add", "resource", "issue_rules", "tracker://rules")
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

// TestExistingSeveral refuses a folder with two packages, before anything is written.
func TestExistingSeveral(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/tracker\n\ngo 1.26.0\n")
	write(t, "one.go", "package one\n")
	write(t, "two.go", "package two\n")
	before := contents(t, ".")
	for _, args := range [][]string{{"init", "-replace", repository, "."}, {"add", "tool", "get_issue"}} {
		var stdout, stderr strings.Builder
		code := run(args, &stdout, &stderr)
		if code != 2 || !strings.Contains(stderr.String(), "found packages one (one.go) and two (two.go) in ") || !maps.Equal(before, contents(t, ".")) {
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
	write(t, "other/other.go", "package other\n")
	said := mcpgen(t, "add", "tool", "get_issue", "issues")
	want := "issues/mcp.go: the server's name and version; go generate runs mcpgen\n" +
		"issues/get_issue.go has the function GetIssue: write what it does, then run go generate\n" +
		"Then a program serves it by\n"
	if !strings.HasPrefix(said, want) {
		t.Errorf("add printed\n%s\nwant\n%s", said, want)
	}
	want = "issues/get_repo.go has the function GetRepo: write what it does, then run go generate\n"
	if said := mcpgen(t, "add", "tool", "get_repo", "issues"); said != want {
		t.Errorf("add printed\n%s\nwant\n%s", said, want)
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
