package auth

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A ResourceServer is the option Auth of both handlers.
var _ streamable.Authorizer = (*ResourceServer)(nil)

// newSecuredServer returns the URL of an MCP server that requires tokens, and a key that signs them.
func newSecuredServer(t *testing.T) (url string, k *testKey) {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	as := newTestServer()
	k = newTestKey(t, "1")
	as.keys = []jose.JSONWebKey{k.public()}
	url = web.URL + "/mcp"
	rs := newTestResource(t, as, requires("mcp"), func(o *Options) {
		o.Resource = url
		o.Verifier = newTestVerifier(t, as, func(o *JWTOptions) { o.Audiences = []string{url} })
	})
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, nil)
	for _, err := range []error{
		s.Add(server.Item{Definition: &mcp.Tool{Name: "whoami"}, Handler: server.ToolHandler(func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			token := FromContext(ctx)
			return server.TextResult(token.Principal() + " by " + token.ClientID), nil
		}), Access: server.Access{Scopes: []string{"tools", "tools:whoami"}}}),
		uritemplate.AddItem(s, server.Item{Definition: &mcp.ResourceTemplate{URITemplate: "git:{owner}/{name}", Name: "git"}, Handler: server.TemplateHandler(func(context.Context, *server.Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", "the file"), nil
		}), Access: server.Access{Scopes: []string{"repo:{owner}", "read"}}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	mux.Handle("/mcp", streamable.NewHandler(s, &streamable.Options{Auth: rs, Stateless: true, JSONOnly: true}))
	rs.Register(mux)
	return url, k
}

// A client without a token finds out where to get one, then which scopes it needs, and then is served.
//
// REQ AUTH-06, AUTH06-01, AUTH06-02, AUTH11-01, AUTH11-11, AUTH11-14, AUTH26-09, HTTP-05
func TestSecuredServer(t *testing.T) {
	url, k := newSecuredServer(t)
	send := func(body, token string) (*http.Response, string) {
		r, _ := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", mcp.V2025_11_25.String())
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(text)
	}
	token := func(scope string) string { return k.sign(t, change{"aud": url, "scope": scope}) }
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`
	read := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"git:ada/x"}}`

	resp, _ := send(call, "")
	c := challengeOf(t, resp)
	if resp.StatusCode != 401 || c.Params["scope"] != "mcp" || c.Params["error"] != "" {
		t.Fatalf("status %d, %s", resp.StatusCode, c)
	}
	meta, err := http.Get(c.Params["resource_metadata"])
	if err != nil {
		t.Fatal(err)
	}
	defer meta.Body.Close()
	if text := bodyOf(t, meta); meta.StatusCode != 200 || !strings.Contains(text, `"resource":"`+url+`"`) || !strings.Contains(text, testIssuer) {
		t.Errorf("the metadata: status %d, %s", meta.StatusCode, text)
	}
	for _, test := range []struct {
		body, token  string
		status       int
		scope, error string
		result       string
	}{
		{call, token("mcp"), 403, "tools tools:whoami", "insufficient_scope", "insufficient scope"},
		{call, token("mcp tools"), 403, "tools tools:whoami", "insufficient_scope", "insufficient scope"},
		{call, token("tools tools:whoami"), 403, "mcp", "insufficient_scope", ""},
		{call, token("mcp tools tools:whoami"), 200, "", "", testIssuer + "#alice by cli"},
		{read, token("mcp repo:eve read"), 403, "repo:ada read", "insufficient_scope", "insufficient scope"},
		{read, token("mcp repo:ada read"), 200, "", "", "the file"},
		{call, k.sign(t), 401, "mcp", "invalid_token", ""}, // for another resource
		{call, k.sign(t, change{"aud": url, "exp": time.Now().Unix() - 3600}), 401, "mcp", "invalid_token", ""},
		{call, "a b", 400, "", "invalid_request", ""},
	} {
		resp, body := send(test.body, test.token)
		if resp.StatusCode != test.status || !strings.Contains(body, test.result) {
			t.Errorf("status %d, want %d: %s", resp.StatusCode, test.status, body)
			continue
		}
		if test.status == 200 {
			continue
		}
		if c := challengeOf(t, resp); c.Params["scope"] != test.scope || c.Params["error"] != test.error || c.Params["resource_metadata"] == "" {
			t.Errorf("got %s, want the scope %q and the error %q", c, test.scope, test.error)
		}
	}
}
