package main

import (
	"cmp"
	"fmt"
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
	names        [2]string
	locks        [2]tools.LockContract
	changes      []tools.Change
	descriptions []tools.Change
}

func compareLocks(older, newer string) (*lockPair, error) {
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
	p.descriptions = p.locks[0].Descriptions(p.locks[1])
	return p, nil
}

func (p *lockPair) report(only diffFilter) (*report.Report, any, string) {
	r := &report.Report{Old: p.names[0], New: p.names[1], Sections: make([]report.Section, 1), Matrix: p.matrix()}
	all := p.changes
	if only.docs {
		all = slices.Concat(all, p.descriptions)
		kinds := []string{"tool", "prompt", "resource"}
		slices.SortStableFunc(all, func(a, b tools.Change) int {
			return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), cmp.Compare(a.Name, b.Name))
		})
	}
	shown := slices.DeleteFunc(slices.Clone(all), func(ch tools.Change) bool { return only.breaking && !ch.Breaking })
	breaking := 0
	for _, ch := range p.changes {
		if ch.Breaking {
			breaking++
		}
	}
	r.Summary = fmt.Sprintf("Changes: %d. Breaking: %d for callers.", len(p.changes), breaking)
	for _, ch := range shown {
		r.Sections[0].Add(ch.Kind, ch.Name, lockChange(ch))
	}
	broken := ""
	if breaking > 0 {
		broken = "callers"
	}
	return r, jsonOf(p.names, shown, nil, ""), broken
}

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
