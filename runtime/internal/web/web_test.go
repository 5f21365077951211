package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://A.example/x": "https://a.example:443", "http://[::1]/": "http://[::1]:80", "HTTPS://a.example:8443": "https://a.example:8443",
	} {
		if got := web.Origin(parse(t, text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	const own = "https://a.example/mcp"
	for text, want := range map[string]bool{
		"https://a.example": true, "HTTPS://A.Example:443/other?q": true,
		"http://a.example/mcp": false, "https://a.example:8443/mcp": false, "https://b.example/mcp": false, "http://a.example:443/mcp": false,
	} {
		u := parse(t, text)
		if got := web.SameOrigin(parse(t, own), u); got != want || (web.Origin(u) == web.Origin(parse(t, own))) != want {
			t.Errorf("%s and %s: got %t, want %t", own, text, got, want)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example": false, "127.0.0.1.example": false, "192.0.2.1": false, "[::1]": false,
	} {
		if got := web.IsLoopback(host); got != want {
			t.Errorf("%s: got %t, want %t", host, got, want)
		}
	}
}

// A transport uses the proxy of the environment, HTTP/2 where the server has it also with a configuration of TLS, and
// reads no endless header.
func TestTransport(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.example:8080") // which is read once, and not for loopback addresses
	transport := web.NewTransport()
	defer transport.CloseIdleConnections()
	proxy, err := transport.Proxy(httptest.NewRequest("GET", "https://a.example/", nil))
	if err != nil || proxy == nil || proxy.Host != "proxy.example:8080" {
		t.Errorf("got the proxy %v and %v", proxy, err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Long", strings.Repeat("x", int(r.ContentLength)))
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	transport.TLSClientConfig.NextProtos = nil
	client := http.Client{Transport: transport}
	for n, ok := range map[int]bool{100 << 10: true, 512 << 10: false} {
		r, err := client.Post(server.URL, "text/plain", strings.NewReader(strings.Repeat("x", n)))
		if (err == nil) != ok {
			t.Fatalf("a header of %d bytes: got %v, want success %t", n, err, ok)
		}
		if err == nil {
			r.Body.Close()
			if r.ProtoMajor != 2 {
				t.Errorf("got %s, want HTTP/2", r.Proto)
			}
		}
	}
}
