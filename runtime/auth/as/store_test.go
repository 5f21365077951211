package as_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// A wrongStore fails where a test says so, by the keys of records.
type wrongStore struct {
	store.Memory
	put, delete map[string]error // by the kind of record
	get         map[string]string
}

func kindOf(key string) string {
	kind, _, _ := strings.Cut(key, ".")
	return kind
}

func (s *wrongStore) Get(ctx context.Context, key string) (store.Record, error) {
	r, err := s.Memory.Get(ctx, key)
	if text, ok := s.get[kindOf(key)]; ok {
		r.Value, r.Revision, err = []byte(text), 7, nil
	}
	return r, err
}

func (s *wrongStore) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	if err := s.put[kindOf(key)]; err != nil {
		return 0, err
	}
	return s.Memory.Put(ctx, key, value, revision, ttl)
}

func (s *wrongStore) Delete(ctx context.Context, key string, revision uint64) error {
	if err := s.delete[kindOf(key)]; err != nil {
		return err
	}
	return s.Memory.Delete(ctx, key, revision)
}

func wrongFixture(t *testing.T) (*fixture, *wrongStore) {
	s := &wrongStore{put: map[string]error{}, delete: map[string]error{}, get: map[string]string{}}
	return start(t, func(o *as.Options) { o.Store = s }), s
}

// TestRecordsThatCannotBeRead are errors of the server, and are not replaced.
func TestRecordsThatCannotBeRead(t *testing.T) {
	for kind, ask := range map[string]func(*fixture) *response{
		"as-keys": func(f *fixture) *response { return f.send(f.request(http.MethodGet, "/jwks", "")) },
		"as-client": func(f *fixture) *response {
			return f.browser().get(authorizationURL(map[string]string{"client_id": "x"}))
		},
		"as-grant": func(f *fixture) *response {
			return f.send(f.request(http.MethodPost, "/token", codeForm("x.y", nil).Encode()))
		},
	} {
		f, s := wrongFixture(t)
		s.get[kind] = "{"
		s.put[kind] = errors.New("it was replaced")
		resp := ask(f)
		if resp.StatusCode != http.StatusInternalServerError || !strings.Contains(f.log.String(), "unexpected end of JSON") {
			t.Errorf("%s: status %d: %s; the log is %s", kind, resp.StatusCode, resp.body, f.log)
		}
	}
}

// TestConflicts ends attempts to change what others change all the time.
func TestConflicts(t *testing.T) {
	f, s := wrongFixture(t)
	code := f.code(nil)
	s.put["as-grant"] = store.ErrConflict
	status, m := f.post("/token", "", codeForm(code, nil))
	f.wantError("a grant", status, m, http.StatusInternalServerError, "server_error")

	f, s = wrongFixture(t)
	s.put["as-keys"] = store.ErrConflict
	if resp := f.send(f.request(http.MethodGet, "/jwks", "")); resp.StatusCode != http.StatusInternalServerError {
		t.Errorf("the keys: status %d", resp.StatusCode)
	}

	f, s = wrongFixture(t)
	id := f.register(anyClient)["client_id"].(string)
	s.put["as-client"] = store.ErrConflict // somebody else has prolonged it
	f.code(map[string]string{"client_id": id})
}

// TestYieldingFails lets the store fail when a record gives way to another one. That another process uses it is no failure.
func TestYieldingFails(t *testing.T) {
	f, s := wrongFixture(t)
	f.register(anyClient)
	s.put["as-new-client"], s.delete["as-new-client"] = store.ErrFull, errDisk
	status, m := f.tryRegister(anyClient)
	f.wantError("the disk", status, m, http.StatusInternalServerError, "server_error")
	s.put["as-new-client"] = nil
	f.register(anyClient)
	s.put["as-new-client"], s.delete["as-new-client"] = store.ErrFull, store.ErrConflict
	status, m = f.tryRegister(anyClient)
	f.wantError("still full", status, m, http.StatusServiceUnavailable, "temporarily_unavailable")
	if m["error_description"] != "there is no room for another request; try again later" || !strings.Contains(f.log.String(), "the store is full") {
		t.Errorf("%v; the log is %s", m, f.log)
	}
}

// TestStoreIsLost says so for tokens that need it, rather than that they are wrong.
func TestStoreIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := &failingStore{Store: new(store.Memory)}
		f := start(t, func(o *as.Options) { o.Store = records })
		user, _ := f.tokens()
		machine := f.token()
		for wait, token := range map[time.Duration]string{0: user, 2 * time.Minute: machine} { // in which the keys are used again
			time.Sleep(wait)
			records.lost.Store(true)
			if _, err := f.server.Verify(t.Context(), token); !errors.Is(err, errDisk) {
				t.Errorf("Verify: %v, want %v", err, errDisk)
			}
			records.lost.Store(false)
		}
		records.lost.Store(true)
		if err := f.server.RotateKeys(t.Context()); !errors.Is(err, errDisk) {
			t.Errorf("RotateKeys: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if resp := f.send(f.request(http.MethodGet, "/jwks", "")); resp.StatusCode != http.StatusInternalServerError || !strings.Contains(resp.body, "the authorization server failed") {
			t.Errorf("/jwks: status %d: %s", resp.StatusCode, resp.body)
		}
	})
}

// TestDecisionsOfOneAccount lets somebody send forms from many addresses: what gives way is his, and others cannot send theirs
// again.
func TestDecisionsOfOneAccount(t *testing.T) {
	f := start(t, func(o *as.Options) { o.Store = &store.Memory{MaxRecords: 12} })
	ada, eve := f.browser(), f.browser()
	deny := url.Values{"decision": {"deny"}}
	var first *response
	for range 4 {
		page := ada.consentAs("ada", nil)
		if ada.submit(page, deny); first == nil {
			first = page
		}
	}
	for i := range 24 {
		eve.fixture = f.from(mallory[i%len(mallory)])
		eve.submit(eve.consentAs("bob", nil), deny)
	}
	if resp := ada.submit(first, deny); resp.StatusCode != http.StatusConflict {
		t.Errorf("a form is taken again: status %d", resp.StatusCode)
	}
}

// TestUpstreamStoreFails lets the store fail at each of its calls of a login at another provider, and of what follows.
func TestUpstreamStoreFails(t *testing.T) {
	for n := 1; ; n++ {
		done := false
		synctest.Test(t, func(t *testing.T) {
			records := &failingStore{Store: new(store.Memory)}
			f, p, _ := upstreamFixture(t, func(o *as.Options) { o.Store = records })
			f.token() // so that there are keys
			records.calls, records.fails = 0, n
			failed := func(what string, resp *response) bool {
				t.Helper()
				if records.calls < n {
					return false
				}
				if resp.StatusCode != http.StatusInternalServerError && !strings.Contains(resp.Header.Get("Location"), "error=server_error") {
					t.Errorf("call %d fails, and %s has the status %d: %s", n, what, resp.StatusCode, resp.body)
				}
				return true
			}
			b := f.browser()
			consent := b.submit(b.consentPage(nil), url.Values{"decision": {"allow"}})
			if failed("consent", consent) {
				return
			}
			q := consent.location(t).Query()
			p.challenge = q.Get("code_challenge")
			back := b.get(callback(q, nil))
			if failed("the callback", back) {
				return
			}
			tokens := f.send(f.request(http.MethodPost, "/token", codeForm(back.location(t).Query().Get("code"), nil).Encode()))
			if failed("the code", tokens) {
				return
			}
			var m struct {
				Access  string `json:"access_token"`
				Refresh string `json:"refresh_token"`
			}
			if err := json.Unmarshal([]byte(tokens.body), &m); err != nil {
				t.Fatal(err)
			}
			time.Sleep(59 * time.Second) // the keys are known for a minute
			token, err := f.server.Verify(t.Context(), m.Access)
			if records.calls >= n {
				if !errors.Is(err, errDisk) {
					t.Errorf("call %d fails, and Verify returns %v", n, err)
				}
				return
			}
			time.Sleep(2 * time.Second)
			_, err = f.server.UpstreamToken(t.Context(), token)
			if records.calls >= n {
				if !errors.Is(err, errDisk) {
					t.Errorf("call %d fails, and UpstreamToken returns %v", n, err)
				}
				return
			}
			p.revoked = true
			time.Sleep(time.Minute)
			refreshed := f.send(f.request(http.MethodPost, "/token", refreshForm(m.Refresh).Encode()))
			if done = records.calls < n; refreshed.StatusCode < 400 {
				t.Errorf("call %d fails, and the refresh has the status %d: %s", n, refreshed.StatusCode, refreshed.body)
			}
		})
		if done {
			if n < 15 {
				t.Errorf("there were %d calls", n-1)
			}
			return
		}
	}
}
