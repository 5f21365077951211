package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/schema"
)

// asCommand is the environment variable that turns the test binary into the command.
const asCommand = "MCPGEN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asServer {
		serveConsole()
		return
	}
	if len(os.Args) > 1 && os.Args[1] == asCat {
		serveCat(os.Args[2:])
		return
	}
	if len(os.Args) > 2 && os.Args[1] == asHostile {
		serveHostile(os.Args[2])
		return
	}
	if os.Getenv(asCommand) != "" {
		if name := os.Getenv(peakFile); name != "" {
			os.Exit(measured(name))
		}
		main()
	}
	var err error
	if repository, err = filepath.Abs("../.."); err != nil {
		panic(err)
	}
	builtIn = "" // whether or not these tests know it
	testenv.Main(m)
}

// peakFile is the environment variable with the name of a file into which the command writes how much memory it had.
const peakFile = "MCPGEN_TEST_PEAK"

// measured runs the command like main, and writes the most memory that it had, in KiB. What the parent knows of it is
// more: it includes what the parent itself has.
func measured(name string) (code int) {
	debug.SetGCPercent(400)
	code = run(os.Args[1:], os.Stdout, os.Stderr)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return code
	}
	if m := regexp.MustCompile(`VmHWM:\s*(\d+)`).FindSubmatch(status); m != nil {
		err = os.WriteFile(name, m[1], 0o666)
	}
	if err != nil {
		panic(err)
	}
	return code
}

// repository is the folder of this checkout.
var repository string

// command returns the command as a process of its own, to be run in a folder.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// mcpgen runs the command in the test's own process, and fails the test if it fails.
func mcpgen(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(args, &out, &errOut); code != 0 {
		t.Fatalf("mcpgen %s: exit code %d\n%s", strings.Join(args, " "), code, errOut.String())
	}
	return out.String()
}

// TestProcess checks what only a process has: its exit code, and its two outputs.
func TestProcess(t *testing.T) {
	dir := t.TempDir()
	changed, err := schema.Source("2024-11-05")
	if err != nil {
		t.Fatal(err)
	}
	changed = append(changed, "export type Added = string;\n"...)
	if err := os.WriteFile(filepath.Join(dir, "changed.ts"), changed, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args           []string
		code           int
		stdout, stderr string // how they begin
	}{
		{[]string{"schema", "list"}, 0, "SCHEMA ", ""},
		{[]string{"schema", "verify", "changed.ts"}, 1, "--- schema/2024-11-05/schema.ts\n+++ changed.ts\n", "mcpgen: changed.ts differs in structure"},
		{[]string{"schema", "verify", "absent.ts"}, 2, "", "mcpgen: open absent.ts: "},
		{nil, 2, "", "Mcpgen generates "},
	} {
		var stdout, stderr strings.Builder
		cmd := command(t, dir, test.args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != test.code {
			t.Errorf("mcpgen %v: exit code %d, want %d", test.args, got, test.code)
		}
		for _, out := range []struct{ got, want string }{{stdout.String(), test.stdout}, {stderr.String(), test.stderr}} {
			if out.want == "" && out.got != "" || !strings.HasPrefix(out.got, out.want) {
				t.Errorf("mcpgen %v: got\n%s\nwant\n%s…", test.args, out.got, out.want)
			}
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestFull checks that output which is lost is no success, also where a command finds something.
func TestFull(t *testing.T) {
	for _, args := range []string{"-h", "help tools", "help types", "schema list", "schema show ui", "dump -lowered -revision 2025-06-18", "skill -print", "version"} {
		var stderr strings.Builder
		if code := run(strings.Fields(args), full{}, &stderr); code != 2 || stderr.String() != "mcpgen: no room\n" {
			t.Errorf("%s: exit code %d, printed %q", args, code, stderr.String())
		}
	}
	var stderr strings.Builder
	const want = "mcpgen: 2025-11-25 breaks clients, servers and Go callers of 2025-06-18\nmcpgen: no room\n"
	if code := run(strings.Fields("diff -breaking 2025-06-18 2025-11-25"), full{}, &stderr); code != 2 || stderr.String() != want {
		t.Errorf("exit code %d, printed %q", code, stderr.String())
	}
}

// TestMust ends the program where its own parts are wrong.
func TestMust(t *testing.T) {
	if got := must(1, nil); got != 1 {
		t.Errorf("got %d", got)
	}
	defer func() {
		if got := recover(); got != io.EOF {
			t.Errorf("got %v", got)
		}
	}()
	must(1, io.EOF)
}

// TestOutputs checks that commands write to their outputs alone, which replace what would control a terminal. The tool of
// go vet uses no server.
func TestOutputs(t *testing.T) {
	direct := regexp.MustCompile(`\bos\.Std(out|err)\b|\bfmt\.Print|\blog\.(Print|Fatal|Panic)|\bslog\.Default\b`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || path == "main.go" || path == "vet.go" || strings.HasPrefix(path, "testdata") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, at := range direct.FindAllString(string(text), -1) {
			t.Errorf("%s uses %s", path, at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTwoDashes(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"bindings -revision 2025-06-18 -check", "bindings --revision 2025-06-18 --check"},
		{"-out=a-b --check=false", "--out=a-b --check=false"},
		{"-h - x -- -out", "-h - x -- -out"},
	} {
		args := strings.Fields(test.args)
		if got := strings.Join(twoDashes(args), " "); got != test.want {
			t.Errorf("twoDashes(%s) = %s, want %s", test.args, got, test.want)
		}
		if strings.Join(args, " ") != test.args {
			t.Errorf("twoDashes changed its argument to %v", args)
		}
	}
}

func TestSchemaShow(t *testing.T) {
	for _, r := range schema.Revisions() {
		want, err := schema.Source(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), mcpgen(t, "schema", "show", r.Name)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestSchemaJSON(t *testing.T) {
	for _, r := range schema.Revisions() {
		s, err := ownSchema(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.JSONSchema()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), mcpgen(t, "schema", "json", r.Name)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// TestVerifyOwn checks that our copies are identical to themselves, found by folder, by name and
// by nothing at all.
func TestVerifyOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, r := range schema.Revisions() {
		src, err := schema.Source(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(r.Name, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{r.Name + "/schema.ts", "other.ts"} {
			if err := os.WriteFile(file, src, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, arg := range []string{r.Name + "/schema.ts", "other.ts@" + r.Name, "other.ts"} {
			name, _, _ := strings.Cut(arg, "@")
			want := name + ": identical in structure to revision " + r.Name + "\nIts SHA-256 is not that of the official file.\n"
			if got := mcpgen(t, "schema", "verify", arg); got != want {
				t.Errorf("verify %s printed\n%swant\n%s", arg, got, want)
			}
		}
	}
}

// TestOfficial gives the official files, unchanged, to the command.
func TestOfficial(t *testing.T) {
	dir := testenv.NeedsOfficial(t)
	all := []string{"bindings", "-out", filepath.Join(t.TempDir(), "mcp")}
	for _, r := range schema.Revisions() {
		file := filepath.Join(dir, "schema", r.Name, schema.FileName)
		want := filepath.ToSlash(file) + ": identical in structure to revision " + r.Name + "\nIts SHA-256 is that of the official file.\n"
		if got := mcpgen(t, "schema", "verify", file); got != want {
			t.Errorf("verify printed\n%swant\n%s", got, want)
		}
		own, err := schema.Source(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(own), mcpgen(t, "schema", "adopt", file)); diff != "" {
			t.Errorf("adopting %s, -own +got:\n%s", file, diff)
		}
		mcpgen(t, "bindings", "-schema", file, "-out", filepath.Join(t.TempDir(), "one"))
		all = append(all, "-schema", file)
	}
	mcpgen(t, all...)
}

// TestCompletion checks that each shell gets a script. What it completes is in testdata.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		if got := mcpgen(t, "completion", shell); !strings.Contains(got, "mcpgen") {
			t.Errorf("the script for %s does not name mcpgen:\n%s", shell, got)
		}
	}
}

func TestVersion(t *testing.T) {
	if got := mcpgen(t, "version"); !strings.HasPrefix(got, "mcpgen ") || !strings.Contains(got, "built with go1.") ||
		!strings.Contains(got, "\nrevisions 2024-11-05, 2025-03-26, ") || !strings.Contains(got, "\ngenerated code: version "+tools.CodeVersion+" of tools, ") {
		t.Errorf("mcpgen version printed %q", got)
	}
}
