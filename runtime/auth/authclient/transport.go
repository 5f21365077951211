package authclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// A Transport is an [http.RoundTripper] that adds an access token to requests to the origin of an endpoint. Several
// clients of the endpoint may share it. It is safe for concurrent use: calls that need a new token at the same time
// wait for the same one.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#access-token-usage
type Transport struct {
	opts     Options
	endpoint *url.URL
	base     http.RoundTripper
	fetch    *http.Client

	mu     sync.Mutex
	closed bool
	loaded bool        // the store was read, once: later it is read when another token is needed
	token  *token      // the newest one
	flight *flight     // one that is under way, or a login that has failed
	server *authServer // that was found last
	logins []time.Time // at which a user was asked to log in; only a flight uses it
}

// New returns a Transport for an endpoint: an https URL, or http on loopback. It sends nothing. Opts may be nil.
func New(endpoint string, opts *Options) (*Transport, error) {
	at, err := canonical(endpoint)
	if err != nil {
		return nil, err
	}
	t := &Transport{opts: opts.complete(), endpoint: at}
	if t.fetch = t.opts.HTTP; t.fetch == nil {
		t.fetch = fetch.New(fetch.Options{Loopback: web.IsLoopback(t.endpoint.Hostname())})
	}
	if t.base = t.opts.Base; t.base == nil {
		t.base = web.NewTransport()
	}
	return t, nil
}

// Format implements [fmt.Formatter]. It prints only the endpoint, so that no token is ever printed.
func (t *Transport) Format(s fmt.State, _ rune) {
	fmt.Fprintf(s, "authclient.Transport(%v)", t.endpoint)
}

// Login obtains a token if the server requires one and there is none yet. A client's first request does the same,
// but a client allows it little time, and assumes that a server that has not responded by then is an older one. So
// a program whose users log in should call Login before it connects.
func (t *Transport) Login(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, t.endpoint.String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "text/event-stream")
	resp, err := t.RoundTrip(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		return fmt.Errorf("authclient: %s responds with status %s", t.endpoint, resp.Status)
	}
	return nil
}

// Issuer returns the authorization server that was found last, or else that of the stored token; "" if no request has
// needed one. [AuthorizationCode].Open should show it to the user, beside the host of the login page.
func (t *Transport) Issuer() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.server != nil:
		return t.server.issuer
	case t.token != nil:
		return t.token.Issuer
	}
	return ""
}

// Close ends a login that is under way, and closes idle connections.
func (t *Transport) Close() error {
	t.mu.Lock()
	t.closed = true
	if t.flight != nil {
		t.flight.abort(errClosed)
	}
	t.mu.Unlock()
	t.CloseIdleConnections()
	return nil
}

// CloseIdleConnections closes idle connections. An [http.Client] calls it.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// RoundTrip implements [http.RoundTripper]. It returns a response with status 401 or 403 only if a new token would not
// help. If a token cannot be obtained, the error says why.
//
// REQ AUTH06-07
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !web.SameOrigin(t.endpoint, r.URL) {
		return t.base.RoundTrip(r)
	}
	// The request may have to be sent several times, each time with another token.
	body, err := replay(r)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	var e effort // bounds the attempts
	for {
		tok, err := t.current(ctx)
		if err != nil {
			return nil, err
		}
		resp, err := t.send(r, body, tok)
		if err != nil {
			return nil, err
		}
		d, ok := e.judge(resp, tok)
		if !ok || tok == nil && t.opts.Grant == Grant(Stored{}) {
			return resp, nil
		}
		err = t.renew(ctx, tok, d)
		if errors.Is(err, errStored) {
			return resp, nil // which says what the stored token lacks
		}
		discard(resp)
		if err != nil {
			return nil, err
		}
	}
}

// send sends a request with a token, if there is one. The request of the caller does not change, and the response refers to it:
// nobody finds the token in what RoundTrip returns.
//
// REQ AUTH-05
func (t *Transport) send(r *http.Request, body func() (io.ReadCloser, error), tok *token) (*http.Response, error) {
	out := r.Clone(r.Context())
	var err error
	if out.Body, err = body(); err != nil {
		return nil, err
	}
	out.GetBody = body
	base := t.base
	if tok != nil {
		out.Header.Set("Authorization", tok.Type+" "+tok.Access)
		if tok.Key != nil {
			base = t.opts.Proofs.Transport(tok.Key, base)
		}
	}
	resp, err := base.RoundTrip(out)
	if err == nil {
		resp.Request = r // which has no token
	}
	return resp, err
}

// canonical returns the URL of an endpoint in the canonical form of resources.
func canonical(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, errors.New("authclient: the endpoint is not a URL")
	}
	u.Fragment, u.RawFragment, u.RawQuery, u.ForceQuery = "", "", "", false
	uri, err := auth.CanonicalURI(u.String())
	if err != nil {
		return nil, fmt.Errorf("authclient: endpoint: %w", err)
	}
	return url.Parse(uri)
}

// maxBody is how many bytes of a body are kept to be sent again, if the request has no GetBody.
const maxBody = 16 << 20

// replay returns a function that returns the body of a request each time that the request is sent. The body itself is
// closed.
func replay(r *http.Request) (func() (io.ReadCloser, error), error) {
	if r.Body == nil || r.Body == http.NoBody {
		return func() (io.ReadCloser, error) { return r.Body, nil }, nil
	}
	defer r.Body.Close()
	if r.GetBody != nil {
		return r.GetBody, nil
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxBody {
		return nil, fmt.Errorf("authclient: a body of more than %d bytes needs Request.GetBody, to be sent again", maxBody)
	}
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }, nil
}

// discard closes the body of a response that is not returned. It first reads the body if that is small, so that the
// connection can be reused.
func discard(resp *http.Response) {
	io.CopyN(io.Discard, resp.Body, 4<<10)
	resp.Body.Close()
}
