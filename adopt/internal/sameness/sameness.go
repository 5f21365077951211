// Package sameness tests whether clients see the same of tools through a server of another library, and through functions that call
// its tools.
package sameness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Call is a call of a tool.
type Call struct {
	Tool, Args string
	Want       string        // what clients see, among other things
	Since      wire.Revision // in which all of it is known; [server.Server] has something else for clients of older ones
	Alone      bool          // it is not compared, since the old server sends what it has in any order
}

// A CallFunc is what the code that `mcpgen adopt` makes calls.
type CallFunc = func(ctx context.Context, tool string, args wire.Raw) (*mcp.CallToolResult, error)

// Test makes calls of a server, which serve serves over a pair of streams, and of one that has the same tools by old, in every revision
// that both speak.
func Test(t *testing.T, serve func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error, old CallFunc, calls []Call) {
	revisions := 0
	for _, revision := range client.Revisions() {
		t.Run(revision.String(), func(t *testing.T) {
			direct, err := connect(t, serve, revision)
			if errors.As(err, new(*client.VersionError)) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			revisions++
			adopted := mcptest.Connect(t, adoptedServer(t, direct, old), &mcptest.Options{Revision: revision})
			for _, call := range calls {
				if revision < call.Since {
					continue
				}
				is := outcome(t, adopted.Client, call)
				if was := outcome(t, direct, call); was != is && !call.Alone {
					t.Errorf("tool %s with %s: got\n%s, want\n%s", call.Tool, call.Args, is, was)
				}
				if !strings.Contains(is, call.Want) {
					t.Errorf("tool %s with %s: got\n%s, want\n%s", call.Tool, call.Args, is, call.Want)
				}
			}
		})
	}
	if revisions < 3 {
		t.Errorf("compared in %d revisions", revisions)
	}
}

// connect connects to the old server.
func connect(t *testing.T, serve func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error, revision wire.Revision) (*client.Client, error) {
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, fromClient, toClient) }()
	conn := stdio.New(fromServer, toServer, nil)
	c, err := client.Connect(t.Context(), conn, &client.Options{Revisions: []wire.Revision{revision}, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if c != nil {
			c.Close()
		}
		cancel()
		fromClient.Close()
		toClient.Close()
		<-served
	})
	return c, err
}

// adoptedServer returns a server with the tools of another one, as the code that `mcpgen adopt` makes calls them.
func adoptedServer(t *testing.T, from *client.Client, old CallFunc) *server.Server {
	s := server.New(mcp.Implementation{Name: "adopted", Version: "1"}, &server.Options{Logger: slog.New(slog.DiscardHandler), NotifyRate: -1})
	for tool, err := range from.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AddTool(*tool, func(ctx context.Context, call *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			if progress := call.Progress(); progress != nil {
				ctx = client.WithProgress(ctx, func(r *mcp.ProgressNotificationParams) { progress.Report(r.Progress, r.GetTotal(), r.Message) })
			}
			return old(ctx, tool.Name, args)
		}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// outcome returns all that a client sees of a call.
func outcome(t *testing.T, c *client.Client, call Call) string {
	var mu sync.Mutex
	var b strings.Builder
	ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&b, "progress %v of %v %s\n", p.Progress, p.GetTotal(), p.Message)
	})
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: call.Tool, Arguments: wire.Raw(call.Args)})
	mu.Lock()
	defer mu.Unlock()
	switch refused, is := errors.AsType[*jsonrpc.Error](err); {
	case is:
		fmt.Fprintf(&b, "error %d %s %s", refused.Code, refused.Message, refused.Data)
	case err != nil:
		t.Errorf("tool %s: %v", call.Tool, err)
	default:
		if r.Meta != nil { // each server has its own name
			if r.Meta.ServerInfo = nil; len(r.Meta.Extra) == 0 {
				r.Meta = nil
			}
		}
		r.ResultType = "" // which some servers leave out
		text, err := wire.Marshal(wire.Any, r)
		if err != nil {
			t.Error(err)
		}
		b.Write(text)
	}
	return b.String()
}
