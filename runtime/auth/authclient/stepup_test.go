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
