package bindings

import "github.com/dave/jennifer/jen"

// emitProtocol writes the methods of the protocol: their table, and for each side the handlers,
// the dispatcher and the typed calls.
func (g *generator) emitProtocol() {
	ms := g.methods()
	if len(ms) == 0 {
		return
	}
	g.emitCapabilities(g.file("methods"), ms)
	g.emitMethods(g.file("methods"), ms)
	g.emitNameParam(g.file("methods"), ms)
	g.emitSide(g.file("server"), server, ms)
	g.emitSide(g.file("client"), client, ms)
	g.emitInput(ms)
	g.emitResult(g.file("server"))
	g.emitMetaResults()
}

// emitResult writes the function that converts the result of any handler to that of a dispatcher.
func (g *generator) emitResult(f *jen.File) {
	f.Line()
	f.Func().Id("result").Types(jen.Id("T").Qual(wirePath, "Encodable")).Params(jen.Id("v").Id("T"), jen.Err().Error()).Params(
		jen.Qual(wirePath, "Encodable"), jen.Error(),
	).Block(
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Id("v"), jen.Nil()),
	)
}
