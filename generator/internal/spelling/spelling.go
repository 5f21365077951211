// Package spelling finds the name that was probably meant.
package spelling

import (
	"strings"
	"unicode"
)

// Nearest returns the candidate that differs least from a name, or "" if none is near. A third of the letters, but
// at least one, may be wrong. Case, _ and - do not count. Of equally near candidates the first wins.
func Nearest(name string, candidates []string) string {
	const maxLength = 64 // what is longer is no misspelling
	if len(name) > maxLength {
		return ""
	}
	plain := fold(name)
	best, least := "", max(1, len(plain)/3)+1
	for _, c := range candidates {
		if len(c) > maxLength {
			continue
		}
		if d := distance(plain, fold(c)); d < least && d < max(len(plain), len(c)) {
			best, least = c, d
		}
	}
	return best
}

// DidYouMean returns "; did you mean x?" for the nearest candidate, or "" if none is near.
func DidYouMean(name string, candidates []string) string {
	if best := Nearest(name, candidates); best != "" {
		return "; did you mean " + best + "?"
	}
	return ""
}

func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// distance counts how many bytes must be inserted, deleted, replaced or swapped with their
// neighbour to make b of a.
func distance(a, b string) int {
	var before []int // two rows up
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
