package main

import (
	"errors"
	"io/fs"
	"strings"
)

// checkCode checks the rows that code says it implements, by the same comments as in tests. They show
// nothing by themselves: internal/mutate changes that code, and sees whether the tests notice.
func (d *document) checkCode(repository fs.FS) error {
	var wrong problems
	err := walk(repository, func(name string, src []byte) {
		if !strings.HasSuffix(name, ".go") || commentsOf(name) != nil || strings.Contains(name, "testdata/") ||
			strings.HasPrefix(name, "internal/requirements/") || strings.HasPrefix(name, "internal/mutate/") { // which explain the comments
			return
		}
		for line, text := range goComments(src) {
			at := place{name, line}
			ids, err := cited(text)
			if err != nil {
				wrong.add(at, "%v", err)
			}
			for _, id := range ids {
				if d.rows[id] == nil {
					wrong.add(at, "%s", d.unknown(id))
				}
			}
		}
	})
	return errors.Join(err, wrong.err())
}
