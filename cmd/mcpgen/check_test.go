package main

import (
	"testing"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/generator/tools"
)

// TestAdvice names the next release where callers of a release break, and the code has not its version yet.
func TestAdvice(t *testing.T) {
	breaking := []tools.PlacedChange{{Change: tools.Change{Text: "removed"}}, {Change: tools.Change{Text: "removed", Breaking: true}}}
	release := func(version string) *base { return &base{ref: "HEAD", lock: &tools.Release{Version: version}} }
	for _, test := range []struct {
		name   string
		base   *base
		review tools.LockReview
		want   string
	}{
		{"the same", release("1.4.0"), tools.LockReview{Version: "1.4.0", Changes: breaking}, "1.4.0 was released, and its callers break: the next release must be 2.0.0"},
		{"a minor one", release("1.4.0"), tools.LockReview{Version: "1.5.0", Changes: breaking}, "1.4.0 was released, and its callers break: the next release must be 2.0.0"},
		{"of a tag", &base{ref: "orders/v11.0.1", lock: &tools.Release{}}, tools.LockReview{Changes: breaking}, "v11.0.1 was released, and its callers break: the next release must be 12.0.0"},
		{"a major one", release("1.4.0"), tools.LockReview{Version: "2.0.0", Changes: breaking}, ""},
		{"nothing breaks", release("1.4.0"), tools.LockReview{Version: "1.4.0", Changes: breaking[:1]}, ""},
		{"unstable", release("1.4.0"), tools.LockReview{Version: "1.4.0", Changes: breaking, Unstable: true}, ""},
		{"of version 0", release("0.4.0"), tools.LockReview{Version: "0.4.0", Changes: breaking}, ""},
		{"no release", &base{}, tools.LockReview{Version: "1.4.0", Changes: breaking}, ""},
		{"a branch", &base{ref: "main", lock: &tools.Release{}}, tools.LockReview{Changes: breaking}, ""},
		{"a number", &base{ref: "2", lock: &tools.Release{}}, tools.LockReview{Changes: breaking}, ""},
		{"a word with a dot", &base{ref: "next.1", lock: &tools.Release{}}, tools.LockReview{Changes: breaking}, ""},
	} {
		want := test.want
		if want != "" {
			want = "mcp.lock.json: " + want + "\n"
		}
		if got := (&lock{name: "mcp.lock.json", review: &test.review}).advice(test.base); got != want {
			t.Errorf("%s: got %q, want %q", test.name, got, want)
		}
	}
}

// TestCheckEdits shows no differences that would be whole files.
func TestCheckEdits(t *testing.T) {
	changes := []output.Change{{Path: "new.go", New: []byte("new\n")}, {Path: "gone.go", Old: []byte("gone\n")}}
	if got := edits(changes); got != "" {
		t.Errorf("got\n%s", got)
	}
	const want = "--- a.go\n+++ a.go\n@@ -1 +1 @@\n-one\n+two\n"
	if got := edits(append(changes, output.Change{Path: "a.go", Old: []byte("one\n"), New: []byte("two\n")})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
