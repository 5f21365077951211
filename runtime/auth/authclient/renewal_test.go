package authclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
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
//
// REQ AUTH-09
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
		data, err := json.Marshal(other)
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
		var log bytes.Buffer
		tr := newTransport(t, w, as, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		welcome(t, tr)
		clear(as.refresh)
		sleep(time.Hour)
		rs.challenge = strings.Replace(rs.challenge, "Bearer ", `Bearer scope="new", `, 1)
		welcome(t, tr)
		if len(as.logins) != 2 || as.logins[1].Get("scope") != "new" {
			t.Errorf("logins: %v", as.logins)
		}
		if !strings.Contains(log.String(), "the token could not be refreshed") {
			t.Errorf("the log is %s", log.String())
		}
	})
}

// A token that is valid for a short time is replaced when a tenth of that is left, whether or not it is stored.
func TestShortTokens(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		as.lifetime = 100 * time.Second
		store := new(MemoryStore)
		tr := newTransport(t, w, as, &Options{Store: store})
		welcome(t, tr)
		store.Update(t.Context(), tr.tokenKey(), func([]byte) ([]byte, error) { return nil, nil })
		sleep(89 * time.Second)
		welcome(t, tr)
		if n := len(as.tokens); n != 1 {
			t.Errorf("%d token requests after 89 s", n)
		}
		sleep(time.Second)
		welcome(t, tr)
		if n := len(as.tokens); n != 2 || len(as.logins) != 1 {
			t.Errorf("%d token requests, %d logins after 90 s", n, len(as.logins))
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

// Nobody has to log in because a server is busy: the refresh token is kept for later.
func TestRefreshOfBusyServer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusRequestTimeout} {
			w, _, as := newWorld(t)
			as.lifetime = time.Hour
			tr := newTransport(t, w, as, nil)
			welcome(t, tr)
			sleep(time.Hour)
			as.onToken = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				w.Write([]byte(`{"error":"temporarily_unavailable"}`))
				return true
			}
			refused(t, tr, "temporarily_unavailable")
			as.onToken = nil
			welcome(t, tr)
			if len(as.logins) != 1 {
				t.Errorf("status %d: %d logins", status, len(as.logins))
			}
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
			_, err := ask(t, tr)
			if !errors.Is(err, want) || !closed && !strings.Contains(err.Error(), "want at most 1m0s") {
				t.Errorf("got %v, want %v", err, want)
			}
			if d := time.Since(began); d > time.Minute {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// A server that takes no token does not make the user log in twice for a request.
func TestTokenNeverTaken(t *testing.T) {
	for _, noRefresh := range []bool{false, true} {
		w, rs, as := newWorld(t)
		as.noRefresh = noRefresh
		rs.handle = func(w http.ResponseWriter, _ *http.Request, g *grant) bool {
			w.Header().Set("WWW-Authenticate", rs.challenge)
			w.WriteHeader(401)
			return true
		}
		tr := newTransport(t, w, as, nil)
		if got, err := ask(t, tr); got != "401 Unauthorized" || err != nil || len(as.logins) != 1 || len(as.tokens) != 1 {
			t.Errorf("got %q, %v after %d logins and %d token requests", got, err, len(as.logins), len(as.tokens))
		}
		if err := tr.Login(t.Context()); err == nil || !strings.Contains(err.Error(), "401") {
			t.Errorf("got %v", err)
		}
	}
}
