// Terraform is the toolset registry of hashicorp/terraform-mcp-server: nine tools over the HTTP API of a registry of
// Terraform's providers, modules and policies. Clients see the names, schemas and hints of the original; descriptions, titles,
// results and errors have words of their own.
//
//	TERRAFORM_REGISTRY=https://… terraform
//
//mcp:server name=terraform version=0.1.0 open
//mcp:nolint open the original ignores arguments that it does not know, too
package main

//go:generate go tool mcpgen tools

import (
	"net/http"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
)

func main() {
	serve.Main(func() (*server.Server, error) {
		r := &Registry{client: &http.Client{Timeout: 10 * time.Second}, url: os.Getenv("TERRAFORM_REGISTRY")}
		return NewServer(r, nil)
	})
}
