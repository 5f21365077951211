package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	oldmcp "github.com/mark3labs/mcp-go/mcp"
	oldserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/adopt/internal/sameness"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMain(m *testing.M) { testenv.Main(m) }

type key struct{}

// newOld returns a server of mcp-go with tools of all kinds.
func newOld() *oldserver.MCPServer {
	s := oldserver.NewMCPServer("old", "1", oldserver.WithToolCapabilities(true))
	add := func(name string, h oldserver.ToolHandlerFunc, opts ...oldmcp.ToolOption) {
		s.AddTool(oldmcp.NewTool(name, opts...), h)
	}
	add("contents", func(context.Context, oldmcp.CallToolRequest) (*oldmcp.CallToolResult, error) {
		text := oldmcp.NewTextContent("a \"text\"\n\u2028")
		text.Annotations = &oldmcp.Annotations{Audience: []oldmcp.Role{oldmcp.RoleUser}}
		return &oldmcp.CallToolResult{
			Content: []oldmcp.Content{
				text,
				oldmcp.NewImageContent("UE5H", "image/png"),
				oldmcp.NewAudioContent("V0FW", "audio/wav"),
				oldmcp.NewResourceLink("old://a", "a", "A resource", "text/plain"),
				oldmcp.NewEmbeddedResource(oldmcp.TextResourceContents{URI: "old://t", MIMEType: "text/plain", Text: "text"}),
				oldmcp.NewEmbeddedResource(oldmcp.BlobResourceContents{URI: "old://b", Blob: "AAE="}),
			},
			Result: oldmcp.Result{Meta: oldmcp.NewMetaFromMap(map[string]any{"example.com/a": map[string]any{"b": []any{1, nil}}})},
		}, nil
	})
	add("empty", func(context.Context, oldmcp.CallToolRequest) (*oldmcp.CallToolResult, error) {
		return &oldmcp.CallToolResult{}, nil
	})
	add("echo", func(_ context.Context, r oldmcp.CallToolRequest) (*oldmcp.CallToolResult, error) {
		raw, _ := r.GetRawArguments().(json.RawMessage)
		return &oldmcp.CallToolResult{RawStructuredContent: raw, Content: []oldmcp.Content{oldmcp.NewTextContent(string(raw))}}, nil
	})
	add("structured", func(context.Context, oldmcp.CallToolRequest) (*oldmcp.CallToolResult, error) {
		return oldmcp.NewToolResultStructured(map[string]any{"temp": nil, "days": []int{1, 2}}, "two days"), nil
	})
	add("fails", func(context.Context, oldmcp.CallToolRequest) (*oldmcp.CallToolResult, error) {
		return oldmcp.NewToolResultError("no such shelf"), nil
	})
	add("refuses", func(context.Context, oldmcp.CallToolRequest) (*oldmcp.CallToolResult, error) {
		return nil, errors.New("not now")
	})
	add("works", func(ctx context.Context, r oldmcp.CallToolRequest) (*oldmcp.CallToolResult, error) {
		if r.Params.Meta == nil {
			return oldmcp.NewToolResultText("nobody wants to know"), nil
		}
		for i := range 3 {
			err := oldserver.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{
				"progressToken": r.Params.Meta.ProgressToken, "progress": i + 1, "total": 3, "message": fmt.Sprint("step ", i),
			})
			if err != nil {
				return nil, err
			}
		}
		return oldmcp.NewToolResultText("done"), nil
	})
	add("value", func(ctx context.Context, _ oldmcp.CallToolRequest) (*oldmcp.CallToolResult, error) {
		return oldmcp.NewToolResultText(fmt.Sprint(ctx.Value(key{}))), nil
	})
	add("waits", func(ctx context.Context, _ oldmcp.CallToolRequest) (*oldmcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add("forecast", func(_ context.Context, r oldmcp.CallToolRequest) (*oldmcp.CallToolResult, error) {
		city, err := r.RequireString("city")
		if err != nil {
			return oldmcp.NewToolResultError(err.Error()), nil
		}
		return oldmcp.NewToolResultText(fmt.Sprintf("Rain in %s for %d days", city, r.GetInt("days", 1))), nil
	}, oldmcp.WithDescription("Tells the weather."), oldmcp.WithString("city", oldmcp.Required()), oldmcp.WithNumber("days"))
	return s
}

var calls = []sameness.Call{
	{Tool: "contents", Want: `"_meta":{"example.com/a":{"b":[1,null]}}`, Since: mcp.V2025_06_18},
	{Tool: "contents", Want: `"type":"resource_link"`, Since: mcp.V2025_06_18},
	{Tool: "empty", Want: `{"content":[]}`},
	{Tool: "echo", Args: `{"a":12345678901234567890,"b":1.50}`, Want: `"structuredContent":{"a":12345678901234567890,"b":1.50}`, Since: mcp.V2025_06_18},
	{Tool: "structured", Want: `"structuredContent":{"days":[1,2],"temp":null}`, Since: mcp.V2025_06_18},
	{Tool: "fails", Want: `"isError":true`},
	{Tool: "refuses", Want: `error -32603 not now`},
	{Tool: "works", Want: "progress 3 of 3 step 2\n{", Since: mcp.V2025_03_26, Alone: true},
	{Tool: "forecast", Args: `{"city":"Oslo","days":2}`, Want: `Rain in Oslo for 2 days`},
	{Tool: "forecast", Args: `{}`, Want: `"isError":true`},
}

// TestSame calls tools of an old server, and through this package.
func TestSame(t *testing.T) {
	direct := newOld()
	sameness.Test(t, func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
		return oldserver.NewStdioServer(direct).Listen(ctx, in, out)
	}, New(newOld()).CallTool, calls)
}

// TestContext calls handlers with contexts of their own, at once.
func TestContext(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	old := New(newOld())
	var calls sync.WaitGroup
	for i := range 10 {
		calls.Go(func() {
			reports := 0
			ctx := client.WithProgress(context.WithValue(t.Context(), key{}, i), func(*mcp.ProgressNotificationParams) { reports++ })
			r, err := old.CallTool(ctx, "value", nil)
			if want := fmt.Sprint(i); err != nil || client.Text(r.Content) != want {
				t.Errorf("got %v, %v, want %s", r, err, want)
			}
			if _, err := old.CallTool(ctx, "works", nil); err != nil || reports != 3 {
				t.Errorf("%d reports, want 3, %v", reports, err)
			}
		})
	}
	calls.Wait()
	if r, err := old.CallTool(t.Context(), "works", nil); err != nil || client.Text(r.Content) != "nobody wants to know" {
		t.Errorf("got %v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := old.CallTool(ctx, "waits", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	large := `{"x":"` + strings.Repeat("x", 1<<20) + `"}`
	if r, err := old.CallTool(t.Context(), "echo", wire.Raw(large)); err != nil || string(r.StructuredContent) != large {
		t.Errorf("a large call: %v", err)
	}
	if _, err := old.CallTool(t.Context(), "none", nil); err == nil || !strings.Contains(err.Error(), "-32602") {
		t.Errorf("an unknown tool: %v", err)
	}
}
