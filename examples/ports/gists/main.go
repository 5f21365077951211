// Gists is the toolset gists of github/github-mcp-server: four tools over go-github. Clients see the names, schemas
// and hints of the original; descriptions, titles and errors have words of their own.
//
//	GITHUB_TOKEN=… gists
//
//mcp:server name=gists version=0.1.0 open
//mcp:nolint open the original ignores arguments that it does not know, too
package main

//go:generate go tool mcpgen tools

import (
	"os"

	"github.com/google/go-github/v82/github"

	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
)

func main() {
	serve.Main(func() (*server.Server, error) {
		client := github.NewClient(nil)
		if token := os.Getenv("GITHUB_TOKEN"); token != "" {
			client = client.WithAuthToken(token)
		}
		return NewServer(&Gists{client.Gists}, nil)
	})
}
