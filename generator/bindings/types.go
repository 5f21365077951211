package bindings

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/model"
)

// emitType writes a type and its codec.
func (g *generator) emitType(t *model.Type) {
	name := goname.Type(t.Name)
	g.declare(name, "type "+t.Name)
	f := g.typeFile(t)
	f.Line() // a type may have no comment, before which gofmt would put it
	s := g.shapeOf(t.Expr)
	if t.Expr.Kind == model.Literal && s.kind == stringShape {
		s.enum = literalEnum(t)
	}
	switch {
	case t.Expr.Kind == model.Ref:
		comment(f, g.typeDoc(name, t))
		f.Type().Id(name).Op("=").Add(g.goType(t.Expr))
	case s.kind == structShape:
		g.emitStruct(f, t)
		return
	case s.kind == unionShape:
		g.emitUnion(f, &union{Type: t, name: name})
		return
	case s.enum != nil:
		g.emitEnum(f, t, name, s.enum)
	case s.kind == mapShape || s.kind == sliceShape || s.kind == manyShape:
		comment(f, g.typeDoc(name, t))
		f.Type().Id(name).Add(g.typeOf(s))
		g.emitJSONMethods(f, name)
		g.emitNamedCodec(g.codecFile(t), name, s)
	case s.kind == stringShape:
		comment(f, g.typeDoc(name, t))
		f.Type().Id(name).String()
	default: // a name for something that Go has already
		comment(f, g.typeDoc(name, t))
		f.Type().Id(name).Op("=").Add(g.typeOf(s))
	}
}

// emitStruct writes a struct with its getters and codec.
func (g *generator) emitStruct(f *jen.File, t *model.Type) {
	st := g.structOf(t)
	comment(f, g.typeDoc(st.name, t))
	f.Type().Id(st.name).StructFunc(func(s *jen.Group) {
		for _, fd := range st.fields {
			switch {
			case fd.name != "":
				comment(s, g.fieldDoc(t, fd))
				s.Id(fd.name).Add(g.fieldType(fd))
			case fd.came != "":
				say(s, fd.came+" reports whether the member "+fd.Name+" was present, whose value is always "+literalWord(fd.Type)+". It matters at [wire.Any] alone: a revision that has the member always gets it.")
				s.Id(fd.came).Bool()
			}
		}
		if slices.ContainsFunc(st.fields, func(fd *field) bool { return fd.name+fd.came != "" }) {
			s.Line()
		}
		s.Comment("// Extra holds the members that no known revision declares, in their order.")
		s.Id("Extra").Qual(wirePath, "Extra")
	})
	g.emitLimits(f, st)
	g.emitGetters(f, st)
	g.emitMarkers(f, st)
	g.emitJSONMethods(f, st.name)

	c := g.codecFile(t)
	g.emitDescription(c, st)
	g.emitEncode(c, st)
	g.emitDecode(c, st)
}

// emitJSONMethods writes the methods by which encoding/json handles a type. MarshalJSON has a
// value receiver, so that it serves values inside of other structs as well.
func (g *generator) emitJSONMethods(f *jen.File, name string) {
	say(f, "MarshalJSON returns the JSON text of v with everything that it holds, whatever the revision.")
	f.Func().Params(jen.Id("v").Id(name)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).Block(
		jen.Return(jen.Qual(wirePath, "Marshal").Call(jen.Qual(wirePath, "Any"), jen.Op("&").Id("v"))),
	)
	say(f, "UnmarshalJSON sets v to what data holds, of any revision. Its errors are those of [wire.Decode].")
	f.Func().Params(jen.Id("v").Op("*").Id(name)).Id("UnmarshalJSON").Params(jen.Id("data").Index().Byte()).Error().Block(
		jen.Return(jen.Qual(wirePath, "Decode").Call(jen.Id("data"), jen.Id("v"))),
	)
}

// emitLimits writes constants for how many items members may have.
func (g *generator) emitLimits(f *jen.File, st *structType) {
	for _, fd := range st.fields {
		if fd.MaxItems == "" || fd.name == "" {
			continue
		}
		if _, err := strconv.Atoi(fd.MaxItems); err != nil {
			g.errorf("%s.%s: the largest number of items is %q, which is no integer", st.Type.Name, fd.Name, fd.MaxItems)
			continue
		}
		name := "Max" + st.name + fd.name
		g.declare(name, "the limit of "+st.Type.Name+"."+fd.Name)
		say(f, name+" is how many items ["+st.name+"."+fd.name+"] may have.")
		f.Const().Id(name).Op("=").Op(fd.MaxItems)
	}
}

// emitGetters writes a method for each field that is absent by nil or has a documented default.
func (g *generator) emitGetters(f *jen.File, st *structType) {
	for _, fd := range st.fields {
		if !fd.hasGetter() {
			continue
		}
		absent, word := zeroValue(fd.shape)
		if fd.Default != nil {
			absent, word = literalCode(fd.Default), literalWord(fd.Default)
		}
		say(f, "Get"+fd.name+" returns "+fd.name+", or "+word+" if it is absent.")
		value := jen.Id("v").Dot(fd.name)
		present := jen.Id("v").Op("!=").Nil().Op("&&").Add(presence(fd))
		if fd.pointer {
			value = jen.Op("*").Add(value)
		}
		f.Func().Params(jen.Id("v").Op("*").Id(st.name)).Id("Get"+fd.name).Params().Add(g.typeOf(fd.shape)).Block(
			jen.If(present).Block(jen.Return(value)),
			jen.Return(absent),
		)
	}
}

func zeroValue(s shape) (code jen.Code, word string) {
	switch s.kind {
	case stringShape:
		return jen.Lit(""), `""`
	case boolShape:
		return jen.False(), "false"
	}
	return jen.Lit(0), "0"
}

// presence is the condition that the field holds a value.
func presence(f *field) *jen.Statement {
	v := jen.Id("v").Dot(f.name)
	switch {
	case f.pointer:
		return v.Op("!=").Nil()
	case f.shape.kind == stringShape:
		return v.Op("!=").Lit("")
	case f.shape.kind == idShape || f.shape.kind == base64Shape:
		return jen.Op("!").Add(v).Dot("IsZero").Call()
	case f.shape.kind == rawShape:
		return jen.Len(v).Op(">").Lit(0)
	}
	return v.Op("!=").Nil()
}
