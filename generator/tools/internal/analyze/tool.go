package analyze

import (
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// tool analyzes a function as a tool.
func (a *analyzer) tool(f *function, d *directive.Directive) {
	t := &ir.Tool{Func: f.Func, Pos: a.pkg.Position(d.Pos()), Open: d.Has("open"), Coerce: !d.Has("strict")}
	t.Name = a.offerName(d, f.Func)
	t.ReadOnly = hint(d, "readonly", "")
	t.Destructive = hint(d, "destructive", "nondestructive")
	t.Idempotent = hint(d, "idempotent", "")
	t.OpenWorld = hint(d, "openworld", "closedworld")
	if v := d.Get("task"); v != nil {
		t.Task = v.Text
		if v.Text != "optional" && v.Text != "required" {
			a.problems.Addf(v.Pos, "%s: task=%s: want optional or required", d, directive.Visible(v.Text))
		}
	}
	t.Access = a.access(d, nil)
	t.Input = f.Arguments()
	t.Open = t.Open || f.Open
	t.Title, t.Description = f.Title, f.Description
	t.OneOf = f.OneOf(t.Input)
	for _, names := range t.OneOf { // the schema does not say so, since many clients do not accept oneOf at its top
		t.Description = strings.TrimPrefix(t.Description+"\n\nGive exactly one of "+and(names)+".", "\n\n")
	}
	t.Output = f.ToolOutput()
	a.guards(f, d, t)
	t.Extras = a.extras(f.notes)
	t.Silences = f.silences
	a.out.Tools = append(a.out.Tools, t)
	a.offers = append(a.offers, offer{"tool name", t.Name, "name= gives another", f.Func, d.Pos()})
}

// hint returns the value of a hint that is set by either of two flags.
func hint(d *directive.Directive, yes, no string) *bool {
	switch {
	case d.Has(yes):
		return new(true)
	case d.Has(no):
		return new(false)
	}
	return nil
}

// and joins names as a sentence does: "a, b and c".
func and(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
