// Package dpop makes and verifies proofs of possession: RFC 9449.
package dpop

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// Names of the protocol.
const (
	Header      = "DPoP"       // of requests: the proof
	NonceHeader = "DPoP-Nonce" // of responses: the nonce for the next proof
	Scheme      = "DPoP"       // of Authorization and WWW-Authenticate

	ErrorInvalidProof = "invalid_dpop_proof" // RFC 9449 section 12.2
	ErrorUseNonce     = "use_dpop_nonce"     // RFC 9449 section 8

	proofType = "dpop+jwt"
)

// Algorithms returns the algorithms with which proofs may be signed by default. All are asymmetric: RFC 9449
// section 4.3.
func Algorithms() []string {
	return []string{"ES256", "ES384", "ES512", "EdDSA", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"}
}

// signatureAlgorithms returns the names of algorithms as package jose has them. A symmetric one, "none" and one
// that is unknown is an error.
func signatureAlgorithms(names []string) ([]jose.SignatureAlgorithm, error) {
	list := make([]jose.SignatureAlgorithm, len(names))
	for i, name := range names {
		if !slices.Contains(Algorithms(), name) {
			return nil, fmt.Errorf("dpop: the algorithm %q: want one of %s", name, strings.Join(Algorithms(), ", "))
		}
		list[i] = jose.SignatureAlgorithm(name)
	}
	return list, nil
}

// claims holds the claims of a proof: RFC 9449 section 4.2.
type claims struct {
	ID       string          `json:"jti"`
	Method   string          `json:"htm"`
	URL      string          `json:"htu"`
	IssuedAt jwt.NumericDate `json:"iat"`
	Token    string          `json:"ath,omitempty"` // the hash of the access token
	Nonce    string          `json:"nonce,omitempty"`
}

// hash returns the hash of an access token, as in the claim ath.
func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// targetURI returns the URL of a request as proofs name it: without query and fragment, and normalized, so that
// equal ones are equal strings: RFC 9449 section 4.3, RFC 3986 sections 6.2.2 and 6.2.3.
func targetURI(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return "", fmt.Errorf("dpop: want an absolute URL")
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == "" || port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		host = strings.TrimSuffix(strings.TrimSuffix(host, port), ":")
	}
	path := normalizePath(u.EscapedPath())
	if path == "" {
		path = "/"
	}
	return u.Scheme + "://" + host + path, nil
}

// normalizePath decodes the escapes of unreserved characters in a path, and writes other escapes in upper case. All
// escapes must be valid.
func normalizePath(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] != '%' {
			b.WriteByte(path[i])
			continue
		}
		escape := path[i : i+3]
		if c, _ := url.PathUnescape(escape); strings.IndexByte(oauth.Unreserved, c[0]) >= 0 {
			b.WriteByte(c[0])
		} else {
			b.WriteString(strings.ToUpper(escape))
		}
		i += 2
	}
	return b.String()
}
