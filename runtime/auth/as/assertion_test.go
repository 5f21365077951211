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
	"testing/synctest"
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
		"large":             sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "x": strings.Repeat("a", 9000)}),
		"no JWT":            "x",
		"an unknown client": sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "iss": "nobody", "sub": "nobody"}),
	} {
		status, m := request(assertion)
		f.wantError(what, status, m, 401, "invalid_client")
	}
	status, m := request(sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti(), "iss": "app", "sub": "app"}))
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
	const keysURL = "https://app.example/keys"
	w := &web{pages: map[string]func(*http.Request) *http.Response{keysURL: page(200, string(keys))}}
	f := start(t, func(o *as.Options) { o.HTTPClient = &http.Client{Transport: w} })
	for _, where := range []string{`"jwks":` + string(keys), `"jwks_uri":"` + keysURL + `"`} {
		id := f.register(`{"redirect_uris":["` + redirect + `"],"token_endpoint_auth_method":"private_key_jwt",` + where + `}`)["client_id"].(string)
		form := codeForm(f.code(map[string]string{"client_id": id}), map[string]string{"client_id": id,
			"client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"})
		claims := map[string]any{"iss": id, "sub": id, "aud": issuer, "exp": time.Now().Add(time.Minute).Unix(), "jti": jti()}
		form.Set("client_assertion", sign(t, newKey(t), jose.ES256, "JWT", claims, nil))
		status, m := f.post("/token", "", form)
		f.wantError("another key", status, m, 401, "invalid_client")
		form.Set("client_assertion", sign(t, key, jose.ES256, "JWT", claims, nil))
		if status, m := f.post("/token", "", form); status != http.StatusOK {
			t.Errorf("%s: status %d, %v", where, status, m)
		}
	}
}

// TestKeysOfClient fetches the keys of a client once, and again if one is unknown, but at most once a minute.
func TestKeysOfClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keysURL = "https://client.example/keys"
		first, second := newKey(t), newKey(t)
		w := &web{pages: map[string]func(*http.Request) *http.Response{}}
		publish := func(key crypto.PublicKey, id string) {
			text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key, KeyID: id}}})
			if err != nil {
				t.Fatal(err)
			}
			w.pages[keysURL] = page(200, string(text))
		}
		f := start(t, func(o *as.Options) {
			o.HTTPClient = &http.Client{Transport: w}
			o.Clients = append(o.Clients, as.Client{ID: "keyed", KeysURL: keysURL, GrantTypes: []string{"client_credentials"}})
		})
		request := func(key any, id string, want int) {
			t.Helper()
			claims := map[string]any{"iss": "keyed", "sub": "keyed", "aud": issuer, "exp": time.Now().Add(time.Minute).Unix(), "jti": jti()}
			assertion := sign(t, jose.JSONWebKey{Key: key, KeyID: id}, jose.ES256, "JWT", claims, nil)
			status, m := f.post("/token", "", url.Values{"grant_type": {"client_credentials"}, "client_assertion": {assertion},
				"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}})
			if status != want {
				t.Errorf("status %d, %v, want %d", status, m, want)
			}
		}
		request(first, "1", 401)
		publish(first.Public(), "1")
		request(first, "1", 200)
		publish(second.Public(), "2")
		request(second, "2", 401)
		request(second, "2", 401)
		time.Sleep(time.Minute)
		request(second, "2", 200)
		request(first, "1", 401)
		if n := w.count.Load(); n != 3 {
			t.Errorf("the keys were fetched %d times, want 3", n)
		}
	})
}

// Large identity providers publish more keys, in longer sets, than a client may.
func TestManyKeysOfIssuer(t *testing.T) {
	const idp, keysURL = "https://idp.example", "https://idp.example/keys"
	var set jose.JSONWebKeySet
	key := newKey(t)
	for i := range 60 {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.Public(), KeyID: fmt.Sprint(i, strings.Repeat("-", 400))})
	}
	text, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	w := &web{pages: map[string]func(*http.Request) *http.Response{keysURL: page(200, string(text))}}
	f := start(t, func(o *as.Options) {
		o.HTTPClient = &http.Client{Transport: w}
		o.TrustedIssuers = []as.TrustedIssuer{{Issuer: idp, KeysURL: keysURL}}
		o.Clients = append(o.Clients, as.Client{ID: "chat", Secret: "chat secret", GrantTypes: []string{"urn:ietf:params:oauth:grant-type:jwt-bearer"}})
	})
	claims := map[string]any{"iss": idp, "sub": "ada", "aud": issuer, "client_id": "chat", "exp": time.Now().Add(time.Minute).Unix(),
		"resource": resource, "scope": "notes:read", "jti": jti()}
	assertion := sign(t, jose.JSONWebKey{Key: key, KeyID: set.Keys[59].KeyID}, jose.ES256, "oauth-id-jag+jwt", claims, nil)
	status, m := f.post("/token", "chat:chat secret", url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}})
	if status != http.StatusOK {
		t.Errorf("status %d, %v", status, m)
	}
}

// TestEnterprise exchanges an ID-JAG: the identity provider of an enterprise lets its users in.
func TestEnterprise(t *testing.T) {
	const idp = "https://idp.example"
	key := newKey(t)
	f := start(t, func(o *as.Options) {
		o.TrustedIssuers = []as.TrustedIssuer{{Issuer: idp, Keys: []crypto.PublicKey{key.Public()}}}
		o.Clients = append(o.Clients, as.Client{ID: "chat", Secret: "chat secret", GrantTypes: []string{"urn:ietf:params:oauth:grant-type:jwt-bearer"}})
	})
	if m := f.server.Metadata(); len(m.AuthorizationGrantProfilesSupported) != 1 || m.AuthorizationGrantProfilesSupported[0] != "urn:ietf:params:oauth:grant-profile:id-jag" {
		t.Errorf("the profiles are %v", m.AuthorizationGrantProfilesSupported)
	}
	claims := map[string]any{"iss": idp, "sub": "ada", "aud": issuer, "client_id": "chat", "exp": time.Now().Add(time.Minute).Unix(),
		"resource": resource, "scope": "notes:read"}
	const typ = "oauth-id-jag+jwt"
	request := func(assertion string, more url.Values) (int, map[string]any) {
		form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}}
		maps.Copy(form, more)
		return f.post("/token", "chat:chat secret", form)
	}
	good := sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti()})
	status, m := request(good, nil)
	if status != http.StatusOK || m["scope"] != "notes:read" || m["refresh_token"] != nil {
		t.Fatalf("status %d, %v", status, m)
	}
	if token, err := f.server.Verify(t.Context(), m["access_token"].(string)); err != nil || token.Subject != idp+"#ada" || token.ClientID != "chat" || token.Audience[0] != resource {
		t.Errorf("%v, %v", token, err)
	}
	for what, c := range map[string]struct {
		assertion, want string
		form            url.Values
	}{
		"used before":       {good, "invalid_grant", nil},
		"another type":      {sign(t, key, jose.ES256, "JWT", claims, map[string]any{"jti": jti()}), "invalid_grant", nil},
		"another client":    {sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti(), "client_id": "app"}), "invalid_grant", nil},
		"another audience":  {sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti(), "aud": "https://other.example"}), "invalid_grant", nil},
		"the endpoint":      {sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti(), "aud": issuer + "/token"}), "invalid_grant", nil},
		"another issuer":    {sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti(), "iss": "https://evil.example"}), "invalid_grant", nil},
		"another key":       {sign(t, newKey(t), jose.ES256, typ, claims, map[string]any{"jti": jti()}), "invalid_grant", nil},
		"expired":           {sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti(), "exp": time.Now().Add(-time.Minute).Unix()}), "invalid_grant", nil},
		"no subject":        {sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti(), "sub": nil}), "invalid_grant", nil},
		"no id":             {sign(t, key, jose.ES256, typ, claims, nil), "invalid_grant", nil},
		"more scopes":       {sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti()}), "invalid_scope", url.Values{"scope": {"notes:read notes:write"}}},
		"another resource":  {sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti()}), "invalid_target", url.Values{"resource": {other}}},
		"a resource of its": {sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti(), "resource": "https://evil.example"}), "invalid_target", nil},
	} {
		status, m := request(c.assertion, c.form)
		f.wantError(what, status, m, 400, c.want)
	}
	status, m = f.post("/token", "machine:machine secret", url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"},
		"assertion": {sign(t, key, jose.ES256, typ, claims, map[string]any{"jti": jti(), "client_id": "machine"})}})
	f.wantError("a client that may not", status, m, 400, "unauthorized_client")
}

// TestWorkload exchanges the identity of a workload.
func TestWorkload(t *testing.T) {
	const platform = "https://platform.example"
	key := newKey(t)
	f := start(t, func(o *as.Options) {
		o.TrustedIssuers = []as.TrustedIssuer{{Issuer: platform, Keys: []crypto.PublicKey{key.Public()}, Workload: func(subject string) ([]string, bool) {
			return []string{"notes:read"}, subject == "job"
		}}}
	})
	claims := map[string]any{"iss": platform, "sub": "job", "aud": issuer + "/token", "exp": time.Now().Add(time.Hour).Unix()}
	request := func(change map[string]any, scope string) (int, map[string]any) {
		return f.post("/token", "", url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "scope": {scope}, "resource": {resource},
			"assertion": {sign(t, key, jose.ES256, "JWT", claims, change)}})
	}
	for range 2 { // a platform gives its workloads one for a while
		status, m := request(nil, "notes:read")
		if status != http.StatusOK {
			t.Fatalf("status %d, %v", status, m)
		}
		if token, err := f.server.Verify(t.Context(), m["access_token"].(string)); err != nil || token.Subject != "client:"+platform+"#job" {
			t.Errorf("%v, %v", token, err)
		}
	}
	status, m := request(nil, "notes:write")
	f.wantError("more scopes", status, m, 400, "invalid_scope")
	status, m = request(map[string]any{"sub": "other"}, "")
	f.wantError("another workload", status, m, 400, "invalid_grant")
	status, m = request(map[string]any{"aud": "https://other.example"}, "")
	f.wantError("another audience", status, m, 400, "invalid_grant")
}
