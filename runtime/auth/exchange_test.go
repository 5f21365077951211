package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// calledBy returns the context of a handler whose caller has a token.
func calledBy(t testing.TB, text string, end time.Duration) context.Context {
	token := &Token{Issuer: testIssuer, Subject: "alice", Expiry: time.Now().Add(end)}
	return transport.WithIdentity(t.Context(), token.withText(text))
}

func newTestExchanger(t testing.TB, s *testServer, changes ...func(*ExchangeOptions)) *Exchanger {
	t.Helper()
	opts := ExchangeOptions{
		Issuer: testIssuer, Credentials: Credentials{ClientID: "rs", Secret: "geheim"}, Scopes: []string{"a", "b"},
		Audience: []string{"upstream"}, Resource: []string{"https://up.example"}, Transport: s,
	}
	for _, c := range changes {
		c(&opts)
	}
	e, err := NewExchanger(&opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// exchanges makes a server exchange tokens, each for "new " and its text.
func exchanges(s *testServer, forms *[]url.Values, response map[string]any) {
	n := 0
	s.token = func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		*forms = append(*forms, r.Form)
		n++
		m := map[string]any{"access_token": fmt.Sprint("new ", n), "token_type": "Bearer", "expires_in": 300}
		for k, v := range response {
			m[k] = v
		}
		json.NewEncoder(w).Encode(m)
	}
}

func TestExchange(t *testing.T) {
	for name, test := range map[string]struct {
		onBehalfOf bool
		want       url.Values
	}{
		"RFC 8693": {false, url.Values{
			"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "subject_token": {"opaque"},
			"subject_token_type":   {"urn:ietf:params:oauth:token-type:access_token"},
			"requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
			"audience":             {"upstream"}, "resource": {"https://up.example"}, "scope": {"a b"},
		}},
		"on behalf of": {true, url.Values{
			"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {"opaque"},
			"requested_token_use": {"on_behalf_of"}, "scope": {"a b"},
		}},
	} {
		s := newTestServer()
		var forms []url.Values
		exchanges(s, &forms, nil)
		e := newTestExchanger(t, s, func(o *ExchangeOptions) { o.OnBehalfOf = test.onBehalfOf })
		got, err := e.Token(calledBy(t, "opaque", time.Hour))
		if err != nil || got.AccessToken != "new 1" || got.Type() != "Bearer" || !got.Valid() {
			t.Errorf("%s: got %v and %v", name, got, err)
		}
		if diff := cmp.Diff([]url.Values{test.want}, forms); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A token is exchanged once for all calls of a caller, until the new one is about to end.
//
// REQ AUTH06-06, SEC-02
func TestExchangedTokensAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer()
		var forms []url.Values
		exchanges(s, &forms, nil)
		e := newTestExchanger(t, s)
		ctx := calledBy(t, "opaque", time.Hour)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if _, err := e.Token(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		first, _ := e.Token(ctx)
		first.AccessToken = "changed by its caller"
		time.Sleep(4 * time.Minute)
		if got, err := e.Token(ctx); err != nil || got.AccessToken != "new 1" || len(forms) != 1 {
			t.Errorf("got %v and %v after %d requests", got, err, len(forms))
		}
		if got, err := e.Token(calledBy(t, "of another", time.Hour)); err != nil || got.AccessToken != "new 2" {
			t.Errorf("another caller: got %v and %v", got, err)
		}
		time.Sleep(30 * time.Second)
		if got, err := e.Token(ctx); err != nil || got.AccessToken != "new 3" {
			t.Errorf("near the end: got %v and %v", got, err)
		}
		// What was sent upstream is the new token, never that of the caller.
		var sent string
		upstream := roundTripper(func(r *http.Request) (*http.Response, error) {
			sent = r.Header.Get("Authorization")
			return nil, http.ErrHandlerTimeout
		})
		client := http.Client{Transport: e.Transport(upstream)}
		send := func(ctx context.Context, body io.Reader) error {
			sent = ""
			r, err := http.NewRequestWithContext(ctx, "POST", "https://up.example", body)
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Do(r)
			return err
		}
		if err := send(ctx, nil); !errors.Is(err, http.ErrHandlerTimeout) || sent != "Bearer new 3" {
			t.Errorf("sent %q, %v", sent, err)
		}
		// Without a caller nothing is sent, and the body is closed.
		body := &closed{Reader: strings.NewReader("text")}
		if err := send(t.Context(), body); err == nil || !strings.Contains(err.Error(), "the request has no access token") || sent != "" || !body.closed {
			t.Errorf("without a caller: sent %q, %v, body closed: %t", sent, err, body.closed)
		}
		// A caller whose token has ended gets nothing, although a new token is remembered.
		short := calledBy(t, "short", time.Minute)
		if _, err := e.Token(short); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		_, err := e.Token(short)
		wantInvalid(t, err, "expired")
	})
}

// A closed body knows whether it is.
type closed struct {
	io.Reader
	closed bool
}

func (c *closed) Close() error {
	c.closed = true
	return nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestExchangeFails(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*testServer)
		want   string
	}{
		"refused": {func(s *testServer) {
			s.token = func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(400)
				w.Write([]byte(`{"error":"invalid_target","error_description":"no such service for opaque-token"}`))
			}
		}, "invalid_target: no such service for …"},
		"no JSON":    {func(s *testServer) { s.token = func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) } }, "status 500"},
		"no token":   {func(s *testServer) { exchanges(s, new([]url.Values), map[string]any{"access_token": ""}) }, "want a token"},
		"other type": {func(s *testServer) { exchanges(s, new([]url.Values), map[string]any{"token_type": "N_A"}) }, `"N_A"`},
		"down":       {func(s *testServer) { s.down = true }, "no connection"},
		"here": {func(s *testServer) {
			s.change = func(m map[string]any) { m["token_endpoint"] = "https://127.0.0.1/token" }
		}, "must not lead to this machine"},
		"no endpoint": {func(s *testServer) { s.change = func(m map[string]any) { delete(m, "token_endpoint") } }, "no token_endpoint"},
	} {
		s := newTestServer()
		exchanges(s, new([]url.Values), nil)
		test.change(s)
		_, err := newTestExchanger(t, s).Token(calledBy(t, "opaque-token", time.Hour))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "opaque-token") || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: got %v, want an error with %q", name, err, test.want)
		}
	}
	ofAnother := transport.WithIdentity(t.Context(), &Token{Subject: "alice"}) // of an Authorizer of another package
	for _, ctx := range []context.Context{t.Context(), ofAnother} {
		if _, err := newTestExchanger(t, newTestServer()).Token(ctx); err == nil {
			t.Error("a request without a token has one upstream")
		}
	}
	for _, opts := range []*ExchangeOptions{nil, {Issuer: testIssuer}, {Issuer: testIssuer, Credentials: Credentials{Secret: "b"}}} {
		if _, err := NewExchanger(opts); err == nil {
			t.Errorf("%+v: no error", opts)
		}
	}
	if _, err := NewExchanger(&ExchangeOptions{Credentials: Credentials{ClientID: "a", Secret: "b"}}); err == nil {
		t.Error("no issuer: no error")
	}
}

// Some servers send the lifetime of a token as a string.
func TestExchangedLifetimeIsString(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer()
		exchanges(s, new([]url.Values), map[string]any{"expires_in": "300"})
		got, err := newTestExchanger(t, s).Token(calledBy(t, "opaque", time.Hour))
		if err != nil || !got.Expiry.Equal(time.Now().Add(5*time.Minute)) {
			t.Errorf("got %+v and %v", got, err)
		}
	})
}

// A token without an end is used for as long as that of the caller, and a form has no empty parameters.
func TestExchangeWithoutOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer()
		var forms []url.Values
		exchanges(s, &forms, map[string]any{"expires_in": 0, "token_type": "bearer"})
		e := newTestExchanger(t, s, func(o *ExchangeOptions) { o.Scopes, o.Audience, o.Resource = nil, nil, nil })
		ctx := calledBy(t, "opaque", 2*time.Hour)
		for range 2 {
			got, err := e.Token(ctx)
			if err != nil || got.TokenType != "Bearer" || !got.Expiry.IsZero() {
				t.Errorf("got %+v and %v", got, err)
			}
			time.Sleep(time.Hour)
		}
		if len(forms) != 1 {
			t.Fatalf("%d requests", len(forms))
		}
		for _, name := range []string{"scope", "audience", "resource"} {
			if forms[0].Has(name) {
				t.Errorf("the form has %s", name)
			}
		}
		s.set(func() { exchanges(s, &forms, map[string]any{"expires_in": 1}) })
		e = newTestExchanger(t, s, func(o *ExchangeOptions) { o.Scopes = []string{"a"} })
		got, err := e.Token(calledBy(t, "other", time.Hour))
		if err != nil || got.Expiry.IsZero() || forms[1].Get("scope") != "a" {
			t.Errorf("got %+v and %v: %s", got, err, forms[1])
		}
	})
}

// Tokens that were exchanged are kept in a bounded number, and their expiry does not overflow.
func TestExchangeBounds(t *testing.T) {
	s := newTestServer()
	exchanges(s, new([]url.Values), map[string]any{"expires_in": int64(1<<63 - 1)})
	e := newTestExchanger(t, s, func(o *ExchangeOptions) { o.MaxTokens = 4 })
	for i := range 20 {
		got, err := e.Token(calledBy(t, fmt.Sprint("opaque ", i), time.Hour))
		if err != nil || !got.Valid() {
			t.Fatalf("got %v and %v", got, err)
		}
		if n := e.tokens.kept.Len(); n > 4 {
			t.Fatalf("%d are kept", n)
		}
	}
}
