package server

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

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
