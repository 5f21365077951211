// Package otel makes traces and metrics of what servers and clients do, by OpenTelemetry and its semantic
// conventions for MCP. It is a separate module, so that programs that do not import it do not need OpenTelemetry:
//
//	o, err := otel.New(nil)
//	s := server.New(info, observeserver.Options(o, nil))
//	c, err := client.Connect(ctx, t, &client.Options{Observer: o})
//
// Each request and notification is a span, of kind client on the side that sends it and of kind server on the side that
// receives it, in either direction. The trace context travels in _meta (SEP-414). What a handler does with its context
// belongs to the span of its request, calls of other servers included.
//
// A task has its own span in its own trace, with a link to the request that created it, since it continues after
// the response to that. So does a stream. Sessions are only measured.
//
// See https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
package otel

import (
	"context"
	"fmt"
	"slices"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/observe"
)

//go:generate go run -C ../.. ./internal/api -module runtime/otel runtime/otel/api.txt

// Options configures an [Observer].
type Options struct {
	// TracerProvider and MeterProvider are where traces and metrics go. The defaults are the global ones of
	// OpenTelemetry.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider

	// Propagator writes and reads the trace context. Of what it writes, only traceparent, tracestate and baggage are
	// sent. The default is W3C Trace Context with W3C Baggage.
	Propagator propagation.TextMapPropagator

	// ResourceNames puts the URIs of resources into the names of spans. There can be many of them.
	ResourceNames bool
}

// An Observer makes traces and metrics. [New] returns one.
type Observer struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	resources  bool
	metrics    metrics
}

var _ observe.Observer = (*Observer)(nil)

// scope is the instrumentation scope of all spans and metrics.
const scope = "github.com/mcpgen/mcpgen/runtime/otel"

// New returns an observer for any number of servers and clients. Opts may be nil.
func New(opts *Options) (*Observer, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	if o.Propagator == nil {
		o.Propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	}
	m, err := newMetrics(o.MeterProvider.Meter(scope))
	if err != nil {
		return nil, fmt.Errorf("otel: %w", err)
	}
	return &Observer{tracer: o.TracerProvider.Tracer(scope), propagator: o.Propagator, resources: o.ResourceNames, metrics: m}, nil
}

// Observe implements [observe.Observer].
func (ob *Observer) Observe(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	switch o.Kind {
	case observe.Request, observe.Notification:
		return ob.message(ctx, o)
	case observe.Task, observe.Stream:
		return ob.linked(ctx, o)
	case observe.Session:
		return ctx, func() { ob.metrics.session(ctx, o) }
	}
	return ctx, nil
}

// message begins the span of a request or a notification.
func (ob *Observer) message(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	options := ofReceiver
	if o.Outgoing {
		options = ofSender
	}
	if !o.Outgoing && o.Trace != (observe.Trace{}) {
		around := trace.SpanContextFromContext(ctx) // of the HTTP request, for example
		ctx = ob.propagator.Extract(ctx, (*carrier)(&o.Trace))
		if around.IsValid() && !around.Equal(trace.SpanContextFromContext(ctx)) {
			options = append(slices.Clip(options), trace.WithLinks(trace.Link{SpanContext: around}))
		}
	}
	ctx, span := ob.tracer.Start(ctx, ob.nameOf(o), options...)
	if o.Outgoing {
		ob.propagator.Inject(ctx, (*carrier)(&o.Trace))
	}
	return ctx, func() {
		if span.IsRecording() {
			describe(span, o)
		}
		ob.metrics.operation(ctx, o)
		span.End()
	}
}

// linked begins the span of an operation that continues independently of the request that began it.
func (ob *Observer) linked(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	name := o.Kind.String()
	if o.Name != "" {
		name += " " + o.Name
	}
	options := []trace.SpanStartOption{trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindInternal)}
	if from := trace.SpanContextFromContext(ctx); from.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: from}))
	}
	ctx, span := ob.tracer.Start(ctx, name, options...)
	return ctx, func() {
		if span.IsRecording() {
			describe(span, o)
		}
		span.End()
	}
}

// A carrier is a trace context as a [propagation.TextMapCarrier].
type carrier observe.Trace

// Get implements [propagation.TextMapCarrier].
func (c *carrier) Get(key string) string {
	if into := c.at(key); into != nil {
		return *into
	}
	return ""
}

// Set implements [propagation.TextMapCarrier].
func (c *carrier) Set(key, value string) {
	if into := c.at(key); into != nil {
		*into = value
	}
}

// Keys implements [propagation.TextMapCarrier].
func (c *carrier) Keys() []string { return []string{"traceparent", "tracestate", "baggage"} }

func (c *carrier) at(key string) *string {
	switch key {
	case "traceparent":
		return &c.Parent
	case "tracestate":
		return &c.State
	case "baggage":
		return &c.Baggage
	}
	return nil
}
