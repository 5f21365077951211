package auth_test

import (
	"log"

	"github.com/mcpgen/mcpgen/runtime/auth"
)

// A server with tokens of Microsoft Entra ID. They name the server by the id of its application, and scopes without the
// URI of the application; clients request scopes with it.
func ExampleOptions_entra() {
	const uri = "api://notes/" // the Application ID URI
	_, err := auth.NewResourceServer(&auth.Options{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{"https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0"},
		Audiences:            []string{"99999999-8888-7777-6666-555555555555"},
		RequiredScopes:       []string{uri + "notes.read"},
		Covers:               func(granted, wanted string) bool { return wanted == uri+granted },
	})
	if err != nil {
		log.Fatal(err)
	}
}
