package authclient

// The token of a Transport is replaced once for all requests that need another one, in a goroutine that goes on when
// they give up: by one that another process has stored, by a refresh, or by the grant. The Transport owns the newest
// token and the flight, under its mutex; the store has what outlives the process.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A flight obtains a token. All calls that need the token wait for the same flight, which continues when they give
// up. If it is a login that fails, calls with the same demand that follow shortly after it fail with the same error, so that
// the user is not asked to log in again for each of them.
type flight struct {
	demand demand
	abort  context.CancelCauseFunc
	done   chan struct{}
	err    error     // set before done is closed
	until  time.Time // of a login that has failed, when calls may try again; guarded by Transport.mu
}

const failureTime = 10 * time.Second

// errLoginTime is the error of a login that takes too long.
var errLoginTime = errors.New("authclient: the login took too long")

// errClosed is the error of a login when the Transport is closed.
var errClosed = errors.New("authclient: the Transport is closed")

// current returns the token to send, nil if there is none. If it is about to expire, and can be replaced without a
// user, or lacks scopes of the options, current replaces it first.
func (t *Transport) current(ctx context.Context) (*token, error) {
	t.mu.Lock()
	err := t.load(ctx)
	tok := t.token
	t.mu.Unlock()
	if err != nil || tok == nil {
		return nil, err
	}
	d := demand{metadata: tok.Metadata, dpop: tok.Key != nil}
	switch {
	case !includes(tok.Requested, t.opts.Scopes): // it was stored by a program with other options
		d.stepUp, d.scopes = true, t.opts.Scopes
	case tok.expired(time.Now()) && (tok.Refresh != "" || t.opts.Grant.silent()):
		d.silent = true
	default:
		return tok, nil
	}
	if err := t.renew(ctx, tok, d); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.token, nil
}

// load reads the stored token, once. It is called with mu held.
func (t *Transport) load(ctx context.Context) error {
	if t.loaded {
		return nil
	}
	tok, err := t.stored(ctx)
	if err != nil {
		return err
	}
	t.token, t.loaded = tok, true
	return nil
}

// stored returns the token in the store, nil if there is none that can be used.
func (t *Transport) stored(ctx context.Context) (*token, error) {
	data, err := t.opts.Store.Load(ctx, t.tokenKey())
	if err != nil {
		return nil, fmt.Errorf("authclient: reading the stored token: %w", err)
	}
	tok, err := t.decode(data)
	if err != nil {
		t.opts.Logger.Warn("authclient: the stored token is not used", "endpoint", t.endpoint.String(), "error", err)
	}
	return tok, nil
}

// tokenKey is the key of the token in the store.
func (t *Transport) tokenKey() string { return "token " + t.endpoint.String() }

// renew replaces a token, which may be nil. If another call is already doing that, renew waits for it.
func (t *Transport) renew(ctx context.Context, old *token, d demand) error {
	for {
		f, err := t.flightFor(ctx, old, d)
		if f == nil {
			return err
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if f.err == nil || f.demand.same(d) {
			return f.err
		}
		// What failed was something else, such as a step-up to other scopes.
	}
}

// flightFor returns the flight that replaces an old token, which is over if a login has just failed. It returns nil if the
// token has been replaced meanwhile, or the Transport is closed, which is an error.
func (t *Transport) flightFor(ctx context.Context, old *token, d demand) (*flight, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.flight
	switch {
	case t.token != old:
		return nil, nil
	case t.closed:
		return nil, errClosed
	case last != nil && (last.until.IsZero() || time.Now().Before(last.until) && last.demand.same(d)):
		return last, nil
	}
	ctx, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	t.flight = &flight{demand: d, abort: abort, done: make(chan struct{})}
	go t.fly(ctx, t.flight, old)
	return t.flight, nil
}

// fly obtains a token, for as long as a login may take, whoever still waits for it. Close ends it. A flight that has failed
// stays for a while if it asked a user; any other one gives way to the next.
func (t *Transport) fly(ctx context.Context, f *flight, old *token) {
	defer f.abort(nil)
	late := fmt.Errorf("%w: want at most %v", errLoginTime, t.opts.LoginTime)
	ctx, cancel := context.WithTimeoutCause(ctx, t.opts.LoginTime, late)
	defer cancel()
	tok, err := t.replace(ctx, old, f.demand)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.err = err; err == nil {
		t.token = tok
	}
	if err != nil && !f.demand.silent {
		f.until = time.Now().Add(failureTime)
	} else {
		t.flight = nil
	}
	close(f.done)
}

// replace returns a token that replaces an old one: one that another process has obtained, or one from a refresh or
// from the grant. It tries them in this order, from what costs least to what bothers a user.
//
// A token belongs to the authorization server that issued it. If the resource has another one by now, the old token, its
// refresh token and its scopes are of no use, and neither is a refresh where more scopes are demanded, or a key.
//
// REQ AUTH26-07
func (t *Transport) replace(ctx context.Context, old *token, d demand) (*token, error) {
	if d.metadata == "" && old != nil {
		d.metadata = old.Metadata
	}
	s, err := t.serverFor(ctx, d)
	if err != nil {
		return nil, err
	}
	if tok, err := t.stored(ctx); err == nil && tok != nil && usable(tok, old, s, d) {
		return tok, nil
	}
	if old != nil && old.Issuer != s.issuer {
		old = nil
	}
	if old != nil && old.Refresh != "" && !d.stepUp && (!d.dpop || old.Key != nil) {
		tok, err := t.refresh(ctx, s, old)
		if tok != nil || err != nil {
			return tok, err
		}
		if d.silent && !t.opts.Grant.silent() || t.opts.Grant == Grant(Stored{}) {
			// Without a challenge it is not known what to log in for. The server will say.
			bare := *old
			bare.Refresh = ""
			return &bare, nil
		}
	}
	return t.login(ctx, s, old, d)
}

// usable reports whether a stored token differs from the old one and is worth trying.
func usable(stored, old *token, s *authServer, d demand) bool {
	return stored.Issuer == s.issuer && stored.Resource == s.resource && (old == nil || stored.Access != old.Access) &&
		!stored.expired(time.Now()) && includes(stored.Requested, d.scopes) && (!d.dpop || stored.Key != nil)
}

// login obtains a token by the grant.
func (t *Transport) login(ctx context.Context, s *authServer, old *token, d demand) (*token, error) {
	if s.meta.TokenEndpoint == "" {
		return nil, fmt.Errorf("authclient: the metadata of %s has no token_endpoint", s.issuer)
	}
	g := &flow{Transport: t, server: s, scopes: t.scopes(s, old, d)}
	// Scopes add up from one challenge to the next, so a server could make the list grow for ever.
	if len(g.scopes) > maxScopes {
		return nil, fmt.Errorf("authclient: the server asks for %d scopes, want at most %d", len(g.scopes), maxScopes)
	}
	if s.dpop || t.opts.RequireProofs {
		if t.opts.Proofs == nil {
			return nil, fmt.Errorf("authclient: %s wants tokens that are bound to a key (DPoP): this client has no Options.Proofs", t.endpoint)
		}
		var err error
		if g.key, err = t.opts.Proofs.NewKey(s.meta.DPoPSigningAlgValuesSupported); err != nil {
			return nil, fmt.Errorf("authclient: authorization server %s: %w", s.issuer, err)
		}
	}
	// What each request may ask for is bounded, but requests are not: a server could refuse each token for another reason.
	began := time.Now()
	if t.logins = slices.DeleteFunc(t.logins, func(at time.Time) bool { return began.Sub(at) >= loginWindow }); len(t.logins) >= maxLoginsInTime {
		return nil, fmt.Errorf("authclient: %s asked for %d logins within %v, and wants another one for the scopes %q",
			t.endpoint, len(t.logins), loginWindow, g.scopes)
	}
	tok, err := t.opts.Grant.obtain(ctx, g)
	if _, unseen := errors.AsType[*notShown](err); !unseen && err != errStored && !t.opts.Grant.silent() {
		t.logins = append(t.logins, began)
	}
	if err != nil {
		return nil, err
	}
	tok.fresh = true
	t.keep(ctx, "token", t.tokenKey(), tok)
	return tok, nil
}

// scopes returns the scopes to ask for: those in the challenge, or else those in the metadata, and those that were
// asked for before. See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization, Scope
// Selection Strategy.
//
// REQ AUTH11-12, AUTH11-13, AUTH26-08
func (t *Transport) scopes(s *authServer, old *token, d demand) []string {
	list := d.scopes
	if len(list) == 0 {
		list = s.scopes
	}
	if old != nil {
		list = union(old.Requested, list)
	}
	return union(list, t.opts.Scopes)
}
