package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/typed"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// The scopes.
const (
	readNotes  = "notes:read"
	writeNotes = "notes:write"
)

// The only user.
const (
	userName = "ada"
	password = "analytical engine"
)

// newServers returns the handler of both servers, and a function that shuts down the MCP server.
func newServers(origin string) (handler http.Handler, end func(context.Context), err error) {
	authorization, err := newAuthorizationServer(origin)
	if err != nil {
		return nil, nil, err
	}
	resource, err := auth.NewResourceServer(&auth.Options{
		Resource:             origin + "/mcp",
		AuthorizationServers: []string{origin},
		Verifier:             authorization, // in another program leave this out: the keys are then fetched
		RequiredScopes:       []string{readNotes},
		Logger:               slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, nil, err
	}
	s, err := newNotesServer()
	if err != nil {
		return nil, nil, err
	}
	h := streamable.NewHandler(s, &streamable.Options{Auth: resource})
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	resource.Register(mux) // its metadata
	mux.Handle("/", authorization)
	return mux, func(ctx context.Context) { h.Shutdown(ctx) }, nil
}

func newAuthorizationServer(origin string) (*as.Server, error) {
	return as.New(&as.Options{
		Issuer:    origin,
		Resources: []string{origin + "/mcp"},
		Scopes: []as.Scope{
			{Name: readNotes, Description: "Read your notes"},
			{Name: writeNotes, Description: "Write notes for you"},
		},
		Password: func(_ context.Context, name, given string) (*as.User, error) {
			if name != userName || given != password { // a real program compares hashes
				return nil, nil
			}
			return &as.User{Subject: "1", Name: "Ada Lovelace"}, nil
		},
		Logger: slog.New(slog.DiscardHandler),
	})
}

// notes are those of each user.
type notes struct {
	mu sync.Mutex
	of map[string][]string // by principal
}

type note struct {
	Text string `json:"text" jsonschema:"what to remember"`
}

// newNotesServer returns the MCP server: reading takes one scope, writing another.
func newNotesServer() (*server.Server, error) {
	n := &notes{of: map[string][]string{}}
	s := server.New(mcp.Implementation{Name: "notes", Version: "1.0.0"}, nil)
	list, err := typed.Tool(mcp.Tool{Name: "list_notes", Description: "Lists your notes"}, n.list)
	if err != nil {
		return nil, err
	}
	list.Access.Scopes = []string{readNotes}
	write, err := typed.Tool(mcp.Tool{Name: "add_note", Description: "Writes a note"}, n.add)
	if err != nil {
		return nil, err
	}
	write.Access.Scopes = []string{readNotes, writeNotes}
	return s, errors.Join(s.Add(list), s.Add(write))
}

func (n *notes) list(ctx context.Context, _ *server.Call, _ struct{}) (*mcp.CallToolResult, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	mine := n.of[auth.FromContext(ctx).Principal()]
	if len(mine) == 0 {
		return server.TextResult("There are no notes."), nil
	}
	return server.TextResult(strings.Join(mine, "\n")), nil
}

func (n *notes) add(ctx context.Context, _ *server.Call, added note) (*mcp.CallToolResult, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	caller := auth.FromContext(ctx).Principal()
	n.of[caller] = append(n.of[caller], added.Text)
	return server.TextResult(fmt.Sprintf("Notes now: %d", len(n.of[caller]))), nil
}
