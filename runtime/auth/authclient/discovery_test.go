package authclient

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

const (
	atPath = "GET https://mcp.example/.well-known/oauth-protected-resource/mcp"
	atRoot = "GET https://mcp.example/.well-known/oauth-protected-resource"
	atAS   = "GET https://as.example/.well-known/oauth-authorization-server"
	login  = "\nPOST https://as.example/register\nPOST https://as.example/token"
)

// REQ AUTH06-03, AUTH11-02, AUTH-05
func TestResourceMetadata(t *testing.T) {
	for _, tt := range []struct {
		name, challenge, at string
		took                string
	}{
		{"named", `Bearer resource_metadata="https://elsewhere.example/m.json"`, "/none", "GET https://elsewhere.example/m.json\n" + atAS + login},
		{"path", "Bearer", "/.well-known/oauth-protected-resource/mcp", atPath + "\n" + atAS + login},
		{"root", "", "/.well-known/oauth-protected-resource", atPath + "\n" + atRoot + "\n" + atAS + login},
		{"several challenges", `Basic realm="a, b", Bearer error="invalid_token", resource_metadata="https://elsewhere.example/m.json"`, "/none",
			"GET https://elsewhere.example/m.json\n" + atAS + login},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, rs, as := newWorld(t)
			rs.challenge, rs.at = tt.challenge, []string{tt.at}
			w.hosts["elsewhere.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { object(w, 200, rs.document) })
			welcome(t, newTransport(t, w, as, nil))
			if got := w.took(); got != tt.took {
				t.Errorf("took\n%s\nwant\n%s", got, tt.took)
			}
		})
	}
}

// What a challenge names is used or nothing is, though there may be metadata elsewhere.
//
// REQ AUTH11-02
func TestNamedMetadataIsMissing(t *testing.T) {
	w, rs, as := newWorld(t)
	rs.challenge, rs.at = `Bearer resource_metadata="https://mcp.example/gone"`, []string{"/.well-known/oauth-protected-resource/mcp"}
	refused(t, newTransport(t, w, as, nil), "the metadata that the challenge of https://mcp.example/mcp names")
	if got, want := w.took(), "GET https://mcp.example/gone"; got != want {
		t.Errorf("took\n%s\nwant\n%s", got, want)
	}
}

// REQ AUTH11-03, AUTH11-04
func TestServerMetadata(t *testing.T) {
	for _, tt := range []struct{ issuer, at string }{
		{"https://as.example", "/.well-known/oauth-authorization-server"},
		{"https://as.example", "/.well-known/openid-configuration"},
		{"https://as.example/t", "/.well-known/oauth-authorization-server/t"},
		{"https://as.example/t", "/.well-known/openid-configuration/t"},
		{"https://as.example/t", "/t/.well-known/openid-configuration"},
	} {
		w, rs, _ := newWorld(t)
		as := w.newIssuer(t, rs, tt.issuer)
		meta := as.meta
		as.meta = nil
		w.hosts["as.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == tt.at {
				object(w, 200, meta)
				return
			}
			as.ServeHTTP(w, r)
		})
		rs.document["authorization_servers"] = []string{tt.issuer}
		as.respond = func(q url.Values) { q.Set("iss", tt.issuer) }
		welcome(t, newTransport(t, w, as, nil))
	}
}

// Metadata of another issuer is not used, though it may be found elsewhere.
//
// REQ AUTH26-01
func TestIssuerMustMatch(t *testing.T) {
	for _, issuer := range []string{"https://evil.example", "https://as.example/", "https://AS.example", "https://as.example:443", ""} {
		w, _, as := newWorld(t)
		as.meta["issuer"] = issuer
		refused(t, newTransport(t, w, as, nil), "want the issuer \"https://as.example\", got")
		if got := w.took(); strings.Contains(got, "POST") {
			t.Errorf("%s: took %s", issuer, got)
		}
	}
}

// REQ AUTH11-03, AUTH11-04
func TestNoServerMetadata(t *testing.T) {
	w, _, as := newWorld(t)
	as.meta = nil
	refused(t, newTransport(t, w, as, nil), "authorization server https://as.example: there is no metadata")
	if got := w.took(); strings.Contains(got, "POST") {
		t.Errorf("default endpoints are of the first revision alone: %s", got)
	}
}

// REQ AUTH03-02, AUTH26-01
func TestIssuerOfFirstRevisionMustMatch(t *testing.T) {
	w, rs, as := newWorld(t)
	rs.at, rs.challenge = nil, ""
	w.hosts["mcp.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/oauth-authorization-server" {
			object(w, 200, as.meta)
			return
		}
		rs.ServeHTTP(w, r)
	})
	refused(t, newTransport(t, w, as, nil), `the metadata of the authorization server at https://mcp.example is that of the issuer "https://as.example"`)
	if len(as.logins) > 0 {
		t.Error("the user was asked to log in")
	}
}

// REQ AUTH06-05
func TestResourceMustMatch(t *testing.T) {
	for resource, ok := range map[string]bool{
		"https://mcp.example/mcp": true, "https://mcp.example": true, "https://mcp.example/": true, "https://MCP.example:443/mcp/": true,
		"https://evil.example/mcp": false, "https://mcp.example/mc": false, "https://mcp.example/mcp/x": false, "http://mcp.example/mcp": false,
		"https://mcp.example:8443/mcp": false, "": false, "mcp": false, "https://mcp.example/mcp#x": false, "https://u@mcp.example/mcp": false,
	} {
		w, rs, as := newWorld(t)
		rs.document["resource"] = resource
		tr := newTransport(t, w, as, nil)
		if !ok {
			refused(t, tr, "is about the resource")
			if len(as.logins) > 0 {
				t.Errorf("%s: the user was asked to log in", resource)
			}
			continue
		}
		welcome(t, tr)
		for _, form := range append(as.logins, as.tokens...) {
			if got := form.Get("resource"); got != resource {
				t.Errorf("the request has the resource %q, want %q", got, resource)
			}
		}
	}
}

// REQ AUTH03-01, AUTH03-02, AUTH03-04, AUTH03-05, AUTH03-09, SESS-11, AUTH06-05, AUTH11-05
func TestFirstRevision(t *testing.T) {
	for _, withMetadata := range []bool{true, false} {
		w, rs, _ := newWorld(t)
		rs.at, rs.challenge = nil, ""
		const base = "https://mcp.example"
		as := w.newIssuer(t, rs, base)
		as.meta["authorization_response_iss_parameter_supported"] = false
		as.meta["token_endpoint"] = base + "/oauth/token"
		version := ""
		w.hosts["mcp.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/.well-known/oauth-authorization-server":
				version = r.Header.Get("MCP-Protocol-Version")
				if !withMetadata {
					http.NotFound(w, r)
					return
				}
				object(w, 200, as.meta)
			case r.URL.Path == "/oauth/token":
				r.URL.Path = "/token"
				as.ServeHTTP(w, r)
			case r.Method == "POST" && r.URL.Path != "/mcp":
				as.ServeHTTP(w, r)
			default:
				rs.ServeHTTP(w, r)
			}
		})
		welcome(t, newTransport(t, w, as, nil))
		want := atPath + "\n" + atRoot + "\nGET https://mcp.example/.well-known/oauth-authorization-server\nPOST https://mcp.example/register\nPOST https://mcp.example/token"
		if withMetadata {
			want = strings.ReplaceAll(want, "/token", "/oauth/token")
		}
		if got := w.took(); got != want {
			t.Errorf("took\n%s\nwant\n%s", got, want)
		}
		if version != "2025-03-26" {
			t.Errorf("MCP-Protocol-Version is %q", version)
		}
		if got := as.logins[0].Get("resource"); got != endpointURL {
			t.Errorf("the resource is %q", got)
		}
	}
}

// A server that fails, or does not respond, is not one of the first revision.
func TestDiscoveryFails(t *testing.T) {
	w, rs, as := newWorld(t)
	rs.challenge = "Bearer"
	w.hosts["mcp.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			w.WriteHeader(503)
			return
		}
		rs.ServeHTTP(w, r)
	})
	err := refused(t, newTransport(t, w, as, nil), "status 503")
	if !errors.As(err, new(*fetch.StatusError)) {
		t.Errorf("got %v", err)
	}
	if got := w.took(); got != atPath {
		t.Errorf("took %s", got)
	}
	w.hosts["mcp.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/oauth-authorization-server":
			w.WriteHeader(503)
		case "/mcp":
			rs.ServeHTTP(w, r)
		default:
			http.NotFound(w, r)
		}
	})
	refused(t, newTransport(t, w, as, nil), "the metadata of the authorization server at https://mcp.example: ")
}

// A server without metadata is named in its errors all the same.
func TestErrorOfFirstRevision(t *testing.T) {
	w, rs, as := newWorld(t)
	rs.challenge = ""
	w.hosts["mcp.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/mcp":
			rs.ServeHTTP(w, r)
		case "/token":
			object(w, 400, map[string]any{"error": "invalid_grant"})
		default:
			http.NotFound(w, r)
		}
	})
	as.meta = map[string]any{}
	e, ok := errors.AsType[*Error](refused(t, newTransport(t, w, as, &Options{Clients: []Credentials{{ID: "me"}}}), "invalid_grant"))
	if !ok || e.Issuer != "https://mcp.example" {
		t.Errorf("got %+v", e)
	}
}

// What a stored token was found by is where its server is found again. Until then, nothing is looked up twice.
func TestMetadataIsStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, rs, as := newWorld(t)
		as.lifetime = time.Hour
		rs.at = []string{"/elsewhere"}
		rs.challenge = `Bearer resource_metadata="https://mcp.example/elsewhere"`
		store := new(MemoryStore)
		tr := newTransport(t, w, as, &Options{Store: store})
		if got := tr.Issuer(); got != "" {
			t.Errorf("the issuer is %q", got)
		}
		welcome(t, tr)
		w.took()
		sleep(time.Hour)
		welcome(t, tr)
		if got := w.took(); got != "POST https://as.example/token" {
			t.Errorf("took %s", got)
		}
		again := newTransport(t, w, as, &Options{Store: store})
		welcome(t, again)
		if got := again.Issuer(); got != issuerURL || w.took() != "" {
			t.Errorf("the issuer is %q", got)
		}
		sleep(time.Hour)
		welcome(t, again)
		if got := w.took(); !strings.HasPrefix(got, "GET https://mcp.example/elsewhere\n") || len(as.logins) != 1 {
			t.Errorf("took %s, %d logins", got, len(as.logins))
		}
	})
}

// A resource must name a server, and itself.
func TestIncompleteMetadata(t *testing.T) {
	for want, change := range map[string]func(map[string]any){
		"names no authorization server": func(m map[string]any) { m["authorization_servers"] = []string{} },
		`is about the resource ""`:      func(m map[string]any) { m["resource"] = "" },
		`is about the resource ":"`:     func(m map[string]any) { m["resource"] = ":" },
	} {
		w, rs, as := newWorld(t)
		change(rs.document)
		refused(t, newTransport(t, w, as, nil), want)
	}
}

// REQ AUTH06-03
func TestChooseServer(t *testing.T) {
	const other = "https://other.example"
	for _, tt := range []struct {
		name string
		opts Options
		want string
	}{
		{"first", Options{}, issuerURL},
		{"with credentials", Options{Clients: []Credentials{{Issuer: other, ID: "me"}}}, other},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, rs, as := newWorld(t)
			rs.document["authorization_servers"] = []string{issuerURL, other}
			as2 := w.newIssuer(t, rs, other)
			if tt.want == other {
				as = as2
			}
			tr := newTransport(t, w, as, &tt.opts)
			welcome(t, tr)
		})
	}
}

// REQ SEC-07, SEC-08, SEC-16
func TestForgedMetadata(t *testing.T) {
	for _, bad := range []string{
		"http://169.254.169.254/latest/meta-data", "http://as.example", "https://localhost/x", "https://127.0.0.1/x", "https://[::1]/x",
		"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "//as.example", "https://user@as.example/x", "https://as.example/%zz", "",
	} {
		for _, member := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint"} {
			if bad == "" && member == "registration_endpoint" {
				continue // that is a server without one
			}
			w, _, as := newWorld(t)
			as.meta[member] = bad
			tr := newTransport(t, w, as, nil)
			if got, err := ask(t, tr); err == nil {
				t.Errorf("%s %q: got %q", member, bad, got)
			}
			if member == "authorization_endpoint" && len(as.logins) > 0 {
				t.Errorf("the user was sent to %q", bad)
			}
			for _, l := range strings.Split(w.took(), "\n") {
				if !strings.Contains(l, " https://mcp.example/") && !strings.Contains(l, " https://as.example/") {
					t.Errorf("%s %q: %s", member, bad, l)
				}
			}
		}
		if bad == "" {
			continue
		}
		w, rs, as := newWorld(t)
		rs.document["authorization_servers"] = []string{bad}
		refused(t, newTransport(t, w, as, nil), "authclient: ")
		rs.challenge = `Bearer resource_metadata="` + bad + `"`
		refused(t, newTransport(t, w, as, nil), "authclient: ")
		for _, l := range strings.Split(w.took(), "\n") {
			if !strings.Contains(l, " https://mcp.example/") {
				t.Errorf("%q: %s", bad, l)
			}
		}
	}
}
