// Package gosdk adapts github.com/modelcontextprotocol/go-sdk to the bench.
package gosdk

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/harness"
)

// Peer is the adapter. Raw selects the leanest configuration the public API
// allows: low-level Server.AddTool (no validation, raw schemas) and JSON
// instead of SSE answers to POST.
type Peer struct {
	Label string
	Raw   bool
}

func (p Peer) Name() string { return p.Label }

type echoIn struct {
	Message string `json:"message" jsonschema:"the message to echo"`
}
type echoOut struct {
	Message string `json:"message" jsonschema:"the echoed message"`
}

var echoSchema = json.RawMessage(`{"type":"object","properties":{"message":{"type":"string","description":"the message to echo"}},"required":["message"],"additionalProperties":false}`)

type server struct {
	s   *mcp.Server
	raw bool
}

func (p Peer) NewServer(cfg harness.ServerConfig) (harness.Server, error) {
	s := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1.0.0"}, nil)
	if p.Raw {
		s.AddTool(&mcp.Tool{Name: "echo", Description: "Echo a message", InputSchema: echoSchema, OutputSchema: echoSchema},
			func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				var in echoIn
				if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
					return nil, err
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Message}}, StructuredContent: echoOut{in.Message}}, nil
			})
	} else {
		mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Echo a message"},
			func(_ context.Context, _ *mcp.CallToolRequest, in echoIn) (*mcp.CallToolResult, echoOut, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Message}}}, echoOut{in.Message}, nil
			})
	}
	for _, t := range harness.ToolSpecs(cfg.ListTools) {
		tool := &mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description}
		if p.Raw {
			tool.InputSchema = t.InputSchema
		} else {
			// What mcp.AddTool leaves in the tool: a *jsonschema.Schema.
			sch := new(jsonschema.Schema)
			if err := json.Unmarshal(t.InputSchema, sch); err != nil {
				return nil, err
			}
			tool.InputSchema = sch
		}
		s.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	return &server{s, p.Raw}, nil
}

func (s *server) ServeStream(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.s.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}

func (s *server) HTTPHandler(mode harness.HTTPMode) (http.Handler, error) {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.s },
		&mcp.StreamableHTTPOptions{Stateless: mode == harness.Stateless, JSONResponse: s.raw}), nil
}

type client struct{ *mcp.ClientSession }

func dial(ctx context.Context, t mcp.Transport, proto string) (harness.Client, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	cs, err := c.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: proto})
	if err != nil {
		return nil, err
	}
	if got := cs.InitializeResult().ProtocolVersion; got != proto {
		cs.Close()
		return nil, fmt.Errorf("negotiated %s, want %s", got, proto)
	}
	return client{cs}, nil
}

func (p Peer) DialInMemory(ctx context.Context, s harness.Server, proto string) (harness.Client, error) {
	ct, st := mcp.NewInMemoryTransports()
	if _, err := s.(*server).s.Connect(ctx, st, nil); err != nil {
		return nil, err
	}
	return dial(ctx, ct, proto)
}

func (p Peer) DialStream(ctx context.Context, in io.ReadCloser, out io.WriteCloser, proto string) (harness.Client, error) {
	return dial(ctx, &mcp.IOTransport{Reader: in, Writer: out}, proto)
}

func (p Peer) DialHTTP(ctx context.Context, url string, hc *http.Client, _ harness.HTTPMode, proto string) (harness.Client, error) {
	return dial(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: hc}, proto)
}

func (c client) Echo(ctx context.Context, message string) (string, error) {
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: echoIn{message}})
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

func (c client) ListTools(ctx context.Context) (int, error) {
	r, err := c.ClientSession.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(r.Tools), nil
}
