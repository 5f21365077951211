package otel

import (
	"errors"
	"net"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The names of attributes. Those that begin with mcpgen are ours: the conventions have none for tasks.
const (
	keyMethod     = "mcp.method.name"
	keySession    = "mcp.session.id"
	keyRevision   = "mcp.protocol.version"
	keyURI        = "mcp.resource.uri"
	keyTool       = "gen_ai.tool.name"
	keyPrompt     = "gen_ai.prompt.name"
	keyOperation  = "gen_ai.operation.name"
	keyRequestID  = "jsonrpc.request.id"
	keyErrorType  = "error.type"
	keyStatus     = "rpc.response.status_code"
	keyTransport  = "network.transport"
	keyProtocol   = "network.protocol.name"
	keyClient     = "client.address"
	keyClientPort = "client.port"
	keyTask       = "mcpgen.task.id"
)

// The options with which spans begin. They have no attributes, which are only set on spans that are recorded;
// samplers can decide by the name.
var (
	ofSender   = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindClient)}
	ofReceiver = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}
)

// nameOf returns the name of the span of a request or a notification.
func (ob *Observer) nameOf(o *observe.Operation) string {
	switch method := o.KnownMethod(); {
	case o.Name != "":
		return method + " " + o.Name
	case ob.resources && o.URI != "":
		return method + " " + o.URI
	default:
		return method
	}
}

// target returns the attributes that say what a request is about.
func target(method, name string) []attribute.KeyValue {
	list := []attribute.KeyValue{attribute.String(keyMethod, method)}
	switch method {
	case mcp.MethodCallTool.Name:
		return add(append(list, attribute.String(keyOperation, "execute_tool")), keyTool, name)
	case mcp.MethodGetPrompt.Name:
		return add(list, keyPrompt, name)
	}
	return list
}

// add adds an attribute, unless its value is empty.
func add(list []attribute.KeyValue, key, value string) []attribute.KeyValue {
	if value == "" {
		return list
	}
	return append(list, attribute.String(key, value))
}

// common returns the attributes that spans and metrics have in addition to those of target.
func common(list []attribute.KeyValue, revision, errorType, status string, http bool) []attribute.KeyValue {
	list = add(list, keyRevision, revision)
	list = add(list, keyErrorType, errorType)
	list = add(list, keyStatus, status)
	if http {
		return append(list, attribute.String(keyTransport, "tcp"), attribute.String(keyProtocol, "http"))
	}
	return append(list, attribute.String(keyTransport, "pipe"))
}

// failure returns the values of error.type and rpc.response.status_code, empty if they do not apply.
func failure(o *observe.Operation) (errorType, status string) {
	if errorType = o.Outcome(); errorType == observe.OutcomeOK {
		return "", ""
	}
	if errors.As(o.Err, new(*jsonrpc.Error)) {
		status = errorType
	}
	return errorType, status
}

// revisionOf returns the name of the revision, empty if it is not known.
func revisionOf(rev wire.Revision) string {
	if rev == 0 {
		return ""
	}
	return rev.String()
}

// describe sets the attributes that are known at the end of an operation.
func describe(span trace.Span, o *observe.Operation) {
	errorType, status := failure(o)
	list := common(make([]attribute.KeyValue, 0, 16), revisionOf(o.Revision), errorType, status, o.HTTP)
	if o.Method != "" {
		list = append(list, target(o.KnownMethod(), o.Name)...)
	}
	list = add(list, keyTask, o.Task)
	list = add(list, keySession, o.Session)
	list = add(list, keyURI, o.URI)
	if !o.ID.IsZero() {
		list = add(list, keyRequestID, o.ID.String())
	}
	if o.Address != "" {
		host, port, err := net.SplitHostPort(o.Address)
		if err != nil {
			host = o.Address
		}
		list = add(list, keyClient, host)
		if n, err := strconv.Atoi(port); err == nil {
			list = append(list, attribute.Int(keyClientPort, n))
		}
	}
	span.SetAttributes(list...)
	if errorType != "" {
		span.SetStatus(codes.Error, message(o.Err))
	}
}

// message returns the text of an error, for the status of a span.
func message(err error) string {
	if err == nil {
		return ""
	}
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return rpc.Message
	}
	return err.Error()
}
