package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/report"
	"github.com/mcpgen/mcpgen/generator/tools"
)

// isLock reports whether an operand is a lock file.
func isLock(arg string) bool { return strings.HasSuffix(arg, ".json") }

// A lockPair is the difference between two lock files.
type lockPair struct {
	names      [2]string
	locks      [2]tools.LockContract
	changes    []tools.Change
	unaccepted []tools.Change // what breaks callers in the code beside the newer file, which keeps what they have
	unread     string         // why that is not known; empty if it is, or there is no code
}

// compareLocks compares two lock files, and the newer one with the code beside it. Code that cannot be read is part of
// the difference and no error.
func compareLocks(ctx context.Context, older, newer string) (*lockPair, error) {
	p := &lockPair{names: [2]string{older, newer}}
	for i, name := range p.names {
		data, err := output.Read(name)
		if err != nil {
			return nil, err
		}
		if p.locks[i], err = tools.ParseLock(name, data); err != nil {
			return nil, err
		}
	}
	p.changes = p.locks[0].Changes(p.locks[1])
	p.readCode(ctx)
	return p, nil
}

// readCode compares the code beside the newer file, if that is the lock file of a package: until a break is accepted, the
// file has what callers have, not what the code does.
func (p *lockPair) readCode(ctx context.Context) {
	dir, name := filepath.Split(p.names[1])
	if name != tools.LockFile || len(goFiles(filepath.Clean(dir))) == 0 {
		return
	}
	if !filepath.IsAbs(dir) {
		dir = "./" + filepath.ToSlash(dir)
	}
	pkgs, err := loadTools(ctx, "", []string{strings.TrimSuffix(dir, "/")})
	if err != nil || len(pkgs) != 1 {
		p.unread = "the code has mistakes, which mcpgen check shows"
		return
	}
	code := pkgs[0].Lock()
	if code == nil {
		return
	}
	now := must(tools.ParseLock("the code", code))
	known := map[string]bool{}
	for _, c := range p.changes {
		known[c.String()] = c.Breaking
	}
	p.unaccepted = slices.DeleteFunc(p.locks[0].Changes(now), func(c tools.Change) bool { return !c.Breaking || known[c.String()] })
}

// report implements compared. Changes that break callers come first, then those of the code that are not accepted yet.
// The summary counts all, including those that the filter leaves out.
func (p *lockPair) report(only diffFilter) (*report.Report, any, string) {
	r := &report.Report{Old: p.names[0], New: p.names[1], Sections: make([]report.Section, 1), Matrix: p.matrix()}
	shown := slices.DeleteFunc(slices.Clone(p.changes), func(ch tools.Change) bool { return only.breaking && !ch.Breaking })
	breaking := len(p.unaccepted)
	for _, ch := range p.changes {
		if ch.Breaking {
			breaking++
		}
	}
	r.Summary = fmt.Sprintf("Changes: %d. Breaking: %d for callers.", len(p.changes)+len(p.unaccepted), breaking)
	switch {
	case p.unread != "":
		r.Summary += fmt.Sprintf(" What the code beside %s breaks is not known: %s.", p.names[1], p.unread)
	case len(p.unaccepted) > 0:
		r.Summary += fmt.Sprintf(" Not accepted yet: %d, which the code has, and %s does not.", len(p.unaccepted), p.names[1])
	}
	add := func(changes []tools.Change, note string) {
		for _, line := range changeLines(changes, false) {
			ch := changes[line.index]
			c := lockChange(ch)
			c.Text += line.users + note
			r.Sections[0].Add(ch.Kind, ch.Name, c)
		}
	}
	first := func(breaking bool) []tools.Change {
		return slices.DeleteFunc(slices.Clone(shown), func(ch tools.Change) bool { return ch.Breaking != breaking })
	}
	add(first(true), "")
	add(p.unaccepted, ", in the code, not accepted yet")
	add(first(false), "")
	broken := ""
	if breaking > 0 {
		broken = "callers"
	}
	return r, jsonOf(p.names, slices.Concat(shown, p.unaccepted), nil, ""), broken
}

// lockChange returns a change as a report has it. That something was added or removed is known by its text alone.
func lockChange(ch tools.Change) report.Change {
	out := report.Change{Kind: "changed", Text: ch.Text, Whole: ch.Path == ""}
	if ch.Path != "" {
		out.Text = ch.Path + ": " + ch.Text
	}
	switch {
	case ch.Text == "added" || strings.HasPrefix(ch.Text, "added,") || strings.HasPrefix(ch.Text, "added:"):
		out.Kind = "added"
	case ch.Text == "removed" || strings.HasPrefix(ch.Text, "removed,"):
		out.Kind = "removed"
	}
	if ch.Breaking {
		out.Breaks = "callers"
	}
	return out
}

// matrix has the entries of both files.
func (p *lockPair) matrix() *report.Matrix {
	m := &report.Matrix{Columns: p.names[:]}
	for i, lock := range p.locks {
		for _, e := range lock.Entries() {
			row := m.Row(e.Kind, e.Name)
			row.Cells[i] = report.Present
			row.Declarations[i] = e.Text
		}
	}
	return m
}
