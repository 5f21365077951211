package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
)

// connect returns a client that speaks the revision of the scenario and answers what it is asked.
func (r *run) connect(ctx context.Context) (*client.Client, error) {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	opts := &httpclient.Options{Logger: logger}
	if isAuth(r.scenario) {
		auth, err := r.authorization()
		if err != nil {
			return nil, err
		}
		auth.Logger = logger
		t, err := authclient.New(r.url, auth)
		if err != nil {
			return nil, err
		}
		opts.HTTP = &http.Client{Transport: t}
	}
	c, err := client.Connect(ctx, httpclient.New(r.url, opts), &client.Options{
		Info:      mcp.Implementation{Name: "mcpgen-conformance", Version: "1.0.0"},
		Revisions: r.revisions(),
		// There is no older revision to try; and logging in may take long where many clients start at once.
		ProbeTimeout: -1,
		Logger:       logger,
		Elicit:       elicit.Handler{Form: accept},
	})
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", r.url, err)
	}
	return c, nil
}

// accept confirms what is to be confirmed, and leaves everything else to the defaults.
func accept(_ context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
	content := map[string]any{}
	for _, field := range p.RequestedSchema.Properties {
		if field.Name == "confirmed" {
			content[field.Name] = true
		}
	}
	return elicit.Accept(content)
}
