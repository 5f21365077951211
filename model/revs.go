package model

import "slices"

// Has reports whether r is in the set.
func (s Revs) Has(r string) bool { return slices.Contains(s, r) }

// HasAll reports whether every revision of t is in s.
func (s Revs) HasAll(t Revs) bool {
	for _, r := range t {
		if !s.Has(r) {
			return false
		}
	}
	return true
}

// with returns the union of both sets.
func (s Revs) with(t Revs) Revs {
	if s.HasAll(t) {
		return s
	}
	u := append(slices.Clone(s), t...)
	slices.Sort(u)
	return slices.Compact(u)
}

// within returns what both sets have.
func (s Revs) within(t Revs) Revs {
	return slices.DeleteFunc(slices.Clone(s), func(r string) bool { return !t.Has(r) })
}
