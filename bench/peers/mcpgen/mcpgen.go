// Package mcpgen adapts this project to the bench.
package mcpgen

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Peer is the adapter.
type Peer struct{ Label string }

func (p Peer) Name() string { return p.Label }

type echoServer struct{ s *server.Server }

func (p Peer) NewServer(cfg harness.ServerConfig) (harness.Server, error) {
	s := server.New(mcp.Implementation{Name: "echo", Version: "1.0.0"}, &server.Options{Logger: quiet, MaxKept: -1})
	if err := s.AddTool(mcp.Tool{
		Name: "echo", Description: "Echo a message",
		InputSchema: wire.Raw(echoSchema), OutputSchema: wire.Raw(echoSchema),
	}, echo); err != nil {
		return nil, err
	}
	for _, t := range harness.ToolSpecs(cfg.ListTools) {
		err := s.AddTool(mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: wire.Raw(t.InputSchema)},
			func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
		if err != nil {
			return nil, err
		}
	}
	return &echoServer{s}, nil
}

var quiet = slog.New(slog.DiscardHandler)

func (s *echoServer) ServeStream(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.s.Serve(ctx, stdio.New(in, out, nil))
}

func (s *echoServer) HTTPHandler(mode harness.HTTPMode) (http.Handler, error) {
	return streamable.NewHandler(s.s, &streamable.Options{
		Stateless: mode == harness.Stateless,
		Logger:    quiet,
		// However many the flag -sessions says, all of one client.
		MaxSessions: -1, MaxRequests: -1,
	}), nil
}

type echoClient struct{ *client.Client }

func dial(ctx context.Context, t transport.Transport, proto string) (harness.Client, error) {
	rev, err := wire.ParseRevision(proto)
	if err != nil {
		return nil, err
	}
	c, err := client.Connect(ctx, t, &client.Options{
		Info:      mcp.Implementation{Name: "bench", Version: "1.0.0"},
		Revisions: []wire.Revision{rev},
		Logger:    quiet,
	})
	if err != nil {
		return nil, err
	}
	return echoClient{c}, nil
}

func (p Peer) DialInMemory(ctx context.Context, s harness.Server, proto string) (harness.Client, error) {
	near, far := inmem.Pair(0)
	go s.(*echoServer).s.Serve(context.WithoutCancel(ctx), far)
	return dial(ctx, near, proto)
}

func (p Peer) DialStream(ctx context.Context, in io.ReadCloser, out io.WriteCloser, proto string) (harness.Client, error) {
	return dial(ctx, stdio.New(in, out, nil), proto)
}

func (p Peer) DialHTTP(ctx context.Context, url string, hc *http.Client, _ harness.HTTPMode, proto string) (harness.Client, error) {
	return dial(ctx, httpclient.New(url, &httpclient.Options{HTTP: hc, Logger: quiet}), proto)
}

func (c echoClient) Echo(ctx context.Context, text string) (string, error) {
	args, err := wire.Marshal(wire.Any, &message{text})
	if err != nil {
		return "", err
	}
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "echo", Arguments: args})
	if err != nil {
		return "", err
	}
	if r.GetIsError() || len(r.Content) != 1 {
		return "", fmt.Errorf("bad result: %+v", r)
	}
	var out message
	if err := wire.Decode(r.StructuredContent, &out); err != nil {
		return "", err
	}
	return out.Message, nil
}

func (c echoClient) ListTools(ctx context.Context) (int, error) {
	r, err := c.Client.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(r.Tools), nil
}
