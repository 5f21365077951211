package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"
)

const (
	driverLimit = 2 * time.Minute
	oldestNode  = 20
)

// installation is the command that installs what the tests need. It is run in the root of the
// repository.
const installation = "npm ci --prefix interop"

// modules is the folder of the scripts, and of the installed packages that they import.
type modules string

// newModules skips the test where there is no Node.js, or the packages are not installed: no test
// installs anything.
func newModules(t *testing.T) modules {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts programs of Node.js, which -short does without")
	}
	needNode(t)
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if missing := missingPackage(t); missing != "" {
		t.Skipf("%s is not installed here; in the root of the repository, run: %s", missing, installation)
	}
	return modules(dir)
}

// missingPackage compares the packages of the lock file that package.json names with those that are
// installed. It returns the first that is not, or "".
func missingPackage(t *testing.T) string {
	t.Helper()
	type lock struct {
		Packages map[string]struct {
			Version      string
			Dependencies map[string]string
		}
	}
	var want, have lock
	text, err := os.ReadFile("package-lock.json")
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	// It stands for what npm has installed, when it has.
	text, err = os.ReadFile(filepath.Join("node_modules", ".package-lock.json"))
	if err == nil {
		err = json.Unmarshal(text, &have)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(want.Packages[""].Dependencies)) {
		at := "node_modules/" + name
		if version := want.Packages[at].Version; have.Packages[at].Version != version {
			return name + " " + version
		}
	}
	return ""
}

// node runs Node.js with a script and returns what it printed. It logs what it wrote to stderr.
func (m modules) node(t *testing.T, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), driverLimit)
	defer cancel()
	cmd := process(ctx, "node", args...)
	cmd.Dir = string(m)
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
	return []string{"node", filepath.Join(string(m), "node_modules", "@modelcontextprotocol", pkg, "dist", "index.js")}
}

// needNode skips the test if there is no Node.js that the packages can do with.
func needNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("needs Node.js %d: %v", oldestNode, err)
	}
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		t.Skipf("needs Node.js %d; node --version: %v", oldestNode, err)
	}
	found := regexp.MustCompile(`^v(\d+)\.`).FindSubmatch(out)
	if found == nil {
		t.Skipf("needs Node.js %d; node --version printed %q", oldestNode, out)
	}
	if major, _ := strconv.Atoi(string(found[1])); major < oldestNode {
		t.Skipf("needs Node.js %d, there is %s", oldestNode, bytes.TrimSpace(out))
	}
}
