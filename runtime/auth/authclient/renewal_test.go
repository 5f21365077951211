package authclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

func sleep(d time.Duration) { time.Sleep(d) }

// REQ AUTH-09, AUTH26-10
func TestRefreshBeforeTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		as.lifetime = time.Hour
		tr := newTransport(t, w, as, nil)
		welcome(t, tr)
		sleep(time.Hour - leeway - time.Second)
		welcome(t, tr)
		if n := len(as.tokens); n != 1 {
			t.Fatalf("%d token requests while the token was good", n)
		}
		for i := range 3 { // each with the refresh token that came with the last
			sleep(time.Hour)
			welcome(t, tr)
			if n := len(as.tokens); n != i+2 {
				t.Fatalf("%d token requests, want %d", n, i+2)
			}
			f := as.tokens[i+1]
			if f.Get("grant_type") != "refresh_token" || f.Get("resource") != resourceURL || f.Get("client_id") == "" {
				t.Errorf("got %v", f)
			}
		}
		if len(as.logins) != 1 || w.count("POST "+endpointURL) != 6 {
			t.Errorf("%d logins, %d requests to the endpoint: a token was sent that had expired", len(as.logins), w.count("POST "+endpointURL))
		}
	})
}

// A server that keeps the refresh token does not send it again.
func TestRefreshWithoutRotation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		as.lifetime = time.Minute
		tr := newTransport(t, w, as, nil)
		welcome(t, tr)
		as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
			if got := r.PostForm.Get("refresh_token"); got != "secretrefresh2" {
				t.Errorf("the refresh token is %q", got)
			}
			as.noRefresh = true
			as.used = map[string]bool{}
			as.refresh["secretrefresh2"] = &grant{scheme: "Bearer"}
			return false
		}
		for range 2 {
			sleep(time.Hour)
			welcome(t, tr)
		}
		if len(as.tokens) != 3 {
			t.Errorf("%d token requests", len(as.tokens))
		}
	})
}

// The scopes go on with the token, for the next step-up.
//
// REQ AUTH26-08
func TestStepUpAfterRefresh(t *testing.T) {
	w, rs, as := newWorld(t)
	rs.challenge = strings.Replace(rs.challenge, "Bearer ", `Bearer scope="a", `, 1)
	tr := newTransport(t, w, as, nil)
	welcome(t, tr)
	clear(rs.valid)
	rs.challenge = strings.Replace(rs.challenge, `scope="a", `, "", 1)
	welcome(t, tr)
	rs.need = func() []string { return []string{"b"} }
	welcome(t, tr)
	if len(as.tokens) != 3 || as.logins[1].Get("scope") != "a b" {
		t.Errorf("logins %v after %d token requests", as.logins, len(as.tokens))
	}
}

// Without the registration that a refresh token belongs to, the user logs in.
func TestRefreshWithoutRegistration(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		as.lifetime = time.Hour
		store := new(MemoryStore)
		tr := newTransport(t, w, as, &Options{Store: store})
		welcome(t, tr)
		store.Update(t.Context(), clientKey(issuerURL), func([]byte) ([]byte, error) { return nil, nil })
		sleep(time.Hour)
		welcome(t, tr)
		if len(as.clients) != 2 || len(as.logins) != 2 || len(as.tokens) != 2 {
			t.Errorf("%d registrations, %d logins, %d token requests", len(as.clients), len(as.logins), len(as.tokens))
		}
	})
}

// A refresh token is for what it was issued for, whatever the store has.
//
// REQ AUTH06-07
func TestStoredTokenOfAnotherResource(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, rs, as := newWorld(t)
		as.lifetime = time.Hour
		store := new(MemoryStore)
		tr := newTransport(t, w, as, &Options{Store: store})
		welcome(t, tr)
		other := *tr.token
		other.Resource, other.Refresh, other.Access = "https://mcp.example", "secretother", "secretotheraccess"
		other.Expiry = time.Now().Add(24 * time.Hour)
		data, err := other.encode()
		if err != nil {
			t.Fatal(err)
		}
		store.Update(t.Context(), tr.tokenKey(), func([]byte) ([]byte, error) { return data, nil })
		rs.handle = func(_ http.ResponseWriter, r *http.Request, _ *grant) bool {
			if strings.Contains(r.Header.Get("Authorization"), "secretotheraccess") {
				t.Error("the other token was sent")
			}
			return false
		}
		sleep(time.Hour)
		welcome(t, tr)
		if got := as.tokens[1].Get("refresh_token"); got != "secretrefresh2" {
			t.Errorf("the refresh token is %q", got)
		}
	})
}

// Nothing is said in the log of what goes well.
func TestQuiet(t *testing.T) {
	w, rs, as := newWorld(t)
	var log bytes.Buffer
	tr := newTransport(t, w, as, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	welcome(t, tr)
	clear(rs.valid)
	welcome(t, tr)
	if log.Len() > 0 {
		t.Errorf("the log is %s", log.String())
	}
}

func TestRefreshRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, rs, as := newWorld(t)
		as.lifetime = time.Minute
		tr := newTransport(t, w, as, nil)
		welcome(t, tr)
		clear(as.refresh)
		sleep(time.Hour)
		rs.challenge = strings.Replace(rs.challenge, "Bearer ", `Bearer scope="new", `, 1)
		welcome(t, tr)
		if len(as.logins) != 2 || as.logins[1].Get("scope") != "new" {
			t.Errorf("logins: %v", as.logins)
		}
	})
}

// A server that fails does not make the user log in.
func TestRefreshFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		as.lifetime = time.Minute
		tr := newTransport(t, w, as, nil)
		welcome(t, tr)
		as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(503)
			return true
		}
		sleep(time.Hour)
		refused(t, tr, "status 503")
		as.onToken = nil
		welcome(t, tr)
		if len(as.logins) != 1 {
			t.Errorf("%d logins", len(as.logins))
		}
	})
}

// Without a refresh token the old token is sent, so that the server says what to log in for.
func TestExpiredWithoutRefresh(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, rs, as := newWorld(t)
		as.lifetime, as.noRefresh = time.Minute, true
		tr := newTransport(t, w, as, nil)
		welcome(t, tr)
		sleep(time.Hour)
		rs.handle = func(_ http.ResponseWriter, r *http.Request, _ *grant) bool {
			if r.Header.Get("Authorization") == "" {
				t.Error("the request would have been one of nobody")
			}
			return false
		}
		welcome(t, tr)
		if len(as.logins) != 2 {
			t.Errorf("%d logins", len(as.logins))
		}
	})
}

// A thousand calls whose token expires at once cause one refresh, and none fails. So do a thousand clients, each.
//
// REQ AUTH-09
func TestThousandCalls(t *testing.T) {
	for _, early := range []bool{true, false} { // the server ends the token when it said, or before
		bubble(t, func(t *testing.T) {
			w, rs, as := newWorld(t)
			as.lifetime = time.Hour
			tr := newTransport(t, w, as, nil)
			for round := range 3 {
				var calls sync.WaitGroup
				for range 1000 {
					calls.Go(func() {
						if got, err := askWith(t.Context(), tr, "x"); got != "welcome" || err != nil {
							t.Errorf("got %q, %v", got, err)
						}
					})
				}
				calls.Wait()
				if n := len(as.tokens); n != round+1 {
					t.Errorf("%d token requests, want %d", n, round+1)
				}
				if early {
					clear(rs.valid)
				} else {
					sleep(time.Hour)
				}
			}
			if len(as.logins) != 1 {
				t.Errorf("%d logins", len(as.logins))
			}
		})
	}
}

// REQ AUTH-09
func TestThousandClients(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		as.lifetime = time.Hour
		clients := make([]*Transport, 1000)
		for i := range clients {
			clients[i] = newTransport(t, w, as, nil)
			welcome(t, clients[i])
		}
		sleep(time.Hour)
		var calls sync.WaitGroup
		for _, tr := range clients {
			calls.Go(func() {
				if got, err := askWith(t.Context(), tr, "x"); got != "welcome" || err != nil {
					t.Errorf("got %q, %v", got, err)
				}
			})
		}
		calls.Wait()
		if n := len(as.tokens); n != 2000 || len(as.logins) != 1000 {
			t.Errorf("%d token requests, %d logins", n, len(as.logins))
		}
	})
}

// A login goes on when the call that began it gives up, and ends when its own time is over.
func TestLoginOutlivesItsCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		begun := make(chan bool)
		tr := newTransport(t, w, as, &Options{LoginTime: time.Hour, Grant: &AuthorizationCode{RedirectURI: redirectURL, Authorize: func(ctx context.Context, at string) (string, error) {
			close(begun)
			sleep(time.Minute)
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			return as.authorize(ctx, at)
		}}})
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		go func() {
			<-begun
			cancel(gone)
		}()
		if _, err := askWith(ctx, tr, "x"); !errors.Is(err, gone) {
			t.Errorf("got %v", err)
		}
		welcome(t, tr)
		if len(as.logins) != 1 {
			t.Errorf("%d logins", len(as.logins))
		}
	})
}

func TestLoginTime(t *testing.T) {
	for _, closed := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			w, _, as := newWorld(t)
			tr := newTransport(t, w, as, &Options{LoginTime: time.Minute, Grant: &AuthorizationCode{RedirectURI: redirectURL, Authorize: func(ctx context.Context, at string) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}}})
			want := errLoginTime
			if closed {
				want = errClosed
				go func() {
					sleep(time.Second)
					tr.Close()
				}()
			}
			began := time.Now()
			if _, err := ask(t, tr); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			if d := time.Since(began); d > time.Minute {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// REQ AUTH26-08, AUTH11-15, SEC-18
func TestStepUp(t *testing.T) {
	w, rs, as := newWorld(t)
	rs.challenge = strings.Replace(rs.challenge, "Bearer ", `Bearer scope="a", `, 1)
	need := []string{"a"}
	rs.need = func() []string { return need }
	tr := newTransport(t, w, as, nil)
	welcome(t, tr)
	for _, more := range []string{"b", "c"} {
		need = []string{more}
		welcome(t, tr)
		need = []string{"a"}
		welcome(t, tr) // nothing is lost
	}
	var got []string
	for _, q := range as.logins {
		got = append(got, q.Get("scope"))
	}
	if strings.Join(got, "|") != "a|a b|a b c" {
		t.Errorf("scopes of the logins: %q", got)
	}
}

// A server that is never content does not make the user log in forever.
//
// REQ AUTH11-15
func TestStepUpIsBounded(t *testing.T) {
	n := 0
	for name, need := range map[string]func() []string{
		"the same":    func() []string { return []string{"admin"} },
		"more always": func() []string { n++; return []string{fmt.Sprint("scope", n)} },
	} {
		w, rs, as := newWorld(t)
		rs.handle = func(w http.ResponseWriter, _ *http.Request, g *grant) bool {
			if g == nil {
				return false
			}
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+strings.Join(need(), " ")+`"`)
			w.WriteHeader(403)
			return true
		}
		tr := newTransport(t, w, as, nil)
		for range 2 {
			if got, err := ask(t, tr); got != "403 Forbidden" || err != nil {
				t.Errorf("%s: got %q, %v", name, got, err)
			}
		}
		want := 2 // the login, and one with the scope
		if name == "more always" {
			want = 1 + 2*maxStepUps
		}
		if len(as.logins) != want {
			t.Errorf("%s: %d logins, want %d", name, len(as.logins), want)
		}
	}
}

func TestTooManyScopes(t *testing.T) {
	w, rs, as := newWorld(t)
	var list []string
	for i := range maxScopes + 1 {
		list = append(list, fmt.Sprint("s", i))
	}
	rs.document["scopes_supported"] = list
	refused(t, newTransport(t, w, as, nil), "asks for 201 scopes")
}

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

// A server that takes no token is asked twice at most.
func TestTokenNeverTaken(t *testing.T) {
	w, rs, as := newWorld(t)
	rs.handle = func(w http.ResponseWriter, _ *http.Request, g *grant) bool {
		w.Header().Set("WWW-Authenticate", rs.challenge)
		w.WriteHeader(401)
		return true
	}
	tr := newTransport(t, w, as, nil)
	if got, err := ask(t, tr); got != "401 Unauthorized" || err != nil || len(as.logins) != 1 {
		t.Errorf("got %q, %v after %d logins", got, err, len(as.logins))
	}
	if err := tr.Login(t.Context()); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("got %v", err)
	}
}

func TestLogin(t *testing.T) {
	w, rs, as := newWorld(t)
	tr := newTransport(t, w, as, nil)
	for range 2 {
		if err := tr.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
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
	open := new(atomic.Int32)
	r, _ := http.NewRequestWithContext(t.Context(), "POST", "mcp", counted(open, io.NopCloser(strings.NewReader("hello"))))
	if _, err := New("mcp", nil).RoundTrip(r); err == nil || open.Load() != 0 {
		t.Errorf("without an endpoint: got %v, %d bodies are left open", err, open.Load())
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

// REQ AUTH-08
func TestEndpoints(t *testing.T) {
	for at, ok := range map[string]bool{
		"https://mcp.example/mcp": true, "http://localhost:1/mcp": true, "http://127.0.0.1/": true,
		"http://mcp.example/mcp": false, "mcp": false, "ftp://mcp.example": false, "https://u:p@mcp.example/": false, "": false, "https://%zz": false,
	} {
		tr := New(at, nil)
		if (tr.err == nil) != ok {
			t.Errorf("%s: got %v", at, tr.err)
		}
		if ok {
			continue
		}
		if _, err := ask(t, tr); err != tr.err {
			t.Errorf("%s: got %v", at, err)
		}
		if tr.Login(t.Context()) != tr.err || tr.Close() != nil {
			t.Errorf("%s: Login or Close", at)
		}
	}
}

// REQ AUTH-09
func TestTokenResponses(t *testing.T) {
	for _, tt := range []struct {
		response map[string]any
		want     string
	}{
		{map[string]any{"access_token": "secret", "token_type": "bearer"}, ""},
		{map[string]any{"access_token": "secret", "token_type": "Bearer", "expires_in": "3600"}, ""},
		{map[string]any{"access_token": "secret", "token_type": "Bearer", "expires_in": 1e300}, ""},
		{map[string]any{"access_token": "secret", "token_type": "Bearer", "expires_in": -1}, ""},
		{map[string]any{"access_token": "", "token_type": "Bearer"}, "no access token that can be sent"},
		{map[string]any{"access_token": "secret\r\nX: y", "token_type": "Bearer"}, "no access token that can be sent"},
		{map[string]any{"access_token": "secret x", "token_type": "Bearer"}, "no access token that can be sent"},
		{map[string]any{"access_token": "secret", "token_type": "mac"}, `of type "mac", want Bearer`},
		{map[string]any{"access_token": "secret", "token_type": "DPoP"}, `of type "DPoP", want Bearer`},
		{map[string]any{"access_token": "secret"}, `of type "", want Bearer`},
		{map[string]any{"access_token": []string{"secret"}, "token_type": "Bearer"}, "cannot unmarshal"},
	} {
		w, rs, as := newWorld(t)
		rs.valid["secret"] = &grant{scheme: "Bearer"}
		as.onToken = func(w http.ResponseWriter, r *http.Request) bool { object(w, 200, tt.response); return true }
		tr := newTransport(t, w, as, nil)
		if tt.want == "" {
			welcome(t, tr)
			continue
		}
		refused(t, tr, tt.want)
	}
}

// What a server repeats of a request is not shown.
func TestErrorsHideSecrets(t *testing.T) {
	w, _, as := newWorld(t)
	var sent url.Values
	as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		sent = r.PostForm
		object(w, 400, map[string]any{"error": "invalid_grant", "error_description": "the code " + sent.Get("code") + " is unknown"})
		return true
	}
	err := refused(t, newTransport(t, w, as, nil), `error "invalid_grant"`)
	if sent.Get("code") == "" || strings.Contains(err.Error(), sent.Get("code")) {
		t.Errorf("got %v", err)
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

// What one call asks for and does not get does not keep others from what they ask for.
func TestStepUpsFailAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, rs, as := newWorld(t)
		as.lifetime = time.Hour
		declined := errors.New("declined")
		g := &AuthorizationCode{RedirectURI: redirectURL, Authorize: func(ctx context.Context, at string) (string, error) {
			sleep(time.Second)
			if strings.Contains(at, "admin") {
				return "", declined
			}
			return as.authorize(ctx, at)
		}}
		tr := newTransport(t, w, as, &Options{Grant: g})
		welcome(t, tr)
		need := func(scope string) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				r.Header.Set("Need", scope)
				return tr.RoundTrip(r)
			})
		}
		rs.handle = func(w http.ResponseWriter, r *http.Request, g *grant) bool {
			if g == nil || r.Header.Get("Need") == "" || includes(g.scopes, []string{r.Header.Get("Need")}) {
				return false
			}
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+r.Header.Get("Need")+`"`)
			w.WriteHeader(403)
			return true
		}
		var calls sync.WaitGroup
		for _, scope := range []string{"admin", "write", "admin", "read"} {
			calls.Go(func() {
				got, err := askWith(t.Context(), need(scope), "x")
				if scope == "admin" && !errors.Is(err, declined) || scope != "admin" && (got != "welcome" || err != nil) {
					t.Errorf("%s: got %q, %v", scope, got, err)
				}
			})
		}
		calls.Wait()
		if _, err := ask(t, need("admin")); !errors.Is(err, declined) {
			t.Errorf("got %v", err)
		}
		sleep(2 * time.Hour)
		welcome(t, tr)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
