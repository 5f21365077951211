package contract

import (
	"slices"
	"strings"
)

// oneOf compares lists of members of which exactly one must be given. A list that gains only new members breaks
// nobody.
func (c *comparer) oneOf(path string, a, b *object) {
	was, is := nameLists(a), nameLists(b)
	same := func(x, y []string) bool { return slices.Equal(x, y) }
	before := child(a, "properties")
	for _, old := range was {
		switch {
		case slices.ContainsFunc(is, func(l []string) bool { return same(l, old) }):
		case slices.ContainsFunc(is, func(l []string) bool { return grown(old, l, before) }):
			c.report(path, wider, "one more may be given in place of %s", strings.Join(old, ", "))
		default:
			c.report(path, wider, "no longer exactly one of %s", strings.Join(old, ", "))
		}
	}
	for _, list := range is {
		if !slices.ContainsFunc(was, func(old []string) bool { return same(old, list) || grown(old, list, before) }) {
			c.report(path, narrower, "exactly one of %s, and no more", strings.Join(list, ", "))
		}
	}
}

// grown reports whether a list has all names of an older one, and others that are no members before.
func grown(old, list []string, before *object) bool {
	for _, name := range old {
		if !slices.Contains(list, name) {
			return false
		}
	}
	return !slices.ContainsFunc(list, func(name string) bool { return !slices.Contains(old, name) && before.get(name) != nil })
}

// nameLists returns the lists of names, each sorted.
func nameLists(s *object) [][]string {
	var all [][]string
	lists, _ := s.get("x-go-oneof").([]any)
	for _, l := range lists {
		names, _ := l.([]any)
		var list []string
		for _, name := range names {
			if name, ok := name.(string); ok {
				list = append(list, name)
			}
		}
		slices.Sort(list)
		all = append(all, list)
	}
	return all
}
