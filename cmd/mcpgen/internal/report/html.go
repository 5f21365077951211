package report

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageText string

// A pageRow is a row of the matrix with everything that unfolds below it.
type pageRow struct {
	What, Name string
	Words      string // what the filter looks for
	Changed    bool
	Breaking   bool
	Cells      []shownCell
	Parts      []pagePart
	Changes    []Change
	Old, New   []shownLine
}

type pagePart struct {
	Name  string
	Cells []shownCell
}

// HTML writes a report as one self-contained page.
func (r *Report) HTML(w io.Writer) error {
	page, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	changes := map[[2]string][]Change{}
	for _, s := range r.Sections[0].Subjects {
		key := [2]string{s.What, s.Name}
		changes[key] = append(changes[key], s.Changes...)
	}
	var rows []pageRow
	var kinds []string
	for _, row := range r.Matrix.Rows {
		if len(kinds) == 0 || kinds[len(kinds)-1] != row.What {
			kinds = append(kinds, row.What)
		}
		rows = append(rows, r.pageRow(row, changes[[2]string{row.What, row.Name}]))
	}
	return page.Execute(w, map[string]any{"Report": r, "Rows": rows, "Kinds": kinds, "Others": r.Sections[1:], "Short": shortNames(r.Matrix.Columns)})
}

// pageRow returns a row of the matrix with its changes. Old and New are the declarations of the first and the last
// column, and Words has the names and texts of everything in the row.
func (r *Report) pageRow(row *Row, changes []Change) pageRow {
	last := len(row.Cells) - 1
	before, after := row.Declarations[0], row.Declarations[last]
	out := pageRow{
		What: row.What, Name: row.Name, Changes: changes, Changed: len(changes) > 0,
		Cells: r.Matrix.shownCells(row.Cells, row.Declarations),
		Old:   shownLines(before, after, "removed"), New: shownLines(after, before, "added"),
	}
	words := row.Name
	for _, p := range row.Parts {
		out.Parts = append(out.Parts, pagePart{p.Name, r.Matrix.shownCells(p.Cells, p.Text)})
		words += " " + p.Name
	}
	for _, c := range changes {
		out.Breaking = out.Breaking || c.Breaks != ""
		words += " " + c.Text
	}
	for _, c := range out.Cells {
		out.Changed = out.Changed || c.Class != ""
	}
	out.Words = strings.ToLower(words)
	return out
}

// shortNames returns the heads of the columns: revisions without the century, and other names shortened.
func shortNames(columns []string) (list []string) {
	for i, name := range columns {
		if len(name) == len("2006-01-02") && strings.HasPrefix(name, "20") && strings.Count(name, "-") == 2 {
			list = append(list, name[2:])
			continue
		}
		switch i {
		case 0:
			list = append(list, "old")
		case len(columns) - 1:
			list = append(list, "new")
		default:
			list = append(list, name)
		}
	}
	return list
}
