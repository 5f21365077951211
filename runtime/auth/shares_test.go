package auth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Whoever fills what is remembered of tokens takes nothing from others: theirs are looked at again.
func TestRememberedTokensAreShared(t *testing.T) {
	s, k := newTestServer(), newTestKey(t, "1")
	s.keys = []jose.JSONWebKey{k.public()}
	introspects(s, func(*http.Request) map[string]any { return activeToken() })
	for name, v := range map[string]Verifier{
		"verified":     newTestVerifier(t, s, func(o *JWTOptions) { o.MaxTokens = 10 }),
		"introspected": newTestIntrospector(t, s, func(o *IntrospectionOptions) { o.MaxTokens = 10 }),
	} {
		alice := k.sign(t, change{"sub": "alice"})
		for i := range 40 {
			if _, err := v.Verify(t.Context(), k.sign(t, change{"sub": "mallory", "jti": fmt.Sprint(i)})); err != nil {
				t.Fatal(err)
			}
			if _, err := v.Verify(t.Context(), alice); err != nil && i%10 == 0 {
				t.Errorf("%s: after %d tokens of mallory: %v", name, i, err)
			}
		}
	}
}

// Whoever needs many tokens for other services keeps nobody else waiting.
func TestExchangesAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer()
		s.token = func(w http.ResponseWriter, r *http.Request) {
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
