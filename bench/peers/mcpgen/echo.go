package mcpgen

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// message is what the echo tool takes and what it gives back. Its codec is what a generator would
// write for echoSchema: it checks all that the schema says.
type message struct {
	Message string
}

const echoSchema = `{"type":"object","properties":{"message":{"type":"string","description":"the message to echo"}},"required":["message"],"additionalProperties":false}`

var typeMessage = wire.Type{Name: "message", Members: []string{"message"}, Required: 1}

func (v *message) DecodeWire(d *wire.Decoder) {
	*v = message{}
	o := d.Object(&typeMessage)
	for o.Next() {
		switch o.Name {
		case "message":
			o.Once(0)
			v.Message = d.String()
		default:
			d.Fail("the schema has no member " + o.Name)
		}
	}
}

func (v *message) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeMessage, v != nil) {
		return
	}
	e.Key("message")
	e.String(v.Message)
	e.End(&typeMessage, nil)
}

func echo(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	var in message
	if err := wire.DecodeAlias(args, &in); err != nil {
		return nil, &server.ArgumentError{Problems: []string{err.Error()}}
	}
	structured, err := wire.Marshal(wire.Any, &in)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content:           []mcp.ContentBlock{&mcp.TextContent{Text: in.Message}},
		StructuredContent: structured,
	}, nil
}
