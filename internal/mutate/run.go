package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
)

// A job is a mutant and the tests that may kill it.
type job struct {
	mutant *mutant
	row    string
	tests  []*test
}

// jobs returns those mutants that match, or a sample of them.
func (o *options) jobs(mutants []*mutant) []job {
	var jobs []job
	for _, m := range mutants {
		if o.match.MatchString(m.key()) {
			jobs = append(jobs, job{mutant: m})
		}
	}
	jobs = sample(jobs, o.sample, o.seed)
	slices.SortStableFunc(jobs, func(a, b job) int { // so that a function's mutants follow each other
		return cmp.Or(cmp.Compare(a.mutant.pkg, b.mutant.pkg), cmp.Compare(a.mutant.number, b.mutant.number))
	})
	return jobs
}

// sample chooses n of a list; 0 means all.
func sample[T any](list []T, n int, seed uint64) []T {
	if n == 0 || n >= len(list) {
		return list
	}
	list = slices.Clone(list)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:n]
}

// prepare builds the tests of packages and records what each reaches. Only tests that are wanted
// run; those that fail without a mutant are left out, and printed.
func (l *lab) prepare(folders []string, wanted func(*test) bool, workers int) (map[string][]*test, error) {
	slices.Sort(folders)
	ready := map[string][]*test{}
	for _, pkg := range slices.Compact(folders) {
		tests, err := l.build(pkg)
		if err != nil {
			return nil, err
		}
		if wanted != nil {
			tests = slices.DeleteFunc(tests, func(t *test) bool { return !wanted(t) })
		}
		failed := make([]error, len(tests))
		each(len(tests), workers, func(i int) { failed[i] = l.record(tests[i]) })
		for i, t := range tests {
			if failed[i] != nil {
				fmt.Fprintf(l.log, "not used: %.2000s\n", failed[i])
			} else {
				ready[pkg] = append(ready[pkg], t)
			}
		}
	}
	return ready, nil
}

// each calls f for 0 to n-1, in several goroutines.
func each(n, workers int, f func(i int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// runAll runs all jobs whose outcome the diary does not have, and prints the mutants that survive; of those that are
// named, the reasons.
func (l *lab) runAll(jobs []job, named *survivors, known *diary, workers int) ([]outcome, error) {
	outcomes := make([]outcome, len(jobs))
	failed := make([]error, len(jobs))
	var mu sync.Mutex
	done := 0
	each(len(jobs), workers, func(i int) {
		o := outcome{mutant: jobs[i].mutant, row: jobs[i].row}
		recalled := known.recall(&o)
		if !recalled {
			l.kill(&o, jobs[i].tests)
		}
		outcomes[i] = o
		mu.Lock()
		defer mu.Unlock()
		if !recalled {
			failed[i] = known.write(o)
		}
		if !o.killed() {
			reason := "survives"
			if e := named.entries[o.name()]; e != nil {
				reason = "may survive: " + e.reason
			}
			fmt.Fprintf(l.log, "%s\n\t%s:%d, reached by %d tests: %s\n", o.name(), o.file, o.line, o.reached, reason)
		}
		if done++; done%500 == 0 {
			fmt.Fprintf(l.log, "%d of %d\n", done, len(jobs))
		}
	})
	return outcomes, errors.Join(failed...)
}

// report prints the scores by a name.
func report(out io.Writer, outcomes []outcome, by func(outcome) string) {
	type score struct{ all, killed, timeouts, unreached int }
	scores := map[string]*score{}
	count := func(name string, o outcome) {
		s := scores[name]
		if s == nil {
			s = new(score)
			scores[name] = s
		}
		s.all++
		if o.killed() {
			s.killed++
		} else if o.reached == 0 {
			s.unreached++
		}
		if o.timeout {
			s.timeouts++
		}
	}
	const total = "~ all" // after all names
	for _, o := range outcomes {
		count(by(o), o)
		count(total, o)
	}
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		s := scores[name]
		fmt.Fprintf(out, "%-24s %5d mutants, %5d killed (%d by time), %d reached by no test: %.1f %%\n",
			name, s.all, s.killed, s.timeouts, s.unreached, 100*float64(s.killed)/float64(s.all))
	}
}

// printKeys prints the mutants that match, and compares the list of survivors with all.
func (o *options) printKeys(all map[string]bool, named *survivors, within func(string) bool) error {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if o.match.MatchString(key) {
			fmt.Fprintln(o.out, key)
		}
	}
	return named.check(all, nil, o.least, within)
}
