package features

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// inputTools ask by keys of their own. Since 2026-07-28 that ends the request: the client sends it
// again with the answers, and the handler runs again from its top. Before, the server asks by
// requests. The handlers are the same.
var inputTools = []tool{
	{
		mcp.Tool{Name: "test_input_required_result_elicitation", Description: "Asks the user for a name"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			greeting, err := greet(ctx, c)
			return server.TextResult(greeting), err
		},
	},
	{
		mcp.Tool{Name: "test_input_required_result_sampling", Description: "Asks the client's language model"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			r, err := c.WithKey("capital_question").CreateMessage(ctx, question("What is the capital of France?"))
			if err != nil {
				return nil, err
			}
			return server.TextResult(textOf(r)), nil
		},
	},
	{
		mcp.Tool{Name: "test_input_required_result_list_roots", Description: "Asks the client for its roots"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			roots, err := askRoots(ctx, c)
			return server.TextResult("Roots: " + roots), err
		},
	},
	{
		mcp.Tool{Name: "test_input_required_result_request_state", Description: "Asks the user to go on, and keeps state"},
		confirm,
	},
	{
		mcp.Tool{Name: "test_input_required_result_tampered_state", Description: "Asks the user to go on, and notices if its state was changed"},
		confirm,
	},
	{
		mcp.Tool{Name: "test_input_required_result_multiple_inputs", Description: "Asks for a name, a message and the roots at once"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			// All three are asked before the first error counts, so that they are asked together.
			name, err1 := ask[string](ctx, c, "user_name", "What is your name?", "name")
			greeting, err2 := c.WithKey("greeting").CreateMessage(ctx, question("Greet the user."))
			roots, err3 := askRoots(ctx, c)
			if err := errors.Join(err1, err2, err3); err != nil {
				return nil, err
			}
			return server.TextResult(fmt.Sprintf("%s, %s of %s", textOf(greeting), name, roots)), nil
		},
	},
	{
		mcp.Tool{Name: "test_input_required_result_multi_round", Description: "Asks for a name, then for a color"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			name, err := ask[string](ctx, c, "step1", "What is your name?", "name")
			if err != nil {
				return nil, err
			}
			color, err := ask[string](ctx, c, "step2", "Which color do you like, "+name+"?", "color")
			if err != nil {
				return nil, err
			}
			return server.TextResult(name + " likes " + color), nil
		},
	},
	{
		mcp.Tool{Name: "test_input_required_result_capabilities", Description: "Asks for everything that the client can give, and for nothing else"},
		askWhatItCan,
	},
	{
		mcp.Tool{Name: "test_streaming_elicitation", Description: "Reports progress, then asks the user for a name"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.Progress().Report(1, 2, "asking")
			greeting, err := greet(ctx, c)
			return server.TextResult(greeting), err
		},
	},
}

// greet asks the user for a name and greets them.
func greet(ctx context.Context, c *server.Call) (string, error) {
	name, err := ask[string](ctx, c, "user_name", "What is your name?", "name")
	return "Hello, " + name + "!", err
}

// confirm asks the user to go on. The server keeps the state of such a call by itself, sealed: one
// that was changed on the way never gets here.
func confirm(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
	ok, err := ask[bool](ctx, c, "confirm", "Go on?", "ok")
	if err != nil {
		return nil, err
	}
	return server.TextResult(fmt.Sprintf("state-ok, the answer is %t", ok)), nil
}

// askWhatItCan asks all that the client's capabilities allow, at once.
func askWhatItCan(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
	can := c.Capabilities()
	var answered []string
	var errs []error
	if can.Sampling != nil {
		_, err := c.WithKey("greeting").CreateMessage(ctx, question("Greet the user."))
		answered, errs = append(answered, "sampling"), append(errs, err)
	}
	if can.Elicitation != nil {
		_, err := ask[string](ctx, c, "user_name", "What is your name?", "name")
		answered, errs = append(answered, "elicitation"), append(errs, err)
	}
	if can.Roots != nil {
		_, err := askRoots(ctx, c)
		answered, errs = append(answered, "roots"), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return server.TextResult("Answered: " + strings.Join(answered, ", ")), nil
}

// ask asks the user, by a key, for the one field of a form.
func ask[T string | bool](ctx context.Context, c *server.Call, key, message, name string) (T, error) {
	var value T
	var schema mcp.PrimitiveSchemaDefinition = &mcp.StringSchema{}
	if _, ok := any(value).(bool); ok {
		schema = &mcp.BooleanSchema{}
	}
	r, err := c.WithKey(key).Elicit(ctx, form(message, field{Name: name, Value: schema}))
	if err != nil {
		return value, err
	}
	if r.Action != mcp.ElicitResultActionAccept {
		return value, fmt.Errorf("the user was asked %q and did not answer: %s", message, r.Action)
	}
	return value, json.Unmarshal(r.Content[name], &value)
}

// askRoots asks the client for its roots and returns their URIs.
func askRoots(ctx context.Context, c *server.Call) (string, error) {
	r, err := c.WithKey("client_roots").ListRoots(ctx)
	if err != nil {
		return "", err
	}
	var uris []string
	for _, root := range r.Roots {
		uris = append(uris, root.URI)
	}
	return strings.Join(uris, ", "), nil
}
