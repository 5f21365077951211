package dpop_test

import (
	"log"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/dpop"
)

// A resource server whose tokens have to be bound to keys.
func ExampleVerifier() {
	proofs, err := dpop.NewVerifier(&dpop.VerifierOptions{Required: true, Nonces: true})
	if err != nil {
		log.Fatal(err)
	}
	rs, err := auth.NewResourceServer(&auth.Options{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{"https://login.example.com/realms/main"},
		Proofs:               proofs,
	})
	if err != nil {
		log.Fatal(err)
	}
	_ = rs // the option Auth of the HTTP handlers
}
