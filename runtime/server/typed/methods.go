package typed

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
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
	params := newDecoder[In]()
	return s.AddMethod(method, func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		in, err := params.decode(c.Params())
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
	params := newDecoder[In]()
	return s.AddNotification(method, func(ctx context.Context, c *server.Call) error {
		in, err := params.decode(c.Params())
		if err != nil {
			return err
		}
		return h(ctx, c, in)
	})
}

// A decoder decodes arguments or params into values of one type.
type decoder[T any] struct{ names *shape }

func newDecoder[T any]() decoder[T] { return decoder[T]{shapes{}.of(reflect.TypeFor[T]())} }

// decode decodes params. Its error is one of the protocol.
func (d decoder[T]) decode(params wire.Raw) (v T, err error) {
	if len(params) == 0 {
		params = wire.Raw("{}")
	}
	if p, ok := any(&v).(wire.Decodable); ok {
		return v, wire.Decode(params, p)
	}
	if err = d.names.check(params); err == nil {
		err = json.Unmarshal(params, &v)
	}
	if err != nil {
		return v, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "params: " + excerpt.Cut(problem(err), 1000)}
	}
	return v, nil
}
