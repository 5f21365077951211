package signature

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
)

// memberNames returns the names of the results of a tool that become members of an object.
func (f *Function) memberNames() []string {
	results := f.Func.Results
	last := len(results) - 1
	if last >= 0 && isContent(f.sig.Results().At(last).Type()) {
		results = results[:last]
	}
	if len(results) == 1 {
		t := f.sig.Results().At(0).Type()
		if name := named(t); name == "iter.Seq2" || name == "iter.Seq" || pointerTo(t) == pathServer+".Result" {
			return nil
		}
	}
	var names []string
	for _, r := range results {
		if r.Name != "" {
			names = append(names, r.Name)
		}
	}
	return names
}

// describe applies the directives and descriptions of the results of a tool to the members that they are.
func (f *Function) describe(o *ir.Output, where func(int) jsontype.Site) {
	notes := f.resultNotes()
	if o.Kind != ir.NamedOutput {
		return
	}
	names := make(map[string]string)
	for i, m := range o.Members {
		f.constraints.Apply(m, notes[m.Go], false)
		m.Description = f.about[m.Go]
		if other, ok := names[m.Name]; ok {
			f.problems.Addf(where(i).Pos, "%s: the results %s and %s are both called %s", f.Func.GoName(), other, m.Go, m.Name)
		}
		names[m.Name] = m.Go
	}
}

// resultNotes returns the directives about results, by result.
func (f *Function) resultNotes() map[string][]constraint.Note {
	by := make(map[string][]constraint.Note)
	for _, d := range f.notes {
		if d.Name != "result" || len(d.Words) == 0 {
			continue
		}
		w := d.Words[0]
		switch isParam := slices.ContainsFunc(f.Func.Params, func(p *ir.Param) bool { return p.Name == w.Text }); {
		case slices.Contains(f.members, w.Text) && len(strings.Fields(d.Comment.Text)) == 2:
			f.problems.Addf(d.Pos(), "%s: it says nothing about %s, as %s does", d, w.Text, d.Example)
		case slices.Contains(f.members, w.Text):
			by[w.Text] = append(by[w.Text], constraint.Note{Directive: d})
		case isParam:
			f.problems.Addf(d.Pos(), "%s: %s is a parameter; write //mcp:param %s", d, w.Text, w.Text)
			f.problems.Suggest("//mcp:result", "//mcp:param")
		case len(f.members) == 0:
			f.problems.Addf(w.Pos, "%s: no result of %s is a member with a name; name the results, as in (%s int, err error)", d, f.Func.GoName(), w.Text)
		case spelling.Nearest(w.Text, f.members) == "":
			f.problems.Addf(w.Pos, "%s: %s has no result %s; it has %s", d, f.Func.GoName(), w.Text, strings.Join(f.members, ", "))
		default:
			f.problems.Addf(w.Pos, "%s: %s has no result %s%s", d, f.Func.GoName(), w.Text, spelling.DidYouMean(w.Text, f.members))
			f.problems.Suggest(w.Text, spelling.Nearest(w.Text, f.members))
		}
	}
	return by
}
