package validate_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/validate"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The handler gets only arguments that are valid against the schema; the model is told what is wrong with
// others.
func ExampleTools() {
	s := server.New(mcp.Implementation{Name: "dice", Version: "1.0.0"}, &server.Options{WrapTools: []server.ToolWrapper{validate.Tools}})
	roll := mcp.Tool{
		Name: "roll",
		InputSchema: wire.Raw(`{
			"type": "object",
			"properties": {"die": {"enum": ["d6", "d20"]}},
			"required": ["die"]
		}`),
	}
	err := s.AddTool(roll, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("rolled a " + args.StringAt("die")), nil
	})
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	near, far := inmem.Pair(0)
	go s.Serve(ctx, far)
	c, err := client.Connect(ctx, near, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for _, args := range []string{`{"die": "d6"}`, `{"die": "d7"}`} {
		r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "roll", Arguments: wire.Raw(args)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.GetIsError(), r.Content[0].(*mcp.TextContent).Text)
	}
	// Output:
	// false rolled a d6
	// true die: value must be one of 'd6', 'd20'
}
