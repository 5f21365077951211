// Command mutate changes the code of this repository in one place at a time, and runs the tests: what
// no test notices is not tested.
//
//	go run ./internal/mutate [flags] packages [folder ...]
//	go run ./internal/mutate [flags] rows [ID ...]
//
// With packages it mutates those of the runtime and the generator that everything rests on, and all
// tests of a package may notice. With rows it mutates the code that implements the MUST rows of
// docs/requirements.md, and only the tests that cite a row may notice. Which rows code implements, the comments of its
// functions say, by a line
//
//	// REQ HDR-08
//
// The conditions of such a function are mutated.
//
// All mutants of a package are compiled at once, into tests that an environment variable tells which
// of them is active. Each test has run without one first and said which it reaches, so a mutant
// costs as much as the tests that could notice.
//
// With -diary FILE, outcomes are added to a file, and those that it has are not found out again: so a run can be
// interrupted, and after a change of the tests only those mutants run whose lines are taken out of it.
//
// With -n only a sample runs, which -seed chooses; without a seed the date does. What fails with
// one seed fails with it again.
//
// # Survivors
//
// A mutant that survives is an error (or too many are, see -least), unless survivors.txt (for rows: rows.txt) names it, by its
// text and not its line, and says why: it changes nothing but the time or memory spent, or a text,
// or nothing at all. An entry that is not needed any more is an error, too: its mutant is killed, or
// there is no such mutant.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"
)

// The files that the command reads.
const (
	rowsFile      = "docs/requirements.md"
	survivorsFile = "internal/mutate/survivors.txt"
	rowsSurvivors = "internal/mutate/rows.txt"
)

// options are those of the command line.
type options struct {
	repository string
	seed       uint64
	sample     int // how many mutants or rows; 0 means all
	workers    int
	least      float64 // how many of a hundred mutants must be killed, or named
	match      *regexp.Regexp
	folders    *regexp.Regexp // of the tests that run
	names      []string
	diary      string // the file of outcomes; empty for none
	list       bool   // print the mutants, and run nothing
	out        io.Writer
}

func main() {
	o := options{out: os.Stdout}
	today, _ := strconv.ParseUint(time.Now().UTC().Format("20060102"), 10, 64)
	flag.StringVar(&o.repository, "C", ".", "the repository")
	flag.Uint64Var(&o.seed, "seed", today, "chooses the sample; without it, the date does")
	flag.IntVar(&o.sample, "n", 0, "run a sample of so many mutants, or rows; 0 means all")
	flag.IntVar(&o.workers, "j", runtime.NumCPU(), "how many tests run at once")
	flag.Float64Var(&o.least, "least", 100, "how many `percent` of the mutants must be killed or named")
	flag.BoolVar(&o.list, "list", false, "print the mutants, and run no tests")
	flag.StringVar(&o.diary, "diary", "", "a `file` of outcomes: what it has is not run again, and what runs is added")
	match := flag.String("match", "", "only mutants whose text matches a regular expression")
	tests := flag.String("tests", "", "of the tests that cite a row, only those of folders that match a regular expression")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: mutate [flags] packages [folder ...]\n       mutate [flags] rows [ID ...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	modes := map[string]func(options) error{"packages": mutatePackages, "rows": mutateRows}
	mode := modes[flag.Arg(0)]
	if mode == nil {
		flag.Usage()
		os.Exit(2)
	}
	o.names = flag.Args()[1:]
	if err := o.complete(*match, *tests, mode); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// complete checks the options and runs the command with them.
func (o *options) complete(match, tests string, mode func(options) error) (err error) {
	if o.match, err = regexp.Compile(match); err != nil {
		return fmt.Errorf("-match: %w", err)
	}
	if o.folders, err = regexp.Compile(tests); err != nil {
		return fmt.Errorf("-tests: %w", err)
	}
	if o.workers < 1 || o.sample < 0 {
		return fmt.Errorf("-j %d, -n %d: want at least 1, and 0", o.workers, o.sample)
	}
	if o.repository, err = filepath.Abs(o.repository); err != nil {
		return err
	}
	return mode(*o)
}
