package jsontype

import (
	"go/types"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// typeName gives a named type a name that no other has, and that is an identifier: Page[Item] is
// PageOfItem.
func (a *Analyzer) typeName(n *types.Named) string {
	base := plainName(n)
	name := base
	if other, ok := a.taken[name]; ok && !types.Identical(other, n) && n.Obj().Pkg() != nil {
		base = source.Exported(n.Obj().Pkg().Name()) + base
		name = base
	}
	for i := 2; ; i++ {
		other, ok := a.taken[name]
		if !ok || types.Identical(other, n) {
			a.taken[name] = n
			return name
		}
		name = base + strconv.Itoa(i)
	}
}

// plainName returns an identifier that says what a type is. Other types may have the same one.
func plainName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name := t.Obj().Name()
		for i := range t.TypeArgs().Len() {
			join := "And"
			if i == 0 {
				join = "Of"
			}
			name += join + source.Exported(plainName(t.TypeArgs().At(i)))
		}
		return name
	case *types.Basic:
		return t.Name()
	case *types.Pointer:
		return plainName(t.Elem())
	case *types.Slice:
		return "ListOf" + source.Exported(plainName(t.Elem()))
	case *types.Array:
		return "ArrayOf" + source.Exported(plainName(t.Elem()))
	case *types.Map:
		return "MapOf" + source.Exported(plainName(t.Elem()))
	}
	return "Value"
}
