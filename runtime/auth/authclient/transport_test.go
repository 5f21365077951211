package authclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Other responses are the caller's.
func TestOtherResponses(t *testing.T) {
	for _, tt := range []struct {
		status    int
		challenge string
	}{
		{403, ""}, {403, `Bearer error="insufficient_scope"`}, {403, `Bearer error="invalid_token"`}, {400, `Bearer error="invalid_request"`},
		{407, "Bearer"}, {500, "Bearer"}, {404, ""}, {403, `Basic error="insufficient_scope", scope="a"`},
	} {
		w, rs, as := newWorld(t)
		rs.handle = func(w http.ResponseWriter, _ *http.Request, _ *grant) bool {
			w.Header().Set("WWW-Authenticate", tt.challenge)
			w.WriteHeader(tt.status)
			return true
		}
		got, err := ask(t, newTransport(t, w, as, nil))
		if err != nil || !strings.HasPrefix(got, fmt.Sprint(tt.status)) || len(rs.bodies) != 1 {
			t.Errorf("%d %s: got %q, %v after %d requests", tt.status, tt.challenge, got, err, len(rs.bodies))
		}
	}
}

func TestLogin(t *testing.T) {
	w, rs, as := newWorld(t)
	tr := newTransport(t, w, as, nil)
	rs.handle = func(_ http.ResponseWriter, r *http.Request, _ *grant) bool {
		if r.Header.Get("Accept") != "text/event-stream" {
			t.Errorf("it accepts %s", r.Header.Get("Accept"))
		}
		return false
	}
	for range 2 {
		if err := tr.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	rs.handle = nil
	welcome(t, tr)
	if len(as.logins) != 1 {
		t.Errorf("%d logins", len(as.logins))
	}
	rs.handle = func(w http.ResponseWriter, _ *http.Request, _ *grant) bool { w.WriteHeader(405); return true }
	if err := newTransport(t, w, as, nil).Login(t.Context()); err != nil || len(as.logins) != 1 {
		t.Errorf("a server without authorization: %v", err)
	}
}

// plain hides everything of a body but Read.
type plain struct{ io.Reader }

// The request is sent again as it was, with its body.
func TestBodyReplay(t *testing.T) {
	for name, body := range map[string]io.Reader{
		"GetBody": strings.NewReader("hello"), "none": nil, "nothing": http.NoBody, "stream": plain{strings.NewReader("hello")},
	} {
		w, rs, as := newWorld(t)
		r, err := http.NewRequestWithContext(t.Context(), "POST", endpointURL, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Mcp-Session-Id", "1")
		resp, err := newTransport(t, w, as, nil).RoundTrip(r)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: got %v, %v", name, resp, err)
		}
		want := "hello|hello"
		if body == nil || body == http.NoBody {
			want = "|"
		}
		if got := strings.Join(rs.bodies, "|"); got != want {
			t.Errorf("%s: bodies %q, want %q", name, got, want)
		}
		if r.Header.Get("Authorization") != "" || resp.Request != r {
			t.Errorf("%s: the request was changed", name)
		}
	}
	w, _, as := newWorld(t)
	r, _ := http.NewRequestWithContext(t.Context(), "POST", endpointURL, plain{bytes.NewReader(make([]byte, maxBody+1))})
	if _, err := newTransport(t, w, as, nil).RoundTrip(r); err == nil || !strings.Contains(err.Error(), "GetBody") {
		t.Errorf("a large body: got %v", err)
	}
}

// All bodies are closed, those of requests and those of responses that nobody sees.
func TestBodiesAreClosed(t *testing.T) {
	for _, grants := range []bool{true, false} {
		for _, stream := range []bool{true, false} {
			w, _, as := newWorld(t)
			if !grants {
				as.meta = nil
			}
			open := new(atomic.Int32)
			tr := newTransport(t, w, as, nil)
			tr.base = roundTripper(func(r *http.Request) (*http.Response, error) {
				resp, err := w.RoundTrip(r)
				if resp != nil {
					resp.Body = counted(open, resp.Body)
				}
				return resp, err
			})
			r, _ := http.NewRequestWithContext(t.Context(), "POST", endpointURL, counted(open, io.NopCloser(strings.NewReader("hello"))))
			if !stream {
				r.GetBody = func() (io.ReadCloser, error) {
					return counted(open, io.NopCloser(strings.NewReader("hello"))), nil
				}
			}
			resp, err := tr.RoundTrip(r)
			if (err == nil) != grants {
				t.Fatal(err)
			}
			if err == nil {
				resp.Body.Close()
			}
			if n := open.Load(); n != 0 {
				t.Errorf("%d bodies are left open", n)
			}
		}
	}
}

// counted returns a body that is counted until it is closed.
func counted(open *atomic.Int32, body io.ReadCloser) io.ReadCloser {
	open.Add(1)
	return &countedBody{ReadCloser: body, close: sync.OnceFunc(func() { open.Add(-1) })}
}

type countedBody struct {
	io.ReadCloser
	close func()
}

func (b *countedBody) Close() error {
	b.close()
	return b.ReadCloser.Close()
}

// A token goes to the origin that it was issued for, and nowhere else.
//

// REQ AUTH06-07, AUTH-05
func TestTokenStaysAtItsOrigin(t *testing.T) {
	w, rs, as := newWorld(t)
	tr := newTransport(t, w, as, nil)
	welcome(t, tr)
	var got []string
	w.hosts["elsewhere.example"] = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
	})
	w.hosts["mcp.example:8443"], w.hosts["mcp.example.elsewhere.example"] = w.hosts["elsewhere.example"], w.hosts["elsewhere.example"]
	plainHTTP := w.hosts["elsewhere.example"]
	w.hosts["mcp.example"] = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Scheme == "http":
			plainHTTP.ServeHTTP(rw, r)
		case r.URL.Path == "/redirect":
			http.Redirect(rw, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
		default:
			rs.ServeHTTP(rw, r)
		}
	})
	c := &http.Client{Transport: tr}
	for _, at := range []string{
		"https://elsewhere.example/", "https://mcp.example:8443/mcp", "http://mcp.example/mcp", "https://mcp.example.elsewhere.example/mcp", "https://mcp.example/redirect",
	} {
		resp, err := c.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if strings.Join(got, "") != "" || len(got) != 5 {
		t.Errorf("got %q", got)
	}
	w.hosts["MCP.example:443"] = w.hosts["mcp.example"]
	if resp, err := c.Get("https://MCP.example:443/messages?id=1"); err != nil || resp.StatusCode != 200 {
		t.Errorf("the same origin: got %v, %v", resp, err)
	}
}

// The resource is the endpoint without what does not name it.
//
// REQ AUTH06-05
func TestCanonicalEndpoint(t *testing.T) {
	for at, want := range map[string]string{
		"https://MCP.example:443/mcp?key=secret#x": "https://mcp.example/mcp", "https://mcp.example/": "https://mcp.example",
		"https://mcp.example:8443/a/": "https://mcp.example:8443/a/", "http://LOCALHOST:80/mcp?": "http://localhost/mcp",
	} {
		if tr, err := New(at, nil); err != nil || tr.endpoint.String() != want || fmt.Sprint(tr) != "authclient.Transport("+want+")" {
			t.Errorf("%s: got %v, %v", at, tr, err)
		}
	}
}

func TestCloseIdleConnections(t *testing.T) {
	base := new(idle)
	tr, err := New(endpointURL, &Options{Base: base})
	if err != nil {
		t.Fatal(err)
	}
	(&http.Client{Transport: tr}).CloseIdleConnections()
	if tr.Close(); base.closed != 2 {
		t.Errorf("closed %d times", base.closed)
	}
}

type idle struct {
	http.RoundTripper
	closed int
}

func (b *idle) CloseIdleConnections() { b.closed++ }

// REQ AUTH-08
func TestEndpoints(t *testing.T) {
	for at, ok := range map[string]bool{
		"https://mcp.example/mcp": true, "http://localhost:1/mcp": true, "http://127.0.0.1/": true,
		"http://mcp.example/mcp": false, "mcp": false, "ftp://mcp.example": false, "https://u:p@mcp.example/": false, "": false, "https://%zz": false,
	} {
		if tr, err := New(at, nil); (err == nil) != ok || (tr != nil) != ok {
			t.Errorf("%s: got %v, %v", at, tr, err)
		}
	}
}

// Nobody is asked to log in because a session ends.
func TestDeleteDoesNotLogIn(t *testing.T) {
	w, rs, as := newWorld(t)
	tr := newTransport(t, w, as, nil)
	r, _ := http.NewRequestWithContext(t.Context(), "DELETE", endpointURL, nil)
	if resp, err := tr.RoundTrip(r); err != nil || resp.StatusCode != 401 || len(as.logins) != 0 || len(rs.bodies) != 1 {
		t.Errorf("got %v, %v after %d logins", resp, err, len(as.logins))
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A request fails as its transport does, and after Close nobody logs in any more.
func TestTransportFails(t *testing.T) {
	w, _, as := newWorld(t)
	tr := newTransport(t, w, as, nil)
	broken := errors.New("broken")
	tr.base = roundTripper(func(*http.Request) (*http.Response, error) { return nil, broken })
	if got, err := ask(t, tr); err != broken {
		t.Errorf("got %q, %v", got, err)
	}
	tr = newTransport(t, w, as, nil)
	tr.Close()
	if got, err := ask(t, tr); err != errClosed || len(as.logins) > 0 {
		t.Errorf("after Close: got %q, %v", got, err)
	}
	tr = newTransport(t, w, as, nil)
	for _, body := range []io.Reader{errorReader{broken}, plain{bytes.NewReader(make([]byte, maxBody))}} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", endpointURL, body)
		if err != nil {
			t.Fatal(err)
		}
		_, large := body.(plain)
		if _, err := tr.RoundTrip(r); !large && err != broken || large && err != nil {
			t.Errorf("%T: %v", body, err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", endpointURL, strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	r.GetBody = func() (io.ReadCloser, error) { return nil, broken }
	if _, err := tr.RoundTrip(r); err != broken {
		t.Errorf("a body that cannot be read again: %v", err)
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

// Who does not say how long a login may take waits five minutes.
func TestDefaultLoginTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		tr := newTransport(t, w, as, &Options{Grant: &AuthorizationCode{RedirectURI: redirectURL, Authorize: func(ctx context.Context, at string) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}}})
		began := time.Now()
		if _, err := ask(t, tr); !errors.Is(err, errLoginTime) || time.Since(began) != 5*time.Minute {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
	tr, err := New(endpointURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := tr.opts.Grant.(*AuthorizationCode); !ok {
		t.Errorf("the grant is %T", tr.opts.Grant)
	}
}
