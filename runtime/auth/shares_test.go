package auth

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Whoever fills what is remembered of tokens takes nothing from others: what they use stays, the rest is verified again,
// and tokens that are not valid take no room.
func TestRememberedTokensAreShared(t *testing.T) {
	s, k := newTestServer(), newTestKey(t, "1")
	s.keys = []jose.JSONWebKey{k.public()}
	seen := map[string]int{} // how often the claims of somebody were looked at
	look := func(claims wire.Raw) []string {
		var c struct {
			Subject string `json:"sub"`
		}
		if err := json.Unmarshal(claims, &c); err != nil {
			t.Error(err)
		}
		seen[c.Subject]++
		return nil
	}
	introspects(s, func(r *http.Request) map[string]any {
		who, _, _ := strings.Cut(r.Form.Get("token"), " ")
		return activeToken(map[string]any{"active": who != "nobody", "sub": who})
	})
	for name, test := range map[string]struct {
		Verifier
		token func(who string) string
	}{
		"verified": {newTestVerifier(t, s, func(o *JWTOptions) { o.MaxTokens, o.Scopes = 10, look }), func(who string) string {
			if who == "nobody" {
				return k.sign(t, change{"aud": "https://other.example"})
			}
			return k.sign(t, change{"sub": who})
		}},
		"introspected": {newTestIntrospector(t, s, func(o *IntrospectionOptions) { o.MaxTokens, o.Scopes = 10, look }), func(who string) string {
			return who + " " + rand.Text()
		}},
	} {
		clear(seen)
		verify := func(token string, valid bool) {
			t.Helper()
			if _, err := test.Verify(t.Context(), token); (err == nil) != valid {
				t.Errorf("%s: %v", name, err)
			}
		}
		expect := func(who string, want int) {
			t.Helper()
			if seen[who] != want {
				t.Errorf("%s: the token of %s was looked at %d times, want %d", name, who, seen[who], want)
			}
		}
		alice, bob := test.token("alice"), test.token("bob")
		verify(alice, true)
		verify(bob, true)
		for range 40 {
			verify(test.token("nobody"), false)
		}
		verify(bob, true)
		expect("bob", 1)
		for range 40 {
			verify(test.token("mallory"), true)
			verify(alice, true)
		}
		verify(bob, true)
		expect("alice", 1)
		expect("bob", 2)
		expect("mallory", 40)
	}
}

// Whoever needs many tokens for other services keeps nobody else waiting.
func TestExchangesAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer()
		var asked atomic.Int64
		s.token = func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			s.mu.Unlock()
			time.Sleep(time.Second)
			s.mu.Lock()
			json.NewEncoder(w).Encode(map[string]any{"access_token": "new", "token_type": "Bearer", "expires_in": 300})
		}
		e := newTestExchanger(t, s, func(o *ExchangeOptions) { o.MaxTokens = 10 })
		exchange := func(who, text string) error {
			token := &Token{Issuer: testIssuer, Subject: who, Expiry: time.Now().Add(time.Hour)}
			_, err := e.Token(transport.WithIdentity(t.Context(), token.withText(text)))
			return err
		}
		var group sync.WaitGroup
		limits.Shared(t, maxFlights/4, func(who string) bool {
			before := asked.Load()
			group.Go(func() { exchange(who, rand.Text()) })
			synctest.Wait()
			return asked.Load() > before
		})
		for i := range 300 {
			group.Go(func() { exchange("mallory", fmt.Sprint("m", i)) })
		}
		synctest.Wait()
		begun := time.Now()
		if err := exchange("alice", "a"); err != nil || time.Since(begun) != time.Second {
			t.Errorf("alice: %v after %s", err, time.Since(begun))
		}
		group.Wait()
	})
}
