package authclient

// After a login the authorization server sends the user's browser back to the redirect URI, with a code or an error. The
// grant listens there, on loopback, for as long as the login takes, or the program does. See RFC 8252 section 7.3.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

const defaultRedirectURI = "http://127.0.0.1/callback"

// listen returns the redirect URI, and the listener for the response to it, nil if the program receives that. It uses an
// earlier port again if that is free, since not all servers let the port vary as RFC 8252 section 7.3 demands.
//
// REQ AUTH-08
func (g *AuthorizationCode) listen(ctx context.Context, f *flow) (redirectURI string, l net.Listener, err error) {
	uri := cmp.Or(g.RedirectURI, defaultRedirectURI)
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" || u.Fragment != "" {
		return "", nil, fmt.Errorf("authclient: RedirectURI is %q, want an absolute URL without a fragment", uri)
	}
	if g.Authorize != nil {
		return uri, nil, checkRedirectURI(u)
	}
	if u.Scheme != "http" || !web.IsLoopback(u.Hostname()) {
		return "", nil, fmt.Errorf("authclient: RedirectURI is %q, want http on loopback, or Authorize to receive the response", uri)
	}
	ports := []string{u.Port()}
	if u.Port() == "" {
		ports = append(f.portsBefore(ctx, u), "0")
	}
	for _, port := range ports {
		if l, err = listenLoopback(ctx, u.Hostname(), port); err == nil {
			_, port, _ := net.SplitHostPort(l.Addr().String())
			u.Host = net.JoinHostPort(u.Hostname(), port)
			return u.String(), l, nil
		}
	}
	return "", nil, fmt.Errorf("authclient: RedirectURI %s: %w", uri, err)
}

// checkRedirectURI reports what is wrong with a redirect URI that the program receives: it must be https, on loopback,
// or of a scheme of the program's own.
func checkRedirectURI(u *url.URL) error {
	if u.Scheme == "http" || u.Scheme == "https" {
		if err := fetch.CheckURL(u, true); err != nil {
			return fmt.Errorf("authclient: RedirectURI: %w", err)
		}
	}
	return nil
}

// portsBefore returns the ports of the registered redirect URIs that differ from like only by their port.
func (f *flow) portsBefore(ctx context.Context, like *url.URL) []string {
	r, err := f.registered(ctx, f.server.issuer)
	if err != nil || r == nil {
		return nil
	}
	var ports []string
	for _, text := range r.RedirectURIs {
		if u, err := url.Parse(text); err == nil && u.Hostname() == like.Hostname() && u.Path == like.Path && u.Port() != "" {
			ports = append(ports, u.Port())
		}
	}
	return ports
}

// listenLoopback listens on this machine alone.
func listenLoopback(ctx context.Context, host, port string) (net.Listener, error) {
	if host != "::1" {
		host = "127.0.0.1" // which localhost is, too
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
}

// code sends the user to an authorization URL, and returns the code of the response to it.
func (g *AuthorizationCode) code(ctx context.Context, at string, p *pending, l net.Listener) (string, error) {
	if g.Authorize == nil {
		return g.serve(ctx, at, p, l)
	}
	back, err := g.Authorize(ctx, at)
	if err != nil {
		return "", err
	}
	q, err := parseResponse(back)
	if err != nil {
		return "", err
	}
	return p.check(q)
}

// maxResponse is how many bytes an authorization response may have.
const maxResponse = 16 << 10

// parseResponse returns the parameters of an authorization response: the query of the URL that the user was sent
// back to.
func parseResponse(back string) (url.Values, error) {
	if len(back) > maxResponse {
		return nil, fmt.Errorf("authclient: the authorization response has more than %d bytes", maxResponse)
	}
	u, err := url.Parse(back)
	if err != nil {
		return nil, errors.New("authclient: the authorization response is not a URL") // without the code in it
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("authclient: the query of the authorization response is invalid")
	}
	return q, nil
}

// serve listens until the response has arrived. A request without the state of ours is not the response: any web
// page can make the browser send one.
func (g *AuthorizationCode) serve(ctx context.Context, at string, p *pending, l net.Listener) (string, error) {
	responses := make(chan url.Values, 1)
	want, err := url.Parse(p.redirectURI)
	if err != nil {
		return "", err
	}
	s := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      10 * time.Second,
		MaxHeaderBytes:    2 * maxResponse,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			q, err := parseResponse(r.RequestURI)
			switch {
			case r.Method != http.MethodGet || r.URL.Path != cmp.Or(want.Path, "/") || !web.SameOrigin(want, &url.URL{Scheme: "http", Host: r.Host}):
				page(w, http.StatusNotFound, "There is nothing here.")
			case err != nil || !p.mine(q):
				page(w, http.StatusBadRequest, "This is not the response to a login that is under way.")
			default:
				page(w, http.StatusOK, "You can close this window and go back to the program.")
				select {
				case responses <- q:
				default:
				}
			}
		}),
	}
	go s.Serve(l)
	// The browser gets its page before the listener closes, but nobody waits long for that.
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if s.Shutdown(ctx) != nil { // lets the page reach the browser
			s.Close()
		}
	}()
	open := g.Open
	if open == nil {
		open = OpenBrowser
	}
	if err := open(ctx, at); err != nil {
		return "", &notShown{err}
	}
	select {
	case q := <-responses:
		return p.check(q)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// page writes a page for the user. It shows nothing of the response, which may come from an attacker.
func page(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	io.WriteString(w, `<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width"><title>Login</title><p>`+text+"</p></html>\n")
}
