package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// REQ SEC-07, SEC-08, SEC-09
func TestPublicAddresses(t *testing.T) {
	for _, tt := range []struct {
		addr string
		want bool
	}{
		{"93.184.215.14", true},
		{"2606:2800:21f:cb07:6820:80da:af6b:8b2c", true},
		{"127.0.0.1", false},
		{"10.1.2.3", false},
		{"172.16.0.1", false},
		{"192.168.1.1", false},
		{"169.254.169.254", false},
		{"168.63.129.16", false},
		{"100.64.0.1", false},
		{"0.0.0.0", false},
		{"0.1.2.3", false},
		{"224.0.0.1", false},
		{"255.255.255.255", false},
		{"240.0.0.1", false},
		{"198.18.0.1", false},
		{"::1", false},
		{"::", false},
		{"::ffff:10.0.0.1", false},
		{"::ffff:93.184.215.14", true},
		{"::127.0.0.1", false},
		{"fe80::1", false},
		{"fc00::1", false},
		{"fd00:ec2::254", false},
		{"fec0::1", false},
		{"ff02::1", false},
		{"64:ff9b::a00:1", false},
		{"2002:a00:1::", false},
		{"2001:db8::1", false},
	} {
		if got := public(netip.MustParseAddr(tt.addr).Unmap()); got != tt.want {
			t.Errorf("public(%s) = %t, want %t", tt.addr, got, tt.want)
		}
	}
}

// REQ SEC-08, SEC-16
func TestCheckURL(t *testing.T) {
	for _, tt := range []struct {
		url            string
		public, onHost bool // whether it is allowed without and with loopback
	}{
		{"https://example.com/a?b=c", true, true},
		{"HTTPS://example.com", true, true},
		{"http://example.com", false, false},
		{"http://localhost:8080", false, true},
		{"http://LOCALHOST", false, true},
		{"http://127.0.0.2", false, true},
		{"http://[::1]:1", false, true},
		{"http://[::ffff:127.0.0.1]", false, true},
		{"https://localhost", false, true},
		{"https://example.com:65535", true, true},
		{"https://example.com:65536", false, false},
		{"https://example.com:99999999999999999999", false, false},
		{"http://localhost:0", false, false},
		{"http://localhost:00080", false, true},
		{"http://localhost.example.com", false, false},
		{"http://127.0.0.1.example.com", false, false},
		{"http://2130706433", false, false},
		{"https://user:pass@example.com", false, false},
		{"https://example.com/#f", false, false},
		{"javascript:alert(1)", false, false},
		{"data:text/html,x", false, false},
		{"file:///etc/passwd", false, false},
		{"vbscript:x", false, false},
		{"ftp://example.com", false, false},
		{"https:///path", false, false},
		{"https:example.com", false, false},
		{"/path", false, false},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckURL(u, false); (err == nil) != tt.public {
			t.Errorf("CheckURL(%s, false): %v", tt.url, err)
		}
		if err := CheckURL(u, true); (err == nil) != tt.onHost {
			t.Errorf("CheckURL(%s, true): %v", tt.url, err)
		}
	}
}

func TestCheckURLHidesPasswords(t *testing.T) {
	err := CheckURL(&url.URL{Scheme: "https", Host: "example.com", User: url.UserPassword("u", "hidden")}, false)
	if err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v", err)
	}
}

// serve starts a server on loopback and returns its address.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func object(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, text)
}

func TestGet(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		object(w, `{"issuer":"a","Issuer":"b","iſsuer":"c","jwks_uri":"d"}`)
	})
	var got struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	if _, err := Get(t.Context(), New(Options{Loopback: true}), at, &got); err != nil {
		t.Fatal(err)
	}
	if got.Issuer != "a" || got.JWKSURI != "d" {
		t.Errorf("got %+v", got)
	}
}

// REQ SEC-08
func TestLoopbackRefused(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { t.Error("the server was reached") })
	var v struct{}
	if _, err := Get(t.Context(), New(Options{}), at, &v); err == nil || !strings.Contains(err.Error(), "must not lead to this machine") {
		t.Errorf("got %v", err)
	}
}

// A name that looks public and resolves to this machine is refused where the connection would be made, whatever
// it resolved to before.
//
// REQ SEC-07, SEC-08
func TestDialChecksAddress(t *testing.T) {
	for _, loopback := range []bool{false, true} {
		d := dialer{loopback: loopback}
		for _, addr := range []string{"10.0.0.1:443", "169.254.169.254:80", "[fd00::1]:443", "0.0.0.0:80", "[::ffff:192.168.0.1]:443"} {
			if c, err := d.dial(t.Context(), "tcp", addr); err == nil || !strings.Contains(err.Error(), "must not be reached") {
				t.Errorf("loopback %t: %s: got %v, %v", loopback, addr, c, err)
			}
		}
	}
	if _, err := (dialer{}).dial(t.Context(), "tcp", "127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "must not be reached") {
		t.Errorf("127.0.0.1 without loopback: got %v", err)
	}
}

// REQ SEC-08
func TestRedirects(t *testing.T) {
	var target string
	hops := 0
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/end":
			object(w, `{}`)
		case r.URL.Path == "/loop":
			hops++
			http.Redirect(w, r, "/loop", http.StatusFound)
		default:
			http.Redirect(w, r, target, http.StatusTemporaryRedirect)
		}
	})
	c := New(Options{Loopback: true})
	var v struct{}
	target = at + "/end"
	if _, err := Get(t.Context(), c, at, &v); err != nil {
		t.Errorf("a redirect on loopback: %v", err)
	}
	for _, to := range []string{"http://169.254.169.254/latest/meta-data", "http://example.com/", "file:///etc/passwd", "https://10.0.0.1/", "https://[fd00::1]/"} {
		target = to
		if _, err := Get(t.Context(), c, at, &v); err == nil {
			t.Errorf("the redirect to %s was followed", to)
		}
	}
	if _, err := Get(t.Context(), c, at+"/loop", &v); err == nil || hops != maxRedirects+1 {
		t.Errorf("got %v after %d hops", err, hops)
	}
	target = at + "/end"
	if _, err := PostForm(t.Context(), c, at, nil, url.Values{"code": {"secret"}}, &v); err == nil || !strings.Contains(err.Error(), "may not be redirected") {
		t.Errorf("the redirect of a POST: %v", err)
	}
}

func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a": {"b": [1, {"c": null}]}}`, `{"a":1,"a":2}`, ` {"a" : "\ud800"} `, `{"a"`, `[]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		members, err := Members(data)
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("accepted, but encoding/json says: %v", err)
		}
		if diff := cmp.Diff(want, members, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestBounds(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		object(w, `{"a":"`+strings.Repeat("x", 100)+`"}`)
	})
	var v struct{ A string }
	if _, err := Get(t.Context(), New(Options{Loopback: true, MaxBody: 107}), at, &v); err == nil || err.Error() != "the response has more than 107 bytes" {
		t.Errorf("got %v", err)
	}
	if _, err := Get(t.Context(), New(Options{Loopback: true, MaxBody: 108}), at, &v); err != nil || len(v.A) != 100 {
		t.Errorf("a body of just the size allowed: %v", err)
	}
}

// An error never has the query of its URL, which may be secret.
func TestErrorsWithoutQuery(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var v struct{}
	_, err := Get(ctx, New(Options{}), "https://example.com/a?code=secret", &v)
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "https://example.com/a") {
		t.Errorf("got %v", err)
	}
}

func TestResponses(t *testing.T) {
	for _, tt := range []struct {
		status     int
		typ, body  string
		want       string // a part of the error
		statusCode int    // of a *StatusError
	}{
		{200, "application/json", `{}`, "", 0},
		{201, "application/json; charset=utf-8", `{}`, "", 0},
		{200, "application/jwk-set+json", `{}`, "", 0},
		{200, "text/html", `{}`, "content type", 0},
		{200, "application/json", `[]`, "want a JSON object", 0},
		{200, "application/json", ``, "want a JSON object", 0},
		{200, "application/json", `{"a":1,"a":2}`, "duplicate", 0},
		{200, "application/json", `{"a":{"b":1,"b":2}}`, "duplicate", 0},
		{200, "application/json", `{} {}`, "want nothing after the value", 0},
		{400, "application/json", `{"error":"invalid_grant secret"}`, "status 400 Bad Request", 400},
	} {
		at := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", tt.typ)
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		})
		var v map[string]json.RawMessage
		_, err := PostForm(t.Context(), New(Options{Loopback: true}), at, http.Header{"X-A": {"b"}}, url.Values{}, &v)
		name := fmt.Sprintf("%d %s %s", tt.status, tt.typ, tt.body)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		var se *StatusError
		if errors.As(err, &se) != (tt.statusCode != 0) || se != nil && (se.Status != tt.statusCode || string(se.Body) != tt.body) {
			t.Errorf("%s: got %+v", name, se)
		}
	}
}
