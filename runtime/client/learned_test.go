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
		bytes := 0
		for name, e := range l.byName {
			fact := e.Value.(fact[int])
			bytes += fact.bytes
			if fact.name != name || fact.bytes < len(name) {
				t.Fatalf("%s: %q is %q and counts %d", what, name, fact.name, fact.bytes)
			}
		}
		if bytes != l.bytes || bytes > maxLearnedBytes || l.order.Len() > maxLearned || len(l.byName) != l.order.Len() {
			t.Fatalf("%s: %d names, %d bytes, counted as %d, %d in order", what, len(l.byName), bytes, l.bytes, l.order.Len())
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

// The same of the schemas of outputs, of what tools say about tasks, and of headers.
func TestToolsThatAreRememberedAreBounded(t *testing.T) {
	var o outputs
	var s supports
	var m mirrors
	schema := wire.Raw(`{"description":"` + strings.Repeat("x", 100<<10) + `"}`)
	for i := range 300 {
		name := fmt.Sprint(strings.Repeat("n", 100<<10), i)
		tools := []mcp.Tool{{Name: name, OutputSchema: schema}}
		o.learn(tools)
		s.learn(tools)
		m.learn(name, []mcpheader.Param{{Header: "Mcp-Param-A", Path: []string{"a"}}})
		m.refuse(name, fmt.Errorf("%d", i))
	}
	for what, n := range map[string]int{"outputs": o.schemas.bytes, "supports": s.byTool.bytes, "mirrors": m.tools.bytes, "wrong": m.refused.bytes} {
		if n > maxLearnedBytes || n < maxLearnedBytes/2 {
			t.Errorf("%s: %d bytes are kept", what, n)
		}
	}
}
