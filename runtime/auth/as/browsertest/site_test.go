package browsertest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

const verifier = "a-verifier-that-is-long-enough-for-the-rule-of-43"

// A site is an authorization server with a client, on loopback.
type site struct {
	*testing.T
	issuer   string
	resource string
	callback string // of the client

	mu        sync.Mutex
	responses []url.Values // that the client has received
}

func start(t *testing.T, change func(*as.Options)) *site {
	t.Helper()
	s := &site{T: t}
	client := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			s.mu.Lock()
			s.responses = append(s.responses, r.URL.Query())
			s.mu.Unlock()
		}
		io.WriteString(w, "Back at the client")
	}))
	t.Cleanup(client.Close)
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	s.issuer, s.resource, s.callback = server.URL, server.URL+"/mcp", client.URL+"/callback"
	opts := &as.Options{
		Issuer: s.issuer, Resources: []string{s.resource},
		Scopes: []as.Scope{{Name: "notes:read", Description: "Read your notes"}, {Name: "notes:write", Description: "Create, change and delete your notes"}},
		Password: func(_ context.Context, name, password string) (*as.User, error) {
			if name == "ada" && password == "correct horse" {
				return &as.User{Subject: "1", Name: "Ada Lovelace"}, nil
			}
			return nil, nil
		},
		Clients:           []as.Client{{ID: "notes", Name: "Notes for the Desk", RedirectURIs: []string{s.callback}}},
		MaxAuthorizations: -1,
		Logger:            slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(opts)
	}
	authorization, err := as.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	handler = authorization
	return s
}

// authorize is the URL of an authorization request.
func (s *site) authorize(change map[string]string) string {
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{"response_type": {"code"}, "client_id": {"notes"}, "redirect_uri": {s.callback}, "state": {"the state"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"scope": {"notes:read notes:write"}, "resource": {s.resource}}
	for name, value := range change {
		q.Set(name, value)
	}
	return s.issuer + "/authorize?" + q.Encode()
}

// received returns what the client has received, which must be one response.
func (s *site) received() url.Values {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.responses) != 1 {
		s.Fatalf("the client has received %v, want one response", s.responses)
	}
	return s.responses[0]
}

// nothing reports whether the client has received nothing.
func (s *site) nothing() {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.responses) > 0 {
		s.Errorf("the client has received %v", s.responses)
	}
}

// register registers a client.
func (s *site) register(name, redirect string) (id string) {
	s.Helper()
	body, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none"})
	if err != nil {
		s.Fatal(err)
	}
	resp, err := http.Post(s.issuer+"/register", "application/json", strings.NewReader(string(body)))
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	var m struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil || m.ID == "" {
		s.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	return m.ID
}

// redeem exchanges a code for an access token.
func (s *site) redeem(code string) {
	s.Helper()
	resp, err := http.PostForm(s.issuer+"/token", url.Values{"grant_type": {"authorization_code"}, "client_id": {"notes"}, "code": {code},
		"redirect_uri": {s.callback}, "code_verifier": {verifier}})
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		s.Errorf("status %d: %s", resp.StatusCode, body)
	}
}

// attacker is another site: a browser takes localhost and 127.0.0.1 for two.
func attacker(t *testing.T, page string) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/harmless" {
			io.WriteString(w, "<p>A page that may be in a frame</p>")
			return
		}
		fmt.Fprintf(w, "<!doctype html><title>Evil</title><body>%s", page)
	}))
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
}
