// Package dpop binds tokens to keys of clients, so that a stolen token is useless without the key: RFC 9449. Each request
// has a proof that its sender has the key.
//
// A [Verifier] is the option Proofs of a resource server, and a [Prover] that of a client:
//
//	proofs, err := dpop.NewVerifier(&dpop.VerifierOptions{Required: true})
//	rs, err := auth.NewResourceServer(&auth.Options{Proofs: proofs, …})
//
//	t, err := authclient.New(endpoint, &authclient.Options{Proofs: new(dpop.Prover)})
//
// It is a module of its own, since no part of MCP asks for it.
package dpop

import (
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

//go:generate go run -C ../../.. ./internal/api -module runtime/auth/dpop runtime/auth/dpop/api.txt

// Scheme is the scheme of Authorization and of challenges, and the type of tokens that are bound: RFC 9449 section 7.1.
const Scheme = "DPoP"

// Names of the protocol.
const (
	proofHeader = "DPoP"       // of requests
	nonceHeader = "DPoP-Nonce" // of responses: the nonce for the next proof
	proofType   = "dpop+jwt"

	invalidProof = "invalid_dpop_proof" // RFC 9449 section 12.2
	useNonce     = "use_dpop_nonce"     // RFC 9449 section 8
)

// Algorithms returns the algorithms with which proofs may be signed. All are asymmetric: RFC 9449
// section 4.3.
func Algorithms() []string { return oauth.AlgorithmNames() }

// thumbprintOf returns the thumbprint of a key, as in the confirmation jkt of a token: RFC 7638.
func thumbprintOf(key *jose.JSONWebKey) (string, error) {
	sum, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		return "", fmt.Errorf("dpop: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sum), nil
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
