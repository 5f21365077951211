package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Token is a verified access token. It is the [transport.Identity] of its sender. Requests with the same access token
// share it, so it must not be changed.
//
// Packages fmt, log/slog and encoding/json never print the text of the access token.
type Token struct {
	// Issuer is the authorization server, Subject the user or machine that the token is about, and ClientID the
	// client to which it was issued: RFC 9068 section 2.2.
	Issuer, Subject, ClientID string

	// Audience lists the resources that the token is for: RFC 9068 section 3.
	Audience []string

	// Scopes are what the token allows: RFC 6749 section 3.3.
	Scopes []string

	// Expiry is when the token expires. If zero, it does not.
	Expiry time.Time

	// KeyThumbprint identifies the key to which the token is bound: only who proves possession of that key may use
	// the token. If empty, whoever has the token may use it. See RFC 9449 section 6.1.
	KeyThumbprint string

	// Claims has all claims, or the whole response to an introspection: a JSON object. See [Token.Claim].
	Claims wire.Raw

	covers func(granted, wanted string) bool // nil: a scope covers itself alone
	leeway time.Duration
	raw    *string // a pointer, so that whatever prints a Token by reflection shows an address
}

var _ transport.Identity = (*Token)(nil)

// FromContext returns the token of the request that ctx belongs to, or nil if the request has none.
func FromContext(ctx context.Context) *Token {
	t, _ := transport.IdentityFrom(ctx).(*Token)
	return t
}

// Principal returns the name of the subject: the issuer, "#", and the subject, since no issuer has a fragment. If the
// token has no subject, the principal is the client.
func (t *Token) Principal() string {
	if t.Subject == "" {
		return t.Issuer + "?client_id=" + url.QueryEscape(t.ClientID)
	}
	return t.Issuer + "#" + t.Subject
}

// Missing returns those of scopes that no scope of the token covers. If the token has expired, it returns all of them: over
// stdio, where a token is verified once, nothing else would notice.
func (t *Token) Missing(scopes []string) []string {
	if _, err := t.unexpired(time.Now()); err != nil {
		return scopes
	}
	var missing []string
	for _, wanted := range scopes {
		if !slices.ContainsFunc(t.Scopes, func(granted string) bool {
			return granted == wanted || t.covers != nil && t.covers(granted, wanted)
		}) {
			missing = append(missing, wanted)
		}
	}
	return missing
}

// Expires returns when the token is no longer accepted: its expiry plus the leeway of its verifier.
func (t *Token) Expires() time.Time {
	if t.Expiry.IsZero() {
		return t.Expiry
	}
	return t.Expiry.Add(t.leeway)
}

// Claim decodes a claim into v with encoding/json. It returns an error if the token does not have the claim.
func (t *Token) Claim(name string, v any) error {
	var claims map[string]json.RawMessage
	if err := json.Unmarshal(t.Claims, &claims); err != nil {
		return fmt.Errorf("auth: claims: %w", err)
	}
	claim, ok := claims[name]
	if !ok {
		return fmt.Errorf("auth: the token has no claim %q", name)
	}
	return json.Unmarshal(claim, v)
}

// SubjectToken returns the access token itself, to be exchanged for a token for another service: the parameter subject_token
// of RFC 8693 section 2.1. It must go nowhere but to the token endpoint of the authorization server, since a token that was
// sent to this server is for no other.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#access-token-privilege-restriction
func (t *Token) SubjectToken() string {
	if t.raw == nil {
		return ""
	}
	return *t.raw
}

// withText returns the token with its text. Verifiers of other packages cannot set it.
func (t *Token) withText(text string) *Token {
	if t.raw != nil {
		return t
	}
	c, own := *t, text // a pointer to the parameter would allocate for every request
	c.raw = &own
	return &c
}

// check returns an error if a token identifies nobody.
func (t *Token) check() error {
	if strings.ContainsAny(t.Issuer, "#?") {
		return errors.New("the issuer has a query or a fragment")
	}
	if t.Subject == "" && t.ClientID == "" {
		return invalid("the token names neither a subject nor a client")
	}
	return nil
}

// LogValue implements [slog.LogValuer]. The value does not have the text of the token.
func (t *Token) LogValue() slog.Value {
	return slog.GroupValue(slog.String("principal", t.Principal()), slog.String("client", t.ClientID),
		slog.Any("scopes", t.Scopes), slog.Time("expiry", t.Expiry))
}
