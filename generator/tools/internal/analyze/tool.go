package analyze

import (
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// tool analyzes a function as a tool.
func (a *analyzer) tool(f *function, d *directive.Directive) {
	t := &ir.Tool{Func: f.Func, Pos: a.pkg.Position(d.Pos()), Open: d.Has("open") || a.open, Coerce: !d.Has("strict")}
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
	if d.Has("text") {
		a.textOnly(d, t)
	}
	a.guards(f, d, t)
	t.Extras = a.extras(f.notes)
	a.app(f, t)
	t.Silences = f.silences
	a.out.Tools = append(a.out.Tools, t)
	a.offers = append(a.offers, offer{"tool name", t.Name, "name= gives another, and features that exclude each other make variants of them", f.Func, d.Pos()})
}

// textOnly makes the result of a tool a text, if it would be structured content.
func (a *analyzer) textOnly(d *directive.Directive, t *ir.Tool) {
	switch o := &t.Output; {
	case o.Content || o.Result || o.Kind == ir.ContentOutput || o.Kind == ir.WholeOutput:
		a.problems.Addf(d.Pos(), "%s: text: %s returns content of its own; return the value alone", d, t.Func.GoName())
	case o.Kind == ir.StreamOutput:
		a.problems.Addf(d.Pos(), "%s: text: %s returns a sequence, whose items are structured content; return a slice", d, t.Func.GoName())
	case o.Kind == ir.NoOutput || o.Kind == ir.TextOutput:
		a.problems.Addf(d.Pos(), "%s: text: what %s returns is no JSON anyway; leave text out", d, t.Func.GoName())
	default:
		o.Text = true
	}
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
