package report

import (
	"slices"
	"strings"
)

// A Matrix says what each of several versions, oldest first, declares.
type Matrix struct {
	Columns []string // the names of the versions
	Rows    []*Row
}

// A Row is a method, type, constant, tool, prompt or resource.
type Row struct {
	What         string
	Name         string
	Cells        []Cell
	Declarations []string // empty where there is none
	Parts        []*Part
}

// A Part is a part of a type, such as a member.
type Part struct {
	Name  string
	Cells []Cell
	Text  []string
}

// A Cell says whether a version has something.
type Cell int

const (
	Absent Cell = iota
	Present
	Optional // it is there, and messages may leave it out
)

// Row returns the row with a name. It adds the row if there is none.
func (m *Matrix) Row(what, name string) *Row {
	i := slices.IndexFunc(m.Rows, func(r *Row) bool { return r.What == what && r.Name == name })
	if i >= 0 {
		return m.Rows[i]
	}
	n := len(m.Columns)
	r := &Row{What: what, Name: name, Cells: make([]Cell, n), Declarations: make([]string, n)}
	m.Rows = append(m.Rows, r)
	return r
}

// Part returns the part of a row with a name. It adds the part if there is none.
func (r *Row) Part(name string) *Part {
	i := slices.IndexFunc(r.Parts, func(p *Part) bool { return p.Name == name })
	if i >= 0 {
		return r.Parts[i]
	}
	p := &Part{Name: name, Cells: make([]Cell, len(r.Cells)), Text: make([]string, len(r.Cells))}
	r.Parts = append(r.Parts, p)
	return p
}

// Sort groups the rows by kind.
func (m *Matrix) Sort(order ...string) {
	slices.SortStableFunc(m.Rows, func(a, b *Row) int { return slices.Index(order, a.What) - slices.Index(order, b.What) })
}

// A shownCell is a cell as a page shows it.
type shownCell struct {
	Class string // what became of it since the version before
	Text  string
	Title string
}

// shownCells returns the cells of a line of the matrix. Texts show in which cells a declaration has changed.
func (m *Matrix) shownCells(cells []Cell, texts []string) []shownCell {
	var out []shownCell
	for i, c := range cells {
		s := shownCell{Text: []string{"·", "●", "○"}[c], Title: m.Columns[i] + ": " + []string{"absent", "present", "optional"}[c]}
		if i > 0 {
			before := cells[i-1]
			switch {
			case before == Absent && c != Absent:
				s.Class, s.Text = "added", "+"+s.Text
			case before != Absent && c == Absent:
				s.Class, s.Text = "removed", "−"
			case before != c || texts[i-1] != texts[i]:
				s.Class, s.Text = "changed", "~"+s.Text
			}
			if s.Class != "" {
				s.Title += ", " + s.Class
			}
		}
		out = append(out, s)
	}
	return out
}

// A shownLine is a line of a declaration; Class says whether the other version has it, too.
type shownLine struct{ Class, Text string }

// shownLines returns a declaration, compared with the other one.
func shownLines(text, other, class string) []shownLine {
	others := strings.Split(other, "\n")
	var out []shownLine
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		s := shownLine{Text: line}
		if !slices.Contains(others, line) {
			s.Class = class
		}
		out = append(out, s)
	}
	return out
}
