package goapi

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A Change is a difference between two versions of a package.
type Change struct {
	Kind string `json:"kind"` // added, removed or changed
	Name string `json:"name"` // such as Tool, or Tool.Name for a field or method
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`

	// Breaks says why code that uses the package may not compile, or mean something else; empty if it does not.
	Breaks string `json:"breaks,omitempty"`
}

// Compare returns how a package changed, in order of the names. Fields and methods of types that only one version
// has, or that became another kind of declaration, do not count.
func Compare(older, newer *API) []Change {
	names := maps.Clone(older.decls)
	maps.Copy(names, newer.decls)
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, inOld := older.decls[name]
		b, inNew := newer.decls[name]
		if of := cmp.Or(a.of, b.of); older.decls[of].text != newer.decls[of].text {
			continue
		}
		switch {
		case !inOld:
			ch := Change{Kind: "added", Name: name, New: b.text}
			_, helped := newer.decls["Unimplemented"+b.of]
			if b.must && !helped {
				ch.Breaks = "what implements " + b.of + " lacks it"
			}
			changes = append(changes, ch)
		case !inNew:
			changes = append(changes, Change{Kind: "removed", Name: name, Old: a.text, Breaks: "it is gone"})
		case a.text != b.text:
			changes = append(changes, Change{Kind: "changed", Name: name, Old: a.text, New: b.text, Breaks: why(a, b)})
		}
	}
	return changes
}

// Retyped is the reason why a declaration with another type or signature breaks callers.
const Retyped = "its type differs"

// why describes how a declaration has changed.
func why(a, b decl) string {
	if strings.HasPrefix(a.text, "const ") {
		before, _, _ := strings.Cut(a.text, " = ")
		after, _, _ := strings.Cut(b.text, " = ")
		if before == after {
			return "it has another value"
		}
	}
	return Retyped
}
