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

// An empty key, such as that of an environment variable that is not set, does not count: state that somebody else has
// sealed with it is refused.
func TestEmptyStateKeys(t *testing.T) {
	const params = `{"name":"ask","arguments":{"a":1}}`
	forger := newClient(t, asker(t, nil), mcp.V2026_07_28, allCaps)
	forger.session.server.sealer[0] = newAEAD(nil)
	forged := forger.Retry(params, forger.Must("tools/call", params), accept)
	for _, o := range []Options{{}, {StateKeys: [][]byte{nil, {}}}} {
		newClient(t, asker(t, &o), mcp.V2026_07_28, allCaps).Fails("tools/call", forged, codeInvalidParams)
	}
}
