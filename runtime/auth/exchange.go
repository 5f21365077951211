package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/flights"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// ExchangeOptions configures an [Exchanger]. Of the limits, 0 is the default, and a negative value is no limit.
type ExchangeOptions struct {
	// Issuer is the authorization server that exchanges tokens.
	Issuer string

	// Endpoint is its token endpoint. The default is that of its metadata: RFC 8414 section 2.
	Endpoint string

	// Credentials authenticate this server.
	Credentials Credentials

	// Audience and Resource name the services that the new token is for: RFC 8693 section 2.1. Scopes are those
	// to request.
	Audience, Resource []string
	Scopes             []string

	// OnBehalfOf uses the on-behalf-of flow of Microsoft Entra ID in place of RFC 8693: a JWT bearer grant with
	// requested_token_use. There, the scopes name the service.
	OnBehalfOf bool

	// MaxTokens is how many new tokens are remembered, each until it or the token that it was exchanged for
	// expires: 1,000 if 0.
	MaxTokens int

	// Transport sends the requests. The default reaches public addresses only, and loopback addresses if the
	// issuer has one.
	Transport http.RoundTripper
}

// An Exchanger exchanges the access tokens of requests for tokens for other services, which a handler may then call on
// behalf of the user: RFC 8693. A token that was sent to this server is for no other, so it must not be passed on.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#access-token-privilege-restriction
type Exchanger struct {
	opts     ExchangeOptions
	endpoint endpoint
	tokens   *cache[*oauth2.Token]
	flights  *flights.Group[tokenKey, *oauth2.Token]
}

// NewExchanger returns an exchanger. Nothing is fetched before the first token.
func NewExchanger(opts *ExchangeOptions) (*Exchanger, error) {
	o := option.Of(opts)
	e := &Exchanger{
		opts: o,
		endpoint: endpoint{
			use: "exchange", issuer: o.Issuer, url: o.Endpoint, credentials: o.Credentials,
			name: "token_endpoint", of: func(m *AuthorizationServerMetadata) string { return m.TokenEndpoint },
		},
		tokens:  newCache[*oauth2.Token](option.Limit(o.MaxTokens, 1000)),
		flights: flights.New[tokenKey, *oauth2.Token](maxFlights),
	}
	return e, e.endpoint.open(o.Transport)
}

// expiryMargin is how long before its expiry a token is no longer used, since the call itself takes time.
const expiryMargin = 30 * time.Second

// Transport returns a transport for handlers: it sends each HTTP request on behalf of the caller whose request is being
// handled, found in the context of the HTTP request. A nil base is [http.DefaultTransport]:
//
//	api := &http.Client{Transport: exchanger.Transport(nil)}
func (e *Exchanger) Transport(base http.RoundTripper) http.RoundTripper {
	return &exchangeTransport{e, base}
}

type exchangeTransport struct {
	exchanger *Exchanger
	base      http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *exchangeTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	token, err := t.exchanger.Token(r.Context())
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	send := oauth2.Transport{Source: oauth2.StaticTokenSource(token), Base: t.base}
	return send.RoundTrip(r)
}

// Token returns a token for calls on behalf of the sender of a request; ctx is the context of its handler. It is an
// error if the request has no token. Calls that need the same new token share one exchange.
func (e *Exchanger) Token(ctx context.Context) (*oauth2.Token, error) {
	caller := FromContext(ctx)
	if caller == nil || caller.raw == nil {
		return nil, errors.New("auth: exchange: the request has no access token")
	}
	if _, err := caller.unexpired(time.Now()); err != nil {
		return nil, err
	}
	key := keyOf(*caller.raw)
	t := e.remembered(key)
	if t == nil {
		var err error
		sender := share.With(ctx, share.Of(caller.Principal(), "", nil))
		t, err = e.flights.Do(sender, key, func(ctx context.Context) (*oauth2.Token, error) {
			if t := e.remembered(key); t != nil { // an exchange has just ended
				return t, nil
			}
			t, err := e.exchange(ctx, *caller.raw)
			if err == nil {
				e.tokens.put(key, t)
			}
			return t, err
		})
		if err != nil {
			return nil, err
		}
	}
	return new(*t), nil // the caller may change it
}

// remembered returns the token of an earlier exchange, nil if there is none or it is about to end.
func (e *Exchanger) remembered(key tokenKey) *oauth2.Token {
	t, ok := e.tokens.get(key)
	if !ok || !t.Expiry.IsZero() && time.Until(t.Expiry) <= expiryMargin {
		return nil
	}
	return t
}

func (e *Exchanger) exchange(ctx context.Context, subject string) (*oauth2.Token, error) {
	var r oauth.TokenResponse
	if err := e.endpoint.post(ctx, e.form(subject), &r); err != nil {
		return nil, exchangeError(err, subject)
	}
	if r.AccessToken == "" || !strings.EqualFold(r.TokenType, "Bearer") {
		return nil, fmt.Errorf("auth: exchange: want a token of the type Bearer from %s, got %q", e.opts.Issuer, excerpt.Of(r.TokenType))
	}
	t := &oauth2.Token{AccessToken: r.AccessToken, TokenType: "Bearer"}
	if lifetime := r.Lifetime(); lifetime > 0 {
		t.Expiry = time.Now().Add(lifetime)
	}
	return t, nil
}

// typeAccessToken is a type of tokens: RFC 8693 section 3.
const typeAccessToken = "urn:ietf:params:oauth:token-type:access_token"

// form returns the parameters of a token request.
func (e *Exchanger) form(subject string) url.Values {
	form := url.Values{}
	if len(e.opts.Scopes) > 0 {
		form.Set("scope", strings.Join(e.opts.Scopes, " "))
	}
	if e.opts.OnBehalfOf {
		form.Set("grant_type", oauth.GrantJWTBearer)
		form.Set("assertion", subject)
		form.Set("requested_token_use", "on_behalf_of")
		return form
	}
	form.Set("grant_type", oauth.GrantTokenExchange)
	form.Set("subject_token", subject)
	form.Set("subject_token_type", typeAccessToken)
	form.Set("requested_token_type", typeAccessToken)
	for name, values := range map[string][]string{"audience": e.opts.Audience, "resource": e.opts.Resource} {
		if len(values) > 0 {
			form[name] = values
		}
	}
	return form
}

// exchangeError adds to an error what the authorization server says about it, but without the token: RFC 6749
// section 5.2.
func exchangeError(err error, subject string) error {
	status, ok := errors.AsType[*fetch.StatusError](err)
	if !ok {
		return err
	}
	text, description := oauth.ErrorOf(status)
	if text == "" {
		return err
	}
	if description != "" {
		text += ": " + description
	}
	return fmt.Errorf("%w: %q", err, excerpt.Of(strings.ReplaceAll(text, subject, "…")))
}
