package main

import (
	"strings"
	"testing"
)

// What cannot be read, because of the marks of a merge for example, is no reason to show nothing.
func TestReviewUnreadable(t *testing.T) {
	good := map[string][]byte{"a.go": []byte("package a\n\ntype A int\n")}
	bad := map[string][]byte{"a.go": []byte("package a\n<<<<<<< HEAD\n")}
	for _, note := range []string{reviewGo(bad, good).Note, reviewWire(bad, good).Note} {
		if !strings.HasPrefix(note, "The code that is there cannot be read: a.go:2:1: ") {
			t.Errorf("got %q", note)
		}
	}
	if got := reviewGo(map[string][]byte{}, good); got.Note != "1 changed, 0 of them incompatible." || len(got.Subjects) != 1 {
		t.Errorf("got %+v", got)
	}
}
