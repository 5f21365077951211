package authclient

import (
	"net/http"
	"testing"
	"time"
)

// A response demands what its challenges say, as often as it helps.
//
// REQ AUTH11-15, AUTH06-03
func TestJudge(t *testing.T) {
	fresh, refreshed := &token{Requested: []string{"a"}, fresh: true}, &token{Requested: []string{"a"}}
	for name, test := range map[string]struct {
		method    string
		status    int
		challenge string
		before    effort
		tok       *token
		want      bool
	}{
		"no token":                    {"POST", 401, "Bearer", effort{}, nil, true},
		"the end of a session":        {"DELETE", 401, "Bearer", effort{}, nil, false},
		"no nonce was right":          {"POST", 401, `DPoP error="use_dpop_nonce"`, effort{}, nil, false},
		"the second login":            {"POST", 401, "Bearer", effort{logins: 1}, nil, true},
		"the third login":             {"POST", 401, "Bearer", effort{logins: 2}, nil, false},
		"a fresh token":               {"POST", 401, "Bearer", effort{}, fresh, true},
		"a fresh token again":         {"POST", 401, "Bearer", effort{logins: 1}, fresh, false},
		"a refreshed token again":     {"POST", 401, "Bearer", effort{logins: 1}, refreshed, true},
		"more scopes":                 {"POST", 403, `Bearer error="insufficient_scope", scope="a b"`, effort{}, fresh, true},
		"more scopes for nobody":      {"POST", 403, `Bearer error="insufficient_scope", scope="a b"`, effort{}, nil, true},
		"the third step":              {"POST", 403, `Bearer error="insufficient_scope", scope="b"`, effort{stepUps: 2}, fresh, true},
		"the fourth step":             {"POST", 403, `Bearer error="insufficient_scope", scope="b"`, effort{stepUps: 3}, fresh, false},
		"scopes that were asked for":  {"POST", 403, `Bearer error="insufficient_scope", scope="a"`, effort{}, fresh, false},
		"no scopes":                   {"POST", 403, `Bearer error="insufficient_scope"`, effort{}, fresh, false},
		"another error":               {"POST", 403, `Bearer error="invalid_token", scope="b"`, effort{}, fresh, false},
		"a challenge that has no end": {"POST", 403, `Bearer error="insufficient_scope", scope="b", Bearer x="`, effort{}, fresh, false},
		"success":                     {"POST", 200, "Bearer", effort{}, fresh, false},
	} {
		e := test.before
		r := &http.Response{StatusCode: test.status, Request: &http.Request{Method: test.method}, Header: http.Header{"Www-Authenticate": {test.challenge}}}
		if d, got := e.judge(r, test.tok); got != test.want || got && d.stepUp != (test.status == 403) {
			t.Errorf("%s: got %t, %+v", name, got, d)
		}
	}
}

// Demands are the same if they ask for the same token.
func TestSameDemands(t *testing.T) {
	all := []demand{{}, {stepUp: true}, {silent: true}, {dpop: true}, {stepUp: true, silent: true}, {scopes: []string{"a"}}, {scopes: []string{"a", "b"}}}
	for i, x := range all {
		for j, y := range all {
			y.metadata = "https://mcp.example/elsewhere" // which does not matter
			if got := x.same(y); got != (i == j) {
				t.Errorf("%+v and %+v: got %t", x, y, got)
			}
		}
	}
}

// A stored token is worth trying if it is another one, of the same server, for the same resource, that suffices.
func TestUsable(t *testing.T) {
	s := &authServer{issuer: issuerURL, resource: resourceURL}
	stored := func(change func(*token)) *token {
		k := &token{Issuer: issuerURL, Resource: resourceURL, Access: "new", Requested: []string{"a"}, Key: []byte("key"), Expiry: time.Now().Add(time.Hour)}
		change(k)
		return k
	}
	old := &token{Access: "old"}
	d := demand{scopes: []string{"a"}, dpop: true}
	for name, test := range map[string]struct {
		change func(*token)
		old    *token
		d      demand
		want   bool
	}{
		"all":                             {func(*token) {}, old, d, true},
		"no old one":                      {func(*token) {}, nil, d, true},
		"the old one":                     {func(k *token) { k.Access = "old" }, old, d, false},
		"of another server":               {func(k *token) { k.Issuer = "https://other.example" }, old, d, false},
		"for another resource":            {func(k *token) { k.Resource = "https://other.example" }, old, d, false},
		"expired":                         {func(k *token) { k.Expiry = time.Now() }, old, d, false},
		"too few scopes":                  {func(*token) {}, old, demand{scopes: []string{"a", "b"}}, false},
		"without a key":                   {func(k *token) { k.Key = nil }, old, d, false},
		"without a key that nobody wants": {func(k *token) { k.Key = nil }, old, demand{}, true},
	} {
		if got := usable(stored(test.change), test.old, s, test.d); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
	for status, want := range map[int]bool{400: false, 408: true, 429: true, 499: false, 500: true, 503: true} {
		if isBusy(status) != want {
			t.Errorf("status %d is busy: %t", status, !want)
		}
	}
	if !sameEndpoint(":", ":") || sameEndpoint(":", "https://as.example/:") || sameEndpoint("", "") {
		t.Error("what is no URL is compared as a URL")
	}
}
