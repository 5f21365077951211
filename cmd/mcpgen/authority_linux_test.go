package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/auth"
)

// An authority is an authorization server whose user is always logged in, and allows whatever clients ask for. It has what
// a login of the command needs; the real one is a module of its own.
type authority struct {
	issuer string
	logins atomic.Int32

	mu     sync.Mutex
	codes  map[string]url.Values  // the requests that they respond to
	tokens map[string]*auth.Token // by their texts
}

// register adds the endpoints.
func (a *authority) register(mux *http.ServeMux) {
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		respondJSON(w, http.StatusOK, &auth.AuthorizationServerMetadata{
			Issuer: a.issuer, AuthorizationEndpoint: a.issuer + "/authorize", TokenEndpoint: a.issuer + "/token", RegistrationEndpoint: a.issuer + "/register",
			CodeChallengeMethodsSupported: []string{"S256"}, AuthorizationResponseISSParameterSupported: true,
		})
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		var client map[string]any
		if err := json.NewDecoder(r.Body).Decode(&client); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		client["client_id"] = rand.Text()
		respondJSON(w, http.StatusCreated, client)
	})
	mux.HandleFunc("GET /authorize", a.authorize)
	mux.HandleFunc("POST /token", a.token)
}

func (a *authority) authorize(w http.ResponseWriter, r *http.Request) {
	a.logins.Add(1)
	q, code := r.URL.Query(), rand.Text()
	a.mu.Lock()
	a.codes[code] = q
	a.mu.Unlock()
	response := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {a.issuer}}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+response.Encode(), http.StatusFound)
}

func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := a.codes[r.FormValue("code")]
	delete(a.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if asked == nil || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
		respondJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	text := rand.Text()
	a.tokens[text] = &auth.Token{Issuer: a.issuer, Subject: "ada", Audience: asked["resource"], Scopes: strings.Fields(asked.Get("scope"))}
	respondJSON(w, http.StatusOK, map[string]any{"access_token": text, "token_type": "Bearer", "expires_in": 3600})
}

// verify verifies an access token.
func (a *authority) verify(_ context.Context, text string) (*auth.Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.tokens[text]; t != nil {
		return t, nil
	}
	return nil, &auth.InvalidTokenError{Reason: "the token is unknown"}
}

func respondJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
