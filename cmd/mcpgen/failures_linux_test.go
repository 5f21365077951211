package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/report"
	adoption "github.com/mcpgen/mcpgen/generator/adopt"
	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// unwritable makes a folder whose path is so long that its files can be read, but that no other file can be written beside them
// first, as all commands do: Linux bounds a path to 4,095 bytes. A name of 100 bytes is one everywhere, also where names are
// encrypted.
func unwritable(t *testing.T) string {
	t.Helper()
	const longest = 4095 - len("/.mcpgen-") - 26 - len(".tmp") // of a folder in which there can be such a file
	dir := t.TempDir()
	for len(dir) <= longest {
		dir = filepath.Join(dir, strings.Repeat("d", max(1, min(100, longest-len(dir)))))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatalf("there can be no folder with a path of %d bytes; set TMPDIR to a folder where there can: %v", len(dir), err)
	}
	if err := os.WriteFile(filepath.Join(dir, strings.Repeat("x", 40)), nil, 0o666); err == nil {
		t.Fatalf("a file with a path of %d bytes was written, want an error", len(dir)+41)
	}
	return dir
}

// fails runs the command, which must have the exit code, print nothing, and say a text to standard error.
func fails(t *testing.T, code int, said string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(args, &stdout, &stderr); got != code || stdout.Len() > 0 || !strings.Contains(stderr.String(), said) {
		t.Errorf("%.200q: exit code %d, want %d; printed %q and %q, want %q", args, got, code, stdout.String(), stderr.String(), said)
	}
}

// TestUnwritable has no room for what commands write: they say so, and that nothing has been done.
func TestUnwritable(t *testing.T) {
	dir := unwritable(t)
	t.Chdir(t.TempDir())
	write(t, "tools.json", `{"tools": [{"name": "forecast", "inputSchema": {"type": "object"}}]}`)
	write(t, "r.json", aRecording)
	const want = "cannot be written: file name too long\n"
	for _, args := range []string{"bindings -extension tasks -out", "client tools.json -out", "adopt r.json -out"} {
		fails(t, 2, want, append(strings.Fields(args), dir)...)
	}
	if err := keep(filepath.Join(dir, "schema.ts"), nil); err == nil {
		t.Error("a schema that is lost is no error")
	}
	record := filepath.Join(dir, "r.json")
	if err := os.WriteFile(record, []byte(aRecording), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	p := &proxy{watcher: adoption.NewWatcher(nil), name: record, stderr: io.Discard}
	if err := p.add(make([]adoption.SeenCall, 1)); err == nil || p.added > 0 {
		t.Errorf("%d calls are added, %v", p.added, err)
	}
	t.Setenv("PATH", "")
	for _, file := range []string{"go.mod", "tracker.go"} {
		text := map[string]string{"go.mod": "module example.com/tracker\n\ngo 1.26.0\n", "tracker.go": "package tracker\n"}[file]
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := moduleOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := m.use(t.Context(), &newProject{}, io.Discard); err == nil || changed {
		t.Errorf("a go.mod is changed (%t), %v", changed, err)
	}
	fails(t, 2, want, "init", "-replace", repository, dir)
	a := &addition{kind: &kinds[0], name: "get_issue", function: "GetIssue", pkg: "tracker", dir: dir, file: filepath.Join(dir, "get_issue.go")}
	if err := a.write(t.Context()); err == nil || !strings.HasSuffix(err.Error(), strings.TrimSpace(want)) {
		t.Errorf("add: %v", err)
	}
}

// TestLocks cannot lock a recording.
func TestLocks(t *testing.T) {
	dir := t.TempDir()
	record := filepath.Join(dir, "r.json")
	write(t, record, aRecording)
	p := &proxy{watcher: adoption.NewWatcher(nil), name: record, stderr: io.Discard}
	fails := func(want string) {
		t.Helper()
		if err := p.add(make([]adoption.SeenCall, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	t.Setenv("XDG_CACHE_HOME", dir)
	unlock, err := lockFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "mcpgen", "locks")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of locks is %v, %v", info, err)
	}
	locks, err := filepath.Glob(filepath.Join(dir, "mcpgen", "locks", "*"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("the locks are %q, %v", locks, err)
	}
	if err := errors.Join(os.Remove(locks[0]), os.Mkdir(locks[0], 0o777)); err != nil {
		t.Fatal(err)
	}
	fails("locking " + filepath.ToSlash(record) + ": ")
	t.Setenv("XDG_CACHE_HOME", record)
	fails("not a directory")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	fails("no folder for locks: ")
}

// TestJoin lets no package use mcpgen where that is not known, or cannot be.
func TestJoin(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("PATH", "")
	builtIn = filepath.Join(repository, "cmd", "mcpgen")
	defer func() { builtIn = "" }()
	for _, test := range []struct{ name, mod, code, want string }{
		{"in no module", "", "package a\n", ""},
		{"in no good module", "modul a\n", "package a\n", "unknown directive: modul"},
		{"several", "module example.com/a\n", "package a\n\nfunc {\n", "expected 'IDENT'"},
		{"without a go command", "module example.com/a\n", "package a\n", "go mod tidy: exec: "},
		{"with tools", "module example.com/a\n\nrequire " + self + " v1.0.0\n", "package a\n\n//mcp:tool\nfunc F() {}\n", ""},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a.go"), test.code)
		if test.mod != "" {
			write(t, filepath.Join(dir, "go.mod"), test.mod)
		}
		serving, err := (&addition{dir: dir}).join(t.Context(), io.Discard)
		if serving != "" || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, %v, want %q", test.name, serving, err, test.want)
		}
	}
}

// TestFileName leaves out names that have a meaning to the go command.
func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"get_issue": "get_issue.go", "on_windows": "on_windows_tool.go", "run_test": "run_test_tool.go", "mcp_gen": "mcp_gen_tool.go", "for_arm64": "for_arm64_tool.go",
	} {
		if got := (&addition{kind: &kinds[0], name: name}).fileName(); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestUnusable knows the packages of Go, which are folders.
func TestUnusable(t *testing.T) {
	for path, want := range map[string]bool{"net/http": true, "README.vendor": false, "example.com/a": false, "a..//b": true, "internal": true} {
		if got := unusable(path); (got != "") != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if checkout, _ := checkoutAbove(filepath.Join(repository, "cmd", "mcpgen")); checkout != repository {
		t.Errorf("this checkout is %q", checkout)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "go 1.26.0\n")
	if checkout, _ := checkoutAbove(dir); checkout != "" {
		t.Errorf("a module without a name is the checkout %q", checkout)
	}
	t.Chdir(t.TempDir())
	fails(t, 2, "is no checkout of "+self, "init", "-replace", dir, "new")
	write(t, filepath.Join(dir, "go.mod"), "module "+self+"\n\ngo 1.26.0\n")
	fails(t, 2, "go.sum: no such file", "init", "-replace", dir, "new")
	write(t, "go.mod", "modul a\n")
	fails(t, 2, "unknown directive: modul", "init", ".")
	write(t, "go.mod", "module example.com/a\n\ngo 1.26.0\n")
	write(t, "a.go", "package a\n")
	fails(t, 2, "go.sum: no such file", "init", "-replace", dir, ".")
	fails(t, 2, "this mcpgen is no release", "init", ".")
	write(t, filepath.Join("go.sum", "a"), "")
	fails(t, 2, "go.sum: is a directory", "init", "-replace", repository, ".")
}

// TestVerdict prints what check has found in several packages, the verdict last.
func TestVerdict(t *testing.T) {
	stale := packageVerdict{dir: "a", stale: []output.Change{{Path: "a/mcp_gen.go", New: []byte("x\n")}}}
	broken := packageVerdict{dir: "b", broken: []output.Change{{Path: "b/mcp.lock.json", Old: []byte("x\n"), New: []byte("y\n")}}, listing: "broken\n"}
	changed := func(c tools.PlacedChange) packageVerdict {
		return packageVerdict{listing: "changed\n", changes: []tools.PlacedChange{c}}
	}
	breaking := tools.PlacedChange{Change: tools.Change{Breaking: true}}
	accepted := breaking
	accepted.Accepted = true
	for _, test := range []struct {
		verdict verdict
		printed string
		finding string // how it begins
	}{
		{verdict{packages: []packageVerdict{stale, {}}}, "a/mcp_gen.go is missing\n", "generated files are stale: "},
		{verdict{packages: []packageVerdict{broken, {}}}, "broken\n", "the contract is broken: "},
		{verdict{packages: []packageVerdict{stale, broken}}, "a/mcp_gen.go is missing\nbroken\n", "generated files are stale, and the contract is broken: "},
		{verdict{packages: []packageVerdict{stale}, differences: true}, "", "open a: no such file"},
		{verdict{packages: []packageVerdict{changed(breaking), {}}}, "changed\ncallers break, which a server of version 0.x may do\n", ""},
		{verdict{packages: []packageVerdict{changed(accepted), {}}}, "changed\ncallers break only where that was accepted\n", ""},
		{verdict{packages: []packageVerdict{changed(tools.PlacedChange{}), {}}}, "changed\nnothing breaks callers\n", ""},
		{verdict{packages: []packageVerdict{{}, {}}}, "", ""},
		{verdict{packages: []packageVerdict{{}}, accept: true}, "nothing to accept\n", ""},
		{verdict{packages: []packageVerdict{changed(accepted)}, accept: true}, "changed\n", ""},
		{verdict{accept: true}, "", ""},
	} {
		var b strings.Builder
		err := test.verdict.print(&b)
		if b.String() != test.printed || (err == nil) != (test.finding == "") || err != nil && !strings.HasPrefix(err.Error(), test.finding) {
			t.Errorf("%+v: printed %q, want %q; %v, want %q", test.verdict, b.String(), test.printed, err, test.finding)
		}
	}
}

// TestLockTo tells no lock file from an empty one.
func TestLockTo(t *testing.T) {
	for _, test := range []struct {
		now, want []byte
		changes   int
	}{{nil, nil, 0}, {nil, []byte{}, 1}, {[]byte{}, nil, 1}, {[]byte("a"), []byte("a"), 0}, {[]byte("a"), []byte("b"), 1}} {
		if got := (&lock{now: test.now}).to(test.want); len(got) != test.changes {
			t.Errorf("from %q to %q: got %+v", test.now, test.want, got)
		}
	}
}

// TestReviewTools reads the Go files of a folder, and cannot.
func TestReviewTools(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.go"), "package a\n\ntype A int\n")
	write(t, filepath.Join(dir, "folder.go", "b.go"), "package b\n")
	write(t, filepath.Join(dir, "b.txt"), "no Go\n")
	var b strings.Builder
	changes := []output.Change{{Path: filepath.Join(dir, "a.go"), Old: []byte("package a\n\ntype A int\n")}}
	if err := reviewTools(&b, dir, changes, nil); err != nil || !strings.Contains(b.String(), "1 changed, 1 of them incompatible.") {
		t.Errorf("%v, %s", err, b.String())
	}
	b.Reset()
	if err := reviewTools(&b, "absent", nil, nil); err != nil || b.Len() > 0 {
		t.Errorf("nothing has changed: %v, %s", err, b.String())
	}
	good := map[string][]byte{"a.go": []byte("package a\n")}
	if got := reviewGo(good, map[string][]byte{"a.go": []byte("package\n")}).Note; !strings.HasPrefix(got, "The new code cannot be read: a.go:") {
		t.Errorf("got %q", got)
	}
	set(good, "x/a.go", nil)
	if len(good) > 0 {
		t.Errorf("%q are left", good)
	}
}

// TestWriteContents refuses contents that are no file.
func TestWriteContents(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	for want, contents := range map[string]mcp.ResourceContents{
		"want Base64":                           &mcp.BlobResourceContents{Blob: wire.Base64{Text: "!"}},
		"the contents are neither text nor byt": nil,
	} {
		err := writeContents(file, &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{contents}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("a file is written")
		}
	}
}

// TestInTime lifts a timeout that has not passed yet.
func TestInTime(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	s := &session{ctx: ctx}
	if err := s.inTime(); err != nil {
		t.Error(err)
	}
	s.late = time.AfterFunc(time.Hour, func() {})
	if err := s.inTime(); err != nil {
		t.Error(err)
	}
	end(lateError(time.Second))
	if err := s.inTime(); err != lateError(time.Second) {
		t.Errorf("got %v", err)
	}
	if got := logText(wire.Raw(`{"level":1}`)); !strings.Contains(got, "level") {
		t.Errorf("got %s", got)
	}
}

// TestOutputOf returns what a command says of its failure or, if it says nothing, what is known of it.
func TestOutputOf(t *testing.T) {
	fakeCommand(t, "go", "echo out; test -z \"$1\" || echo \"$1\" >&2; exit 3\n")
	for said, want := range map[string]string{"": "exit status 3", "no room": "no room"} {
		if out, err := outputOf(goDev(t.Context(), said)); err == nil || err.Error() != want || said == "" && string(out) != "out\n" {
			t.Errorf("%q: got %q, %v", said, out, err)
		}
	}
	if _, err := sumOf(t.TempDir()); err == nil {
		t.Error("a folder has a checksum")
	}
	if _, err := sumOf(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("no file has a checksum")
	}
}

// TestDownloaded asks the go command for the files of a release.
func TestDownloaded(t *testing.T) {
	for script, want := range map[string]string{
		`echo '{"Dir":"/there"}'`:                                                        "/there",
		`echo '{"Error":"no such version"}'; exit 1`:                                     "the files of " + self + " v1.2.3: exit status 1",
		`echo '{"Error":"no such version"}'`:                                             "the files of " + self + " v1.2.3: no such version",
		`test "$*" = "mod download -json ` + self + `@v1.2.3" && echo '{"Dir":"/here"}'`: "/here",
	} {
		fakeCommand(t, "go", script+"\n")
		got, err := downloaded(t.Context(), "v1.2.3")
		if err != nil {
			got += err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", script, got, want)
		}
	}
	if text, err := markdownDiff(t.Context())("2025-06-18", "2025-06-17"); err == nil || text != nil {
		t.Errorf("no revision: %s, %v", text, err)
	}
}

// TestDocsFails has an address that another program has, and a checkout without documentation.
func TestDocsFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module "+self+"\n")
	fails(t, 2, "; -http chooses another address\n", "docs", "-http", l.Addr().String())
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	fails(t, 2, "no such file", "docs", "-http", free.Addr().String())
	if _, err := net.Dial("tcp", free.Addr().String()); err == nil {
		t.Error("it still listens")
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	var stderr strings.Builder
	if code := run([]string{"docs", "-out", "site"}, io.Discard, &stderr); code != 2 || strings.Contains(stderr.String(), "nowhere") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
}

// TestDevProjectList reads what the go command says of packages.
func TestDevProjectList(t *testing.T) {
	list := func(said string) (*devProject, dev.Sources, error) {
		fakeCommand(t, "go", "echo '"+said+"'\n")
		p := &devProject{pattern: "./a", pages: []string{"/page.html"}}
		s, err := p.Sources(t.Context())
		return p, s, err
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.go"), "package b\n\n//mcp:app file=ui/a.html\n")
	write(t, filepath.Join(dir, "ui", "a.html"), "")
	const module = `"Module":{"Main":true,"Dir":"/m","GoMod":"/m/go.mod"}`
	for said, want := range map[string]string{
		`{"Name":`: "unexpected EOF",
		`{"Name":"main","Dir":"/m/a",` + module + `} {"Name":"main","Dir":"/m/b",` + module + `}`: `want one package, got 2 for "./a"`,
		`{"Name":"main","Dir":"/m/a","DepOnly":true,` + module + `}`:                              `want one package, got 0 for "./a"`,
		`{"Name":"main",` + module + `}`:                                                          `there is no package "./a" in this module`,
		`{"Name":"lib","Dir":"/m/a",` + module + `}`:                                              "./a is package lib, want the package main of a server",
	} {
		if _, _, err := list(said); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", said, err, want)
		}
	}
	p, s, err := list(`{"Name":"fmt","Dir":"/go/fmt","DepOnly":true}
{"Name":"x","Dir":"/x","DepOnly":true,"Module":{"Dir":"/x","GoMod":"/x/go.mod"}}
{"Name":"none","DepOnly":true,` + module + `}
{"Name":"b","Dir":"` + dir + `","DepOnly":true,"EmbedFiles":["x"],` + module + `}
{"Dir":"/m",` + module + `}`)
	files := []string{filepath.Join(dir, "x"), filepath.Join(dir, "ui", "a.html"), "/page.html"}
	if err != nil || !slices.Equal(s.Folders, []string{dir, "/m"}) || !slices.Equal(s.Files, files) || len(p.packages) != 2 {
		t.Errorf("got %+v, %+v, %v", s, p.packages, err)
	}
	p.step, p.temp, p.packages = func(string) {}, t.TempDir(), nil // nothing is generated
	if _, err := p.Build(t.Context()); err == nil || !strings.Contains(err.Error(), "server-1: no such file") {
		t.Errorf("a build without a program: %v", err)
	}
	t.Setenv("PATH", "")
	if _, err := p.Sources(t.Context()); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("no go command: %v", err)
	}
}

// TestGitFails has a git that fails at each of its steps.
func TestGitFails(t *testing.T) {
	const git = `case "$*" in
*"$FAIL"*) echo "fatal: $FAIL" >&2; exit 128;;
*describe*) exit 1;;
*ls-tree*) echo "100644 blob 1234	mcp.lock.json";;
*grep*) printf 'HEAD^{commit}:a.go\0';;
*" blob 1234") echo '{}';;
*" blob HEAD"*) echo '//mcp:server name=a version=1.2.3'; echo package a;;
esac
`
	fakeCommand(t, "git", git)
	t.Setenv("FAIL", "nothing")
	if b, err := baseOf(".", ""); err != nil || b.lock.Version != "1.2.3" || string(b.lock.Lock) != "{}\n" || b.lock.Name != "HEAD:mcp.lock.json" {
		t.Errorf("got %+v, %v", b, err)
	}
	for step, want := range map[string]string{
		"ls-tree": "git ls-tree: fatal: ls-tree", " blob 1234": "git cat-file: fatal:  blob 1234", "grep.fullName": "git -c: fatal: grep.fullName",
		"cat-file blob HEAD": "git cat-file: fatal: cat-file blob HEAD",
	} {
		t.Setenv("FAIL", step)
		if _, err := baseOf(".", ""); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", step, err, want)
		}
	}
}

// TestProfileFlag takes none for the name of no client.
func TestProfileFlag(t *testing.T) {
	for value, want := range map[string][]string{"": nil, "none": nil, "gemini": {"gemini"}, "none,model,openai": {"model", "openai"}} {
		profiles := tools.LintProfiles()
		c := &cobra.Command{}
		addProfile(c, &profiles)
		if err := c.ParseFlags([]string{"--profile=" + value}); err != nil || !slices.Equal(profiles, want) {
			t.Errorf("%q: got %q, %v, want %q", value, profiles, err, want)
		}
	}
}

// TestFirstDifference counts the lines that are the same.
func TestFirstDifference(t *testing.T) {
	for _, test := range []struct {
		a, b     string
		line     int
		inA, inB string
	}{
		{"a\nb\n", "a\nc\n", 2, "b", "c"}, {"a", "a\nb", 1, "a", "a"}, {"a\nb", "a", 1, "a", "a"}, {"a\n\n", "a\n", 2, "", ""}, {" x\n", "y\n", 1, "x", "y"},
	} {
		if line, inA, inB := firstDifference(test.a, test.b); line != test.line || inA != test.inA || inB != test.inB {
			t.Errorf("%q and %q: line %d, %q and %q", test.a, test.b, line, inA, inB)
		}
	}
}

// A roundTripper is an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestProxyBody refuses a request whose body breaks off, and hosts that are elsewhere.
func TestProxyBody(t *testing.T) {
	p := &proxy{watcher: adoption.NewWatcher(nil), stderr: io.Discard}
	h := p.handler(httptest.NewRequest("GET", "http://127.0.0.1:1/mcp", nil).URL, nil, nil, nil)
	r := httptest.NewRequest("POST", "http://localhost/mcp", iotest.ErrReader(io.ErrUnexpectedEOF))
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 400 || w.Body.String() != "the body cannot be read\n" {
		t.Errorf("status %d, %q", w.Code, w.Body.String())
	}
	teapot := roundTripper(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusTeapot, Body: http.NoBody, Request: r}, nil
	})
	w = httptest.NewRecorder()
	p.handler(httptest.NewRequest("GET", "http://127.0.0.1:1/mcp", nil).URL, nil, teapot, nil).ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/mcp", nil))
	if w.Code != http.StatusTeapot {
		t.Errorf("status %d", w.Code)
	}
	for host, want := range map[string]bool{"192.0.2.1": false, "192.0.2.1:80": false, "127.0.0.9": true, "LocalHost:1": true, "": false} {
		if isThisMachine(host) != want {
			t.Errorf("%q is this machine: %t", host, !want)
		}
	}
	s := &httpSessions{watcher: p.watcher, all: map[string]*adoption.Conversation{}}
	c := p.watcher.Conversation("")
	for _, id := range []string{"", "one", "one"} {
		s.keep(id, c)
	}
	if len(s.all) != 1 || s.all["one"] != c {
		t.Errorf("got %v", s.all)
	}
}

// TestNothingLeft ends commands in one way or another: they leave no goroutines.
func TestNothingLeft(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module "+self+"\n")
	write(t, "r.json", aRecording)
	taken := l.Addr().String()
	mcpgen(t, "inspect", "-timeout", "1h", "-url", newConsoleHTTP(t).URL) // what stays once it was used
	testenv.NoGoroutinesLeft(t)
	s := newConsoleHTTP(t)
	mcpgen(t, "inspect", "-timeout", "1h", "-url", s.URL)
	for _, args := range []string{"docs", "dev", "dev -url " + s.URL, "adopt -record r.json -url " + s.URL + " -proxy " + taken} {
		if !strings.Contains(args, "-proxy") {
			args += " -http " + taken
		}
		fails(t, 2, "address already in use", strings.Fields(args)...)
	}
	if local := localServer(http.NotFoundHandler()); local.ReadTimeout == 0 || local.WriteTimeout == 0 || local.MaxHeaderBytes == 0 {
		t.Errorf("a program can keep a server busy: %+v", local)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

// TestVariables finds the parameters of a resource in its URI.
func TestVariables(t *testing.T) {
	for uri, want := range map[string]string{
		"notes://all": "", "notes://{id}": "id", "{kind}:{id}": "kind id", "notes://{id}{?part}": "id part",
		"notes:": `"notes:" has no scheme`, "notes": `"notes" has no scheme`, "http://[{x}": `"http://[{x}" has no scheme`, "notes://{": "is no URI",
		"notes://{type}": `"type" cannot be a parameter`, "notes://{ctx}": `"ctx" cannot be a parameter`, "notes://{errors}": `"errors" cannot be a parameter`,
	} {
		names, err := variables(uri)
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: got %s, want %s", uri, got, want)
		}
	}
	for name, want := range map[string]string{"get_issue": "GetIssue", "GetIssue": "GetIssue", "get_repo_by_id": "GetRepoByID", "url": "URL", "a_b": "AB"} {
		if got := functionName(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestDeclares finds names that a package has already.
func TestDeclares(t *testing.T) {
	const code = `package p

import "os"

func F() {}

func (T) M() {}

type T int

var V, W = os.Args, 1

const C = 1
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"F": "5:6", "T": "9:6", "V": "11:5", "W": "11:8", "C": "13:7", "M": "", "os": "", "p": ""} {
		got := ""
		for _, d := range f.Decls {
			if pos := declares(d, name); pos.IsValid() {
				at := fset.Position(pos)
				got += fmt.Sprintf("%d:%d", at.Line, at.Column)
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestContractOf takes over all that a client is made of.
func TestContractOf(t *testing.T) {
	d := &console.Definitions{
		Info: &mcp.Implementation{Name: "s"}, Tools: []*mcp.Tool{{Name: "a"}}, Prompts: []*mcp.Prompt{{Name: "b"}, {Name: "c"}},
		ResourceTemplates: []*mcp.ResourceTemplate{{Name: "d", URITemplate: "e:{f}"}},
	}
	c := contractOf(d)
	if c.Server.Name != "s" || len(c.Tools) != 1 || len(c.Prompts) != 2 || c.Prompts[1].Name != "c" || len(c.ResourceTemplates) != 1 {
		t.Errorf("got %+v", c)
	}
	if c := contractOf(&console.Definitions{}); c.Server.Name != "" || c.Tools != nil {
		t.Errorf("got %+v", c)
	}
}

// TestLockMatrix has a row for each entry of two lock files, and says which have it.
func TestLockMatrix(t *testing.T) {
	t.Chdir(t.TempDir())
	const tool = `{"input": {"type": "object", "additionalProperties": false}, "result": "text"}`
	write(t, "a.json", `{"version": 2, "tools": {"one": `+tool+`, "two": `+tool+`}}`)
	write(t, "b.json", `{"version": 2, "tools": {"two": `+tool+`, "three": `+tool+`}}`)
	p, err := compareLocks(t.Context(), "a.json", "b.json")
	if err != nil {
		t.Fatal(err)
	}
	r, _, broken := p.report(diffFilter{})
	if r.Old != "a.json" || r.New != "b.json" || broken != "callers" || !slices.Equal(r.Matrix.Columns, []string{"a.json", "b.json"}) || len(r.Matrix.Rows) != 3 {
		t.Errorf("got %+v, %+v", r, r.Matrix)
	}
	for name, want := range map[string][]report.Cell{"one": {report.Present, report.Absent}, "two": {report.Present, report.Present}, "three": {report.Absent, report.Present}} {
		row := r.Matrix.Row("tool", name)
		if !slices.Equal(row.Cells, want) || (row.Declarations[0] != "") != (want[0] == report.Present) || (row.Declarations[1] != "") != (want[1] == report.Present) {
			t.Errorf("%s: got %+v", name, row)
		}
	}
}
