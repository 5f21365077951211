package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	adoption "github.com/mcpgen/mcpgen/generator/adopt"
	"github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
)

// TestAdopt moves a server to annotated functions, and proves that clients see the same.
func TestAdopt(t *testing.T) {
	testenv.Long(t) // it builds two servers, and the command
	archive, err := txtar.ParseFile("testdata/adopt/weather.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeModule(t, dir, "example.com/weather")
	part := string(archive.Files[len(archive.Files)-1].Data) // of what is made, as docs/moving-over.md shows it
	for _, f := range archive.Files[:len(archive.Files)-1] {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("KEY", "secret-of-the-city")
	goCommand(t, dir, "build", "-o", "old.bin", "./old")
	old := filepath.Join(dir, "old.bin")

	record := []string{"adopt", "-record", "weather.json", "-calls", "calls.jsonl", "-secret", "KEY", "--", old}
	out := mcpgen(t, record...)
	if want := "weather.json: 2 tools, 7 calls, in 2024-11-05, "; !strings.HasPrefix(out, want) {
		t.Errorf("got %q, want %q…", out, want)
	}
	first, err := os.ReadFile("weather.json")
	if err != nil {
		t.Fatal(err)
	}
	mcpgen(t, record...)
	if again, err := os.ReadFile("weather.json"); err != nil || !bytes.Equal(first, again) {
		t.Errorf("a second recording is another, %v", err)
	}
	if bytes.Contains(first, []byte("secret-of")) || !bytes.Contains(first, []byte("{{secret KEY}}")) {
		t.Error("the recording has the secret, or no placeholder")
	}

	mcpgen(t, "adopt", "weather.json", "-out", "tools")
	if made, err := os.ReadFile("tools/tools.go"); err != nil || !strings.Contains(string(made), part) {
		t.Errorf("tools.go lacks, %v:\n%s", err, part)
	}
	goCommand(t, dir, "generate", "./...")
	goCommand(t, dir, "vet", "./...")
	goCommand(t, dir, "build", "-o", "new.bin", "./cmd/server")
	if out := mcpgen(t, "adopt", "-check", "weather.json", "-all", "-secret", "KEY", "--", filepath.Join(dir, "new.bin"), old); out != "clients see no difference\n" {
		t.Errorf("the new server differs:\n%s", out)
	}
}

// aRecording has one tool, and no calls.
const aRecording = `{"mcpgenRecording":1,"revisions":[{"protocolVersion":"2025-06-18","tools":[{"name":"t","inputSchema":{"type":"object"}}]}]}`

// TestAdoptCommand records the server of the tests, and compares others with it.
func TestAdoptCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("LONG", "a long secret")
	t.Setenv("SHORT", "abc")
	t.Setenv("PLACE", "no-such-server")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("calls", `{"tool":"fail"}
{"tool":"echo","arguments":{"text":"a long secret"}}
`)
	write("other", `{"tool":"none"}`)
	write("bad", `{"tool":""}`)
	write("accept", "# none\ntool echo: *\n")
	write("tools.json", aRecording)
	seen := must(adoption.Parse("tools.json", []byte(aRecording)))
	seen.Add([]adoption.SeenCall{{Call: adoption.Call{Tool: "t", Case: adoption.Seen, Session: 1}, Revision: "2025-06-18", Outcome: adoption.Outcome{Kind: adoption.Result}}}, nil)
	write("seen.json", string(must(seen.Format(must(adoption.NewSecrets(map[string]string{"LONG": theSecret}))))))
	for _, name := range []string{"a", "b"} {
		if err := os.MkdirAll("several", 0o777); err != nil {
			t.Fatal(err)
		}
		write("several/"+name+".go", "package "+name+"\n")
	}
	run := func(args string) (code int, stdout, stderr string) {
		var out, errOut bytes.Buffer
		code = run(strings.Fields(strings.ReplaceAll(args, "SELF", self+" "+asServer)), &out, &errOut)
		return code, out.String(), errOut.String()
	}
	for _, test := range []struct {
		args   string
		code   int
		stdout string // how it begins
		stderr string // what is in it
	}{
		{"adopt", 2, "", "which recording?"},
		{"adopt r.json b.json", 2, "", "which recording?"},
		{"adopt -- SELF", 2, "", "what about the server?"},
		{"adopt -record r.json", 2, "", "which server?"},
		{"adopt -record r.json -check r.json -- SELF", 2, "", "flag -check is used without -record"},
		{"adopt -check r.json -calls calls -- SELF", 2, "", "flag -calls is used with -record"},
		{"adopt r.json -proxy stdio", 2, "", "flag -proxy is used with -record"},
		{"adopt -record r.json -proxy stdio -calls calls -- SELF", 2, "", "flag -calls is used with -record, and without -proxy"},
		{"adopt -record r.json -proxy stdio -wire -- SELF", 2, "", "flag -wire is used without -proxy"},
		{"adopt -record r.json -proxy stdio x -- SELF", 2, "", `"x": a command comes after two dashes`},
		{"adopt -record r.json -proxy stdio", 2, "", "which server?"},
		{"adopt -record r.json -proxy stdio -url http://localhost:1/mcp", 2, "", "flag -proxy stdio is for a command"},
		{"adopt -record r.json -proxy localhost:8092 -- SELF", 2, "", "it is stdio, and a client starts it"},
		{"adopt -record r.json -proxy 0.0.0.0:8092 -url http://localhost:1/mcp", 2, "", "want localhost or another address of this machine alone"},
		{"adopt -record r.json -proxy stdio -- SELF", 2, "", "r.json: there is no recording yet"},
		{"adopt r.json -all", 2, "", "flag -all is used with -check"},
		{"adopt -record r.json x -- SELF", 2, "", `"x": a command comes after two dashes`},
		{"adopt -record r.json -secret NONE -- SELF", 2, "", `there is no environment variable "NONE"`},
		{"adopt -record r.json -secret SHORT -- SELF", 2, "", "the secret SHORT: want at least 6 bytes, got 3"},
		{"adopt -record . -- SELF", 2, "", ". is no regular file"},
		{"adopt -record calls -proxy stdio -- SELF", 2, "", "calls: want a recording"},
		{"adopt -record tools.json -proxy stdio -secret NONE -- SELF", 2, "", `there is no environment variable "NONE"`},
		{"adopt -record seen.json -- SELF", 2, "", "the recording has the secret LONG: give -secret LONG"},
		{"adopt -record seen.json -secret LONG -revision 2025-11-25 -- SELF", 0, "seen.json: 8 tools, 1 prompt, ", "1 of 1 calls that a proxy saw are in other revisions, and are left out.\n"},
		{"adopt tools.json -out several", 2, "", "several: it has the packages a and b"},
		{"adopt tools.json -package 1x", 2, "", "tools.json: want an identifier"},
		{"adopt tools.json -out quiet", 0, "quiet/tools.go: package quiet with 1 methods; go generate makes tools of them\n", ""},
		{"adopt -record r.json -calls bad -- SELF", 2, "", `bad:1: "tool": want the name of a tool`},
		{"adopt -record r.json -- ./no-such-server", 3, "", "no-such-server"},
		{"adopt -record r.json -secret PLACE -- ./no-such-server", 3, "", "{{secret PLACE}}"},
		{"adopt -record r.json -calls calls -secret LONG -- SELF", 0, "r.json: 8 tools, 1 prompt, 2 calls, in 2024-11-05, ", ""},
		{"adopt -record r.json -proxy stdio -- SELF", 2, "", "the recording has the secret LONG: give -secret LONG"},
		{"adopt -record r.json -proxy localhost:http2 -secret LONG -url http://localhost:1/mcp", 2, "", "; -proxy chooses another address"},
		{"adopt -check r.json -- SELF", 2, "", "the recording has the secret LONG: give -secret LONG"},
		{"adopt -check r.json -secret LONG -- SELF", 0, "clients see no difference\n", ""},
		{"adopt -check r.json -secret LONG -revision 2025-06-18 -accept accept -- SELF", 0, "accept:2: it accepts nothing\n", ""},
		{"adopt -check r.json -secret LONG -accept absent -- SELF", 2, "", "absent: no such file"},
		{"adopt -check calls -- SELF", 2, "", "calls: want a recording"},
		{"adopt r.json -out p", 0, "p/tools.go: package p with 8 methods;", ""},
		{"adopt r.json -out p", 2, "", "p/tools.go is there already"},
	} {
		if code, stdout, stderr := run(test.args); code != test.code || !strings.HasPrefix(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
			t.Errorf("mcpgen %s: exit code %d, want %d, %q begins %q, %q has %q", test.args, code, test.code, stdout, test.stdout, stderr, test.stderr)
		}
	}

	// What breaks clients is an exit code of 1, unless it is accepted.
	text, err := os.ReadFile("r.json")
	if err != nil {
		t.Fatal(err)
	}
	write("r.json", strings.ReplaceAll(string(text), `"no such shelf"`, `"no shelf"`))
	if code, stdout, _ := run("adopt -check r.json -secret LONG -- SELF"); code != 0 || stdout != "no difference breaks clients\nr.json: 1 compatible change, which -all shows\n" {
		t.Errorf("another error text: exit code %d: %s", code, stdout)
	}
	write("r.json", strings.ReplaceAll(string(text), `"isError": true`, `"isError": false`))
	if _, err := adoption.Parse("r.json", text); err != nil {
		t.Fatal(err)
	}
	write("r.json", strings.ReplaceAll(string(text), `"kind": "tool error"`, `"kind": "result"`))
	const line = "tool fail: call with {} (given): from result to tool error: "
	code, stdout, stderr := run("adopt -check r.json -secret LONG -- SELF")
	if code != 1 || !strings.HasPrefix(stdout, "r.json: breaking: "+line) || !strings.Contains(stderr, "1 difference breaks clients") {
		t.Errorf("a result that has become an error: exit code %d: %s%s", code, stdout, stderr)
	}
	write("accept", line+"*\n")
	if code, stdout, _ := run("adopt -check r.json -secret LONG -accept accept -- SELF"); code != 0 || !strings.HasPrefix(stdout, "r.json: accepted: "+line) {
		t.Errorf("an accepted difference: exit code %d: %s", code, stdout)
	}
}

// TestAdoptDefinitions makes tools of a recording with schemas of all kinds: what they offer differs only where that is said.
func TestAdoptDefinitions(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads packages, which -short does without")
	}
	recording, err := filepath.Abs("testdata/adopt/definitions.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	offlineEnv(t)
	writeModule(t, ".", "example.com/kinds")
	notes := mcpgen(t, "adopt", recording, "-out", "kinds")
	mcpgen(t, "tools", "./kinds")

	text, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	was, err := adoption.Parse("definitions.json", text)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile("kinds/mcp.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	made, err := client.Parse("kinds/mcp.lock.json", lock)
	if err != nil {
		t.Fatal(err)
	}
	is := *was
	is.Revisions = []adoption.Revision{was.Revisions[0]}
	is.Revisions[0].Tools = made.Contract.Tools
	for i := range is.Revisions[0].Tools {
		t := &is.Revisions[0].Tools[i]
		at := slices.IndexFunc(was.Revisions[0].Tools, func(o mcp.Tool) bool { return o.Name == t.Name })
		t.Icons, t.Meta = was.Revisions[0].Tools[at].Icons, was.Revisions[0].Tools[at].Meta // which lock files lack
	}
	var b strings.Builder
	b.WriteString(notes + "\nDifferences:\n")
	for _, d := range adoption.Compare(was, &is) {
		fmt.Fprintf(&b, "  %t %s\n", d.Breaking, d.What)
	}
	source, err := os.ReadFile("kinds/tools.go")
	if err != nil {
		t.Fatal(err)
	}
	_, source, _ = bytes.Cut(source, []byte("// Instructions are")) // before that it is the same for all
	fmt.Fprintf(&b, "\nCode:\n\n%s", source)
	const golden = "definitions.txt"
	name := filepath.Join(filepath.Dir(recording), golden)
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-want +got (run with -update to accept):\n%s", diff)
	}
}

// TestAdoptReal makes tools of the recording of a real server, which the environment variable MCPGEN_ADOPT names: its
// definitions, which are not ours to keep here. The code must build, and at least nine of ten tools must mean the same.
func TestAdoptReal(t *testing.T) {
	recording := os.Getenv("MCPGEN_ADOPT")
	if recording == "" {
		t.Skip("MCPGEN_ADOPT names no recording of a server. To run this test: mcpgen adopt -record FILE -- COMMAND, and MCPGEN_ADOPT=FILE go test ./cmd/mcpgen -run TestAdoptReal")
	}
	text, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	was, err := adoption.Parse(recording, text)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	offlineEnv(t)
	writeModule(t, ".", "example.com/real")
	t.Logf("notes:\n%s", mcpgen(t, "adopt", recording, "-out", "real"))
	mcpgen(t, "tools", "./real")
	if out, err := exec.CommandContext(t.Context(), "go", "vet", "./...").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lock, err := os.ReadFile("real/mcp.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	made, err := client.Parse("real/mcp.lock.json", lock)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("real/tools.go")
	if err != nil {
		t.Fatal(err)
	}
	is := *was
	is.Revisions = []adoption.Revision{was.Revisions[len(was.Revisions)-1]}
	tools := is.Revisions[0].Tools
	is.Revisions[0].Tools = made.Contract.Tools
	for i := range is.Revisions[0].Tools {
		t := &is.Revisions[0].Tools[i]
		at := slices.IndexFunc(tools, func(o mcp.Tool) bool { return o.Name == t.Name })
		t.Icons, t.Meta = tools[at].Icons, tools[at].Meta // which lock files lack
	}
	differ := map[string]bool{}
	for _, d := range adoption.Compare(was, &is) {
		rest, ok := strings.CutPrefix(d.What, "tool ")
		if !ok {
			continue
		}
		name, what, _ := strings.Cut(rest, ": ")
		if what == "description changed" && bytes.Contains(source, []byte(fmt.Sprintf("\tcase %q:", name))) {
			continue // which Describe has as it was
		}
		differ[name] = true
		t.Log(d.What)
	}
	t.Logf("%d of %d tools are equal by meaning", len(tools)-len(differ), len(tools))
	if len(differ) > len(tools)/10 {
		t.Error("too many differ")
	}
}

// TestAdoptHostile makes tools of a server that would put code and directives into the file.
func TestAdoptHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads packages, which -short does without")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	offlineEnv(t)
	writeModule(t, ".", "example.com/hostile")
	mcpgen(t, "adopt", "-record", "r.json", "--", self, asHostile, "terminal")
	mcpgen(t, "adopt", "r.json", "-out", "tools")
	if out, want := mcpgen(t, "tools", "./tools"), "7 tools"; !strings.Contains(out, want) {
		t.Errorf("got %s, want %s", out, want)
	}
}

// TestHidden hides secrets in the texts of errors, whose exit codes stay the same.
func TestHidden(t *testing.T) {
	secrets, err := adoption.NewSecrets(map[string]string{"KEY": "hunter22"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		err  error
		want string
		code int
	}{
		{connectionError{errors.New("no hunter22")}, "no {{secret KEY}}", 3},
		{finding("no hunter22"), "no {{secret KEY}}", 1},
		{errors.New("no hunter22"), "no {{secret KEY}}", 2},
		{fmt.Errorf("plain: %w", finding("no")), "plain: no", 1},
	} {
		err := hidden(secrets, test.err)
		code := 2
		switch {
		case errors.As(err, new(connectionError)):
			code = 3
		case errors.As(err, new(finding)):
			code = 1
		}
		if err == nil || err.Error() != test.want || code != test.code {
			t.Errorf("got %v with the exit code %d, want %s with %d", err, code, test.want, test.code)
		}
	}
	if err := hidden(secrets, nil); err != nil {
		t.Error(err)
	}
}
