// Package loopback has the HTTP services that ports call, for their tests.
package loopback

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// A Service responds to requests with JSON, and keeps them.
type Service struct {
	URL      string
	handler  http.Handler
	mu       sync.Mutex
	requests []string
}

// Created is a response with the status 201.
type Created struct{ Body any }

// Start starts a service. The responses are by the patterns of requests, as [http.ServeMux] has them; one that is a function of
// a request is what that returns. To other requests the service responds with the status 404. It ends with the test.
func Start(t *testing.T, responses map[string]any) *Service {
	t.Helper()
	s := &Service{}
	mux := http.NewServeMux()
	for pattern, response := range responses {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body := response
			if of, ok := response.(func(*http.Request) any); ok {
				body = of(r)
			}
			if created, ok := body.(Created); ok {
				w.WriteHeader(http.StatusCreated)
				body = created.Body
			}
			if err := json.NewEncoder(w).Encode(body); err != nil {
				t.Errorf("%s: %v", pattern, err)
			}
		})
	}
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		text := r.Method + " " + r.URL.EscapedPath()
		if query := r.URL.Query().Encode(); query != "" {
			text += "?" + query
		}
		if len(body) > 0 {
			var v any
			if err := json.Unmarshal(body, &v); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			sorted, err := json.Marshal(v)
			if err != nil {
				t.Error(err)
			}
			text += " " + string(sorted)
		}
		s.keep(text)
		mux.ServeHTTP(w, r)
	})
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// keep keeps a request.
func (s *Service) keep(request string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
}

// Requests returns the requests since the last call: method, path, sorted query, and a JSON body with
// sorted members.
func (s *Service) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := s.requests
	s.requests = nil
	return requests
}

// Intercept returns the address of a proxy through which all requests over TLS reach the service, for a client that does not
// verify certificates.
func (s *Service) Intercept(t *testing.T) string {
	t.Helper()
	secure := httptest.NewTLSServer(s.handler)
	t.Cleanup(secure.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			t.Errorf("the proxy received %s %s", r.Method, r.URL)
			return
		}
		far, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", secure.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer far.Close()
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer near.Close()
		if _, err := io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
			t.Error(err)
			return
		}
		done := make(chan struct{}, 2)
		pipe := func(to io.Writer, from io.Reader) {
			_, _ = io.Copy(to, from) // either side may end it
			done <- struct{}{}
		}
		go pipe(far, near)
		go pipe(near, far)
		<-done
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}
