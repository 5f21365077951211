package auth_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/oauth2/clientcredentials"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server that accepts tokens from an existing identity provider, ready for production: it serves its metadata, has
// a health check, lets its operator's web page use it, and shuts down gracefully.
func Example() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	s := server.New(mcp.Implementation{Name: "files", Version: "1.0.0"}, nil)
	err := s.Add(server.Item{
		Definition: &mcp.Tool{Name: "delete_all"},
		Handler:    deleteAll,
		Access:     server.Access{Scopes: []string{"files:write"}},
	})
	if err != nil {
		log.Fatal(err)
	}

	rs, err := auth.NewResourceServer(&auth.Options{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{"https://login.example.com/realms/main"},
		RequiredScopes:       []string{"files:read"},
	})
	if err != nil {
		log.Fatal(err)
	}
	h := streamable.NewHandler(s, &streamable.Options{
		Auth:    rs,
		Hosts:   []string{"mcp.example.com"},
		Origins: []string{"https://console.example.com"},
	})

	mux := http.NewServeMux()
	mux.Handle(streamable.Endpoint, h)
	rs.Register(mux) // the metadata, at the two well-known paths
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	srv := &http.Server{Addr: ":8443", Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- srv.Shutdown(grace) }() // accepts no more connections, waits for active ones
		h.Shutdown(grace)                           // lets requests finish, ends streams and sessions
		<-done
	}()
	if err := srv.ListenAndServeTLS("cert.pem", "key.pem"); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-ended
}

// deleteAll is a tool that requires the scope files:write.
func deleteAll(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
	caller := auth.FromContext(ctx)
	return server.TextResult("deleted the files of " + caller.Subject), nil
}

// A scope may cover another: whoever may write may also read.
func ExampleOptions_covers() {
	_, err := auth.NewResourceServer(&auth.Options{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{"https://login.example.com"},
		Covers: func(granted, wanted string) bool {
			return strings.TrimSuffix(granted, ":write") == strings.TrimSuffix(wanted, ":read")
		},
	})
	if err != nil {
		log.Fatal(err)
	}
}

// Only the authorization server can tell what an opaque token means, so it is asked about each one.
func ExampleIntrospector() {
	v, err := auth.NewIntrospector(&auth.IntrospectionOptions{
		Issuer:      "https://login.example.com",
		Endpoint:    "https://login.example.com/introspect",
		Credentials: auth.Credentials{ClientID: "mcp-server", Secret: os.Getenv("INTROSPECTION_SECRET")},
		Audiences:   []string{"https://mcp.example.com/mcp"},
		MaxAge:      30 * time.Second, // the longest that a revoked token is accepted
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = auth.NewResourceServer(&auth.Options{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{"https://login.example.com"},
		Verifier:             v,
	})
	if err != nil {
		log.Fatal(err)
	}
}

// A tool calls another service on behalf of its user, with a token for that service, not with the one that was sent to this
// server: a token exchange (RFC 8693). The on-behalf-of flow of Microsoft Entra ID has the same form with other parameters.
func ExampleToken_SubjectToken() {
	// In a tool, with its context:
	list := func(ctx context.Context) (*http.Response, error) {
		exchange := &clientcredentials.Config{
			ClientID:     "mcp-server",
			ClientSecret: os.Getenv("EXCHANGE_SECRET"),
			TokenURL:     "https://login.example.com/token",
			Scopes:       []string{"calendar.read"},
			EndpointParams: url.Values{
				"grant_type":         {"urn:ietf:params:oauth:grant-type:token-exchange"},
				"subject_token":      {auth.FromContext(ctx).SubjectToken()},
				"subject_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
				"audience":           {"https://api.example.com"},
			},
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example.com/calendar", nil)
		if err != nil {
			return nil, err
		}
		return exchange.Client(ctx).Do(r)
	}
	_ = list
}

// Over stdio the client passes a token in the environment, and the same tools require the same scopes.
func ExampleJWTVerifier() {
	ctx := context.Background()
	v, err := auth.NewJWTVerifier(&auth.JWTOptions{
		Issuers:   []string{"https://login.example.com"},
		Audiences: []string{"https://mcp.example.com/mcp"},
	})
	if err != nil {
		log.Fatal(err)
	}
	token, err := v.Verify(ctx, os.Getenv("MCP_TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	os.Unsetenv("MCP_TOKEN") // programs that the server starts must not inherit it
	s := server.New(mcp.Implementation{Name: "files", Version: "1.0.0"}, &server.Options{
		Identity: func(context.Context) transport.Identity { return token },
	})
	log.Fatal(stdio.Serve(ctx, s, nil))
}
