package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	leastNode     = 22 // the major version of Node.js that the suite needs
	installLimit  = 10 * time.Minute
	runLimit      = 10 * time.Minute // of one side in one revision
	scenarioLimit = 30 * time.Second // longer than our client takes before it gives up
)

// A suite is the installed conformance suite.
type suite struct {
	dir  string // of its package
	node string // the program that runs it
}

// install installs the suite below the folder that holds its package.json, unless it is installed
// there already. Where there is no Node.js that is new enough, npm installs one beside the suite.
func install(ctx context.Context, dir string) (*suite, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, fmt.Errorf("npm must be installed: %w", err)
	}
	s := &suite{dir: filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance")}
	args := []string{"ci", "--prefix", dir}
	if node, err := exec.LookPath("node"); err == nil && isNew(ctx, node) {
		s.node = node
		args = append(args, "--omit=optional")
	} else {
		s.node = bundledNode(dir)
	}

	want, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	want = append(want, strings.Join(args, " ")...)
	stamp := filepath.Join(dir, "node_modules", ".installed")
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, want) {
		return s, nil
	}
	ctx, cancel := context.WithTimeout(ctx, installLimit)
	defer cancel()
	if output, err := exec.CommandContext(ctx, npm, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	if !isNew(ctx, s.node) {
		return nil, fmt.Errorf("the suite needs Node.js %d or newer, and npm has none for %s/%s",
			leastNode, runtime.GOOS, runtime.GOARCH)
	}
	return s, os.WriteFile(stamp, want, 0o666)
}

// isNew reports whether a program is a Node.js that can run the suite.
func isNew(ctx context.Context, node string) bool {
	version, err := exec.CommandContext(ctx, node, "--version").Output()
	if err != nil {
		return false
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= leastNode
}

// bundledNode is the path of the Node.js that npm installs where the system is one of package.json.
func bundledNode(dir string) string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return filepath.Join(dir, "node_modules", "node-"+runtime.GOOS+"-"+arch, "bin", "node")
}

// revisions returns those that the suite has requirements for, oldest first.
func (s *suite) revisions() ([]string, error) {
	const suffix = ".yaml"
	pattern := filepath.Join(s.dir, "requirements", "*"+suffix)
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the suite has no requirements: there is no %s", pattern)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), suffix)
	}
	return files, nil
}

// run runs all scenarios of one side in one revision. The raw results go to dir: checks to dir/checks,
// the suite's output to dir/out.log and dir/err.log.
func (s *suite) run(ctx context.Context, side, revision, dir string, args ...string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return s.start(ctx, side, revision, dir, append(args, "--requirements", revision)...)
}

// runOne runs one scenario of a side in a revision for which the suite has no requirements, like run.
func (s *suite) runOne(ctx context.Context, side, revision, scenario, dir string, args ...string) error {
	return s.start(ctx, side, revision, dir, append(args, "--scenario", scenario, "--spec-version", revision)...)
}

// start starts the suite, and waits for its end.
func (s *suite) start(ctx context.Context, side, revision, dir string, args ...string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	stdout, err := os.Create(filepath.Join(dir, "out.log"))
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := os.Create(filepath.Join(dir, "err.log"))
	if err != nil {
		return err
	}
	defer stderr.Close()

	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	args = append([]string{filepath.Join(s.dir, "dist", "index.js"), side,
		"--timeout", strconv.FormatInt(scenarioLimit.Milliseconds(), 10),
		"--output-dir", filepath.Join(dir, "checks")}, args...)
	cmd := exec.CommandContext(ctx, s.node, args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr // files: no child of the suite keeps Run from returning
	endWithGroup(cmd)
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: a scenario failed
		said, _ := os.ReadFile(stderr.Name())
		return fmt.Errorf("the suite did not run to its end: %s %s: %w\n%s", side, revision, err, said)
	}
	return nil
}
