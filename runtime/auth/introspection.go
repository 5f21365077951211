package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/flights"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// IntrospectionOptions configures an [Introspector]. Of the limits, 0 is the default, and a negative value is no limit.
type IntrospectionOptions struct {
	// Issuer is the authorization server whose tokens are accepted.
	Issuer string

	// Endpoint is the URL of its introspection endpoint, as its metadata has it: introspection_endpoint of RFC 8414 section 2.
	Endpoint string

	// Credentials authenticate this server.
	Credentials Credentials

	// Audiences are the names of this resource in the member aud: its canonical URI, and any other name that the
	// authorization server has for it. A token that is for none of them is refused.
	Audiences []string

	// AnyAudience accepts tokens for which the response has no audience. It is for authorization servers that
	// report a token as active only to the resource for which it was issued.
	AnyAudience bool

	// Scopes returns the scopes in a response, a JSON object. The default takes them from scope, or else from
	// scp.
	Scopes func(response wire.Raw) []string

	// MaxAge is how long a response is used before the authorization server is asked again about the token. By
	// default it is used until the token expires, or for 1 minute if the response does not say when. A revoked
	// token may be accepted for that long. If MaxAge is negative, no response is remembered.
	MaxAge time.Duration

	// MaxTokens is how many responses are remembered: 10,000 if 0. Each takes about the length of the token
	// and the response.
	MaxTokens int

	// Transport sends the requests. The default reaches public addresses only, and loopback addresses if the
	// issuer has one.
	Transport http.RoundTripper
}

// maxFlights is how many introspections are under way at the same time.
const maxFlights = 64

// inactiveTime is how long an inactive token is remembered.
const inactiveTime = 10 * time.Second

// An Introspector is a [Verifier] that asks the authorization server about access tokens: RFC 7662. It remembers the
// responses, and asks once for all requests that wait for the same one. It remembers for 10 seconds that a token is
// not active.
type Introspector struct {
	opts   IntrospectionOptions
	client *http.Client

	// What was asked is remembered by the hash of the token. Tokens that are not active have a cache of their own: anybody
	// can make up any number of these, and they must not drive out those of others.
	active   *cache[introspected]
	inactive *cache[introspected]

	// Requests to the authorization server are shared among the senders of requests. Otherwise whoever sends many random
	// tokens would keep all others waiting.
	flights *flights.Group[tokenKey, introspected]
}

// introspected is the remembered result of an introspection.
type introspected struct {
	token *Token // nil if it is not active
	err   error  // why it is not active
	until time.Time
}

// NewIntrospector returns a verifier. Nothing is fetched before the first token.
func NewIntrospector(opts *IntrospectionOptions) (*Introspector, error) {
	o := option.Of(opts)
	var err error
	if o.Audiences, err = audiences(o.Audiences); err != nil {
		return nil, errors.New("auth: IntrospectionOptions: want an audience")
	}
	if err := o.Credentials.check(); err != nil {
		return nil, err
	}
	client, err := clientFor(o.Issuer, o.Transport)
	if err != nil {
		return nil, err
	}
	if _, err := fetch.ParseURL(o.Endpoint, true); err != nil {
		return nil, fmt.Errorf("auth: IntrospectionOptions.Endpoint: %w", err)
	}
	max := option.Limit(o.MaxTokens, 10_000)
	return &Introspector{
		opts: o, client: client,
		active: newCache[introspected](max), inactive: newCache[introspected](max),
		flights: flights.New[tokenKey, introspected](maxFlights),
	}, nil
}

// Verify implements [Verifier].
func (v *Introspector) Verify(ctx context.Context, token string) (*Token, error) {
	if len(token) > maxToken {
		return nil, invalid("the token has more than %d bytes", maxToken)
	}
	key := keyOf(token)
	now := time.Now()
	known, ok := v.remembered(key, now)
	if !ok {
		var err error
		if known, err = v.flights.Do(ctx, key, func(ctx context.Context) (introspected, error) {
			if known, ok := v.remembered(key, now); ok { // a request has just ended
				return known, nil
			}
			return v.introspect(ctx, key, token)
		}); err != nil {
			return nil, err
		}
	}
	if known.err != nil {
		return nil, known.err
	}
	return known.token.unexpired(now)
}

// remembered returns an earlier response, unless it is too old.
func (v *Introspector) remembered(key tokenKey, now time.Time) (introspected, bool) {
	known, _ := v.active.get(key)
	if !now.Before(known.until) {
		known, _ = v.inactive.get(key)
	}
	return known, now.Before(known.until)
}

// introspect asks about a token, and remembers the response. What went wrong is not remembered: the next request asks again.
func (v *Introspector) introspect(ctx context.Context, key tokenKey, text string) (introspected, error) {
	t, err := v.ask(ctx, text)
	now := time.Now()
	switch {
	case err == nil:
		known := introspected{token: t, until: v.until(t, now)}
		v.active.put(key, known)
		return known, nil
	case isInvalid(err):
		known := introspected{err: err, until: now.Add(inactiveTime)}
		v.inactive.put(key, known)
		return known, nil
	}
	return introspected{}, err
}

// until returns the time until which a response is used.
func (v *Introspector) until(t *Token, now time.Time) time.Time {
	age := v.opts.MaxAge
	switch {
	case age < 0:
		return now
	case age == 0 && !t.Expiry.IsZero():
		return t.Expiry
	case age == 0:
		age = time.Minute
	}
	if end := now.Add(age); t.Expiry.IsZero() || end.Before(t.Expiry) {
		return end
	}
	return t.Expiry
}

// ask sends an introspection request: RFC 7662 section 2.1.
func (v *Introspector) ask(ctx context.Context, text string) (*Token, error) {
	h, form := http.Header{}, url.Values{"token": {text}, "token_type_hint": {"access_token"}}
	if err := v.opts.Credentials.authenticate(v.opts.Issuer, h, form); err != nil {
		return nil, err
	}
	var response json.RawMessage
	_, err := fetch.PostForm(ctx, v.client, v.opts.Endpoint, h, form, &response)
	switch {
	case unsupported(err):
		return nil, invalid("the authorization server does not introspect such tokens")
	case err != nil:
		return nil, fmt.Errorf("auth: introspection at %s: %w", v.opts.Endpoint, err)
	}
	return v.parse(response, text)
}

// unsupported reports whether an error says that the server does not introspect tokens of this kind. RFC 7662 has no
// code for that; servers use that of RFC 7009 section 2.2.1.
func unsupported(err error) bool {
	status, ok := errors.AsType[*fetch.StatusError](err)
	if !ok || status.Status != http.StatusBadRequest {
		return false
	}
	code, _ := oauth.ErrorOf(status)
	return code == "unsupported_token_type"
}

// parse returns the token of a response: RFC 7662 section 2.2. Only active is required there. A response without an issuer is
// about a token of the server that was asked; one without an audience is refused unless the options say otherwise, since the
// token could have been issued for any resource.
func (v *Introspector) parse(response []byte, text string) (*Token, error) {
	c, err := decodeClaims(response)
	if err != nil {
		return nil, fmt.Errorf("auth: introspection: %w", err)
	}
	if !c.Active {
		return nil, invalid("the token is not active")
	}
	t, err := c.token(response, 0, v.opts.Scopes)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Issuer == "":
		t.Issuer = v.opts.Issuer
	case t.Issuer != v.opts.Issuer:
		return nil, invalid("the token has another issuer")
	}
	if len(t.Audience) == 0 && v.opts.AnyAudience {
		t.Audience = v.opts.Audiences
	}
	if !forAudience(t.Audience, v.opts.Audiences) {
		return nil, invalid("the token is for another resource")
	}
	now := time.Now()
	if now.Before(c.NotBefore.Time()) {
		return nil, invalid("the token is not valid yet")
	}
	t.raw = &text
	return t.unexpired(now)
}
