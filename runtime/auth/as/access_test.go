package as

import (
	"errors"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// TestOtherJWTs takes nothing for an access token that is another kind of JWT, even if it is signed by the same key.
func TestOtherJWTs(t *testing.T) {
	s, err := New(&Options{Issuer: "https://as.example", Resources: []string{"https://mcp.example/mcp"}})
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.keys.current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token := func(typ jose.ContentType, id string, claims any) string {
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key.private, KeyID: id}}, (&jose.SignerOptions{}).WithType(typ))
		if err != nil {
			t.Fatal(err)
		}
		text, err := jwt.Signed(signer).Claims(claims).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	claims := func(change func(*accessClaims)) *accessClaims {
		c := &accessClaims{Issuer: "https://as.example", Subject: "a", Audience: "https://mcp.example/mcp", Expiry: time.Now().Add(time.Minute).Unix(), ID: ".a"}
		change(c)
		return c
	}
	none := func(*accessClaims) {}
	if _, _, err := s.verify(t.Context(), token("at+jwt", key.id, claims(none))); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"another type":   token("JWT", key.id, claims(none)),
		"another key":    token("at+jwt", "other", claims(none)),
		"another issuer": token("at+jwt", key.id, claims(func(c *accessClaims) { c.Issuer = "https://as.example/" })),
		"no expiry":      token("at+jwt", key.id, claims(func(c *accessClaims) { c.Expiry = 0 })),
		"other claims":   token("at+jwt", key.id, map[string]any{"iss": "https://as.example", "sub": "a", "exp": time.Now().Add(time.Minute).Unix(), "jti": ".a", "aud": 1}),
	} {
		if _, _, err := s.verify(t.Context(), text); !errors.Is(err, errInvalidToken) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
