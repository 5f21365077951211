package typed

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A NotificationHandler handles notifications of a custom method. In is as in a [Handler].
type NotificationHandler[In any] func(ctx context.Context, c *server.Call, in In) error

// AddMethod makes a server handle requests of a custom method; see [server.Server.AddMethod]. In is what the
// params are decoded into, and Out is what the result, an object, is encoded from.
//
// Types of generated bindings are decoded and encoded by their own methods, others as by encoding/json; see
// [Handler]. The metadata of a request is in [server.Call.Meta]. An error becomes an error response.
func AddMethod[In, Out any](s *server.Server, method string, h Handler[In, Out]) error {
	if h == nil {
		return s.AddMethod(method, nil)
	}
	names := shapeOf[In]()
	return s.AddMethod(method, func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		in, err := decodeParams[In](names, c.Params())
		if err != nil {
			return nil, err
		}
		out, err := h(ctx, c, in)
		if err != nil {
			return nil, err
		}
		if v, ok := any(out).(wire.Encodable); ok {
			return v, nil
		}
		if v, ok := any(&out).(wire.Encodable); ok {
			return v, nil
		}
		raw, err := json.Marshal(out)
		return wire.Raw(raw), err
	})
}

// AddNotification makes a server handle notifications of a custom method, as [AddMethod] does requests.
func AddNotification[In any](s *server.Server, method string, h NotificationHandler[In]) error {
	if h == nil {
		return s.AddNotification(method, nil)
	}
	names := shapeOf[In]()
	return s.AddNotification(method, func(ctx context.Context, c *server.Call) error {
		in, err := decodeParams[In](names, c.Params())
		if err != nil {
			return err
		}
		return h(ctx, c, in)
	})
}

// decodeParams decodes params, which may be absent. Its error is one of the protocol.
func decodeParams[T any](names *shape, params wire.Raw) (v T, err error) {
	if len(params) == 0 {
		params = wire.Raw("{}")
	}
	if p, ok := any(&v).(wire.Decodable); ok {
		err = wire.Decode(params, p)
		return v, err
	}
	if v, err = decode[T](names, params); err != nil {
		return v, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "params: " + err.Error()}
	}
	return v, nil
}
