package main

import (
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// TestKept names each entry once, and does not name hundreds.
func TestKept(t *testing.T) {
	breaking := func(names ...string) *tools.LockReview {
		r := &tools.LockReview{Broken: true}
		for _, name := range names {
			r.Changes = append(r.Changes, tools.PlacedChange{Change: tools.Change{Kind: "tool", Name: name, Breaking: true}})
		}
		return r
	}
	accepted := breaking("a", "b")
	accepted.Changes[0].Accepted = true
	compatible := breaking("a", "b")
	compatible.Changes[1].Breaking = false
	for _, test := range []struct {
		review *tools.LockReview
		want   string
	}{
		{breaking("a"), "tool a"},
		{breaking("a", "a", "b"), "tool a, tool b"},
		{accepted, "tool b"},
		{compatible, "tool a"},
		{breaking("a", "b", "c", "d", "e"), "tool a, tool b, tool c, tool d, tool e"},
		{breaking("a", "b", "c", "d", "e", "f", "g"), "tool a, tool b, tool c, tool d, tool e and 2 more"},
	} {
		if got := kept(test.review); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}
