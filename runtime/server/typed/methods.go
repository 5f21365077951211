package typed

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/gotype"
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
	d := gotype.NewDecoder[In]()
	return s.AddMethod(method, func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		in, err := d.Params(c.Params())
		if err != nil {
			return nil, err
		}
		out, err := h(ctx, c, in)
		if err != nil {
			return nil, err
		}
		return gotype.Encodable(&out)
	})
}

// AddNotification makes a server handle notifications of a custom method, as [AddMethod] does requests.
func AddNotification[In any](s *server.Server, method string, h NotificationHandler[In]) error {
	if h == nil {
		return s.AddNotification(method, nil)
	}
	d := gotype.NewDecoder[In]()
	return s.AddNotification(method, func(ctx context.Context, c *server.Call) error {
		in, err := d.Params(c.Params())
		if err != nil {
			return err
		}
		return h(ctx, c, in)
	})
}
