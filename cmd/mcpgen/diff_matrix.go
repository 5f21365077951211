package main

import (
	"slices"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/report"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/model/diff"
	"github.com/mcpgen/mcpgen/schema"
)

// schemaMatrix returns what the schemas declare, and those that mcpgen has between them.
func schemaMatrix(names [2]string, models [2]*model.Schema) *report.Matrix {
	first, last := models[0].Revisions[0], models[1].Revisions[0]
	if first > last {
		first, last = last, first
	}
	m := &report.Matrix{Columns: []string{names[0]}}
	all := []*model.Schema{models[0]}
	between := schema.Revisions()
	if models[0].Revisions[0] > models[1].Revisions[0] {
		slices.Reverse(between)
	}
	for _, r := range between {
		if r.Name <= first || r.Name >= last || !isOwn(names[0]) && !isOwn(names[1]) {
			continue
		}
		in := inputs{revisions: []string{r.Name}}
		all = append(all, must(in.merged()))
		m.Columns = append(m.Columns, r.Name)
	}
	all = append(all, models[1])
	m.Columns = append(m.Columns, names[1])
	for i := len(all) - 1; i >= 0; i-- { // rows are in the order of the newest
		addSchema(m, i, all[i])
	}
	m.Sort("method", "type", "constant")
	return m
}

// addSchema fills a column of a matrix.
func addSchema(m *report.Matrix, column int, s *model.Schema) {
	for _, method := range s.Methods {
		row := m.Row("method", method.Name)
		row.Cells[column] = report.Present
		row.Declarations[column] = diff.MethodDeclaration(s, method.Name)
	}
	for _, t := range s.Types {
		text := diff.Declaration(s, t.Name)
		if text == "" {
			continue
		}
		row := m.Row("type", t.Name)
		row.Cells[column] = report.Present
		row.Declarations[column] = text
		for _, p := range diff.Parts(t) {
			part := row.Part(p.Name)
			part.Cells[column], part.Text[column] = report.Present, p.Text
			if p.Optional {
				part.Cells[column] = report.Optional
			}
		}
	}
	for _, c := range s.Consts {
		row := m.Row("constant", c.Name)
		row.Cells[column] = report.Present
		row.Declarations[column] = diff.ConstDeclaration(c)
	}
}
