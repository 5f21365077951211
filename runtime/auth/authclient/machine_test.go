package authclient

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// REQ AUTH26-12
func TestClientCredentials(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, rs, as := newWorld(t)
		rs.document["scopes_supported"] = []string{"a", "b"}
		as.lifetime = time.Minute
		as.meta["token_endpoint_auth_methods_supported"] = []string{oauth.MethodBasic}
		delete(as.meta, "code_challenge_methods_supported")
		tr := newTransport(t, w, as, &Options{Grant: ClientCredentials{}, Clients: []Credentials{{Issuer: issuerURL, ID: "me", Secret: "secret"}}})
		welcome(t, tr)
		f := as.tokens[0]
		if f.Get("grant_type") != "client_credentials" || f.Get("resource") != resourceURL || f.Get("scope") != "a b" || len(f) != 3 {
			t.Errorf("got %v", f)
		}
		sleep(time.Hour)
		before := w.count("POST " + endpointURL)
		welcome(t, tr)
		if len(as.tokens) != 2 || w.count("POST "+endpointURL) != before+1 {
			t.Errorf("%d token requests: the token was not replaced before it was sent", len(as.tokens))
		}
		if len(as.logins) != 0 {
			t.Error("a user was asked")
		}
	})
	w, _, as := newWorld(t)
	refused(t, newTransport(t, w, as, &Options{Grant: ClientCredentials{}}), "Options.Clients is empty, want credentials for https://as.example")
	refused(t, newTransport(t, w, as, &Options{Grant: ClientCredentials{}, Clients: []Credentials{{Issuer: "https://other.example", ID: "me"}}}), "for which there are no credentials")
}

// REQ AUTH26-12
func TestPrivateKeyJWT(t *testing.T) {
	p256, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	_, edKey, _ := ed25519.GenerateKey(rand.Reader)
	p224, _ := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	for _, tt := range []struct {
		key       crypto.Signer
		supported []string
		want      string // the algorithm, or the error
	}{
		{p256, nil, "ES256"}, {p256, []string{"RS256", "ES256"}, "ES256"}, {p384, nil, "ES384"}, {edKey, nil, "EdDSA"},
		{rsaKey, nil, "RS256"}, {rsaKey, []string{"RS256"}, "RS256"}, {rsaKey, []string{"PS256", "RS256"}, "RS256"}, {rsaKey, []string{"PS256"}, "PS256"},
		{p256, []string{"RS256"}, `the key signs by [ES256], the server supports ["RS256"]`},
		{p224, nil, "want ECDSA"}, {nil, nil, "needs a Key"},
	} {
		w, _, as := newWorld(t)
		as.meta["token_endpoint_auth_signing_alg_values_supported"] = tt.supported
		as.meta["token_endpoint_auth_methods_supported"] = []string{oauth.MethodJWT}
		tr := newTransport(t, w, as, &Options{Grant: ClientCredentials{}, Clients: []Credentials{{Issuer: issuerURL, ID: "me", Key: tt.key, KeyID: "k1", Method: oauth.MethodJWT}}})
		if strings.Contains(tt.want, " ") {
			refused(t, tr, tt.want)
			continue
		}
		welcome(t, tr)
		f := as.tokens[0]
		if f.Get("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" || f.Has("client_id") {
			t.Errorf("got %v", f)
		}
		parsed, err := jwt.ParseSigned(f.Get("client_assertion"), []jose.SignatureAlgorithm{jose.SignatureAlgorithm(tt.want)})
		if err != nil {
			t.Fatal(err)
		}
		var claims jwt.Claims
		if err := parsed.Claims(tt.key.Public(), &claims); err != nil {
			t.Fatal(err)
		}
		if err := claims.Validate(jwt.Expected{Issuer: "me", Subject: "me", AnyAudience: jwt.Audience{issuerURL}, Time: time.Now()}); err != nil {
			t.Error(err)
		}
		if claims.ID == "" || parsed.Headers[0].KeyID != "k1" || claims.Expiry.Time().Sub(claims.IssuedAt.Time()) != time.Minute {
			t.Errorf("got %+v", claims)
		}
	}
}

// newProvider returns the identity provider of an organization: its token endpoint responds with what onToken says.
func newProvider(t *testing.T, w *world, rs *resource, response map[string]any) *issuer {
	idp := w.newIssuer(t, rs, "https://idp.example")
	idp.onToken = func(w http.ResponseWriter, r *http.Request) bool { object(w, 200, response); return true }
	return idp
}

// REQ AUTH26-13
func TestEnterpriseManaged(t *testing.T) {
	identity := func(context.Context) (string, error) { return "secretidentity", nil }
	clients := []Credentials{{Issuer: issuerURL, ID: "me", Secret: "secret", Method: oauth.MethodPost}}
	jag := map[string]any{"access_token": "secretjag", "issued_token_type": typeIDJAG, "token_type": "N_A"}
	for _, endpoint := range []string{"", "https://idp.example/token"} {
		w, rs, as := newWorld(t)
		as.meta["authorization_grant_profiles_supported"] = []string{profileIDJAG}
		rs.document["scopes_supported"] = []string{"a"}
		idp := newProvider(t, w, rs, jag)
		tr := newTransport(t, w, as, &Options{Clients: clients, Grant: &EnterpriseManaged{
			Provider: "https://idp.example", TokenEndpoint: endpoint, Client: Credentials{ID: "me-at-idp"}, Identity: identity,
		}})
		welcome(t, tr)
		for name, want := range map[string]string{
			"grant_type": oauth.GrantTokenExchange, "requested_token_type": typeIDJAG, "subject_token": "secretidentity", "subject_token_type": typeIDToken,
			"audience": issuerURL, "resource": resourceURL, "scope": "a", "client_id": "me-at-idp",
		} {
			if got := idp.tokens[0].Get(name); got != want {
				t.Errorf("to the provider: %s is %q, want %q", name, got, want)
			}
		}
		for name, want := range map[string]string{
			"grant_type": oauth.GrantJWTBearer, "assertion": "secretjag", "resource": resourceURL, "client_id": "me", "client_secret": "secret",
		} {
			if got := as.tokens[0].Get(name); got != want {
				t.Errorf("to the server: %s is %q, want %q", name, got, want)
			}
		}
	}
	t.Run("SAML", func(t *testing.T) {
		const saml = "urn:ietf:params:oauth:token-type:saml2"
		w, rs, as := newWorld(t)
		idp := newProvider(t, w, rs, jag)
		welcome(t, newTransport(t, w, as, &Options{Clients: clients, Grant: &EnterpriseManaged{Provider: "https://idp.example", Identity: identity, IdentityType: saml}}))
		if got := idp.tokens[0].Get("subject_token_type"); got != saml {
			t.Errorf("subject_token_type is %q", got)
		}
	})
	w, rs, as := newWorld(t)
	g := &EnterpriseManaged{Provider: "https://idp.example", Identity: identity}
	fresh := func() *Transport { return newTransport(t, w, as, &Options{Clients: clients, Grant: g}) }
	idp := newProvider(t, w, rs, map[string]any{"access_token": "secret", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token", "token_type": "Bearer"})
	refused(t, fresh(), "want "+typeIDJAG)
	idp.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		object(w, 200, map[string]any{"issued_token_type": typeIDJAG, "token_type": "N_A"})
		return true
	}
	refused(t, fresh(), "https://idp.example issued a token of type")
	refused(t, newTransport(t, w, as, &Options{Grant: g}), "Options.Clients is empty")
	meta := idp.meta
	idp.meta = nil
	refused(t, fresh(), "authclient: the identity provider: ")
	idp.meta = map[string]any{"issuer": "https://idp.example", "response_types_supported": []string{"code"}}
	refused(t, fresh(), "https://idp.example has no token_endpoint")
	idp.meta = meta
	idp.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		object(w, 403, map[string]any{"error": "access_denied", "error_description": "not you"})
		return true
	}
	refused(t, fresh(), `https://idp.example responds with status 403 error "access_denied": "not you"`)
	as.meta["authorization_grant_profiles_supported"] = []string{"other"}
	refused(t, fresh(), "want "+profileIDJAG)
	delete(as.meta, "authorization_grant_profiles_supported")
	g.Identity = func(context.Context) (string, error) { return "", errors.New("not logged in") }
	refused(t, fresh(), "the identity of the user: not logged in")
	g.Identity = nil
	refused(t, fresh(), "needs Identity")
	if len(as.tokens) != 0 {
		t.Errorf("got %v", as.tokens)
	}
}

func TestWorkloadIdentity(t *testing.T) {
	for _, clients := range [][]Credentials{nil, {{Issuer: issuerURL, ID: "me"}}} {
		w, _, as := newWorld(t)
		audience, issuer := "", ""
		tr := newTransport(t, w, as, &Options{Clients: clients, Grant: &WorkloadIdentity{Assertion: func(_ context.Context, a, i string) (string, error) {
			audience, issuer = a, i
			return "secretjwt", nil
		}}})
		welcome(t, tr)
		if audience != "https://as.example/token" || issuer != issuerURL {
			t.Errorf("the audience is %q, the issuer %q", audience, issuer)
		}
		f := as.tokens[0]
		if f.Get("grant_type") != oauth.GrantJWTBearer || f.Get("assertion") != "secretjwt" || f.Get("resource") != resourceURL || f.Has("scope") || f.Has("client_id") != (clients != nil) {
			t.Errorf("got %v", f)
		}
	}
	w, _, as := newWorld(t)
	refused(t, newTransport(t, w, as, &Options{Clients: []Credentials{{Issuer: "https://other.example", ID: "me"}}, Grant: new(WorkloadIdentity)}), "for which there are no credentials")
	g := new(WorkloadIdentity)
	refused(t, newTransport(t, w, as, &Options{Grant: g}), "needs Assertion")
	g.Assertion = func(context.Context, string, string) (string, error) { return "", errors.New("no metadata service") }
	refused(t, newTransport(t, w, as, &Options{Grant: g}), "the identity of the workload: no metadata service")
}

// A grant that is refused is not tried again, and no other is.
func TestMachineGrantRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
			object(w, 400, map[string]any{"error": "invalid_scope"})
			return true
		}
		tr := newTransport(t, w, as, &Options{Grant: &WorkloadIdentity{Assertion: func(context.Context, string, string) (string, error) { return "secretjwt", nil }}})
		for range 3 {
			refused(t, tr, `error "invalid_scope"`)
		}
		if len(as.tokens) != 1 {
			t.Errorf("%d token requests", len(as.tokens))
		}
	})
}

// Machines replace a token before it ends, so that no request is one of nobody.
func TestMachineGrantsAreRenewed(t *testing.T) {
	for name, g := range map[string]Grant{
		"client credentials": ClientCredentials{},
		"workload":           &WorkloadIdentity{Assertion: func(context.Context, string, string) (string, error) { return "secretjwt", nil }},
		"enterprise": &EnterpriseManaged{Provider: "https://idp.example", Identity: func(context.Context) (string, error) {
			return "secretidentity", nil
		}},
	} {
		bubble(t, func(t *testing.T) {
			w, rs, as := newWorld(t)
			newProvider(t, w, rs, map[string]any{"access_token": "secretjag", "issued_token_type": typeIDJAG, "token_type": "N_A"})
			as.lifetime, as.noRefresh = time.Hour, true
			tr := newTransport(t, w, as, &Options{Grant: g, Clients: []Credentials{{Issuer: issuerURL, ID: "me", Secret: "secret"}}})
			welcome(t, tr)
			before := w.count("POST " + endpointURL)
			for range 3 {
				sleep(time.Hour)
				welcome(t, tr)
			}
			if n := w.count("POST "+endpointURL) - before; n != 3 || len(as.tokens) != 4 {
				t.Errorf("%s: %d requests, %d token requests", name, n, len(as.tokens))
			}
		})
	}
}
