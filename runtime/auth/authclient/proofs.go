package authclient

import "net/http"

// Proofs makes keys to which tokens are bound, and proofs that the client has them: RFC 9449, which package dpop implements.
// It must be safe for concurrent use.
type Proofs interface {
	// NewKey returns a new key, in the form in which it is stored with its token. Algorithms are those that the
	// authorization server supports; there are none if it does not say.
	NewKey(algorithms []string) ([]byte, error)

	// Thumbprint returns the thumbprint of a key: RFC 7638.
	Thumbprint(key []byte) (string, error)

	// Transport returns a transport that adds a proof by a key to each request. It notes the nonces that servers want,
	// and sends a request that a resource server has refused for its nonce once again.
	Transport(key []byte, base http.RoundTripper) http.RoundTripper
}

// errorUseNonce is the error of a proof that lacks the nonce of the server: RFC 9449 sections 8 and 9.
const errorUseNonce = "use_dpop_nonce"

// The types of tokens, which are also the schemes of the header Authorization.
const (
	typeBearer = "Bearer"
	typeDPoP   = "DPoP"
)
