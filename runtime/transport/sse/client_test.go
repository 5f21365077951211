package sse_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Our client and our handler; many calls at once, and nothing left of them.
//
// REQ SSE-01, SSE-02, SSE-03, SSE-04
func TestClientAndHandler(t *testing.T) {
	hs := serve(t, nil)
	testenv.NoGoroutinesLeft(t)
	for range 3 {
		c, err := client.Connect(t.Context(), httpclient.New(hs.URL, &httpclient.Options{Logger: silent}), &client.Options{
			Revisions: []wire.Revision{mcp.V2024_11_05},
			Logger:    silent,
			Limits:    transport.Limits{Timeout: time.Minute},
		})
		if err != nil {
			t.Fatal(err)
		}
		waits := make(chan error)
		go func() {
			_, err := c.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: "wait"})
			waits <- err
		}()
		var calls sync.WaitGroup
		for i := range 100 {
			calls.Go(func() {
				want := fmt.Sprintf(`{"i":%d}`, i)
				r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "echo", Arguments: wire.Raw(want)})
				if err != nil || r.Content[0].(*mcp.TextContent).Text != want {
					t.Errorf("got %v, %v", r, err)
				}
			})
		}
		calls.Wait()
		c.Close()
		if err := <-waits; !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("the call that is at work: %v", err)
		}
	}
}
