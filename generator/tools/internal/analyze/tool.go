package analyze

import (
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
)

// tool analyzes a function as a tool.
func (a *analyzer) tool(f *function, d *directive.Directive) {
	t := &ir.Tool{Func: f.fn, Pos: a.pkg.Position(d.Pos()), Open: d.Has("open"), Coerce: !d.Has("strict")}
	t.Name = a.offerName(d, f.fn)
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
	f.oneOf = d.Get("oneof") != nil
	f.members = f.memberNames()
	t.Input = a.arguments(f, true)
	t.Open = t.Open || f.open
	t.Title, t.Description = f.title, f.description
	a.oneOf(f, d, t)
	a.output(f, &t.Output)
	a.headers(f, t.Input)
	a.guards(f, d, t)
	t.Extras = a.extras(f.notes)
	t.Silences = f.silences
	a.out.Tools = append(a.out.Tools, t)
	a.offers = append(a.offers, offer{"tool name", t.Name, "name= gives another", f.fn, d.Pos()})
}

// hint returns the value of a hint that is set by either of two flags.
func hint(d *directive.Directive, yes, no string) *bool {
	switch {
	case d.Has(yes):
		return new(true)
	case no != "" && d.Has(no):
		return new(false)
	}
	return nil
}

// output determines what the results of a tool become.
func (a *analyzer) output(f *function, o *ir.Output) {
	where := func(i int) jsontype.Site {
		return jsontype.Site{Pos: f.sig.Results().At(i).Pos(), What: f.fn.GoName() + ": " + resultName(f, i), Dir: jsontype.Out}
	}
	a.outputKind(f, o, where)
	a.results(f, o, where)
}

// outputKind is output without what directives say.
func (a *analyzer) outputKind(f *function, o *ir.Output, where func(int) jsontype.Site) {
	if len(f.fn.Results) == 0 {
		o.Kind = ir.NoOutput
		return
	}
	a.ownContent(f, o)
	results := f.fn.Results
	first := f.sig.Results().At(0).Type()
	if len(results) == 1 {
		item, isStream := a.stream(first, where(0))
		switch {
		case isProtocol(first, "[]ContentBlock", "[]Content") && !o.Content:
			o.Kind = ir.ContentOutput
			results[0].Type = protocol(first)
			return
		case isProtocol(first, "*CallToolResult", "*CallToolResult") && !o.Content:
			o.Kind = ir.WholeOutput
			results[0].Type = protocol(first)
			return
		case isStream && o.Content:
			a.problems.Addf(where(0).Pos, "%s: a sequence is the only result but for an error, since content beside it would come before its end", where(0).What)
			return
		case isStream:
			o.Kind = ir.StreamOutput
			if item == nil || a.strayContent(f, 0, item) {
				return
			}
			o.Type = a.types.Type(item, where(0))
			results[0].Type = protocol(first)
			return
		}
	}
	if a.resultOutput(f, o, where) {
		return
	}
	for i := range results {
		if a.strayContent(f, i, f.sig.Results().At(i).Type()) {
			return
		}
	}
	namedResults := false
	for i, r := range results {
		r.Type = a.types.Type(f.sig.Results().At(i).Type(), where(i))
		namedResults = namedResults || r.Name != ""
	}
	switch {
	case namedResults:
		o.Kind = ir.NamedOutput
		for i, r := range results {
			v := f.sig.Results().At(i)
			if r.Name == "" {
				a.problems.Addf(v.Pos(), "%s: this result has no name; the others have", f.fn.GoName())
				continue
			}
			o.Members = append(o.Members, &ir.Property{
				Name: r.Name, Go: r.Name, Type: r.Type, Required: r.Type.Kind != ir.Pointer, Pos: a.pkg.Position(v.Pos()),
			})
		}
	case len(results) > 1:
		names := make([]string, len(results))
		for i := range results {
			names[i] = string(rune('a'+i%26)) + " " + a.pkg.TypeString(f.sig.Results().At(i).Type())
		}
		if f.fn.Error {
			names = append(names, "err error")
		}
		a.problems.Addf(f.sig.Results().At(1).Pos(), "%s: several results need names, which the model reads: (%s)", f.fn.GoName(), strings.Join(names, ", "))
	default:
		a.oneOutput(first, results[0].Type, where(0), o)
	}
}

// ownContent removes content that follows other results.
func (a *analyzer) ownContent(f *function, o *ir.Output) {
	last := len(f.fn.Results) - 1
	t := f.sig.Results().At(last).Type()
	if last > 0 && isProtocol(t, "[]ContentBlock", "[]Content") {
		f.fn.Content, f.fn.Results, o.Content = t, f.fn.Results[:last], true
	}
}

// resultOutput determines what a *server.Result becomes, and reports whether there is one.
func (a *analyzer) resultOutput(f *function, o *ir.Output, where func(int) jsontype.Site) bool {
	for i := range f.fn.Results {
		t := f.sig.Results().At(i).Type()
		if named(t) == pathServer+".Result" || pointerTo(t) == pathServer+".Result" && (len(f.fn.Results) > 1 || o.Content) {
			a.problems.Addf(where(i).Pos, "%s: %s: a tool returns a *server.Result with nothing beside it but an error", f.fn.GoName(), a.pkg.TypeString(t))
			return true
		}
	}
	t := f.sig.Results().At(0).Type()
	if pointerTo(t) != pathServer+".Result" {
		return false
	}
	output := types.Unalias(types.Unalias(t).(*types.Pointer).Elem()).(*types.Named).TypeArgs().At(0)
	if a.strayContent(f, 0, output) {
		return true
	}
	if _, isStream := a.stream(output, where(0)); isStream {
		a.problems.Addf(where(0).Pos, "%s: a sequence is the only result but for an error, since content beside it would come before its end", where(0).What)
		return true
	}
	o.Result, o.Content = true, true
	f.fn.Results[0].Type = protocol(t)
	a.oneOutput(output, a.types.Type(output, where(0)), where(0), o)
	return true
}

// oneOutput determines what the only, unnamed result of a tool becomes; t is its type.
func (a *analyzer) oneOutput(result types.Type, t *ir.Type, at jsontype.Site, o *ir.Output) {
	elem := t
	if t.Kind == ir.Pointer {
		elem = t.Elem
	}
	basic, isBasic := result.(*types.Basic)
	isText := isBasic && basic.Kind() == types.String
	switch {
	case isText && o.Content:
		a.problems.Addf(at.Pos, "%s: a string is content, as is what stands beside it; put it there as a block of text, or return it as a member of a struct", at.What)
	case isText:
		o.Kind = ir.TextOutput
	case elem.Kind == ir.Struct, t.Kind == ir.Map:
		o.Kind = ir.ObjectOutput
		o.Type = t
	default:
		o.Kind = ir.WrappedOutput
		o.Type = t
		o.Members = []*ir.Property{{Name: "result", Type: t, Required: t.Kind != ir.Pointer, Pos: a.pkg.Position(at.Pos)}}
	}
}

func resultName(f *function, i int) string {
	if name := f.fn.Results[i].Name; name != "" {
		return "result " + name
	}
	return "result"
}

func protocol(t types.Type) *ir.Type { return &ir.Type{Kind: ir.Protocol, Go: t} }

// strayContent adds problems for content of the protocol in places where it cannot be returned.
func (a *analyzer) strayContent(f *function, i int, t types.Type) bool {
	if !isContent(t) {
		return false
	}
	list := "[]mcp.ContentBlock"
	if strings.Contains(typeShape(t), pathGoSDK) {
		list = "[]mcp.Content"
	}
	a.problems.Addf(f.sig.Results().At(i).Pos(), "%s: %s: a tool returns content as %s, alone or behind its other results, or as *mcp.CallToolResult, alone", f.fn.GoName(), a.pkg.TypeString(t), list)
	return true
}

// stream returns T of iter.Seq2[T, error], and whether a type is a sequence at all.
func (a *analyzer) stream(t types.Type, where jsontype.Site) (types.Type, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	switch {
	case !ok || n.TypeArgs().Len() != n.Origin().TypeParams().Len():
		return nil, false
	case named(n) == "iter.Seq":
		a.problems.Addf(where.Pos, "%s: %s cannot fail; return an iter.Seq2[%s, error]", where.What, a.pkg.TypeString(t), a.pkg.TypeString(n.TypeArgs().At(0)))
		return nil, true
	case named(n) == "iter.Seq2":
		if !isError(n.TypeArgs().At(1)) {
			a.problems.Addf(where.Pos, "%s: the second type of a sequence is error, as in iter.Seq2[%s, error]", where.What, a.pkg.TypeString(n.TypeArgs().At(0)))
			return nil, true
		}
		return n.TypeArgs().At(0), true
	}
	return nil, false
}
