package main

import (
	"bufio"
	"encoding/json"
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

// neverChecked reports whether a scenario is one in which the suite checks nothing, whatever it tries.
func neverChecked(scenario string) bool { return scenario == "tasks-status-notifications" }

// nothingChecked is the problem of a scenario without a result of its own.
const nothingChecked = "nothing was checked"

// A result is what the suite found on one side in one revision.
type result struct {
	side, revision string
	required       []string // the scenarios that count
	optional       []string // the scenarios that are run with them
	checks         checks
}

// result reads the requirements of a revision, and what a run left in a folder.
func (s *suite) result(side, revision, dir string) (*result, error) {
	f, err := os.Open(filepath.Join(s.dir, "requirements", revision+".yaml"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &result{side: side, revision: revision}
	if r.required, r.optional, err = readScenarios(f, side); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if r.checks, err = readChecks(filepath.Join(dir, "checks")); err != nil {
		return nil, err
	}
	r.optional = slices.DeleteFunc(r.optional, func(name string) bool {
		return neverChecked(name) && r.checks.problem(name) == nothingChecked
	})
	for _, name := range r.required {
		if r.checks[name] == nil {
			said, _ := os.ReadFile(filepath.Join(dir, "err.log"))
			return nil, fmt.Errorf("the suite did not run to its end: %s %s has no result for %s\n%s", side, revision, name, said)
		}
	}
	return r, nil
}

// older are the client's scenarios for which the suite has no requirements, since they are about a revision before
// the first that has some.
var older = []string{"auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"}

// olderRevision is the revision of these.
const olderRevision = "2025-03-26"

// skills are the scenarios of each side about skills, for which the suite has no requirements either: they are an extension.
var skills = map[string][]string{
	"server": {"sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"},
	"client": {
		"sep-2640-client-no-prefetch", "sep-2640-client-verify-digest", "sep-2640-client-verify-size", "sep-2640-client-verify-frontmatter",
	},
}

// skillsRevision is the revision of these.
const skillsRevision = "2026-07-28"

// print prints a line for each group of scenarios, and to details why scenarios failed. It reports
// whether everything passed.
func (r *result) print(w, details io.Writer) (passed bool) {
	required := r.printGroup(w, details, "required", r.required)
	optional := r.printGroup(w, details, "optional", r.optional)
	return required && optional
}

// printGroup prints how the scenarios of a group went, and reports whether all passed.
func (r *result) printGroup(w, details io.Writer, group string, scenarios []string) (passed bool) {
	var failing []string
	succeeded, checked := 0, 0
	for _, name := range scenarios {
		for _, c := range r.checks[name] {
			switch c.Status {
			case "SUCCESS":
				succeeded++
				checked++
			case "FAILURE", "WARNING":
				checked++
				fmt.Fprintf(details, "%s %s %s: %s %s: %s\n", r.side, r.revision, name, c.Status, c.ID, c.ErrorMessage)
			}
		}
		if problem := r.checks.problem(name); problem != "" {
			failing = append(failing, name+" ("+problem+")")
		}
	}
	verdict, names := "PASS", "-"
	if len(failing) > 0 {
		verdict, names = "FAIL", strings.Join(failing, ", ")
	}
	fmt.Fprintf(w, "%s %s %s %s: scenarios=%d/%d checks=%d/%d failing=%s\n", verdict, r.side, r.revision,
		group, len(scenarios)-len(failing), len(scenarios), succeeded, checked, names)
	return len(failing) == 0
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
var stamped = regexp.MustCompile(`^(?:authorization-server-|server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

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
		return nothingChecked
	}
	return ""
}
