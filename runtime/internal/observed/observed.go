// Package observed has the code for observers that server, client and the HTTP transports share.
package observed

import (
	"bytes"
	"context"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Begin tells an observer that an operation begins. The caller must call the function that it returns when the
// operation has ended.
func Begin(ctx context.Context, by observe.Observer, o *observe.Operation) (context.Context, func()) {
	if by == nil {
		return ctx, nothing
	}
	o.Begun = time.Now()
	ctx, end := by.Observe(ctx, o)
	if end == nil {
		end = nothing
	}
	return ctx, end
}

func nothing() {}

// From describes a request or a notification as it was received.
func From(r *transport.Request) *observe.Operation {
	o := &observe.Operation{
		Kind: observe.Request, ID: r.ID, Method: r.Method, ParamsSize: len(r.Params),
		HTTP: r.Header != nil, Address: r.Address, Principal: r.Principal, Revision: r.Revision,
		Trace: traceOf(r),
	}
	if r.ID.IsZero() {
		o.Kind = observe.Notification
	}
	SetTarget(o, r.Params)
	return o
}

// SetTarget sets the tool, prompt, resource or other target that the params of a request or a notification name.
func SetTarget(o *observe.Operation, params wire.Raw) {
	switch o.Method {
	case mcp.MethodCallTool.Name, mcp.MethodGetPrompt.Name:
		o.Name = params.StringAt("name")
	case mcp.MethodReadResource.Name, mcp.MethodSubscribe.Name, mcp.MethodUnsubscribe.Name, mcp.MethodResourceUpdatedNotification.Name:
		o.URI = params.StringAt("uri")
	}
}

// The names of the members of _meta with a trace context, which are also those of the HTTP headers.
const (
	parent  = "traceparent"
	state   = "tracestate"
	baggage = "baggage"
)

// traceOf returns the trace context of a request: that of its metadata, or else of its headers.
func traceOf(r *transport.Request) (t observe.Trace) {
	if bytes.Contains(r.Meta, []byte(parent)) || bytes.Contains(r.Meta, []byte(baggage)) {
		t = observe.Trace{Parent: r.Meta.StringAt(parent), State: r.Meta.StringAt(state), Baggage: r.Meta.StringAt(baggage)}
	}
	if t.Parent == "" && r.Header != nil {
		first := func(name string) string {
			if values := r.Header.Values(name); len(values) > 0 {
				return values[0]
			}
			return ""
		}
		t.Parent, t.State = first("Traceparent"), first("Tracestate")
		if t.Baggage == "" {
			t.Baggage = first("Baggage")
		}
	}
	return t
}

// Meta returns a trace context as metadata; nil if there is none.
func Meta(t *observe.Trace) wire.Raw {
	if *t == (observe.Trace{}) {
		return nil
	}
	buf := make([]byte, 0, 160)
	for _, m := range [...]struct{ name, value string }{{parent, t.Parent}, {state, t.State}, {baggage, t.Baggage}} {
		if m.value == "" {
			continue
		}
		next := byte(',')
		if len(buf) == 0 {
			next = '{'
		}
		buf = append(buf, next, '"')
		buf = append(buf, m.name...)
		buf = append(buf, '"', ':')
		buf = wire.AppendString(buf, m.value)
	}
	return append(buf, '}')
}
