package server

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[2,{"c":{},"d":"x"}]}`, ` { "b" : [2, {"d":"\u0078", "c":{ }}], "a" : 1 } `, true},
		{`[{"a":{"b":{"c":1,"d":2}}}]`, `[{"a":{"b":{"d":2,"c":1}}}]`, true},
		{`[9007199254740993]`, `[9007199254740992]`, false},
		{`{"a:b":"\":"}`, `{"\u0061:b":"\u0022:"}`, true},
		{`{"a":{"b":1},"c":2}`, `{"a":{"b":1,"c":2}}`, false},
		{`{"a":{"b":{}}}`, `{"a":{"b":[]}}`, false},
		{`[[],{}]`, `[[{}]]`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":"1"}`, `{"a":1}`, false},
		{`{"":{"a":1}}`, `{"a":{"":1}}`, false},
		{`{"a":1,"a":2}`, `{"a":2,"a":1}`, false},       // which of the two counts is the reader's choice
		{`{"a":{"x":1,"x":1}}`, `{"a":{"x":1}}`, false}, // in whatever depth
	} {
		if same := bytes.Equal(canonical(wire.Raw(c.a)), canonical(wire.Raw(c.b))); same != c.same {
			t.Errorf("%s and %s: same is %v", c.a, c.b, same)
		}
	}
}

// The arguments are not looked at if the server did not make the requestState.
//
// REQ MRTR-11
func TestForeignStateIsCheap(t *testing.T) {
	s := asker(t, nil)
	params := wire.Raw(`{"name":"ask","requestState":"` + strings.Repeat("A", 100) + `","arguments":{"b":"` + strings.Repeat("x", 4<<20) + `","a":1}}`)
	c := newClient(t, s, mcp.V2026_07_28, allCaps)
	least := uint64(math.MaxUint64) // others may allocate meanwhile
	for range 5 {
		r := c.Request("tools/call", string(params))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := c.session.ServeRequest(context.Background(), r)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "requestState was not made for this request") {
			t.Errorf("the error is %v", err)
		}
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if least > 1<<20 {
		t.Errorf("%d bytes are allocated, want 1 MiB at most", least)
	}
}
