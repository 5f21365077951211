package auth_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"golang.org/x/oauth2"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server whose clients log in at an identity provider. Its tool requires a scope, which a broader one covers.
func ExampleNewResourceServer() {
	rs, err := auth.NewResourceServer(&auth.Options{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{"https://login.example.com"},
		ScopesSupported:      []string{"notes:read"},
		Covers:               func(granted, wanted string) bool { return strings.HasPrefix(wanted, granted+":") },
	})
	if err != nil {
		log.Fatal(err)
	}
	s := server.New(mcp.Implementation{Name: "notes", Version: "1.0.0"}, nil)
	hello := func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("hello, " + auth.FromContext(ctx).Subject), nil
	}
	if err := s.AddTool(mcp.Tool{Name: "hello"}, hello, "notes:read"); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(streamable.Endpoint, streamable.NewHandler(s, &streamable.Options{Hosts: []string{"mcp.example.com"}, Auth: rs}))
	rs.Register(mux)
	log.Fatal(http.ListenAndServeTLS(":443", "cert.pem", "key.pem", mux))
}

// A token that was sent to this server is not sent on. It is exchanged for one that another service accepts.
func ExampleExchanger() {
	exchanger, err := auth.NewExchanger(&auth.ExchangeOptions{
		Issuer:      "https://login.example.com",
		Credentials: auth.Credentials{ClientID: "notes", Secret: os.Getenv("NOTES_SECRET")},
		Audience:    []string{"calendar"},
	})
	if err != nil {
		log.Fatal(err)
	}
	_ = func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		client := oauth2.NewClient(ctx, exchanger.TokenSource(ctx))
		resp, err := client.Get("https://calendar.example.com/today")
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		return server.TextResult(resp.Status), nil
	}
}

// Over stdio, the token of the only client is in the environment.
func ExampleFromEnvironment() {
	verifier, err := auth.NewJWTVerifier(&auth.JWTOptions{
		Issuers: []string{"https://login.example.com"}, Audiences: []string{"https://mcp.example.com/mcp"},
	})
	if err != nil {
		log.Fatal(err)
	}
	identity, err := auth.FromEnvironment(context.Background(), "MCP_TOKEN", verifier, nil)
	if err != nil {
		log.Fatal(err)
	}
	server.New(mcp.Implementation{Name: "notes", Version: "1.0.0"}, &server.Options{Identity: identity})
}

// A client finds out from a response with status 401 where to get a token.
func ExampleParseChallenges() {
	h := http.Header{}
	h.Set("WWW-Authenticate", `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource", scope="notes:read notes:write"`)
	challenges, err := auth.ParseChallenges(h)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range challenges {
		if c.Is("Bearer") {
			fmt.Println(c.Params["resource_metadata"], c.Scopes())
		}
	}
	// Output: https://mcp.example.com/.well-known/oauth-protected-resource [notes:read notes:write]
}
