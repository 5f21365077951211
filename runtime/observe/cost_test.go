package observe_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var modernCall = transport.Request{
	ID: wire.IntID(1), Method: "tools/call", Params: wire.Raw(`{"name":"ok","arguments":{}}`),
	Meta: wire.Raw(`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`),
}

// serve has a server handle a call.
func serve(t testing.TB, by observe.Observer) func() {
	s := newServer(t, by)
	return func() {
		if _, err := server.NewEndpoint(s).ServeRequest(context.Background(), new(modernCall)); err != nil {
			t.Fatal(err)
		}
	}
}

// allocationsBefore is how many allocations a call had before there were observers.
const allocationsBefore = 11

// TestCostNoObserver: without an observer a call allocates nothing for it.
func TestCostNoObserver(t *testing.T) {
	testenv.Measures(t)
	if got := testing.AllocsPerRun(100, serve(t, nil)); got > allocationsBefore {
		t.Errorf("a call has %v allocations, want at most %d", got, allocationsBefore)
	}
}

func BenchmarkServer(b *testing.B) {
	nothing := observerFunc(func(ctx context.Context, _ *observe.Operation) (context.Context, func()) { return ctx, nil })
	for _, c := range []struct {
		name string
		by   observe.Observer
	}{{"none", nil}, {"nothing", nothing}, {"numbers", new(observe.Numbers)}, {"logger", observe.Logger(quiet)}} {
		b.Run(c.name, func(b *testing.B) {
			call := serve(b, c.by)
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
}
