package bindings

import (
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/model"
)

// emitKeys writes constants for the keys that the protocol defines in metadata: those of members, which are
// the ones with a prefix, and those of types.
func (g *generator) emitKeys() {
	keys := map[string]string{} // key → what it is
	for _, t := range g.types {
		if t.Key != "" {
			keys[t.Key] = "the key of " + t.Name
		}
		for _, m := range t.Expr.Members {
			if strings.Contains(m.Name, "/") {
				keys[m.Name] = "the key " + m.Name
			}
		}
	}
	if len(keys) == 0 {
		return
	}
	f := g.file("metadata")
	f.Comment("Keys of metadata, such as that of a request.")
	f.Const().DefsFunc(func(d *jen.Group) {
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			name := "Key" + goname.Field(key)
			g.declare(name, keys[key])
			d.Id(name).Op("=").Lit(key)
		}
	})
	f.Line()
}

// emitMetaResults writes how the metadata of results is completed without knowing their types: an
// interface, and its methods on every result whose metadata is that of the protocol's basic result.
func (g *generator) emitMetaResults(ms []*method) {
	const meta = "_meta"
	basic := g.schema.Type("Result")
	if basic == nil || metaOf(basic, meta) == "" {
		return
	}
	of := g.schema.Type(metaOf(basic, meta))
	s := g.shapeOf(&model.Expr{Kind: model.Ref, Name: of.Name})
	if s.kind != structShape {
		return
	}
	f := g.file("results")
	if g.schema.Extension == "" {
		g.declare("MetaResult", "the interface of results with metadata")
		say(f, "A MetaResult is a result with the metadata that every result may have.")
		f.Type().Id("MetaResult").Interface(
			jen.Qual(wirePath, "Encodable"),
			jen.Comment("ResultMeta returns the metadata, nil if there is none."),
			jen.Id("ResultMeta").Params().Op("*").Add(g.typeOf(s)),
			jen.Comment("WithMeta returns a copy of the result, with other metadata. What it holds is shared."),
			jen.Id("WithMeta").Params(jen.Op("*").Add(g.typeOf(s))).Qual(wirePath, "Encodable"),
		)
		f.Line()
	}
	done := map[string]bool{}
	for _, m := range ms {
		for _, r := range m.Results {
			t := g.schema.Type(r.Name)
			for t.Expr.Kind == model.Ref {
				t = g.schema.Type(t.Expr.Name)
			}
			if done[t.Name] || g.schema.IsImported(t) || metaOf(t, meta) != of.Name {
				continue
			}
			done[t.Name] = true
			g.emitMetaResult(f, goname.Type(t.Name), s)
		}
	}
}

// metaOf returns the name of the type that a member of a struct has if it may be absent, else "".
func metaOf(t *model.Type, member string) string {
	for _, m := range t.Expr.Members {
		if m.Name == member && m.Optional && m.Type.Kind == model.Ref {
			return m.Type.Name
		}
	}
	return ""
}

func (g *generator) emitMetaResult(f *jen.File, name string, s shape) {
	field := jen.Id("v").Dot(goname.Field("_meta"))
	f.Comment("ResultMeta returns the metadata of v, nil if there is none.")
	f.Func().Params(jen.Id("v").Op("*").Id(name)).Id("ResultMeta").Params().Op("*").Add(g.typeOf(s)).Block(jen.Return(field))
	f.Line()
	f.Comment("WithMeta returns a copy of v with other metadata. What it holds is shared.")
	f.Func().Params(jen.Id("v").Op("*").Id(name)).Id("WithMeta").Params(jen.Id("meta").Op("*").Add(g.typeOf(s))).Qual(wirePath, "Encodable").Block(
		jen.Id("c").Op(":=").Op("*").Id("v"),
		jen.Id("c").Dot(goname.Field("_meta")).Op("=").Id("meta"),
		jen.Return(jen.Op("&").Id("c")),
	)
	f.Line()
}

// emitHeaders writes constants for the headers of HTTP.
func (g *generator) emitHeaders() {
	if len(g.schema.Headers) == 0 {
		return
	}
	f := g.file("http")
	f.Comment("Headers of HTTP requests and responses, in the canonical form of package net/http.")
	f.Const().DefsFunc(func(d *jen.Group) {
		for _, h := range g.schema.Headers {
			name := "Header" + goname.Camel(strings.TrimPrefix(h.Name, "Mcp-"))
			g.declare(name, "the header "+h.Name)
			text := name + " carries " + h.Doc
			if when := g.inWords(g.schema.Revisions, h.Revs); when != "" {
				text += "; it exists " + when
			}
			say(d, text+".")
			d.Id(name).Op("=").Lit(h.Name)
		}
	})
	f.Line()
}
