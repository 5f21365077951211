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
    argument is required that was not, a type or a range is narrower, a value of
    an enum is gone … Results are held to the contrary: what callers read must
    not become optional, or more than it was.

Undo what breaks callers, or accept it: -accept records the contract as it is now
in mcp.lock.json, for the next commit to show. That goes for tools, too, that
were recorded but have no callers yet.`,
		Example: `  mcpgen check ./...
  mcpgen check -accept ./weather`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			pkgs, err := loadTools(c.Context(), args)
			if err != nil {
				return err
			}
			var accepted []output.Change
			var shown, said strings.Builder
			for _, p := range pkgs {
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
					accepted = append(accepted, lock.accept()...)
				case lock.broken():
					shown.WriteString(lock.listing() + edits(lock.accept()))
					fmt.Fprintf(&said, "%s: the contract is broken; undo what breaks it, or accept it by mcpgen check -accept\n", lock.name)
				default:
					shown.WriteString(lock.listing())
					stale = append(stale, lock.stale()...)
				}
				shown.WriteString(edits(stale))
				for _, s := range stale {
					fmt.Fprintf(&said, "%s is %s; run go generate, or mcpgen tools\n", filepath.ToSlash(s.Path), state(s))
				}
			}
			if err := output.Apply(accepted); err != nil {
				return err
			}
			if said.Len() == 0 {
				return nil
			}
			if _, err := io.WriteString(c.OutOrStdout(), shown.String()); err != nil {
				return err
			}
			return difference(strings.TrimSuffix(said.String(), "\n"))
		},
	}
	c.Flags().BoolVar(&accept, "accept", false, "record the contract as it is now; exit with 1 only if generated code is stale")
	return c
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
