package as_test

import (
	"crypto"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// sign returns a JWT with claims that are changed; a nil one is left out.
func sign(t testing.TB, key any, alg jose.SignatureAlgorithm, typ string, claims map[string]any, change map[string]any) string {
	t.Helper()
	claims = maps.Clone(claims)
	maps.Copy(claims, change)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithType(jose.ContentType(typ)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var ids int

func jti() string { ids++; return fmt.Sprint("id-", ids) }

// TestPrivateKeyJWT authenticates clients by keys: RFC 7523.
//
// REQ AUTH-04
func TestPrivateKeyJWT(t *testing.T) {
	key, other := newKey(t), newKey(t)
	f := start(t, func(o *as.Options) {
		o.Clients = append(o.Clients, as.Client{ID: "keyed", Keys: []crypto.PublicKey{newKey(t).Public(), key.Public()}, GrantTypes: []string{"client_credentials"}})
	})
	now := time.Now()
	claims := map[string]any{"iss": "keyed", "sub": "keyed", "aud": issuer, "exp": now.Add(time.Minute).Unix(), "iat": now.Unix()}
	request := func(assertion string) (int, map[string]any) {
		return f.post("/token", "", url.Values{"grant_type": {"client_credentials"}, "client_assertion": {assertion},
			"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}})
	}
	for _, audience := range []any{issuer, issuer + "/token", []string{issuer}} {
		if status, m := request(sign(t, key, jose.ES256, "JWT", claims, map[string]any{"aud": audience, "jti": jti()})); status != http.StatusOK {
			t.Errorf("%v: status %d, %v", audience, status, m)
		}
	}
	used := sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti()})
	request(used)
	unsigned := sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti()})
	parts := strings.Split(unsigned, ".")
	for what, assertion := range map[string]string{
		"used before":       used,
		"another key":       sign(t, other, jose.ES256, "JWT", claims, map[string]any{"jti": jti()}),
		"a symmetric key":   sign(t, []byte(strings.Repeat("a", 32)), jose.HS256, "JWT", claims, map[string]any{"jti": jti()}),
		"no signature":      "eyJhbGciOiJub25lIn0." + parts[1] + ".",
		"a changed claim":   parts[0] + "." + parts[1][:len(parts[1])-2] + "A." + parts[2],
		"another audience":  sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "aud": "https://other.example"}),
		"two audiences":     sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "aud": []string{issuer, "https://other.example"}}),
		"another issuer":    sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "iss": "app"}),
		"another subject":   sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "sub": "web"}),
		"no expiry":         sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "exp": nil}),
		"expired":           sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "exp": now.Add(-time.Minute).Unix()}),
		"valid for long":    sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "exp": now.Add(time.Hour).Unix()}),
		"not valid yet":     sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "nbf": now.Add(time.Minute).Unix()}),
		"issued in future":  sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "iat": now.Add(time.Minute).Unix()}),
		"no id":             sign(t, key, jose.ES256, "JWT", claims, nil),
		"a wrong type":      sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": 1}),
		"no JWT":            "x",
		"an unknown client": sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "iss": "nobody", "sub": "nobody"}),
	} {
		status, m := request(assertion)
		f.wantError(what, status, m, 401, "invalid_client")
	}
	status, m := request(sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": 1}))
	if text, _ := m["error_description"].(string); !strings.Contains(text, "each once and of its type") {
		t.Errorf("claims of a wrong type: status %d, %v", status, m)
	}
	status, m = f.post("/token", "", url.Values{"grant_type": {"client_credentials"}, "client_id": {"machine"},
		"client_assertion":      {sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti()})},
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}})
	f.wantError("another client_id", status, m, 401, "invalid_client")
	status, m = request(sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "iss": "app", "sub": "app"}))
	f.wantError("a public client", status, m, 401, "invalid_client")
	status, m = f.post("/token", "keyed:secret", url.Values{"grant_type": {"client_credentials"}})
	f.wantError("a secret", status, m, 401, "invalid_client")
	status, m = f.post("/token", "", url.Values{"grant_type": {"client_credentials"}, "client_id": {"keyed"}})
	f.wantError("nothing", status, m, 401, "invalid_client")
}

// TestRegisteredKeys lets clients register their keys.
func TestRegisteredKeys(t *testing.T) {
	key := newKey(t)
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	f := start(t, nil)
	id := f.register(`{"redirect_uris":["` + redirect + `"],"token_endpoint_auth_method":"private_key_jwt","jwks":` + string(keys) + `}`)["client_id"].(string)
	form := codeForm(f.code(map[string]string{"client_id": id}), map[string]string{"client_id": id,
		"client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"})
	claims := map[string]any{"iss": id, "sub": id, "aud": issuer, "exp": time.Now().Add(time.Minute).Unix(), "jti": jti()}
	form.Set("client_assertion", sign(t, newKey(t), jose.ES256, "JWT", claims, nil))
	status, m := f.post("/token", "", form)
	f.wantError("another key", status, m, 401, "invalid_client")
	form.Set("client_assertion", sign(t, key, jose.ES256, "JWT", claims, nil))
	if status, m := f.post("/token", "", form); status != http.StatusOK {
		t.Errorf("status %d, %v", status, m)
	}
}
