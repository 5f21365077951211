package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/godoc"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// emitRegister writes the functions that register: one for functions, one for each type with methods,
// and the one that makes a server.
func (g *generator) emitRegister() {
	g.sortReceivers()
	var calls, params []jen.Code
	for _, r := range g.receivers {
		if len(r.adds) == 0 {
			continue // functions that complete alone: these are no part of registering
		}
		name, args := g.registerName(r), []jen.Code{g.id("s")}
		in := []jen.Code{g.id("s").Op("*").Add(g.target.serverType())}
		if r.typ != nil {
			v := g.receiverName(r)
			in = append(in, jen.Id(v).Add(g.typ(r.typ)))
			args = append(args, jen.Id(v))
			params = append(params, jen.Id(v).Add(g.typ(r.typ)))
		}
		for line := range strings.SplitSeq(godoc.Text(name+" adds "+list(r.kinds)+" to s.", nil), "\n") {
			g.file.Comment(godoc.Line(line))
		}
		f := g.file.Func().Id(name).Params(in...)
		g.target.register(f, r.adds)
		g.file.Line()
		calls = append(calls, jen.Id(name).Call(args...))
	}
	g.target.emitCompletions()
	if g.pkg.Server != nil {
		g.emitNewServer(calls, params)
	}
}

// registerName is the name of the function that registers what a receiver offers.
func (g *generator) registerName(r *receiver) string {
	name := "Register" + r.name
	if r.typ == nil {
		name = g.pkg.Register
	}
	g.declareExported(name)
	return name
}

// declareExported claims the name of a function for users of the package.
func (g *generator) declareExported(name string) {
	if g.taken[name] {
		g.errorf("the generated function %s would have the name of something that the package declares", name)
	}
	g.taken[name] = true
}

// join is the first of several errors, or all of them.
func (g *generator) join(errs []jen.Code) *jen.Statement {
	if len(errs) == 1 {
		return jen.Add(errs[0])
	}
	return g.std("errors", "Join").Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, errs...)
}

// emitNewServer writes the function that makes a server of everything.
func (g *generator) emitNewServer(calls, params []jen.Code) {
	server, name := g.pkg.Server, "NewServer"
	g.pos = server.Pos
	g.declareExported(name)
	opts, own := g.id("opts"), g.id("o")
	comment(g.file, "%s returns a server that offers everything that this package annotates. Opts may be nil.", name)
	options := g.target.optionsType()
	params = append(params, opts.Clone().Op("*").Add(options.Clone()))
	g.file.Func().Id(name).Params(params...).Add(g.target.newServerResults()).BlockFunc(func(b *jen.Group) {
		var set []jen.Code
		if server.Instructions != "" {
			field := own.Clone().Dot("Instructions")
			set = append(set, jen.If(field.Clone().Op("==").Lit("")).Block(field.Clone().Op("=").Add(literal(server.Instructions))))
		}
		set = append(set, g.target.setOptions(own)...)
		if len(set) > 0 {
			b.Var().Add(own).Add(options.Clone())
			b.If(opts.Clone().Op("!=").Nil()).Block(own.Clone().Op("=").Op("*").Add(opts))
			for _, statement := range set {
				b.Add(statement)
			}
			opts = jen.Op("&").Add(own)
		}
		info := g.mcp("Implementation").ValuesFunc(func(v *jen.Group) {
			v.Id("Name").Op(":").Lit(server.Name)
			setText(v, "Title", server.Title)
			setText(v, "Version", server.Version)
			setText(v, "Description", server.Description)
			setText(v, "WebsiteURL", server.Website)
			g.setExtras(v, &ir.Extras{Icons: server.Icons})
		})
		g.target.newServer(b, info, opts, calls)
	})
	g.file.Line()
}

// list joins words as a sentence does.
func list(words []string) string {
	switch n := len(words); n {
	case 0:
		return "what there is"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}
