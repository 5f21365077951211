package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/internal/again"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

const testMetadataURL = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"

// newSecured returns a resource server and a key that its authorization server has.
func newSecured(t testing.TB, changes ...func(*Options)) (*ResourceServer, *testKey) {
	t.Helper()
	s, k := newTestServer(), newTestKey(t, "1")
	s.keys = []jose.JSONWebKey{k.public()}
	return newTestResource(t, s, changes...), k
}

func requires(scopes ...string) func(*Options) {
	return func(o *Options) { o.RequiredScopes = scopes }
}

// REQ AUTH-06, AUTH03-01, AUTH06-02, AUTH11-01, AUTH11-11, HTTP-05
func TestRequestWithoutToken(t *testing.T) {
	rs, _ := newSecured(t, requires("read", "write"))
	for name, r := range map[string]*http.Request{"nothing": post(), "another scheme": post("Basic YTpi"), "a scheme alone": post("Negotiate")} {
		resp := ask(rs, r)
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: status %d, want 401", name, resp.StatusCode)
		}
		// RFC 6750 section 3.1: no error code where there was no token.
		want := Challenge{Scheme: "Bearer", Params: map[string]string{"resource_metadata": testMetadataURL, "scope": "read write"}}
		if diff := cmp.Diff(want, challengeOf(t, resp)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := resp.Header.Get("Access-Control-Expose-Headers"); got != "WWW-Authenticate" {
			t.Errorf("%s: pages may read %q", name, got)
		}
		if bodyOf(t, resp) != `{"jsonrpc":"2.0"}` || resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the response has the header %s", name, resp.Header)
		}
	}
	// Required scopes come before those that are supported, which are asked for without any.
	rs, _ = newSecured(t, requires("read"), func(o *Options) { o.ScopesSupported = []string{"basic"} })
	if got := challengeOf(t, ask(rs, post())).Params["scope"]; got != "read" {
		t.Errorf("got the scope %q", got)
	}
	rs, _ = newSecured(t, func(o *Options) { o.ScopesSupported = []string{"basic"} })
	if got := challengeOf(t, ask(rs, post())).Params["scope"]; got != "basic" {
		t.Errorf("got the scope %q", got)
	}
	rs, _ = newSecured(t)
	if got, ok := challengeOf(t, ask(rs, post())).Params["scope"]; ok {
		t.Errorf("got the scope %q", got)
	}
}

// REQ AUTH-06, HTTP-05
func TestRequestWithInvalidToken(t *testing.T) {
	rs, k := newSecured(t, requires("read"))
	for name, test := range map[string]struct{ token, description string }{
		"garbage":            {"abc", "not a JWT"},
		"expired":            {k.sign(t, change{"exp": time.Now().Unix() - 3600}), "the token is expired"},
		"another resource":   {k.sign(t, change{"aud": "https://other.example.com"}), "the token is for another resource"},
		"a type with quotes": {k.sign(t, change{"header typ": "a\", x=\"b\r\nX-Evil: 1é~\\"}), "a?, x=?b??X-Evil: 1?~?"},
		"nobody":             {k.sign(t, change{"sub": nil, "client_id": nil}), "neither a subject nor a client"},
	} {
		resp := ask(rs, post("Bearer "+test.token))
		c := challengeOf(t, resp)
		if resp.StatusCode != http.StatusUnauthorized || c.Params["error"] != "invalid_token" || c.Params["scope"] != "read" || c.Params["resource_metadata"] != testMetadataURL {
			t.Errorf("%s: status %d, %s", name, resp.StatusCode, c)
		}
		if d := c.Params["error_description"]; !strings.Contains(d, test.description) || strings.Contains(d, test.token) {
			t.Errorf("%s: got the description %q", name, d)
		}
		if resp.Header.Get("X-Evil") != "" {
			t.Errorf("%s: a header was injected", name)
		}
	}
}

// REQ AUTH-06
func TestMalformedRequest(t *testing.T) {
	rs, k := newSecured(t, func(o *Options) { o.AllowAnonymous = true })
	token := k.sign(t)
	query := httptest.NewRequest("POST", testResource+"?access_token="+token, nil)
	both := httptest.NewRequest("POST", testResource+"?access_token=x", nil)
	both.Header.Set("Authorization", "Bearer "+token)
	escaped := httptest.NewRequest("POST", testResource, nil)
	escaped.URL.RawQuery = "a=%zz&access_token=x"
	invalidValue := httptest.NewRequest("POST", testResource, nil)
	invalidValue.URL.RawQuery = "access_token=%zz"
	for name, r := range map[string]*http.Request{
		"in the query":              query,
		"in the query and a header": both,
		"in an invalid query":       escaped,
		"an invalid value":          invalidValue,
		"two headers":               post("Bearer "+token, "Bearer "+token),
		"two schemes":               post("Bearer "+token, "Basic YTpi"),
		"two tokens":                post("Bearer " + token + " " + token),
		"two with a comma":          post("Bearer " + token + ", Bearer " + token),
		"no token":                  post("Bearer"),
		"an empty token":            post("Bearer  "),
		"quotes":                    post(`Bearer "` + token + `"`),
		"a control character":       post("Bearer a\x00b"),
		"no scheme":                 post("=" + token),
		"an empty header":           post(""),
		"a tab":                     post("Bearer\t" + token),
	} {
		resp := ask(rs, r)
		if c := challengeOf(t, resp); resp.StatusCode != http.StatusBadRequest || c.Params["error"] != "invalid_request" || c.Params["resource_metadata"] == "" {
			t.Errorf("%s: status %d, %s", name, resp.StatusCode, c)
		}
	}
	for name, r := range map[string]*http.Request{
		"lower case": post("bearer " + token), "upper case": post("BEARER " + token), "more space": post("  Bearer   " + token + " "),
	} {
		if resp := ask(rs, r); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", name, resp.StatusCode)
		}
	}
}

// A machine has no subject but its client.
func TestTokenOfAMachine(t *testing.T) {
	rs, k := newSecured(t)
	identity, err := rs.Authorize(post("Bearer " + k.sign(t, change{"sub": nil})))
	if err != nil || identity.Principal() != testIssuer+"?client_id=cli" {
		t.Errorf("got %v and %v", identity, err)
	}
}

// All scopes of an operation are in one challenge, whichever are missing, and a broad one covers narrow ones.
//
// REQ AUTH-06, AUTH11-14, AUTH26-09, SEC-18
func TestInsufficientScope(t *testing.T) {
	rs, k := newSecured(t, requires("read"), func(o *Options) {
		o.Covers = func(granted, wanted string) bool { return strings.HasPrefix(wanted, granted+":") }
	})
	token := "Bearer " + k.sign(t)
	resp := ask(rs, post(token), "write", "files:delete", "write", "admin")
	want := Challenge{Scheme: "Bearer", Params: map[string]string{
		"resource_metadata": testMetadataURL, "scope": "write files:delete admin",
		"error": "insufficient_scope", "error_description": "the token lacks a required scope",
	}}
	if diff := cmp.Diff(want, challengeOf(t, resp)); resp.StatusCode != http.StatusForbidden || diff != "" {
		t.Errorf("status %d %s", resp.StatusCode, diff)
	}
	for _, granted := range []string{"read write files admin", "admin files:delete write read"} {
		if resp := ask(rs, post("Bearer "+k.sign(t, change{"scope": granted})), "write", "files:delete", "admin"); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", granted, resp.StatusCode)
		}
	}
	if resp := ask(rs, post("Bearer "+k.sign(t, change{"scope": "read file files:delet"})), "files:delete"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a narrower scope: status %d", resp.StatusCode)
	}
	// Those that every request needs are checked first.
	var lacking *transport.ScopeError
	_, err := rs.Authorize(post("Bearer " + k.sign(t, change{"scope": "write"})))
	if !errors.As(err, &lacking) || strings.Join(lacking.Scopes, " ") != "read" || strings.Join(lacking.Missing, " ") != "read" {
		t.Errorf("got %v", err)
	}
	resp = ask(rs, post("Bearer "+k.sign(t, change{"scope": "write"})), "write")
	if c := challengeOf(t, resp); resp.StatusCode != http.StatusForbidden || c.Params["scope"] != "read" {
		t.Errorf("status %d, %s", resp.StatusCode, c)
	}
}

// REQ AUTH26-11
func TestOfflineAccessIsNoScopeOfAResource(t *testing.T) {
	rs, k := newSecured(t, requires("offline_access"), func(o *Options) { o.ScopesSupported = []string{"read", "offline_access"} })
	if diff := cmp.Diff([]string{"read"}, rs.Metadata().ScopesSupported); diff != "" {
		t.Error(diff)
	}
	for _, resp := range []*http.Response{ask(rs, post()), ask(rs, post("Bearer "+k.sign(t)), "offline_access")} {
		if c := challengeOf(t, resp); strings.Contains(c.String(), "offline_access") {
			t.Errorf("status %d: %s", resp.StatusCode, c)
		}
	}
}

// No scope, whoever has chosen it, becomes a header or a parameter.
func TestHeaderInjectionThroughScopes(t *testing.T) {
	rs, k := newSecured(t)
	resp := ask(rs, post("Bearer "+k.sign(t)), "repo:~a", "x\r\nX-Evil: 1", `y", error="z`, "a b", "é", "", "back\\slash", "repo:b")
	if got := challengeOf(t, resp).Params["scope"]; got != "repo:~a repo:b" || resp.Header.Get("X-Evil") != "" {
		t.Errorf("got the scope %q and the header %s", got, resp.Header)
	}
}

func TestAnonymous(t *testing.T) {
	rs, k := newSecured(t, requires("read"), func(o *Options) { o.AllowAnonymous = true })
	if identity, err := rs.Authorize(post()); identity != nil || err != nil {
		t.Errorf("got %v and %v, want nobody", identity, err)
	}
	// Nobody can get a scope without a token, so the status is 401 and there is no error code.
	resp := ask(rs, post(), "write")
	want := Challenge{Scheme: "Bearer", Params: map[string]string{"resource_metadata": testMetadataURL, "scope": "read write"}}
	if diff := cmp.Diff(want, challengeOf(t, resp)); resp.StatusCode != http.StatusUnauthorized || diff != "" {
		t.Errorf("status %d %s", resp.StatusCode, diff)
	}
	for authorization, status := range map[string]int{"Bearer abc": 401, "Basic YTpi": 401, "Bearer " + k.sign(t): 200} {
		if resp := ask(rs, post(authorization)); resp.StatusCode != status {
			t.Errorf("%s: got %d, want %d", authorization, resp.StatusCode, status)
		}
	}
}

// bound binds a token to a key.
var bound = change{"cnf": map[string]any{"jkt": "abc"}}

// A token that is bound to a key is of no use to a server that does not verify proofs.
func TestBoundTokenWithoutProofs(t *testing.T) {
	rs, k := newSecured(t)
	for authorization, code := range map[string]string{"Bearer " + k.sign(t, bound): "invalid_token", "DPoP " + k.sign(t, bound): "", "DPoP " + k.sign(t): ""} {
		r := post(authorization)
		r.Header.Set("DPoP", "a.b.c")
		resp := ask(rs, r)
		if c := challengeOf(t, resp); resp.StatusCode != http.StatusUnauthorized || c.Scheme != "Bearer" || c.Params["error"] != code {
			t.Errorf("status %d, %s", resp.StatusCode, c)
		}
	}
}

// A request with an open stream is refused for good only if its token is.
func TestRefusalOfOpenStream(t *testing.T) {
	s, k := newTestServer(), newTestKey(t, "1")
	s.down = true
	for authorization, want := range map[string]bool{"Bearer " + k.sign(t): true, "Bearer abc": false} {
		_, err := newTestResource(t, s).Authorize(post(authorization).WithContext(again.With(t.Context())))
		if temporary, ok := err.(interface{ Temporary() bool }); !ok || temporary.Temporary() != want {
			t.Errorf("got %v, want it temporary: %v", err, want)
		}
	}
}

// What handlers may log says what was wrong.
func TestErrors(t *testing.T) {
	s, k := newTestServer(), newTestKey(t, "1")
	rs := newTestResource(t, s)
	s.keys = []jose.JSONWebKey{k.public()}
	down := newTestServer()
	down.down = true
	for name, test := range map[string]struct {
		rs   *ResourceServer
		r    *http.Request
		want string
	}{
		"no token":      {rs, post(), "auth: the request has no access token"},
		"malformed":     {rs, post("Bearer a b"), "auth: the header Authorization is malformed: want one token after the scheme"},
		"invalid token": {rs, post("Bearer abc"), "auth: the token is not a JWT: want three parts in base64url"},
		"a bound token": {rs, post("Bearer " + k.sign(t, bound)), "auth: the token is bound to a key in a way that is not supported"},
		"down":          {newTestResource(t, down), post("Bearer " + k.sign(t)), "auth: the access token cannot be verified now"},
	} {
		if _, err := test.rs.Authorize(test.r); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

// An error of another authorizer says nothing about the token.
func TestRefuseUnknownError(t *testing.T) {
	var out bytes.Buffer
	rs, _ := newSecured(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&out, nil)) })
	for _, method := range []string{"POST", "HEAD"} {
		r, w := post(), httptest.NewRecorder()
		r.Method = method
		rs.Refuse(w, r, errors.New("no database"), []byte("{}"))
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("WWW-Authenticate") != "" || (w.Body.Len() > 0) != (method == "POST") {
			t.Errorf("%s: status %d, %s, %q", method, w.Code, w.Header(), w.Body)
		}
	}
	if !strings.Contains(out.String(), "no database") {
		t.Errorf("the log is %q", out.String())
	}
	out.Reset()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	rs.Refuse(w, post().WithContext(ctx), context.Canceled, nil)
	if out.Len() > 0 || w.Body.Len() > 0 || w.Header().Get("Content-Type") != "" {
		t.Errorf("a client that has gone: %q, %s, %q", out.String(), w.Header(), w.Body)
	}
}

// A token is for this resource whoever has verified it, and names somebody.
//
// REQ AUTH06-06, SEC-02
func TestVerifierOfOnesOwn(t *testing.T) {
	var token *Token
	var failure error
	var out bytes.Buffer
	rs, _ := newSecured(t, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&out, nil))
		o.Verifier = VerifierFunc(func(context.Context, string) (*Token, error) { return token, failure })
	})
	for name, test := range map[string]struct {
		token  *Token
		err    error
		status int
	}{
		"valid":             {&Token{Subject: "key 1", Audience: []string{testResource}}, nil, 200},
		"another audience":  {&Token{Subject: "key 1", Audience: []string{"https://other.example.com"}}, nil, 401},
		"no audience":       {&Token{Subject: "key 1"}, nil, 401},
		"nobody":            {&Token{Audience: []string{testResource}}, nil, 401},
		"expired":           {&Token{Subject: "key 1", Audience: []string{testResource}, Expiry: time.Now()}, nil, 401},
		"an issuer with #":  {&Token{Issuer: "a#b", Subject: "c", Audience: []string{testResource}}, nil, 503},
		"an issuer with ?":  {&Token{Issuer: "a?client_id=b", Subject: "c", Audience: []string{testResource}}, nil, 503},
		"nothing":           {nil, nil, 503},
		"an error":          {nil, errors.New("database: token abc"), 503},
		"an invalid token":  {nil, &InvalidTokenError{Reason: "unknown key"}, 401},
		"a wrapped invalid": {nil, errors.Join(errors.New("x"), &InvalidTokenError{Reason: "unknown key abc"}), 401},
	} {
		token, failure = test.token, test.err
		resp := ask(rs, post("Bearer abc"))
		if resp.StatusCode != test.status {
			t.Errorf("%s: status %d, want %d", name, resp.StatusCode, test.status)
		}
		if test.status == 503 && (resp.Header.Get("Retry-After") == "" || resp.Header.Get("WWW-Authenticate") != "") {
			t.Errorf("%s: %s", name, resp.Header)
		}
		if strings.Contains(bodyOf(t, resp)+resp.Header.Get("WWW-Authenticate"), "abc") {
			t.Errorf("%s: the response has the token", name)
		}
	}
	if !strings.Contains(out.String(), "database: token …") || strings.Contains(out.String(), "abc") {
		t.Errorf("the log has the token: %s", out.String())
	}
}

// While tokens cannot be verified, the log does not grow with every request.
func TestFailuresAreLoggedSometimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := newTestServer()
		s.down = true
		rs := newTestResource(t, s, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&out, nil)) })
		r := post("Bearer " + newTestKey(t, "1").sign(t))
		for range 100 {
			if resp := ask(rs, r); resp.StatusCode != http.StatusServiceUnavailable {
				t.Fatalf("status %d", resp.StatusCode)
			}
		}
		if n := strings.Count(out.String(), "cannot be verified"); n != 10 {
			t.Errorf("logged %d times, want 10", n)
		}
		time.Sleep(time.Second)
		ask(rs, r)
		if n := strings.Count(out.String(), "cannot be verified"); n != 11 {
			t.Errorf("logged %d times, want 11", n)
		}
	})
}

// REQ AUTH06-01, AUTH11-01
func TestMetadata(t *testing.T) {
	rs, _ := newSecured(t, requires("read"), func(o *Options) {
		o.Resource = "HTTPS://MCP.example.com:443/mcp"
		o.Name = "Notes"
	})
	mux := http.NewServeMux()
	rs.Register(mux)
	want := `{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://as.example"],"scopes_supported":["read"],` +
		`"resource_name":"Notes","bearer_methods_supported":["header"]}`
	for _, test := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/.well-known/oauth-protected-resource/mcp", 200, want},
		{"GET", "/.well-known/oauth-protected-resource", 200, want},
		{"HEAD", "/.well-known/oauth-protected-resource/mcp", 200, want}, // net/http does not send it
		{"OPTIONS", "/.well-known/oauth-protected-resource/mcp", 204, ""},
		{"POST", "/.well-known/oauth-protected-resource/mcp", 405, "Method Not Allowed\n"},
		{"GET", "/.well-known/oauth-protected-resource/other", 404, "404 page not found\n"},
	} {
		r := httptest.NewRequest(test.method, "https://mcp.example.com"+test.path, nil)
		r.Header.Set("Origin", "https://page.example")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if w.Code != test.status || w.Body.String() != test.body {
			t.Errorf("%s %s: status %d, %s", test.method, test.path, w.Code, w.Body)
		}
		if test.status != 404 && w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s %s: pages may not read it", test.method, test.path)
		}
		for name, value := range map[string]map[string]string{
			"GET":     {"Content-Type": "application/json", "Cache-Control": "public, max-age=3600"},
			"OPTIONS": {"Access-Control-Max-Age": "86400"},
			"POST":    {"Allow": "GET, HEAD, OPTIONS"},
		}[test.method] {
			if got := w.Header().Get(name); test.status != 404 && got != value {
				t.Errorf("%s %s: %s is %q, want %q", test.method, test.path, name, got, value)
			}
		}
		if test.method == "OPTIONS" && (!strings.Contains(w.Header().Get("Access-Control-Allow-Methods"), "GET") || w.Header().Get("Access-Control-Allow-Headers") != "*") {
			t.Errorf("the preflight has the header %s", w.Header())
		}
	}
	var decoded ProtectedResourceMetadata
	if err := json.Unmarshal([]byte(want), &decoded); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&decoded, rs.Metadata()); diff != "" || rs.metadataURL != testMetadataURL {
		t.Errorf("%s: %s", rs.metadataURL, diff)
	}
	// Whatever the path is, it is no pattern.
	for path, other := range map[string]string{"/mcp/": "/mcp/x", "/a%20b/{x}": "/a%20b/y", "/a%2Fb": "/a/b"} {
		rs, _ := newSecured(t, func(o *Options) { o.Resource = "https://mcp.example.com" + path })
		mux := http.NewServeMux()
		rs.Register(mux)
		for path, status := range map[string]int{path: 200, other: 404} {
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, httptest.NewRequest("GET", "https://mcp.example.com/.well-known/oauth-protected-resource"+path, nil))
			if w.Code != status {
				t.Errorf("%s: status %d, want %d", path, w.Code, status)
			}
		}
	}
	// At the root, both paths are one.
	root, _ := newSecured(t, func(o *Options) { o.Resource = "https://mcp.example.com/"; o.Verifier = nil })
	root.Register(http.NewServeMux())
	if root.metadataURL != "https://mcp.example.com/.well-known/oauth-protected-resource" {
		t.Errorf("got %s", root.metadataURL)
	}
}

func TestInvalidOptions(t *testing.T) {
	valid := Options{Resource: testResource, AuthorizationServers: []string{testIssuer}}
	for name, change := range map[string]func(*Options){
		"no resource":             func(o *Options) { o.Resource = "" },
		"http":                    func(o *Options) { o.Resource = "http://mcp.example.com/mcp" },
		"a fragment":              func(o *Options) { o.Resource += "#x" },
		"no authorization server": func(o *Options) { o.AuthorizationServers = nil },
		"a server by http":        func(o *Options) { o.AuthorizationServers = []string{"http://as.example"} },
		"an empty audience":       func(o *Options) { o.Audiences = []string{""} },
		"a scope with a space":    func(o *Options) { o.RequiredScopes = []string{"a b"} },
		"a supported scope":       func(o *Options) { o.ScopesSupported = []string{"a\r\n"} },
	} {
		opts := valid
		change(&opts)
		if _, err := NewResourceServer(&opts); err == nil {
			t.Errorf("%s: no error", name)
		}
		// The verifier of one's own changes nothing of that.
		opts.Verifier = VerifierFunc(nil)
		if _, err := NewResourceServer(&opts); err == nil || !strings.HasPrefix(err.Error(), "auth: ") {
			t.Errorf("%s, with a verifier: %v", name, err)
		}
	}
	if _, err := NewResourceServer(nil); err == nil {
		t.Error("nothing: no error")
	}
	local := Options{Resource: "http://localhost:8080/mcp", AuthorizationServers: []string{"http://127.0.0.1:9000"}}
	if _, err := NewResourceServer(&local); err != nil {
		t.Error(err)
	}
}

// Who lacks scopes is logged, and no log has a token.
//
// REQ SEC-18
func TestElevationsAreLogged(t *testing.T) {
	var out bytes.Buffer
	rs, k := newSecured(t, func(o *Options) { o.Logger = slog.New(slog.NewJSONHandler(&out, nil)) })
	token := k.sign(t)
	ask(rs, post("Bearer "+token), "admin")
	for _, want := range []string{testIssuer + "#alice", `"scopes":["admin"]`, `"missing":["admin"]`, `"client":"cli"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in %s", want, out.String())
		}
	}
	if strings.Contains(out.String(), token) || strings.Contains(out.String(), strings.Split(token, ".")[1]) {
		t.Errorf("the log has the token: %s", out.String())
	}
}
