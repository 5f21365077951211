package client

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server that always has new tools makes the client remember no more than so many, and so much.
func TestLearnedIsBounded(t *testing.T) {
	var l learned[int]
	check := func(what string) {
		t.Helper()
		if l.kept.Size() > maxLearnedBytes || l.kept.Len() > maxLearned {
			t.Fatalf("%s: %d names, %d bytes", what, l.kept.Len(), l.kept.Size())
		}
	}
	for i := range 3 * maxLearned {
		l.put(fmt.Sprint(i), i, 1)
		if i%7 == 0 {
			l.drop(fmt.Sprint(i / 2))
			l.put(fmt.Sprint(i), i, 2)
		}
	}
	check("many")
	if v, ok := l.get(fmt.Sprint(3*maxLearned - 1)); !ok || v != 3*maxLearned-1 {
		t.Error("the newest is not known")
	}
	if _, ok := l.get("0"); ok {
		t.Error("the oldest is known")
	}
	for i := range 40 {
		l.put(fmt.Sprint("large", i), i, 1<<20)
		check("large")
	}
	l.put("huge", 1, 1<<30)
	check("huge")
	if _, ok := l.get("large39"); !ok {
		t.Error("what could not be kept took the place of what was")
	}
	if _, ok := l.get("huge"); ok {
		t.Error("what is larger than the bound is kept")
	}
}

// The same of the schemas of outputs, and of headers.
func TestToolsThatAreRememberedAreBounded(t *testing.T) {
	c := new(Client)
	schema := wire.Raw(`{"description":"` + strings.Repeat("x", 100<<10) + `"}`)
	for i := range 300 {
		name := fmt.Sprint(strings.Repeat("n", 100<<10), i)
		tools := []mcp.Tool{{Name: name, OutputSchema: schema}}
		c.learnOutputs(tools)
		c.mirrors.learn(name, []mcpheader.Param{{Header: "Mcp-Param-A", Path: []string{"a"}}})
		c.mirrors.refuse(name, fmt.Errorf("%d", i))
	}
	for what, n := range map[string]int{
		"outputs": c.outputs.kept.Size(), "mirrors": c.mirrors.tools.kept.Size(), "wrong": c.mirrors.refused.kept.Size(),
	} {
		if n > maxLearnedBytes || n < maxLearnedBytes/2 {
			t.Errorf("%s: %d bytes are kept", what, n)
		}
	}
}
