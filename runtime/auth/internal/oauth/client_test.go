package oauth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

func signer[K crypto.Signer](key K, err error) crypto.Signer {
	if err != nil {
		panic(err)
	}
	return key
}

var (
	p256 = signer(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	p384 = signer(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	p521 = signer(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))
	p224 = signer(ecdsa.GenerateKey(elliptic.P224(), rand.Reader))
	rsa2 = signer(rsa.GenerateKey(rand.Reader, 2048))
)

// A client authenticates itself by the method that it names, or else by one that suits what it has and that the server supports.
func TestAuthenticate(t *testing.T) {
	const issuer = "https://as.example"
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("c%26:s%3A")) // RFC 6749 section 2.3.1: encoded as in forms
	secret := oauth.Client{ID: "c&", Secret: "s:"}
	for name, test := range map[string]struct {
		client  oauth.Client
		methods []string
		header  string
		form    url.Values // but the assertion
		err     string
	}{
		"a server without a list":       {client: secret, header: basic},
		"basic first":                   {client: secret, methods: []string{"client_secret_post", "client_secret_basic"}, header: basic},
		"post":                          {client: secret, methods: []string{"none", "client_secret_post"}, form: url.Values{"client_id": {"c&"}, "client_secret": {"s:"}}},
		"a secret that nobody asks for": {client: secret, methods: []string{"none"}, form: url.Values{"client_id": {"c&"}}},
		"a method that is unknown":      {client: secret, methods: []string{"tls_client_auth"}, header: basic},
		"public":                        {client: oauth.Client{ID: "c"}, methods: []string{"client_secret_basic"}, form: url.Values{"client_id": {"c"}}},
		"named":                         {client: oauth.Client{ID: "c", Secret: "s", Method: "client_secret_post"}, form: url.Values{"client_id": {"c"}, "client_secret": {"s"}}},
		"a key":                         {client: oauth.Client{ID: "c", Secret: "s", Key: p256}, form: url.Values{"client_assertion_type": {oauth.AssertionType}}},
		"a key that does not do":        {client: oauth.Client{ID: "c", Key: p224}, err: "want ECDSA"},
		"no key":                        {client: oauth.Client{ID: "c", Method: "private_key_jwt"}, err: "needs a Key"},
		"a method that we do not know":  {client: oauth.Client{ID: "c", Method: "tls_client_auth"}, err: `"tls_client_auth", want`},
	} {
		t.Run(name, func(t *testing.T) {
			h, form := http.Header{}, url.Values{}
			err := test.client.Authenticate(issuer, test.methods, nil, h, form)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || len(h)+len(form) > 0 {
					t.Errorf("got %v, %v and %v, want ... %s", err, h, form, test.err)
				}
				return
			}
			if (form.Get("client_assertion") != "") != (test.client.Key != nil) {
				t.Errorf("got the assertion %q", form.Get("client_assertion"))
			}
			form.Del("client_assertion")
			if err != nil || h.Get("Authorization") != test.header || !maps.EqualFunc(form, test.form, slices.Equal) {
				t.Errorf("got %v, %v and %v", err, h, form)
			}
		})
	}
}

// An assertion names the client, the server and its key, is for one use and for a minute.
//
// REQ AUTH26-12
func TestAssertion(t *testing.T) {
	const issuer = "https://as.example"
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]bool{}
		for _, keyID := range []string{"k", ""} {
			c := oauth.Client{ID: "c", Key: rsa2, KeyID: keyID}
			form := url.Values{}
			if err := c.Authenticate(issuer, nil, []string{"PS256"}, http.Header{}, form); err != nil {
				t.Fatal(err)
			}
			token, err := jwt.ParseSigned(form.Get("client_assertion"), []jose.SignatureAlgorithm{jose.PS256})
			if err != nil {
				t.Fatal(err)
			}
			_, hasID := token.Headers[0].ExtraHeaders["kid"]
			if h := token.Headers[0]; h.KeyID != keyID || hasID || h.ExtraHeaders[jose.HeaderType] != "JWT" {
				t.Errorf("got the header %+v, want the key %q", h, keyID)
			}
			var got jwt.Claims
			if err := token.Claims(rsa2.Public(), &got); err != nil {
				t.Fatal(err)
			}
			if len(got.ID) < 20 || seen[got.ID] {
				t.Errorf("got the id %q, want another", got.ID)
			}
			seen[got.ID] = true
			want := jwt.Claims{Issuer: "c", Subject: "c", Audience: jwt.Audience{issuer}, ID: got.ID, IssuedAt: jwt.NewNumericDate(time.Now()), Expiry: jwt.NewNumericDate(time.Now().Add(time.Minute))}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// unknown is a key of a kind that nobody knows.
type unknown struct{ crypto.Signer }

func (unknown) Public() crypto.PublicKey { return []byte("symmetric") }

// A key signs by the first of its algorithms that the server supports.
func TestAlgorithm(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		key       crypto.Signer
		supported []string
		want      string // empty: none
	}{
		{p256, nil, "ES256"},
		{p384, nil, "ES384"},
		{p521, nil, "ES512"},
		{ed, nil, "EdDSA"},
		{rsa2, nil, "RS256"},
		{rsa2, []string{"PS256", "RS256"}, "RS256"},
		{rsa2, []string{"ES256", "PS256"}, "PS256"},
		{rsa2, []string{"HS256"}, ""},
		{p256, []string{"RS256"}, ""},
		{p224, nil, ""},
		{unknown{}, nil, ""},
	} {
		got, err := oauth.Algorithm(test.key, test.supported)
		if string(got) != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%T and %q: got %q and %v, want %q", test.key, test.supported, got, err, test.want)
		}
		if test.want != "" && !slices.Contains(oauth.AlgorithmNames(), test.want) {
			t.Errorf("%s is none of %v", test.want, oauth.AlgorithmNames())
		}
	}
	for _, name := range oauth.AlgorithmNames() {
		if name == "" || strings.HasPrefix(name, "HS") || name == "none" {
			t.Errorf("%q is supported", name)
		}
	}
}

// Access tokens and scopes have the forms of RFC 6750 section 2.1 and RFC 6749 section 3.3.
func TestTokens(t *testing.T) {
	for text, want := range map[string]bool{"a": true, "aZ09-._~+/": true, "a==": true, "": false, "=": false, "a=b": false, "a b": false, "a,": false, "ä": false} {
		if got := oauth.IsToken68(text); got != want {
			t.Errorf("token68 %q: got %t, want %t", text, got, want)
		}
	}
	for text, want := range map[string]bool{"a:b": true, "!": true, "~": true, "": false, "a b": false, `a"`: false, `a\`: false, "a\x7f": false, "ä": false, "\t": false} {
		if got := oauth.IsScope(text); got != want {
			t.Errorf("scope %q: got %t, want %t", text, got, want)
		}
	}
}
