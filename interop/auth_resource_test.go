package interop

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/auth/dpop"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A resource is an MCP server of ours that wants tokens.
type resource struct {
	url      string // of its endpoint
	issuer   string // of its authorization server
	verifier endable
	mux      *http.ServeMux

	// Configure may set these.
	hidden    bool            // the metadata is not there, as before 2025-06-18
	revisions []wire.Revision // all if nil
}

// newResource starts a server with a path. Configure completes the options of its resource server.
func newResource(t *testing.T, path string, configure func(r *resource, o *auth.Options)) *resource {
	t.Helper()
	r := &resource{mux: http.NewServeMux()}
	web := httptest.NewUnstartedServer(r.mux)
	r.url = "http://" + web.Listener.Addr().String() + path
	opts := &auth.Options{Resource: r.url, ScopesSupported: []string{"notes:read"}, Logger: slog.New(slog.DiscardHandler)}
	configure(r, opts)
	r.issuer = opts.AuthorizationServers[0]
	if opts.Verifier == nil {
		v, err := auth.NewJWTVerifier(&auth.JWTOptions{Issuers: opts.AuthorizationServers, Audiences: []string{r.url}})
		if err != nil {
			t.Fatal(err)
		}
		opts.Verifier = v
	}
	r.verifier.next = opts.Verifier
	opts.Verifier = &r.verifier
	rs, err := auth.NewResourceServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	if !r.hidden {
		rs.Register(r.mux)
	}
	notes := newNotes(t, r)
	if path == "/sse" {
		r.mux.Handle(path, sse.NewHandler(notes, &streamable.Options{Auth: rs}))
	} else {
		h := streamable.NewHandler(notes, &streamable.Options{Auth: rs})
		r.mux.Handle(path, h)
		defer t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), endLimit)
			defer cancel()
			if err := h.Shutdown(ctx); err != nil {
				t.Errorf("the handler does not end: %v", err)
			}
		})
	}
	web.Start()
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	return r
}

// newNotes returns a server with a tool for everybody who has a token, and one for each scope.
func newNotes(t *testing.T, r *resource) *server.Server {
	t.Helper()
	s := server.New(mcp.Implementation{Name: "notes", Version: "1.0.0"}, &server.Options{Revisions: r.revisions})
	add := func(name string, result func(*auth.Token) string, scopes ...string) {
		tool := mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`)}
		h := func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			token := auth.FromContext(ctx)
			if token == nil {
				return nil, errors.New("there is no token")
			}
			return server.TextResult(result(token)), nil
		}
		err := s.Add(server.Item{Definition: &tool, Handler: server.ToolHandler(h), Access: server.Access{Scopes: scopes}})
		if err != nil {
			t.Fatal(err)
		}
	}
	add("whoami", func(k *auth.Token) string { return cmp.Or(k.Subject, k.ClientID) })
	add("read", func(k *auth.Token) string { return "read by " + k.ClientID }, "notes:read")
	add("write", func(k *auth.Token) string { return "written by " + k.ClientID }, "notes:read", "notes:write")
	add("end_tokens", func(*auth.Token) string { r.verifier.end(); return "ended" })
	return s
}

// An endable verifier can end tokens before their time.
type endable struct {
	next auth.Verifier

	mu    sync.Mutex
	ended map[string]bool // the texts of all tokens that were valid once
}

func (v *endable) Verify(ctx context.Context, text string) (*auth.Token, error) {
	k, err := v.next.Verify(ctx, text)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended[text] {
		return nil, &auth.InvalidTokenError{Reason: "the token was ended"}
	}
	if v.ended == nil {
		v.ended = map[string]bool{}
	}
	v.ended[text] = false
	return k, nil
}

// end ends all tokens that there are now.
func (v *endable) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for text := range v.ended {
		v.ended[text] = true
	}
}

// count returns how many tokens there were.
func (v *endable) count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.ended)
}

// connect connects our client to a server. It obtains its token before.
func connect(t *testing.T, endpoint string, opts *authclient.Options) (*client.Client, *authclient.Transport) {
	t.Helper()
	c, tr, err := tryConnect(t, endpoint, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c, tr
}

func tryConnect(t *testing.T, endpoint string, opts *authclient.Options) (*client.Client, *authclient.Transport, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	opts.Logger = slog.New(slog.DiscardHandler)
	opts.Proofs = new(dpop.Prover)
	tr, err := authclient.New(endpoint, opts)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { tr.Close() })
	if err := tr.Login(ctx); err != nil {
		return nil, nil, err
	}
	c, err := client.Connect(ctx, httpclient.New(endpoint, &httpclient.Options{HTTP: &http.Client{Transport: tr}}), nil)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { c.Close() })
	return c, tr, nil
}

// call calls a tool, which must return a text.
func call(t *testing.T, c *client.Client, tool, want string) {
	t.Helper()
	if got, err := tryCall(t, c, tool); err != nil || got != want {
		t.Errorf("%s returns %q, %v, want %q", tool, got, err, want)
	}
}

func tryCall(t *testing.T, c *client.Client, tool string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: tool})
	if err != nil {
		return "", err
	}
	text := ""
	for _, block := range r.Content {
		if b, ok := block.(*mcp.TextContent); ok {
			text += b.Text
		}
	}
	if r.IsError != nil && *r.IsError {
		return "", errors.New(text)
	}
	return text, nil
}
