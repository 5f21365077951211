package emit

import (
	"go/types"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// present is the condition for writing a member, nil if it is always written.
func (g *generator) present(p *ir.Property, v, value *jen.Statement) *jen.Statement {
	var all []*jen.Statement
	for step, at := range steps(p, v) {
		if step.Pointer {
			all = append(all, at.Clone().Op("!=").Nil())
		}
	}
	pointer := p.Type.Kind == ir.Pointer && !p.Required
	if pointer {
		all = append(all, value.Clone().Op("!=").Nil())
	}
	if p.Type.Kind == ir.Option {
		return joinBy("&&", append(all, jen.Op("!").Add(value.Clone()).Dot("IsZero").Call()))
	}
	var filled *jen.Statement // which it is not if it is zero, either, as Go has it
	if p.OmitEmpty && !pointer {
		if filled = notEmpty(p.Type.Go, value); filled != nil {
			all = append(all, filled)
		}
	}
	switch {
	case p.OmitZero && g.hasIsZero(p.Type.Go):
		if _, ok := p.Type.Go.Underlying().(*types.Interface); ok && filled == nil {
			all = append(all, value.Clone().Op("!=").Nil())
		}
		all = append(all, jen.Op("!").Add(value.Clone()).Dot("IsZero").Call())
	case p.OmitZero && !pointer && filled == nil:
		all = append(all, g.notZero(p.Type.Go, value))
	}
	return joinBy("&&", all)
}

// joinBy joins conditions, nil if there are none.
func joinBy(op string, all []*jen.Statement) *jen.Statement {
	var condition *jen.Statement
	for _, s := range all {
		if condition == nil {
			condition = s
		} else {
			condition.Op(op).Add(s)
		}
	}
	return condition
}

// hasIsZero reports whether a type has a method IsZero, as omitzero uses it.
func (g *generator) hasIsZero(t types.Type) bool {
	m, _, _ := types.LookupFieldOrMethod(t, true, g.pkg.Types, "IsZero")
	f, ok := m.(*types.Func)
	return ok && f.Signature().Params().Len() == 0 && f.Signature().Results().Len() == 1 &&
		types.Identical(f.Signature().Results().At(0).Type(), types.Typ[types.Bool])
}

// notEmpty is the condition of omitempty, nil if values of that type are never empty.
func notEmpty(t types.Type, value *jen.Statement) *jen.Statement {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return notZeroBasic(t, u, value)
	case *types.Slice, *types.Map:
		return jen.Len(value.Clone()).Op(">").Lit(0)
	case *types.Interface, *types.Pointer:
		return value.Clone().Op("!=").Nil()
	case *types.Array:
		if u.Len() == 0 {
			return jen.False()
		}
	}
	return nil
}

// notZeroBasic returns the condition that a value is not zero, for a type whose underlying type is b.
func notZeroBasic(t types.Type, b *types.Basic, value *jen.Statement) *jen.Statement {
	switch {
	case b.Info()&types.IsBoolean != 0 && types.Unalias(t) != b:
		return jen.Bool().Parens(value.Clone())
	case b.Info()&types.IsBoolean != 0:
		return value.Clone()
	case b.Info()&types.IsString != 0:
		return value.Clone().Op("!=").Lit("")
	}
	return value.Clone().Op("!=").Lit(0)
}

// notZero is the condition of omitzero for a type without IsZero.
func (g *generator) notZero(t types.Type, value *jen.Statement) *jen.Statement {
	if strings.HasPrefix(types.TypeString(t, nil), wirePath+".Option[") {
		return jen.Op("!").Add(value.Clone()).Dot("IsZero").Call()
	}
	if types.TypeString(t, nil) == "math/big.Int" {
		return value.Clone().Dot("Sign").Call().Op("!=").Lit(0)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return notZeroBasic(t, u, value)
	case *types.Struct:
		if !types.Comparable(t) {
			return jen.Id(g.notZeroFunc(t)).Call(jen.Op("&").Add(value.Clone()))
		}
		return value.Clone().Op("!=").Parens(g.typ(t).Values())
	case *types.Array:
		if !types.Comparable(t) {
			return jen.Id(g.notZeroFunc(t)).Call(jen.Op("&").Add(value.Clone()))
		}
		return value.Clone().Op("!=").Parens(g.typ(t).Values())
	}
	return value.Clone().Op("!=").Nil()
}

// notZeroFunc returns the name of the function that reports whether a value that Go cannot compare is not zero.
func (g *generator) notZeroFunc(t types.Type) string {
	return g.functionFor("NotZero", typeName(t), types.TypeString(t, nil), func(name string) {
		v := g.id("v")
		comment(g.file, "%s reports whether a value is not the zero value.", name)
		g.file.Func().Id(name).Params(v.Clone().Op("*").Add(g.typ(t))).Bool().BlockFunc(func(b *jen.Group) {
			if a, ok := t.Underlying().(*types.Array); ok {
				k := g.id("k")
				b.For(k.Clone().Op(":=").Range().Add(v.Clone())).Block(
					jen.If(g.notZero(a.Elem(), v.Clone().Index(k))).Block(jen.Return(jen.True())),
				)
				b.Return(jen.False())
				return
			}
			var all []*jen.Statement
			for f := range t.Underlying().(*types.Struct).Fields() {
				switch {
				case f.Name() == "_":
				case !f.Exported() && f.Pkg().Path() != g.pkg.Path:
					g.errorf("omitzero: generated code cannot see whether the field %s of %s is zero; use a pointer to that type", f.Name(), t)
					return
				default:
					all = append(all, g.notZero(f.Type(), v.Clone().Dot(f.Name())))
				}
			}
			b.Return(joinBy("||", all))
		})
		g.file.Line()
	})
}
