package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	got, err := parse("PASS server 2025-11-25 suite=1.2.3 scenarios=30/30 checks=90/90 failing=-\n" +
		"FAIL client 2026-07-28 suite=1.2.3 scenarios=30/32 checks=90/99 failing=tools_call,auth/basic-cimd\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []result{
		{side: "server", revision: "2025-11-25", suite: "1.2.3"},
		{side: "client", revision: "2026-07-28", suite: "1.2.3", failing: []string{"tools_call", "auth/basic-cimd"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
		t.Error(diff)
	}
	for _, lines := range []string{
		"",
		"ERROR server 2025-11-25 suite=1 did-not-run status=124\n",
		"PASS server\n",
		"FAIL server 2025-11-25 suite=1 failing=-\n",
		"PASS server 2025-11-25 suite=1 failing=ping\n",
		"PASS server 2025-11-25 failing=-\n",
	} {
		if got, err := parse(lines); err == nil {
			t.Errorf("%q is read as %+v", lines, got)
		}
	}
}

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

// TestJudge has results on the disk that pass and that do not.
func TestJudge(t *testing.T) {
	const (
		good    = `[{"id":"a","status":"SUCCESS"},{"id":"b","status":"INFO"}]`
		warned  = `[{"id":"a","status":"SUCCESS"},{"id":"b","status":"WARNING"},{"id":"b","status":"WARNING"}]`
		vacuous = `[{"id":"wire-schema-valid","status":"SUCCESS"},{"id":"b","status":"SKIPPED"}]`
		broken  = `[{"id":"b","status":"FAILURE"},{"id":"a","status":"FAILURE"}]`
	)
	for _, test := range []struct {
		name   string
		result result
		found  string // in the scenario that does not count; absent if empty
		want   string
		passed bool
	}{
		{"passes", result{side: "server"}, good, "PASS server 1 that do not count: scenarios=1/1 failing=-\n", true},
		{"fails one that counts", result{side: "server", failing: []string{"ping"}}, good,
			"PASS server 1 that do not count: scenarios=1/1 failing=-\n", false},
		{"warns", result{side: "server"}, warned,
			"FAIL server 1 that do not count: scenarios=0/1 failing=tasks-lifecycle (b)\n", false},
		{"fails", result{side: "server"}, broken,
			"FAIL server 1 that do not count: scenarios=0/1 failing=tasks-lifecycle (a b)\n", false},
		{"is vacuous", result{side: "server"}, vacuous,
			"FAIL server 1 that do not count: scenarios=0/1 failing=tasks-lifecycle (nothing was checked)\n", false},
		{"is absent", result{side: "server"}, "",
			"FAIL server 1 that do not count: scenarios=0/1 failing=tasks-lifecycle (nothing was checked)\n", false},
		{"client without auth", result{side: "client", failing: []string{"auth/basic-cimd"}}, good,
			"PASS client 1 without auth: scenarios=1/1 failing=-\nPASS client 1 that do not count: scenarios=1/1 failing=-\n", true},
		{"client fails", result{side: "client", failing: []string{"auth/basic-cimd", "tools_call"}}, good,
			"FAIL client 1 without auth: scenarios=0/1 failing=tools_call\nPASS client 1 that do not count: scenarios=1/1 failing=-\n", false},
		{"client warns", result{side: "client"}, warned,
			"PASS client 1 without auth: scenarios=1/1 failing=-\nFAIL client 1 that do not count: scenarios=0/1 failing=preservation (b)\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			cache, out := t.TempDir(), t.TempDir()
			t.Setenv("MCP_CONF_CACHE", cache)
			write(t, requirements, cache, "suite-9", "node_modules", "@modelcontextprotocol", "conformance", "requirements", "1.yaml")
			for _, run := range []struct{ found, side, scenario string }{
				{good, "server-1", "server-ping"}, {test.found, "server-1", "server-tasks-lifecycle"},
				{good, "client-1", "auth/basic-cimd"}, {test.found, "client-1", "preservation"},
			} {
				if run.found != "" {
					write(t, run.found, out, run.side, "checks", run.scenario+"-2026-01-02T03-04-05-678Z", "checks.json")
				}
			}
			test.result.revision, test.result.suite = "1", "9"
			var w strings.Builder
			passed, err := test.result.judge(&w, out)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.String(); got != test.want || passed != test.passed {
				t.Errorf("passed %t and said\n%s\nwant %t and\n%s", passed, got, test.passed, test.want)
			}
		})
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

// TestNotScored: without what the suite needs there is no score, and that is no success.
func TestNotScored(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MCPGEN_CONFORMANCE", dir)
	absent := filepath.Join(dir, "score-server.sh")
	if passed, err := scoreAll(t.Context(), ""); passed || err == nil || !strings.Contains(err.Error(), absent) {
		t.Errorf("in an empty folder: %v, %v", passed, err)
	}
	write(t, "", dir, "score-server.sh")
	write(t, "", dir, "score-client.sh")
	t.Setenv("PATH", t.TempDir())
	if passed, err := scoreAll(t.Context(), ""); passed || err == nil || !strings.Contains(err.Error(), "need bash") {
		t.Errorf("without a program: %v, %v", passed, err)
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
