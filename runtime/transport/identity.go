package transport

import (
	"context"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// An Identity is a verified sender of requests. Its methods may be called by several goroutines at once.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
type Identity interface {
	// Principal returns the name of the sender, which never changes and belongs to nobody else. It is not
	// empty.
	Principal() string

	// Missing returns those of the scopes that the sender lacks. Each scope is decided on its own.
	Missing(scopes []string) []string

	// Expires returns when the identity ends; the zero time means that it does not.
	Expires() time.Time
}

// A ScopeError is the error of a request whose sender lacks scopes. Over HTTP its status is 403.
type ScopeError struct {
	Scopes  []string // all that the operation needs
	Missing []string // those of them that the sender lacks
}

func (e *ScopeError) Error() string {
	return "insufficient scope: the request requires " + excerpt.Cut(strings.Join(e.Scopes, ", "), 1000) +
		"; the sender lacks " + excerpt.Cut(strings.Join(e.Missing, ", "), 1000)
}

// Unwrap returns the error response where no status says the same.
func (e *ScopeError) Unwrap() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: e.Error()}
}

type identityKey struct{}

// WithIdentity returns a context that says who has sent the request that it belongs to. Middleware around an
// HTTP handler that verifies requests itself passes on their senders by it.
func WithIdentity(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// IdentityFrom returns who has sent the request that ctx belongs to, nil if nobody has been verified. The
// contexts of handlers have it.
func IdentityFrom(ctx context.Context) Identity {
	id, _ := ctx.Value(identityKey{}).(Identity)
	return id
}
