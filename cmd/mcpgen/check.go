package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
)

func newCheck() *cobra.Command {
	var accept bool
	var found verdict
	c := &cobra.Command{
		Use:   "check [PACKAGE...]",
		Short: "Tell whether generated tools are stale, or break those who call them",
		Long: `Check compares the annotated functions of Go packages, "." unless others are
named, with the files that 'mcpgen tools' wrote. It prints what it finds, and exits
with 1, if

  - mcp_gen.go or mcp.lock.json is stale: run 'go generate', or 'mcpgen tools';
  - the contract with the callers is broken. A tool is gone or has a new name, an
    argument or a scope is required that was not, a type or a range is narrower,
    a value of an enum is gone … Results are held to the contrary: what callers
    read must not become optional, or more than it was.

With -diff, it also shows what would change in the files, and for Go code that
uses the package.

Undo what breaks callers, or accept it: -accept records the contract as it is now
in mcp.lock.json, for the next commit to show. That goes for tools, too, that
were recorded but have no callers yet.`,
		Example: `  mcpgen check ./...
  mcpgen check -diff ./weather
  mcpgen check -accept ./weather`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			var failed failures
			pkgs, err := loadTools(c.Context(), args)
			failed.add(err)
			for _, p := range pkgs {
				failed.add(found.check(p, accept))
			}
			if err := output.Apply(found.accepted); err != nil {
				failed.add(err)
				return failed.err()
			}
			failed.add(found.print(c.OutOrStdout()))
			return failed.err()
		},
	}
	c.Flags().BoolVar(&accept, "accept", false, "record the contract as it is now; exit with 1 only if generated code is stale")
	c.Flags().BoolVar(&found.differences, "diff", false, "show what would change in the files, and for Go code that uses the package")
	return c
}

// A verdict is what check finds in packages.
type verdict struct {
	differences bool // to be shown
	packages    []packageVerdict
	broken      bool            // a contract is
	accepted    []output.Change // to be written
}

// A packageVerdict is what check finds in a package.
type packageVerdict struct {
	dir     string
	stale   []output.Change // what regenerating would change
	listing string          // how the contract changed
	broken  []output.Change // what accepting the contract would change, if it is broken
}

// check adds what is found in a package.
func (f *verdict) check(p annotated, accept bool) error {
	t, err := p.target()
	if err != nil {
		return err
	}
	stale, err := p.stale(t)
	if err != nil {
		return err
	}
	lock, err := p.lock()
	if err != nil {
		return err
	}
	found := packageVerdict{dir: p.dir, stale: stale, listing: lock.listing()}
	switch {
	case accept:
		f.accepted = append(f.accepted, lock.accept()...)
		found.listing = ""
	case lock.broken():
		f.broken = true
		found.broken = lock.accept()
	default:
		found.stale = append(found.stale, lock.stale()...)
	}
	f.packages = append(f.packages, found)
	return nil
}

// print shows what is found, and returns the verdict: nil if all is well.
func (f *verdict) print(w io.Writer) error {
	stale := false
	for _, p := range f.packages {
		stale = stale || len(p.stale) > 0
		if _, err := io.WriteString(w, staleLines(p.stale)); err != nil {
			return err
		}
		if f.differences {
			if err := reviewTools(w, p.dir, p.stale, p.broken); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, p.listing); err != nil {
			return err
		}
	}
	switch {
	case stale && f.broken:
		return difference("generated files are stale, and the contract is broken: run go generate, or mcpgen tools, and undo what breaks callers, or accept it by mcpgen check -accept")
	case stale:
		return difference("generated files are stale: run go generate, or mcpgen tools")
	case f.broken:
		return difference("the contract is broken: undo what breaks it, or accept it by mcpgen check -accept")
	}
	return nil
}

// listing shows what has changed since the contract was accepted.
func (l *lock) listing() string {
	if len(l.changes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(l.name + ": the contract changed\n")
	for _, c := range l.changes {
		class := "compatible"
		if c.Breaking {
			class = "breaking"
		}
		fmt.Fprintf(&b, "  %-10s  %s\n", class, c)
	}
	return b.String()
}

// edits shows changes of files that exist and remain. Others would be shown as a whole.
func edits(changes []output.Change) string {
	return output.Diff(slices.DeleteFunc(slices.Clone(changes), func(c output.Change) bool { return c.Old == nil || c.New == nil }), diffLines)
}

func state(c output.Change) string {
	switch {
	case c.Old == nil:
		return "missing"
	case c.New == nil:
		return "not needed any more"
	}
	return "stale"
}
