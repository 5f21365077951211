package auth_test

import (
	"fmt"
	"log"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/auth"
)

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
