package features

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// samplingTools ask the client's language model.
var samplingTools = []tool{
	{
		mcp.Tool{
			Name:        "test_sampling",
			Description: "Asks the client's language model",
			InputSchema: oneArgument("prompt", "string", "What to ask"),
		},
		func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			prompt, err := argument[string](args, "prompt")
			if err != nil {
				return nil, err
			}
			r, err := c.CreateMessage(ctx, question(prompt))
			if err != nil {
				return nil, err
			}
			return server.TextResult("LLM response: " + textOf(r)), nil
		},
	},
	{
		mcp.Tool{Name: "test_sampling_tools", Description: "Has the client's language model use a tool"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			q := question("What is the weather in Oslo?")
			q.Tools = []mcp.Tool{{
				Name:        "get_weather",
				Description: "Tells the weather",
				InputSchema: wire.Raw(`{"type":"object","properties":{"city":{"type":"string"}}}`),
			}}
			q.ToolChoice = &mcp.ToolChoice{Mode: mcp.ToolChoiceModeRequired}
			r, err := c.CreateMessage(ctx, q)
			if err != nil {
				return nil, err
			}
			for _, block := range r.Content {
				if use, ok := block.(*mcp.ToolUseContent); ok {
					var input bytes.Buffer
					if err := json.Compact(&input, use.Input); err != nil {
						return nil, err
					}
					return server.TextResult("LLM wants " + use.Name + " " + input.String()), nil
				}
			}
			return nil, errors.New("the model uses no tool")
		},
	},
}

// question asks a language model for a message about one text.
func question(prompt string) *mcp.CreateMessageRequestParams {
	return &mcp.CreateMessageRequestParams{
		Messages: []mcp.SamplingMessage{{
			Role:    mcp.RoleUser,
			Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: prompt}},
		}},
		MaxTokens: 100,
	}
}

// textOf returns the text of a message.
func textOf(r *mcp.CreateMessageResult) string {
	var all string
	for _, block := range r.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			all += t.Text
		}
	}
	return all
}
