package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/model/diff"
)

// A matrix is the model of all revisions, and those of each alone, which say in which revision something is deprecated.
type matrix struct {
	*model.Schema
	alone map[string]*model.Schema
}

func newMatrix() (*matrix, error) {
	all, err := protocol.Merged()
	if err != nil {
		return nil, err
	}
	m := &matrix{all, map[string]*model.Schema{}}
	for _, r := range all.Revisions {
		if m.alone[r], err = protocol.Merged(r); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// head writes the head of a table.
func (m *matrix) head(b *strings.Builder, of string) {
	fmt.Fprintf(b, "| %s | %s |\n|---|%s\n", of, strings.Join(m.Revisions, " | "), strings.Repeat(":-:|", len(m.Revisions)))
}

// row writes a row of a table: what cell says of each revision, and whether it is deprecated there. A revision that lacks it
// has a dash.
func (m *matrix) row(b *strings.Builder, name string, cell func(revision string) string, deprecated func(revision string) bool) {
	fmt.Fprintf(b, "| %s |", name)
	for _, r := range m.Revisions {
		text := cell(r)
		if text != "" && deprecated(r) {
			text += ", deprecated"
		}
		fmt.Fprintf(b, " %s |", cmp.Or(text, "–"))
	}
	b.WriteByte('\n')
}

// yes returns what a cell says of what is in these revisions.
func yes(in model.Revs) func(string) string {
	return func(revision string) string {
		if in.Has(revision) {
			return "yes"
		}
		return ""
	}
}

func never(string) bool { return false }

// code returns a cell with a piece of code.
func code(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }

// methods says who sends each method.
func methods(string) (string, error) {
	m, err := newMatrix()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	m.head(&b, "method")
	for _, method := range slices.SortedFunc(slices.Values(m.Methods), func(a, b *model.Method) int { return cmp.Compare(a.Name, b.Name) }) {
		m.row(&b, code(method.Name), func(r string) string {
			switch {
			case method.ToServer.Has(r) && method.ToClient.Has(r):
				return "both"
			case method.ToServer.Has(r):
				return "client"
			case method.ToClient.Has(r):
				return "server"
			case method.AsInput.Has(r):
				return "in a result"
			}
			return ""
		}, func(r string) bool {
			of := m.alone[r].Methods
			i := slices.IndexFunc(of, func(o *model.Method) bool { return o.Name == method.Name })
			return i >= 0 && of[i].Doc.Deprecated != ""
		})
	}
	return b.String(), nil
}

// data returns the types of what is sent, by their names.
func (m *matrix) data() []*model.Type {
	types := slices.DeleteFunc(slices.Clone(m.Types), func(t *model.Type) bool { return t.Role != model.RoleData })
	slices.SortFunc(types, func(a, b *model.Type) int { return cmp.Compare(a.Name, b.Name) })
	return types
}

// types says which revisions have each type.
func types(string) (string, error) {
	m, err := newMatrix()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	m.head(&b, "type")
	for _, t := range m.data() {
		name := code(t.Name)
		if m.parts(t) != "" {
			name = "[" + name + "](#" + strings.ToLower(t.Name) + ")"
		}
		m.row(&b, name, yes(t.Revs), func(r string) bool {
			own := m.alone[r].Type(t.Name)
			return own != nil && own.Doc.Deprecated != ""
		})
	}
	return b.String(), nil
}

// fields says what types consist of in each revision, if that differs.
func fields(string) (string, error) {
	m, err := newMatrix()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range m.data() {
		if parts := m.parts(t); parts != "" {
			fmt.Fprintf(&b, "\n### %s\n\n%s", t.Name, parts)
		}
	}
	return b.String() + "\n", nil
}

// parts returns the section of a type; empty if the type is the same in all revisions that have it.
func (m *matrix) parts(t *model.Type) string {
	differs := false
	var b, types strings.Builder
	part := func(name string, in model.Revs, cell func(string) string, deprecated func(string) bool) {
		differs = differs || !slices.Equal(in, t.Revs)
		m.row(&b, code(name), cell, deprecated)
	}
	switch e := t.Expr; e.Kind {
	case model.Struct:
		m.head(&b, "field")
		for _, field := range e.Members {
			differs = differs || len(field.Narrowings) > 0 || len(field.Required) > 0 && !slices.Equal(field.Required, field.Revs)
			deprecated := func(r string) bool { return m.isDeprecated(r, t.Name, field.Name) }
			for _, r := range m.Revisions {
				differs = differs || deprecated(r)
			}
			part(field.Name, field.Revs, func(r string) string {
				switch {
				case field.Required.Has(r):
					return "required"
				case field.Revs.Has(r):
					return "optional"
				}
				return ""
			}, deprecated)
			for i, v := range field.Narrowings {
				if i == 0 {
					fmt.Fprintf(&types, "- `%s` is ", field.Name)
				}
				fmt.Fprintf(&types, "`%s` in %s, ", diff.Text(v.Type), strings.Join(v.Revs, " and "))
			}
			if len(field.Narrowings) > 0 {
				fmt.Fprintf(&types, "otherwise `%s`.\n", diff.Text(field.Type))
			}
		}
	case model.Union:
		m.head(&b, "one of")
		for _, arm := range e.Arms {
			part(diff.Text(arm.Expr), arm.Revs, yes(arm.Revs), never)
		}
	case model.Enum:
		m.head(&b, "value")
		for _, v := range e.Values {
			part(fmt.Sprintf("%q", v.Value), v.Revs, yes(v.Revs), never)
		}
	}
	if !differs {
		return ""
	}
	if types.Len() > 0 {
		b.WriteString("\n" + types.String())
	}
	return b.String()
}

// isDeprecated reports whether a revision deprecates a field.
func (m *matrix) isDeprecated(revision, of, name string) bool {
	t := m.alone[revision].Type(of)
	if t == nil || t.Expr.Kind != model.Struct {
		return false
	}
	i := slices.IndexFunc(t.Expr.Members, func(m *model.Member) bool { return m.Name == name })
	return i >= 0 && t.Expr.Members[i].Doc.Deprecated != ""
}

// codes says which revisions have each error code.
func codes(string) (string, error) {
	m, err := newMatrix()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	m.head(&b, "error code")
	for _, c := range m.Consts {
		if value := fmt.Sprint(c.Value); strings.HasPrefix(value, "-") {
			m.row(&b, code(c.Name)+" "+value, yes(c.Revs), never)
		}
	}
	return b.String(), nil
}
