package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A client of one revision against a server of one revision: they understand each other exactly if
// it is the same one. Otherwise the client says which revisions there are, and nothing hangs.
//
// REQ VER-17, LIFE-08, VER-03, VER-07
func TestEachAgainstEach(t *testing.T) {
	t.Parallel()
	for _, ours := range taught.Revisions() {
		for _, theirs := range taught.Revisions() {
			t.Run(fmt.Sprintf("client %v, server %v", ours, theirs), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { meet(t, ours, theirs) })
			})
		}
	}
}

func meet(t *testing.T, ours, theirs wire.Revision) {
	near, far := inmem.Pair(0)
	served := make(chan error)
	go func() { served <- newServer(t, theirs).Serve(context.Background(), far) }()
	c, err := client.Connect(t.Context(), near, &client.Options{
		Revisions: []wire.Revision{ours},
		Logger:    quiet,
	})
	if err == nil {
		r, callErr := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "echo0", Arguments: wire.Raw(`{"a":1}`)})
		if callErr != nil || r.GetIsError() || c.Revision() != theirs {
			t.Errorf("call at %v: %v %v", c.Revision(), r, callErr)
		}
		c.Close()
	} else if err := near.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	var version *client.VersionError
	switch {
	case ours == theirs && err != nil:
		t.Errorf("connect: %v", err)
	case ours != theirs && !errors.As(err, &version):
		t.Errorf("connect: got %v, want a VersionError", err)
	}
}
