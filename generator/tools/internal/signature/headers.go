package signature

import (
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// headers checks that headers are unique in a tool, and that each is on a property whose value can be found: not
// inside a list, a map, a union or a recursive type.
func (f *Function) headers(properties []*ir.Property) {
	names := make(map[string]string)
	seen := make(map[*ir.Type]bool)
	var visit func(t *ir.Type, fixed bool)
	check := func(ps []*ir.Property, fixed bool) {
		for _, p := range ps {
			if p.Header != "" {
				lower := strings.ToLower(p.Header)
				other, twice := names[lower]
				switch {
				case !fixed:
					f.problems.Addf(f.decl.Name.Pos(), "%s: the header %s of %s belongs to a list, a map, a union or a recursive type, where its value has no fixed place", f.Func.GoName(), p.Header, p.Go)
				case twice:
					f.problems.Addf(f.decl.Name.Pos(), "%s: %s and %s have the same header %s", f.Func.GoName(), other, p.Go, p.Header)
				}
				names[lower] = p.Go
			}
			visit(p.Type, fixed)
		}
	}
	headed := make(withHeaders)
	visit = func(t *ir.Type, fixed bool) {
		if seen[t] || !headed.in(t) {
			return
		}
		seen[t] = true
		defer delete(seen, t)
		switch t.Kind {
		case ir.Struct:
			check(t.Fields, fixed && !t.Contains(t))
		case ir.Pointer, ir.Option:
			visit(t.Elem, fixed)
		default:
			for _, part := range t.Parts() {
				visit(part, false)
			}
		}
	}
	check(properties, true)
}

// withHeaders finds the types with properties that are repeated in headers.
type withHeaders map[*ir.Type]bool

// in reports whether t, or something in it, has a property with a header. It looks at each type once.
func (h withHeaders) in(t *ir.Type) bool {
	if known, ok := h[t]; ok {
		return known
	}
	h[t] = false // a type within itself has none that another part of it has not
	for _, f := range t.Fields {
		if f.Header != "" {
			h[t] = true
			return true
		}
	}
	for _, p := range t.Parts() {
		if h.in(p) {
			h[t] = true
		}
	}
	return h[t]
}
