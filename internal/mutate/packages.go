package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// targets are the packages that are mutated as a whole if none are named.
var targets = []string{"runtime/wire", "runtime/jsonrpc", "runtime/internal/peer", "runtime/args", "generator/bindings"}

// judges are the packages whose tests may notice, beside its own, what changes in a package: those with the golden
// files of what it is a part of. That of cmd/mcpgen is not among them: its tests start their own binary, which some mutants
// make without end.
var judges = map[string][]string{
	"generator/bindings":              {"golden"},
	"generator/tools/internal/emit":   {"generator/tools"},
	"generator/tools/internal/schema": {"generator/tools"},
	"generator/tools/internal/source": {"generator/tools"},
}

// mutatePackages mutates packages, by default all targets.
func mutatePackages(o options) error {
	list, err := readSurvivors(filepath.Join(o.repository, survivorsFile))
	if err != nil {
		return err
	}
	known, err := openDiary(o.diary)
	if err != nil {
		return err
	}
	defer known.close()
	folders := targets
	if len(o.names) > 0 {
		folders = nil
		for _, name := range o.names {
			folders = append(folders, path.Clean(filepath.ToSlash(name)))
		}
	}
	tests := map[string][]string{}
	for _, folder := range folders {
		tests[folder] = append([]string{folder}, judges[folder]...)
	}
	sources, err := load(o.repository, folders)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	mutants, overlay, err := instrument(sources, func(*source) (scope, error) { return everything{}, nil }, folder)
	if err != nil {
		return err
	}
	within := func(key string) bool {
		file, _, _ := strings.Cut(key, " ")
		return slices.Contains(folders, path.Dir(file))
	}
	if o.list {
		return o.printKeys(keys(mutants), list, within)
	}
	l, err := newLab(o.repository, folder, overlay, o.out)
	if err != nil {
		return err
	}
	jobs := o.jobs(mutants)
	fmt.Fprintf(o.out, "%d of %d mutants, seed %d\n", len(jobs), len(mutants), o.seed)
	var used []string
	for _, j := range jobs {
		used = append(used, tests[j.mutant.pkg]...)
	}
	ready, err := l.prepare(used, nil, o.workers)
	if err != nil {
		return err
	}
	for i := range jobs {
		for _, pkg := range tests[jobs[i].mutant.pkg] {
			jobs[i].tests = append(jobs[i].tests, ready[pkg]...)
		}
	}
	outcomes, err := l.runAll(jobs, list, known, o.workers)
	if err != nil {
		return err
	}
	report(o.out, outcomes, func(o outcome) string { return o.pkg })
	return list.check(keys(mutants), outcomes, o.least, within)
}

func keys(mutants []*mutant) map[string]bool {
	all := map[string]bool{}
	for _, m := range mutants {
		all[m.key()] = true
	}
	return all
}
