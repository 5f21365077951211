package mcptest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// host is the side of the ui extension that shows apps.
type host struct {
	ui.UnimplementedServerHandler
	context chan string
}

func (h host) RequestDisplayMode(_ context.Context, p *ui.RequestDisplayModeRequestParams) (*ui.RequestDisplayModeResult, error) {
	return &ui.RequestDisplayModeResult{Mode: p.Mode}, nil
}

func (h host) UpdateModelContext(_ context.Context, p *ui.UpdateModelContextRequestParams) (*mcp.EmptyResult, error) {
	text, ok := p.Content[0].(*mcp.TextContent)
	if !ok {
		return nil, errors.New("no text")
	}
	h.context <- text.Text
	return &mcp.EmptyResult{}, nil
}

// The generated dispatcher of an extension handles its methods on a server, and its generated calls reach them, in
// each revision that has the types of the base that it needs.
func TestGeneratedExtension(t *testing.T) {
	for _, rev := range server.Revisions() {
		if rev < mcp.V2025_06_18 {
			continue
		}
		t.Run(rev.String(), func(t *testing.T) {
			h := host{context: make(chan string, 1)}
			dispatcher := ui.ServerDispatcher{Handler: h}
			handle := func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
				return dispatcher.Request(ctx, c.Revision(), c.Method(), c.Params())
			}
			s := server.New(mcp.Implementation{Name: "host", Version: "1"}, nil)
			if err := s.AddExtension(server.Extension{ID: ui.Extension, Methods: map[string]server.Handler{
				ui.MethodRequestDisplayMode.Name: handle, ui.MethodUpdateModelContext.Name: handle,
			}}); err != nil {
				t.Fatal(err)
			}
			c := mcptest.Connect(t, s, &mcptest.Options{Revision: rev, Client: client.Options{Extensions: []client.Extension{{ID: ui.Extension}}}})
			calls := ui.ServerCalls{Caller: c}
			result, err := calls.RequestDisplayMode(t.Context(), &ui.RequestDisplayModeRequestParams{Mode: ui.DisplayModePip})
			if err != nil || result.Mode != ui.DisplayModePip {
				t.Errorf("%+v, %v", result, err)
			}
			params := &ui.UpdateModelContextRequestParams{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "hi"}}}
			if _, err := calls.UpdateModelContext(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			if got := <-h.context; got != "hi" {
				t.Errorf("the host has got %q", got)
			}
		})
	}
}
