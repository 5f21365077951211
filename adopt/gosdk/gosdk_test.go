package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	oldrpc "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/adopt/internal/sameness"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMain(m *testing.M) { testenv.Main(m) }

type place struct {
	City string `json:"city"`
	Days int    `json:"days,omitempty"`
}

type weather struct {
	Text string   `json:"text"`
	Temp *float64 `json:"temp"`
	Days []int    `json:"days,omitempty"`
}

type key struct{}

// newOld returns a server of go-sdk with tools of all kinds.
func newOld() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1"}, nil)
	plain := func(name string, h sdk.ToolHandler) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: &jsonschema.Schema{Type: "object"}}, h)
	}
	plain("contents", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		size := int64(3)
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "a \"text\"\n\u2028", Meta: sdk.Meta{"a": 1.5}, Annotations: &sdk.Annotations{Audience: []sdk.Role{"user"}, Priority: 0.5}},
			&sdk.ImageContent{Data: []byte("PNG"), MIMEType: "image/png"},
			&sdk.AudioContent{Data: []byte("WAV"), MIMEType: "audio/wav"},
			&sdk.ResourceLink{URI: "old://a", Name: "a", Title: "A", Size: &size},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "old://t", MIMEType: "text/plain", Text: "text"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "old://b", Blob: []byte{0, 1}}},
		}, Meta: sdk.Meta{"example.com/a": map[string]any{"b": []any{1, nil}}}}, nil
	})
	plain("empty", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{}, nil
	})
	plain("echo", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if r.Params.Meta[callKey] != nil {
			return nil, errors.New("the handler sees how it is called")
		}
		return &sdk.CallToolResult{StructuredContent: json.RawMessage(r.Params.Arguments), Content: []sdk.Content{&sdk.TextContent{Text: string(r.Params.Arguments)}}}, nil
	})
	plain("fails", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var r sdk.CallToolResult
		r.SetError(errors.New("no such shelf"))
		return &r, nil
	})
	plain("refuses", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, &oldrpc.Error{Code: -32001, Message: "not now", Data: json.RawMessage(`{"at":[1,2]}`)}
	})
	plain("works", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		token := r.Params.GetProgressToken()
		for i := range 3 {
			if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: 3, Message: fmt.Sprint("step ", i)}); err != nil {
				return nil, err
			}
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
	})
	plain("value", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(ctx.Value(key{}))}}}, nil
	})
	plain("waits", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx.Value(key{}).(chan bool) <- true
		<-ctx.Done()
		return nil, ctx.Err()
	})
	sdk.AddTool(s, &sdk.Tool{Name: "forecast", Description: "Tells the weather."}, func(_ context.Context, _ *sdk.CallToolRequest, in place) (*sdk.CallToolResult, weather, error) {
		switch in.City {
		case "Atlantis":
			return nil, weather{}, errors.New("no such city")
		case "Ys":
			return nil, weather{}, &oldrpc.Error{Code: oldrpc.CodeInvalidParams, Message: "it has sunk"}
		}
		return nil, weather{Text: "Rain in " + in.City, Days: []int{1, in.Days}}, nil
	})
	return s
}

var calls = []sameness.Call{
	{Tool: "contents", Want: `"_meta":{"example.com/a":{"b":[1,null]}}`, Since: mcp.V2025_06_18},
	{Tool: "contents", Want: `"type":"resource_link"`, Since: mcp.V2025_06_18},
	{Tool: "empty", Want: `{"content":[]}`},
	{Tool: "echo", Args: `{"a":12345678901234567890,"b":1.50}`, Want: `"structuredContent":{"a":12345678901234567890,"b":1.50}`, Since: mcp.V2025_06_18},
	{Tool: "fails", Want: `"isError":true`},
	{Tool: "refuses", Want: `error -32001 not now {"at":[1,2]}`},
	{Tool: "works", Want: "progress 3 of 3 step 2\n{", Since: mcp.V2025_03_26},
	{Tool: "forecast", Args: `{"city":"Oslo","days":2}`, Want: `"structuredContent":{"days":[1,2],"temp":null,"text":"Rain in Oslo"}`, Since: mcp.V2025_06_18},
	{Tool: "forecast", Args: `{"city":"Atlantis"}`, Want: `"isError":true`},
	{Tool: "forecast", Args: `{"city":"Ys"}`, Want: `error -32602 it has sunk`},
	{Tool: "forecast", Args: `{}`, Want: `"isError":true`},
}

// connect connects to a new server.
func connect(t *testing.T) *Server {
	t.Helper()
	o, err := Connect(t.Context(), newOld())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// TestSame calls tools of an old server, and through this package.
func TestSame(t *testing.T) {
	old := connect(t)
	direct := newOld()
	sameness.Test(t, func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
		session, err := direct.Connect(ctx, &sdk.IOTransport{Reader: in, Writer: out}, nil)
		if err != nil {
			return err
		}
		return session.Wait()
	}, old.CallTool, calls)
}

// TestContext calls handlers with values, progress and an end of their own each, at once.
func TestContext(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	old := connect(t)
	var calls sync.WaitGroup
	for i := range 10 {
		calls.Go(func() {
			r, err := old.CallTool(context.WithValue(t.Context(), key{}, i), "value", nil)
			if want := fmt.Sprint(i); err != nil || client.Text(r.Content) != want {
				t.Errorf("got %v, %v, want %s", r, err, want)
			}
		})
	}
	calls.Wait()
	begun := make(chan bool)
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, begun))
	go func() {
		<-begun
		cancel()
	}()
	if _, err := old.CallTool(ctx, "waits", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	large := `{"x":"` + strings.Repeat("x", 17<<20) + `"}`
	if r, err := old.CallTool(t.Context(), "echo", wire.Raw(large)); err != nil || string(r.StructuredContent) != large {
		t.Errorf("a large call: %v", err)
	}
	if _, err := old.CallTool(t.Context(), "none", nil); err == nil || !strings.Contains(err.Error(), "-32602") {
		t.Errorf("an unknown tool: %v", err)
	}
	old.calls.Range(func(id, _ any) bool {
		t.Errorf("the call %v is kept", id)
		return true
	})
}

// TestClosed calls a tool after the end of the connection.
func TestClosed(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	old, err := Connect(t.Context(), newOld())
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Error(err)
	}
	if _, err := old.CallTool(t.Context(), "empty", nil); err == nil {
		t.Error("a call after the end succeeds")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Connect(ctx, newOld()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
