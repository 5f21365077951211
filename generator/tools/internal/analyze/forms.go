package analyze

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"
)

// asker is the package of the function Form, by which a package asks its users for structs.
const asker = "github.com/mcpgen/mcpgen/runtime/server/ask"

// forms analyzes the types that the package asks its users for.
func (a *analyzer) forms() {
	seen := make(map[types.Type]bool)
	for _, name := range slices.SortedFunc(maps.Keys(a.pkg.Info.Instances), func(x, y *ast.Ident) int { return cmp.Compare(x.Pos(), y.Pos()) }) {
		f, ok := a.pkg.Info.Uses[name].(*types.Func)
		if !ok || f.Pkg() == nil || f.Pkg().Path() != asker || f.Name() != "Form" || !a.pkg.Has(name.Pos()) {
			continue
		}
		if t := types.Unalias(a.pkg.Info.Instances[name].TypeArgs.At(0)); !seen[t] && !generic(t) {
			seen[t] = true
			if f := a.types.Form(t, name.Pos()); f != nil {
				a.out.Forms = append(a.out.Forms, f)
			}
		}
	}
}

// generic reports whether a type is not known until its function is instantiated.
func generic(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if generic(arg) {
				return true
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if generic(f.Type()) {
				return true
			}
		}
	case interface{ Elem() types.Type }: // pointers, slices, arrays, maps
		return generic(t.Elem())
	}
	return false
}
