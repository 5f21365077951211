package jsontype

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// enum returns the constants of a type of strings or integers, in the order of their declaration. Of constants with
// equal values it returns the first. It returns none if they are bits to be combined.
func (a *Analyzer) enum(n *types.Named, u *types.Basic) []*ir.EnumValue {
	if u.Info()&(types.IsString|types.IsInteger) == 0 {
		return nil
	}
	constants := a.constants(n.Obj().Pkg())[n.Obj()]
	if a.areBits(constants) {
		return nil
	}
	var out []*ir.EnumValue
	seen := make(map[string]bool)
	for _, c := range constants {
		text := literalJSON(c.Val())
		if seen[text] {
			continue
		}
		seen[text] = true
		if c.Val().Kind() == constant.String && !utf8.ValidString(constant.StringVal(c.Val())) {
			a.problems.Addf(c.Pos(), "%s is no UTF-8, so that it cannot stand in JSON", c.Name())
			continue
		}
		out = append(out, &ir.EnumValue{Const: c, JSON: text, Doc: a.pkg.Sources.Doc(c)})
	}
	return out
}

// nameValues gives the constants of a type of integers the names that callers use: the Go names in snake_case,
// without the name of the type, or its last words, as a prefix. It reports whether all have names.
func nameValues(values []*ir.EnumValue, n *types.Named) bool {
	if len(values) == 0 || values[0].Const.Val().Kind() != constant.Int {
		return false
	}
	prefix := source.Snake(n.Obj().Name()) + "_"
	for slices.ContainsFunc(values, func(v *ir.EnumValue) bool { return prefix != "" && !hasPrefix(source.Snake(v.Const.Name()), prefix) }) {
		_, prefix, _ = strings.Cut(prefix, "_")
	}
	seen := make(map[string]bool)
	for _, v := range values {
		v.Name = strings.TrimPrefix(source.Snake(v.Const.Name()), prefix)
		if seen[v.Name] {
			for _, v := range values {
				v.Name = v.Const.Name()
			}
			break
		}
		seen[v.Name] = true
	}
	return true
}

// hasPrefix reports whether a name has a prefix, and then continues with a letter.
func hasPrefix(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	r, _ := utf8.DecodeRuneInString(rest)
	return ok && unicode.IsLetter(r)
}

// areBits reports whether constants are bits to be combined: one is declared with a shift, or there are at least
// three, and all are bits.
func (a *Analyzer) areBits(constants []*types.Const) bool {
	bits := make(map[int64]bool)
	for _, c := range constants {
		v, exact := constant.Int64Val(constant.ToInt(c.Val()))
		if !exact || v&(v-1) != 0 {
			return slices.ContainsFunc(constants, a.isShifted)
		}
		if v > 0 {
			bits[v] = true
		}
	}
	return len(bits) >= 3 || slices.ContainsFunc(constants, a.isShifted)
}

// isShifted reports whether the declaration of a constant has a shift, as 1 << iota.
func (a *Analyzer) isShifted(c *types.Const) bool {
	node, _ := a.pkg.Sources.Declared(c)
	spec, ok := node.(*ast.ValueSpec)
	if !ok {
		return false
	}
	found := false
	for _, value := range spec.Values {
		ast.Inspect(value, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			found = found || ok && b.Op == token.SHL
			return !found
		})
	}
	return found
}

// constants returns the constants of a package by their types, in the order of their declaration.
func (a *Analyzer) constants(p *types.Package) map[*types.TypeName][]*types.Const {
	if byType, ok := a.consts[p]; ok {
		return byType
	}
	byType := make(map[*types.TypeName][]*types.Const)
	for _, name := range p.Scope().Names() {
		c, ok := p.Scope().Lookup(name).(*types.Const)
		if !ok || c.Val().Kind() == constant.Unknown {
			continue
		}
		if n, ok := types.Unalias(c.Type()).(*types.Named); ok {
			byType[n.Obj()] = append(byType[n.Obj()], c)
		}
	}
	for _, constants := range byType {
		slices.SortStableFunc(constants, func(x, y *types.Const) int {
			p, q := a.pkg.Position(x.Pos()), a.pkg.Position(y.Pos())
			return cmp.Or(cmp.Compare(p.Filename, q.Filename), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
		})
	}
	a.consts[p] = byType
	return byType
}

// literalJSON writes a string, an integer or a boolean as JSON.
func literalJSON(v constant.Value) string {
	switch v.Kind() {
	case constant.String:
		return constraint.Quote(constant.StringVal(v))
	default:
		return v.ExactString()
	}
}
