package tools

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// An Opaque type has its own methods to read or write JSON, and nothing says what that JSON is. Its schema is {},
// which tells a model nothing.
type Opaque struct {
	Type   string   // with the name of its package
	Advice string   // the directive that would say what it is, and its place
	Tools  []string // which take or return it
}

// Opaque returns the types whose schemas are empty, by name.
func (p *Package) Opaque() []Opaque {
	byType := make(map[string]*Opaque)
	for _, t := range p.ir.Tools {
		seen := make(map[*ir.Type]bool)
		add := func(of *ir.Type) {
			name := types.TypeString(of.Go, (*types.Package).Name)
			o := byType[name]
			if o == nil {
				o = &Opaque{Type: name, Advice: p.schemaAdvice(of.Go)}
				byType[name] = o
			}
			if !slices.Contains(o.Tools, t.Name) {
				o.Tools = append(o.Tools, t.Name)
			}
		}
		for _, properties := range [][]*ir.Property{t.Input, t.Output.Members} {
			for _, property := range properties {
				opaque(property.Type, seen, add)
			}
		}
		opaque(t.Output.Type, seen, add)
	}
	var all []Opaque
	for _, o := range byType {
		all = append(all, *o)
	}
	slices.SortFunc(all, func(a, b Opaque) int { return cmp.Compare(a.Type, b.Type) })
	return all
}

// opaque calls f with each opaque type that a type contains.
func opaque(t *ir.Type, seen map[*ir.Type]bool, f func(*ir.Type)) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	if t.Kind == ir.JSON && t.Schema == "" {
		f(t)
	}
	opaque(t.Elem, seen, f)
	for _, p := range t.Fields {
		opaque(p.Type, seen, f)
	}
	for _, arm := range t.Arms {
		opaque(arm.Type, seen, f)
	}
}

// schemaAdvice returns advice on giving a type a schema by a directive.
func (p *Package) schemaAdvice(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	pkg := n.Obj().Pkg()
	if pkg == p.ir.Types {
		return fmt.Sprintf(`//mcp:schema {"type":"string"} or its like above type %s`, n.Obj().Name())
	}
	qualifier := pkg.Path()
	if slices.Contains(p.ir.Types.Imports(), pkg) {
		qualifier = pkg.Name()
	}
	return fmt.Sprintf(`//mcp:schema for=%s.%s {"type":"string"} or its like above the package clause`, qualifier, n.Obj().Name())
}
