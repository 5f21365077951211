package taskserver_test

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

// A tool that can be a task runs in the background for clients that take tasks, and at once for all
// others. Its handler need not know.
func ExampleEnable() {
	s := server.New(mcp.Implementation{Name: "builder", Version: "1.0.0"}, &server.Options{
		Setup: []server.Setup{taskserver.Enable(&taskserver.Options{PollInterval: 10 * time.Millisecond})},
	})
	build := mcp.Tool{
		Name:      "build",
		Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional},
	}
	err := s.AddTool(build, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 2, "compiling")
		return server.TextResult(fmt.Sprint("built in the background: ", taskserver.ID(c) != "")), nil
	})
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	for _, extensions := range [][]client.Extension{nil, {taskclient.Enable(nil)}} {
		near, far := inmem.Pair(0)
		go s.Serve(ctx, far)
		c, err := client.Connect(ctx, near, &client.Options{Extensions: extensions})
		if err != nil {
			log.Fatal(err)
		}
		result, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "build"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Content[0].(*mcp.TextContent).Text)
		c.Close()
	}
	s.Shutdown(ctx)

	// Output:
	// built in the background: false
	// built in the background: true
}
