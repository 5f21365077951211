package auth

import (
	"context"
	"errors"
	"fmt"
)

// A Verifier verifies access tokens: RFC 6750, RFC 9068 section 4. A [ResourceServer] calls it for every request that has
// a token. It must be safe for concurrent use.
type Verifier interface {
	// Verify returns the verified token. If the token is invalid, the error is or wraps an *[InvalidTokenError];
	// any other error means that the token could not be verified.
	Verify(ctx context.Context, token string) (*Token, error)
}

// A VerifierFunc is a function that is a [Verifier].
type VerifierFunc func(ctx context.Context, token string) (*Token, error)

// Verify calls f.
func (f VerifierFunc) Verify(ctx context.Context, token string) (*Token, error) { return f(ctx, token) }

// verify returns the token that v has verified, with its text.
func verify(ctx context.Context, v Verifier, text string) (*Token, error) {
	t, err := v.Verify(ctx, text)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, errors.New("auth: the verifier has returned neither a token nor an error")
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	return t.withText(text), nil
}

// An InvalidTokenError is the error of a token that has expired, was revoked, is malformed, or is for another resource.
// The response has status 401: RFC 6750 section 3.1.
type InvalidTokenError struct {
	Reason string // sent to the client
	Code   string // the error of the challenge: invalid_token if empty
	Scheme string // that of the challenge: Bearer if empty
}

func (e *InvalidTokenError) Error() string { return "auth: invalid token: " + e.Reason }

// invalid returns an InvalidTokenError.
func invalid(format string, args ...any) error {
	return &InvalidTokenError{Reason: fmt.Sprintf(format, args...)}
}

// isInvalid reports whether an error says that the token is invalid.
func isInvalid(err error) bool {
	var e *InvalidTokenError
	return errors.As(err, &e)
}
