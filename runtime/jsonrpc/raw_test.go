package jsonrpc_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ JRPC-01: what is passed on as raw JSON and is none cannot break a message, or add to it.
func TestAppendChecksRawValues(t *testing.T) {
	const before = "before"
	for _, raw := range []wire.Raw{wire.Raw(`{},"id":9`), wire.Raw(`{}},"x":{`), wire.Raw(`{"a":`)} {
		params := &mcp.CallToolRequestParams{Name: "t", Arguments: raw}
		if out, err := jsonrpc.AppendRequest([]byte(before), wire.Any, wire.IntID(1), "tools/call", params, nil); err == nil || string(out) != before {
			t.Errorf("a request: %s, %v", out, err)
		}
		if out, err := jsonrpc.AppendNotification([]byte(before), wire.Any, "x/y", params, nil); err == nil || string(out) != before {
			t.Errorf("a notification: %s, %v", out, err)
		}
	}
}
