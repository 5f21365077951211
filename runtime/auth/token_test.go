package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// No two tokens about different subjects have the same principal.
func TestPrincipal(t *testing.T) {
	seen := map[string]Token{}
	for _, token := range []Token{
		{Issuer: "https://as.example", Subject: "alice"},
		{Issuer: "https://as.example", Subject: "#alice"},
		{Issuer: "https://as.example", ClientID: "alice"},
		{Issuer: "https://as.example", ClientID: "#alice"},
		{Issuer: "https://as.example", Subject: "?client_id=alice"},
		{Issuer: "https://as.example", ClientID: "a#b"},
		{Issuer: "https://as.example/", Subject: "alice"},
		{Issuer: "https://as.example", Subject: "/#alice"},
		{Subject: "alice"},
	} {
		p := token.Principal()
		if was, ok := seen[p]; ok {
			t.Errorf("%+v and %+v are both %s", was, token, p)
		}
		seen[p] = token
	}
	if _, ok := seen["https://as.example#alice"]; !ok {
		t.Error("a principal is not the issuer and the subject")
	}
}

// REQ AUTH26-09
func TestMissingScopes(t *testing.T) {
	token := &Token{Subject: "a", Scopes: []string{"read", "files"}}
	hierarchy := &Token{Subject: "a", Scopes: token.Scopes, covers: func(granted, wanted string) bool { return strings.HasPrefix(wanted, granted+":") }}
	for _, test := range []struct {
		identity     transport.Identity
		wanted, want []string
	}{
		{token, nil, nil},
		{token, []string{"read"}, nil},
		{token, []string{"write", "read", "files:a"}, []string{"write", "files:a"}},
		{hierarchy, []string{"write", "read", "files:a", "files"}, []string{"write"}},
		{hierarchy, []string{"filesystem", "read:x"}, []string{"filesystem"}},
		{&Token{Subject: "a"}, []string{""}, []string{""}},
		{&Token{Subject: "a", Scopes: token.Scopes, Expiry: time.Now().Add(-time.Second)}, []string{"read"}, []string{"read"}}, // AUTH-03
		{&Token{Subject: "a", Scopes: token.Scopes, Expiry: time.Now(), leeway: time.Minute}, []string{"read"}, nil},
	} {
		if diff := cmp.Diff(test.want, test.identity.Missing(test.wanted)); diff != "" {
			t.Errorf("%q: %s", test.wanted, diff)
		}
	}
	if got := FromContext(transport.WithIdentity(t.Context(), token)); got != token {
		t.Errorf("got %v, want the token", got)
	}
	if got := FromContext(t.Context()); got != nil {
		t.Errorf("got %v, want none", got)
	}
	if got := FromContext(transport.WithIdentity(t.Context(), stranger{})); got != nil {
		t.Errorf("got %v, want none", got)
	}
}

// A stranger is an identity of another package.
type stranger struct{ transport.Identity }

// The text of a token and a secret are in nothing that is printed, logged or encoded.
func TestNothingPrintsSecrets(t *testing.T) {
	const secret = "s3cr3t.s3cr3t.s3cr3t"
	token := (&Token{Issuer: testIssuer, Subject: "alice", ClientID: "cli", Scopes: []string{"read"}, Expiry: time.Now(), Claims: []byte(`{}`)}).withText(secret)
	credentials := Credentials{ClientID: "cli", Secret: secret}
	for name, v := range map[string]any{
		"token": token, "a copy": *token, "in a struct": struct{ T *Token }{token}, "in a hidden field": struct{ t *Token }{token},
		"in a list": []*Token{token}, "verified": verifiedJWT{token: token}, "introspected": introspected{token: token},
		"credentials": credentials, "a pointer": &credentials, "of introspection": IntrospectionOptions{Credentials: credentials},
	} {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		slog.New(slog.NewTextHandler(&out, nil)).Info("m", "v", v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("m", "v", v)
		json.NewEncoder(&out).Encode(v)
		for _, form := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), strings.Trim(fmt.Sprint([]byte(secret)), "[]")} {
			if strings.Contains(out.String(), form) {
				t.Errorf("%s: the secret is in\n%s", name, out.String())
			}
		}
	}
}

// A token is exchanged by package clientcredentials, which takes the grant type from the parameters, and needs its text, also
// if the verifier is of another package.
func TestTokenExchange(t *testing.T) {
	var form url.Values
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		form = r.Form
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"access_token":"new","token_type":"Bearer","expires_in":300}`)
	}))
	defer issuer.Close()
	token, err := verify(t.Context(), VerifierFunc(func(context.Context, string) (*Token, error) { return &Token{Subject: "alice"}, nil }), "opaque")
	if err != nil {
		t.Fatal(err)
	}
	exchange := clientcredentials.Config{ClientID: "c", ClientSecret: "s", TokenURL: issuer.URL, EndpointParams: url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "subject_token": {token.SubjectToken()},
	}}
	got, err := exchange.Token(t.Context())
	if err != nil || got.AccessToken != "new" || form.Get("grant_type") != "urn:ietf:params:oauth:grant-type:token-exchange" || form.Get("subject_token") != "opaque" {
		t.Errorf("%v, %v: %v", got, err, form)
	}
	if got := new(Token).SubjectToken(); got != "" {
		t.Errorf("of no request: %q", got)
	}
}
