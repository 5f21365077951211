package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// marker ends the part of docs/coverage.md that people write.
const marker = "<!-- From here on written by go generate ./internal/requirements. -->\n"

// covered reports whether a test cites the row that runs on every machine.
func (r *row) covered() bool { return r.always != nil }

// why says why the row has no test.
func (r *row) why() string {
	if r.tests != nil {
		return cmp.Or(r.reason, "its tests need what not every machine has")
	}
	return cmp.Or(r.reason, "no test yet")
}

// counts are numbers of rows.
type counts struct{ all, covered, explained int }

func (c counts) open() int { return c.all - c.covered - c.explained }

func count(rows []*row) (c counts) {
	for _, r := range rows {
		c.all++
		if r.covered() {
			c.covered++
		} else if r.reason != "" {
			c.explained++
		}
	}
	return c
}

// all returns the rows of all areas.
func (d *document) all() (rows []*row) {
	for _, a := range d.areas {
		rows = append(rows, a.rows...)
	}
	return rows
}

// list returns what the command prints: every row that has no test, on a line of its own.
func (d *document) list() string {
	var b strings.Builder
	for _, a := range d.areas {
		c := count(a.rows)
		fmt.Fprintf(&b, "%s, %s: %d of %d rows covered\n", a.name, a.title, c.covered, c.all)
		for _, r := range a.rows {
			if !r.covered() {
				fmt.Fprintf(&b, "  %-9s %-10s %-12s %-12s %s\n", r.id, r.level, r.side, r.revisions, r.why())
			}
		}
	}
	c := count(d.all())
	fmt.Fprintf(&b, "%d of %d rows covered, %d more have a reason, %d are open\n", c.covered, c.all, c.explained, c.open())
	return b.String()
}

// update returns docs/coverage.md with new tables.
func (d *document) update(page []byte) ([]byte, error) {
	written, _, ok := bytes.Cut(page, []byte(marker))
	if !ok {
		return nil, fmt.Errorf("%s has no line %s", coverageFile, strings.TrimSpace(marker))
	}
	return append(bytes.Clone(written), marker+d.tables()...), nil
}

// tables returns the tables of docs/coverage.md.
func (d *document) tables() string {
	var b strings.Builder
	b.WriteString("\n| Area | Subject | Rows | Covered | With a reason | Open |\n|---|---|--:|--:|--:|--:|\n")
	for _, a := range d.areas {
		c := count(a.rows)
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", a.name, cell(a.title), c.all, c.covered, c.explained, c.open())
	}
	c := count(d.all())
	fmt.Fprintf(&b, "| **all** | | **%d** | **%d** | **%d** | **%d** |\n", c.all, c.covered, c.explained, c.open())

	b.WriteString("\n## Why rows have no test\n\n| Rows | Why |\n|--:|---|\n")
	reasons := uncovered(d.all())
	slices.SortStableFunc(reasons, func(a, b group) int { return len(b.rows) - len(a.rows) })
	for _, g := range reasons {
		fmt.Fprintf(&b, "| %d | %s |\n", len(g.rows), cell(g.why))
	}

	b.WriteString("\n## Which rows have no test\n\n| Rows | Why |\n|---|---|\n")
	for _, a := range d.areas {
		for _, g := range uncovered(a.rows) {
			fmt.Fprintf(&b, "| %s | %s |\n", spans(a.rows, g.rows), cell(g.why))
		}
	}
	return b.String()
}

// cell makes text fit into a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// A group is rows that have no test for the same reason.
type group struct {
	why  string
	rows []*row
}

// uncovered groups the rows that have no test. Groups are in the order of their first rows.
func uncovered(rows []*row) (groups []group) {
	for _, r := range rows {
		if r.covered() {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.why == r.why() })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{why: r.why()})
		}
		groups[i].rows = append(groups[i].rows, r)
	}
	return groups
}

// spans lists some of an area's rows, three or more that follow each other as a range.
func spans(area, some []*row) string {
	var list []string
	for len(some) > 0 {
		start, n := slices.Index(area, some[0]), 1
		for n < len(some) && some[n] == area[start+n] {
			n++
		}
		if n > 2 {
			list = append(list, some[0].id+".."+some[n-1].id)
		} else {
			for _, r := range some[:n] {
				list = append(list, r.id)
			}
		}
		some = some[n:]
	}
	return strings.Join(list, ", ")
}
