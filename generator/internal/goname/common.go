package goname

import (
	"cmp"
	"slices"
	"strings"
)

// Common returns the words that several names have in common, with _ between them, empty if there are none: those at their
// ends, or one of the names that is in all others. The word Result at an end does not count, and plurals count as what
// they are of.
func Common(names []string) string {
	var all [][]string
	for _, name := range names {
		all = append(all, Words(strings.TrimSuffix(name, "Result")))
	}
	shortest := slices.MinFunc(all, func(a, b []string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(len(strings.Join(a, "")), len(strings.Join(b, ""))), slices.Compare(a, b))
	})
	for from := range shortest {
		run := shortest[from:]
		name := strings.Join(run, "_")
		fits := func(words []string) bool {
			if n := len(words) - len(run); sameWords(words[n:], run) {
				if end := strings.Join(words[n:], "_"); len(end) < len(name) {
					name = end // not the plural
				}
				return true
			}
			return from == 0 && contains(words, run)
		}
		if !slices.ContainsFunc(all, func(words []string) bool { return !fits(words) }) {
			return name
		}
	}
	return ""
}

func contains(words, run []string) bool {
	for i := range len(words) - len(run) { // at the end they have been looked for
		if sameWords(words[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

func sameWords(a, b []string) bool {
	return slices.EqualFunc(a, b, func(a, b string) bool {
		return strings.EqualFold(a, b) || strings.EqualFold(Singular(a), b) || strings.EqualFold(a, Singular(b))
	})
}

// Singular returns what a plural is of, as far as simple rules find it.
func Singular(word string) string {
	for _, rule := range [][2]string{{"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(word, rule[0]); ok && len(stem) > 1 {
			return stem + rule[1]
		}
	}
	return word
}
