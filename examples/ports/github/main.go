// Github is a server of GitHub's issues, pull requests, files and repositories. Its functions take the options and the
// requests of package github as they are; //mcp:param says by path which of their fields are arguments, and which values
// these take. What they return are structs with the fields that a model works with: the whole ones, with all that is in
// them, would fill its context, by their schemas alone.
//
//	GITHUB_TOKEN=… github -groups issues -read-only
//
//mcp:server name=github version=0.1.0
//mcp:desc Issues, pull requests, files and repositories of GitHub.
package main

//go:generate go tool mcpgen tools

import (
	"flag"
	"os"

	"github.com/google/go-github/v82/github"

	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/toolset"
)

func main() {
	var selection toolset.Selection
	selection.Flags(flag.CommandLine)
	serve.Main(func() (*server.Server, error) {
		client := github.NewClient(nil)
		if token := os.Getenv("GITHUB_TOKEN"); token != "" {
			client = client.WithAuthToken(token)
		}
		return newServer(client, selection, nil)
	})
}

// newServer returns a server of the tools that are chosen.
func newServer(client *github.Client, selection toolset.Selection, opts *server.Options) (*server.Server, error) {
	var tools toolset.Set
	s, err := NewServer(&GitHub{client}, tools.Options(opts))
	if err != nil {
		return nil, err
	}
	return s, tools.Use(s, selection)
}
