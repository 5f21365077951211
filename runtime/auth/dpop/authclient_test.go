package dpop_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/auth/dpop"
)

const (
	resource = "https://mcp.example/mcp"
	issuer   = "https://as.example"
)

// A site is an MCP server, and the authorization server that issues tokens for it, without a network between them and
// clients. Both want proofs, with nonces of their own.
type site struct {
	http.ServeMux
	tokens   map[string]*auth.Token
	proofs   *dpop.Verifier // of the authorization server
	requests int            // to the endpoint and for tokens
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{tokens: map[string]*auth.Token{}, proofs: newVerifier(t)}
	rs, err := auth.NewResourceServer(&auth.Options{
		Resource: resource, AuthorizationServers: []string{issuer}, Verifier: auth.VerifierFunc(s.verify), Proofs: newVerifier(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	rs.Register(&s.ServeMux)
	s.HandleFunc("mcp.example/mcp", func(w http.ResponseWriter, r *http.Request) {
		s.requests++
		if _, err := rs.Authorize(r); err != nil {
			rs.Refuse(w, r, err, nil)
		}
	})
	s.HandleFunc("as.example/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		object(w, http.StatusOK, map[string]any{
			"issuer": issuer, "token_endpoint": issuer + "/token", "grant_types_supported": []string{"client_credentials"},
			"dpop_signing_alg_values_supported": dpop.Algorithms(),
		})
	})
	s.HandleFunc("as.example/token", s.token)
	return s
}

func newVerifier(t *testing.T) *dpop.Verifier {
	t.Helper()
	v, err := dpop.NewVerifier(&dpop.VerifierOptions{Required: true, Nonces: true})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// token is the token endpoint.
func (s *site) token(w http.ResponseWriter, r *http.Request) {
	s.requests++
	key, err := s.proofs.Key(r, issuer+"/token")
	if err != nil {
		wrong := new(auth.InvalidTokenError)
		errors.As(err, &wrong)
		s.proofs.Challenge(r, &auth.Challenge{Params: map[string]string{}}, w.Header())
		object(w, http.StatusBadRequest, map[string]any{"error": wrong.Code})
		return
	}
	text := rand.Text()
	s.tokens[text] = &auth.Token{
		Issuer: issuer, Subject: "machine", Audience: []string{resource}, KeyThumbprint: key, Expiry: time.Now().Add(time.Hour),
	}
	object(w, http.StatusOK, map[string]any{"access_token": text, "token_type": dpop.Scheme, "expires_in": 3600})
}

func object(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// verify verifies a token.
func (s *site) verify(_ context.Context, text string) (*auth.Token, error) {
	t := s.tokens[text]
	if t == nil || time.Now().After(t.Expiry) {
		return nil, &auth.InvalidTokenError{Reason: "the token is expired"}
	}
	return t, nil
}

// RoundTrip sends a request to a server of the site.
func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, in)
	return w.Result(), nil
}

// A client proves to both servers that it has its key, with their nonces, and with a new key when its token has expired.
func TestClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		store := new(authclient.MemoryStore)
		connect := func() *authclient.Transport {
			tr, err := authclient.New(resource, &authclient.Options{
				Grant:   authclient.ClientCredentials{},
				Clients: []authclient.Credentials{{Issuer: issuer, ID: "machine", Secret: "secret"}},
				Proofs:  new(dpop.Prover),
				Store:   store,
				Base:    s,
				HTTP:    &http.Client{Transport: s},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { tr.Close() })
			return tr
		}
		use := func(tr *authclient.Transport, requests, tokens int) {
			t.Helper()
			s.requests = 0
			r, err := http.NewRequestWithContext(t.Context(), "POST", resource, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := tr.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("status %d, %s, %v", resp.StatusCode, resp.Header, err)
			}
			if s.requests != requests || len(s.tokens) != tokens {
				t.Errorf("%d requests, %d tokens; want %d and %d", s.requests, len(s.tokens), requests, tokens)
			}
		}
		tr := connect()
		use(tr, 5, 1)        // without a token, and then each with a wrong nonce and the right one
		use(tr, 1, 1)        // the token and the nonces are there
		use(connect(), 2, 1) // in another process, with the key in the store, and without the nonces
		time.Sleep(2 * time.Hour)
		use(tr, 4, 2) // the token and the nonces are over
	})
}
