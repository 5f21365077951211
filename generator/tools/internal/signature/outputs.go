package signature

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
)

func isString(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Kind() == types.String
}

// oneResult returns the type of the result of a function that has just one besides an error, or nil.
func (f *Function) oneResult(want string) types.Type {
	if n := len(f.Func.Results); n != 1 {
		f.problems.Addf(f.decl.Name.Pos(), "%s: want one result, %s, and perhaps an error; there are %s", f.Func.GoName(), want, count(n, "result"))
		return nil
	}
	t := f.sig.Results().At(0).Type()
	f.Func.Results[0].Type = protocol(t)
	return t
}

// ResourceOutput determines what the result of a resource becomes, and its media type if that follows from it.
func (f *Function) ResourceOutput() (output ir.ResourceOutput, mediaType string) {
	t := f.oneResult("string, []byte, a JSON value, []mcp.ResourceContents or *mcp.ReadResourceResult")
	switch {
	case t == nil:
	case isString(t):
		return ir.ResourceText, "text/plain"
	case types.Identical(types.Unalias(t), types.NewSlice(types.Typ[types.Byte])):
		return ir.ResourceBlob, "application/octet-stream"
	case isProtocol(t, "[]ResourceContents", "[]*ResourceContents"):
		return ir.ResourceContents, ""
	case isProtocol(t, "*ReadResourceResult", "*ReadResourceResult"):
		return ir.ResourceWhole, ""
	case isContent(t), pointerTo(t) == pathServer+".Result", named(t) == pathServer+".Result":
		f.problems.Addf(f.sig.Results().At(0).Pos(), "%s: a resource is no content of a tool; return string, []byte, a JSON value, []mcp.ResourceContents or *mcp.ReadResourceResult", f.Func.GoName())
	default:
		f.Func.Results[0].Type = f.types.Type(t, jsontype.Site{Pos: f.sig.Results().At(0).Pos(), What: f.Func.GoName() + ": result", Dir: jsontype.Out})
		return ir.ResourceJSON, "application/json"
	}
	return 0, ""
}

// PromptOutput determines what the result of a prompt becomes.
func (f *Function) PromptOutput() ir.PromptOutput {
	t := f.oneResult("string, []mcp.PromptMessage or *mcp.GetPromptResult")
	switch {
	case t == nil:
	case isString(t):
		return ir.PromptText
	case isProtocol(t, "[]PromptMessage", "[]*PromptMessage"):
		return ir.PromptMessages
	case isProtocol(t, "*GetPromptResult", "*GetPromptResult"):
		return ir.PromptWhole
	default:
		f.problems.Addf(f.sig.Results().At(0).Pos(), "%s: a prompt is a string, []mcp.PromptMessage or *mcp.GetPromptResult, not %s", f.Func.GoName(), f.pkg.TypeString(t))
	}
	return 0
}

// Completion checks that the function suggests values, and determines which of its parameters are the text so far and
// the other arguments.
func (f *Function) Completion() {
	value, wrong := false, false
	for i, p := range f.Func.Params {
		t := types.Unalias(p.Go)
		switch {
		case p.Injected != ir.NotInjected:
		case isString(t) && !value:
			p.Injected, value = ir.Value, true
		case types.Identical(t, types.NewMap(types.Typ[types.String], types.Typ[types.String])):
			p.Injected = ir.Settled
		default:
			wrong = true
			f.problems.Addf(f.sig.Params().At(i).Pos(), "%s: a completion takes the text so far, a string, and perhaps the other arguments, a map[string]string; not %s", f.Func.GoName(), f.pkg.TypeString(t))
		}
	}
	if !value && !wrong {
		f.problems.Addf(f.decl.Name.Pos(), "%s: a completion takes the text so far, a string", f.Func.GoName())
	}
	if t := f.oneResult("[]string"); t != nil && !types.Identical(types.Unalias(t), types.NewSlice(types.Typ[types.String])) {
		f.problems.Addf(f.sig.Results().At(0).Pos(), "%s: a completion returns []string, not %s", f.Func.GoName(), f.pkg.TypeString(t))
	}
}

func protocol(t types.Type) *ir.Type { return &ir.Type{Kind: ir.Protocol, Go: t} }
