package authclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// local is an authorization server and a resource on loopback, reached over the network.
type local struct {
	rs *resource
	as *issuer
	at string // the endpoint
}

func newLocal(t *testing.T) *local {
	t.Helper()
	w, rs, _ := newWorld(t)
	rsSite := httptest.NewServer(rs)
	t.Cleanup(rsSite.Close)
	var as *issuer
	asSite := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { as.ServeHTTP(w, r) }))
	t.Cleanup(asSite.Close)
	as = w.newIssuer(t, rs, asSite.URL)
	rs.challenge = `Bearer resource_metadata="` + rsSite.URL + rs.at[0] + `"`
	rs.document = map[string]any{"resource": rsSite.URL + "/mcp", "authorization_servers": []string{asSite.URL}}
	return &local{rs, as, rsSite.URL + "/mcp"}
}

// open is a browser: it follows the redirect of the authorization server.
func (l *local) open(ctx context.Context, at string) error {
	back, err := l.as.authorize(ctx, at)
	if err != nil {
		return err
	}
	_, err = get(back)
	return err
}

func get(at string) (string, error) {
	resp, err := http.Get(at)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if got := resp.Header.Get("Content-Type"); got != "text/html; charset=utf-8" || !resp.Close {
		err = errors.Join(err, fmt.Errorf("the page is %s, and the connection is closed: %t", got, resp.Close))
	}
	for _, name := range []string{"Content-Security-Policy", "Cache-Control", "Referrer-Policy", "X-Content-Type-Options"} {
		if resp.Header.Get(name) == "" {
			err = errors.Join(err, fmt.Errorf("the page has no %s", name))
		}
	}
	return resp.Status + " " + string(body), err
}

func (l *local) transport(t *testing.T, g *AuthorizationCode, store Store) *Transport {
	tr, err := New(l.at, &Options{Grant: g, Store: store, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

func (l *local) ask(ctx context.Context, tr *Transport) (string, error) {
	r, err := http.NewRequestWithContext(ctx, "POST", l.at, strings.NewReader("hello"))
	if err != nil {
		return "", err
	}
	resp, err := tr.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// The listener is there as long as a login takes, on loopback, at a port of its own, which is used again.
//
// REQ AUTH-08
func TestLoopbackRedirect(t *testing.T) {
	l := newLocal(t)
	var uri string
	g := &AuthorizationCode{Open: func(ctx context.Context, at string) error {
		u, _ := url.Parse(at)
		uri = u.Query().Get("redirect_uri")
		return l.open(ctx, at)
	}}
	store := new(MemoryStore)
	tr := l.transport(t, g, store)
	if got, err := l.ask(t.Context(), tr); got != "welcome" || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
	first, err := url.Parse(uri)
	if err != nil || first.Hostname() != "127.0.0.1" || first.Port() == "" || first.Path != "/callback" {
		t.Fatalf("the redirect URI is %q", uri)
	}
	if c, err := net.Dial("tcp", first.Host); err == nil {
		c.Close()
		t.Error("the listener is still there")
	}
	clear(l.rs.valid)
	clear(l.as.refresh)
	if got, err := l.ask(t.Context(), tr); got != "welcome" || err != nil || uri != first.String() || len(l.as.clients) != 1 {
		t.Errorf("the second login: got %q, %v, redirect URI %s, %d registrations", got, err, uri, len(l.as.clients))
	}
	if taken, err := net.Listen("tcp", first.Host); err == nil { // else another process has it, which is as good
		defer taken.Close()
	}
	clear(l.rs.valid)
	clear(l.as.refresh)
	if got, err := l.ask(t.Context(), tr); got != "welcome" || err != nil || uri == first.String() || len(l.as.clients) != 2 {
		t.Errorf("with the port taken: got %q, %v, redirect URI %s, %d registrations", got, err, uri, len(l.as.clients))
	}
}

func TestLoopbackAddresses(t *testing.T) {
	for _, test := range []struct{ host, path string }{{"localhost", "/back"}, {"127.0.0.1", "/back"}, {"127.0.0.1", ""}, {"[::1]", "/back"}} {
		t.Run(test.host+test.path, func(t *testing.T) {
			if test.host == "[::1]" {
				probe, err := net.Listen("tcp", "[::1]:0")
				if err != nil {
					t.Skipf("this machine has no IPv6; with ::1 on its loopback interface the test runs: %v", err)
				}
				probe.Close()
			}
			l := newLocal(t)
			uri, page := "", ""
			g := &AuthorizationCode{RedirectURI: "http://" + test.host + test.path, Open: func(ctx context.Context, at string) error {
				u, _ := url.Parse(at)
				uri = u.Query().Get("redirect_uri")
				back, err := l.as.authorize(ctx, at)
				if err != nil {
					return err
				}
				page, err = get(back)
				return err
			}}
			if got, err := l.ask(t.Context(), l.transport(t, g, nil)); got != "welcome" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
			if !strings.HasPrefix(uri, "http://"+test.host+":") || !strings.HasSuffix(uri, test.path) || !strings.Contains(page, "close this window") {
				t.Errorf("redirect URI %s, page %s", uri, page)
			}
		})
	}
}

func TestPortsBefore(t *testing.T) {
	w, _, as := newWorld(t)
	store := new(MemoryStore)
	f := &flow{Transport: newTransport(t, w, as, &Options{Store: store}), server: &authServer{issuer: issuerURL}}
	like := &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/callback"}
	if got := f.portsBefore(t.Context(), like); got != nil {
		t.Errorf("without a registration: %q", got)
	}
	f.keep(t.Context(), "registration", clientKey(issuerURL), &registration{ID: "a", RedirectURIs: []string{
		"http://localhost:1/callback", "http://127.0.0.1:2/other", "http://127.0.0.1/callback", "http://127.0.0.1:3/callback", "%zz",
	}})
	if got := f.portsBefore(t.Context(), like); !slices.Equal(got, []string{"3"}) {
		t.Errorf("got %q", got)
	}
}

// Requests that are not the response do not end the login, and learn nothing.
//
// REQ AUTH-10
func TestLoopbackIgnoresOthers(t *testing.T) {
	l := newLocal(t)
	g := &AuthorizationCode{Open: func(ctx context.Context, at string) error {
		u, _ := url.Parse(at)
		uri := u.Query().Get("redirect_uri")
		other, _ := url.Parse(uri)
		for path, want := range map[string]string{
			uri: "400", uri + "?code=x": "400", uri + "?state=other&code=x": "400", uri + "?state=other&error=secret": "400",
			uri + "?state=" + u.Query().Get("state") + "&state=x": "400", uri + "?%zz": "400",
			uri + "/x?state=" + u.Query().Get("state"): "404", "http://" + other.Host + "/favicon.ico": "404",
		} {
			got, err := get(path)
			if err != nil || !strings.HasPrefix(got, want) || strings.Contains(got, "secret") || strings.Contains(got, u.Query().Get("state")) {
				t.Errorf("%s: got %q, %v", path, got, err)
			}
		}
		r, _ := http.NewRequest("GET", uri+"?code=x&state="+u.Query().Get("state"), nil)
		r.Host = "evil.example" // DNS rebinding
		if resp, err := http.DefaultClient.Do(r); err != nil || resp.StatusCode != 404 {
			t.Errorf("another host: got %v, %v", resp, err)
		}
		if resp, err := http.Post(uri+"?code=x&state="+u.Query().Get("state"), "", nil); err != nil || resp.StatusCode != 404 {
			t.Errorf("POST: got %v, %v", resp, err)
		}
		return l.open(ctx, at)
	}}
	if got, err := l.ask(t.Context(), l.transport(t, g, nil)); got != "welcome" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLoopbackFailures(t *testing.T) {
	l := newLocal(t)
	failed := errors.New("no browser")
	if _, err := l.ask(t.Context(), l.transport(t, &AuthorizationCode{Open: func(context.Context, string) error { return failed }}, nil)); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	l.as.respond = func(q url.Values) { q.Set("error", "access_denied") }
	_, err := l.ask(t.Context(), l.transport(t, &AuthorizationCode{Open: l.open}, nil))
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != "access_denied" {
		t.Errorf("got %v", err)
	}
	tr, err := New(l.at, &Options{LoginTime: time.Millisecond, Grant: &AuthorizationCode{Open: func(context.Context, string) error { return nil }}})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if _, err := l.ask(t.Context(), tr); !errors.Is(err, errLoginTime) {
		t.Errorf("got %v", err)
	}
}

// The browser gets the URL as one argument, and no shell.
//
// REQ SEC-16
func TestBrowser(t *testing.T) {
	const at = `https://as.example/a?b=$(x)&c=";rm`
	for goos, want := range map[string][]string{
		"linux": {"xdg-open", at}, "freebsd": {"xdg-open", at}, "darwin": {"open", at}, "windows": {"rundll32", "url.dll,FileProtocolHandler", at},
	} {
		name, args := browser(goos, at)
		if got := append([]string{name}, args...); !slices.Equal(got, want) {
			t.Errorf("%s: got %q", goos, got)
		}
	}
	for _, bad := range []string{"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "http://as.example", "-x", ""} {
		if err := OpenBrowser(t.Context(), bad); err == nil {
			t.Errorf("%q was opened", bad)
		}
	}
	t.Setenv("PATH", t.TempDir())
	err := OpenBrowser(t.Context(), "https://as.example/")
	if err == nil || !strings.Contains(err.Error(), "https://as.example/") {
		t.Errorf("without a browser: got %v", err)
	}
	if err := OpenBrowser(t.Context(), "http://127.0.0.1/"); err == nil || !strings.Contains(err.Error(), "opening a browser") {
		t.Errorf("a server on this machine: got %v", err)
	}
	l := newLocal(t)
	if _, err := l.ask(t.Context(), l.transport(t, new(AuthorizationCode), nil)); err == nil || !strings.Contains(err.Error(), "opening a browser") {
		t.Errorf("the default: got %v", err)
	}
}

func FuzzAuthorizationResponse(f *testing.F) {
	for _, q := range []string{"code=a&state=s&iss=i", "error=x&state=s", "code=a&code=b&state=s", "%zz", "state=s&state=t&code=a"} {
		f.Add("/callback?" + q)
	}
	f.Fuzz(func(t *testing.T, back string) {
		q, err := parseResponse(back)
		if err != nil {
			return
		}
		p := &pending{state: "s", issuer: "i", issGiven: true}
		code, err := p.check(q)
		if err == nil && (code == "" || len(q["code"]) != 1 || len(q["state"]) != 1 || q.Get("state") != "s" || q.Get("iss") != "i" || q.Has("error")) {
			t.Errorf("%q gives the code %q", back, code)
		}
		if e, ok := errors.AsType[*Error](err); ok && (q.Get("iss") != "i" || q.Get("state") != "s") {
			t.Errorf("%q: the error of another server is shown: %v", back, e)
		}
	})
}
