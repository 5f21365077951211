package authclient_test

import (
	"context"
	"crypto/ecdsa"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
)

// A program whose user logs in with a browser, once: the tokens are kept in files.
func Example() {
	ctx := context.Background()
	config, err := os.UserConfigDir()
	if err != nil {
		log.Fatal(err)
	}
	store, err := authclient.NewFileStore(filepath.Join(config, "notes", "tokens"))
	if err != nil {
		log.Fatal(err)
	}
	const endpoint = "https://mcp.example.com/mcp"
	auth, err := authclient.New(endpoint, &authclient.Options{
		Grant: &authclient.AuthorizationCode{ClientName: "Notes"},
		Store: store,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer auth.Close()
	if err := auth.Login(ctx); err != nil { // takes as long as the user does
		log.Fatal(err)
	}
	c, err := client.Connect(ctx, httpclient.New(endpoint, &httpclient.Options{
		HTTP: &http.Client{Transport: auth},
	}), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
}

// A program that acts for itself, and has a key that the authorization server knows.
func ExampleClientCredentials() {
	var key *ecdsa.PrivateKey // as the program keeps it
	auth, err := authclient.New("https://mcp.example.com/mcp", &authclient.Options{
		Grant:   authclient.ClientCredentials{},
		Clients: []authclient.Credentials{{Issuer: "https://login.example.com", ID: "reporter", Key: key}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer auth.Close()
}

// A program on a platform that gives it an identity as a file.
func ExampleWorkloadIdentity() {
	auth, err := authclient.New("https://mcp.example.com/mcp", &authclient.Options{
		Grant: &authclient.WorkloadIdentity{Assertion: func(context.Context, string, string) (string, error) {
			token, err := os.ReadFile("/var/run/secrets/tokens/mcp")
			return strings.TrimSpace(string(token)), err
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer auth.Close()
}

// A program of an organization whose identity provider decides which servers its people use. Nobody is asked.
func ExampleEnterpriseManaged() {
	var key *ecdsa.PrivateKey                         // as the program keeps it
	var idToken func(context.Context) (string, error) // returns that of the user's login at the provider
	auth, err := authclient.New("https://mcp.example.com/mcp", &authclient.Options{
		Grant: &authclient.EnterpriseManaged{
			Provider: "https://login.example.com",
			Client:   authclient.Credentials{ID: "notes", Key: key},
			Identity: idToken,
		},
		Clients: []authclient.Credentials{{Issuer: "https://auth.example.com", ID: "notes", Key: key}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer auth.Close()
}
