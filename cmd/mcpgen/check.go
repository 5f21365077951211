package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
)

func newCheck() *cobra.Command {
	var accept bool
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

Undo what breaks callers, or accept it: -accept records the contract as it is now
in mcp.lock.json, for the next commit to show. That goes for tools, too, that
were recorded but have no callers yet.`,
		Example: `  mcpgen check ./...
  mcpgen check -accept ./weather`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			var failed failures
			pkgs, err := loadTools(c.Context(), args)
			failed.add(err)
			var found verdict
			for _, p := range pkgs {
				failed.add(found.check(p, accept))
			}
			if err := output.Apply(found.accepted); err != nil {
				failed.add(err)
				return failed.err()
			}
			if found.said.Len() > 0 {
				_, err := io.WriteString(c.OutOrStdout(), found.shown.String())
				failed.add(err)
				failed.add(difference(strings.TrimSuffix(found.said.String(), "\n")))
			}
			return failed.err()
		},
	}
	c.Flags().BoolVar(&accept, "accept", false, "record the contract as it is now; exit with 1 only if generated code is stale")
	return c
}

// A verdict is what check finds in packages.
type verdict struct {
	shown, said strings.Builder // on standard output, and as the error
	accepted    []output.Change
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
	switch {
	case accept:
		f.accepted = append(f.accepted, lock.accept()...)
	case lock.broken():
		f.shown.WriteString(lock.listing() + edits(lock.accept()))
		fmt.Fprintf(&f.said, "%s: the contract is broken; undo what breaks it, or accept it by mcpgen check -accept\n", lock.name)
	default:
		f.shown.WriteString(lock.listing())
		stale = append(stale, lock.stale()...)
	}
	f.shown.WriteString(edits(stale))
	for _, s := range stale {
		fmt.Fprintf(&f.said, "%s is %s; run go generate, or mcpgen tools\n", filepath.ToSlash(s.Path), state(s))
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
