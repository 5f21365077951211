package taskclient_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A tool goes on in the background; its result is fetched later, by the id of the task.
func ExampleStart() {
	s := server.New(mcp.Implementation{Name: "builder", Version: "1.0.0"}, &server.Options{
		Setup: []server.Setup{taskserver.Enable(&taskserver.Options{PollInterval: 10 * time.Millisecond})},
	})
	build := mcp.Tool{
		Name:      "build",
		Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired},
	}
	s.AddTool(build, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("built"), nil
	})
	near, far := inmem.Pair(0)
	ctx := context.Background()
	go s.Serve(ctx, far)

	c, err := client.Connect(ctx, near, &client.Options{Extensions: []client.Extension{taskclient.Enable(nil)}})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	task, err := taskclient.Start(ctx, c, &mcp.CallToolRequestParams{Name: "build"})
	if err != nil {
		log.Fatal(err)
	}
	r, err := taskclient.Of(c, task.ID()).Result(ctx) // here or in another process
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Content[0].(*mcp.TextContent).Text)
	// Output: built
}
