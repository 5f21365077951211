package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/publish"
	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// TestPublishBundle builds the bundle of a server twice, unpacks it as a client does, and runs what is in it.
func TestPublishBundle(t *testing.T) {
	testenv.Long(t)
	archive, err := txtar.ParseFile("testdata/publish.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	offlineEnv(t)
	for _, f := range archive.Files {
		if f.Name == "weather.go" {
			if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	writeModule(t, ".", "github.com/example/weather")
	mcpgen := func(want int, args ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		if code := run(args, &out, &errOut); code != want {
			t.Fatalf("mcpgen %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, &out, &errOut)
		}
		return out.String() + errOut.String()
	}
	platform := runtime.GOOS + "/" + runtime.GOARCH
	mcpgen(0, "tools")
	mcpgen(0, "publish", "-for", "mcpb", "-platforms", platform)
	mcpgen(0, "publish", "-check", "-for", "mcpb", "-platforms", platform) // which builds it again

	name := filepath.Join("publish", "bundles", "weather_1.2.3_"+runtime.GOOS+"_"+runtime.GOARCH+".mcpb")
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	program := ""
	for _, f := range z.File {
		if f.Mode().Perm()&0o100 == 0 {
			continue
		}
		program = filepath.Base(f.Name)
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, content, f.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	if program == "" {
		t.Fatal("the bundle has no program")
	}
	program = "." + string(filepath.Separator) + program
	t.Setenv("WEATHER_KEY", "hunter2")
	if got := mcpgen(0, "call", "forecast", "city=Oslo", "--", program); !strings.Contains(got, "Oslo") {
		t.Errorf("the tool returns %s", got)
	}
	t.Setenv("UNIT", "kelvin")
	if got := mcpgen(3, "inspect", "--", program); !strings.Contains(got, `the variable UNIT is "kelvin": want one of celsius, fahrenheit`) || strings.Contains(got, "hunter2") {
		t.Errorf("a wrong configuration gives %s", got)
	}

	if err := os.WriteFile(name, []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := mcpgen(1, "publish", "-check", "-for", "mcpb", "-platforms", platform); !strings.HasPrefix(got, filepath.ToSlash(name)+":1: is not what the code is built to") {
		t.Errorf("a changed bundle gives %s", got)
	}
}

// TestPublishExample checks that server.json of an example is what its code says.
func TestPublishExample(t *testing.T) {
	t.Chdir(filepath.Join(repository, "examples", "weather"))
	offlineEnv(t)
	var out, errOut bytes.Buffer
	if code := run([]string{"publish", "-check"}, &out, &errOut); code != 0 {
		t.Errorf("exit %d\n%s%s", code, &out, &errOut)
	}
}

// TestPublished compares bundles byte by byte, and other files whatever their line ends.
func TestPublished(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"same.json": "{\r\n}\r\n", "other.json": "{\n  \"a\": 1\n}\n", "same.mcpb": "a\r\n", "other.mcpb": "a\r\n", "more.json": "{\n}\n"} {
		write(t, filepath.Join("publish", name), text)
	}
	var files []publish.File
	for _, f := range [][2]string{
		{"same.json", "{\n}\n"}, {"other.json", "{\n  \"a\": 2\n}\n"}, {"same.mcpb", "a\r\n"}, {"other.mcpb", "a\n"}, {"more.json", "{\n}\n\n"}, {"empty.json", ""},
	} {
		files = append(files, publish.File{Path: "publish/" + f[0], Content: []byte(f[1])})
	}
	changes, err := publishedChanges(".", files)
	if err != nil {
		t.Fatal(err)
	}
	const want = `publish/other.json:2: is stale: has "\"a\": 1", want "\"a\": 2"; run the command without -check
publish/other.mcpb:1: is not what the code is built to: run the command without -check
publish/more.json:3: is stale: has "", want ""; run the command without -check
publish/empty.json:1: is missing: run the command without -check`
	if err := stalePublished(changes); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if _, err := publishedChanges("publish/same.json", files[:1]); err == nil {
		t.Error("a file in a file is no error")
	}
	var shown strings.Builder
	showPublished(&shown, changes[1:2])
	showPublished(&shown, changes[3:])
	if shown.String() != "publish/other.mcpb: 2 bytes\n" {
		t.Errorf("-dry-run prints %q", shown.String())
	}
}

// TestPublishProject finds out what git knows of a server, and what its bundles are for.
func TestPublishProject(t *testing.T) {
	fakeCommand(t, "git", `case "$*" in
"rev-parse --show-prefix") echo cmd/server/;;
"rev-parse --verify --quiet refs/tags/v1.2.3^{commit}") echo 1234;;
*) exit 1;;
esac
`)
	for version, commit := range map[string]string{"": "", "1.2.3": "1234", "1.2.4": ""} {
		var p publish.Project
		if inRepository(&p, ".", version); p.Subfolder != "cmd/server" || p.Commit != commit {
			t.Errorf("%s: got %q and %q", version, p.Subfolder, p.Commit)
		}
	}
	t.Setenv("PATH", "")
	p := publish.Project{Subfolder: "server"}
	if inRepository(&p, ".", "1.2.3"); p.Subfolder != "server" || p.Commit != "" {
		t.Errorf("without git: got %q and %q", p.Subfolder, p.Commit)
	}
	p.Description = new(tools.Description)
	if got := platformsOf(nil, &p); !slices.Equal(got, publish.DefaultPlatforms()) {
		t.Errorf("got %q", got)
	}
	p.Platforms = []string{"linux/arm64"}
	if got := platformsOf(nil, &p); !slices.Equal(got, p.Platforms) {
		t.Errorf("got %q", got)
	}
	if got := platformsOf([]string{"linux/amd64"}, &p); !slices.Equal(got, []string{"linux/amd64"}) {
		t.Errorf("got %q", got)
	}
}

// TestPublishedModule finds the module of a folder.
func TestPublishedModule(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/a // a comment\n")
	write(t, filepath.Join(dir, "b", "go.mod"), "go 1.26.0\n")
	for below, want := range map[string]string{"": "example.com/a", "c/d": "example.com/a", "b/e": "command-line-arguments"} {
		root, module, err := publishedModule(filepath.Join(dir, filepath.FromSlash(below)))
		if err != nil || module != want || root != dir && root != filepath.Join(dir, "b") {
			t.Errorf("%s: got %s in %s, %v", below, module, root, err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "f", "go.mod"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, _, err := publishedModule(filepath.Join(dir, "f")); err == nil {
		t.Error("a go.mod that cannot be read is no error")
	}
	if _, _, err := publishedModule(string(filepath.Separator)); err == nil || !strings.Contains(err.Error(), " is in no module: run go mod init") {
		t.Errorf("no module: %v", err)
	}
}
