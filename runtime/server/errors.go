package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Any error of this package becomes one of the protocol in errorOf, and nowhere else. Which one follows from the type of the
// handler's error: one of the protocol, a lack of the client, wrong arguments, the client's own wrong response. All else is an
// internal error with its text; a tool's becomes a result before (see toolError).
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic

const (
	codeInvalidRequest = mcp.CodeInvalidRequest
	codeNotFound       = mcp.CodeMethodNotFound
	codeInvalidParams  = mcp.CodeInvalidParams
	codeInternal       = mcp.CodeInternalError
)

var (
	// ErrNotFound is what a [ResourceHandler] returns if there is no such resource. [fs.ErrNotExist] means
	// the same.
	ErrNotFound = errors.New("resource not found")

	// ErrInputRequired is the error of a request for input whose response will come with a retry of the
	// call, since 2026-07-28. The handler should return; it will run again from its start. Whatever it
	// returns, the client is asked for the input.
	ErrInputRequired = errors.New("the client must give input first")

	// ErrCannotAsk is the error of a request for input that cannot be made: since 2026-07-28 in requests
	// other than tools/call, prompts/get and resources/read; before that, if the transport cannot send
	// requests to the client.
	ErrCannotAsk = errors.New("the client cannot be asked for input here")

	// errInternal is all that a client learns of a panic.
	errInternal = jsonrpcError(codeInternal, "internal error", nil)

	errNoSender = errors.New("the transport cannot send messages that belong to this request")
	errListens  = errors.New("in a subscription only its acknowledgement and changes can be sent")
)

// A MissingCapabilityError says that the client does not declare a capability that the handler needs. A
// handler that cannot go on returns it. It may also check before it begins:
//
//	if c.Capabilities().Sampling == nil {
//		return nil, &server.MissingCapabilityError{Required: mcp.ClientCapabilities{
//			Sampling: &mcp.ClientCapabilitiesSampling{}}}
//	}
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic.
type MissingCapabilityError struct {
	Required mcp.ClientCapabilities // the missing ones, and no others
}

func (e *MissingCapabilityError) Error() string {
	var names []string
	r := &e.Required
	if r.Elicitation != nil {
		switch {
		case r.Elicitation.URL != nil:
			names = append(names, "elicitation.url")
		case r.Elicitation.Form != nil:
			names = append(names, "elicitation.form")
		default:
			names = append(names, "elicitation")
		}
	}
	if r.Sampling != nil {
		name := "sampling"
		if r.Sampling.Tools != nil {
			name = "sampling.tools"
		}
		names = append(names, name)
	}
	if r.Roots != nil {
		names = append(names, "roots")
	}
	for id := range r.Extensions {
		names = append(names, "extension "+id)
	}
	return "the client does not declare a capability that is required: " + strings.Join(names, ", ")
}

// An ArgumentError says what is wrong with the arguments of a tool: one problem a line, for the model to
// read. It becomes a result of the tool in every revision, also through 2025-06-18, whose text lists it among the errors
// of the protocol: most clients show only results to the model, which can then correct itself.
type ArgumentError = args.Error

// An InputError says that the client's response to a request for input is not valid, or is an error.
type InputError struct {
	Method string // of the request: "elicitation/create"
	Err    error
}

func (e *InputError) Error() string {
	return "the client's response to " + e.Method + ": " + e.Err.Error()
}
func (e *InputError) Unwrap() error { return e.Err }

// jsonrpcError returns an error of the protocol. Data may be nil. It is encoded for no revision in particular: the types of data
// exist only where their codes do.
func jsonrpcError(code int, msg string, data wire.Encodable) error {
	e := &jsonrpc.Error{Code: int64(code), Message: msg}
	if data != nil {
		e.Data, _ = wire.Marshal(wire.Any, data)
	}
	return e
}

// busy returns the error for clients that may try again later.
func busy(msg string) error {
	return jsonrpcError(codeInternal, msg+": try again later", nil)
}

// The functions below make errors for clients. What a client sent is in them as an excerpt, which is short and harmless.

func unknownLevel(level mcp.LoggingLevel) error {
	return jsonrpcError(codeInvalidParams, fmt.Sprintf("level: want a log level such as info, got %q", excerpt.Of(string(level))), nil)
}

func methodNotFound(method string) error {
	return jsonrpcError(codeNotFound, fmt.Sprintf("method %q not found", excerpt.Of(method)), nil)
}

func unknown(kind, name string) error {
	return jsonrpcError(codeInvalidParams, fmt.Sprintf("unknown %s %q", kind, excerpt.Of(name)), nil)
}

// uriData is the data of an error about a resource.
type uriData struct{ uri string }

func (d *uriData) EncodeWire(e *wire.Encoder) {
	wire.PutMap(e, map[string]string{"uri": d.uri}, wire.PutString[string])
}

// resourceNotFound returns the revision's error for a resource that does not exist: through 2025-11-25 one with a code of its own,
// since 2026-07-28 invalid params.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
//
// REQ RES-07
func resourceNotFound(rev wire.Revision, uri string) error {
	code := codeInvalidParams
	if mcp.HasCode(rev, mcp.CodeResourceNotFound) {
		code = mcp.CodeResourceNotFound
	}
	uri = excerpt.Of(uri)
	return jsonrpcError(code, fmt.Sprintf("resource %q not found", uri), &uriData{uri})
}

// errorOf returns the protocol's error for any error, in the revision of the call. The order matters where an error wraps another
// one: an *[InputError] may wrap the error that the client sent, which must not become the server's own; a refusal wraps the
// error that its client is to see.
//
// REQ JRPC-21, LOG-07, JRPC-19, CAP-08, XTASK-04, JRPC-20
func (s *Server) errorOf(ctx context.Context, c *Call, err error) error {
	var (
		rpc     *jsonrpc.Error
		decode  *wire.DecodeError
		missing *MissingCapabilityError
		args    *ArgumentError
		input   *InputError
		crash   *PanicError
		refused *transport.RefusedError
	)
	switch {
	case errors.As(err, &crash):
		return errInternal
	case errors.As(err, &input): // before the error that it wraps, which may be one that the client sent
		if c.modern() {
			return jsonrpcError(codeInvalidParams, input.Error(), nil)
		}
	case errors.As(err, &refused):
		return &transport.RefusedError{Err: s.degradeError(ctx, c, refused.Err), RetryAfter: refused.RetryAfter}
	case errors.As(err, &rpc):
		return s.degradeError(ctx, c, rpc)
	case errors.Is(err, wire.ErrUnknownMethod):
		return methodNotFound(c.req.Method)
	case errors.As(err, &missing): // earlier revisions have no code for it
		if c.modern() {
			return jsonrpcError(mcp.CodeMissingRequiredClientCapability, missing.Error(),
				&mcp.MissingRequiredClientCapabilityErrorData{RequiredCapabilities: missing.Required})
		}
	case errors.As(err, &args), errors.As(err, &decode):
		return jsonrpcError(codeInvalidParams, err.Error(), nil)
	}
	return jsonrpcError(codeInternal, err.Error(), nil)
}
