package output

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diff shows changes as unified diffs, by at most limit lines.
func Diff(changes []Change, limit int) string {
	var b strings.Builder
	for _, c := range changes {
		path := filepath.ToSlash(c.Path)
		from, to := path, path
		if c.Old == nil {
			from = "/dev/null"
		}
		if c.New == nil {
			to = "/dev/null"
		}
		b.WriteString(udiff.Unified(from, to, string(c.Old), string(c.New)))
	}
	return Bound(b.String(), limit)
}

// Bound cuts a text off after limit lines, and says how many are left out.
func Bound(text string, limit int) string {
	lines := slices.Collect(strings.Lines(text))
	rest := len(lines) - limit
	switch {
	case rest <= 0:
		return text
	case rest == 1:
		return strings.Join(lines[:limit], "") + "… and 1 more line\n"
	}
	return strings.Join(lines[:limit], "") + fmt.Sprintf("… and %d more lines\n", rest)
}
