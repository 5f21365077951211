package client

// Errors are of three kinds. An error response is a *jsonrpc.Error, which errors.As finds in whatever wraps it. What the
// client finds out by itself, before it sends or after it has received something, has a type of its own here. What happens
// on the way is a *jsonrpc.CallError. So a program can tell what a server says from what the client says about it.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A VersionError says that the client and the server have no revision of the protocol in common.
type VersionError struct {
	Wanted    []wire.Revision // those of the client
	Supported []string        // those of the server, if it lists them
	Err       error           // that of the server, if it returned one
}

func (e *VersionError) Error() string {
	wanted := make([]string, len(e.Wanted))
	for i, r := range e.Wanted {
		wanted[i] = r.String()
	}
	s := "no common revision of the protocol: the client speaks " + strings.Join(wanted, ", ")
	if len(e.Supported) > 0 {
		s += fmt.Sprintf(", the server %q", e.Supported)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *VersionError) Unwrap() error { return e.Err }

// A RevisionError says that clients cannot call a method in the negotiated revision. It wraps
// [wire.ErrUnknownMethod]. Nothing was sent.
type RevisionError struct {
	Method   string
	Revision wire.Revision
}

func (e *RevisionError) Error() string {
	return fmt.Sprintf("%s: clients cannot call it in revision %s", e.Method, e.Revision)
}

func (e *RevisionError) Unwrap() error { return wire.ErrUnknownMethod }

// A CapabilityError says that the server did not declare the capability of a method. Nothing was sent. See
// [Options.AllowUndeclared].
type CapabilityError struct {
	Method     string
	Capability string // a path such as "resources.subscribe"
}

func (e *CapabilityError) Error() string {
	return fmt.Sprintf("%s: the server does not declare the capability %s", e.Method, e.Capability)
}

// A ResultError says that the server sent a result that the protocol does not allow.
type ResultError struct {
	Method string
	Reason string
}

func (e *ResultError) Error() string {
	return e.Method + ": invalid result: " + e.Reason
}

// An InputError says that a call failed because a request for input during it failed: the client does not
// offer that kind of input, or the handler returned an error.
type InputError struct {
	Method  string // of the call
	Key     string // of the request for input
	Request string // the method of the request for input, such as "elicitation/create"
	Err     error
}

func (e *InputError) Error() string {
	return fmt.Sprintf("%s: the server asks for input %q by %s: %v", e.Method, excerpt.Of(e.Key), excerpt.Of(e.Request), e.Err)
}

func (e *InputError) Unwrap() error { return e.Err }

// A RoundsError says that the server asked for input more often than [MaxRounds].
type RoundsError struct {
	Method string
	Rounds int
}

func (e *RoundsError) Error() string {
	return fmt.Sprintf("%s: the server still asks for input after %d rounds", e.Method, e.Rounds)
}

// An OutputError says that the result of a tool does not validate against its output schema.
type OutputError struct {
	Tool string
	Err  error
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("tool %q: the result does not validate against its output schema: %v", e.Tool, e.Err)
}

func (e *OutputError) Unwrap() error { return e.Err }

// codeOf returns the code and data of an error response, or 0.
func codeOf(err error) (code int64, data wire.Raw) {
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) {
		return e.Code, e.Data
	}
	return 0, nil
}

// invalidParams returns the error for a request whose params the protocol does not allow.
func invalidParams(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// IsNotFound reports whether an error is that of a server, of any revision, for a resource that does not exist.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling.
//
// REQ JRPC-24
func IsNotFound(err error) bool {
	code, data := codeOf(err)
	// The first code is that of revisions through 2025-11-25. Later ones have no code for it, but the URI in the data.
	return code == mcp.CodeResourceNotFound || code == jsonrpc.CodeInvalidParams && data.StringAt("uri") != ""
}

// URLElicitations returns the URLs that a person must visit before a request can succeed, if err is the error of
// such a request. Only servers of 2025-11-25 send such errors. After the visits the request can be made again; servers may
// notify of their completion by notifications/elicitation/complete, for which there may be one in [Options].Methods.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error.
func URLElicitations(err error) []mcp.ElicitRequestURLParams {
	code, data := codeOf(err)
	if code != mcp.CodeURLElicitationRequired {
		return nil
	}
	var v mcp.URLElicitationRequiredErrorData
	if wire.Decode(data, &v) != nil {
		return nil
	}
	return v.Elicitations
}

// errEarly is the error of what an extension asks for before Connect has returned.
var errEarly = errors.New("client: nothing can be sent before Connect has returned")
