package auth

import "net/http"

// Proofs verifies that the senders of tokens that are bound to keys have the keys: RFC 9449, which package dpop implements.
// It must be safe for concurrent use.
type Proofs interface {
	// Verify verifies the proof of a request with a token that is valid. The header Authorization has the scheme Bearer
	// or DPoP, and urls are those that the client may have used. If the proof is wrong, or the scheme is not that of
	// such a token, the error is an *[InvalidTokenError]; any other one means that it could not be verified. It is
	// called again, for the same request, as long as its response is an open stream.
	Verify(r *http.Request, urls []string, t *Token) error

	// Challenge changes the challenge to a request that is refused, if the client should send a proof. It may add
	// to the header of the response.
	Challenge(r *http.Request, c *Challenge, h http.Header)

	// Describe adds to the metadata of the resource which proofs are accepted.
	Describe(m *ProtectedResourceMetadata)
}

// The schemes of the header Authorization.
const (
	schemeBearer = "Bearer"
	schemeDPoP   = "DPoP"
)

// checkProof checks that the sender of a token has the key to which it is bound.
func (s *ResourceServer) checkProof(r *http.Request, t *Token) error {
	if s.opts.Proofs != nil {
		return s.opts.Proofs.Verify(r, []string{s.opts.Resource, s.origin + r.URL.EscapedPath()}, t)
	}
	if t.KeyThumbprint != "" {
		return errBound
	}
	return nil
}

// errBound is the error of a token whose binding cannot be checked, and must not be ignored.
var errBound = invalid("the token is bound to a key in a way that is not supported")
