package webauth

import (
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Named is the Authorizer of a program that knows its senders by name. It returns "" for an anonymous sender.
type Named func(r *http.Request) (name string, err error)

// Authorize returns the sender, who has no scopes.
func (f Named) Authorize(r *http.Request) (transport.Identity, error) {
	switch name, err := f(r); {
	case err != nil:
		return nil, &namedError{err}
	case name != "":
		return named(name), nil
	}
	return nil, nil
}

// Refuse leaves the response to [Guard.Refuse].
func (f Named) Refuse(http.ResponseWriter, *http.Request, error, []byte) {}

// A namedError is an error whose text the sender may read.
type namedError struct{ error }

func (e *namedError) Unwrap() error { return e.error }

// named is the identity of a sender that has a name.
type named string

func (n named) Principal() string                { return string(n) }
func (n named) Missing(scopes []string) []string { return scopes }
func (n named) Expires() time.Time               { return time.Time{} }
