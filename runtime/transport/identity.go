package transport

import (
	"context"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// An Identity is a verified sender of requests. Its methods must be safe for concurrent use.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
type Identity interface {
	// Principal returns the name of the sender, which is unique, never changes and is not empty.
	Principal() string

	// Missing returns the scopes that the sender lacks. It decides on each scope independently.
	Missing(scopes []string) []string

	// Expires returns when the identity ends. If zero, it does not.
	Expires() time.Time
}

// A ScopeError is the error of a request whose sender lacks scopes. Over HTTP the response has status 403: RFC 6750
// section 3.1.
type ScopeError struct {
	Scopes  []string // all scopes that the request requires
	Missing []string // those that the sender lacks
}

func (e *ScopeError) Error() string {
	const most = 1000 // bytes of a list
	return "insufficient scope: the request requires " + excerpt.Cut(strings.Join(e.Scopes, ", "), most) +
		"; the sender lacks " + excerpt.Cut(strings.Join(e.Missing, ", "), most)
}

// Unwrap returns the error object for a response that has no HTTP status.
func (e *ScopeError) Unwrap() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: e.Error()}
}

type identityKey struct{}

// WithIdentity returns a context with the sender of a request. Middleware that verifies requests itself uses it to pass
// their senders to the HTTP handler that it wraps.
func WithIdentity(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// IdentityFrom returns the sender of the request that ctx belongs to, or nil if no sender was verified. The contexts of
// handlers have it.
func IdentityFrom(ctx context.Context) Identity {
	id, _ := ctx.Value(identityKey{}).(Identity)
	return id
}
