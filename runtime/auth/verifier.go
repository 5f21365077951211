package auth

import (
	"context"
	"errors"
	"fmt"
)

// A Verifier verifies access tokens. A [ResourceServer] calls it for every request, at the same time for
// several.
type Verifier interface {
	// Verify returns what a token says. The error of a token that is not valid is an
	// *[InvalidTokenError]; any other means that the token could not be verified.
	Verify(ctx context.Context, token string) (*Token, error)
}

// A VerifierFunc is a function that verifies tokens.
type VerifierFunc func(ctx context.Context, token string) (*Token, error)

// Verify calls f.
func (f VerifierFunc) Verify(ctx context.Context, token string) (*Token, error) { return f(ctx, token) }

// An InvalidTokenError is the error of a token that is expired, revoked, malformed, or for somebody else. The
// response has status 401 and the error invalid_token: RFC 6750 section 3.1.
type InvalidTokenError struct {
	Reason string // is sent to the client
}

func (e *InvalidTokenError) Error() string { return "auth: invalid token: " + e.Reason }

// invalid returns an InvalidTokenError.
func invalid(format string, args ...any) error {
	return &InvalidTokenError{fmt.Sprintf(format, args...)}
}

// isInvalid reports whether an error is about the token.
func isInvalid(err error) bool {
	var e *InvalidTokenError
	return errors.As(err, &e)
}
