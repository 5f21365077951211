package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A test is a function of a package's tests, its examples and fuzz targets included.
type test struct {
	pkg, name string
	took, cpu time.Duration
	reaches   map[string]bool // mutants, by id
}

// A lab runs tests of instrumented packages.
type lab struct {
	repository string
	folder     string // of its files
	overlay    string // the file that lists what is instrumented
	log        io.Writer

	mu      sync.Mutex
	killers map[string]*test // by function, the test that killed its last mutant
}

// newLab writes the overlay into a folder.
func newLab(repository, folder string, overlay map[string]string, log io.Writer) (*lab, error) {
	list, err := json.Marshal(struct{ Replace map[string]string }{overlay})
	if err != nil {
		return nil, err
	}
	l := &lab{repository: repository, folder: folder, overlay: filepath.Join(folder, "overlay.json"), log: log, killers: map[string]*test{}}
	return l, os.WriteFile(l.overlay, list, 0o666)
}

func (l *lab) binary(pkg string) string {
	return filepath.Join(l.folder, strings.ReplaceAll(pkg, "/", "_")+".test")
}

// build compiles the tests of a package, and lists them.
func (l *lab) build(pkg string) ([]*test, error) {
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", l.overlay, "-o", l.binary(pkg), "./"+pkg)
	build.Dir = l.repository
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the tests of %s do not compile with mutants: %w\n%s", pkg, err, out)
	}
	list := exec.Command(l.binary(pkg), "-test.list", "^(Test|Fuzz|Example)")
	list.Dir = filepath.Join(l.repository, filepath.FromSlash(pkg))
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("the tests of %s: %w", pkg, err)
	}
	var tests []*test
	for name := range strings.FieldsSeq(string(out)) {
		tests = append(tests, &test{pkg: pkg, name: name})
	}
	return tests, nil
}

// record runs a test without a mutant and notes which it reaches. A test that fails so is of no use.
func (l *lab) record(t *test) error {
	reached := l.binary(t.pkg) + "." + t.name
	r := l.run([]*test{t}, 2*time.Minute, "MUTANT_REACHED="+reached)
	if r.failed {
		r = l.run([]*test{t}, 2*time.Minute)
	}
	if r.failed {
		return fmt.Errorf("%s of %s fails without a mutant:\n%s", t.name, t.pkg, r.output)
	}
	t.took, t.cpu = r.took, r.cpu
	t.reaches = map[string]bool{}
	list, err := os.ReadFile(reached)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for id := range strings.FieldsSeq(string(list)) {
		t.reaches[id] = true
	}
	return nil
}

// A result says how a run of tests ended.
type result struct {
	failed, timeout bool
	test            string // that failed, if it is known
	took, cpu       time.Duration
	output          string
}

// run runs tests of one package until the first fails.
func (l *lab) run(tests []*test, limit time.Duration, env ...string) result {
	var names []string
	for _, t := range tests {
		names = append(names, regexp.QuoteMeta(t.name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	pkg := tests[0].pkg
	cmd := exec.CommandContext(ctx, l.binary(pkg), "-test.run", "^("+strings.Join(names, "|")+")$", "-test.v", "-test.failfast")
	cmd.Dir = filepath.Join(l.repository, filepath.FromSlash(pkg))
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = time.Second
	watch := &watcher{stop: cancel}
	cmd.Stdout, cmd.Stderr = watch, watch
	began := time.Now()
	err := cmd.Run()
	r := result{failed: err != nil, took: time.Since(began), output: watch.kept.String(), test: watch.failed}
	if cmd.ProcessState != nil {
		r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	r.timeout = r.failed && watch.failed == "" && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() < 0 // ended by force
	if errors.Is(err, exec.ErrWaitDelay) && watch.failed == "" {                                             // a child lives on, the test passed
		r.failed = false
	}
	return r
}

// A watcher ends the tests when one fails, and keeps the end of what they print.
type watcher struct {
	stop   func()
	failed string
	kept   bytes.Buffer
	line   []byte // that has not ended yet
}

var failure = regexp.MustCompile(`^\s*--- FAIL: (\S+)`)

func (w *watcher) Write(p []byte) (int, error) {
	const most = 1 << 16
	if w.kept.Len() > most {
		w.kept.Next(w.kept.Len() - most/2)
	}
	w.kept.Write(p[max(0, len(p)-most):])
	for line := range bytes.Lines(p) {
		w.line = append(w.line, line[:min(len(line), most)]...)
		if !bytes.HasSuffix(line, []byte("\n")) {
			if len(w.line) > most {
				w.line = w.line[:0]
			}
			continue
		}
		if m := failure.FindSubmatch(w.line); m != nil && w.failed == "" {
			w.failed = string(m[1])
			w.stop()
		}
		w.line = w.line[:0]
	}
	return len(p), nil
}

// An outcome says what became of a mutant.
type outcome struct {
	*mutant
	row     string // whose tests ran; empty if those of the package did
	killer  string // the test that failed; empty if it survived
	timeout bool
	reached int // how many tests reach it
}

func (o *outcome) killed() bool { return o.killer != "" }

// name is what the list of survivors calls the mutant.
func (o *outcome) name() string { return strings.TrimSpace(o.row + " " + o.key()) }

// kill runs the tests that reach a mutant, the fastest first, until one fails.
func (l *lab) kill(o *outcome, tests []*test) {
	m := o.mutant
	var reach []*test
	for _, t := range tests {
		if t.reaches[m.id()] {
			reach = append(reach, t)
		}
	}
	slices.SortStableFunc(reach, func(a, b *test) int { return cmp.Compare(a.took, b.took) })
	o.reached = len(reach)
	order := groups(reach)
	if last := l.killer(m); slices.Contains(reach, last) {
		order = slices.Insert(order, 0, []*test{last})
	}
	for _, some := range order {
		r := l.run(some, limit(some), "MUTANT="+m.id(), fmt.Sprintf("MUTANT_CPU=%d", int(cpuLimit(some).Seconds())))
		if r.failed {
			o.killer, o.timeout = cmp.Or(r.test, some[0].name), r.timeout
			l.killed(m, o.killer, some)
			return
		}
	}
}

// limit is how long tests may take with a mutant: much more than they need, as others may be using the machine.
func limit(tests []*test) time.Duration {
	limit := 30 * time.Second
	for _, t := range tests {
		limit += 20 * t.took
	}
	return limit
}

// cpuLimit is how much of the processor's time tests may use with a mutant. Others do not matter to it, and so it ends
// what loops for ever long before limit does.
func cpuLimit(tests []*test) time.Duration {
	limit := 2 * time.Second
	for _, t := range tests {
		limit += 5 * t.cpu
	}
	return limit
}

// killer returns the test that killed the function's last mutant; likely it kills the next, too.
func (l *lab) killer(m *mutant) *test {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.killers[m.pkg+" "+m.function]
}

func (l *lab) killed(m *mutant, name string, by []*test) {
	name, _, _ = strings.Cut(name, "/")
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range by {
		if t.name == name {
			l.killers[m.pkg+" "+m.function] = t
		}
	}
}

// groups puts tests of a package that are fast together, so that they share a process.
func groups(tests []*test) (groups [][]*test) {
	const long = 300 * time.Millisecond
	open := map[string]int{} // by package, the group that takes more
	took := map[string]time.Duration{}
	for _, t := range tests {
		i, ok := open[t.pkg]
		if !ok || took[t.pkg]+t.took > long {
			i = len(groups)
			open[t.pkg], took[t.pkg] = i, 0
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
		took[t.pkg] += t.took
	}
	return groups
}
