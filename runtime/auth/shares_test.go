package auth

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

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
