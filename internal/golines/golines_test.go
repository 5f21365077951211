package golines

import "testing"

func TestCount(t *testing.T) {
	code, comments := Count([]byte("// Package p.\npackage p\n\n/* two\nlines */\nvar s = `a\n\nb` // said\n"))
	if code != 4 || comments != 3 {
		t.Errorf("got %d lines of code and %d of comments, want 4 and 3", code, comments)
	}
}
