package features

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// structuredTools return data that fit a schema, or take them.
var structuredTools = []tool{
	{
		mcp.Tool{
			Name:        "test_structured_output",
			Title:       "Structured output",
			Description: "Returns the weather of a city, as an object",
			Icons:       []mcp.Icon{{Src: "data:image/png;base64," + png, MIMEType: "image/png", Sizes: []string{"1x1"}}},
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true), OpenWorldHint: new(false)},
			InputSchema: oneArgument("city", "string", "The city"),
			OutputSchema: wire.Raw(`{
				"type": "object",
				"properties": {"temperature": {"type": "number"}, "conditions": {"type": "string"}},
				"required": ["temperature", "conditions"]
			}`),
		},
		weather,
	},
	{
		mcp.Tool{
			Name:         "test_structured_array",
			Description:  "Returns an array",
			OutputSchema: wire.Raw(`{"type": "array", "items": {"type": "integer"}}`),
		},
		func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return structured([]int{1, 2, 3})
		},
	},
	{
		mcp.Tool{
			Name:        "json_schema_2020_12_tool",
			Description: "Takes arguments by a schema with the keywords of JSON Schema 2020-12, and returns them",
			InputSchema: schema2020,
		},
		func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult(string(args)), nil
		},
	},
	{
		mcp.Tool{
			Name:        "test_x_mcp_header",
			Description: "Takes an argument that HTTP clients repeat in the header Mcp-Param-Region",
			InputSchema: wire.Raw(`{
				"type": "object",
				"properties": {"region": {"type": "string", "description": "Any text", "x-mcp-header": "Region"}},
				"additionalProperties": false
			}`),
		},
		func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult("region: " + args.StringAt("region")), nil
		},
	},
}

func weather(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	city, err := argument[string](args, "city")
	if err != nil {
		return nil, err
	}
	return structured(struct {
		Temperature float64 `json:"temperature"`
		Conditions  string  `json:"conditions"`
	}{-3.5, "snow in " + city})
}

// structured returns a result with structured content. The server repeats it as text.
func structured(v any) (*mcp.CallToolResult, error) {
	data, err := json.Marshal(v)
	return &mcp.CallToolResult{StructuredContent: data}, err
}

// schema2020 reaches clients as it stands here.
var schema2020 = wire.Raw(`{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {
		"address": {
			"$anchor": "addressDef",
			"type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
		}
	},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`)
