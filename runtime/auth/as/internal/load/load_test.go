package load

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/auth/dpop"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	endpoint = "https://mcp.example/mcp"
	issuer   = "https://as.example"
	callback = "https://app.example/callback"

	clientsOfKind = 6
	callsAtOnce   = 5
	rounds        = 12
	tokenTime     = 5 * time.Minute
)

// All together: our authorization server, our server, and many clients of each kind, whose tokens end all at once, again
// and again, while the keys of the authorization server change. No call fails, nobody has to log in again, and each
// client gets one token each time, however many of its calls need one.
//
// REQ AUTH-06, AUTH-09, AUTH11-15, AUTH26-08
func TestUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		var clients []*loadClient
		for range clientsOfKind {
			for _, kind := range kinds {
				clients = append(clients, s.connect(t, kind, len(clients)))
			}
		}
		all := func(tool string) {
			t.Helper()
			var calls sync.WaitGroup
			for _, c := range clients {
				for range callsAtOnce {
					calls.Go(func() { c.call(t, tool) })
				}
			}
			calls.Wait()
		}
		all("read")
		all("write") // which needs more scopes than there were asked for
		for round := range rounds {
			time.Sleep(tokenTime)
			if round == rounds/2 {
				if err := s.as.RotateKeys(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			all("write")
		}
		for _, c := range clients {
			c.check(t)
		}
		if n := s.keysFetched.Load(); n < 3 || n > rounds {
			t.Errorf("the keys were fetched %d times", n)
		}
	})
}

// A kind is a way to be a client.
type kind struct {
	name     string
	revision wire.Revision
	options  func(s *loadSite, u *loadUser) *authclient.Options
	logins   int32
	streams  int32 // that it opens: each ends with its token
}

var kinds = []kind{
	{"registers itself", mcp.V2026_07_28, func(_ *loadSite, u *loadUser) *authclient.Options {
		return &authclient.Options{Grant: u.grant()}
	}, 2, 0},
	{"has sessions", mcp.V2025_11_25, func(_ *loadSite, u *loadUser) *authclient.Options {
		return &authclient.Options{Grant: u.grant(), Clients: []authclient.Credentials{{Issuer: issuer, ID: "desktop"}}}
	}, 2, rounds},
	{"has bound tokens", mcp.V2026_07_28, func(_ *loadSite, u *loadUser) *authclient.Options {
		return &authclient.Options{Grant: u.grant(), Clients: []authclient.Credentials{{Issuer: issuer, ID: "desktop"}}, Proofs: new(dpop.Prover), RequireProofs: true}
	}, 2, 0},
	{"has no user", mcp.V2026_07_28, func(s *loadSite, _ *loadUser) *authclient.Options {
		return &authclient.Options{Grant: authclient.ClientCredentials{}, Clients: []authclient.Credentials{{Issuer: issuer, ID: "machine", Key: s.key}}}
	}, 0, 0},
}

// A loadSite is an authorization server and an MCP server.
type loadSite struct {
	loadNetwork
	as          *as.Server
	key         crypto.Signer // of the client without a user
	keysFetched atomic.Int32
}

func newSite(t *testing.T) *loadSite {
	t.Helper()
	s := &loadSite{}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s.key = key
	quiet := slog.New(slog.DiscardHandler)
	s.as, err = as.New(&as.Options{
		Issuer: issuer, Resources: []string{endpoint}, Scopes: []as.Scope{{Name: "notes:read"}, {Name: "notes:write"}},
		Password: func(_ context.Context, name, _ string) (*as.User, error) { return &as.User{Subject: name}, nil },
		Clients: []as.Client{
			{ID: "desktop", RedirectURIs: []string{callback}},
			{ID: "machine", Keys: []crypto.PublicKey{key.Public()}, GrantTypes: []string{"client_credentials"}},
		},
		AccessLifetime: tokenTime, RefreshLifetime: 2 * tokenTime, KeyLifetime: 6 * tokenTime, Logger: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := auth.NewJWTVerifier(&auth.JWTOptions{Issuers: []string{issuer}, Audiences: []string{endpoint}, Transport: s.from("10.1.0.1:1")})
	if err != nil {
		t.Fatal(err)
	}
	proofs, err := dpop.NewVerifier(&dpop.VerifierOptions{Nonces: true})
	if err != nil {
		t.Fatal(err)
	}
	rs, err := auth.NewResourceServer(&auth.Options{
		Resource: endpoint, AuthorizationServers: []string{issuer}, Verifier: v, ScopesSupported: []string{"notes:read"},
		Proofs: proofs, Logger: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	notes := server.New(mcp.Implementation{Name: "notes", Version: "1.0.0"}, nil)
	for tool, scopes := range map[string][]string{"read": {"notes:read"}, "write": {"notes:read", "notes:write"}} {
		err := notes.Add(server.Item{Definition: &mcp.Tool{Name: tool, InputSchema: wire.Raw(`{"type":"object"}`)}, Handler: server.ToolHandler(func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult(auth.FromContext(ctx).Subject), nil
		}), Access: server.Access{Scopes: scopes}})
		if err != nil {
			t.Fatal(err)
		}
	}
	handler := streamable.NewHandler(notes, &streamable.Options{Auth: rs, Hosts: []string{"mcp.example"}})
	t.Cleanup(func() {
		if err := handler.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	rs.Register(mux)
	s.hosts = map[string]http.Handler{
		"mcp.example": mux,
		"as.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/jwks" {
				s.keysFetched.Add(1)
			}
			s.as.ServeHTTP(w, r)
		}),
		"app.example": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
	}
	return s
}

// A loadClient is a client of the site.
type loadClient struct {
	kind
	user   *loadUser
	mcp    *client.Client
	tokens *authclient.Transport
	issued atomic.Int32 // tokens
	opened atomic.Int32 // streams
}

// connect connects a client from an address of its own: the authorization server limits what an address may do.
func (s *loadSite) connect(t *testing.T, k kind, i int) *loadClient {
	t.Helper()
	name := fmt.Sprintf("user %d who %s", i, k.name)
	c := &loadClient{kind: k}
	address := s.from(fmt.Sprintf("10.0.0.%d:1", i))
	route := roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := address.RoundTrip(r)
		if err == nil && r.URL.Path == "/token" && resp.StatusCode == http.StatusOK {
			c.issued.Add(1)
		}
		if err == nil && r.Method == http.MethodGet && r.URL.Path == "/mcp" && resp.StatusCode == http.StatusOK {
			c.opened.Add(1)
		}
		return resp, err
	})
	c.user = newLoadUser(t, name, route)
	opts := k.options(s, c.user)
	opts.Base, opts.HTTP, opts.Logger = route, fetch.New(fetch.Options{Base: route}), slog.New(slog.DiscardHandler)
	var err error
	if c.tokens, err = authclient.New(endpoint, opts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.tokens.Close() })
	if err := c.tokens.Login(t.Context()); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c.mcp, err = client.Connect(t.Context(), httpclient.New(endpoint, &httpclient.Options{
		HTTP: &http.Client{Transport: c.tokens}, Logger: opts.Logger,
	}), &client.Options{Revisions: []wire.Revision{k.revision}, Logger: opts.Logger})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Cleanup(func() { c.mcp.Close() })
	return c
}

// call calls a tool, which must say who has called.
func (c *loadClient) call(t *testing.T, tool string) {
	t.Helper()
	want := c.user.name
	if c.logins == 0 {
		want = "client:machine"
	}
	r, err := c.mcp.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool})
	if err != nil || len(r.Content) != 1 || r.Content[0].(*mcp.TextContent).Text != want {
		t.Errorf("%s: %s returns %v, %v", c.user.name, tool, r, err)
	}
}

// check reports whether the client has got as many tokens as it needed.
func (c *loadClient) check(t *testing.T) {
	t.Helper()
	if n := c.user.logins.Load(); n != c.kind.logins {
		t.Errorf("%s has logged in %d times, want %d", c.user.name, n, c.kind.logins)
	}
	const want = rounds + 2 // with the first one, and that with more scopes
	if n := c.issued.Load(); n != want {
		t.Errorf("%s has got %d tokens, want %d", c.user.name, n, want)
	}
	if n := c.opened.Load(); n != c.kind.streams {
		t.Errorf("%s has opened %d streams, want %d", c.user.name, n, c.kind.streams)
	}
}

// A loadUser logs in and approves.
type loadUser struct {
	name   string
	http   *http.Client
	logins atomic.Int32
}

func newLoadUser(t *testing.T, name string, route http.RoundTripper) *loadUser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &loadUser{name: name, http: &http.Client{Transport: route, Jar: jar}}
}

func (u *loadUser) grant() *authclient.AuthorizationCode {
	return &authclient.AuthorizationCode{ClientName: "Load", RedirectURI: callback, Authorize: u.authorize}
}

var (
	formAction  = regexp.MustCompile(`<form method="post" action="([^"]*)">`)
	formRequest = regexp.MustCompile(`name="request" value="([^"]*)"`)
)

// authorize submits the forms of the authorization server until it sends the user back.
func (u *loadUser) authorize(ctx context.Context, at string) (string, error) {
	u.logins.Add(1)
	method, form := http.MethodGet, url.Values{}
	for range 5 { // pages
		r, err := http.NewRequestWithContext(ctx, method, at, strings.NewReader(form.Encode()))
		if err != nil {
			return "", err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		resp, err := u.http.Do(r)
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		here := resp.Request.URL
		action, request := formAction.FindSubmatch(text), formRequest.FindSubmatch(text)
		switch {
		case err != nil:
			return "", err
		case strings.HasPrefix(here.String(), callback+"?"):
			return here.String(), nil
		case action == nil || request == nil:
			return "", fmt.Errorf("status %d: %s", resp.StatusCode, text)
		}
		next, err := here.Parse(html.UnescapeString(string(action[1])))
		if err != nil {
			return "", err
		}
		method, at = http.MethodPost, next.String()
		form = url.Values{"request": {string(request[1])}, "name": {u.name}, "password": {"p"}, "decision": {"allow"}}
	}
	return "", errors.New("there are more pages than a login has")
}
