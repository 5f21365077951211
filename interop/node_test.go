package interop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

const (
	installLimit = 5 * time.Minute
	driverLimit  = 2 * time.Minute
	oldestNode   = 20
)

// The drivers and the server that they are tried on.
//
//go:embed *.mjs driver features fixture
var scripts embed.FS

// What is installed for them.
//
//go:embed package.json package-lock.json .npmrc
var manifest embed.FS

// modules are the scripts beside the installed packages that they import.
type modules struct {
	packages string // the folder with node_modules
	scripts  string // a folder inside it with the scripts
}

// newModules installs the packages in the user's cache if they are not there, and puts the scripts
// beside them for the length of the test. It skips the test where that cannot be done.
func newModules(t *testing.T) modules {
	t.Helper()
	if testing.Short() {
		t.Skip("needs packages from the npm registry, which -short does without")
	}
	needNode(t)
	m := modules{packages: install(t)}
	var err error
	if m.scripts, err = os.MkdirTemp(m.packages, "run-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(m.scripts) })
	if err := os.CopyFS(m.scripts, scripts); err != nil {
		t.Fatal(err)
	}
	return m
}

// node runs Node.js with a script and returns what it printed. It logs what it wrote to stderr.
func (m modules) node(t *testing.T, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), driverLimit)
	defer cancel()
	cmd := process(ctx, "node", args...)
	cmd.Dir = m.scripts
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// The status says whether a feature failed, as the output does.
	if err := cmd.Run(); ctx.Err() != nil || stdout.Len() == 0 {
		t.Fatalf("node %q: %v after at most %v; it printed\n%s%s", args, err, driverLimit, &stdout, &stderr)
	}
	if stderr.Len() > 0 {
		t.Logf("stderr of node %q:\n%s", args, &stderr)
	}
	return stdout.Bytes()
}

// server returns the command of a server from an installed package.
func (m modules) server(pkg string) []string {
	return []string{"node", filepath.Join(m.packages, "node_modules", "@modelcontextprotocol", pkg, "dist", "index.js")}
}

// needNode skips the test if there is no npm, or no Node.js that the packages can do with.
func needNode(t *testing.T) {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("needs Node.js %d and npm: %v", oldestNode, err)
		}
	}
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		t.Skipf("node --version: %v", err)
	}
	found := regexp.MustCompile(`^v(\d+)\.`).FindSubmatch(out)
	if found == nil {
		t.Skipf("node --version printed %q", out)
	}
	if major, _ := strconv.Atoi(string(found[1])); major < oldestNode {
		t.Skipf("needs Node.js %d, there is %s", oldestNode, bytes.TrimSpace(out))
	}
}

// unreachable matches what npm prints if it cannot reach the registry.
var unreachable = regexp.MustCompile(`\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|` +
	`ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b`)

// install returns a folder with the packages of the lock file. Its name depends on the lock file,
// so that nothing in it ever changes.
func install(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "mcpgen-interop")
	dir := filepath.Join(cache, digest(t))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}

	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	work, err := os.MkdirTemp(cache, "install-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(work, manifest); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), installLimit)
	defer cancel()
	npm := process(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	npm.Dir = work
	out, err := npm.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		t.Skipf("npm ci did not end within %v:\n%s", installLimit, out)
	case err != nil && unreachable.Match(out):
		t.Skipf("npm ci cannot reach the registry:\n%s", out)
	case err != nil:
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	// Another test may have been faster; its folder is as good.
	if err := os.Rename(work, dir); err != nil {
		if _, found := os.Stat(dir); found != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// digest returns what tells one state of the manifest from another.
func digest(t *testing.T) string {
	t.Helper()
	h := sha256.New()
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		data, err := fs.ReadFile(manifest, name)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(data)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
