package client

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server that always has new tools makes the client remember no more than so many, and so much.
func TestKnownToolsAreBounded(t *testing.T) {
	var k knownTools
	small := knownTool{headers: []mcpheader.Param{{Header: "Mcp-Param-A", Path: []string{"a"}}}}
	check := func(what string) {
		t.Helper()
		if k.kept.Size() > maxToolBytes || k.kept.Len() > maxTools {
			t.Fatalf("%s: %d names, %d bytes", what, k.kept.Len(), k.kept.Size())
		}
	}
	known := func(name string) bool { return len(k.get(name).headers) > 0 || k.get(name).output != nil }
	for i := range 3 * maxTools {
		k.put(fmt.Sprint(i), small)
		if i%7 == 0 {
			k.put(fmt.Sprint(i/2), knownTool{})
			k.put(fmt.Sprint(i), small)
		}
	}
	check("many")
	if !known(fmt.Sprint(3*maxTools - 1)) {
		t.Error("the newest is not known")
	}
	if known("0") {
		t.Error("the oldest is known")
	}
	schema := wire.Raw(strings.Repeat("x", 1<<20))
	for i := range 40 {
		k.put(fmt.Sprint("large", i), knownTool{output: schema})
		check("large")
	}
	k.put("huge", knownTool{output: make(wire.Raw, maxToolBytes+1)})
	check("huge")
	if !known("large39") {
		t.Error("what could not be kept took the place of what was")
	}
	if known("huge") {
		t.Error("what is larger than the bound is kept")
	}
	long := knownTool{headers: []mcpheader.Param{{Header: "Mcp-Param-A", Path: []string{strings.Repeat("p", 1<<20)}}}}
	for i := range 40 {
		k.put(fmt.Sprint("long", i), long)
		check("long headers")
	}
	for i := range 300 {
		k.put(fmt.Sprint(strings.Repeat("n", 100<<10), i), small)
		check("long names")
	}
}

// What lists say of tools is remembered, and what they no longer say is not.
func TestLearnTools(t *testing.T) {
	c := &Client{opts: Options{CheckOutput: func(context.Context, wire.Raw, wire.Raw) error { return nil }}}
	c.learnTools(&mcp.ListToolsResult{Tools: []mcp.Tool{{Name: "t", OutputSchema: wire.Raw(`{}`)}}})
	if c.tools.get("t").output == nil {
		t.Error("the output schema is not known")
	}
	c.learnTools(&mcp.ListToolsResult{Tools: []mcp.Tool{{Name: "t"}}})
	if c.tools.get("t").output != nil {
		t.Error("a tool without a schema has one")
	}
}
