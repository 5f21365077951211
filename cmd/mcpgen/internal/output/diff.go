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

// Summary describes changes in a few words: it names up to two files, and counts more.
func Summary(changes []Change) string {
	if len(changes) == 0 {
		return "unchanged"
	}
	var written, removed []string
	for _, c := range changes {
		if c.New == nil {
			removed = append(removed, filepath.Base(c.Path))
		} else {
			written = append(written, filepath.Base(c.Path))
		}
	}
	var parts []string
	for _, part := range []struct {
		files []string
		done  string
	}{{written, "written"}, {removed, "removed"}} {
		switch n := len(part.files); {
		case n > 2:
			parts = append(parts, fmt.Sprintf("%d %s", n, part.done))
		case n > 0:
			parts = append(parts, strings.Join(part.files, " and ")+" "+part.done)
		}
	}
	return strings.Join(parts, ", ")
}

// Bound cuts off a text after limit lines, and says how many are left out.
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
