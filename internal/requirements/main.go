// Command requirements compares docs/requirements.md with the tests of this repository: which of
// its rows a test shows to hold, and why the others have none.
//
//	go run ./internal/requirements [-write] [repository]
//
// It prints, for each area, how many rows have a test, and the rows that have none. With -write it
// rewrites the tables of docs/coverage.md instead. The repository is the current folder, or is
// given.
//
// # Citations
//
// A test cites the rows that it would catch if they were broken, on a line of a comment:
//
//	// REQ JRPC-02, JRPC-05
//
// The line begins with the word REQ and the IDs of rows, separated by commas or spaces; after a colon
// it may say how the test shows them. There are no ranges, so that a search for an ID finds its
// tests. The notes on ambiguities, AMB and SEED, may be cited too, and do not count. The comments of _test.go files count, and the
// text at the head of .txtar archives in testdata folders. The word REQ anywhere else in them, and
// an ID that no row has, are errors.
//
// Code may say by such a comment which rows it implements; see internal/mutate. It is no citation, but
// the rows must exist.
//
// A row is covered if one of the tests that cite it runs on every machine. One that may skip itself,
// or calls what does, for another reason than -short or the system, is no such test; nor is one of whose
// subtests that holds, unless it cites the row in another part of its body.
//
// # Reasons
//
// docs/requirements-uncovered.txt says why rows have no test. Each line names rows by ID, as a range
// ID..ID or by area, separated by commas or spaces, and after a colon the reason. An area stands for
// those of its rows that have neither a test nor a reason of their own. What is named must have no
// test: an entry that is not needed any more is an error. Blank lines and those that begin with # do
// not count.
package main

//go:generate go run . -write ../..

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// The files that the command reads and writes.
const (
	rowsFile     = "docs/requirements.md"
	reasonsFile  = "docs/requirements-uncovered.txt"
	coverageFile = "docs/coverage.md"
)

func main() {
	write := flag.Bool("write", false, "rewrite the tables of "+coverageFile+" instead of printing")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: requirements [-write] [repository]")
		flag.PrintDefaults()
	}
	flag.Parse()
	repository := "."
	switch flag.NArg() {
	case 0:
	case 1:
		repository = flag.Arg(0)
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err := run(repository, *write, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(repository string, write bool, out io.Writer) error {
	files := os.DirFS(repository)
	d, err := read(files)
	if err != nil {
		return err
	}
	if !write {
		_, err := io.WriteString(out, d.list())
		return err
	}
	page, err := fs.ReadFile(files, coverageFile)
	if err != nil {
		return err
	}
	updated, err := d.update(page)
	if err != nil {
		return err
	}
	done := "unchanged"
	if !bytes.Equal(page, updated) {
		done = "written"
		if err := os.WriteFile(filepath.Join(repository, filepath.FromSlash(coverageFile)), updated, 0o666); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "%s: from %s and the tests that cite it: %s\n", coverageFile, rowsFile, done)
	return err
}

// read reads the requirements, the tests that cite them, and the reasons.
func read(repository fs.FS) (*document, error) {
	text, err := fs.ReadFile(repository, rowsFile)
	if err != nil {
		return nil, err
	}
	d, err := parse(string(text))
	if err != nil {
		return nil, err
	}
	reasons, err := fs.ReadFile(repository, reasonsFile)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.cite(repository), d.checkCode(repository)); err != nil {
		return nil, err // without it, reasons would seem to be needed that are not, or the reverse
	}
	return d, d.explain(string(reasons))
}

// A place is a line of a file.
type place struct {
	file string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// problems are what is wrong, in the order in which it was found.
type problems []error

func (p *problems) add(at place, format string, args ...any) {
	*p = append(*p, fmt.Errorf("%v: %s", at, fmt.Sprintf(format, args...)))
}

func (p problems) err() error { return errors.Join(p...) }
