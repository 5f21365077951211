package server

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
)

// A key is replaced while several processes serve, one of which is always a step behind: all of them open the state
// that any of them has sealed.
//
// REQ MRTR-11
func TestStateKeysRotate(t *testing.T) {
	old, young := []byte("0123456789abcdef0123456789abcdef"), []byte("fedcba9876543210fedcba9876543210")
	steps := []struct {
		name string
		opts Options
	}{
		{"before", Options{StateKeys: [][]byte{old}}},
		{"all will open both", Options{StateKeys: [][]byte{old, young}}},
		{"all will seal with the new one", Options{StateKeys: [][]byte{young, old}}},
		{"after", Options{StateKeys: [][]byte{nil, young}}},
	}
	const params = `{"name":"ask","arguments":{"a":1}}`
	for i, by := range steps {
		sealing := newClient(t, asker(t, &by.opts), mcp.V2026_07_28, allCaps)
		good := sealing.Retry(params, sealing.Must("tools/call", params), accept)
		for j, at := range steps {
			opening := newClient(t, asker(t, &at.opts), mcp.V2026_07_28, allCaps)
			if between := i - j; between >= -1 && between <= 1 {
				contains(t, by.name+", opened "+at.name, opening.Must("tools/call", good), "s3cret")
			} else if i == 0 && j == 3 || i == 3 && j == 0 {
				opening.Fails("tools/call", good, codeInvalidParams)
			}
		}
	}
}
