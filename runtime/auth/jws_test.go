package auth

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
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

// What package jose signs is verified here, by the algorithm of the signature and by no other, and nothing is once a
// byte is another.
func TestSignatures(t *testing.T) {
	keys := keyKinds(t)
	if len(keys) != len(hashes) {
		t.Errorf("%d of %d algorithms are tested", len(keys), len(hashes))
	}
	for name, key := range keys {
		k := &testKey{"1", jose.SignatureAlgorithm(name), key}
		j, err := parseJWS(k.sign(t))
		if err != nil {
			t.Fatal(err)
		}
		public := &publicKey{key: key.Public()}
		if !j.signedBy(public) || !j.signedBy(&publicKey{key: key.Public(), algorithm: name}) {
			t.Errorf("%s: a signature is refused", name)
		}
		for other := range keys {
			family := name[:2] == other[:2] && strings.HasPrefix(name, "RS") || name[0] != 'E' && other[0] != 'E'
			if public.suits(other) != (name == other || family) {
				t.Errorf("a key of %s: suits %s: %v", name, other, public.suits(other))
			}
		}
		for other, another := range keys {
			if other != name && j.signedBy(&publicKey{key: another.Public(), algorithm: other}) {
				t.Errorf("%s: is taken for %s", name, other)
			}
			changed := *j
			changed.algorithm = other
			if other != name && changed.signedBy(public) {
				t.Errorf("%s: is verified as %s", name, other)
			}
		}
		for _, signature := range [][]byte{nil, j.signature[1:], append(slices.Clone(j.signature), 0), make([]byte, len(j.signature))} {
			changed := *j
			if changed.signature = signature; changed.signedBy(public) {
				t.Errorf("%s: the signature %x is accepted", name, signature)
			}
		}
		changed := *j
		if changed.signed += "A"; changed.signedBy(public) {
			t.Errorf("%s: another text is accepted", name)
		}
	}
	for _, algorithm := range []string{"", "none", "None", "HS256", "RS", "RS257", "PSS", "ES256K", "Ed25519"} {
		for name, key := range keys {
			if (&publicKey{key: key.Public()}).suits(algorithm) {
				t.Errorf("a key of %s suits %q", name, algorithm)
			}
		}
	}
}

// What is accepted here, package jose accepts, too, with the same payload; both refuse what is malformed.
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
	public := &publicKey{key: key.Public()}
	f.Fuzz(func(t *testing.T, s string) {
		j, err := parseJWS(s)
		if err != nil || !j.signedBy(public) {
			if s == token {
				t.Fatalf("the token is refused: %v", err)
			}
			return
		}
		theirs, err := jose.ParseSignedCompact(s, []jose.SignatureAlgorithm{jose.EdDSA})
		if err != nil {
			t.Fatalf("package jose refuses %q: %v", s, err)
		}
		payload, err := theirs.Verify(key.Public())
		if err != nil || !bytes.Equal(payload, j.payload) {
			t.Fatalf("package jose gets %q from %q, not %q: %v", payload, s, j.payload, err)
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
		_ = token.String() + token.Principal()
	})
}
