package authclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

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

// A server that needs a token for some requests only may say so by a 403.
//
// REQ AUTH11-15
func TestStepUpWithoutToken(t *testing.T) {
	w, rs, as := newWorld(t)
	rs.handle = func(w http.ResponseWriter, _ *http.Request, g *grant) bool {
		if g != nil {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="a"`)
		w.WriteHeader(403)
		return true
	}
	welcome(t, newTransport(t, w, as, nil))
	if len(as.logins) != 1 || as.logins[0].Get("scope") != "a" {
		t.Errorf("logins %v", as.logins)
	}
}

// A server that is never content does not make the user log in forever: neither for one request nor for many.
//
// REQ AUTH11-15
func TestLoginsAreBounded(t *testing.T) {
	n := 0
	for name, tt := range map[string]struct {
		need  func() string
		grant func(g Grant) Grant
		want  []int // logins after each request
	}{
		"the same":    {need: func() string { return "admin" }, want: []int{2, 2, 2, 2}},
		"more always": {need: func() string { n++; return fmt.Sprint("scope", n) }, want: []int{1 + maxStepUps, maxLoginsInTime, maxLoginsInTime, maxLoginsInTime}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, rs, as := newWorld(t)
				rs.handle = func(w http.ResponseWriter, _ *http.Request, g *grant) bool {
					if g == nil {
						return false
					}
					w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+tt.need()+`"`)
					w.WriteHeader(403)
					return true
				}
				tr := newTransport(t, w, as, nil)
				for i, want := range tt.want {
					got, err := ask(t, tr)
					if tooMany := err != nil && strings.Contains(err.Error(), "5 logins within 10m0s"); !tooMany && (got != "403 Forbidden" || err != nil) ||
						tooMany != (i > 0 && name == "more always") {
						t.Errorf("request %d: got %q, %v", i, got, err)
					}
					if len(as.logins) != want {
						t.Errorf("%d logins after request %d, want %d", len(as.logins), i, want)
					}
				}
				sleep(loginWindow - time.Second)
				if ask(t, tr); len(as.logins) != tt.want[3] {
					t.Errorf("%d logins shortly after", len(as.logins))
				}
				sleep(time.Second + failureTime)
				if ask(t, tr); name == "more always" && len(as.logins) != maxLoginsInTime+maxStepUps {
					t.Errorf("%d logins later", len(as.logins))
				}
			})
		})
	}
}

// Programs without a user log in as often as they need to: nobody is bothered.
func TestSilentLoginsAreNotCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, rs, as := newWorld(t)
		tr := newTransport(t, w, as, &Options{Grant: ClientCredentials{}, Clients: []Credentials{{ID: "machine", Secret: "secret"}}})
		for range 3 * maxLoginsInTime {
			rs.mu.Lock()
			clear(rs.valid)
			rs.mu.Unlock()
			welcome(t, tr)
		}
		tr = newTransport(t, w, as, &Options{Grant: &AuthorizationCode{Open: unattended}})
		for range 2 * maxLoginsInTime {
			if _, err := ask(t, tr); !errors.Is(err, errUnattended) {
				t.Errorf("got %v", err)
			}
			sleep(failureTime)
		}
	})
}

// A stored token that was not requested with the scopes of the options is replaced by a login for both.
func TestStoredTokenLacksScopes(t *testing.T) {
	w, _, as := newWorld(t)
	store := new(MemoryStore)
	welcome(t, newTransport(t, w, as, &Options{Store: store, Scopes: []string{"a"}}))
	welcome(t, newTransport(t, w, as, &Options{Store: store, Scopes: []string{"a"}}))
	if len(as.logins) != 1 {
		t.Fatalf("%d logins", len(as.logins))
	}
	tr := newTransport(t, w, as, &Options{Store: store, Scopes: []string{"b"}})
	welcome(t, tr)
	welcome(t, tr)
	if len(as.logins) != 2 || as.logins[1].Get("scope") != "a b" || tr.Issuer() != issuerURL {
		t.Errorf("logins %v, issuer %q", as.logins, tr.Issuer())
	}
	welcome(t, newTransport(t, w, as, &Options{Store: store, Scopes: []string{"a"}}))
	if len(as.logins) != 2 {
		t.Errorf("%d logins", len(as.logins))
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
	rs.document["scopes_supported"] = list[:maxScopes]
	welcome(t, newTransport(t, w, as, nil))
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
