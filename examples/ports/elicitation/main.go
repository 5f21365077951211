// Elicitation is a server that asks its user for settings, and a client that answers.
//
//mcp:server name=config-server version=1.0.0
package main

//go:generate go tool mcpgen tools

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
)

// Settings are what Configure asks for.
type Settings struct {
	ServerEndpoint string  `json:"serverEndpoint" jsonschema:"Server endpoint URL"`
	MaxRetries     float64 `json:"maxRetries,omitempty" form:"min=1 max=10"`
	EnableLogs     bool    `json:"enableLogs,omitempty" jsonschema:"Enable debug logging"`
}

// Configure asks the user for the settings.
//
//mcp:tool
func Configure(ctx context.Context, c *server.Call) (string, error) {
	s, err := ask.Form[Settings](ctx, c, "Please provide your configuration settings")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Configuration received: Endpoint: %s, Max Retries: %.0f, Logs: %t",
		s.ServerEndpoint, s.MaxRetries, s.EnableLogs), nil
}

func main() {
	ctx := context.Background()
	s, err := NewServer(nil)
	if err != nil {
		log.Fatal(err)
	}
	near, far := inmem.Pair(0)
	go func() { _ = s.Serve(ctx, far) }()
	c, err := client.Connect(ctx, near, &client.Options{Elicit: elicit.Handler{Form: answer}})
	if err != nil {
		log.Fatal(err)
	}
	text, err := client.CallTool[string](ctx, c, "configure", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
}

// answer is what the user enters. A real client shows the form.
func answer(_ context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
	fmt.Println("Server requests:", p.Message)
	return elicit.Accept(Settings{ServerEndpoint: "https://api.example.com", MaxRetries: 3, EnableLogs: true})
}
