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
	"testing/synctest"
	"time"

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
		{"https:opaque@example.com", false, false},
		{"ftp://localhost", false, false},
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
	if _, err := Get(t.Context(), New(Options{Loopback: true}), at, nil, &got); err != nil {
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
	if _, err := Get(t.Context(), New(Options{}), at, nil, &v); err == nil || !strings.Contains(err.Error(), "must not lead to this machine") {
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
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (dialer{}).dial(ended, "tcp", "93.184.215.14:443"); !errors.Is(err, context.Canceled) {
		t.Errorf("a public address: got %v, want it tried", err)
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
	if _, err := Get(t.Context(), c, at, nil, &v); err != nil {
		t.Errorf("a redirect on loopback: %v", err)
	}
	for _, to := range []string{"http://169.254.169.254/latest/meta-data", "http://example.com/", "file:///etc/passwd", "https://10.0.0.1/", "https://[fd00::1]/"} {
		target = to
		if _, err := Get(t.Context(), c, at, nil, &v); err == nil {
			t.Errorf("the redirect to %s was followed", to)
		}
	}
	if _, err := Get(t.Context(), c, at+"/loop", nil, &v); err == nil || hops != maxRedirects+1 {
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
	if _, err := Get(t.Context(), New(Options{Loopback: true, MaxBody: 107}), at, nil, &v); err == nil || err.Error() != "the response has more than 107 bytes" {
		t.Errorf("got %v", err)
	}
	if _, err := Get(t.Context(), New(Options{Loopback: true, MaxBody: 108}), at, nil, &v); err != nil || len(v.A) != 100 {
		t.Errorf("a body of just the size allowed: %v", err)
	}
}

// An error never has the query of its URL, which may be secret.
func TestErrorsWithoutQuery(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var v struct{}
	_, err := Get(ctx, New(Options{}), "https://example.com/a?code=secret", nil, &v)
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
		{200, "image/svg+json", `{}`, "content type", 0},
		{200, "application/xml", `{}`, "content type", 0},
		{200, "application/json; charset", `{}`, "content type", 0},
		{199 + 100, "application/json", `{}`, "", 0},
		{200, "application/json", `{"a":[{"b":1,"b":2}]}`, "duplicate", 0},
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
		_, err := PostForm(t.Context(), New(Options{Loopback: true}), at, nil, url.Values{}, &v)
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

// What need not be there is not there if the server says so, or sends a web page. Whether it is there is not known if the server
// fails, is busy, or sends something wrong.
func TestTry(t *testing.T) {
	for _, test := range []struct {
		status    int
		typ, body string
		found     bool
		err       string // a part of it
	}{
		{200, "application/json", `{"a":1}`, true, ""},
		{404, "application/json", `{}`, false, ""},
		{499, "text/html", ``, false, ""},
		{429, "text/html", ``, false, "status 429"},
		{500, "text/html", ``, false, "status 500"},
		{200, "text/html", `<html>`, false, ""},
		{200, "application/json", `<html>`, false, "JSON object"},
	} {
		at := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-A") != "b" || r.Header.Get("Accept") == "" {
				t.Errorf("got the header %v", r.Header)
			}
			w.Header().Set("Content-Type", test.typ)
			w.WriteHeader(test.status)
			io.WriteString(w, test.body)
		})
		var v map[string]json.RawMessage
		found, err := Try(t.Context(), New(Options{Loopback: true}), at, http.Header{"X-A": {"b"}}, &v)
		if found != test.found || found != (string(v["a"]) == "1") || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%d %s: got %t, %s and %v", test.status, test.typ, found, v, err)
		}
	}
	for _, at := range []string{"http://127.0.0.1:1/", "http://a b/"} {
		if found, err := Try(t.Context(), New(Options{Loopback: true}), at, nil, &struct{}{}); found || err == nil {
			t.Errorf("%s: got %t and %v", at, found, err)
		}
	}
}

// A request says what it sends and what it accepts, unless its header does.
func TestRequests(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := json.Marshal(map[string]string{"type": r.Header.Get("Content-Type"), "accept": r.Header.Get("Accept"), "a": r.Header.Get("X-A"), "b": r.FormValue("b")})
		object(w, string(text))
	})
	const form, plain = "application/x-www-form-urlencoded", "application/json"
	own := http.Header{"X-A": {"a"}, "Accept": {"application/jwt"}}
	for _, test := range []struct {
		header http.Header
		want   map[string]string
	}{
		{nil, map[string]string{"type": form, "accept": plain, "a": "", "b": "1"}},
		{own, map[string]string{"type": form, "accept": "application/jwt", "a": "a", "b": "1"}},
	} {
		var got map[string]string
		if _, err := PostForm(t.Context(), New(Options{Loopback: true}), at, test.header, url.Values{"b": {"1"}}, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Error(diff)
		}
	}
	if len(own) != 2 {
		t.Errorf("the caller's header became %v", own)
	}
}

// Whoever sends a request that may not be sent gets its body closed all the same, as an http.RoundTripper must.
func TestBodyOfRefused(t *testing.T) {
	body := &closer{Reader: strings.NewReader("a")}
	r, err := http.NewRequest(http.MethodPost, "https://10.0.0.1:0/", body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{}).Do(r); err == nil || !body.closed {
		t.Errorf("got %v, closed %t", err, body.closed)
	}
	if _, err := New(Options{}).Get("https://10.0.0.1:0/"); err == nil {
		t.Error("the port 0 was reached")
	}
}

type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error {
	c.closed = true
	return nil
}

// A server that sends nothing, or not to the end, fails the request.
func TestTimeout(t *testing.T) {
	for name, own := range map[string]time.Duration{"the default": 0, "an option": time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var v struct{}
				_, err := Get(t.Context(), New(Options{Base: silent{}, Timeout: own}), "https://a.example/", nil, &v)
				if want := max(own, 15*time.Second); err == nil || time.Since(begun) != want {
					t.Errorf("got %v after %s, want an error after %s", err, time.Since(begun), want)
				}
			})
		})
	}
	c := New(Options{Base: silent{}})
	if _, err := Get(t.Context(), c, "://", nil, nil); err == nil {
		t.Error("no URL")
	}
	if _, err := PostForm(t.Context(), c, "://", nil, nil, nil); err == nil {
		t.Error("no URL")
	}
}

// silent has servers that never respond.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestDecode(t *testing.T) {
	var v struct{ A, Z, B1 string }
	if err := Decode([]byte(`{"a":"1","A":"2","Z":"3","z{":1,"@":2,"[":3}`), &v); err != nil || v.A != "1" || v.Z != "" {
		t.Errorf("got %+v and %v", v, err)
	}
	v.A = ""
	if err := Decode([]byte(`{"A":"1","b1":"2"}`), &v); err != nil || v.A != "" || v.B1 != "2" {
		t.Errorf("got %+v and %v", v, err)
	}
	if err := Decode([]byte(`{"a":1}`), &v); err == nil {
		t.Error("a number is a string")
	}
	if err := Decode([]byte(`{"a":[{"b":{"c":1,"c":2}}]}`), &v); err == nil {
		t.Error("a duplicate is none")
	}
}
