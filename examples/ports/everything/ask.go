package main

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
)

// Ping pings the client.
//
//mcp:tool
func Ping(ctx context.Context, c *server.Call) ([]mcp.ContentBlock, error) {
	return nil, c.Session().Ping(ctx)
}

// Log logs to the client.
//
//mcp:tool
func Log(log *slog.Logger) []mcp.ContentBlock {
	log.Error("something happened!")
	return nil
}

// Sample asks the client for a message of its model.
//
//mcp:tool
func Sample(ctx context.Context, c *server.Call) ([]mcp.ContentBlock, error) {
	r, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{})
	if err != nil {
		return nil, fmt.Errorf("sampling failed: %w", err)
	}
	var content []mcp.ContentBlock
	for _, block := range r.Content {
		if b, ok := block.(mcp.ContentBlock); ok {
			content = append(content, b)
		}
	}
	return content, nil
}

// ElicitForm asks the user for a string.
//
//mcp:tool
func ElicitForm(ctx context.Context, c *server.Call) (string, error) {
	r, err := ask.Form[struct {
		Random string `json:"random,omitempty"`
	}](ctx, c, "provide a random string")
	return r.Random, err
}

// ElicitURL asks the user to go to a page.
//
//mcp:tool
func ElicitURL(ctx context.Context, c *server.Call) (string, error) {
	id, err := server.OnceValue(c, "id", func() (string, error) { return strconv.Itoa(int(elicitations.Add(1))), nil })
	if err != nil {
		return "", err
	}
	_, err = c.Elicit(ctx, &mcp.ElicitRequestURLParams{
		Message: "submit a string", URL: "http://localhost:6062?id=" + id, ElicitationID: id,
	})
	if err != nil {
		return "", fmt.Errorf("eliciting failed: %w", err)
	}
	return "(elicitation pending)", nil
}

// Roots lists the folders that the client lets the server work in.
//
//mcp:tool
func Roots(ctx context.Context, c *server.Call) (string, error) {
	r, err := c.ListRoots(ctx)
	if err != nil {
		return "", fmt.Errorf("listing roots failed: %w", err)
	}
	var all []string
	for _, root := range r.Roots {
		all = append(all, root.Name+":"+root.URI)
	}
	return strings.Join(all, ","), nil
}

var elicitations atomic.Int32
