package codec

import (
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ours are the cases of a generated type: decoded with a copy of the text, and in place; encoded
// into a new buffer, and into one that is used again.
func ours[T any, P interface {
	*T
	wire.Value
}]() []codecCase {
	var buf []byte
	return []codecCase{
		{name: "mcpgen", decode: true,
			dec: func(b []byte) (any, error) { v := P(new(T)); return v, wire.Decode(b, v) },
			enc: func(v any) ([]byte, error) { return wire.Marshal(mcp.V2025_11_25, v.(P)) }},
		{name: "mcpgen_in-place", decode: true,
			dec: func(b []byte) (any, error) { v := P(new(T)); return v, wire.DecodeAlias(b, v) },
			enc: func(v any) (_ []byte, err error) {
				buf, err = wire.Append(buf[:0], mcp.V2025_11_25, v.(P))
				return buf, err
			}},
	}
}

// echoArgs are the arguments of the echo tool, with what a generator would write for them.
type echoArgs struct{ Message string }

var typeEchoArgs = wire.Type{Name: "echoArgs", Members: []string{"message"}, Required: 1}

func (v *echoArgs) DecodeWire(d *wire.Decoder) {
	*v = echoArgs{}
	o := d.Object(&typeEchoArgs)
	for o.Next() {
		switch o.Name {
		case "message":
			o.Once(0)
			v.Message = d.String()
		default:
			d.Skip()
		}
	}
}

// parseEnvelope decodes a tools/call line as the server does.
func parseEnvelope(line []byte) error {
	m, err := jsonrpc.Parse(line)
	if err != nil {
		return err
	}
	var p mcp.CallToolRequestParams
	if err := wire.DecodeAlias(m.Params, &p); err != nil {
		return err
	}
	var a echoArgs
	if err := wire.DecodeAlias(p.Arguments, &a); err != nil {
		return err
	}
	if m.Method == "" || m.ID.IsZero() || p.Name != "echo" || a.Message == "" {
		return errors.New("bad decode")
	}
	return nil
}
