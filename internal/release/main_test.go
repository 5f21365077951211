package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

const repository = "../.."

func TestMain(m *testing.M) { testenv.Main(m) }

// version returns the version that the modules of the clone are at.
func version(t *testing.T, modules []*mod) string {
	t.Helper()
	for _, m := range modules {
		for _, r := range m.file.Require {
			if r.Mod.Path == self {
				return r.Mod.Version
			}
		}
	}
	t.Fatal("no module requires the root")
	return ""
}

// The modules of the clone are ready for a release, all of them.
func TestModules(t *testing.T) {
	modules, err := modulesIn(repository)
	if err != nil {
		t.Fatal(err)
	}
	var public, others []string
	for _, m := range modules {
		if m.public() {
			public = append(public, m.tag("v1.0.0"))
		} else {
			others = append(others, m.dir)
		}
	}
	want := []string{
		"v1.0.0", "adopt/v1.0.0", "cluster/nats/v1.0.0", "cluster/sqlite/v1.0.0", "runtime/auth/as/v1.0.0", "runtime/auth/dpop/v1.0.0",
		"runtime/auth/keyring/v1.0.0", "runtime/otel/v1.0.0",
	}
	if !slices.Equal(public, want) || len(others) < 8 {
		t.Errorf("got %q, and %q that are not public", public, others)
	}
	if err := check(repository, modules, version(t, modules)); err != nil {
		t.Error(err)
	}
}

// TestRefused prepares releases that cannot be.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(version string, set bool, want string) {
		t.Helper()
		if got := fmt.Sprint(run(dir, version, set, false, "")); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
	write("go.mod", "module "+self+"\n")
	write("CHANGELOG.md", "# Changelog\n\n## 1.0.0-rc.1\n\n## 1.1.0 (May)\n")
	write("runtime/otel/go.mod", "module "+self+"/runtime/otel\n\nrequire "+self+" v0.0.0\n\nreplace "+self+" => ../..\n")
	write("runtime/otel/testdata/go.mod", "no module")
	for _, bad := range []string{"", "1.0.0", "v1", "v1.0", "v2.0.0", "v1.0.0+build", "latest"} {
		refused(bad, false, "want a version such as v1.0.0")
	}
	refused("v1.0.0-rc.1", false, "runtime/otel/go.mod requires "+self+" v0.0.0, want v1.0.0-rc.1")
	refused("v1.0.0-rc.1", true, "<nil>")
	refused("v1.0.0-rc.1", false, "<nil>")
	refused("v1.1.0", true, "<nil>")
	refused("v1.1.0", false, "<nil>")
	refused("v1.2.0", true, "<nil>")
	refused("v1.2.0", false, `CHANGELOG.md has no section "## 1.2.0"`)
	refused("v1.0.0-rc.1", true, "<nil>")
	text, err := os.ReadFile(filepath.Join(dir, "runtime/otel/go.mod"))
	if err != nil || !strings.Contains(string(text), "require "+self+" v1.0.0-rc.1\n\nreplace "+self+" => ../..\n") {
		t.Errorf("got %s, %v", text, err)
	}
	write("other/go.mod", "module "+self+"/other\n\nreplace example.com/a => ../a\n")
	refused("v1.0.0-rc.1", false, "other/go.mod replaces example.com/a, which a release cannot")
	write("other/go.mod", "module example.com/other\n")
	refused("v1.0.0-rc.1", false, "want the module "+self+"/other, got example.com/other")
}

// TestRelease uses what is committed as users do after a release, with nothing on their machine: from a module proxy in a folder.
// Modules of others come from where the go command gets them here; 'go mod tidy' asks for some that nothing else needs.
func TestRelease(t *testing.T) {
	testenv.Long(t) // it compiles the command as a stranger to this clone
	needsClone(t)
	modules, err := modulesIn(repository)
	if err != nil {
		t.Fatal(err)
	}
	v := version(t, modules)
	proxy, temp := t.TempDir(), t.TempDir()
	for _, dir := range []string{proxy, temp} {
		if err := run(repository, v, false, false, dir); err != nil {
			t.Fatal(err)
		}
	}
	if one, other := digests(t, proxy), digests(t, temp); len(one) != 4*8 || !slices.Equal(one, other) {
		t.Errorf("two proxies differ: %q %q", one, other)
	}

	usual, err := exec.Command("go", "env", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	environment := append(os.Environ(),
		"GOPROXY=file://"+filepath.ToSlash(proxy)+","+strings.TrimSpace(string(usual)), "GONOSUMDB="+self+","+self+"/*", "GOFLAGS=-modcacherw", "GOWORK=off",
		"GOMODCACHE="+filepath.Join(home, "modules"))
	command := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := testenv.Command(t.Context(), dir, name, args...)
		cmd.Env = environment
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	work := t.TempDir()
	if said := command(work, "go", "run", self+"/cmd/mcpgen@"+v, "version"); !strings.Contains(said, "mcpgen "+v+", built with go") {
		t.Errorf("the command says %s", said)
	}
	command(work, "go", "run", self+"/cmd/mcpgen@"+v, "init", "hello")
	hello := filepath.Join(work, "hello")
	command(hello, "go", "tool", "mcpgen", "check")
	command(hello, "go", "tool", "mcpgen", "client", "mcp.lock.json", "-out", "client")
	command(hello, "go", "vet", "./...")
	command(hello, "go", "test", "./...")
	docs := filepath.Join(work, "docs")
	command(hello, "go", "tool", "mcpgen", "docs", "-out", docs)
	text, err := os.ReadFile(filepath.Join(docs, "docs", "start.html"))
	if want := self + "/blob/" + v + "/docs/start.md"; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("the documentation of the release has no %s, %v", want, err)
	}
	for _, m := range modules {
		if !m.public() || m.dir == "" {
			continue
		}
		dir := filepath.Join(work, filepath.Base(m.dir))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"go.mod": "module example.com/user\n\ngo 1.26.0\n", "user.go": "package user\n\nimport _ \"" + m.path() + "\"\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		command(dir, "go", "get", m.path()+"@"+v)
		command(dir, "go", "list", "-deps", "./...") // which finds all packages, and what they embed
		if text := command(dir, "go", "list", "-m", self); text != self+" "+v+"\n" {
			t.Errorf("%s comes with %s", m.path(), text)
		}
	}
}

// needsClone skips a test of what is committed where nothing is.
func needsClone(t *testing.T) {
	t.Helper()
	if _, err := git(repository, "rev-parse", "HEAD"); err != nil {
		t.Skipf("it needs git, and a clone instead of a copy: git clone https://%s: %v", self, err)
	}
}

// digests returns the names and digests of all files below a folder, in order.
func digests(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		all = append(all, fmt.Sprintf("%s %x", name, sha256.Sum256(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestReproducible builds the command in two folders. The bytes are the same.
func TestReproducible(t *testing.T) {
	testenv.Long(t) // it compiles the command
	needsClone(t)
	modules, err := modulesIn(repository)
	if err != nil {
		t.Fatal(err)
	}
	var built [][]byte
	for range 2 {
		dir := t.TempDir()
		if err := export(repository, modules, dir); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "mcpgen")
		cmd := testenv.Command(t.Context(), filepath.Join(dir, "tree"), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, "./cmd/mcpgen")
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		built = append(built, text)
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("two builds differ")
	}
}
