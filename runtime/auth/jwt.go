package auth

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// JWTOptions configures a [JWTVerifier]. Of the limits, 0 is the default, and a negative value is no limit.
type JWTOptions struct {
	// Issuers are the authorization servers whose tokens are accepted, exactly as in the claim iss. Their metadata says
	// where their keys are: RFC 8414 section 2, OpenID Connect Discovery 1.0 section 3.
	Issuers []string

	// Audiences are the names of this resource in the claim aud: its canonical URI, and any other name that an
	// authorization server has for it. A token that is for none of them is refused.
	Audiences []string

	// Types are the values that the header typ may have, without "application/"; an empty string means that it
	// may be absent. The default is at+jwt, as in RFC 9068, and JWT or none, as most servers have it.
	Types []string

	// Scopes returns the scopes in the claims of a token, a JSON object. The default takes them from scope,
	// as in RFC 9068, or else from scp.
	Scopes func(claims wire.Raw) []string

	// Leeway is how much the clock of an authorization server may differ from that of this machine: 1
	// minute if 0. If negative, there is no leeway.
	Leeway time.Duration

	// MaxTokens is how many verified tokens are remembered, 10,000 if 0, so that they need not be verified
	// again until they expire or the keys are fetched again. Each takes about three times its length.
	MaxTokens int

	// Transport sends the requests for metadata and keys. The default reaches public addresses only, and loopback
	// addresses if the issuer has one.
	Transport http.RoundTripper
}

// maxToken is how many bytes a token may have.
const maxToken = 16 << 10

// A JWTVerifier is a [Verifier] of access tokens that are signed JWTs: RFC 9068 section 4, RFC 7519. It fetches the
// keys of the authorization server, again every 15 minutes, in the background, and at most once a minute if a token has
// an unknown key. So a withdrawn key is usually accepted for little longer than 15 minutes; keys that cannot be fetched
// again are used for an hour.
//
// A token may be signed with ES256, ES384, ES512, EdDSA, PS256, PS384, PS512, RS256, RS384 or RS512.
//
// A token is accepted until it expires or its key is withdrawn: a JWTVerifier does not notice that it was revoked.
// Where that is not enough, use an [Introspector].
type JWTVerifier struct {
	opts     JWTOptions
	sets     map[string]*keySet // by issuer
	verified *cache[verifiedJWT]
}

// A verifiedJWT is a token with the keys of which one verified it. It is verified again when they have been fetched again, so
// that it ends with its key.
type verifiedJWT struct {
	token *Token
	keys  *keyList
	set   *keySet
}

// NewJWTVerifier returns a verifier. Nothing is fetched before the first token.
func NewJWTVerifier(opts *JWTOptions) (*JWTVerifier, error) {
	v := &JWTVerifier{opts: option.Of(opts), sets: map[string]*keySet{}}
	o := &v.opts
	var err error
	if o.Audiences, err = audiences(o.Audiences); err != nil || len(o.Issuers) == 0 {
		return nil, errors.New("auth: JWTOptions: want an issuer and an audience")
	}
	if o.Types == nil {
		o.Types = []string{"at+jwt", "JWT", ""}
	}
	o.Leeway = max(cmp.Or(o.Leeway, time.Minute), 0)
	v.verified = newCache[verifiedJWT](option.Limit(o.MaxTokens, 10_000))
	for _, issuer := range o.Issuers {
		client, err := clientFor(issuer, o.Transport)
		if err != nil {
			return nil, err
		}
		v.sets[issuer] = &keySet{issuer: issuer, client: client}
	}
	return v, nil
}

// clientFor returns an HTTP client for URLs that an authorization server names. It reaches this machine only if the
// server is on it.
func clientFor(issuer string, transport http.RoundTripper) (*http.Client, error) {
	u, err := parseURI(issuer)
	if err != nil {
		return nil, fmt.Errorf("auth: the issuer: %w", err)
	}
	return fetch.New(fetch.Options{Loopback: web.IsLoopback(u.Hostname()), Base: transport}), nil
}

// Verify implements [Verifier].
func (v *JWTVerifier) Verify(ctx context.Context, token string) (*Token, error) {
	key := keyOf(token)
	if known, ok := v.verified.get(key); ok {
		keys, err := known.set.current(ctx)
		if err != nil {
			return nil, err
		}
		if keys == known.keys {
			return known.token.unexpired(time.Now())
		}
	}
	verified, err := v.verify(ctx, token)
	if err != nil {
		return nil, err
	}
	v.verified.put(key, *verified)
	return verified.token, nil
}

// verify verifies a token that is not remembered.
func (v *JWTVerifier) verify(ctx context.Context, text string) (*verifiedJWT, error) {
	if len(text) > maxToken {
		return nil, invalid("the token has more than %d bytes", maxToken)
	}
	signed, err := v.parse(text)
	if err != nil {
		return nil, err
	}
	// Cheap checks come first, so that nobody makes this server fetch keys or verify signatures by tokens that could not be
	// accepted in any case. The claims are not trusted until the signature is verified.
	header, payload := signed.Signatures[0].Protected, signed.UnsafePayloadWithoutVerification()
	c, err := decodeClaims(payload)
	if err != nil {
		return nil, invalid("the claims of the token are invalid: %s", printable(err.Error()))
	}
	set := v.sets[c.Issuer]
	if set == nil {
		return nil, invalid("the token has another issuer")
	}
	if err := v.checkClaims(c); err != nil {
		return nil, err
	}
	keys, list, err := set.find(ctx, header.KeyID, header.Algorithm)
	if err != nil {
		return nil, err
	}
	// A token without a key id may be signed by any of them.
	for _, k := range keys {
		if _, err := signed.Verify(k.Key); err == nil {
			t, err := c.token(payload, v.opts.Leeway, v.opts.Scopes)
			if err != nil {
				return nil, err
			}
			t.raw = &text
			return &verifiedJWT{t, list, set}, nil
		}
	}
	if len(keys) == 0 {
		return nil, invalid("the token is signed by an unknown key")
	}
	return nil, invalid("the signature of the token is wrong")
}

// parse parses a token, a JWS in the compact serialization, and checks its header: RFC 7515 section 7.1. Keys in the header
// count for nothing: the signature is verified by those of the issuer.
func (v *JWTVerifier) parse(text string) (*jose.JSONWebSignature, error) {
	strict := strings.Count(text, ".") == 2 && !strings.ContainsAny(text, "\r\n")
	for part := range strings.SplitSeq(text, ".") { // package jose ignores bits beyond the last byte, and line breaks
		_, err := base64.RawURLEncoding.Strict().DecodeString(part)
		strict = strict && err == nil
	}
	if !strict {
		return nil, invalid("the token is not a JWT: want three parts in base64url")
	}
	signed, err := jose.ParseSignedCompact(text, oauth.Algorithms)
	if other, ok := errors.AsType[*jose.ErrUnexpectedSignatureAlgorithm](err); ok {
		return nil, invalid("the token is signed with the algorithm %q, which is not accepted", printable(string(other.Got)))
	}
	if err != nil {
		return nil, invalid("the token is not a JWT: %s", printable(err.Error()))
	}
	extra := signed.Signatures[0].Protected.ExtraHeaders
	// An extension that must be understood (RFC 7515 section 4.1.11) is refused, and so is that of RFC 7797, which
	// changes what is signed.
	for _, name := range []jose.HeaderKey{"crit", "b64"} {
		if _, has := extra[name]; has {
			return nil, invalid("the token is not a JWT: extensions of the header are not supported")
		}
	}
	typ, isText := extra[jose.HeaderType].(string)
	if _, has := extra[jose.HeaderType]; has && !isText {
		return nil, invalid("the token is not a JWT: typ: want a string")
	}
	// RFC 7515 section 4.1.9: the prefix is left out, or not, and case does not matter.
	if i := len("application/"); len(typ) > i && strings.EqualFold(typ[:i], "application/") {
		typ = typ[i:]
	}
	if !slices.ContainsFunc(v.opts.Types, func(t string) bool { return strings.EqualFold(t, typ) }) {
		return nil, invalid("the token has the type %q, which is not accepted as an access token", printable(typ))
	}
	return signed, nil
}

// checkClaims checks the audience of a token and the times between which it is valid.
func (v *JWTVerifier) checkClaims(c *claims) error {
	if !forAudience(c.Audience, v.opts.Audiences) {
		return invalid("the token is for another resource")
	}
	now := time.Now()
	switch {
	case c.Expiry == nil:
		return invalid("the token has no expiry")
	case !now.Before(c.Expiry.Time().Add(v.opts.Leeway)):
		return invalid("the token is expired")
	case now.Add(v.opts.Leeway).Before(c.NotBefore.Time()):
		return invalid("the token is not valid yet")
	}
	return nil
}

// audiences returns the names of a resource, with URIs in their canonical form.
func audiences(names []string) ([]string, error) {
	list := slices.Clone(names)
	for i, name := range list {
		if uri, err := CanonicalURI(name); err == nil {
			list[i] = uri
		}
	}
	if len(list) == 0 || slices.Contains(list, "") {
		return nil, errors.New("want an audience")
	}
	return list, nil
}

// forAudience reports whether a token is for one of the audiences of this resource.
func forAudience(token, audiences []string) bool {
	for _, own := range audiences {
		for _, a := range token {
			if sameURI(a, own) {
				return true
			}
		}
	}
	return false
}

// printable returns the beginning of a foreign value, fit for an error description: RFC 6750 section 3.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, excerpt.Of(s))
}
