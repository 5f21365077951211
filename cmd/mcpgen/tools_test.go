package main

import (
	"errors"
	"go/token"
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

// TestOld names generated files beside mistakes, each once.
func TestOld(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a", "b", "c"} {
		write(t, name+"/mcp_gen.go", tools.Mark+"; DO NOT EDIT.\n")
	}
	write(t, "own/mcp_gen.go", "package own\n")
	in := func(names ...string) error {
		var list tools.ErrorList
		for _, name := range names {
			list = append(list, &tools.Error{Pos: token.Position{Filename: name, Line: 1}, Msg: "wrong"})
		}
		return list
	}
	for _, test := range []struct {
		mistakes failures
		want     string
	}{
		{failures{errors.New("other"), in("", "none/x.go", "own/x.go")}, ""},
		{failures{in("a/x.go", "a/y.go"), in("own/x.go")}, "a/mcp_gen.go was not regenerated, and may not fit the code until the mistakes are fixed"},
		{failures{in("b/x.go"), in("a/x.go", "c/x.go", "b/y.go")}, "b/mcp_gen.go and 2 more were not regenerated, and may not fit the code until the mistakes are fixed"},
	} {
		got := ""
		if err := old(test.mistakes); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%v: got %q, want %q", test.mistakes, got, test.want)
		}
	}
}
