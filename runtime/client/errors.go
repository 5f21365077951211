package client

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
	Wanted    []wire.Revision // what the client may speak
	Supported []string        // what the server names, if it does
	Err       error           // what the server answered, if it was an error
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

// A RevisionError says that the revision that was agreed on does not have a method for clients to
// call. It is a [wire.ErrUnknownMethod]; nothing was sent.
type RevisionError struct {
	Method   string
	Revision wire.Revision
}

func (e *RevisionError) Error() string {
	return fmt.Sprintf("%s: clients cannot call it in revision %s", e.Method, e.Revision)
}

func (e *RevisionError) Unwrap() error { return wire.ErrUnknownMethod }

// A CapabilityError says that the server did not declare what a method needs. Nothing was sent.
// See [Options.AllowUndeclared].
type CapabilityError struct {
	Method     string
	Capability string // a path such as "resources.subscribe"
}

func (e *CapabilityError) Error() string {
	return fmt.Sprintf("%s: the server does not declare the capability %s", e.Method, e.Capability)
}

// A ResultError says that the server answered with a result that the protocol does not allow.
type ResultError struct {
	Method string
	Reason string
}

func (e *ResultError) Error() string {
	return e.Method + ": invalid result: " + e.Reason
}

// An InputError says that the server asked for input in the middle of a request and did not get
// it: the client does not offer it, or its handler failed. The request was given up.
type InputError struct {
	Method string // of the request
	Key    string // the server's name for what it asked
	Asked  string // the method by which it asked, "elicitation/create"
	Err    error
}

func (e *InputError) Error() string {
	return fmt.Sprintf("%s: the server asks for input %q by %s: %v", e.Method, excerpt.Of(e.Key), excerpt.Of(e.Asked), e.Err)
}

func (e *InputError) Unwrap() error { return e.Err }

// A RoundsError says that the server kept asking for input. See [Options.MaxRounds].
type RoundsError struct {
	Method string
	Rounds int
}

func (e *RoundsError) Error() string {
	return fmt.Sprintf("%s: the server still asks for input after %d rounds", e.Method, e.Rounds)
}

// An OutputError says that what a tool returned does not fit its output schema.
type OutputError struct {
	Tool string
	Err  error
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("tool %q: the output does not fit its schema: %v", e.Tool, e.Err)
}

func (e *OutputError) Unwrap() error { return e.Err }

// codeOf returns the code and data of an error that the server answered, or 0.
func codeOf(err error) (code int64, data wire.Raw) {
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) {
		return e.Code, e.Data
	}
	return 0, nil
}

// invalidParams is the error for a request of the server that it must not make like this.
func invalidParams(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// codeNotFound is the code for a resource that does not exist, up to 2025-11-25. Later servers may
// still send it.
const codeNotFound = -32002

// IsNotFound reports whether a server answered that a resource does not exist, in the way of any
// revision.
func IsNotFound(err error) bool {
	code, data := codeOf(err)
	// REQ JRPC-24
	return code == codeNotFound || code == jsonrpc.CodeInvalidParams && data.StringAt("uri") != ""
}

// URLElicitations returns the URLs that a person has to visit before a request can succeed, if
// that is what the server answered. Only servers of 2025-11-25 do. When the visits are over, which
// Options.OnElicitationComplete may tell, the request can be made again.
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
