// Package oauth has what authorization servers and the clients of token endpoints have in common: programs whose users
// log in, and resource servers that introspect and exchange tokens.
package oauth

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

// The types of grants that are URIs.
const (
	GrantJWTBearer     = "urn:ietf:params:oauth:grant-type:jwt-bearer"     // RFC 7523 section 2.1
	GrantTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange" // RFC 8693 section 2.1
)

// Characters of identifiers.
const (
	Alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	Unreserved   = Alphanumeric + "-._~" // RFC 3986 section 2.3
)

// IsScope reports whether a text is a scope-token of RFC 6749 section 3.3.
func IsScope(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c == '"' || c == '\\' || c > '~' {
			return false
		}
	}
	return s != ""
}

// IsToken68 reports whether a text is a token68 of RFC 9110 section 11.2. Access tokens have this form (RFC 6750 section 2.1),
// so that none can be taken for anything else in a header.
func IsToken68(s string) bool {
	body := strings.TrimRight(s, "=")
	return body != "" && strings.Trim(body, Unreserved+"+/") == ""
}

// A TokenResponse is the response of a token endpoint: RFC 6749 section 5.1, RFC 8693 section 2.2.1.
type TokenResponse struct {
	AccessToken     string          `json:"access_token"`
	TokenType       string          `json:"token_type"`
	ExpiresIn       json.RawMessage `json:"expires_in"` // see Lifetime
	RefreshToken    string          `json:"refresh_token"`
	IssuedTokenType string          `json:"issued_token_type"`
}

// maxLifetime is the longest that a token counts as valid.
const maxLifetime = 10 * 365 * 24 * time.Hour

// Lifetime returns how long the access token is valid, or 0 if the server does not say. Some servers send the number of
// seconds as a string.
func (r *TokenResponse) Lifetime() time.Duration {
	seconds, err := strconv.ParseFloat(strings.Trim(string(r.ExpiresIn), `"`), 64)
	if err != nil || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, maxLifetime.Seconds()) * float64(time.Second))
}

// ErrorOf returns the error code and the description in an error response: RFC 6749 section 5.2. Both are empty if the
// body is not such a response.
func ErrorOf(e *fetch.StatusError) (code, description string) {
	var body struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	if fetch.Decode(e.Body, &body) != nil {
		return "", ""
	}
	return body.Code, body.Description
}
