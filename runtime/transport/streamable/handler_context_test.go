package streamable_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type tenantKey struct{}

// A tool sees the header and the address of the HTTP request, and what middleware of net/http put into its context.
func TestRequestReachesTools(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "whoami", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		header, _ := c.Header().(http.Header)
		return server.TextResult(fmt.Sprint(header.Get("X-Tenant"), " ", ctx.Value(tenantKey{}), " ", c.Address())), nil
	})
	handler := streamable.NewHandler(s, &streamable.Options{Address: func(*http.Request) string { return "192.0.2.1" }})
	h := serveMux(t, handler, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tenantKey{}, "from the context")))
	}))
	const want = `"text":"acme from the context 192.0.2.1"`
	if got := h.modern("1", "tools/call", "whoami", `"name":"whoami"`, "X-Tenant: acme"); !strings.Contains(got.body, want) {
		t.Errorf("2026-07-28: got %s, want %s", got.body, want)
	}
	h.open("2025-11-25")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`
	if got := h.post(call, "X-Tenant: acme"); !strings.Contains(got.body, want) {
		t.Errorf("2025-11-25: got %s, want %s", got.body, want)
	}
}

// A client whose request has used up the time that middleware of net/http gives it has a response, although the context of the
// request has ended: it has not closed the connection.
func TestDeadlineOfMiddleware(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "wait", func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	handler := streamable.NewHandler(s, nil)
	h := serveMux(t, handler, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Millisecond)
		defer cancel()
		handler.ServeHTTP(w, r.WithContext(ctx))
	}))
	if got := h.modern("1", "tools/call", "wait", `"name":"wait"`); !strings.Contains(got.body, "deadline exceeded") {
		t.Errorf("got status %d, %q", got.status, got.body)
	}
}
