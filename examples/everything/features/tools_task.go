package features

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// canBeTask and mustBeTask say that a call may be, or has to be, a task: the client gets an id at
// once, and asks later what became of it. The handlers are those of any tool.
var (
	canBeTask  = &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}
	mustBeTask = &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired}
)

// taskTools are for tasks: they take their time, fail, or ask the client.
var taskTools = []tool{
	{
		mcp.Tool{
			Name:        "greet",
			Description: "Greets somebody, at once",
			InputSchema: oneArgument("name", "string", "Whom to greet"),
		},
		func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			name, err := argument[string](args, "name")
			return server.TextResult("Hello, " + name + "!"), err
		},
	},
	{
		mcp.Tool{
			Name:        "slow_compute",
			Description: "Takes its time",
			InputSchema: wire.Raw(`{
				"type": "object",
				"properties": {
					"seconds": {"type": "number", "description": "How long", "minimum": 0, "maximum": 3600},
					"label": {"type": "string", "description": "What to call the result"}
				},
				"additionalProperties": false
			}`),
			Execution: canBeTask,
		},
		slowCompute,
	},
	{
		mcp.Tool{Name: "failing_job", Description: "Fails after a second", Execution: mustBeTask},
		func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if err := sleep(ctx, time.Second); err != nil {
				return nil, err
			}
			return nil, errors.New("the job failed, as it always does")
		},
	},
	{
		mcp.Tool{Name: "protocol_error_job", Description: "Ends with an error of the protocol", Execution: canBeTask},
		func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the job cannot be carried out"}
		},
	},
	{
		mcp.Tool{
			Name:        "confirm_delete",
			Description: "Asks the user before it pretends to delete a file",
			InputSchema: oneArgument("filename", "string", "The file"),
			Execution:   canBeTask,
		},
		func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			file, err := argument[string](args, "filename")
			if err != nil {
				return nil, err
			}
			yes, err := ask[bool](ctx, c, "confirm", "Delete "+file+"?", "confirm")
			if err != nil {
				return nil, err
			}
			return server.TextResult(fmt.Sprintf("%s deleted: %t", file, yes)), nil
		},
	},
	{
		mcp.Tool{Name: "multi_input", Description: "Asks the user two things at the same time", Execution: canBeTask},
		askTwice,
	},
	{
		mcp.Tool{Name: "test_tool_with_task", Description: "Asks the user, then goes on as a task"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			greeting, err := greet(ctx, c)
			if err != nil {
				return nil, err
			}
			return taskserver.AsTask(ctx, c, func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
				return server.TextResult(greeting), sleep(ctx, step)
			})
		},
	},
}

func slowCompute(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	var in struct {
		Seconds float64
		Label   string
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, &server.ArgumentError{Problems: []string{err.Error()}}
	}
	if in.Seconds < 0 || in.Seconds > 3600 {
		return nil, &server.ArgumentError{Problems: []string{fmt.Sprintf("seconds: want 0 to 3600, got %v", in.Seconds)}}
	}
	const parts = 4
	for done := range parts {
		c.Progress().Report(float64(done), parts, fmt.Sprintf("computing part %d", done+1))
		if err := sleep(ctx, time.Duration(in.Seconds/parts*float64(time.Second))); err != nil {
			return nil, err
		}
	}
	return server.TextResult("Computed " + in.Label), nil
}

// askTwice does not wait for the first answer before it asks again.
func askTwice(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
	var confirmed bool
	confirm := make(chan error, 1)
	go func() {
		var err error
		confirmed, err = ask[bool](ctx, c, "confirm", "Go on?", "confirm")
		confirm <- err
	}()
	name, err := ask[string](ctx, c, "name", "What is your name?", "name")
	if err := errors.Join(err, <-confirm); err != nil {
		return nil, err
	}
	return server.TextResult(fmt.Sprintf("%s went on: %t", name, confirmed)), nil
}
