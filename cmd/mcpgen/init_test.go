package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestInit makes a project, in a checkout as the README says, and does what its own README says; without MCPGEN_FULL
// the project is built, and its server used.
func TestInit(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module, which -short does without")
	}
	hello := filepath.Join(t.TempDir(), "hello")
	t.Chdir(filepath.Join(repository, "cmd"))
	offlineEnv(t)
	shown := filepath.ToSlash(hello)
	want := shown + " uses mcpgen from a checkout: its go.mod replaces github.com/mcpgen/mcpgen by " + filepath.ToSlash(repository) + ".\n" +
		shown + ": 10 files. Next its tool is read, and code generated. For that, Go compiles what the files import: the first time, this can take a minute.\n" +
		shown + " is ready. There, 'go tool mcpgen dev' runs it while you write it, with a page to try it on; 'go test' tests it. README.md says more.\n"
	if got := mcpgen(t, "init", "-module", "example.com/team/greeter", hello); got != want {
		t.Errorf("init printed %q, want %q", got, want)
	}
	before := contents(t, hello)
	var names []string
	for _, name := range []string{
		".gitattributes", ".github/workflows/ci.yml", ".gitignore", "Dockerfile", "README.md", "go.mod", "go.sum", "greet.go", "greet_test.go", "main.go",
		"mcp.lock.json", "mcp_gen.go",
	} {
		if before[name] == "" {
			t.Errorf("no %s", name)
		}
		if strings.Contains(before[name], "MODULE") || strings.Contains(before[name], "NAME") {
			t.Errorf("%s has a place holder left", name)
		}
		names = append(names, name)
	}
	if len(before) != len(names) {
		t.Errorf("%d files are written, want %v", len(before), names)
	}

	checkReadme(t, before["README.md"])
	if !testenv.Full() {
		goCommand(t, hello, "build")
		checkServer(t, filepath.Join(hello, "greeter"))
		checkHTTP(t, filepath.Join(hello, "greeter"), nil)
		return
	}
	goCommand(t, hello, "generate", "./...")
	goCommand(t, hello, "build")
	goCommand(t, hello, "vet", "./...")
	if got := goCommand(t, hello, "test", "./..."); !strings.HasPrefix(got, "ok") {
		t.Errorf("go test printed %s", got)
	}
	if got := goCommand(t, hello, "tool", "mcpgen", "check", "./..."); got != "" {
		t.Errorf("mcpgen check printed %s", got)
	}
	for _, name := range []string{"mcp_gen.go", "mcp.lock.json", "greet.go"} { // as Git for Windows checks out
		crlf := strings.ReplaceAll(before[name], "\n", "\r\n")
		if err := os.WriteFile(filepath.Join(hello, name), []byte(crlf), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(hello)
	if got := mcpgen(t, "check"); got != "" {
		t.Errorf("with other line ends, mcpgen check printed %s", got)
	}
	for name, text := range before {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	checkServer(t, filepath.Join(hello, "greeter"))
	checkHTTP(t, filepath.Join(hello, "greeter"), nil)
	checkAdd(t)
	checkBudget(t, hello)
	if err := os.Remove(filepath.Join(hello, "greeter")); err != nil {
		t.Errorf("go build: %v", err)
	}
	if diff := cmp.Diff(before, contents(t, hello)); diff != "" {
		t.Errorf("the go command changes what init wrote: -before +after:\n%s", diff)
	}
}

// checkReadme checks that the first command in the README of a project is the one that shows what the server does.
func checkReadme(t *testing.T, text string) {
	t.Helper()
	if _, commands, _ := strings.Cut(text, "```sh\n"); !strings.HasPrefix(commands, "go tool mcpgen dev ") {
		t.Errorf("README.md does not begin with mcpgen dev:\n%s", text)
	}
}

// checkServer starts the program of a project, as a client does, and calls its tool.
func checkServer(t *testing.T, program string) {
	t.Helper()
	path, err := filepath.Abs(program)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	process, err := (&stdio.Command{Path: path}).Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Connect(ctx, process, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []struct{ args, want string }{
		{`{"name":"Ada"}`, "Hello, Ada!"},
		{`{"nam":"Ada","loud":"true"}`, "nam: unknown argument; did you mean name?\nname: required"},
	} {
		r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "greet", Arguments: wire.Raw(call.args)})
		if err != nil {
			t.Fatal(err)
		}
		if got := mcptest.Text(r); !strings.Contains(got, call.want) {
			t.Errorf("greet %s: got %q, want %q", call.args, got, call.want)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// checkHTTP starts the program of a project with flags as a server over HTTP, and calls its tool with a header.
func checkHTTP(t *testing.T, program string, header http.Header, flags ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server := exec.CommandContext(ctx, program, append([]string{"-http", "127.0.0.1:0"}, flags...)...)
	said, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	at := endpoint(t, said)
	if header != nil {
		_, err := client.Connect(ctx, httpclient.New(at, nil), nil)
		if denied, ok := errors.AsType[*transport.StatusError](err); !ok || denied.Status != http.StatusUnauthorized {
			t.Errorf("without the header: %v", err)
		}
	}
	c, err := client.Connect(ctx, httpclient.New(at, &httpclient.Options{Header: header}), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "greet", Arguments: wire.Raw(`{"name":"Ada"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if got := mcptest.Text(r); got != "Hello, Ada!" {
		t.Errorf("over HTTP, greet returns %q", got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Skipf("needs signals: %v", err)
	}
	log, err := io.ReadAll(said)
	if err := errors.Join(err, server.Wait()); err != nil {
		t.Errorf("after an interrupt, the server ends with %v\n%s", err, log)
	}
}

// endpoint returns the URL that a server serves, as its log says.
func endpoint(t *testing.T, log io.Reader) string {
	t.Helper()
	serving := regexp.MustCompile(` address=(\S+) path=(\S+)`)
	var said strings.Builder
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		if m := serving.FindStringSubmatch(line); m != nil {
			return "http://" + m[1] + m[2]
		}
		if err != nil {
			t.Fatalf("%v; the server does not say what it serves:\n%s", err, said.String())
		}
	}
}

// checkAdd adds a tool, a prompt and a resource to the project that is the current folder, and takes them away again.
func checkAdd(t *testing.T) {
	t.Helper()
	lock, err := os.ReadFile("mcp.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	want := "get_issue.go has the function GetIssue: write what it does, then run go generate\n"
	if got := mcpgen(t, "add", "tool", "get_issue"); got != want {
		t.Errorf("add printed %q, want %q", got, want)
	}
	mcpgen(t, "add", "prompt", "review_change")
	mcpgen(t, "add", "resource", "change", "hello://changes/{id}")
	if got := goCommand(t, ".", "test", "./..."); !strings.HasPrefix(got, "ok") {
		t.Errorf("with another tool, prompt and resource, go test printed %s", got)
	}
	if got := mcpgen(t, "budget"); !strings.Contains(got, " get_issue ") {
		t.Errorf("the tool is not there:\n%s", got)
	}
	for _, name := range []string{"get_issue.go", "review_change.go", "change.go"} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("mcp.lock.json", lock, 0o666); err != nil {
		t.Fatal(err)
	}
	mcpgen(t, "tools")
}

// TestInitAuth makes a project whose server requires a token over HTTP, and starts it without the settings.
func TestInitAuth(t *testing.T) {
	testenv.Long(t) // it builds, vets and tests a module
	t.Chdir(t.TempDir())
	offlineEnv(t)
	for _, name := range []string{"MCP_URL", "MCP_ISSUER", "MCP_SCOPES", "MCP_AUDIENCE"} {
		t.Setenv(name, "")
	}
	mcpgen(t, "init", "-auth", "-replace", repository, "notes")
	before := contents(t, "notes")
	for name, text := range before {
		if strings.Contains(text, "NAME") || name == "http.md" {
			t.Errorf("%s is\n%s", name, text)
		}
	}
	if text := before["README.md"]; !strings.Contains(text, "MCP_ISSUER=") || strings.Contains(text, "-host") {
		t.Errorf("README.md is\n%s", text)
	}
	goCommand(t, "notes", "build")
	goCommand(t, "notes", "vet", "./...")
	if got := goCommand(t, "notes", "test", "./..."); !strings.HasPrefix(got, "ok") {
		t.Errorf("go test printed %s", got)
	}
	if got := goCommand(t, "notes", "tool", "mcpgen", "check", "./..."); got != "" {
		t.Errorf("mcpgen check printed %s", got)
	}
	program := filepath.Join("notes", "notes")
	checkServer(t, program)
	out, err := exec.Command(program, "-http", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "over HTTP, -url and -issuer are needed, or $MCP_URL and $MCP_ISSUER") {
		t.Errorf("without settings: %v\n%s", err, out)
	}
	issuer, token := startIssuer(t, "api://notes")
	checkHTTP(t, program, http.Header{"Authorization": {"Bearer " + token}}, "-url", "https://mcp.example.com/mcp", "-issuer", issuer, "-audience", "api://notes", "-scopes", "notes:read")
}

// startIssuer starts what an identity provider has for servers, and returns its issuer and a token for an audience.
func startIssuer(t *testing.T, audience string) (issuer, token string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	for path, v := range map[string]any{
		"/.well-known/openid-configuration": map[string]any{"issuer": s.URL, "jwks_uri": s.URL + "/keys"},
		"/keys":                             jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}}},
	} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(text)
		})
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	token, err = jwt.Signed(signer).Claims(map[string]any{
		"iss": s.URL, "aud": audience, "sub": "ada", "scope": "notes:read", "exp": time.Now().Add(time.Hour).Unix(),
	}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return s.URL, token
}

// sizes is a test of a project that prints how large its tools are as a server lists them.
const sizes = `package main

import (
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestSizes(t *testing.T) {
	s, err := NewServer(nil)
	if err != nil {
		t.Fatal(err)
	}
	for tool, err := range mcptest.Connect(t, s, nil).Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := tool.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%d %s\n", len(text), tool.Name)
	}
}
`

// checkBudget compares what mcpgen budget says of a project with what its server sends.
func checkBudget(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, "sizes_test.go")
	if err := os.WriteFile(file, []byte(sizes), 0o666); err != nil {
		t.Fatal(err)
	}
	sent := goCommand(t, dir, "test", "-run", "TestSizes", "-v")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(goCommand(t, dir, "tool", "mcpgen", "budget"), "\n")
	if len(rows) < 2 {
		t.Fatalf("budget printed %q", rows)
	}
	row := strings.Fields(rows[1])
	if want := row[0] + " " + row[2] + "\n"; !strings.Contains(sent, want) {
		t.Errorf("budget says %sthe server sends\n%s", want, sent)
	}
}

// TestInitUnfinished has no go command to call.
func TestInitUnfinished(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "")
	if err := os.Mkdir("hello", 0o777); err != nil { // an empty folder is as good as none
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	code := run([]string{"init", "-replace", repository, "hello"}, &stdout, &stderr)
	want := "\nhello is written, but not complete: mend that, then run 'go mod tidy' and 'go generate' there\n"
	if code != 2 || strings.Contains(stdout.String(), "ready") || !strings.Contains(stderr.String(), `"go": executable file not found`) || !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("exit code %d, printed %q and\n%s", code, stdout.String(), stderr.String())
	}
	if text := contents(t, "hello")["go.mod"]; !strings.HasPrefix(text, "module hello\n") {
		t.Errorf("go.mod is\n%s", text)
	}
	if err := os.Mkdir("safe", 0o777); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"init", "-auth", "-module", "example.com/safe", "-replace", repository, "safe"}, io.Discard, io.Discard); code != 2 {
		t.Errorf("with -auth: exit code %d", code)
	}
	if files := contents(t, "safe"); !strings.HasPrefix(files["go.mod"], "module example.com/safe\n") || !strings.Contains(files["main.go"], "MCP_ISSUER") {
		t.Errorf("with -auth, go.mod and main.go are\n%s%s", files["go.mod"], files["main.go"])
	}
	err := (&newProject{dir: "hello"}).finish(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "go mod tidy: exec: ") {
		t.Errorf("with a release of mcpgen: %v", err)
	}
}

// TestInitLink refuses a link to nowhere, and follows one to a folder.
func TestInitLink(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("absent", "hello"); err != nil {
		t.Skipf("needs symbolic links: %v", err)
	}
	var stdout, stderr strings.Builder
	code := run([]string{"init", "-replace", repository, "hello"}, &stdout, &stderr)
	want := "mcpgen: hello is a symbolic link to absent, which does not exist: create that folder, or remove the link\n"
	if code != 2 || stdout.String() != "" || stderr.String() != want {
		t.Errorf("exit code %d, printed %q and\n%s", code, stdout.String(), stderr.String())
	}
}

// contents returns what the files below a folder hold, by path.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestProjectName names a project as 'go build' names its command.
func TestProjectName(t *testing.T) {
	for module, want := range map[string]string{
		"hello": "hello", "example.com/a/b": "b", "github.com/a/b/v2": "b", "example.com/v2x": "v2x", "v2": "v2",
	} {
		if got := projectName(module); got != want {
			t.Errorf("%s: got %s, want %s", module, got, want)
		}
	}
}
