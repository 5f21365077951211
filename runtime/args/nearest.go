package args

import "strings"

// maxName is how long names may be that are compared letter by letter.
const maxName = 64

// nearest returns the member that name is probably a misspelling of, or the empty string if there is none.
func nearest(name string, members []Member) string {
	if len(name) > maxName {
		return ""
	}
	best, at := "", far // half of a short name must be the same, too
	plain := fold(name)
	for i := range members {
		m := members[i].Name
		if len(m) > maxName {
			continue
		}
		if n := distance(plain, fold(m)); n < at && 2*n <= len(m) {
			best, at = m, n
		}
	}
	return best
}

// fold makes names equal that differ only in case and separators.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// far is a distance beyond which names are not similar.
const far = 3

// distance returns how many letters must be inserted, deleted, replaced or swapped with their neighbor to turn a
// into b, or far if there are more than two, so that only the cells near the diagonal of the table matter.
func distance(a, b string) int {
	if max(len(a), len(b))-min(len(a), len(b)) >= far {
		return far
	}
	var rows [3][maxName + 2]int
	for j := range min(len(b), far) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, last, before := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		first := max(i-far, 0)
		row[first] = far
		if first == 0 {
			row[0] = i
		}
		for j := first + 1; j <= min(i+far, len(b)); j++ {
			above := far
			if j < i+far {
				above = last[j] + 1
			}
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			row[j] = min(above, row[j-1]+1, last[j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return min(rows[len(a)%3][len(b)], far)
}
