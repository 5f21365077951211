package elicit_test

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A form that is answered by a program in place of a person.
func ExampleHandler() {
	opts := &client.Options{
		Elicit: elicit.Handler{Form: func(ctx context.Context, form *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			fmt.Println(form.Message)
			return elicit.Accept(map[string]any{"name": "Ada", "age": 36})
		}},
	}
	form := &mcp.ElicitRequestFormParams{Message: "Who are you?"}
	form.RequestedSchema.Properties = wire.Members[mcp.PrimitiveSchemaDefinition]{
		{Name: "name", Value: new(mcp.StringSchema)}, {Name: "age", Value: &mcp.NumberSchema{Type: mcp.NumberSchemaTypeInteger}},
	}
	answer, err := opts.Elicit.Elicit(context.Background(), mcp.V2025_11_25, form)
	if err != nil {
		fmt.Println(err)
		return
	}
	result := answer.(*mcp.ElicitResult)
	fmt.Println(result.Action, string(result.Content["name"]))
	// Output:
	// Who are you?
	// accept "Ada"
}
