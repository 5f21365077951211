package jsontype

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// endless refuses types whose values must each contain another value of the type, so that no JSON text is valid:
// null is not allowed as an element of an array.
func (a *Analyzer) endless() {
	if !a.cyclic || len(*a.problems) > 0 {
		return
	}
	var named []*ir.Type
	for dir := range a.built {
		a.built[dir].Iterate(func(_ types.Type, v any) { named = append(named, v.(*ir.Type)) })
	}
	ends := make(map[*ir.Type]bool)
	for more := true; more; {
		more = false
		for _, t := range named {
			if !ends[t] && hasValue(t, ends) {
				ends[t], more = true, true
			}
		}
	}
	slices.SortFunc(named, func(x, y *ir.Type) int { return cmp.Compare(a.firstUse[x].Pos, a.firstUse[y].Pos) })
	var found []*ir.Type
	for _, t := range named {
		if ends[t] || !t.Recursive || slices.ContainsFunc(found, func(f *ir.Type) bool { return t.Contains(f) }) {
			continue // or it is said of another one that has the same cause
		}
		found = append(found, t)
		w := a.firstUse[t]
		a.problems.Addf(w.Pos, "%s: every value of %s contains another one, without end, since null is no element of an array; use a slice in place of the array", w.What, a.pkg.TypeString(t.Go))
	}
}

// hasValue reports whether a type has a value that consists of types known to have values.
func hasValue(t *ir.Type, ends map[*ir.Type]bool) bool {
	part := func(t *ir.Type) bool { return ends[t] || t.Name == "" && hasValue(t, ends) }
	switch t.Kind {
	case ir.Pointer:
		return part(t.Elem)
	case ir.Array:
		return t.Len == 0 || part(t.Elem)
	case ir.Struct:
		return !slices.ContainsFunc(t.Fields, func(p *ir.Property) bool { return p.Required && !part(p.Type) })
	case ir.Union:
		return slices.ContainsFunc(t.Arms, func(arm *ir.Arm) bool { return part(arm.Type) })
	}
	return true
}

// markRecursive marks the types that contain themselves.
func (a *Analyzer) markRecursive() {
	if !a.cyclic {
		return
	}
	for dir := range a.built {
		a.built[dir].Iterate(func(_ types.Type, v any) {
			t := v.(*ir.Type)
			t.Recursive = t.Contains(t)
		})
	}
}
