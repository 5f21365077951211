package features

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// argumentsPrompt is the prompt whose arguments can be completed.
const argumentsPrompt = "test_prompt_with_arguments"

// prompts are texts to begin a conversation with.
var prompts = []struct {
	mcp.Prompt
	run server.PromptHandler
}{
	{
		mcp.Prompt{Name: "test_simple_prompt", Description: "A text"},
		func(context.Context, *server.Call, map[string]string) (*mcp.GetPromptResult, error) {
			return messages(text("This is a simple prompt for testing.")), nil
		},
	},
	{
		mcp.Prompt{Name: argumentsPrompt, Description: "A text with two arguments", Arguments: []mcp.PromptArgument{
			{Name: "arg1", Description: "A word", Required: new(true)},
			{Name: "arg2", Description: "Another word, which depends on the first", Required: new(true)},
		}},
		func(_ context.Context, _ *server.Call, args map[string]string) (*mcp.GetPromptResult, error) {
			return messages(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"]))), nil
		},
	},
	{
		mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: "A resource and a text", Arguments: []mcp.PromptArgument{
			{Name: "resourceUri", Description: "The URI of the resource", Required: new(true)},
		}},
		func(_ context.Context, _ *server.Call, args map[string]string) (*mcp.GetPromptResult, error) {
			return messages(
				resource(args["resourceUri"], "text/plain", "Embedded resource content for testing."),
				text("Please process the embedded resource above."),
			), nil
		},
	},
	{
		mcp.Prompt{Name: "test_prompt_with_image", Description: "An image and a text"},
		func(context.Context, *server.Call, map[string]string) (*mcp.GetPromptResult, error) {
			return messages(image(), text("Please analyze the image above.")), nil
		},
	},
	{
		mcp.Prompt{Name: "test_input_required_result_prompt", Description: "A text that the user is asked for"},
		func(ctx context.Context, c *server.Call, _ map[string]string) (*mcp.GetPromptResult, error) {
			about, err := ask[string](ctx, c, "user_context", "What is the context?", "context")
			if err != nil {
				return nil, err
			}
			return messages(text("Consider " + about + ".")), nil
		},
	},
}

func (e *everything) addPrompts() error {
	for _, p := range prompts {
		if err := e.AddPrompt(p.Prompt, p.run); err != nil {
			return err
		}
	}
	return nil
}

// messages is a prompt of messages that are the user's.
func messages(contents ...mcp.ContentBlock) *mcp.GetPromptResult {
	r := new(mcp.GetPromptResult)
	for _, c := range contents {
		r.Messages = append(r.Messages, mcp.PromptMessage{Role: mcp.RoleUser, Content: c})
	}
	return r
}
