package peer_test

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// pieces is a value that is encoded piece by piece, so that a buffer grows often on its way.
type pieces struct{}

var typePieces = wire.Type{Name: "Pieces", Members: []string{"a"}}

func (pieces) EncodeWire(e *wire.Encoder) {
	if e.Begin(&typePieces, true) {
		for range 1000 {
			e.Key("a")
			e.Int(1234567890)
		}
		e.End(&typePieces, nil)
	}
}

// Messages are encoded into buffers that are used again, whatever kind they are.
func TestBuffersAreReused(t *testing.T) {
	large := wire.Raw(`{"a":"` + strings.Repeat("x", 100_000) + `"}`)
	var c *peer.Conn
	c = newConn(senderFunc(func(ctx context.Context, m transport.Message) error {
		if m.Kind == jsonrpc.Request {
			id, _ := m.ID.Int()
			return c.DeliverRaw(ctx, transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":` + strconv.FormatInt(id, 10) + `,"result":{}}`)})
		}
		return nil
	}), handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) { return large, nil }}, nil)
	defer c.Close()
	ctx := context.Background()
	request := transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)}
	invalid := transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 100_000) + `"}`)}
	for name, do := range map[string]func() error{
		"notification": func() error { return c.NotifyAt(ctx, 0, "n", pieces{}) },
		"call":         func() error { return c.CallWith(ctx, "m", pieces{}, nil, nil) },
		"answer":       func() error { return c.DeliverRaw(ctx, request) },
		"refusal":      func() error { return c.DeliverRaw(ctx, invalid) },
	} {
		const runs = 100
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := testing.AllocsPerRun(runs, func() {
			if err := do(); err != nil {
				t.Fatal(err)
			}
		})
		runtime.ReadMemStats(&after)
		each := (after.TotalAlloc - before.TotalAlloc) / runs
		if n > 10 || each > 60_000 { // with the race detector, buffers are lost at random
			t.Errorf("%s: %v allocations, %d bytes", name, n, each)
		}
	}
}
