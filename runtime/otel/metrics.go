package otel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// buckets are the boundaries that the conventions recommend, in seconds.
var buckets = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// metrics holds the instruments, one of each for servers and one for clients.
type metrics struct {
	operations, sessions [2]metric.Float64Histogram
	attributes           *cache[series, []metric.RecordOption]
}

func newMetrics(m metric.Meter) (metrics, error) {
	all := metrics{attributes: new(cache[series, []metric.RecordOption])}
	for _, h := range []struct {
		into              *metric.Float64Histogram
		name, description string
	}{
		{&all.operations[0], "mcp.server.operation.duration", "Duration of a request or a notification, as the receiver observes it."},
		{&all.operations[1], "mcp.client.operation.duration", "Duration of a request or a notification, as the sender observes it."},
		{&all.sessions[0], "mcp.server.session.duration", "Duration of a session, as the server observes it."},
		{&all.sessions[1], "mcp.client.session.duration", "Duration of a session, as the client observes it."},
	} {
		var err error
		*h.into, err = m.Float64Histogram(h.name, metric.WithUnit("s"), metric.WithDescription(h.description), metric.WithExplicitBucketBoundaries(buckets...))
		if err != nil {
			return metrics{}, err
		}
	}
	return all, nil
}

// A series is what distinguishes the time series of an instrument.
type series struct {
	method, name, errorType string
	revision                wire.Revision
	code, http              bool // the error type is a code of JSON-RPC
}

// operation records the duration of a request or a notification. To OpenTelemetry its sender is the client,
// whatever its role in the protocol. Ctx has the span, to which exemplars refer.
func (m *metrics) operation(ctx context.Context, o *observe.Operation) {
	m.record(ctx, m.operations[index(o.Outgoing)], o, o.KnownMethod(), o.Name)
}

// session records the duration of a session.
func (m *metrics) session(ctx context.Context, o *observe.Operation) {
	m.record(ctx, m.sessions[index(o.Client)], o, "", "")
}

func (m *metrics) record(ctx context.Context, h metric.Float64Histogram, o *observe.Operation, method, name string) {
	took := time.Since(o.Begun).Seconds()
	if !h.Enabled(ctx) {
		return
	}
	errorType, status := failure(o)
	if status != "" && !isKnown(o.Err) {
		errorType, status = observe.OutcomeOther, ""
	}
	s := series{method, name, errorType, o.Revision, status != "", o.HTTP}
	h.Record(ctx, took, m.attributes.get(s, seriesOptions)...)
}

// isKnown reports whether the code of an error response is one of the protocol. The other side can make up any number
// of codes, and so can a server to which a handler forwards what it receives.
func isKnown(err error) bool {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && mcp.HasCodeSince(mcp.Revisions()[0], rpc.Code)
}

// seriesOptions returns the options with which to record a value of a series.
func seriesOptions(s series) []metric.RecordOption {
	var list []attribute.KeyValue
	if s.method != "" {
		list = target(s.method, s.name)
	}
	status := ""
	if s.code {
		status = s.errorType
	}
	list = common(list, revisionOf(s.revision), s.errorType, status, s.http)
	return []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(list...))}
}

func index(client bool) int {
	if client {
		return 1
	}
	return 0
}
