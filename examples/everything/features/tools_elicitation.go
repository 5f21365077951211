package features

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// elicitationTools ask the user, and say how they answered.
var elicitationTools = []tool{
	{
		mcp.Tool{
			Name:        "test_elicitation",
			Description: "Asks the user for a name and an email address",
			InputSchema: oneArgument("message", "string", "What the form says"),
		},
		func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			message, err := argument[string](args, "message")
			if err != nil {
				return nil, err
			}
			return elicit(ctx, c, form(message, field{Name: "username", Value: &mcp.StringSchema{}}, field{Name: "email", Value: &mcp.StringSchema{}}))
		},
	},
	{
		mcp.Tool{Name: "test_elicitation_sep1034_defaults", Description: "Asks the user by a form with defaults"},
		elicits(&mcp.ElicitRequestFormParams{
			Message: "Please check the defaults.",
			RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{Properties: []field{
				{Name: "name", Value: &mcp.StringSchema{Default: new("John Doe")}},
				{Name: "age", Value: &mcp.NumberSchema{Type: mcp.NumberSchemaTypeInteger, Default: new(30.0)}},
				{Name: "score", Value: &mcp.NumberSchema{Type: mcp.NumberSchemaTypeNumber, Default: new(95.5)}},
				{Name: "status", Value: &mcp.UntitledSingleSelectEnumSchema{
					Enum:    []string{"active", "inactive", "pending"},
					Default: new("active"),
				}},
				{Name: "verified", Value: &mcp.BooleanSchema{Default: new(true)}},
			}},
		}),
	},
	{
		mcp.Tool{Name: "test_elicitation_sep1330_enums", Description: "Asks the user by a form with every kind of choice"},
		elicits(&mcp.ElicitRequestFormParams{
			Message: "Please choose.",
			RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{Properties: []field{
				{Name: "untitledSingle", Value: &mcp.UntitledSingleSelectEnumSchema{Enum: options}},
				{Name: "titledSingle", Value: &mcp.TitledSingleSelectEnumSchema{OneOf: []mcp.TitledSingleSelectEnumSchemaOneOf{
					{Const: "value1", Title: "First Option"},
					{Const: "value2", Title: "Second Option"},
					{Const: "value3", Title: "Third Option"},
				}}},
				{Name: "legacyEnum", Value: &mcp.LegacyTitledEnumSchema{
					Enum:      []string{"opt1", "opt2", "opt3"},
					EnumNames: []string{"One", "Two", "Three"},
				}},
				{Name: "untitledMulti", Value: &mcp.UntitledMultiSelectEnumSchema{
					Items: mcp.UntitledMultiSelectEnumSchemaItems{Enum: options},
				}},
				{Name: "titledMulti", Value: &mcp.TitledMultiSelectEnumSchema{Items: mcp.TitledMultiSelectEnumSchemaItems{
					AnyOf: []mcp.TitledMultiSelectEnumSchemaItemsAnyOf{
						{Const: "value1", Title: "First Choice"},
						{Const: "value2", Title: "Second Choice"},
						{Const: "value3", Title: "Third Choice"},
					},
				}}},
			}},
		}),
	},
	{
		mcp.Tool{Name: "test_elicitation_url", Description: "Sends the user to a web page"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			visit := authorize()
			r, err := elicit(ctx, c, visit)
			if session := c.Session(); err == nil && session != nil {
				// Nobody is at the page: it is done as soon as the user agrees.
				err = session.ElicitationComplete(ctx, visit.ElicitationID)
			}
			return r, err
		},
	},
	{
		mcp.Tool{Name: "test_elicitation_url_required", Description: "Cannot be called before the user was at a web page"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if c.Revision() != mcp.V2025_11_25 { // no other revision has the error
				return elicit(ctx, c, authorize())
			}
			data, err := wire.Marshal(c.Revision(), &mcp.URLElicitationRequiredErrorData{
				Elicitations: []mcp.ElicitRequestURLParams{*authorize()},
			})
			if err != nil {
				return nil, err
			}
			return nil, &jsonrpc.Error{
				Code:    mcp.CodeURLElicitationRequired,
				Message: "the user has to authorize this first",
				Data:    data,
			}
		},
	},
}

var options = []string{"option1", "option2", "option3"}

// A field is one field of a form.
type field = wire.Member[mcp.PrimitiveSchemaDefinition]

// form is a form all of whose fields must be filled in.
func form(message string, fields ...field) *mcp.ElicitRequestFormParams {
	p := &mcp.ElicitRequestFormParams{Message: message}
	p.RequestedSchema.Properties = fields
	for _, f := range fields {
		p.RequestedSchema.Required = append(p.RequestedSchema.Required, f.Name)
	}
	return p
}

// authorize sends the user to a page.
func authorize() *mcp.ElicitRequestURLParams {
	return &mcp.ElicitRequestURLParams{
		Message:       "Please authorize this server.",
		URL:           "https://example.com/authorize",
		ElicitationID: rand.Text(),
	}
}

// elicits is a tool that always asks the same.
func elicits(p mcp.ElicitRequestParams) server.ToolHandler {
	return func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return elicit(ctx, c, p)
	}
}

// elicit asks the user, and says how they answered.
func elicit(ctx context.Context, c *server.Call, p mcp.ElicitRequestParams) (*mcp.CallToolResult, error) {
	r, err := c.Elicit(ctx, p)
	if err != nil {
		return nil, err
	}
	content := []byte("{}")
	if r.Content != nil {
		if content, err = json.Marshal(r.Content); err != nil {
			return nil, err
		}
	}
	return server.TextResult(fmt.Sprintf("User response: action=%s, content=%s", r.Action, content)), nil
}
