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

// A Token is what a verified access token says. It is the [transport.Identity] of whoever sent it, and shared by the
// requests that have it: nobody may change it.
//
// The text of the access token is in no output of fmt, log/slog and encoding/json.
type Token struct {
	// Issuer is the authorization server, Subject the user or the machine that the token is about, ClientID
	// the client to which it was issued.
	Issuer, Subject, ClientID string

	// Audience has the resources that the token is for: RFC 9068 section 3.
	Audience []string

	// Scopes are what the token allows.
	Scopes []string

	// Expiry is when the token ends. Zero is never.
	Expiry time.Time

	// KeyThumbprint is that of the key to which the token is bound; only who proves to have the key may use
	// the token. Empty means that whoever has the token may use it. See RFC 9449 section 6.1.
	KeyThumbprint string

	// Claims has all claims, or the whole response to an introspection: a JSON object. See [Token.Claim].
	Claims wire.Raw

	leeway time.Duration
	raw    *string // a pointer, since what package reflect sees is the address
}

// A Token is the identity of a request.
var _ transport.Identity = (*Token)(nil)

// FromContext returns the token of the request that a context belongs to, and nil if the request has none.
func FromContext(ctx context.Context) *Token {
	if t, ok := transport.IdentityFrom(ctx).(interface{ token() *Token }); ok {
		return t.token()
	}
	return nil
}

func (t *Token) token() *Token { return t }

// Principal returns the name of the subject: the issuer, "#", and the subject, since no issuer has a fragment. A
// token without a subject is about its client.
func (t *Token) Principal() string {
	if t.Subject == "" {
		return t.Issuer + "?client_id=" + url.QueryEscape(t.ClientID)
	}
	return t.Issuer + "#" + t.Subject
}

// Missing returns those of the scopes that the token does not have.
func (t *Token) Missing(scopes []string) []string {
	return missing(scopes, t.Scopes, func(granted, wanted string) bool { return granted == wanted })
}

// Expires returns when the token is not accepted any more: its expiry, and the leeway of who verified it.
func (t *Token) Expires() time.Time {
	if t.Expiry.IsZero() {
		return t.Expiry
	}
	return t.Expiry.Add(t.leeway)
}

// Claim decodes a claim into v as encoding/json does. It returns an error if there is none.
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

// withText returns the token with its text, by which an [Exchanger] gets others. A verifier that is not of this
// package does not set it.
func (t *Token) withText(text string) *Token {
	if t.raw != nil {
		return t
	}
	c, own := *t, text // text itself would be allocated for every request
	c.raw = &own
	return &c
}

// check reports why a token identifies nobody.
func (t *Token) check() error {
	if strings.ContainsAny(t.Issuer, "#?") {
		return errors.New("the issuer has a query or a fragment")
	}
	if t.Subject == "" && t.ClientID == "" {
		return &InvalidTokenError{"the token names neither a subject nor a client"}
	}
	return nil
}

// String returns who the token is about and what it allows, without its text.
func (t *Token) String() string {
	s := fmt.Sprintf("token of %q, client %q, scopes %q", t.Principal(), t.ClientID, t.Scopes)
	if !t.Expiry.IsZero() {
		s += ", until " + t.Expiry.UTC().Format(time.RFC3339)
	}
	return s
}

// GoString returns what [Token.String] returns.
func (t *Token) GoString() string { return t.String() }

// LogValue returns who the token is about and what it allows.
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

// A covering token has scopes that cover others.
type coveringToken struct {
	*Token
	covers func(granted, wanted string) bool
}

func (t *coveringToken) Missing(scopes []string) []string {
	return missing(scopes, t.Scopes, t.covers)
}

// withScopes returns the identity of a token whose scopes cover others.
func withScopes(t *Token, covers func(granted, wanted string) bool) transport.Identity {
	if covers == nil {
		return t
	}
	return &coveringToken{t, covers}
}
