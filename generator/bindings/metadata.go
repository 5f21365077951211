package bindings

import (
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/model"
)

// emitKeys writes constants for the keys that the protocol defines in metadata: keys of members, and keys of types.
func (g *generator) emitKeys() {
	metadata := map[string]bool{} // names of its types
	for _, t := range g.types {
		for _, m := range t.Expr.Members {
			if m.Always {
				metadata[m.Type.Name] = true
			}
		}
	}
	keys := map[string]string{} // key → what it is
	for _, t := range g.types {
		if t.Key != "" {
			keys[t.Key] = "the key of " + t.Name
		}
		for _, m := range t.Expr.Members {
			if metadata[t.Name] || strings.Contains(m.Name, "/") {
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
}

// emitMetaResults writes an interface by which the metadata of results can be completed without knowing their
// types, and its methods on every type whose metadata is that of the protocol's basic result.
func (g *generator) emitMetaResults() {
	basic := g.schema.Type("Result")
	if !g.isMetaResult(basic) {
		return
	}
	f, meta := g.file("results"), jen.Op("*").Add(g.goType(metaOf(basic).Type))
	if g.schema.Extension == "" {
		g.declare("MetaResult", "the interface of results with metadata")
		say(f, "A MetaResult is a result with the metadata that every result may have.")
		f.Type().Id("MetaResult").Interface(
			jen.Qual(wirePath, "Encodable"),
			jen.Comment("ResultMeta returns the metadata, nil if there is none."),
			jen.Id("ResultMeta").Params().Add(meta),
			jen.Comment("WithMeta returns a copy of the result, with other metadata. What it holds is shared."),
			jen.Id("WithMeta").Params(meta).Qual(wirePath, "Encodable"),
		)
	}
	for _, t := range g.types {
		if g.isMetaResult(t) {
			emitMetaResult(f, goname.Type(t.Name), goname.Field(metaOf(t).Name), meta)
		}
	}
}

// metaOf returns the member of a type for metadata, nil if there is none or it is required.
func metaOf(t *model.Type) *model.Member {
	for _, m := range t.Expr.Members {
		if m.Always && m.Optional {
			return m
		}
	}
	return nil
}

// isMetaResult reports whether a type has the metadata of the protocol's basic result.
func (g *generator) isMetaResult(t *model.Type) bool {
	basic := g.schema.Type("Result")
	if basic == nil {
		return false
	}
	of, own := metaOf(basic), metaOf(t)
	return of != nil && own != nil && own.Type.Name == of.Type.Name && g.shapeOf(of.Type).kind == structShape
}

// emitMetaResult writes the methods of the interface for one type; meta is the type of its field.
func emitMetaResult(f *jen.File, name, field string, meta *jen.Statement) {
	f.Comment("ResultMeta returns the metadata of v, nil if there is none.")
	f.Func().Params(jen.Id("v").Op("*").Id(name)).Id("ResultMeta").Params().Add(meta).Block(jen.Return(jen.Id("v").Dot(field)))
	f.Comment("WithMeta returns a copy of v with other metadata. What it holds is shared.")
	f.Func().Params(jen.Id("v").Op("*").Id(name)).Id("WithMeta").Params(jen.Id("meta").Add(meta)).Qual(wirePath, "Encodable").Block(
		jen.Id("c").Op(":=").Op("*").Id("v"),
		jen.Id("c").Dot(field).Op("=").Id("meta"),
		jen.Return(jen.Op("&").Id("c")),
	)
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
}
