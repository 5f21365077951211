package signature

import (
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
)

// ToolOutput determines what the results of a tool become. It comes after Arguments, which find the descriptions.
func (f *Function) ToolOutput() ir.Output {
	var o ir.Output
	where := func(i int) jsontype.Site {
		return jsontype.Site{Pos: f.sig.Results().At(i).Pos(), What: f.Func.GoName() + ": " + resultName(f, i), Dir: jsontype.Out}
	}
	f.toolOutput(&o, where)
	f.describe(&o, where)
	return o
}

// toolOutput determines what the results become by their types and names.
func (f *Function) toolOutput(o *ir.Output, where func(int) jsontype.Site) {
	if len(f.Func.Results) == 0 {
		o.Kind = ir.NoOutput
		return
	}
	f.ownContent(o)
	results := f.Func.Results
	first := f.sig.Results().At(0).Type()
	if len(results) == 1 {
		item, isStream := f.stream(first, where(0))
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
			f.problems.Addf(where(0).Pos, "%s: a sequence is the only result but for an error, since content beside it would come before its end", where(0).What)
			return
		case isStream:
			o.Kind = ir.StreamOutput
			if item == nil || f.strayContent(0, item) {
				return
			}
			o.Type = f.types.Type(item, where(0))
			results[0].Type = protocol(first)
			return
		}
	}
	if f.resultOutput(o, where) {
		return
	}
	for i := range results {
		if f.strayContent(i, f.sig.Results().At(i).Type()) {
			return
		}
	}
	namedResults := false
	for i, r := range results {
		at := where(i)
		at.Member = r.Name != ""
		r.Type = f.types.Type(f.sig.Results().At(i).Type(), at)
		namedResults = namedResults || r.Name != ""
	}
	switch {
	case namedResults:
		o.Kind = ir.NamedOutput
		for i, r := range results {
			v := f.sig.Results().At(i)
			if r.Name == "" {
				f.problems.Addf(v.Pos(), "%s: this result has no name; the others have", f.Func.GoName())
				continue
			}
			o.Members = append(o.Members, &ir.Property{
				Name: r.Name, Go: r.Name, Type: r.Type, Required: !r.Type.MayBeAbsent(), Pos: f.pkg.Position(v.Pos()),
			})
		}
	case len(results) > 1:
		names := make([]string, len(results))
		for i := range results {
			names[i] = string(rune('a'+i%26)) + " " + f.pkg.TypeString(f.sig.Results().At(i).Type())
		}
		if f.Func.Error {
			names = append(names, "err error")
		}
		f.problems.Addf(f.sig.Results().At(1).Pos(), "%s: several results need names, which the model reads: (%s)", f.Func.GoName(), strings.Join(names, ", "))
	default:
		f.oneOutput(first, results[0].Type, where(0), o)
	}
}

// ownContent removes content that follows other results.
func (f *Function) ownContent(o *ir.Output) {
	last := len(f.Func.Results) - 1
	t := f.sig.Results().At(last).Type()
	if last > 0 && isProtocol(t, "[]ContentBlock", "[]Content") {
		f.Func.Content, f.Func.Results, o.Content = t, f.Func.Results[:last], true
	}
}

// resultOutput determines what a *server.Result becomes, and reports whether there is one.
func (f *Function) resultOutput(o *ir.Output, where func(int) jsontype.Site) bool {
	for i := range f.Func.Results {
		t := f.sig.Results().At(i).Type()
		if named(t) == pathServer+".Result" || pointerTo(t) == pathServer+".Result" && (len(f.Func.Results) > 1 || o.Content) {
			f.problems.Addf(where(i).Pos, "%s: %s: a tool returns a *server.Result with nothing beside it but an error", f.Func.GoName(), f.pkg.TypeString(t))
			return true
		}
	}
	t := f.sig.Results().At(0).Type()
	if pointerTo(t) != pathServer+".Result" {
		return false
	}
	output := types.Unalias(types.Unalias(t).(*types.Pointer).Elem()).(*types.Named).TypeArgs().At(0)
	if f.strayContent(0, output) {
		return true
	}
	if _, isStream := f.stream(output, where(0)); isStream {
		f.problems.Addf(where(0).Pos, "%s: a sequence is the only result but for an error, since content beside it would come before its end", where(0).What)
		return true
	}
	o.Result, o.Content = true, true
	f.Func.Results[0].Type = protocol(t)
	f.oneOutput(output, f.types.Type(output, where(0)), where(0), o)
	return true
}

// oneOutput determines what the only, unnamed result of a tool becomes; t is its type.
func (f *Function) oneOutput(result types.Type, t *ir.Type, at jsontype.Site, o *ir.Output) {
	elem := t
	if t.Kind == ir.Pointer {
		elem = t.Elem
	}
	basic, isBasic := result.(*types.Basic)
	isText := isBasic && basic.Kind() == types.String
	switch {
	case isText && o.Content:
		f.problems.Addf(at.Pos, "%s: a string is content, as is what stands beside it; put it there as a block of text, or return it as a member of a struct", at.What)
	case isText:
		o.Kind = ir.TextOutput
	case elem.Kind == ir.Struct, t.Kind == ir.Map:
		o.Kind = ir.ObjectOutput
		o.Type = t
	default:
		o.Kind = ir.WrappedOutput
		o.Type = t
		o.Members = []*ir.Property{{Name: "result", Type: t, Required: t.Kind != ir.Pointer, Pos: f.pkg.Position(at.Pos)}}
	}
}

func resultName(f *Function, i int) string {
	if name := f.Func.Results[i].Name; name != "" {
		return "result " + name
	}
	return "result"
}

// strayContent adds problems for content of the protocol in places where it cannot be returned.
func (f *Function) strayContent(i int, t types.Type) bool {
	if !isContent(t) {
		return false
	}
	list := "[]mcp.ContentBlock"
	if strings.Contains(typeShape(t), pathGoSDK) {
		list = "[]mcp.Content"
	}
	f.problems.Addf(f.sig.Results().At(i).Pos(), "%s: %s: a tool returns content as %s, alone or behind its other results, or as *mcp.CallToolResult, alone", f.Func.GoName(), f.pkg.TypeString(t), list)
	return true
}

// stream returns T of iter.Seq2[T, error], and whether a type is a sequence at all.
func (f *Function) stream(t types.Type, where jsontype.Site) (types.Type, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	switch {
	case !ok || n.TypeArgs().Len() != n.Origin().TypeParams().Len():
		return nil, false
	case named(n) == "iter.Seq":
		f.problems.Addf(where.Pos, "%s: %s cannot fail; return an iter.Seq2[%s, error]", where.What, f.pkg.TypeString(t), f.pkg.TypeString(n.TypeArgs().At(0)))
		return nil, true
	case named(n) == "iter.Seq2":
		if !isError(n.TypeArgs().At(1)) {
			f.problems.Addf(where.Pos, "%s: the second type of a sequence is error, as in iter.Seq2[%s, error]", where.What, f.pkg.TypeString(n.TypeArgs().At(0)))
			return nil, true
		}
		return n.TypeArgs().At(0), true
	}
	return nil, false
}
