package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const requirements = `# Requirements
revision: 1

server:
  - ping
  - tools-list

client:
  - tools_call
  - auth/basic-cimd

not_scored:
  - scenario: auth/dpop
    leg: client
    reason: extension
  - scenario: preservation
    leg: client
  - scenario: tasks-lifecycle
    leg: server
    note: >-
      run for visibility: it is new
  - scenario: tasks-status-notifications
    leg: server
`

// TestResult has results on the disk that pass and that do not.
func TestResult(t *testing.T) {
	const (
		good    = `[{"id":"a","status":"SUCCESS"},{"id":"b","status":"INFO"}]`
		warned  = `[{"id":"a","status":"SUCCESS"},{"id":"b","status":"WARNING"},{"id":"b","status":"WARNING"}]`
		vacuous = `[{"id":"wire-schema-valid","status":"SUCCESS"},{"id":"b","status":"SKIPPED"}]`
		broken  = `[{"id":"b","status":"FAILURE","errorMessage":"no"},{"id":"a","status":"FAILURE"}]`
	)
	const serverPasses = "PASS server 1 required: scenarios=2/2 checks=2/2 failing=-\n"
	for _, test := range []struct {
		name, side string
		found      map[string]string // by scenario
		want       string
		details    string
		passed     bool
	}{
		{"passes", "server", map[string]string{"ping": good, "tools-list": good, "tasks-lifecycle": good},
			serverPasses + "PASS server 1 optional: scenarios=1/1 checks=1/1 failing=-\n", "", true},
		{"fails one that counts", "server", map[string]string{"ping": broken, "tools-list": good, "tasks-lifecycle": good},
			"FAIL server 1 required: scenarios=1/2 checks=1/3 failing=ping (a b)\n" +
				"PASS server 1 optional: scenarios=1/1 checks=1/1 failing=-\n",
			"server 1 ping: FAILURE b: no\nserver 1 ping: FAILURE a: \n", false},
		{"warns", "server", map[string]string{"ping": good, "tools-list": good, "tasks-lifecycle": warned},
			serverPasses + "FAIL server 1 optional: scenarios=0/1 checks=1/3 failing=tasks-lifecycle (b)\n",
			strings.Repeat("server 1 tasks-lifecycle: WARNING b: \n", 2), false},
		{"is vacuous", "server", map[string]string{"ping": good, "tools-list": good, "tasks-lifecycle": vacuous},
			serverPasses + "FAIL server 1 optional: scenarios=0/1 checks=1/1 failing=tasks-lifecycle (nothing was checked)\n", "", false},
		{"is absent", "server", map[string]string{"ping": good, "tools-list": good},
			serverPasses + "FAIL server 1 optional: scenarios=0/1 checks=0/0 failing=tasks-lifecycle (nothing was checked)\n", "", false},
		{"checks what it never did", "server", map[string]string{"ping": good, "tools-list": good, "tasks-lifecycle": good, "tasks-status-notifications": broken},
			serverPasses + "FAIL server 1 optional: scenarios=1/2 checks=1/3 failing=tasks-status-notifications (a b)\n",
			"server 1 tasks-status-notifications: FAILURE b: no\nserver 1 tasks-status-notifications: FAILURE a: \n", false},
		{"client passes", "client", map[string]string{"tools_call": good, "auth/basic-cimd": good, "preservation": good, "auth/dpop": good},
			"PASS client 1 required: scenarios=2/2 checks=2/2 failing=-\n" +
				"PASS client 1 optional: scenarios=2/2 checks=2/2 failing=-\n", "", true},
		{"client fails", "client", map[string]string{"tools_call": vacuous, "auth/basic-cimd": broken, "preservation": good, "auth/dpop": good},
			"FAIL client 1 required: scenarios=0/2 checks=1/3 failing=tools_call (nothing was checked), auth/basic-cimd (a b)\n" +
				"PASS client 1 optional: scenarios=2/2 checks=2/2 failing=-\n",
			"client 1 auth/basic-cimd: FAILURE b: no\nclient 1 auth/basic-cimd: FAILURE a: \n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, dir := &suite{dir: t.TempDir()}, t.TempDir()
			write(t, requirements, s.dir, "requirements", "1.yaml")
			for scenario, found := range test.found {
				if test.side == "server" {
					scenario = "server-" + scenario
				}
				write(t, found, dir, "checks", scenario+"-2026-01-02T03-04-05-678Z", "checks.json")
			}
			r, err := s.result(test.side, "1", dir)
			if err != nil {
				t.Fatal(err)
			}
			var w, details strings.Builder
			passed := r.print(&w, &details)
			if diff := cmp.Diff(test.want, w.String()); diff != "" || passed != test.passed {
				t.Errorf("passed %t, want %t; -want +got:\n%s", passed, test.passed, diff)
			}
			if diff := cmp.Diff(test.details, details.String()); diff != "" {
				t.Errorf("details: -want +got:\n%s", diff)
			}
		})
	}
}

// TestNoRequirements: a file of requirements that names no scenario of the side is an error.
func TestNoRequirements(t *testing.T) {
	s := &suite{dir: t.TempDir()}
	if r, err := s.result("server", "1", t.TempDir()); err == nil {
		t.Errorf("without a file: %+v", r)
	}
	write(t, "revision: 1\n", s.dir, "requirements", "1.yaml")
	if r, err := s.result("server", "1", t.TempDir()); err == nil {
		t.Errorf("without scenarios: %+v", r)
	}
}

// TestNoResult: a suite that ends early, like one with failures, exits with 1.
func TestNoResult(t *testing.T) {
	s, dir := &suite{dir: t.TempDir()}, t.TempDir()
	write(t, requirements, s.dir, "requirements", "1.yaml")
	write(t, `[{"id":"a","status":"SUCCESS"}]`, dir, "checks", "server-ping-2026-01-02T03-04-05-678Z", "checks.json")
	write(t, "out of memory", dir, "err.log")
	const want = "the suite did not run to its end: server 1 has no result for tools-list\nout of memory"
	if r, err := s.result("server", "1", dir); err == nil || err.Error() != want {
		t.Errorf("%+v, error %v, want %s", r, err, want)
	}
}

func TestRevisions(t *testing.T) {
	s := &suite{dir: t.TempDir()}
	if got, err := s.revisions(); err == nil {
		t.Errorf("without requirements: %v", got)
	}
	write(t, requirements, s.dir, "requirements", "2.yaml")
	write(t, requirements, s.dir, "requirements", "1.yaml")
	if got, err := s.revisions(); err != nil || !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("revisions %v, error %v", got, err)
	}
}

func TestReadChecksFails(t *testing.T) {
	for name, path := range map[string][]string{
		"no folder":       nil,
		"no time":         {"ping", "checks.json"},
		"no list of them": {"ping-2026-01-02T03-04-05-678Z", "checks.json"},
	} {
		dir := filepath.Join(t.TempDir(), "checks")
		if path != nil {
			write(t, `{}`, append([]string{dir}, path...)...)
		}
		if got, err := readChecks(dir); err == nil {
			t.Errorf("%s: read as %v", name, got)
		}
	}
}

func write(t *testing.T, data string, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}
