package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// alwaysSkipped are scenarios in which the suite checks nothing, whatever it tries.
var alwaysSkipped = map[string]bool{"tasks-status-notifications": true}

// A result is what a script says of one side in one revision.
type result struct {
	side, revision, suite string
	failing               []string // of the scenarios that count
}

// parse reads the lines of a script, of the form
//
//	FAIL client 2025-11-25 suite=0.2.0-alpha.12 scenarios=17/18 … failing=sse-retry
func parse(lines string) ([]result, error) {
	var results []result
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) < 4 || words[0] != "PASS" && words[0] != "FAIL" {
			return nil, fmt.Errorf("want a line that begins with PASS or FAIL, got %q", line)
		}
		r := result{side: words[1], revision: words[2]}
		for _, word := range words[3:] {
			name, value, _ := strings.Cut(word, "=")
			switch {
			case name == "suite":
				r.suite = value
			case name == "failing" && value != "-":
				r.failing = strings.Split(value, ",")
			}
		}
		if (words[0] == "FAIL") != (len(r.failing) > 0) || r.suite == "" {
			return nil, fmt.Errorf("the line %q contradicts itself", line)
		}
		results = append(results, r)
	}
	if len(results) == 0 {
		return nil, errors.New("the script says nothing")
	}
	return results, nil
}

// judge prints what the script does not say, and reports whether all passed that has to: everything
// but scenarios of the client about authorization. Out is the folder with the raw results.
func (r result) judge(w io.Writer, out string) (passed bool, err error) {
	required, extra, err := r.scenarios()
	if err != nil {
		return false, err
	}
	failing := slices.DeleteFunc(slices.Clone(r.failing), isAuth)
	if r.side == "client" {
		r.print(w, "without auth", len(slices.DeleteFunc(required, isAuth)), failing)
	}

	checks, err := readChecks(filepath.Join(out, r.side+"-"+r.revision, "checks"))
	if err != nil {
		return false, err
	}
	extra = slices.DeleteFunc(extra, func(name string) bool { return isAuth(name) || alwaysSkipped[name] })
	var bad []string
	for _, name := range extra {
		if problem := checks.problem(name); problem != "" {
			bad = append(bad, name+" ("+problem+")")
		}
	}
	r.print(w, "that do not count", len(extra), bad)
	return len(failing) == 0 && len(bad) == 0, nil
}

// print prints how so many scenarios went, in the manner of the scripts.
func (r result) print(w io.Writer, which string, total int, failing []string) {
	verdict, names := "PASS", "-"
	if len(failing) > 0 {
		verdict, names = "FAIL", strings.Join(failing, ",")
	}
	fmt.Fprintf(w, "%s %s %s %s: scenarios=%d/%d failing=%s\n",
		verdict, r.side, r.revision, which, total-len(failing), total, names)
}

func isAuth(scenario string) bool { return strings.HasPrefix(scenario, "auth/") }

// scenarios returns the scenarios of the result's side and revision: those that count, and others
// that are run with them.
func (r result) scenarios() (required, extra []string, err error) {
	cache := os.Getenv("MCP_CONF_CACHE")
	if cache == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return nil, nil, err
		}
		cache = filepath.Join(cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(user, ".cache")), "mcp-conformance")
	}
	f, err := os.Open(filepath.Join(cache, "suite-"+r.suite,
		"node_modules", "@modelcontextprotocol", "conformance", "requirements", r.revision+".yaml"))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return readScenarios(f, r.side)
}

// readScenarios reads a file of requirements, as far as it has to be understood here:
//
//	server:
//	  - ping
//	not_scored:
//	  - scenario: json-schema-2020-12
//	    leg: server
func readScenarios(f io.Reader, side string) (required, extra []string, err error) {
	var section, name string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		key, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "- "), ":")
		value = strings.TrimSpace(value)
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			section = key
		case section == side:
			required = append(required, key)
		case section == "not_scored" && key == "scenario":
			name = value
		case section == "not_scored" && key == "leg" && value == side:
			extra = append(extra, name)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, nil, err
	}
	if len(required) == 0 {
		return nil, nil, fmt.Errorf("there are no requirements for the %s", side)
	}
	return required, extra, nil
}

// checks are what the suite found, by scenario.
type checks map[string][]check

type check struct{ ID, Status, ErrorMessage string }

// stamped matches the name of the folder of a scenario.
var stamped = regexp.MustCompile(`^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// readChecks reads the raw results below a folder: a file checks.json for each scenario.
func readChecks(dir string) (checks, error) {
	all := checks{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		relative, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		name := stamped.FindStringSubmatch(filepath.ToSlash(relative))
		if name == nil {
			return fmt.Errorf("%s is in a folder of no scenario", path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var found []check
		if err := json.Unmarshal(data, &found); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all[name[1]] = found
		return nil
	})
	return all, err
}

// problem returns why a scenario does not pass, empty if it does: nothing in it may fail, or be
// worth a warning, and something other than the form of the messages must have succeeded.
func (c checks) problem(scenario string) string {
	succeeded := false
	bad := map[string]bool{}
	for _, check := range c[scenario] {
		switch check.Status {
		case "FAILURE", "WARNING":
			bad[check.ID] = true
		case "SUCCESS":
			succeeded = succeeded || !strings.HasPrefix(check.ID, "wire-schema-")
		}
	}
	switch {
	case len(bad) > 0:
		return strings.Join(slices.Sorted(maps.Keys(bad)), " ")
	case !succeeded:
		return "nothing was checked"
	}
	return ""
}
