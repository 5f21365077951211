// Package testenv has what tests share that run the go command, that need something which is not in
// this repository, that can do more than there is time for as a rule, or that must leave no goroutine.
package testenv

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Full reports whether the environment variable MCPGEN_FULL asks for all that tests can do.
func Full() bool { return os.Getenv("MCPGEN_FULL") != "" }

// Main runs the tests of a package that make much garbage, as generators do: like the command, in less of the processor's
// time, and with more memory.
func Main(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// RefuseChild ends the process if its parent runs the same program, as a test binary does that starts itself and finds that
// it is to run its tests. Fuzzing starts it, too.
func RefuseChild() {
	self, err := os.Executable()
	if err != nil || slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.fuzzworker") }) {
		return
	}
	if parent, err := os.Readlink("/proc/" + strconv.Itoa(os.Getppid()) + "/exe"); err == nil && parent == self {
		fmt.Fprintln(os.Stderr, "a test binary was started by itself to run its tests")
		os.Exit(2)
	}
}

// Long skips a test which takes so much of the processor's time that it runs by request only, and in .ci/run. What it
// is about must have another test, which is quick.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() || !Full() {
		t.Skip("it takes long. To run this test: MCPGEN_FULL=1 go test")
	}
}

// Measures skips a test of times or allocations under the race detector, which changes both.
func Measures(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("it measures what the race detector changes")
	}
}

// NeedsOfficial returns the folder that the environment variable MCPGEN_OFFICIAL names: a checkout of the
// specification's repository, which has what the protocol's authors publish. It is not ours to keep
// here. Without it the test is skipped, with the command that runs it.
func NeedsOfficial(t testing.TB) string {
	t.Helper()
	return needsCheckout(t, "MCPGEN_OFFICIAL", "modelcontextprotocol", "./cmd/mcpgen ./golden ./model")
}

// NeedsOfficialExtension is [NeedsOfficial] for the repository of an extension, "ext-tasks", which the variable
// MCPGEN_OFFICIAL_TASKS names.
func NeedsOfficialExtension(t testing.TB, repository string) string {
	t.Helper()
	name := strings.TrimPrefix(strings.TrimPrefix(repository, "experimental-"), "ext-")
	return needsCheckout(t, "MCPGEN_OFFICIAL_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_")), repository, "./golden ./generator/bindings")
}

func needsCheckout(t testing.TB, variable, repository, packages string) string {
	t.Helper()
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skip(variable + " is not set. To run this test: " +
			"git clone --depth 1 https://github.com/modelcontextprotocol/" + repository + " DIR && " +
			variable + "=$PWD/DIR go test " + packages)
	}
	if !filepath.IsAbs(dir) {
		t.Fatalf("%s must be an absolute path, got %q", variable, dir)
	}
	return dir
}

// Offline is the environment of go commands in tests: what they need comes with this module, or with
// what was built for the test.
func Offline() []string {
	return append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOSUMDB=off")
}

// Command returns a command that runs in a folder, and in that environment.
func Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, Offline()
	return cmd
}

// abandoned is the age from which on a folder belongs to a run that was killed.
const abandoned = time.Hour

// Dir returns an empty folder for a module, which is removed when the test is over. Its path is the
// same in every run, as a rule: then the go command finds in its cache what it has built there before.
func Dir(t testing.TB) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(here + "\n" + t.Name()))
	dir := filepath.Join(temp, fmt.Sprintf("mcpgen-%x", sum[:8]))
	if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > abandoned {
		os.RemoveAll(dir) // if it cannot be removed, it is not used
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return t.TempDir() // another run is at work there
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
