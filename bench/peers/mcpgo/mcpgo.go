// Package mcpgo adapts github.com/mark3labs/mcp-go to the bench.
package mcpgo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/bench/harness"
)

// Peer is the adapter. Validate turns on the opt-in input and output schema
// validation, which the go-sdk always does for typed tools.
type Peer struct {
	Label    string
	Validate bool
	Raw      bool // raw schemas instead of the schema builder's types
}

func (p Peer) Name() string { return p.Label }

type echoIn struct {
	Message string `json:"message"`
}
type echoOut struct {
	Message string `json:"message"`
}

type mcpServer struct{ s *server.MCPServer }

func (p Peer) NewServer(cfg harness.ServerConfig) (harness.Server, error) {
	opts := []server.ServerOption{server.WithToolCapabilities(true), server.WithLogger(slog.New(slog.DiscardHandler))}
	if p.Validate {
		opts = append(opts, server.WithInputSchemaValidation(), server.WithOutputSchemaValidation())
	}
	s := server.NewMCPServer("echo", "1.0.0", opts...)
	s.AddTool(mcp.NewTool("echo", mcp.WithDescription("Echo a message"),
		mcp.WithString("message", mcp.Required(), mcp.Description("the message to echo")),
		mcp.WithOutputSchema[echoOut]()),
		mcp.NewTypedToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in echoIn) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructured(echoOut{in.Message}, in.Message), nil
		}))
	for _, t := range harness.ToolSpecs(cfg.ListTools) {
		tool := mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description}
		if p.Raw {
			tool.RawInputSchema = t.InputSchema
		} else if err := json.Unmarshal(t.InputSchema, &tool.InputSchema); err != nil {
			return nil, err
		}
		s.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	return &mcpServer{s}, nil
}

func (s *mcpServer) ServeStream(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return server.NewStdioServer(s.s).Listen(ctx, in, out)
}

func (s *mcpServer) HTTPHandler(mode harness.HTTPMode) (http.Handler, error) {
	if mode == harness.Stateless {
		return server.NewStreamableHTTPServer(s.s, server.WithStateLess(true)), nil
	}
	return server.NewStreamableHTTPServer(s.s, server.WithStateful(true)), nil
}

type mcpClient struct{ *client.Client }

func dial(ctx context.Context, c *client.Client, proto string) (harness.Client, error) {
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	var req mcp.InitializeRequest
	req.Params.ProtocolVersion = proto
	req.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1.0.0"}
	if _, err := c.Initialize(ctx, req); err != nil {
		c.Close()
		return nil, err
	}
	if got := c.ProtocolVersion(); got != proto {
		c.Close()
		return nil, fmt.Errorf("negotiated %s, want %s", got, proto)
	}
	return mcpClient{c}, nil
}

func (p Peer) DialInMemory(ctx context.Context, s harness.Server, proto string) (harness.Client, error) {
	c, err := client.NewInProcessClientWithOptions(s.(*mcpServer).s, client.WithProtocolVersion(proto))
	if err != nil {
		return nil, err
	}
	return dial(ctx, c, proto)
}

func (p Peer) DialStream(ctx context.Context, in io.ReadCloser, out io.WriteCloser, proto string) (harness.Client, error) {
	t := transport.NewIO(in, out, io.NopCloser(strings.NewReader("")))
	return dial(ctx, client.NewClient(t, client.WithProtocolVersion(proto)), proto)
}

func (p Peer) DialHTTP(ctx context.Context, url string, hc *http.Client, mode harness.HTTPMode, proto string) (harness.Client, error) {
	opts := []transport.StreamableHTTPCOption{transport.WithHTTPBasicClient(hc)}
	if mode == harness.Stateful {
		opts = append(opts, transport.WithContinuousListening()) // an open GET stream, as the go-sdk client has
	}
	t, err := transport.NewStreamableHTTP(url, opts...)
	if err != nil {
		return nil, err
	}
	return dial(ctx, client.NewClient(t, client.WithProtocolVersion(proto)), proto)
}

func (c mcpClient) Echo(ctx context.Context, message string) (string, error) {
	var req mcp.CallToolRequest
	req.Params.Name = "echo"
	req.Params.Arguments = echoIn{message}
	r, err := c.CallTool(ctx, req)
	if err != nil {
		return "", err
	}
	m, _ := r.StructuredContent.(map[string]any)
	got, _ := m["message"].(string)
	if r.IsError || len(r.Content) != 1 {
		return "", fmt.Errorf("bad result: %+v", r)
	}
	return got, nil
}

func (c mcpClient) ListTools(ctx context.Context) (int, error) {
	r, err := c.Client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return 0, err
	}
	return len(r.Tools), nil
}
