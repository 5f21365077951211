package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// useNotes is the client. Its Transport takes care of all authorization.
func useNotes(ctx context.Context, w io.Writer, endpoint string, browser bool) error {
	resp, err := http.Get(endpoint)
	if err != nil {
		return err
	}
	resp.Body.Close()
	fmt.Fprintf(w, "Without a token, a request has the status %s.\n\n", resp.Status)

	grant := &authclient.AuthorizationCode{ClientName: "The example"}
	if !browser {
		grant.Open = (&user{w: w}).open
	}
	transport, err := authclient.New(endpoint, &authclient.Options{Grant: grant})
	if err != nil {
		return err
	}
	defer transport.Close()
	fmt.Fprintln(w, "The client connects:")
	c, err := client.Connect(ctx, httpclient.New(endpoint, &httpclient.Options{
		HTTP: &http.Client{Transport: transport},
	}), nil)
	if err != nil {
		return err
	}
	defer c.Close()

	// The token has the scope notes:read alone. Lists also show what needs others.
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "There is the tool %s.\n", tool.Name)
	}
	if err := call(ctx, w, c, "list_notes", `{}`); err != nil {
		return err
	}

	// This one also requires notes:write: the user is asked again, and then the call continues.
	if err := call(ctx, w, c, "add_note", `{"text":"Weave algebraic patterns"}`); err != nil {
		return err
	}
	return call(ctx, w, c, "list_notes", `{}`)
}

// call calls a tool, and prints what it returns.
func call(ctx context.Context, w io.Writer, c *client.Client, tool, arguments string) error {
	fmt.Fprintf(w, "\nThe client calls %s:\n", tool)
	result, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: tool, Arguments: wire.Raw(arguments)})
	if err != nil {
		return err
	}
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			fmt.Fprintln(w, text.Text)
		}
	}
	return nil
}
