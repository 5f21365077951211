package as_test

import (
	"context"
	"crypto"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// A failingStore fails at one of its calls, and while it is lost.
type failingStore struct {
	store.Store
	calls, fails int
	lost         atomic.Bool
}

var errDisk = errors.New("the disk has failed")

func (s *failingStore) fail() error {
	if s.calls++; s.calls == s.fails || s.lost.Load() {
		return errDisk
	}
	return nil
}

func (s *failingStore) Get(ctx context.Context, key string) (store.Record, error) {
	if err := s.fail(); err != nil {
		return store.Record{}, err
	}
	return s.Store.Get(ctx, key)
}

func (s *failingStore) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	if err := s.fail(); err != nil {
		return 0, err
	}
	return s.Store.Put(ctx, key, value, revision, ttl)
}

func (s *failingStore) Delete(ctx context.Context, key string, revision uint64) error {
	if err := s.fail(); err != nil {
		return err
	}
	return s.Store.Delete(ctx, key, revision)
}

// TestStoreFails lets the store fail at each of its calls: the request fails that needs it, as an error of the
// server, and nothing is allowed that is not known to be.
func TestStoreFails(t *testing.T) {
	key := newKey(t)
	for n := 1; ; n++ {
		records := &failingStore{Store: new(store.Memory), fails: n}
		f := start(t, func(o *as.Options) {
			o.Store = records
			o.Clients = append(o.Clients, as.Client{ID: "keyed", Keys: []crypto.PublicKey{key.Public()}, GrantTypes: []string{"client_credentials"}})
		})
		failed := 0
		seen := func(what string, resp *response) {
			t.Helper()
			sent := strings.Contains(resp.Header.Get("Location"), "error=server_error")
			if records.calls < n || failed > 0 {
				return
			}
			if failed++; resp.StatusCode != http.StatusInternalServerError && !sent {
				t.Errorf("call %d fails, and %s has the status %d: %s", n, what, resp.StatusCode, resp.body)
			}
		}
		useAll(f, key, seen)
		if records.calls < n {
			if n < 30 {
				t.Errorf("there were %d calls", n)
			}
			return
		}
		if failed != 1 || !strings.Contains(f.log.String(), errDisk.Error()) {
			t.Errorf("call %d fails, and %d requests; the log is %s", n, failed, f.log)
		}
	}
}

// useAll sends one request of each kind, as far as those before let it.
func useAll(f *fixture, key crypto.Signer, seen func(string, *response)) {
	f.Helper()
	send := func(path, client string, form url.Values) *response {
		f.Helper()
		r := f.request(http.MethodPost, path, form.Encode())
		if id, secret, found := strings.Cut(client, ":"); found {
			r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
		}
		resp := f.send(r)
		seen(path, resp)
		return resp
	}
	member := func(resp *response, name string) string {
		_, rest, _ := strings.Cut(resp.body, `"`+name+`":"`)
		value, _, _ := strings.Cut(rest, `"`)
		return value
	}
	register := f.request(http.MethodPost, "/register", `{"redirect_uris":["`+redirect+`"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"]}`)
	register.Header.Set("Content-Type", "application/json")
	registered := f.send(register)
	seen("/register", registered)
	id := member(registered, "client_id")
	change := map[string]string{"client_id": id}

	b := f.browser()
	page := b.get(authorizationURL(change))
	seen("the login page", page)
	if !action.MatchString(page.body) {
		return
	}
	login := b.submit(page, url.Values{"name": {"ada"}, "password": {"correct horse"}})
	seen("logging in", login)
	page = b.get(authorizationURL(change))
	seen("the consent page", page)
	if !strings.Contains(page.body, "asks for access") {
		return
	}
	back := b.submit(page, url.Values{"decision": {"allow"}})
	seen("consent", back)
	if back.StatusCode != http.StatusSeeOther {
		return
	}
	code := codeForm(back.location(f).Query().Get("code"), change)
	tokens := send("/token", "", code)
	form := refreshForm(member(tokens, "refresh_token"))
	form.Set("client_id", id)
	tokens = send("/token", "", form)
	send("/token", "", code) // which ends the grant
	page = b.get(authorizationURL(change))
	seen("the consent page again", page)
	if !strings.Contains(page.body, "asks for access") {
		return
	}
	seen("another user", b.submit(page, url.Values{"decision": {"switch"}}))
	send("/revoke", "", url.Values{"client_id": {id}, "token": {member(tokens, "access_token")}})
	send("/revoke", "", url.Values{"client_id": {id}, "token": {member(tokens, "refresh_token")}})

	claims := map[string]any{"sub": "keyed", "aud": issuer, "exp": time.Now().Add(time.Minute).Unix()}
	send("/token", "", url.Values{
		"grant_type":            {"client_credentials"},
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
		"client_assertion":      {sign(f.T, key, jose.ES256, "JWT", claims, map[string]any{"iss": "keyed", "jti": jti()})},
	})
}

// TestStoreFailsForAMoment lets the store fail at each of its calls for a token, once: what pays for the token is not
// spent then, and the next attempt receives it.
func TestStoreFailsForAMoment(t *testing.T) {
	for what, form := range map[string]func(*fixture) url.Values{
		"a code":          func(f *fixture) url.Values { return codeForm(f.code(nil), nil) },
		"a refresh token": func(f *fixture) url.Values { _, refresh := f.tokens(); return refreshForm(refresh) },
	} {
		for n := 1; ; n++ {
			records := &failingStore{Store: new(store.Memory)}
			options := func(o *as.Options) { o.Store, o.Secret = records, make([]byte, 32) }
			pay := form(start(t, options))
			f := start(t, options) // it has yet to load the keys
			records.calls, records.fails = 0, n
			status, m := f.post("/token", "", pay)
			if records.calls < n {
				if n < 3 || status != http.StatusOK {
					t.Errorf("%s: %d calls, status %d, %v", what, records.calls, status, m)
				}
				break
			}
			if status == http.StatusOK {
				continue
			}
			f.wantError(what, status, m, http.StatusInternalServerError, "server_error")
			if status, m := f.post("/token", "", pay); status != http.StatusOK {
				t.Errorf("%s: after call %d has failed: status %d, %v", what, n, status, m)
			}
		}
	}
}
