package mcptest

import (
	"context"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// As returns a verified sender of requests, for [Options.Identity], with that name, these scopes and no others.
func As(principal string, scopes ...string) transport.Identity { return identity{principal, scopes} }

type identity struct {
	principal string
	scopes    []string
}

func (i identity) Principal() string  { return i.principal }
func (i identity) Expires() time.Time { return time.Time{} }

func (i identity) Missing(scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return slices.Contains(i.scopes, scope) })
}

// identified is the server's end of a connection whose client is verified.
type identified struct {
	transport.Transport
	origin *transport.Origin
}

// Receive implements [transport.Receiver].
func (t identified) Receive(ctx context.Context) (transport.Message, error) {
	m, err := t.Transport.Receive(ctx)
	m.Origin = t.origin
	return m, err
}
