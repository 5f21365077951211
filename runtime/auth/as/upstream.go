package as

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"golang.org/x/oauth2"
)

// An Upstream is another provider, at which users log in after they have consented here. Tokens of this server end
// with those of the provider. See https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization,
// Third-Party Authorization Flow.
type Upstream struct {
	// Config configures this server as a client of the provider. Its RedirectURL is always the server's issuer
	// followed by /callback.
	Config oauth2.Config

	// Issuer is the issuer of the provider. If it is not empty, a response that names another is refused; see
	// RFC 9207 section 2.4.
	Issuer string

	// User returns the user who has logged in; c sends the provider's token with each request. User is called after
	// the login, and again while the tokens of this server are used, at most once a minute. If the provider no longer honours its token,
	// the error must be or wrap [ErrUpstreamRevoked], and the grant is revoked. See [UserInfo].
	User func(ctx context.Context, c *http.Client) (*User, error)
}

// ErrUpstreamRevoked is the error of [Upstream.User] if the provider no longer honours its token.
var ErrUpstreamRevoked = errors.New("as: the provider does not honour its token any more")

// UserInfo returns an [Upstream.User] that asks the userinfo endpoint of the provider: OpenID Connect Core 1.0,
// section 5.3.
func UserInfo(endpoint string) func(ctx context.Context, c *http.Client) (*User, error) {
	return func(ctx context.Context, c *http.Client) (*User, error) {
		var info struct {
			Subject string `json:"sub"`
			Name    string `json:"name"`
		}
		_, err := fetch.Get(ctx, c, endpoint, nil, &info)
		var status *fetch.StatusError
		if errors.As(err, &status) && (status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden) {
			return nil, ErrUpstreamRevoked
		}
		if err != nil {
			return nil, fmt.Errorf("as: the userinfo endpoint of the provider: %w", err)
		}
		return &User{Subject: info.Subject, Name: info.Name}, nil
	}
}

func (u *Upstream) check(loopback bool) error {
	for _, endpoint := range []string{u.Config.Endpoint.AuthURL, u.Config.Endpoint.TokenURL} {
		if _, err := fetch.ParseURL(endpoint, loopback); err != nil {
			return fmt.Errorf("as: Options.Upstream: an endpoint: %w", err)
		}
	}
	if u.Config.ClientID == "" || u.User == nil {
		return errors.New("as: Options.Upstream: want a client id and User")
	}
	return nil
}

const (
	upstreamTime  = 10 * time.Minute       // how long a login at the provider may take
	upstreamAge   = time.Minute            // how long the result of a check of its token is used
	upstreamCheck = 30 * time.Second       // how long it may take to check and renew a token of the provider
	upstreamPause = 100 * time.Millisecond // time between looks at the claim of another request
	upstreamStart = 8                      // how much of a state is in the name of its cookie

	maxUpstreamRedirects = 5
)

// An upstreamFlow is an authorization whose user logs in upstream. Its state is made after the user has consented,
// and belongs to the browser.
type upstreamFlow struct {
	Authorization *authorization `json:"authorization"`
	Verifier      []byte         `json:"verifier"` // encrypted
	Cookie        digest         `json:"cookie"`
}

// upstreamConfig returns the configuration of this server as a client of the provider, and a context for requests
// to it.
func (s *Server) upstreamConfig(ctx context.Context) (*oauth2.Config, context.Context) {
	config := s.opts.Upstream.Config
	config.RedirectURL = s.url("/callback")
	return &config, context.WithValue(ctx, oauth2.HTTPClient, s.upstreamHTTP)
}

// withToken returns a client that sends a token with each request. It does not refresh the token, since nobody
// would store the new one. It would also send the token along redirects, so redirects to other hosts are errors.
func withToken(ctx context.Context, token *oauth2.Token) *http.Client {
	c := oauth2.NewClient(ctx, oauth2.StaticTokenSource(token))
	next := c.CheckRedirect
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		switch from := via[0].URL; {
		case r.URL.Scheme != from.Scheme || r.URL.Host != from.Host:
			return errors.New("the provider redirects a request with its token to another origin")
		case next != nil:
			return next(r, via)
		case len(via) > maxUpstreamRedirects:
			return fmt.Errorf("more than %d redirects", maxUpstreamRedirects)
		}
		return nil
	}
	return c
}

// startUpstream sends a browser whose user has consented to the provider.
func (s *Server) startUpstream(w http.ResponseWriter, r *http.Request, a *authorization) error {
	state, cookie, verifier := newSecret(), newSecret(), oauth2.GenerateVerifier()
	key := hashOf(state)
	flow := upstreamFlow{a, s.sealer.seal("state "+key, []byte(verifier)), digestOf(cookie)}
	if err := s.put(r.Context(), share.From(r.Context()), kindState, key, flow, 0, time.Now().Add(upstreamTime)); err != nil {
		return err
	}
	s.setCookie(w, stateCookie+state[:upstreamStart], cookie, upstreamTime)
	config, _ := s.upstreamConfig(r.Context())
	redirectTo(w, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)))
	return nil
}

// serveCallback handles the response of the provider.
func (s *Server) serveCallback(w http.ResponseWriter, r *http.Request) {
	p, err := readQuery(r)
	if err != nil {
		s.writeError(w, http.StatusBadRequest, "This link does not work", "Start again from the application.")
		return
	}
	flow, verifier, err := s.takeFlow(w, r, p.get("state"))
	if err != nil {
		s.writeConsentError(w, r, err)
		return
	}
	if err := s.finishUpstream(w, r, flow.Authorization, p, verifier); err != nil {
		e := s.asRefusal(r, err)
		redirectTo(w, s.responseURL(flow.Authorization, url.Values{"error": {e.code}, "error_description": {e.description}}))
	}
}

// takeFlow returns the flow with a state. The browser that sends the state must have started the flow. It can be
// taken once.
func (s *Server) takeFlow(w http.ResponseWriter, r *http.Request, state string) (*upstreamFlow, string, error) {
	if len(state) < upstreamStart {
		return nil, "", store.ErrNotFound
	}
	key := hashOf(state)
	flow := &upstreamFlow{}
	revision, err := s.load(r.Context(), kindState, key, flow)
	if err != nil {
		return nil, "", err
	}
	name := stateCookie + state[:upstreamStart]
	if !flow.Cookie.matches(s.cookie(r, name)) {
		return nil, "", errOtherBrowser
	}
	s.setCookie(w, name, "", 0)
	if err := s.take(r.Context(), kindState, key, revision); err != nil {
		return nil, "", err
	}
	verifier, err := s.sealer.open("state "+key, flow.Verifier)
	return flow, string(verifier), err
}

// finishUpstream exchanges the code of the provider, and grants what the client asked for. The provider's text
// about an error is not passed on.
func (s *Server) finishUpstream(w http.ResponseWriter, r *http.Request, a *authorization, p params, verifier string) error {
	u := s.opts.Upstream
	switch {
	case p.get("iss") != "" && u.Issuer != "" && p.get("iss") != u.Issuer:
		return refuse("server_error", "the response came from another provider")
	case p.get("error") == "access_denied":
		return refuse("access_denied", "the user or the provider did not allow it")
	case p.get("error") != "" || p.get("code") == "":
		return refuse("server_error", "the provider responded with an error")
	}
	config, ctx := s.upstreamConfig(r.Context())
	token, err := config.Exchange(ctx, p.get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		s.logger.WarnContext(ctx, "the provider did not exchange its code", "error", upstreamError(err))
		return refuse("server_error", "the provider did not exchange its code")
	}
	user, err := u.User(ctx, withToken(ctx, token))
	if err == nil {
		err = user.check()
	}
	if err != nil {
		s.logger.WarnContext(ctx, "the provider does not say who has logged in", "error", err)
		return refuse("server_error", "the provider does not say who has logged in")
	}
	id := newID()
	g := &grant{Subject: user.Subject, Checked: time.Now()}
	if err := s.sealUpstream(id, g, token); err != nil {
		return err
	}
	return s.grantCode(w, r, a, g, id)
}

// upstreamError returns the part of an error that may be logged: the response of a provider may have secrets.
func upstreamError(err error) string {
	var retrieve *oauth2.RetrieveError
	if errors.As(err, &retrieve) {
		return fmt.Sprintf("status %d, error %q", retrieve.Response.StatusCode, describe(retrieve.ErrorCode))
	}
	return err.Error()
}

func (s *Server) sealUpstream(id string, g *grant, token *oauth2.Token) error {
	text, err := json.Marshal(token)
	if err != nil {
		return err
	}
	g.Upstream = s.sealer.seal("upstream "+id, text)
	return nil
}

func (s *Server) openUpstream(id string, g *grant) (*oauth2.Token, error) {
	text, err := s.sealer.open("upstream "+id, g.Upstream)
	if err != nil {
		return nil, err
	}
	token := &oauth2.Token{}
	return token, json.Unmarshal(text, token)
}

// upstreamEnd returns when the provider's token ends if it cannot be refreshed; otherwise zero.
func (s *Server) upstreamEnd(id string, g *grant) (time.Time, error) {
	if g.Upstream == nil {
		return time.Time{}, nil
	}
	token, err := s.openUpstream(id, g)
	if err != nil || token.RefreshToken != "" {
		return time.Time{}, err
	}
	return token.Expiry, nil
}

// checkUpstream checks whether the provider still honours the token of a grant. If not, it revokes the grant and
// returns errInvalidToken. It returns another error if the provider cannot be asked now.
func (s *Server) checkUpstream(ctx context.Context, id string, g *grant) error {
	if g.Upstream == nil || time.Since(g.Checked) < upstreamAge {
		return nil
	}
	for {
		err := s.askUpstream(ctx, id)
		if !errors.Is(err, errClaimed) {
			return err
		}
		select {
		case <-time.After(upstreamPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// askUpstream asks the provider whether the user of a grant still has access. If another request is asking, it does not wait
// and returns errClaimed.
func (s *Server) askUpstream(ctx context.Context, id string) error {
	// The provider's new refresh token must be stored even if the request that needed it is cancelled.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), upstreamCheck)
	defer cancel()
	g, err := s.claimUpstream(ctx, id)
	switch {
	case errors.Is(err, errNoGrant):
		return errInvalidToken
	case errors.Is(err, errChecked):
		return nil
	case err != nil:
		return err
	}
	token, err := s.renewUpstream(ctx, id, g)
	if errors.Is(err, ErrUpstreamRevoked) {
		s.logger.InfoContext(ctx, "the provider does not honour its token any more; the grant is revoked", "client", g.Client, "subject", g.Subject)
		return errors.Join(errInvalidToken, s.revokeGrant(ctx, id))
	}
	_, failed := s.changeGrant(ctx, id, func(g *grant) (time.Time, error) {
		g.Claimed = time.Time{}
		if token == nil {
			return time.Time{}, nil
		}
		if err == nil {
			g.Checked = time.Now()
		}
		return time.Time{}, s.sealUpstream(id, g, token)
	})
	return errors.Join(err, failed)
}

var (
	errChecked = errors.New("as: another request has asked the provider")
	errClaimed = errors.New("as: another request is asking the provider")
)

// claimUpstream claims a grant until the deadline of ctx, so that of all requests, at all servers that share a
// store, only one asks the provider. The provider may take a second use of a refresh token for a theft.
func (s *Server) claimUpstream(ctx context.Context, id string) (*grant, error) {
	return s.changeGrant(ctx, id, func(g *grant) (time.Time, error) {
		switch now := time.Now(); {
		case now.Sub(g.Checked) < upstreamAge:
			return time.Time{}, errChecked
		case now.Before(g.Claimed):
			return time.Time{}, errClaimed
		}
		g.Claimed, _ = ctx.Deadline()
		return time.Time{}, nil
	})
}

// renewUpstream returns the provider's current token, after the provider has honoured it. If it returns a token
// with an error other than [ErrUpstreamRevoked], the token must be stored nevertheless, because the one before it
// is spent.
func (s *Server) renewUpstream(ctx context.Context, id string, g *grant) (*oauth2.Token, error) {
	if s.opts.Upstream == nil {
		return nil, ErrUpstreamRevoked // this server no longer has a provider
	}
	old, err := s.openUpstream(id, g)
	if errors.Is(err, errSealed) {
		return nil, ErrUpstreamRevoked
	}
	if err != nil {
		return nil, err
	}
	config, ctx := s.upstreamConfig(ctx)
	token, err := config.TokenSource(ctx, old).Token()
	var retrieve *oauth2.RetrieveError
	switch {
	case errors.As(err, &retrieve) && refused(retrieve), err != nil && old.RefreshToken == "":
		return nil, ErrUpstreamRevoked
	case err != nil:
		return nil, errors.New("as: the provider cannot be reached")
	}
	user, err := s.opts.Upstream.User(ctx, withToken(ctx, token))
	if err == nil && user.Subject != g.Subject {
		return nil, ErrUpstreamRevoked
	}
	return token, err
}

// refused reports whether the provider has refused a refresh token, rather than failed to respond.
func refused(e *oauth2.RetrieveError) bool {
	return e.ErrorCode == "invalid_grant" || e.Response.StatusCode == http.StatusBadRequest || e.Response.StatusCode == http.StatusUnauthorized
}
