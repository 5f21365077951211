package model

import "slices"

// deref follows references to their types, as far as these are known.
func (s *Schema) deref(e *Expr) *Expr {
	for range maxChain {
		t := s.byName[e.Name]
		if e.Kind != Ref || t == nil || t.Expr == nil {
			break
		}
		e = t.Expr
	}
	return e
}

// aliasCycles finds aliases that lead back to themselves: each path begins and ends with the same name. References
// inside objects and arrays do not count. It also returns a path of maxChain names, whatever its end.
func (s *Schema) aliasCycles() [][]string {
	var cycles [][]string
	var path []string
	at := map[string]int{} // index in path, done if it is on none
	const done = -1
	var visit func(name string)
	var inside func(e *Expr)
	inside = func(e *Expr) {
		switch e.Kind {
		case Ref:
			visit(e.Name)
		case Nullable, OneOrMany:
			inside(e.Elem)
		case Union:
			for _, a := range e.Arms {
				inside(a.Expr)
			}
		}
	}
	visit = func(name string) {
		i, seen := at[name]
		switch t := s.byName[name]; {
		case seen && i != done:
			cycles = append(cycles, append(slices.Clone(path[i:]), name))
		case !seen && t != nil && t.Expr != nil:
			at[name] = len(path)
			path = append(path, name)
			if len(path) < maxChain {
				inside(t.Expr)
			} else {
				cycles = append(cycles, slices.Clone(path))
			}
			path = path[:len(path)-1]
			at[name] = done
		}
	}
	for _, t := range s.Types {
		visit(t.Name)
	}
	return cycles
}
