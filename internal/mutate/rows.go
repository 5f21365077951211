package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A row is one of docs/requirements.md.
type row struct {
	id, level string
	tests     map[string]bool // that cite it, as folder:name
	linked    bool            // code says that it implements the row
	mutants   int
	survivors int // those that are named do not count
}

// must reports whether the row binds everybody.
func (r *row) must() bool { return r.level == "MUST" || r.level == "MUST NOT" }

// area is the part of an ID before its number.
func (r *row) area() string { return r.id[:strings.LastIndexByte(r.id, '-')] }

func (r *row) killed() bool { return r.mutants > 0 && r.survivors == 0 }

var rowLine = regexp.MustCompile(`(?m)^\| ([A-Z0-9]+-[0-9]{2,}) \| (MUST NOT|MUST|SHOULD NOT|SHOULD|MAY|fact) \|`)

// readRows returns the rows in their order.
func readRows(repository string) ([]*row, error) {
	text, err := os.ReadFile(filepath.Join(repository, rowsFile))
	if err != nil {
		return nil, err
	}
	var rows []*row
	for _, m := range rowLine.FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, &row{id: m[1], level: m[2], tests: map[string]bool{}})
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no rows", rowsFile)
	}
	return rows, nil
}

// mutateRows mutates the code behind rows, by default behind all MUST rows.
func mutateRows(o options) error {
	list, err := readSurvivors(filepath.Join(o.repository, rowsSurvivors))
	if err != nil {
		return err
	}
	known, err := openDiary(o.diary)
	if err != nil {
		return err
	}
	defer known.close()
	rows, err := readRows(o.repository)
	if err != nil {
		return err
	}
	links, err := readLinks(o.repository, rows)
	if err != nil {
		return err
	}
	sources, err := load(o.repository, links.folders())
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	mutants, overlay, err := instrument(sources, links.scope, folder)
	if err != nil {
		return err
	}
	within := func(string) bool { return true }
	if o.list {
		return o.printKeys(keysOfRows(mutants), list, within)
	}
	l, err := newLab(o.repository, folder, overlay, o.out)
	if err != nil {
		return err
	}
	chosen, err := o.rows(rows)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "%d rows, seed %d\n", len(chosen), o.seed)
	jobs, err := o.rowJobs(l, chosen, mutants)
	if err != nil {
		return err
	}
	outcomes, err := l.runAll(jobs, list, known, o.workers)
	if err != nil {
		return err
	}
	tally(chosen, outcomes, list)
	report(o.out, outcomes, func(o outcome) string { return o.pkg })
	reportRows(o.out, rows, chosen)
	return list.check(keysOfRows(mutants), outcomes, o.least, within)
}

// rows returns those that are named, or a sample of the MUST rows that have code and tests.
func (o *options) rows(all []*row) ([]*row, error) {
	var chosen []*row
	var wrong []error
	for _, name := range o.names {
		i := slices.IndexFunc(all, func(r *row) bool { return r.id == name })
		if i < 0 {
			wrong = append(wrong, fmt.Errorf("%s has no row %s", rowsFile, name))
			continue
		}
		chosen = append(chosen, all[i])
	}
	if len(o.names) > 0 {
		return chosen, errors.Join(wrong...)
	}
	for _, r := range all {
		if r.must() && r.linked && len(r.tests) > 0 {
			chosen = append(chosen, r)
		}
	}
	return sample(chosen, o.sample, o.seed), nil
}

// rowJobs prepares the tests that cite the rows. A mutant is a job for each of its rows.
func (o *options) rowJobs(l *lab, chosen []*row, mutants []*mutant) ([]job, error) {
	byID := map[string]*row{}
	cites := map[string]bool{}
	var folders []string
	for _, r := range chosen {
		byID[r.id] = r
		for t := range r.tests {
			if folder, _, _ := strings.Cut(t, ":"); o.folders.MatchString(folder) {
				cites[t] = true
				folders = append(folders, folder)
			}
		}
	}
	ready, err := l.prepare(folders, func(t *test) bool { return cites[t.pkg+":"+t.name] }, o.workers)
	if err != nil {
		return nil, err
	}
	var jobs []job
	for _, m := range mutants {
		if !o.match.MatchString(m.key()) {
			continue
		}
		for _, id := range m.rows {
			r := byID[id]
			if r == nil {
				continue
			}
			j := job{mutant: m, row: id}
			for _, tests := range ready {
				for _, t := range tests {
					if r.tests[t.pkg+":"+t.name] {
						j.tests = append(j.tests, t)
					}
				}
			}
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// tally counts the mutants of rows, and those that survive and are not named.
func tally(rows []*row, outcomes []outcome, named *survivors) {
	byID := map[string]*row{}
	for _, r := range rows {
		byID[r.id] = r
	}
	for _, o := range outcomes {
		r := byID[o.row]
		r.mutants++
		if !o.killed() && named.entries[o.name()] == nil {
			r.survivors++
		}
	}
}

func keysOfRows(mutants []*mutant) map[string]bool {
	all := map[string]bool{}
	for _, m := range mutants {
		for _, id := range m.rows {
			all[id+" "+m.key()] = true
		}
	}
	return all
}

// reportRows prints the score of each area, the rows of which a mutant survives, and the MUST rows
// that no code is linked with.
func reportRows(out io.Writer, all, chosen []*row) {
	type score struct{ rows, killed, mutants, survivors int }
	areas := map[string]*score{}
	const total = "~ all" // after all names
	for _, r := range chosen {
		for _, name := range []string{r.area(), total} {
			s := areas[name]
			if s == nil {
				s = new(score)
				areas[name] = s
			}
			s.rows++
			s.mutants += r.mutants
			s.survivors += r.survivors
			if r.killed() {
				s.killed++
			}
		}
		switch {
		case r.mutants == 0:
			fmt.Fprintf(out, "%s: its code has nothing to mutate\n", r.id)
		case r.survivors > 0:
			fmt.Fprintf(out, "%s: %d of %d mutants survive\n", r.id, r.survivors, r.mutants)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(areas)) {
		s := areas[name]
		fmt.Fprintf(out, "%-8s %4d rows, %4d killed, %5d mutants, %4d survive\n", name, s.rows, s.killed, s.mutants, s.survivors)
	}
	var unlinked []string
	must, tested := 0, 0
	for _, r := range all {
		if !r.must() {
			continue
		}
		must++
		if len(r.tests) == 0 {
			continue
		}
		if tested++; !r.linked {
			unlinked = append(unlinked, r.id)
		}
	}
	fmt.Fprintf(out, "%d MUST rows, %d cited by tests, %d of these linked with code\n", must, tested, tested-len(unlinked))
	if len(unlinked) > 0 {
		fmt.Fprintf(out, "not linked: %s\n", strings.Join(unlinked, " "))
	}
}
