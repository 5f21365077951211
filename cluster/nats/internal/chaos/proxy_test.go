//go:build unix

package chaos

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"
)

// A proxy sends each request to the next instance. It knows nothing of sessions, nor whether an instance is healthy: it
// skips only one that refuses the connection. A response that breaks off at an instance breaks off here.
type proxy struct {
	http      *httptest.Server
	transport *http.Transport

	mu     sync.Mutex
	places []string // addresses; empty if there is no instance
	next   int
}

func newProxy(t testing.TB, n int) *proxy {
	t.Helper()
	p := &proxy{places: make([]string, n), transport: &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}}
	p.http = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "somewhere"})
			r.Out.Host = r.In.Host
		},
		Transport:     p,
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.WriteHeader(http.StatusBadGateway)
		},
		ErrorLog: silentLog,
	})
	p.http.Config.ErrorLog = silentLog
	t.Cleanup(p.close)
	return p
}

func (p *proxy) close() {
	p.http.CloseClientConnections()
	p.http.Close()
	p.transport.CloseIdleConnections()
}

func (p *proxy) url() string { return p.http.URL + "/mcp" }

// set sets the address at a place.
func (p *proxy) set(place int, addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.places[place] = addr
}

// take returns the next place.
func (p *proxy) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	return p.places[p.next%len(p.places)]
}

// headerPlace says from where a response comes.
const headerPlace = "Chaos-Place"

// RoundTrip implements [http.RoundTripper].
func (p *proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		addr := p.take()
		if addr == "" {
			continue
		}
		out := r.Clone(r.Context())
		out.URL.Host = addr
		if r.Body != nil {
			out.Body = io.NopCloser(r.Body) // not read if there is no connection
		}
		resp, err := p.transport.RoundTrip(out)
		if err == nil {
			resp.Header.Set(headerPlace, addr)
		}
		if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" && r.Context().Err() == nil {
			continue
		}
		return resp, err
	}
	return nil, context.DeadlineExceeded
}
