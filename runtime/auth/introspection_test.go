package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// introspects makes a server respond to introspections.
func introspects(s *testServer, response func(r *http.Request) map[string]any) {
	s.token = func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		json.NewEncoder(w).Encode(response(r))
	}
}

func activeToken(changes ...map[string]any) map[string]any {
	m := map[string]any{"active": true, "sub": "alice", "client_id": "cli", "aud": testResource, "scope": "read write", "exp": time.Now().Unix() + 600}
	for _, c := range changes {
		maps.Copy(m, c)
	}
	return m
}

func newTestIntrospector(t *testing.T, s *testServer, changes ...func(*IntrospectionOptions)) *Introspector {
	t.Helper()
	opts := IntrospectionOptions{
		Issuer: testIssuer, Endpoint: testIssuer + "/introspect", Credentials: Credentials{ClientID: "rs: 1", Secret: "geheim&%"}, Audiences: []string{testResource}, Transport: s,
	}
	for _, c := range changes {
		c(&opts)
	}
	v, err := NewIntrospector(&opts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestIntrospection(t *testing.T) {
	s := newTestServer()
	introspects(s, func(r *http.Request) map[string]any {
		id, secret, _ := r.BasicAuth()
		if id != url.QueryEscape("rs: 1") || secret != url.QueryEscape("geheim&%") || r.Form.Get("token") != "opaque" || r.Form.Get("token_type_hint") != "access_token" {
			t.Errorf("the request has %s, %s and %s", id, secret, r.Form)
		}
		return activeToken(map[string]any{"cnf": map[string]any{"jkt": "abc"}})
	})
	got, err := newTestIntrospector(t, s).Verify(t.Context(), "opaque")
	if err != nil {
		t.Fatal(err)
	}
	if got.Principal() != testIssuer+"#alice" || got.ClientID != "cli" || fmt.Sprint(got.Scopes) != "[read write]" || got.Expiry.IsZero() || got.KeyThumbprint != "abc" ||
		*got.raw != "opaque" || !got.Expires().Equal(got.Expiry) {
		t.Errorf("got %v", got)
	}
}

// Answers of identity providers, in the form that public recordings of them have.
func TestIntrospectionByProviders(t *testing.T) {
	for name, p := range map[string]struct {
		answer    string
		principal string
		client    string
		scopes    []string
	}{
		"Keycloak": {
			answer: `{"exp":EXP,"iat":IAT,"jti":"j","iss":"ISS","aud":["RESOURCE","account"],"sub":"838d","typ":"Bearer","azp":"desktop","sid":"s","acr":"1","allowed-origins":["/*"],
				"realm_access":{"roles":["default-roles-main","offline_access","uma_authorization"]},"resource_access":{"account":{"roles":["manage-account","view-profile"]}},
				"scope":"email notes:read","email_verified":false,"preferred_username":"ada","client_id":"desktop","username":"ada","token_type":"Bearer","active":true}`,
			principal: "838d", client: "desktop", scopes: []string{"email", "notes:read"},
		},
		"Okta": {
			answer: `{"active":true,"scope":"openid notes:read","username":"ada@example.com","exp":EXP,"iat":IAT,"sub":"ada@example.com","aud":"RESOURCE",
				"iss":"ISS","jti":"AT.x","token_type":"Bearer","client_id":"0oa1","uid":"00u1"}`,
			principal: "ada@example.com", client: "0oa1", scopes: []string{"openid", "notes:read"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestServer()
			answer := strings.NewReplacer("EXP", jsonNumber(time.Now().Add(time.Hour)), "IAT", jsonNumber(time.Now()), "ISS", testIssuer, "RESOURCE", testResource).Replace(p.answer)
			introspects(s, func(*http.Request) map[string]any {
				var m map[string]any
				if err := json.Unmarshal([]byte(answer), &m); err != nil {
					t.Error(err)
				}
				return m
			})
			v := newTestIntrospector(t, s)
			got, err := v.Verify(t.Context(), "opaque")
			if err != nil {
				t.Fatal(err)
			}
			if got.Principal() != testIssuer+"#"+p.principal || got.ClientID != p.client || !slices.Equal(got.Scopes, p.scopes) {
				t.Errorf("got %+v", got)
			}
			answer = strings.ReplaceAll(answer, testResource, "account") // without the audience of this server
			if _, err := v.Verify(t.Context(), "another"); err == nil {
				t.Error("a token for another audience is accepted")
			}
		})
	}
}

func TestIntrospectionByPrivateKey(t *testing.T) {
	s, k := newTestServer(), newTestKey(t, "me")
	seen := map[string]bool{}
	introspects(s, func(r *http.Request) map[string]any {
		jws, err := jwt.ParseSigned(r.Form.Get("client_assertion"), []jose.SignatureAlgorithm{jose.ES256})
		if err != nil {
			t.Error(err)
			return nil
		}
		var c jwt.Claims
		if err := jws.Claims(k.key.Public(), &c); err != nil {
			t.Error(err)
		}
		if err := c.Validate(jwt.Expected{Issuer: "rs", Subject: "rs", AnyAudience: jwt.Audience{testIssuer}, Time: time.Now()}); err != nil {
			t.Error(err)
		}
		if c.ID == "" || seen[c.ID] || c.Expiry == nil || c.IssuedAt == nil || c.Expiry.Time().Sub(c.IssuedAt.Time()) != time.Minute || jws.Headers[0].KeyID != "me" {
			t.Errorf("the assertion has the id %q, the expiry %v and the key id %q", c.ID, c.Expiry, jws.Headers[0].KeyID)
		}
		seen[c.ID] = true
		if r.Form.Get("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" || r.Form.Get("client_id") != "rs" || r.Header.Get("Authorization") != "" {
			t.Errorf("the request has %s and %s", r.Form, r.Header)
		}
		return activeToken()
	})
	v := newTestIntrospector(t, s, func(o *IntrospectionOptions) { o.Credentials = Credentials{ClientID: "rs", Key: k.key, KeyID: "me"} })
	for _, token := range []string{"a", "b"} {
		if _, err := v.Verify(t.Context(), token); err != nil {
			t.Error(err)
		}
	}
}

// REQ AUTH06-06, SEC-02
func TestRefusedIntrospections(t *testing.T) {
	now := time.Now().Unix()
	for name, test := range map[string]struct {
		change map[string]any
		want   string
	}{
		"not active":       {map[string]any{"active": false}, "not active"},
		"no active":        {map[string]any{"active": nil}, "not active"},
		"active in words":  {map[string]any{"active": "true"}, ""},
		"another audience": {map[string]any{"aud": "https://other.example.com"}, "another resource"},
		"no audience":      {map[string]any{"aud": nil}, "another resource"},
		"another issuer":   {map[string]any{"iss": "https://evil.example"}, "another issuer"},
		"expired":          {map[string]any{"exp": now - 1}, "expired"},
		"not valid yet":    {map[string]any{"nbf": now + 60}, "not valid yet"},
		"bound otherwise":  {map[string]any{"cnf": map[string]any{"kid": "x"}}, "bound to a key"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestServer()
			introspects(s, func(*http.Request) map[string]any { return activeToken(test.change) })
			got, err := newTestIntrospector(t, s).Verify(t.Context(), "opaque")
			if got != nil {
				t.Errorf("accepted: %v", got)
			}
			if test.want != "" {
				wantInvalid(t, err, test.want)
			} else if err == nil || isInvalid(err) {
				t.Errorf("got %v, want an error that is not about the token", err)
			}
		})
	}
	s := newTestServer()
	introspects(s, func(*http.Request) map[string]any { return activeToken(map[string]any{"aud": nil}) })
	if _, err := newTestIntrospector(t, s, func(o *IntrospectionOptions) { o.AnyAudience = true }).Verify(t.Context(), "opaque"); err != nil {
		t.Errorf("any audience: %v", err)
	}
	introspects(s, func(*http.Request) map[string]any {
		return activeToken(map[string]any{"aud": "https://other.example.com"})
	})
	_, err := newTestIntrospector(t, s, func(o *IntrospectionOptions) { o.AnyAudience = true }).Verify(t.Context(), "opaque")
	wantInvalid(t, err, "another resource")
}

// What a function of the program panics with is an error of the request, as anywhere else: it does not end the process.
func TestPanicWhileIntrospecting(t *testing.T) {
	s := newTestServer()
	introspects(s, func(*http.Request) map[string]any { return activeToken() })
	v := newTestIntrospector(t, s, func(o *IntrospectionOptions) { o.Scopes = func(wire.Raw) []string { panic("a claim is missing") } })
	for range 2 * maxFlights {
		if _, err := v.Verify(t.Context(), "opaque"); err == nil || isInvalid(err) || !strings.Contains(err.Error(), "a claim is missing") {
			t.Fatalf("got %v, want an error that is not about the token", err)
		}
	}
}

// A response is used until the token ends or MaxAge is over, a negative one for 10 seconds.
func TestIntrospectionsAreRemembered(t *testing.T) {
	for name, test := range map[string]struct {
		change map[string]any
		maxAge time.Duration
		want   map[time.Duration]int // requests after a time
	}{
		"until the end":      {nil, 0, map[time.Duration]int{0: 1, 599 * time.Second: 1, 600 * time.Second: 2}},
		"MaxAge":             {nil, time.Minute, map[time.Duration]int{59 * time.Second: 1, 60 * time.Second: 2}},
		"a short token":      {map[string]any{"exp": int64(5)}, time.Minute, map[time.Duration]int{4 * time.Second: 1, 5 * time.Second: 2}},
		"no end":             {map[string]any{"exp": nil}, 0, map[time.Duration]int{59 * time.Second: 1, 60 * time.Second: 2}},
		"never":              {nil, -1, map[time.Duration]int{0: 2}},
		"never, without end": {map[string]any{"exp": nil}, -1, map[time.Duration]int{0: 2}},
		"no end and MaxAge":  {map[string]any{"exp": nil}, 2 * time.Minute, map[time.Duration]int{119 * time.Second: 1, 120 * time.Second: 2}},
		"what is not active": {map[string]any{"active": false}, 0, map[time.Duration]int{9 * time.Second: 1, 10 * time.Second: 2}},
	} {
		for later, want := range test.want {
			t.Run(fmt.Sprint(name, later), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newTestServer()
					c := maps.Clone(test.change)
					if exp, ok := c["exp"].(int64); ok {
						c["exp"] = time.Now().Unix() + exp
					}
					response := activeToken(c)
					introspects(s, func(*http.Request) map[string]any { return response })
					v := newTestIntrospector(t, s, func(o *IntrospectionOptions) { o.MaxAge = test.maxAge })
					v.Verify(t.Context(), "opaque")
					time.Sleep(later)
					v.Verify(t.Context(), "opaque")
					if n := s.count("/introspect"); n != want {
						t.Errorf("%d requests, want %d", n, want)
					}
				})
			})
		}
	}
}

// A request that has ended does not wait.
func TestIntrospectionIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.token = func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			json.NewEncoder(w).Encode(activeToken())
		}
		if got, err := newTestIntrospector(t, s).Verify(ctx, "other"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v and %v", got, err)
		}
		time.Sleep(2 * time.Second) // until the request has ended
	})
}

// A token that is revoked is refused once its response is not used any more.
func TestRevokedToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer()
		var revoked atomic.Bool
		introspects(s, func(*http.Request) map[string]any { return activeToken(map[string]any{"active": !revoked.Load()}) })
		v := newTestIntrospector(t, s, func(o *IntrospectionOptions) { o.MaxAge = 30 * time.Second })
		if _, err := v.Verify(t.Context(), "opaque"); err != nil {
			t.Fatal(err)
		}
		revoked.Store(true)
		time.Sleep(30 * time.Second)
		_, err := v.Verify(t.Context(), "opaque")
		wantInvalid(t, err, "not active")
	})
}

// 1,000 requests with one token cause one introspection, and those with many tokens a bounded number at a time.
func TestOneIntrospectionForMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer()
		s.token = func(w http.ResponseWriter, r *http.Request) {
			s.mu.Unlock()
			time.Sleep(time.Second)
			s.mu.Lock()
			json.NewEncoder(w).Encode(activeToken())
		}
		v := newTestIntrospector(t, s)
		var accepted atomic.Int32
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() {
				if _, err := v.Verify(t.Context(), "opaque"); err == nil {
					accepted.Add(1)
				}
			})
		}
		wg.Wait()
		if n := s.count("/introspect"); accepted.Load() != 1000 || n != 1 {
			t.Errorf("%d of 1000 were accepted after %d requests, want all after 1", accepted.Load(), n)
		}
		begun := time.Now()
		for i := range 100 {
			wg.Go(func() {
				if _, err := v.Verify(t.Context(), fmt.Sprint("opaque", i)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(begun); took != 2*time.Second {
			t.Errorf("100 introspections took %s, want %d at a time", took, maxFlights)
		}
	})
}

// Whoever sends many random tokens, from however many addresses, keeps nobody waiting for long, also with requests that
// are given up at once.
func TestIntrospectionsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer()
		var asked atomic.Int64
		introspects(s, func(*http.Request) map[string]any {
			asked.Add(1)
			s.mu.Unlock()
			time.Sleep(time.Second)
			s.mu.Lock()
			return activeToken()
		})
		rs := newTestResource(t, s, func(o *Options) { o.Verifier = newTestIntrospector(t, s) })
		var group sync.WaitGroup
		limits.Shared(t, maxFlights/4, func(who string) bool {
			before := asked.Load()
			r := post("Bearer " + rand.Text())
			r.RemoteAddr = who
			group.Go(func() { rs.Authorize(r) })
			synctest.Wait()
			return asked.Load() > before
		})
		group.Wait()
	})
	for name, flood := range map[string]struct {
		loops    int           // of each sender
		patience time.Duration // of a request
		pause    time.Duration // between two
	}{
		"many":    {300, time.Minute, time.Second},
		"give up": {1, time.Millisecond, 10 * time.Millisecond},
	} {
		for _, senders := range []int{0, 4, 6} {
			t.Run(fmt.Sprintf("%s of %d senders", name, senders), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newTestServer()
					introspects(s, func(r *http.Request) map[string]any {
						s.mu.Unlock()
						time.Sleep(300 * time.Millisecond)
						s.mu.Lock()
						return activeToken(map[string]any{"active": strings.HasPrefix(r.Form.Get("token"), "good")})
					})
					rs := newTestResource(t, s, func(o *Options) { o.Verifier = newTestIntrospector(t, s) })
					authorize := func(patience time.Duration, address, token string) error {
						ctx, cancel := context.WithTimeout(t.Context(), patience)
						defer cancel()
						r := post("Bearer " + token).WithContext(ctx)
						r.RemoteAddr = address
						_, err := rs.Authorize(r)
						return err
					}
					ctx, cancel := context.WithCancel(t.Context())
					var wg sync.WaitGroup
					for sender := range senders {
						for loop := range flood.loops {
							wg.Go(func() {
								for i := 0; ctx.Err() == nil; i++ {
									authorize(flood.patience, fmt.Sprintf("192.0.2.%d:%d", sender, i), fmt.Sprint("random", sender, "-", loop, "-", i))
									time.Sleep(flood.pause)
								}
							})
						}
					}
					for i := range 40 {
						wg.Go(func() {
							time.Sleep(10*time.Second + time.Duration(i)*time.Millisecond)
							begun := time.Now()
							err := authorize(time.Minute, fmt.Sprintf("198.51.100.%d:1", i), fmt.Sprint("good", i))
							if took := time.Since(begun); err != nil || took > 1500*time.Millisecond {
								t.Errorf("user %d: %v after %s", i, err, took)
							}
						})
					}
					time.Sleep(12 * time.Second)
					cancel()
					wg.Wait()
					time.Sleep(time.Minute) // until what was given up has ended
				})
			})
		}
	}
}

// A server that introspects some tokens alone says of others by an error that they are none of these.
func TestIntrospectionOfUnsupportedToken(t *testing.T) {
	for _, tt := range []struct {
		status  int
		code    string
		invalid bool
	}{
		{400, "unsupported_token_type", true},
		{400, "invalid_client", false},
		{500, "unsupported_token_type", false},
	} {
		s := newTestServer()
		s.token = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(tt.status)
			fmt.Fprintf(w, `{"error":%q}`, tt.code)
		}
		if _, err := newTestIntrospector(t, s).Verify(t.Context(), "a.b.c"); err == nil || isInvalid(err) != tt.invalid {
			t.Errorf("status %d, error %q: got %v", tt.status, tt.code, err)
		}
	}
}

// If the authorization server fails, the token is not called invalid, and the error has neither token nor secret.
func TestIntrospectionFails(t *testing.T) {
	for name, change := range map[string]func(*testServer){
		"down":       func(s *testServer) { s.down = true },
		"status 500": func(s *testServer) { s.token = func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) } },
		"status 401": func(s *testServer) { s.token = func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) } },
		"no JSON": func(s *testServer) {
			s.token = func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("opaque")) }
		},
		"a redirect": func(s *testServer) {
			s.token = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, testIssuer+"/introspect2", http.StatusTemporaryRedirect)
			}
		},
	} {
		s := newTestServer()
		introspects(s, func(*http.Request) map[string]any { return activeToken() })
		change(s)
		_, err := newTestIntrospector(t, s).Verify(t.Context(), "opaque-token")
		if err == nil || isInvalid(err) {
			t.Errorf("%s: got %v, want an error that is not about the token", name, err)
			continue
		}
		for _, secret := range []string{"opaque-token", "geheim", base64.StdEncoding.EncodeToString([]byte("geheim"))} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error has a secret: %v", name, err)
			}
		}
		if s.count("/introspect2") > 0 {
			t.Errorf("%s: the token was sent on", name)
		}
	}
	p224, err := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const at = testIssuer + "/introspect"
	for name, opts := range map[string]*IntrospectionOptions{
		"nothing":        nil,
		"no endpoint":    {Issuer: testIssuer, Audiences: []string{testResource}, Credentials: Credentials{ClientID: "a", Secret: "b"}},
		"http":           {Issuer: testIssuer, Endpoint: "http://as.example/introspect", Audiences: []string{testResource}, Credentials: Credentials{ClientID: "a", Secret: "b"}},
		"no audience":    {Issuer: testIssuer, Endpoint: at, Credentials: Credentials{ClientID: "a", Secret: "b"}},
		"no credentials": {Issuer: testIssuer, Endpoint: at, Audiences: []string{testResource}},
		"no issuer":      {Endpoint: at, Audiences: []string{testResource}, Credentials: Credentials{ClientID: "a", Secret: "b"}},
		"no client id":   {Issuer: testIssuer, Endpoint: at, Audiences: []string{testResource}, Credentials: Credentials{Secret: "b"}},
		"a key of P-224": {Issuer: testIssuer, Endpoint: at, Audiences: []string{testResource}, Credentials: Credentials{ClientID: "a", Key: p224}},
		"no secret":      {Issuer: testIssuer, Endpoint: at, Audiences: []string{testResource}, Credentials: Credentials{ClientID: "a"}},
		"two ways": {Issuer: testIssuer, Endpoint: at, Audiences: []string{testResource}, Credentials: Credentials{
			ClientID: "a", Secret: "b", Key: newTestKey(t, "").key,
		}},
	} {
		if _, err := NewIntrospector(opts); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := newTestIntrospector(t, newTestServer()).Verify(t.Context(), strings.Repeat("x", 17<<10)); !isInvalid(err) {
		t.Errorf("a long token: %v", err)
	}
}
