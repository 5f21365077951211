package webguard_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/transport/internal/webguard"
)

// By which names a server is reached: those of its options, this machine, and the address at which the connection arrived.
//
// REQ SEC-17
func TestHosts(t *testing.T) {
	for _, test := range []struct {
		hosts []string // of the options
		host  string
		local string // where the connection arrived; empty if it is not known
		ok    bool
	}{
		{nil, "localhost", "", true},
		{nil, "LocalHost:8080", "", true},
		{nil, "127.0.0.1:8080", "", true},
		{nil, "[::1]", "", true},
		{nil, "[::1]:8080", "", true},
		{nil, "[::ffff:127.0.0.1]:1", "", true},
		{nil, "evil.example", "127.0.0.1", false},
		{nil, "localhost.evil.example", "", false},
		{nil, "", "", false},
		{nil, "[", "", false},
		{nil, "192.0.2.1:8080", "192.0.2.1", true},
		{nil, "192.0.2.1", "::ffff:192.0.2.1", true},
		{nil, "[2001:db8::1]:8080", "2001:db8::1", true},
		{nil, "192.0.2.2", "192.0.2.1", false},
		{nil, "192.0.2.1", "", false},
		{[]string{"a.example"}, "A.example", "", true},
		{[]string{"a.example"}, "a.example:8080", "", true},
		{[]string{"a.example:8080"}, "a.example:8080", "", true},
		{[]string{"a.example:8080"}, "a.example:8081", "", false},
		{[]string{"a.example"}, "b.example", "", false},
		{[]string{"a.example"}, "localhost", "", true},
		{[]string{"*"}, "b.example", "", true},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Host = test.host
		if test.local != "" {
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(test.local), Port: 8080}))
		}
		response := http.Header{}
		err := (&webguard.Guard{Hosts: test.hosts}).Check(response, r)
		if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "Options.Hosts") || len(response) > 0 {
			t.Errorf("%q at %q where %q is known: %v", test.host, test.local, test.hosts, err)
		}
	}
}

// Which origins are that of the server, wherever a proxy has ended TLS, and what says so where there is no header Origin.
//
// REQ SEC-17, HTTP-02
func TestSameOrigin(t *testing.T) {
	for _, test := range []struct {
		host, origin string
		tls          bool
		ok           bool
	}{
		{"localhost", "http://localhost", false, true},
		{"localhost", "http://localhost:80", false, true},
		{"localhost:80", "http://LOCALHOST", false, true},
		{"localhost", "https://localhost", false, true},
		{"localhost:443", "HTTPS://localhost", false, true},
		{"localhost", "https://localhost:80", false, false},
		{"localhost:80", "https://localhost", false, false},
		{"localhost", "http://localhost", true, false},
		{"localhost", "https://localhost", true, true},
		{"localhost:8080", "http://localhost:8080", false, true},
		{"localhost:8080", "http://localhost:8081", false, false},
		{"localhost:8080", "http://localhost", false, false},
		{"localhost:8080", "http://127.0.0.1:8080", false, false},
		{"[::1]:8080", "http://[::1]:8080", false, true},
		{"[::1]", "http://[::1]", false, true},
		{"localhost", "ftp://localhost", false, false},
		{"localhost", "null", false, false},
		{"", "http://", false, false},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Host = test.host
		r.Header.Set("Origin", test.origin)
		if test.tls {
			r.TLS = &tls.ConnectionState{}
		}
		response := http.Header{}
		err := (&webguard.Guard{Hosts: []string{test.host}}).Check(response, r)
		if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "Options.Origins") || len(response) > 0 {
			t.Errorf("%s at %s: %v", test.origin, test.host, err)
		}
	}
	for site, ok := range map[string]bool{"": true, "none": true, "same-origin": true, "same-site": false, "cross-site": false} {
		r := httptest.NewRequest("POST", "http://localhost/", nil)
		r.Header.Set("Sec-Fetch-Site", site)
		if err := new(webguard.Guard).Check(http.Header{}, r); (err == nil) != ok {
			t.Errorf("Sec-Fetch-Site: %s: %v", site, err)
		}
	}
}

// What pages of other origins may read and send.
func TestCORS(t *testing.T) {
	const origin = "https://friend.example"
	exposed := []string{"Mcp-Session-Id, MCP-Protocol-Version, Retry-After, WWW-Authenticate"}
	for _, test := range []struct {
		origins []string
		want    http.Header
	}{
		{[]string{origin}, http.Header{"Vary": {"Origin"}, "Access-Control-Allow-Origin": {origin}}},
		{[]string{"*"}, http.Header{"Access-Control-Allow-Origin": {"*"}}},
	} {
		g := webguard.Guard{Origins: test.origins, Methods: "GET, POST"}
		for requested, allowed := range map[string]string{
			"":                                   "",
			"content-type, MCP-Session-Id":       "content-type, mcp-session-id",
			"cookie,accept , authorization,x-my": "accept, authorization",
		} {
			r := httptest.NewRequest("OPTIONS", "http://localhost/", nil)
			r.Header.Set("Origin", origin)
			r.Header.Set("Access-Control-Request-Method", "POST")
			r.Header.Set("Access-Control-Request-Headers", requested)
			got := http.Header{}
			if err := g.Check(got, r); err != nil || !webguard.IsPreflight(r) {
				t.Fatal(err)
			}
			want := test.want.Clone()
			want["Access-Control-Expose-Headers"] = exposed
			if diff := cmp.Diff(want, got, cmp.Comparer(strings.EqualFold)); diff != "" {
				t.Error(diff)
			}
			g.Preflight(got, r)
			want.Del("Access-Control-Expose-Headers")
			want.Set("Access-Control-Allow-Methods", "GET, POST")
			want.Set("Access-Control-Max-Age", "600")
			if allowed != "" {
				want.Set("Access-Control-Allow-Headers", allowed)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", requested, diff)
			}
		}
		got := http.Header{}
		r := httptest.NewRequest("POST", "http://localhost/", nil)
		r.Header.Set("Origin", origin)
		if err := g.Check(got, r); err != nil {
			t.Fatal(err)
		}
		g.Undo(got)
		want := test.want.Clone()
		want.Del("Access-Control-Allow-Origin")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("undone: %s", diff)
		}
	}
}

func TestIsPreflight(t *testing.T) {
	for _, test := range []struct {
		method, origin, asks string
		want                 bool
	}{
		{"OPTIONS", "null", "POST", true}, {"POST", "null", "POST", false}, {"OPTIONS", "", "POST", false}, {"OPTIONS", "null", "", false},
	} {
		r := httptest.NewRequest(test.method, "/", nil)
		r.Header.Set("Origin", test.origin)
		r.Header.Set("Access-Control-Request-Method", test.asks)
		if got := webguard.IsPreflight(r); got != test.want {
			t.Errorf("%v: got %t", test, got)
		}
	}
}

// REQ SEC-17: a page can send other types of content without a preflight.
func TestBodies(t *testing.T) {
	for _, test := range []struct {
		types []string
		want  bool
	}{
		{[]string{"application/json"}, true},
		{[]string{"Application/JSON"}, true},
		{[]string{"application/json; charset=UTF-8"}, true},
		{[]string{"application/json; charset=latin1"}, false},
		{[]string{"application/json; charset"}, false},
		{[]string{"text/plain"}, false},
		{[]string{"text/plain; charset=utf-8"}, false},
		{[]string{""}, false},
		{nil, false},
		{[]string{"application/json", "application/json"}, false},
		{[]string{"application/json", "text/plain"}, false},
	} {
		if got := webguard.IsJSON(&http.Request{Header: http.Header{"Content-Type": test.types}}); got != test.want {
			t.Errorf("%q: got %t", test.types, got)
		}
	}
	for encoding, want := range map[string]bool{"": true, "identity": true, "Identity": true, "gzip": false} {
		if got := webguard.IsPlain(&http.Request{Header: http.Header{"Content-Encoding": {"", encoding}}}); got != want {
			t.Errorf("%q: got %t", encoding, got)
		}
	}
}

// Some refusals are logged, and how many were not.
func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		plain := slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})
		refusals := webguard.Refusals{Logger: slog.New(plain)}
		r := httptest.NewRequest("POST", "/mcp", nil)
		r.RemoteAddr = "192.0.2.1:1"
		for range 12 {
			refusals.Log(slog.LevelWarn, r, errors.New("why"))
		}
		const line = `level=WARN msg="http: a request was refused" reason=why address=192.0.2.1:1 method=POST path=/mcp`
		if want := strings.Repeat(line+"\n", 10); text.String() != want {
			t.Errorf("got %s", text.String())
		}
		// Each time the first of many passes again, with how many did not before it.
		for _, test := range []struct {
			more int // that come after the pause
			want string
		}{{0, line + " others=2\n"}, {10, line + "\n"}, {0, line + " others=1\n"}} {
			time.Sleep(time.Minute)
			text.Reset()
			refusals.Log(slog.LevelWarn, r, errors.New("why"))
			if text.String() != test.want {
				t.Errorf("got %s, want %s", text.String(), test.want)
			}
			for range test.more {
				refusals.Log(slog.LevelWarn, r, errors.New("why"))
			}
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "1", 0: "1", time.Nanosecond: "1", time.Second: "1", time.Second + 1: "2", 2 * time.Second: "2", 90 * time.Second: "90",
	} {
		if got := webguard.RetryAfter(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}
