// The smallest idiomatic stdio echo server on this project, with what a generator would write for
// its tool.
package main

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const schema = `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"],"additionalProperties":false}`

// args are the arguments and the output.
type args struct {
	Message string
}

var typeArgs = wire.Type{Name: "args", Members: []string{"message"}, Required: 1}

func (v *args) DecodeWire(d *wire.Decoder) {
	*v = args{}
	o := d.Object(&typeArgs)
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

func (v *args) EncodeWire(e *wire.Encoder) {
	if e.Begin(&typeArgs, v != nil) {
		e.Key("message")
		e.String(v.Message)
		e.End(&typeArgs, nil)
	}
}

func echo(_ context.Context, _ *server.Call, raw wire.Raw) (*mcp.CallToolResult, error) {
	var in args
	if err := wire.DecodeAlias(raw, &in); err != nil {
		return nil, &server.ArgumentError{Problems: []string{err.Error()}}
	}
	out, err := wire.Marshal(wire.Any, &in)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: in.Message}}, StructuredContent: out}, nil
}

func main() {
	s := server.New(mcp.Implementation{Name: "echo", Version: "1.0.0"}, nil)
	err := s.AddTool(mcp.Tool{
		Name: "echo", Description: "Echo a message",
		InputSchema: wire.Raw(schema), OutputSchema: wire.Raw(schema),
	}, echo)
	if err != nil {
		log.Fatal(err)
	}
	t, err := stdio.Server(nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Serve(context.Background(), t); err != nil {
		log.Fatal(err)
	}
}
