package otel_test

import (
	"context"
	"log"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/observe/observeserver"
	"github.com/mcpgen/mcpgen/runtime/otel"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// A server that calls another one: both sides have the same observer.
func ExampleNew() {
	ctx := context.Background()
	traces, measures := trace.NewTracerProvider(), metric.NewMeterProvider() // with exporters
	defer traces.Shutdown(ctx)
	defer measures.Shutdown(ctx)

	o, err := otel.New(&otel.Options{TracerProvider: traces, MeterProvider: measures})
	if err != nil {
		log.Fatal(err)
	}
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, observeserver.Options(o, nil))
	c, err := client.Connect(ctx, httpclient.New("https://mcp.example.com/mcp", nil), &client.Options{Observer: o})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if err := streamable.ListenAndServe(ctx, "localhost:8080", s, &streamable.Options{Observer: o}); err != nil {
		log.Fatal(err)
	}
}
