package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A document is the list of requirements.
type document struct {
	areas []*area
	rows  map[string]*row // by ID
	notes map[string]bool // IDs of ambiguities and differences: a test may cite them, they do not count
}

// An area is one section of the list.
type area struct {
	name, title string // JRPC, JSON-RPC base
	rows        []*row
}

// A row is one requirement.
type row struct {
	id, level, side, revisions string

	tests  []place // that cite it
	always []place // those of them that run on every machine
	reason string  // why it has no test; empty if it has one, or if nobody has said
}

var (
	levels = []string{"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "fact"}
	sides  = []string{"both", "client", "server", "intermediary", "auth server"}
)

// noteID is how a row of the sections about ambiguities and differences begins.
var noteID = regexp.MustCompile(`^\| ((?:AMB|SEED)-[0-9]{2}) \|`)

// parse reads the list. An area begins with the heading "### NAME — Title"; its rows are the lines
// of its table that begin with an ID, numbered from 01 without a gap.
func parse(text string) (*document, error) {
	d := &document{rows: map[string]*row{}, notes: map[string]bool{}}
	var wrong problems
	var current *area
	at := place{file: rowsFile}
	for line := range strings.Lines(text) {
		at.line++
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "### "); ok {
			current = nil
			if name, title, ok := strings.Cut(heading, " — "); ok {
				current = &area{name: name, title: title}
				d.areas = append(d.areas, current)
			}
			continue
		}
		if strings.HasPrefix(line, "## ") {
			current = nil
		}
		if note := noteID.FindStringSubmatch(line); note != nil {
			d.notes[note[1]] = true
			continue
		}
		if current == nil || !strings.HasPrefix(line, "| "+current.name+"-") {
			continue
		}
		cells := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
		if len(cells) != 8 { // with what stands before the first bar and after the last
			wrong.add(at, "the row has %d cells, want ID, level, side, revisions, requirement, code", len(cells)-2)
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		r := &row{id: cells[1], level: cells[2], side: cells[3], revisions: cells[4]}
		if next := fmt.Sprintf("%s-%02d", current.name, len(current.rows)+1); r.id != next {
			wrong.add(at, "the row is %s, want %s", r.id, next)
		}
		if !slices.Contains(levels, r.level) {
			wrong.add(at, "%s has the level %q, want one of %s", r.id, r.level, strings.Join(levels, ", "))
		}
		if !slices.Contains(sides, r.side) {
			wrong.add(at, "%s has the side %q, want one of %s", r.id, r.side, strings.Join(sides, ", "))
		}
		current.rows = append(current.rows, r)
		d.rows[r.id] = r
	}
	if len(d.rows) == 0 {
		wrong.add(at, "there is no row")
	}
	return d, wrong.err()
}

// area returns the area of a name, nil if there is none.
func (d *document) area(name string) *area {
	i := slices.IndexFunc(d.areas, func(a *area) bool { return a.name == name })
	if i < 0 {
		return nil
	}
	return d.areas[i]
}

// unknown says that no row has an ID, and which has the nearest.
func (d *document) unknown(id string) string {
	best, most := "", max(2, len(id)/2)
	for _, a := range d.areas {
		for _, r := range a.rows {
			if n := alike(id, r.id); n > most {
				best, most = r.id, n
			}
		}
	}
	said := fmt.Sprintf("there is no row %q", id)
	if best != "" {
		said += "; did you mean " + best + "?"
	}
	return said
}

// alike counts how many letters two words have in common at their beginnings and their ends.
func alike(a, b string) int {
	shorter := min(len(a), len(b))
	n := 0
	for n < shorter && a[n] == b[n] {
		n++
	}
	for end := 1; n < shorter && a[len(a)-end] == b[len(b)-end]; end++ {
		n++
	}
	return n
}
