package as_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/internal/limits/recordroom"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

const anyClient = `{"redirect_uris":["` + redirect + `"],"token_endpoint_auth_method":"none"}`

// TestNothingIsStoredBeforeConsent keeps nothing of requests on which nobody has decided.
func TestNothingIsStoredBeforeConsent(t *testing.T) {
	f, _, spy := upstreamFixture(t, nil)
	for range 10 {
		f.browser().consentPage(map[string]string{"state": strings.Repeat("x", 7000)})
	}
	if spy.all.Len() > 0 {
		t.Errorf("the store has %s", &spy.all)
	}
}

// mallory has four addresses, and one account.
var mallory = []string{"203.0.113.1:1", "203.0.113.2:1", "203.0.113.3:1", "203.0.113.4:1"}

// TestRoomIsShared lets somebody fill the room of each kind of record from four addresses, before and while others use
// it: what gives way is his.
func TestRoomIsShared(t *testing.T) {
	const room, many = 12, 24
	recordroom.Shared(t, room-1, func(t *testing.T) http.Handler {
		return start(t, func(o *as.Options) {
			o.Store = &store.Memory{MaxRecords: room}
			o.Password = func(_ context.Context, name, _ string) (*as.User, error) {
				return &as.User{Subject: recordroom.Subject(name)}, nil
			}
		}).server
	})
	small := func(o *as.Options) { o.Store = &store.Memory{MaxRecords: room} }
	flood := func(f *fixture, fill func(f *fixture)) {
		for i := range many {
			fill(f.from(mallory[i%len(mallory)]))
			time.Sleep(1600 * time.Millisecond) // 10 passwords a minute and address
		}
	}
	redeem := func(f *fixture, client, code string) {
		t.Helper()
		status, m := f.post("/token", "", codeForm(code, map[string]string{"client_id": client}))
		if access, _ := m["access_token"].(string); status != http.StatusOK || !f.valid(access) {
			t.Errorf("the code of another one: status %d, %v", status, m)
		}
	}
	run := func(name string, test func(t *testing.T)) { t.Run(name, func(t *testing.T) { synctest.Test(t, test) }) }
	run("registrations", func(t *testing.T) {
		f := start(t, small)
		fill := func(f *fixture) { f.register(anyClient) }
		flood(f, fill)
		id, _ := f.register(anyClient)["client_id"].(string)
		flood(f, fill)
		code := f.code(map[string]string{"client_id": id})
		flood(f, fill)
		redeem(f, id, code)
	})
	run("requests that wait for the provider", func(t *testing.T) {
		f, p, _ := upstreamFixture(t, func(o *as.Options) { o.Store = &store.Memory{MaxRecords: room} })
		fill := func(f *fixture) {
			b := f.browser()
			b.submit(b.consentPage(map[string]string{"state": strings.Repeat("x", 1000)}), url.Values{"decision": {"allow"}})
		}
		flood(f, fill)
		b := f.browser()
		q := p.toProvider(b)
		flood(f, fill)
		redeem(f, "app", b.get(callback(q, nil)).location(t).Query().Get("code"))
	})
}

// TestAssertionsAreShared lets somebody with a client of his own use so many assertions that nobody could remember them:
// those of others are still accepted, and once.
func TestAssertionsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := newKey(t)
		f := start(t, func(o *as.Options) {
			o.Store = &store.Memory{MaxRecords: 12}
			o.Clients = append(o.Clients, as.Client{ID: "keyed", Keys: []crypto.PublicKey{key.Public()}, RedirectURIs: []string{redirect}})
		})
		keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public()}}})
		if err != nil {
			t.Fatal(err)
		}
		register := func() string {
			return f.register(`{"redirect_uris":["` + redirect + `"],"token_endpoint_auth_method":"private_key_jwt","jwks":` + string(keys) + `}`)["client_id"].(string)
		}
		use := func(address, id, jti, want string) {
			t.Helper()
			claims := map[string]any{"iss": id, "sub": id, "aud": issuer, "exp": time.Now().Add(time.Minute).Unix(), "jti": jti}
			_, m := f.from(address).post("/token", "", codeForm("wrong", map[string]string{"client_id": id, "client_assertion": sign(t, key, jose.ES256, "JWT", claims, nil),
				"client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}))
			if m["error"] != want {
				t.Errorf("%s %s: %v, want %s", id, jti, m, want)
			}
		}
		const accepted, refused = "invalid_grant", "invalid_client" // the code is wrong; the client is
		his, other := register(), register()
		flood := func() {
			for i := range 24 {
				use(mallory[i%len(mallory)], his, rand.Text(), accepted)
			}
		}
		flood()
		for _, id := range []string{other, "keyed"} {
			use("198.51.100.1:1", id, "1", accepted)
		}
		flood()
		for _, id := range []string{other, "keyed"} {
			use("198.51.100.1:1", id, "1", refused)
			use("198.51.100.1:1", id, "2", accepted)
		}
	})
}

// TestFullStore responds that there is no room if nothing may give way, and still serves who has something already.
func TestFullStore(t *testing.T) {
	records := &store.Memory{MaxRecords: 2}
	for i := range 2 { // of another process
		if _, err := records.Put(t.Context(), fmt.Sprint("as-new-client.", i), nil, 0, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	f := start(t, func(o *as.Options) { o.Store = records })
	status, m := f.tryRegister(anyClient)
	f.wantError("a third client", status, m, 503, "temporarily_unavailable")
	access, _ := f.tokens()
	if !f.valid(access) {
		t.Error("the token is not valid")
	}
}

// TestFetchesAreShared lets somebody name many slow documents from one address or on one host: others wait for none of them,
// even if they need one that is also in the queue of the other.
func TestFetchesAreShared(t *testing.T) {
	ask := func(f *fixture, url string) int {
		return f.browser().get(authorizationURL(map[string]string{"client_id": url, "redirect_uri": "http://localhost:3000/cb"})).StatusCode
	}
	for by, slow := range map[string]func(who string) (address, url string){
		"address": func(who string) (string, string) { return who, "https://" + rand.Text() + ".example/c" },
		"host":    func(who string) (string, string) { return rand.Text(), "https://" + who + ".example/" + rand.Text() },
	} {
		t.Run("by "+by, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, w := documentFixture(t, nil)
				var group sync.WaitGroup
				limits.Shared(t, 4, func(who string) bool {
					address, url := slow(who)
					w.never(url)
					before := w.count.Load()
					group.Go(func() { ask(f.from(address), url) })
					synctest.Wait()
					return w.count.Load() > before
				})
				group.Wait()
			})
		})
	}
	for name, slow := range map[string]func(i int) (address, url string){
		"one address": func(i int) (string, string) { return mallory[0], fmt.Sprintf("https://slow%d.example/c", i) },
		"one host":    func(i int) (string, string) { return mallory[i%4], fmt.Sprintf("https://slow.example/%d", i) },
	} {
		t.Run("from "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, w := documentFixture(t, page(200, document))
				for i := range 200 {
					_, url := slow(i)
					w.never(url)
				}
				var group sync.WaitGroup
				for i := range 200 {
					address, url := slow(i)
					group.Go(func() { ask(f.from(address), url) })
				}
				synctest.Wait()
				for i := range mallory {
					address, _ := slow(i)
					group.Go(func() { ask(f.from(address), documentURL) })
				}
				synctest.Wait()
				begun := time.Now()
				if status := ask(f.from("198.51.100.1:1"), documentURL); status != http.StatusOK {
					t.Errorf("status %d", status)
				}
				if took := time.Since(begun); took > 0 {
					t.Errorf("another one waits for %s", took)
				}
				group.Wait()
			})
		})
	}
}
