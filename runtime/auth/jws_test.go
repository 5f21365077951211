package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// keyKinds returns a key of each kind.
func keyKinds(t testing.TB) map[string]crypto.Signer {
	t.Helper()
	keys := map[string]crypto.Signer{"EdDSA": ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
	for name, curve := range map[string]elliptic.Curve{"ES256": elliptic.P256(), "ES384": elliptic.P384(), "ES512": elliptic.P521()} {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		keys[name] = key
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"PS256", "PS384", "PS512", "RS256", "RS384", "RS512"} {
		keys[name] = key
	}
	return keys
}

// parsed returns a verifier for the keys of nobody, which parses tokens.
func parsed(t testing.TB) *JWTVerifier { return newTestVerifier(t, newTestServer()) }

// A signature is verified by its algorithm and by no other, and not once a byte is another.
func TestSignatures(t *testing.T) {
	keys, v := keyKinds(t), parsed(t)
	if len(keys) != len(oauth.Algorithms) {
		t.Errorf("%d of %d algorithms are tested", len(keys), len(oauth.Algorithms))
	}
	// accepts reports whether a token is signed by a key, as it is found for it.
	accepts := func(token string, k jose.JSONWebKey) bool {
		signed, err := v.parse(token)
		if err != nil {
			return false
		}
		list := &keyList{keys: []jose.JSONWebKey{k}}
		for _, found := range list.find("", signed.Signatures[0].Protected.Algorithm) {
			_, err := signed.Verify(found.Key)
			return err == nil
		}
		return false
	}
	for name, key := range keys {
		k := &testKey{"1", jose.SignatureAlgorithm(name), key}
		token := k.sign(t)
		public := jose.JSONWebKey{Key: key.Public()}
		if !accepts(token, public) || !accepts(token, jose.JSONWebKey{Key: key.Public(), Algorithm: name}) {
			t.Errorf("%s: a signature is refused", name)
		}
		header, rest, _ := strings.Cut(token, ".")
		payload, signature, _ := strings.Cut(rest, ".")
		for other, another := range keys {
			if other != name && accepts(token, jose.JSONWebKey{Key: another.Public(), Algorithm: other}) {
				t.Errorf("%s: is taken for %s", name, other)
			}
			if other != name && accepts(strings.Join([]string{segment(`{"alg":"` + other + `","typ":"at+jwt"}`), payload, signature}, "."), public) {
				t.Errorf("%s: is verified as %s", name, other)
			}
		}
		was, err := base64.RawURLEncoding.DecodeString(signature)
		if err != nil {
			t.Fatal(err)
		}
		for _, changed := range [][]byte{nil, was[1:], append(slices.Clone(was), 0), make([]byte, len(was))} {
			if accepts(header+"."+payload+"."+segment(string(changed)), public) {
				t.Errorf("%s: the signature %x is accepted", name, changed)
			}
		}
		if accepts(header+"."+payload+"AAAA."+signature, public) {
			t.Errorf("%s: another text is accepted", name)
		}
	}
	for _, algorithm := range []string{"", "none", "None", "HS256", "RS", "RS257", "PSS", "ES256K", "Ed25519"} {
		for name, key := range keys {
			token := (&testKey{"1", jose.SignatureAlgorithm(name), key}).sign(t)
			_, rest, _ := strings.Cut(token, ".")
			if _, err := v.parse(segment(`{"alg":"`+algorithm+`","typ":"at+jwt"}`) + "." + rest); err == nil {
				t.Errorf("a signature of %s is taken for one by %q", name, algorithm)
			}
		}
	}
}

// No text is accepted but the one token.
func FuzzJWS(f *testing.F) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	k := &testKey{"1", jose.EdDSA, key}
	token := k.signPayload(f, (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", "1"), []byte(`{"iss":"a","n":[1,{"b":null}]}`))
	parts := strings.Split(token, ".")
	for _, s := range []string{
		token, token + ".", token[:len(token)-1], token + "\n", "..", parts[0] + "." + parts[1] + ".", segment(`{"alg":"EdDSA","alg":"none"}`) + "." + parts[1] + "." + parts[2],
		segment(`{"alg":"EdDSA","crit":["b64"],"b64":false}`) + "." + parts[1] + "." + parts[2],
	} {
		f.Add(s)
	}
	v := parsed(f)
	f.Fuzz(func(t *testing.T, s string) {
		signed, err := v.parse(s)
		if err == nil {
			_, err = signed.Verify(key.Public())
		}
		if (err == nil) != (s == token) {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

// Claims of any form end in an error or in a token, and in no token with claims that are duplicates.
func FuzzClaims(f *testing.F) {
	for _, s := range []string{
		`{"iss":"a","sub":"b","aud":["c"],"exp":1,"nbf":2.5,"scope":"d e","cnf":{"jkt":"f"}}`, `{"aud":"a","aud":"b"}`, `{"cnf":{"jkt":"a","x5t#S256":"b"}}`,
		`{"scp":["a",1],"azp":null,"active":true}`, `{"exp":1e300}`, `[]`, `{"x":{"y":[]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, all []byte) {
		c, err := decodeClaims(all)
		if err != nil {
			return
		}
		token, err := c.token(all, 0, nil)
		if err != nil {
			return
		}
		for _, s := range token.Scopes {
			if !oauth.IsScope(s) {
				t.Fatalf("the scope %q", s)
			}
		}
		var v any
		if err := token.Claim("iss", &v); err != nil && token.Issuer != "" {
			t.Fatalf("the issuer %q: %v", token.Issuer, err)
		}
		_ = token.Principal()
	})
}
