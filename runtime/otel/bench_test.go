package otel_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/otel"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// BenchmarkAdded is what the observer adds to a call, without sampling: the median of many rounds with it, and of as
// many without it in between, so that both see the same machine. Server is a call without a transport, and client a
// call over a connection in memory whose server has no observer. Floor is what OpenTelemetry itself takes for that: a trace
// context read, a span that is not sampled, and a value recorded.
func BenchmarkAdded(b *testing.B) {
	for _, c := range []struct {
		name string
		call func(b *testing.B, s *sdk) func()
	}{
		{"floor", func(b *testing.B, s *sdk) func() { return floor(b, s) }},
		{"server", func(b *testing.B, s *sdk) func() { return serving(b, s) }},
		{"client session", func(b *testing.B, s *sdk) func() { return calling(b, s, mcp.V2025_11_25) }},
		{"client modern", func(b *testing.B, s *sdk) func() { return calling(b, s, mcp.V2026_07_28) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			off, on := c.call(b, nil), c.call(b, newUnsampled(b))
			const calls = 20 // in a round
			var without, with []time.Duration
			for b.Loop() {
				for _, side := range []struct {
					call func()
					took *[]time.Duration
				}{{off, &without}, {on, &with}} {
					begin := time.Now()
					for range calls {
						side.call()
					}
					*side.took = append(*side.took, time.Since(begin)/calls)
				}
			}
			slices.Sort(without)
			slices.Sort(with)
			for name, at := range map[string]int{"": 2, "-p1": 100} {
				a, b2 := without[len(without)/at], with[len(with)/at]
				b.ReportMetric(float64(a), "off-ns"+name)
				b.ReportMetric(float64(b2-a), "added-ns"+name)
			}
		})
	}
}

// serving returns a call of a server without a transport. Without s there is no observer.
func serving(t testing.TB, s *sdk) func() {
	srv := newServer(t, s, map[string]handler{"ok": says("done")})
	r := transport.Request{
		ID: wire.IntID(1), Method: "tools/call", Params: wire.Raw(`{"name":"ok","arguments":{}}`),
		Meta: wire.Raw(`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"}`),
	}
	return func() {
		if _, err := server.NewEndpoint(srv).ServeRequest(context.Background(), new(r)); err != nil {
			t.Fatal(err)
		}
	}
}

// floor returns what an observer does at least. Without s it is nothing.
func floor(t testing.TB, s *sdk) func() {
	if s == nil {
		return func() {}
	}
	tracer := s.provider.Tracer("floor")
	histogram, err := s.meter.Float64Histogram("floor")
	if err != nil {
		t.Fatal(err)
	}
	both := propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	from := propagation.MapCarrier{"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"}
	attributes := []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(
		attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.tool.name", "ok"), attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("mcp.protocol.version", "2026-07-28"), attribute.String("network.transport", "pipe")))}
	kind := trace.WithSpanKind(trace.SpanKindServer)
	return func() {
		begin := time.Now()
		ctx, span := tracer.Start(both.Extract(context.Background(), from), "tools/call ok", kind)
		histogram.Record(ctx, time.Since(begin).Seconds(), attributes...)
		span.End()
	}
}

// calling returns a call of a client. Without s it has no observer.
func calling(t testing.TB, s *sdk, rev wire.Revision) func() {
	o := &client.Options{Revisions: []wire.Revision{rev}}
	if s != nil {
		o.Observer = s.observer
	}
	near, end := inmem.Pair(0)
	srv := newServer(t, nil, map[string]handler{"ok": says("done")})
	go srv.Serve(context.Background(), end)
	c := connect(t, near, o)
	params := &mcp.CallToolRequestParams{Name: "ok", Arguments: wire.Raw(`{"a":1,"b":2}`)}
	return func() {
		if _, err := c.CallTool(context.Background(), params); err != nil {
			t.Fatal(err)
		}
	}
}

// newUnsampled is newSDK without sampling.
func newUnsampled(t testing.TB) *sdk {
	s := &sdk{t: t, provider: sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample())), reader: sdkmetric.NewManualReader()}
	measures := sdkmetric.NewMeterProvider(sdkmetric.WithReader(s.reader))
	s.meter = measures.Meter("test")
	var err error
	s.observer, err = otel.New(&otel.Options{TracerProvider: s.provider, MeterProvider: measures})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCost bounds what the observer allocates for a call, without sampling.
func TestCost(t *testing.T) {
	off, on := testing.AllocsPerRun(200, serving(t, nil)), testing.AllocsPerRun(200, serving(t, newUnsampled(t)))
	if on-off > 12 {
		t.Errorf("the observer adds %v allocations to a call, want at most 12", on-off)
	}
}
