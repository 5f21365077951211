package ask_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// callWith calls a tool with a user who enters content into any form, and visits every URL.
func callWith(h server.ToolHandler, content map[string]any) string {
	s := server.New(mcp.Implementation{Name: "hotel", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "tool"}, h)
	near, far := inmem.Pair(0)
	ctx := context.Background()
	go s.Serve(ctx, far)
	c, err := client.Connect(ctx, near, &client.Options{
		Elicit: elicit.Handler{
			Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				if content == nil {
					return elicit.Decline(), nil
				}
				return elicit.Accept(content)
			},
			URL: func(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
				return mcp.ElicitResultActionAccept, nil
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "tool"})
	if err != nil {
		log.Fatal(err)
	}
	return client.Text(r.Content)
}

// A Guest is what a hotel asks for.
type Guest struct {
	Name   string   `json:"name" jsonschema:"as in the passport" form:"minlen=1 maxlen=80"`
	Room   string   `json:"room" form:"enum=single,double default=single"`
	Until  string   `json:"until" form:"format=date title='Last night'"`
	Wishes []string `json:"wishes,omitempty" form:"enum=quiet,'sea view',cot"`
}

// A form from a struct, and its response in one.
func ExampleForm() {
	book := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		guest, err := ask.Form[Guest](ctx, c, "Who is coming?")
		if errors.Is(err, ask.ErrDeclined) {
			return server.TextResult("Nothing was booked."), nil
		}
		if err != nil {
			return nil, err
		}
		return server.TextResult(fmt.Sprintf("A %s room for %s until %s.", guest.Room, guest.Name, guest.Until)), nil
	}

	fmt.Println(callWith(book, map[string]any{"name": "Ada", "until": "2026-03-01"}))
	fmt.Println(callWith(book, nil))
	// Output:
	// A single room for Ada until 2026-03-01.
	// Nothing was booked.
}

// Consent: a form without fields. A user who declines is an error that the model reads.
func ExampleForm_consent() {
	clean := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		if _, err := ask.Form[struct{}](ctx, c, "Delete 12 files?"); err != nil {
			return nil, err
		}
		return server.TextResult("deleted"), nil
	}

	fmt.Println(callWith(clean, map[string]any{}))
	fmt.Println(callWith(clean, nil))
	// Output:
	// deleted
	// the user declined
}
