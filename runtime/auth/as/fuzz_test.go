package as_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// fuzzFixture is a server that keeps little.
func fuzzFixture(f *testing.F) *as.Server {
	opts := options()
	opts.Store = &store.Memory{MaxRecords: 100}
	opts.Clients = append(opts.Clients, as.Client{ID: "evil", RedirectURIs: []string{"https://evil.example/cb"}})
	opts.HTTPClient = &http.Client{Transport: &web{}}
	opts.Logger = slog.New(slog.DiscardHandler)
	s, err := as.New(opts)
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// check reports what no response may be.
func check(t *testing.T, w *httptest.ResponseRecorder, path string) {
	t.Helper()
	for name, values := range w.Result().Header {
		for _, v := range values {
			if strings.ContainsAny(v, "\r\n\x00") {
				t.Errorf("%s: the header %s is %q", path, name, v)
			}
		}
	}
	if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
		t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
	}
	if strings.Contains(w.Body.String(), "<script") {
		t.Errorf("%s: the page has a script: %s", path, w.Body)
	}
}

// FuzzAuthorize sends browsers nowhere but to what a client has registered.
func FuzzAuthorize(f *testing.F) {
	for _, change := range []map[string]string{nil, {"client_id": "desktop", "redirect_uri": "http://127.0.0.1:99/callback"}, {"scope": "x"},
		{"client_id": documentURL}, {"redirect_uri": "https://app.example@evil.example/callback"}, {"redirect_uri": "https://app.example/callback\r\nX: y"}} {
		f.Add(strings.TrimPrefix(authorizationURL(change), "/authorize?"))
	}
	f.Add("client_id=app&client_id=evil&redirect_uri=%zz;a=b")
	s := fuzzFixture(f)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, issuer+"/authorize", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		check(t, w, "/authorize")
		to := w.Header().Get("Location")
		if to == "" {
			return
		}
		u, err := url.Parse(to)
		if err != nil {
			t.Fatalf("Location is %q: %v", to, err)
		}
		switch {
		case u.Scheme == "https" && (u.Host == "app.example" && u.Path == "/callback" || u.Host == "web.example" && u.Path == "/cb" || u.Host == "evil.example" && u.Path == "/cb"):
		case u.Scheme == "http" && (u.Hostname() == "127.0.0.1" && u.Path == "/callback" || u.Hostname() == "localhost" && u.Path == "/cb"):
		default:
			t.Errorf("the browser goes to %q", to)
		}
		if q := u.Query(); q.Get("error") == "" || q.Get("code") != "" || len(q["iss"]) != 1 || len(q["state"]) > 1 {
			t.Errorf("the client receives %v", u.Query())
		}
	})
}

// FuzzToken gives no tokens to anybody.
func FuzzToken(f *testing.F) {
	f.Add(codeForm("a.b", nil).Encode(), "")
	f.Add(refreshForm("a.b").Encode(), "Basic d2ViOng=")
	f.Add("grant_type=client_credentials&client_id=machine&client_secret=x", "")
	f.Add("grant_type=client_credentials&client_assertion=a.b.c&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer", "")
	f.Add("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=eyJhbGciOiJub25lIn0.e30.", "Basic \r\n")
	s := fuzzFixture(f)
	f.Fuzz(func(t *testing.T, body, authorization string) {
		for _, path := range []string{"/token", "/revoke"} {
			r := httptest.NewRequest(http.MethodPost, issuer+path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if authorization != "" {
				r.Header["Authorization"] = []string{authorization}
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			check(t, w, path)
			if strings.Contains(w.Body.String(), "access_token") {
				t.Errorf("%s: %s", path, w.Body)
			}
		}
	})
}

// FuzzRegister lets only those redirect URIs in that a browser can be sent to.
func FuzzRegister(f *testing.F) {
	for _, body := range []string{`{"redirect_uris":["https://a.example/cb"]}`, document, `{"redirect_uris":["http://[::1]:1/"],"application_type":"native"}`,
		`{"redirect_uris":["javascript:x"]}`, `{"redirect_uris":["https://a.example/cb"],"jwks":{"keys":[{"kty":"EC"}]},"token_endpoint_auth_method":"private_key_jwt"}`, `[`} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		opts := options()
		opts.Logger = slog.New(slog.DiscardHandler)
		s, err := as.New(opts)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, issuer+"/register", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		check(t, w, "/register")
		if w.Code != http.StatusCreated {
			return
		}
		var registered struct {
			RedirectURIs []string `json:"redirect_uris"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &registered); err != nil || len(registered.RedirectURIs) == 0 {
			t.Fatalf("%v: %s", err, w.Body)
		}
		for _, uri := range registered.RedirectURIs {
			u, err := url.Parse(uri)
			if err != nil || u.Host == "" || u.User != nil || strings.Contains(uri, "#") || u.Scheme != "https" &&
				(u.Scheme != "http" || u.Hostname() != "localhost" && u.Hostname() != "::1" && !strings.HasPrefix(u.Hostname(), "127.")) {
				t.Errorf("registered: %q", uri)
			}
		}
	})
}
