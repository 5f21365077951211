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

	leeway time.Duration
	raw    *string // a pointer, so that printing a Token by reflection shows an address
}

var _ transport.Identity = (*Token)(nil)

// FromContext returns the token of the request that ctx belongs to, or nil if the request has none.
func FromContext(ctx context.Context) *Token {
	if t, ok := transport.IdentityFrom(ctx).(interface{ token() *Token }); ok {
		return t.token()
	}
	return nil
}

func (t *Token) token() *Token { return t }

// Principal returns the name of the subject: the issuer, "#", and the subject, since no issuer has a fragment. If the
// token has no subject, the principal is the client.
func (t *Token) Principal() string {
	if t.Subject == "" {
		return t.Issuer + "?client_id=" + url.QueryEscape(t.ClientID)
	}
	return t.Issuer + "#" + t.Subject
}

// Missing returns the scopes that the token lacks.
func (t *Token) Missing(scopes []string) []string {
	return missing(scopes, t.Scopes, func(granted, wanted string) bool { return granted == wanted })
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

// withText returns the token with its text, which an [Exchanger] needs. Verifiers of other packages cannot set it.
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

// String returns a description of the token, without its text.
func (t *Token) String() string {
	s := fmt.Sprintf("token of %q, client %q, scopes %q", t.Principal(), t.ClientID, t.Scopes)
	if !t.Expiry.IsZero() {
		s += ", until " + t.Expiry.UTC().Format(time.RFC3339)
	}
	return s
}

// GoString returns what [Token.String] returns.
func (t *Token) GoString() string { return t.String() }

// LogValue implements [slog.LogValuer]. The value does not have the text of the token.
func (t *Token) LogValue() slog.Value {
	return slog.GroupValue(slog.String("principal", t.Principal()), slog.String("client", t.ClientID),
		slog.Any("scopes", t.Scopes), slog.Time("expiry", t.Expiry))
}

// missing returns the scopes that no granted one covers. A scope that is granted covers itself.
func missing(wanted, granted []string, covers func(granted, wanted string) bool) []string {
	var list []string
	for _, w := range wanted {
		if !slices.ContainsFunc(granted, func(g string) bool { return g == w || covers(g, w) }) {
			list = append(list, w)
		}
	}
	return list
}

// A coveringToken is a Token whose scopes may cover others.
type coveringToken struct {
	*Token
	covers func(granted, wanted string) bool
}

func (t *coveringToken) Missing(scopes []string) []string {
	return missing(scopes, t.Scopes, t.covers)
}

// withScopes returns the identity of a token whose scopes may cover others.
func withScopes(t *Token, covers func(granted, wanted string) bool) transport.Identity {
	if covers == nil {
		return t
	}
	return &coveringToken{t, covers}
}
