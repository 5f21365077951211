package client

// Programs may have methods of their own: requests that the client handles or sends, and notifications. Their params and
// results are any Go types.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic, and SEP-2133.

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/gotype"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Method is a method with its handler: of an extension, of a program, or a notification of the protocol. See
// [HandleRequest] and [HandleNotification].
type Method struct {
	name         string
	request      func(ctx context.Context, params wire.Raw) (wire.Encodable, error)
	notification func(ctx context.Context, params wire.Raw) error
}

// HandleRequest returns a Method whose requests f handles. Types of generated bindings, pointers to them and [wire.Raw]
// are decoded and encoded by their own methods, others as by encoding/json, except that the names of members must be
// exactly those of the fields, and duplicate members are errors; absent params are decoded as {}. Since 2026-07-28
// servers send requests only inside input-required results.
func HandleRequest[In, Out any](method string, f func(ctx context.Context, params In) (Out, error)) Method {
	m := Method{name: method}
	if f != nil {
		d := gotype.NewDecoder[In]()
		m.request = func(ctx context.Context, params wire.Raw) (wire.Encodable, error) {
			in, err := d.Params(params)
			if err != nil {
				return nil, err
			}
			out, err := f(ctx, in)
			if err != nil {
				return nil, err
			}
			return gotype.Encodable(&out)
		}
	}
	return m
}

// HandleNotification returns a Method whose notifications f handles. Their params are decoded as those of
// [HandleRequest]. Notifications are handled one after another, in the order in which they arrived. Those of the protocol
// are handled by the client first, such as notifications/resources/updated; f sees none that the connection handles:
// cancellations, the progress of calls, and acknowledgements of subscriptions.
func HandleNotification[In any](method string, f func(ctx context.Context, params In)) Method {
	m := Method{name: method}
	if f != nil {
		d := gotype.NewDecoder[In]()
		m.notification = func(ctx context.Context, params wire.Raw) error {
			in, err := d.Params(params)
			if err != nil {
				return err
			}
			f(ctx, in)
			return nil
		}
	}
	return m
}

// methodsOf returns methods by their names: one may have requests and notifications. It refuses what would have no effect,
// so that a handler that is never called is an error of Connect, and no riddle.
func methodsOf(list []Method) (map[string]Method, error) {
	all := map[string]Method{}
	for _, m := range list {
		same := all[m.name]
		switch {
		case m.name == "" || m.request == nil && m.notification == nil:
			return nil, fmt.Errorf("client: Options.Methods: want a name and a function, got the name %q", m.name)
		case m.request != nil && isOwn(m.name):
			return nil, fmt.Errorf("client: Options.Methods: the client handles %q itself; use Options.Receive", m.name)
		case m.request != nil && same.request != nil, m.notification != nil && same.notification != nil:
			return nil, fmt.Errorf("client: Options.Methods: %q is given twice", m.name)
		case m.request == nil: // a handler of its requests may have been given already
			m.request = same.request
		default:
			m.notification = same.notification
		}
		all[m.name] = m
	}
	return all, nil
}

// isOwn reports whether the client itself handles requests of a method. It does not handle what the protocol would let servers ask of
// clients that run their requests in the background.
func isOwn(method string) bool {
	m := mcp.ClientMethod(method)
	return m != nil && m.ClientCapability != mcp.ClientCapabilityTasks &&
		!strings.HasPrefix(m.ClientCapability, mcp.ClientCapabilityTasks+".")
}

// CallMethod sends a request of a custom method, which the protocol does not have, and decodes its result:
//
//	found, err := client.CallMethod[Found](ctx, c, "acme/search", Query{Text: "tea"})
//
// Types of generated bindings, pointers to them and [wire.Raw] are encoded and decoded by their own methods, others as by
// encoding/json; of what the result is decoded into, the names of members must be exactly those of the fields. Params are
// an object, or nil for none. For an error response, errors.As finds a *[jsonrpc.Error]; other errors are those of c,
// which is a *[Client], for instance.
func CallMethod[Out any](ctx context.Context, c wire.Caller, method string, params any) (Out, error) {
	var none Out
	in, err := gotype.Encodable(&params)
	if err != nil {
		return none, fmt.Errorf("client: %s: params: %w", method, err)
	}
	var raw wire.Raw
	if err := c.Call(ctx, &wire.Method{Name: method}, in, &raw); err != nil {
		return none, err
	}
	if own, ok := any(&none).(wire.Decodable); ok {
		err = wire.Decode(raw, own) // into none itself
		return none, err
	}
	out, err := gotype.NewDecoder[Out]().Decode(raw)
	if err != nil {
		return none, fmt.Errorf("client: %s: the result does not decode as %T: %w", method, none, err)
	}
	return out, nil
}
