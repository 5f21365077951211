package auth

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestVerifyJWT(t *testing.T) {
	s, k := newTestServer(), newTestKey(t, "1")
	s.keys = []jose.JSONWebKey{k.public()}
	got, err := newTestVerifier(t, s).Verify(t.Context(), k.sign(t, change{"groups": []string{"staff"}, "exp": 4102444800}))
	if err != nil {
		t.Fatal(err)
	}
	want := &Token{
		Issuer: testIssuer, Subject: "alice", ClientID: "cli", Audience: []string{testResource}, Scopes: []string{"read", "write"},
		Expiry: time.Unix(4102444800, 0),
	}
	ignored := cmp.FilterPath(func(p cmp.Path) bool {
		name := p.Last().String()
		return name == ".Claims" || name == ".leeway" || name == ".raw"
	}, cmp.Ignore())
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Token{}), ignored); diff != "" {
		t.Error(diff)
	}
	if got.raw == nil || strings.Count(*got.raw, ".") != 2 || got.withText("other") != got {
		t.Error("the token has not its own text")
	}
	if !(&Token{leeway: time.Minute}).Expires().IsZero() {
		t.Error("a token without expiry ends")
	}
	if err := (&Token{Claims: []byte("[")}).Claim("a", new(any)); err == nil {
		t.Error("claims that are no object have claims")
	}
	var groups []string
	if err := got.Claim("groups", new(int)); err == nil {
		t.Error("a claim is decoded into a value of another kind")
	}
	if err := got.Claim("groups", &groups); err != nil || len(groups) != 1 || groups[0] != "staff" {
		t.Errorf("got the groups %q and %v", groups, err)
	}
	if err := got.Claim("group", &groups); err == nil {
		t.Error("a claim that the token does not have is no error")
	}
	if !got.Expires().Equal(want.Expiry.Add(time.Minute)) {
		t.Errorf("the token ends at %s", got.Expires())
	}
}

// REQ AUTH-06, AUTH06-06, SEC-02
func TestInvalidJWT(t *testing.T) {
	s, k, other := newTestServer(), newTestKey(t, "1"), newTestKey(t, "1")
	s.keys = []jose.JSONWebKey{k.public()}
	v := newTestVerifier(t, s)
	now := time.Now().Unix()
	valid := k.sign(t)
	parts := strings.Split(valid, ".")
	for name, test := range map[string]struct{ token, want string }{
		"not a JWT":                    {"abc", "not a JWT"},
		"empty":                        {"", "not a JWT"},
		"five parts":                   {"a.b.c.d.e", "not a JWT"},
		"a payload alone":              {"." + parts[1] + ".", "invalid"},
		"two parts":                    {parts[0] + "." + parts[1], "not a JWT"},
		"four parts":                   {valid + "." + parts[2], "not a JWT"},
		"too long":                     {strings.Repeat("a", 17<<10), "more than 16384 bytes"},
		"another issuer":               {k.sign(t, change{"iss": "https://evil.example"}), "another issuer"},
		"an issuer with a slash":       {k.sign(t, change{"iss": testIssuer + "/"}), "another issuer"},
		"no issuer":                    {k.sign(t, change{"iss": nil}), "another issuer"},
		"another audience":             {k.sign(t, change{"aud": "https://other.example.com/mcp"}), "another resource"},
		"a longer audience":            {k.sign(t, change{"aud": testResource + "/x"}), "another resource"},
		"the origin as the audience":   {k.sign(t, change{"aud": "https://mcp.example.com"}), "another resource"},
		"no audience":                  {k.sign(t, change{"aud": nil}), "another resource"},
		"an empty audience":            {k.sign(t, change{"aud": []string{}}), "another resource"},
		"a number as the audience":     {k.sign(t, change{"aud": 1}), "claims"},
		"expired":                      {k.sign(t, change{"exp": now - 61}), "expired"},
		"no expiry":                    {k.sign(t, change{"exp": nil}), "no expiry"},
		"a text as the expiry":         {k.sign(t, change{"exp": "4102444800"}), "claims"},
		"a huge expiry":                {k.sign(t, change{"exp": 1e300}), "claims"},
		"not valid yet":                {k.sign(t, change{"nbf": now + 120}), "not valid yet"},
		"a number as the subject":      {k.sign(t, change{"sub": 1}), "claims"},
		"an id token's type":           {k.sign(t, change{"header typ": "id+jwt"}), `has the type "id+jwt"`},
		"a proof's type":               {k.sign(t, change{"header typ": "dpop+jwt"}), "as an access token"},
		"a number as the type":         {k.sign(t, change{"header typ": 1}), "typ"},
		"an extension":                 {k.sign(t, change{"header crit": []string{"b64"}, "header b64": true}), "extensions"},
		"bound to a certificate":       {k.sign(t, change{"cnf": map[string]any{"x5t#S256": "abc"}}), "bound to a key"},
		"bound in two ways":            {k.sign(t, change{"cnf": map[string]any{"jkt": "abc", "x5t#S256": "abc"}}), "bound to a key"},
		"bound to a number":            {k.sign(t, change{"cnf": map[string]any{"jkt": 1}}), "bound to a key"},
		"bound to nothing":             {k.sign(t, change{"cnf": map[string]any{}}), "bound to a key"},
		"bound to an empty thumbprint": {k.sign(t, change{"cnf": map[string]any{"jkt": ""}}), "bound to a key"},
		"duplicate claims": {k.signPayload(t, (&jose.SignerOptions{}).WithHeader("kid", "1").WithType("at+jwt"), fmt.Appendf(nil,
			`{"iss":%q,"aud":"https://other.example.com","aud":%q,"sub":"alice","exp":%d}`, testIssuer, testResource, now+60)), "claims"},
		"claims that are no object":  {k.signPayload(t, (&jose.SignerOptions{}).WithHeader("kid", "1").WithType("at+jwt"), []byte(`["x"]`)), "claims"},
		"a claim in upper case":      {k.sign(t, change{"aud": nil, "AUD": testResource}), "another resource"},
		"alg none":                   {segment(`{"alg":"none","typ":"at+jwt","kid":"1"}`) + "." + parts[1] + ".", "algorithm"},
		"alg None":                   {segment(`{"alg":"None","typ":"at+jwt","kid":"1"}`) + "." + parts[1] + "." + parts[2], "algorithm"},
		"another algorithm":          {segment(`{"alg":"ES384","typ":"at+jwt","kid":"1"}`) + "." + parts[1] + "." + parts[2], "unknown key"},
		"a line break":               {parts[0] + "\n." + parts[1] + "." + parts[2], "not a JWT"},
		"a bad signature":            {parts[0] + "." + parts[1] + ".*" + parts[2], "not a JWT"},
		"a bad payload":              {parts[0] + ".*." + parts[2], "not a JWT"},
		"a bad header":               {"*." + parts[1] + "." + parts[2], "not a JWT"},
		"bits that have no meaning":  {parts[0] + "." + parts[1] + "." + parts[2][:len(parts[2])-1] + nextLetter(parts[2]), "not a JWT"},
		"no signature":               {parts[0] + "." + parts[1] + ".", "signature"},
		"another payload":            {parts[0] + "." + strings.Split(k.sign(t, change{"sub": "root"}), ".")[1] + "." + parts[2], "signature"},
		"another key":                {other.sign(t), "signature"},
		"a key in the header":        {other.sign(t, change{"header jwk": other.public()}), "signature"},
		"a URL of keys":              {other.sign(t, change{"header jku": "https://evil.example/jwks"}), "signature"},
		"another key without its id": {other.sign(t, change{"header kid": nil}), "signature"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := v.Verify(t.Context(), test.token)
			if got != nil {
				t.Errorf("accepted: %v", got)
			}
			wantInvalid(t, err, test.want)
		})
	}
	for name, token := range map[string]string{
		"the leeway of exp":       k.sign(t, change{"exp": now - 50}),
		"the leeway of nbf":       k.sign(t, change{"nbf": now + 50}),
		"several audiences":       k.sign(t, change{"aud": []string{"https://other.example.com", testResource}}),
		"audience in upper case":  k.sign(t, change{"aud": "HTTPS://MCP.example.com:443/mcp"}),
		"no type":                 k.sign(t, change{"header typ": nil}),
		"JWT":                     k.sign(t, change{"header typ": "jwt"}),
		"the whole type":          k.sign(t, change{"header typ": "application/at+JWT"}),
		"no key id":               k.sign(t, change{"header kid": nil}),
		"a fraction in the times": k.sign(t, change{"exp": float64(now) + 60.5}),
	} {
		if _, err := v.Verify(t.Context(), token); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// nextLetter returns the letter after the last of a text in base64url, which differs in bits beyond the last byte alone.
func nextLetter(s string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(letters[strings.IndexByte(letters, s[len(s)-1])+1])
}

// A duplicate is refused, whichever claim it is, and so is a value of another kind.
func TestDuplicateClaims(t *testing.T) {
	for name, value := range map[string]string{
		"iss": `"a"`, "sub": `"a"`, "aud": `"a"`, "exp": "1", "nbf": "1", "client_id": `"a"`, "azp": `"a"`, "scope": `"a"`, "scp": `"a"`,
		"cnf": `{"jkt":"a"}`, "active": "true", "other": "1",
	} {
		once := fmt.Sprintf(`{%q:%s}`, name, value)
		if _, err := decodeClaims([]byte(once)); err != nil {
			t.Errorf("%s: %v", once, err)
		}
		twice := fmt.Sprintf(`{%q:%s,"x":0,%q:%s}`, name, value, name, value)
		if _, err := decodeClaims([]byte(twice)); err == nil {
			t.Errorf("%s: no error", twice)
		}
		for other, value := range map[string]string{"iss": `"a"`, "sub": `"a"`, "aud": `"a"`, "exp": "1", "nbf": "1", "client_id": `"a"`, "azp": `"a"`, "scope": `"a"`, "scp": `"a"`, "cnf": `{"jkt":"a"}`, "active": "true"} {
			both := strings.TrimSuffix(once, "}") + fmt.Sprintf(`,%q:%s}`, other, value)
			if _, err := decodeClaims([]byte(both)); (err == nil) != (other != name) {
				t.Errorf("%s: %v", both, err)
			}
		}
		wrong := fmt.Sprintf(`{%q:{"y":[]}}`, name)
		lenient := name == "scope" || name == "scp" || name == "cnf" || name == "other" // nothing is allowed then
		if _, err := decodeClaims([]byte(wrong)); (err == nil) != lenient {
			t.Errorf("%s: %v", wrong, err)
		}
		null := fmt.Sprintf(`{%q:null}`, name)
		if c, err := decodeClaims([]byte(null)); (err == nil) != (name != "cnf") || err == nil && c.Active {
			t.Errorf("%s: %v", null, err)
		}
	}
	if _, err := decodeClaims([]byte(`{"cnf":{"jkt":"a","jkt":"b"}}`)); err == nil {
		t.Error("two thumbprints: no error")
	}
	v := parsed(t)
	for _, head := range []string{
		`{"alg":"ES256","alg":"ES256"}`, `{"alg":"ES256","kid":"1","kid":"1"}`, `{"alg":"ES256","typ":"a","typ":"a"}`, `{"alg":"ES256","x":1,"x":1}`,
		`{"alg":"ES256","cnf":{"jkt":"a","jkt":"b"},"alg":""}`, `{}`, `{"kid":"1"}`, `{"alg":1}`, `{"alg":"ES256","b64":true}`, `{"alg":"ES256","crit":[]}`, `{"alg":"ES256"} x`, ``,
	} {
		if _, err := v.parse(segment(head) + ".e30.AA"); err == nil {
			t.Errorf("the header %s: no error", head)
		}
	}
}

// A key of RSA is public, so as a secret of HMAC it would let everybody sign.
func TestKeyConfusion(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s, k := newTestServer(), &testKey{"1", jose.RS256, private}
	s.keys = []jose.JSONWebKey{k.public(), {Key: []byte(strings.Repeat("x", 32)), KeyID: "oct"}}
	v := newTestVerifier(t, s)
	if _, err := v.Verify(t.Context(), k.sign(t)); err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	for name, secret := range map[string][]byte{"PEM": text, "DER": der, "modulus": private.N.Bytes(), "oct": []byte(strings.Repeat("x", 32))} {
		id := map[bool]string{true: "oct", false: "1"}[name == "oct"]
		opts := (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", id)
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: secret}, opts)
		if err != nil {
			t.Fatal(err)
		}
		jws, err := signer.Sign(fmt.Appendf(nil, `{"iss":%q,"aud":%q,"sub":"alice","exp":4102444800}`, testIssuer, testResource))
		if err != nil {
			t.Fatal(err)
		}
		token, _ := jws.CompactSerialize()
		_, err = v.Verify(t.Context(), token)
		wantInvalid(t, err, "algorithm")
	}
	// A key is for its own algorithm only.
	pss := &testKey{"1", jose.PS256, private}
	_, err = v.Verify(t.Context(), pss.sign(t))
	wantInvalid(t, err, "unknown key")
}

func TestJWTOptions(t *testing.T) {
	for name, opts := range map[string]*JWTOptions{
		"nothing":      nil,
		"no audience":  {Issuers: []string{testIssuer}},
		"an empty one": {Issuers: []string{testIssuer}, Audiences: []string{""}},
		"no issuer":    {Audiences: []string{testResource}},
		"http":         {Issuers: []string{"http://as.example"}, Audiences: []string{testResource}},
		"a query":      {Issuers: []string{testIssuer + "?x"}, Audiences: []string{testResource}},
	} {
		if _, err := NewJWTVerifier(opts); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s, k := newTestServer(), newTestKey(t, "1")
	s.keys = []jose.JSONWebKey{k.public()}
	verify := func(change func(*JWTOptions), c change) (*Token, error) {
		return newTestVerifier(t, s, change).Verify(t.Context(), k.sign(t, c))
	}
	if _, err := verify(func(o *JWTOptions) { o.Types = []string{"at+jwt"} }, change{"header typ": "JWT"}); err == nil {
		t.Error("a type is accepted that is not listed")
	}
	if _, err := verify(func(o *JWTOptions) { o.Leeway = -1 }, change{"exp": time.Now().Unix() - 1}); err == nil {
		t.Error("an expired token is accepted without leeway")
	}
	if _, err := verify(func(o *JWTOptions) { o.Audiences = []string{"api://mcp"} }, change{"aud": "api://mcp"}); err != nil {
		t.Errorf("an audience of another form: %v", err)
	}
	if _, err := verify(func(o *JWTOptions) { o.Audiences = []string{"HTTPS://MCP.example.com:443/mcp"} }, nil); err != nil {
		t.Errorf("an audience that is not canonical: %v", err)
	}
	if got, err := verify(func(o *JWTOptions) { o.Scopes = func(wire.Raw) []string { return []string{"mine"} } }, nil); err != nil || got.Scopes[0] != "mine" {
		t.Errorf("scopes of one's own: %v, %v", got, err)
	}
	for _, test := range []struct {
		scope, scp any
		want       []string
	}{
		{"a b", nil, []string{"a", "b"}}, {nil, "a b", []string{"a", "b"}}, {nil, []string{"a", "b"}, []string{"a", "b"}},
		{"", "a", nil}, {nil, nil, nil}, {"a", "b", []string{"a"}}, {nil, 1, nil}, {nil, []any{"a b", 1}, []string{"a", "b"}}, {1, nil, nil},
	} {
		got, err := verify(func(*JWTOptions) {}, change{"scope": test.scope, "scp": test.scp})
		if err != nil {
			t.Errorf("%v: %v", test, err)
		} else if diff := cmp.Diff(test.want, got.Scopes); diff != "" {
			t.Errorf("%v: %s", test, diff)
		}
	}
	if got, err := verify(func(*JWTOptions) {}, change{"client_id": nil, "azp": "other"}); err != nil || got.ClientID != "other" {
		t.Errorf("a client in azp: %v, %v", got, err)
	}
}

// Tokens of several issuers are verified each by the keys of its own.
func TestIssuersHaveTheirOwnKeys(t *testing.T) {
	s, k := newTestServer(), newTestKey(t, "1")
	s.keys = []jose.JSONWebKey{k.public()}
	v := newTestVerifier(t, s, func(o *JWTOptions) { o.Issuers = append(o.Issuers, "https://b.example") })
	if _, err := v.Verify(t.Context(), k.sign(t)); err != nil {
		t.Fatal(err)
	}
	if got, err := v.Verify(t.Context(), k.sign(t, change{"iss": "https://b.example"})); err == nil || isInvalid(err) {
		t.Errorf("got %v and %v, want that the keys of the other issuer are not found", got, err)
	}
}

// A token that was verified is verified no more, but ends.
func TestKnownTokenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := newTestServer(), newTestKey(t, "1")
		s.keys = []jose.JSONWebKey{k.public()}
		v := newTestVerifier(t, s, func(o *JWTOptions) { o.Leeway = 10 * time.Second })
		token := k.sign(t, change{"exp": time.Now().Unix() + 60})
		first, err := v.Verify(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(70*time.Second - 1)
		if again, err := v.Verify(t.Context(), token); err != nil || again != first {
			t.Errorf("got %v and %v, want the same token", again, err)
		}
		time.Sleep(time.Nanosecond)
		again, err := v.Verify(t.Context(), token)
		if wantInvalid(t, err, "expired"); again != nil {
			t.Error("an expired token is returned")
		}
	})
}

// Nothing that was verified is kept beyond the bound.
func TestVerifiedTokensAreBounded(t *testing.T) {
	s, k := newTestServer(), newTestKey(t, "1")
	s.keys = []jose.JSONWebKey{k.public()}
	v := newTestVerifier(t, s, func(o *JWTOptions) { o.MaxTokens = 10 })
	for range 50 {
		if _, err := v.Verify(t.Context(), k.sign(t)); err != nil {
			t.Fatal(err)
		}
		if n := v.verified.kept.Len(); n > 10 {
			t.Fatalf("%d tokens are kept", n)
		}
	}
}

func TestVerifierFunc(t *testing.T) {
	want := &Token{Subject: "x"}
	got, err := VerifierFunc(func(context.Context, string) (*Token, error) { return want, nil }).Verify(t.Context(), "")
	if got != want || err != nil {
		t.Errorf("got %v and %v", got, err)
	}
}
