package emit

import (
	"go/token"
	"go/types"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
)

// emitTool writes everything that belongs to one tool: its definition, what reads its arguments, the
// handler, and what writes its result.
func (g *generator) emitTool(t *ir.Tool) {
	g.pos = t.Pos
	base := g.funcName(t.Func)
	def := g.emitDefinition(base, t)
	read := g.emitRead(base, "the tool "+t.Name, t.Func, t.Input, t.Open, t.OneOf)
	handler := g.declare("mcp" + base)
	r := g.receiverOf(t.Func)
	g.addPage(r, t)
	r.kinds = append(r.kinds, "the tool "+t.Name)
	r.adds = append(r.adds, g.target.addTool(def, g.handlerOf(r, handler), t))
	g.emitHandler(handler, "the tool "+t.Name, t.Func, g.target.toolParams(), g.toolResults(), g.target.handlerType("Tool"), func(b *jen.Group) {
		g.pos = t.Pos
		g.callRead(b, read, t.Func, g.args("New").Call(g.target.rawArguments(), jen.Lit(t.Coerce)))
		if t.Confirm != nil {
			g.target.confirm(b, t)
		}
		g.callTool(b, base, t)
	})
}

// emitDefinition writes the schemas and the definition of a tool, and returns the name of that.
func (g *generator) emitDefinition(base string, t *ir.Tool) string {
	input := g.declare("mcp" + base + "Input")
	g.file.Comment("The schemas of what the tool " + t.Name + " takes and returns.")
	output := ""
	if text := schema.Output(t); text != "" {
		output = g.declare("mcp" + base + "Output")
		g.file.Const().Defs(
			jen.Id(input).Op("=").Add(literal(schema.Input(t))),
			jen.Id(output).Op("=").Add(literal(text)),
		)
	} else {
		g.file.Const().Id(input).Op("=").Add(literal(schema.Input(t)))
	}
	g.file.Line()
	def := g.declare("mcpTool" + base)
	g.file.Var().Id(def).Op("=").Add(g.mcp("Tool")).CustomFunc(multiline, func(v *jen.Group) {
		v.Id("Name").Op(":").Lit(t.Name)
		setText(v, "Title", t.Title)
		setText(v, "Description", t.Description)
		v.Id("InputSchema").Op(":").Add(g.target.raw(jen.Id(input)))
		if output != "" {
			v.Id("OutputSchema").Op(":").Add(g.target.raw(jen.Id(output)))
		}
		if t.Task != "" {
			g.target.setTask(v, t)
		}
		g.setExtras(v, &t.Extras)
		if t.ReadOnly != nil || t.Destructive != nil || t.Idempotent != nil || t.OpenWorld != nil {
			v.Id("Annotations").Op(":").Op("&").Add(g.mcp("ToolAnnotations")).CustomFunc(multiline, func(v *jen.Group) {
				g.setHint(v, "ReadOnlyHint", t.ReadOnly, g.target.hintPointers())
				g.setHint(v, "DestructiveHint", t.Destructive, true)
				g.setHint(v, "IdempotentHint", t.Idempotent, g.target.hintPointers())
				g.setHint(v, "OpenWorldHint", t.OpenWorld, true)
			})
		}
	})
	g.file.Line()
	return def
}

func setText(v *jen.Group, field, text string) {
	if text != "" {
		v.Id(field).Op(":").Add(literal(text))
	}
}

func (g *generator) setHint(v *jen.Group, field string, hint *bool, pointer bool) {
	switch {
	case hint == nil:
	case pointer:
		v.Id(field).Op(":").New(jen.Lit(*hint))
	default:
		v.Id(field).Op(":").Lit(*hint)
	}
}

// A readFunc is the function that reads the arguments of a function.
type readFunc struct {
	name string
	any  bool // there are arguments, so it returns them
}

// emitRead writes the function that reads and checks the arguments of f.
func (g *generator) emitRead(base, what string, f *ir.Func, fields []*ir.Property, open bool, oneOf [][]string) readFunc {
	defer func(pos token.Position) { g.pos = pos }(g.pos) // what is written next is about f again
	typ := g.declare("mcpType" + base)
	g.emitType(typ, "", fields, open, oneOf)
	read := readFunc{name: g.declare("mcpRead" + base)}
	a := g.id("a")
	var of *jen.Statement // what it returns
	at := g.fieldsOf(a)
	for _, p := range f.Params {
		if p.Whole != nil {
			of = g.typ(deref(p.Whole).Go)
		}
	}
	if of == nil && len(fields) > 0 {
		name := g.declare("mcp" + base + "Args")
		of = jen.Id(name)
		comment(g.file, "%s are the arguments of %s.", name, what)
		g.file.Type().Id(name).StructFunc(func(b *jen.Group) {
			for _, p := range f.Params {
				if p.Property != nil {
					b.Id(p.Name).Add(g.typ(p.Property.Type.Go))
				}
			}
		})
		g.file.Line()
		params := make(map[*ir.Property]string)
		for _, p := range f.Params {
			if p.Property != nil {
				params[p.Property] = p.Name
			}
		}
		at = func(_ *jen.Group, p *ir.Property) *jen.Statement { return a.Clone().Dot(params[p]) }
	}
	comment(g.file, "%s reads and checks the arguments of %s.", read.name, what)
	fn := g.file.Func().Id(read.name).Params(g.decoder())
	if read.any = of != nil; read.any {
		fn.Params(a.Clone().Add(of), g.id("err").Error())
	} else {
		fn.Error()
	}
	fn.BlockFunc(func(b *jen.Group) {
		g.readMembers(b, typ, "", fields, at)
		if read.any {
			b.Return(a, g.d("Finish"))
		} else {
			b.Return(g.d("Finish"))
		}
	})
	g.file.Line()
	return read
}

func deref(t *ir.Type) *ir.Type {
	for t.Kind == ir.Pointer {
		t = t.Elem
	}
	return t
}

// callRead writes the statements that read the arguments, from a decoder, or return what is wrong.
func (g *generator) callRead(b *jen.Group, read readFunc, f *ir.Func, decoder *jen.Statement) {
	call := jen.Id(read.name).Call(decoder)
	err := g.id("err")
	if !read.any {
		b.If(err.Clone().Op(":=").Add(call), err.Clone().Op("!=").Nil()).Block(jen.Return(jen.Nil(), err))
		return
	}
	a := g.id("a")
	if !usesArguments(f) {
		a = jen.Id("_")
	}
	b.List(a, err).Op(":=").Add(call)
	g.returnError(b)
}

func usesArguments(f *ir.Func) bool {
	for _, p := range f.Params {
		if p.Property != nil || p.Whole != nil {
			return true
		}
	}
	return false
}

func (g *generator) returnError(b *jen.Group) {
	b.If(g.id("err").Op("!=").Nil()).Block(jen.Return(jen.Nil(), g.id("err")))
}

// emitHandler writes a handler: a function, or one that returns it for a receiver.
func (g *generator) emitHandler(name, what string, f *ir.Func, params []jen.Code, results *jen.Statement, typ *jen.Statement, body func(*jen.Group)) {
	if f.Recv == nil {
		comment(g.file, "%s handles %s.", name, what)
		g.file.Func().Id(name).Params(params...).Add(results).BlockFunc(body)
	} else {
		r := g.receiverOf(f)
		comment(g.file, "%s returns what handles %s.", name, what)
		g.file.Func().Id(name).Params(jen.Id(g.receiverName(r)).Add(g.typ(r.typ))).Add(typ).Block(
			jen.Return(jen.Func().Params(params...).Add(results).BlockFunc(body)),
		)
	}
	g.file.Line()
}

// handlerOf is the expression for a handler.
func (g *generator) handlerOf(r *receiver, name string) *jen.Statement {
	if r.typ == nil {
		return jen.Id(name)
	}
	return jen.Id(name).Call(jen.Id(g.receiverName(r)))
}

// call is the expression that calls a function with its arguments in a.
func (g *generator) call(f *ir.Func) *jen.Statement {
	var fn *jen.Statement
	if f.Recv != nil {
		fn = jen.Id(g.receiverName(g.receiverOf(f))).Dot(f.Name)
	} else {
		fn = jen.Id(f.Name)
		if len(f.TypeArgs) > 0 {
			fn.TypesFunc(func(b *jen.Group) {
				for _, t := range f.TypeArgs {
					b.Add(g.typ(t))
				}
			})
		}
	}
	return fn.CallFunc(func(b *jen.Group) {
		for _, p := range f.Params {
			switch {
			case p.Injected != ir.NotInjected:
				b.Add(g.injected(p))
			case p.Whole != nil && p.Whole.Kind == ir.Pointer:
				b.Op("&").Add(g.id("a"))
			case p.Whole != nil:
				b.Add(g.id("a"))
			case p.Variadic:
				b.Add(g.id("a").Dot(p.Name).Op("..."))
			default:
				b.Add(g.id("a").Dot(p.Name))
			}
		}
	})
}

// injected is the value of a parameter that comes from the call.
func (g *generator) injected(p *ir.Param) *jen.Statement {
	switch p.Injected {
	case ir.Context:
		return g.id("ctx")
	case ir.Settled:
		return g.id("settled")
	}
	return g.target.fromCall(p)
}

// results writes the call of a function with one result, after which result holds it, and blocks the
// content beside it.
func (g *generator) results(b *jen.Group, f *ir.Func) {
	to := []jen.Code{g.id("result")}
	if f.Content != nil {
		to = append(to, g.id("blocks"))
	}
	if f.Error {
		b.List(append(to, g.id("err"))...).Op(":=").Add(g.call(f))
		g.returnError(b)
		return
	}
	b.List(to...).Op(":=").Add(g.call(f))
}

// areOurs checks that the results of a function that are types of the protocol are those of the target.
func (g *generator) areOurs(f *ir.Func) {
	for _, r := range f.Results {
		g.isOurs(f, r.Type.Go)
	}
}

// isOurs is areOurs for one type.
func (g *generator) isOurs(f *ir.Func, t types.Type) {
	for {
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		} else if s, ok := types.Unalias(t).(*types.Slice); ok {
			t = s.Elem()
		} else {
			break
		}
	}
	want := g.target.typesPath()
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() != want {
		g.errorf("%s returns a type of %s, but the target needs one of %s", f.Name, n.Obj().Pkg().Path(), want)
	}
}

// callTool writes the statements that call the function of a tool and return its result.
func (g *generator) callTool(b *jen.Group, base string, t *ir.Tool) {
	f, o := t.Func, &t.Output
	result := g.id("result")
	if f.Content != nil {
		g.isOurs(f, f.Content)
	}
	if o.Result {
		g.wholeResult(b, base, t)
		return
	}
	kind := o.Kind
	if o.Text && kind == ir.WrappedOutput {
		kind = ir.ObjectOutput // a text needs no object around the value
	}
	switch kind {
	case ir.NoOutput:
		if f.Error {
			err := g.id("err")
			b.If(err.Clone().Op(":=").Add(g.call(f)), err.Clone().Op("!=").Nil()).Block(jen.Return(jen.Nil(), err))
		} else {
			b.Add(g.call(f))
		}
		b.Return(g.target.textResult(jen.Lit(t.Name+": done")), jen.Nil())
	case ir.TextOutput:
		g.results(b, f)
		b.Return(g.target.textResult(g.plain(f.Results[0].Type, types.String, result)), jen.Nil())
	case ir.ContentOutput:
		g.areOurs(f)
		g.results(b, f)
		b.Return(jen.Op("&").Add(g.mcp("CallToolResult")).Values(jen.Id("Content").Op(":").Add(result)), jen.Nil())
	case ir.WholeOutput:
		g.areOurs(f)
		b.Return(g.both(f))
	case ir.ObjectOutput:
		g.results(b, f)
		ref := jen.Op("&").Add(result)
		if o.Type.Kind == ir.Pointer {
			b.If(result.Clone().Op("==").Nil()).Block(jen.Return(jen.Nil(), g.args("ErrNoResult")))
			ref = result
		}
		g.returnContent(b, t, ref, g.putElem(deref(o.Type), &none))
	case ir.StreamOutput:
		g.stream(b, t)
	default:
		g.named(b, base, t)
	}
}

// both is the call of a function whose result can be returned unchanged.
func (g *generator) both(f *ir.Func) *jen.Statement {
	if f.Error {
		return g.call(f)
	}
	return jen.List(g.call(f), jen.Nil())
}

// returnContent writes the statements that return structured content, or the same as a text.
func (g *generator) returnContent(b *jen.Group, t *ir.Tool, ref, put *jen.Statement) {
	b.List(g.id("content"), g.id("err")).Op(":=").Add(g.args("Encode")).Call(ref, put)
	g.returnError(b)
	switch {
	case t.Output.Text:
		b.Return(g.target.textResult(jen.String().Call(g.id("content"))), jen.Nil())
	case t.Func.Content != nil:
		g.target.returnBoth(b, g.id("content"), g.id("blocks"))
	default:
		b.Return(g.target.structured(g.id("content")), jen.Nil())
	}
}

// wholeResult writes the call of a function that returns a *server.Result, and what becomes of it.
func (g *generator) wholeResult(b *jen.Group, base string, t *ir.Tool) {
	o, result, content := &t.Output, g.id("result"), g.id("content")
	g.results(b, t.Func)
	b.If(result.Clone().Op("==").Nil()).Block(jen.Return(jen.Nil(), g.args("ErrNoResult")))
	output := result.Clone().Dot("Output")
	var put *jen.Statement
	switch {
	case o.Kind == ir.WrappedOutput:
		member := *o.Members[0]
		member.Go = "result"
		typ, name := g.resultType(base, t, []*ir.Property{&member})
		b.Add(g.id("output").Op(":=").Id(typ).Values(output))
		output, put = jen.Op("&").Add(g.id("output")), jen.Id(name)
	case o.Type.Kind == ir.Pointer:
		put = g.putElem(o.Type.Elem, &none)
	default:
		output, put = jen.Op("&").Add(output), g.putElem(o.Type, &none)
	}
	b.List(content, g.id("err")).Op(":=").Add(g.args("EncodeOutput")).Call(output, put, result.Clone().Dot("IsError"))
	g.returnError(b)
	g.target.returnResult(b, t.Func, result, content)
}

// resultType writes the struct of what a function returns, and what writes it.
func (g *generator) resultType(base string, t *ir.Tool, members []*ir.Property) (typ, put string) {
	typ = g.declare("mcp" + base + "Result")
	put = g.declare("mcpPut" + base + "Result")
	g.later = append(g.later, func() {
		g.pos = t.Pos
		comment(g.file, "%s is what the tool %s returns.", typ, t.Name)
		g.file.Type().Id(typ).StructFunc(func(b *jen.Group) {
			for _, m := range members {
				b.Id(m.Go).Add(g.typ(m.Type.Go))
			}
		})
		g.file.Line()
		comment(g.file, "%s writes the result of the tool %s.", put, t.Name)
		g.file.Func().Id(put).Params(g.id("v").Op("*").Id(typ), g.encoder()).BlockFunc(func(b *jen.Group) {
			g.writeObject(b, "", "", members, g.id("v"))
		})
		g.file.Line()
	})
	return typ, put
}

// named writes the call of a function whose results are the members of an object.
func (g *generator) named(b *jen.Group, base string, t *ir.Tool) {
	f, result := t.Func, g.id("result")
	members := make([]*ir.Property, len(t.Output.Members))
	for i, m := range t.Output.Members {
		members[i] = new(*m)
		if m.Go == "" || m.Go == "_" || t.Output.Kind == ir.WrappedOutput {
			members[i].Go = "result"
		}
	}
	typ, put := g.resultType(base, t, members)
	b.Var().Add(result).Id(typ)
	var to []jen.Code
	for _, r := range f.Results {
		field := jen.Id("_")
		for _, m := range members {
			if m.Go == r.Name || t.Output.Kind == ir.WrappedOutput {
				field = result.Clone().Dot(m.Go)
			}
		}
		to = append(to, field)
	}
	if f.Content != nil {
		b.Var().Add(g.id("blocks")).Add(g.typ(f.Content))
		to = append(to, g.id("blocks"))
	}
	if f.Error {
		err := g.id("err")
		if !usesArguments(f) {
			b.Var().Add(err).Error()
		}
		b.List(append(to, err)...).Op("=").Add(g.call(f))
		g.returnError(b)
	} else {
		b.List(to...).Op("=").Add(g.call(f))
	}
	g.returnContent(b, t, jen.Op("&").Add(result), jen.Id(put))
}

// stream writes the loop over what a function yields: each item is reported, and all are the result.
func (g *generator) stream(b *jen.Group, t *ir.Tool) {
	f, item, items, err := t.Func, g.id("item"), g.id("items"), g.id("err")
	elem := t.Output.Type
	next := g.id("next")
	if f.Error {
		b.List(next, err).Op(":=").Add(g.call(f))
		g.returnError(b)
	} else {
		b.Add(next.Clone().Op(":=").Add(g.call(f)))
	}
	b.If(next.Clone().Op("==").Nil()).Block(jen.Return(jen.Nil(), g.args("ErrNoResult")))
	b.Var().Add(items).Add(g.args("Stream"))
	b.Add(g.id("report").Op(":=").Add(g.target.progress()))
	b.For(jen.List(item, err).Op(":=").Range().Add(next)).BlockFunc(func(b *jen.Group) {
		g.returnError(b)
		b.If(err.Clone().Op(":=").Add(g.id("ctx")).Dot("Err").Call(), err.Clone().Op("!=").Nil()).Block(jen.Return(jen.Nil(), err))
		content, assign, message := jen.Id("_"), "=", g.plain(elem, types.String, item)
		if elem.Kind != ir.String {
			content, assign = g.id("content"), ":="
			message = jen.String().Call(content.Clone())
		}
		b.List(content, err).Op(assign).Add(g.args("Collect")).Call(jen.Op("&").Add(items), jen.Op("&").Add(item), g.putElem(elem, &none))
		g.returnError(b)
		b.If(g.id("report").Op("!=").Nil()).BlockFunc(func(b *jen.Group) {
			b.Add(g.target.reportProgress(items.Clone().Dot("Len").Call(), message))
		})
	})
	b.Add(g.id("content").Op(":=").Add(items).Dot("Result").Call())
	b.Return(g.target.structured(g.id("content")), jen.Nil())
}
