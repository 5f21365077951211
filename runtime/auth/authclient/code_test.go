package authclient

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// The requests of a login have what OAuth 2.1 wants.
//
// REQ AUTH-07, AUTH06-05, AUTH11-05, AUTH26-06, AUTH26-10
func TestCodeFlow(t *testing.T) {
	w, _, as := newWorld(t)
	welcome(t, newTransport(t, w, as, &Options{Grant: &AuthorizationCode{ClientName: "test", ClientURI: "https://app.example", RedirectURI: redirectURL, Authorize: as.authorize}}))
	q, f, m := as.logins[0], as.tokens[0], as.clients[0]
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "client-1-of-https://as.example", "redirect_uri": redirectURL,
		"resource": resourceURL, "code_challenge_method": "S256",
	} {
		if got := q[name]; !slices.Equal(got, []string{want}) {
			t.Errorf("authorization request: %s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"grant_type": "authorization_code", "client_id": "client-1-of-https://as.example", "redirect_uri": redirectURL,
		"resource": resourceURL, "code": "secretcode1",
	} {
		if got := f[name]; !slices.Equal(got, []string{want}) {
			t.Errorf("token request: %s is %q, want %q", name, got, want)
		}
	}
	if n := len(q.Get("state")); n < 22 {
		t.Errorf("the state has %d characters", n)
	}
	if n := len(f.Get("code_verifier")); n < 43 {
		t.Errorf("the verifier has %d characters", n)
	}
	if m["application_type"] != "web" || m["client_name"] != "test" || m["client_uri"] != "https://app.example" || len(m["grant_types"].([]any)) != 2 || m["token_endpoint_auth_method"] != "none" {
		t.Errorf("registration: %v", m)
	}
}

// REQ AUTH11-05
func TestPKCEDowngrade(t *testing.T) {
	for _, methods := range [][]string{nil, {}, {"plain"}, {"s256"}} {
		w, _, as := newWorld(t)
		as.meta["code_challenge_methods_supported"] = methods
		refused(t, newTransport(t, w, as, nil), "want S256")
		if len(as.logins)+len(as.clients) > 0 {
			t.Errorf("%q: the client went on", methods)
		}
	}
}

// A response that does not come from the server that the user was sent to is not used, and nothing of it is shown.
//
// REQ AUTH-10, AUTH26-02, AUTH26-04, AUTH26-05
func TestAuthorizationResponse(t *testing.T) {
	for _, tt := range []struct {
		name       string
		advertised bool
		change     func(q url.Values)
		want       string // the error, empty if there is none
	}{
		{"right", true, func(q url.Values) {}, ""},
		{"no iss, none advertised", false, func(q url.Values) {}, ""},
		{"iss, none advertised", false, func(q url.Values) { q.Set("iss", issuerURL) }, ""},
		{"no iss", true, func(q url.Values) { q.Del("iss") }, "does not say that it comes from"},
		{"empty iss", true, func(q url.Values) { q.Set("iss", "") }, `comes from "", want`},
		{"mix-up", true, func(q url.Values) { q.Set("iss", "https://evil.example") }, `comes from "https://evil.example", want`},
		{"mix-up, none advertised", false, func(q url.Values) { q.Set("iss", "https://evil.example") }, `comes from "https://evil.example", want`},
		{"iss with a slash", true, func(q url.Values) { q.Set("iss", issuerURL+"/") }, `comes from "https://as.example/", want`},
		{"iss in upper case", true, func(q url.Values) { q.Set("iss", "https://AS.example") }, "comes from"},
		{"iss with a port", true, func(q url.Values) { q.Set("iss", issuerURL+":443") }, "comes from"},
		{"iss encoded", true, func(q url.Values) { q.Set("iss", "https://as%2Eexample") }, "comes from"},
		{"two iss", true, func(q url.Values) { q.Add("iss", "https://evil.example") }, "iss more than once"},
		{"code injection: two codes", true, func(q url.Values) { q.Add("code", "secretinjected") }, "code more than once"},
		{"code injection: of another login", true, func(q url.Values) { q.Set("code", "secretinjected") }, `error "invalid_grant"`},
		{"wrong state", true, func(q url.Values) { q.Set("state", "other") }, "not that of the request"},
		{"no state", true, func(q url.Values) { q.Del("state") }, "not that of the request"},
		{"two states", true, func(q url.Values) { q.Add("state", "other") }, "state more than once"},
		{"no code", true, func(q url.Values) { q.Del("code") }, "has no code"},
		{"error", true, func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
			q.Set("error_description", "shown text")
		}, `error "access_denied": "shown text"`},
		{"error of another server", true, func(q url.Values) {
			q.Set("iss", "https://evil.example")
			q.Set("error", "hidden")
			q.Set("error_description", "hidden")
		}, "comes from"},
		{"error without iss", true, func(q url.Values) {
			q.Del("iss")
			q.Set("error", "hidden")
			q.Set("error_description", "hidden")
		}, "does not say that it comes from"},
		{"error with another state", true, func(q url.Values) {
			q.Set("state", "other")
			q.Set("error", "hidden")
		}, "not that of the request"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, _, as := newWorld(t)
			as.meta["authorization_response_iss_parameter_supported"] = tt.advertised
			as.respond = tt.change
			tr := newTransport(t, w, as, nil)
			if tt.want == "" {
				welcome(t, tr)
				return
			}
			err := refused(t, tr, tt.want)
			if strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error has what is not to be shown: %v", err)
			}
			if len(as.tokens) > 0 && !strings.Contains(tt.want, "invalid_grant") {
				t.Errorf("the code was sent: %v", as.tokens)
			}
		})
	}
}

// What an authorization server says is an *Error.
func TestError(t *testing.T) {
	w, _, as := newWorld(t)
	as.respond = func(q url.Values) { q.Set("error", "access_denied") }
	e, ok := errors.AsType[*Error](refused(t, newTransport(t, w, as, nil), "access_denied"))
	if !ok || e.Code != "access_denied" || e.Issuer != issuerURL || e.Status != 0 {
		t.Errorf("got %+v", e)
	}
}

func TestErrorText(t *testing.T) {
	const begin = "authclient: the authorization server https://as.example responds with"
	for want, e := range map[string]*Error{
		begin + ` error "a"`:               {Issuer: issuerURL, Code: "a"},
		begin + ` status 503`:              {Issuer: issuerURL, Status: 503},
		begin + ` status 400 error "a"`:    {Issuer: issuerURL, Status: 400, Code: "a"},
		begin + ` error "a\n": "b\x1b[0m"`: {Issuer: issuerURL, Code: "a\n", Description: "b\x1b[0m"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// What a program returns that is no response.
func TestUnreadableResponse(t *testing.T) {
	for back, want := range map[string]string{
		"https://app.example/%zz?code=secret": "the authorization response is not a URL", "https://app.example/?code=secret%zz": "the query of the authorization response is invalid",
		"https://app.example/?code=secret&x=" + strings.Repeat("x", maxResponse): "the authorization response has more than 16384 bytes", "://": "the authorization response is not a URL",
	} {
		w, _, as := newWorld(t)
		refused(t, newTransport(t, w, as, &Options{Grant: &AuthorizationCode{RedirectURI: redirectURL, Authorize: func(context.Context, string) (string, error) {
			return back, nil
		}}}), want)
	}
}

// REQ AUTH11-12, AUTH11-13, AUTH26-10
func TestScopes(t *testing.T) {
	const named = `, resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"`
	for _, tt := range []struct {
		name, challenge    string
		supported, servers []string
		opts               Options
		want               string
	}{
		{"challenge", `Bearer scope="a b"` + named, []string{"c"}, nil, Options{}, "a b"},
		{"supported", `Bearer x=y` + named, []string{"c", "d"}, nil, Options{}, "c d"},
		{"none", `Bearer x=y` + named, nil, nil, Options{}, ""},
		{"own", `Bearer scope="a b"` + named, nil, nil, Options{Scopes: []string{"b", "e"}}, "a b e"},
		{"offline access", `Bearer scope="a"` + named, nil, []string{"a", "offline_access"}, Options{}, "a offline_access"},
		{"offline access, not listed", `Bearer scope="a"` + named, nil, []string{"a"}, Options{}, "a"},
		{"offline access alone would narrow", `Bearer x=y` + named, nil, []string{"offline_access"}, Options{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, rs, as := newWorld(t)
			rs.challenge = tt.challenge
			rs.document["scopes_supported"], as.meta["scopes_supported"] = tt.supported, tt.servers
			if tt.supported == nil {
				delete(rs.document, "scopes_supported")
			}
			welcome(t, newTransport(t, w, as, &tt.opts))
			if got := as.logins[0]["scope"]; strings.Join(got, "|") != tt.want {
				t.Errorf("scope is %q, want %q", got, tt.want)
			}
			if got := as.logins[0].Get("prompt") == "consent"; got != strings.Contains(tt.want, "offline_access") {
				t.Errorf("prompt is %q", as.logins[0].Get("prompt"))
			}
		})
	}
}

func TestUnattended(t *testing.T) {
	w, _, as := newWorld(t)
	tr := newTransport(t, w, as, &Options{Grant: &AuthorizationCode{Open: unattended}})
	if _, err := ask(t, tr); !errors.Is(err, errUnattended) {
		t.Errorf("got %v", err)
	}
}

// A user who does not want to log in is not asked again for each request that is under way.
func TestFailedLoginIsShared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		asked := 0
		declined := errors.New("declined")
		tr := newTransport(t, w, as, &Options{Grant: &AuthorizationCode{RedirectURI: redirectURL, Authorize: func(context.Context, string) (string, error) {
			asked++
			return "", declined
		}}})
		for range 5 {
			if _, err := ask(t, tr); !errors.Is(err, declined) {
				t.Errorf("got %v", err)
			}
		}
		if asked != 1 {
			t.Errorf("the user was asked %d times", asked)
		}
		sleep(failureTime)
		if _, err := ask(t, tr); !errors.Is(err, declined) || asked != 2 {
			t.Errorf("got %v, asked %d times", err, asked)
		}
	})
}

// REQ AUTH-08
func TestRedirectURI(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct {
		uri   string
		hooks bool // the program receives the response
		ok    bool
	}{
		{"https://app.example/callback", true, true},
		{"com.example.app:/callback", true, false}, // without a host
		{"com.example.app://callback", true, true},
		{"http://localhost:3000/callback", true, true},
		{"http://app.example/callback", true, false},
		{"https://app.example/callback#x", true, false},
		{"https://ada@app.example/callback", true, false},
		{"https://app.example/callback", false, false},
		{"http://192.168.0.1/callback", false, false},
		{"callback", true, false},
		{":", true, false},
		{"http://127.0.0.1/callback#x", false, false},
		{"https://127.0.0.1/callback", false, false},
		{"http://" + taken.Addr().String() + "/callback", false, false},
	} {
		w, _, as := newWorld(t)
		g := &AuthorizationCode{RedirectURI: tt.uri, Open: unattended}
		if tt.hooks {
			g.Authorize = as.authorize
		}
		_, err := ask(t, newTransport(t, w, as, &Options{Grant: g}))
		if (err == nil) != tt.ok || err != nil && !strings.Contains(err.Error(), "RedirectURI") {
			t.Errorf("%s: got %v", tt.uri, err)
		}
	}
}
