package auth_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

const (
	endpoint = "https://mcp.example/mcp"
	issuer   = "https://as.example"
)

// An introspection is an authorization server that introspects tokens, which begin with the name of their user.
type introspection struct {
	life  time.Duration // of tokens; 0: the responses do not say
	start time.Time

	mu      sync.Mutex
	takes   time.Duration
	revoked bool // all tokens
	asked   int
}

func (s *introspection) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.asked++
	takes := s.takes
	s.mu.Unlock()
	time.Sleep(takes)
	user, _, _ := strings.Cut(r.PostForm.Get("token"), ".")
	s.mu.Lock()
	m := map[string]any{"active": !s.revoked, "sub": user, "aud": endpoint}
	s.mu.Unlock()
	if s.life > 0 {
		m["exp"] = s.start.Add(s.life).Unix()
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	err := json.NewEncoder(w).Encode(m)
	return w.Result(), err
}

func (s *introspection) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// resource returns a resource server for tokens that s introspects.
func (s *introspection) resource(t *testing.T, maxAge time.Duration) *auth.ResourceServer {
	t.Helper()
	s.start = time.Now()
	v, err := auth.NewIntrospector(&auth.IntrospectionOptions{
		Issuer: issuer, Endpoint: issuer + "/introspect", Credentials: auth.Credentials{ClientID: "rs", Secret: "s"},
		Audiences: []string{endpoint}, MaxAge: maxAge, Transport: s,
	})
	if err != nil {
		t.Fatal(err)
	}
	rs, err := auth.NewResourceServer(&auth.Options{Resource: endpoint, AuthorizationServers: []string{issuer}, Verifier: v})
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// send sends a request for a stream, or with a message, to a handler.
func send(t *testing.T, h http.Handler, token, body string, header ...string) *http.Response {
	t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(t.Context(), method, "http://localhost/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := testenv.Wireless{Handler: h}.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		t.Fatalf("status %d: %s", resp.StatusCode, text)
	}
	return resp
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`

// listen opens a stream of 2026-07-28.
func listen(t *testing.T, h http.Handler, token string, header ...string) *http.Response {
	t.Helper()
	return send(t, h, token, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		append(header, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")...)
}

// Streams of every transport end within a minute after an Introspector refuses their token, which it does when it asks
// again: by default only if it does not know when the token expires.
//
// REQ HTTP-05, SEC-10
func TestStreamsEndWithIntrospection(t *testing.T) {
	for name, test := range map[string]struct {
		life, maxAge, want time.Duration
		asked              int // for each token
	}{
		"without exp":      {0, 0, 3 * time.Minute, 4},
		"with exp":         {10 * time.Minute, 0, 10 * time.Minute, 1},
		"with exp, MaxAge": {10 * time.Minute, time.Minute, 3 * time.Minute, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				known := &introspection{life: test.life}
				rs := known.resource(t, test.maxAge)
				notes := server.New(mcp.Implementation{Name: "notes", Version: "1.0.0"}, nil)
				h := streamable.NewHandler(notes, &streamable.Options{Auth: rs})
				opened := send(t, h, "ada.2", initialize)
				if _, err := io.Copy(io.Discard, opened.Body); err != nil {
					t.Fatal(err)
				}
				streams := map[string]*http.Response{
					"HTTP+SSE":              send(t, sse.NewHandler(notes, &streamable.Options{Auth: rs, SessionIdle: -1}), "ada.1", ""),
					"a stream of a session": send(t, h, "ada.2", "", "Mcp-Session-Id", opened.Header.Get("Mcp-Session-Id")),
					"a subscription":        listen(t, h, "ada.3"),
				}
				var group sync.WaitGroup
				for what, resp := range streams {
					group.Go(func() {
						if _, err := io.Copy(io.Discard, resp.Body); err != nil {
							t.Error(err)
						}
						if took := time.Since(known.start); took != test.want {
							t.Errorf("%s ended after %s, want %s", what, took, test.want)
						}
					})
				}
				time.Sleep(150 * time.Second)
				known.set(func() { known.revoked = true })
				group.Wait()
				if known.asked != 3*test.asked {
					t.Errorf("asked %d times, want %d for each stream", known.asked, test.asked)
				}
				if err := h.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A user with very many streams does not keep the server from noticing that those of others were revoked, even if all come
// from one proxy.
func TestStreamsAreSharedByUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := &introspection{}
		h := streamable.NewHandler(server.New(mcp.Implementation{Name: "notes", Version: "1.0.0"}, nil), &streamable.Options{
			Auth: known.resource(t, 0), Address: func(r *http.Request) string { return r.Header.Get("From-Address") }, KeepAlive: -1,
		})
		var group sync.WaitGroup
		open := func(user, token, address string, last time.Duration) {
			resp := listen(t, h, token, "From-Address", address)
			group.Go(func() {
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					t.Error(err)
				}
				if took := time.Since(known.start); took > last {
					t.Errorf("a stream of %s ended after %s, want at most %s", user, took, last)
				}
			})
		}
		for i := range 960 {
			open("mallory", fmt.Sprint("mallory.", i), fmt.Sprint("192.0.2.", i%4), 10*time.Minute)
		}
		for i := range 40 {
			user := fmt.Sprint("user", i)
			open(user, user+".1", fmt.Sprint("198.51.100.", i), time.Minute+time.Second)
		}
		known.set(func() { known.revoked, known.takes = true, 300*time.Millisecond })
		group.Wait()
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
