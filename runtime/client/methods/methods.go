// Package methods is for clients with methods of their own: requests that the client handles or sends, and notifications.
// Their params and results are any Go types.
//
//	opts := &client.Options{Methods: []client.Method{methods.Notification("acme/alarm", f)}}
//
// Types of generated bindings, pointers to them and [wire.Raw] are decoded and encoded by their own methods, others as by
// encoding/json, except that the names of members must be exactly those of the fields, and duplicate members are errors.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic, and SEP-2133.
package methods

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/internal/gotype"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Request returns a method whose requests f handles. Absent params are decoded as {}. Since 2026-07-28 servers send requests
// only inside input-required results.
func Request[In, Out any](name string, f func(ctx context.Context, params In) (Out, error)) client.Method {
	m := client.Method{Name: name}
	if f != nil {
		d := gotype.NewDecoder[In]()
		m.Request = func(ctx context.Context, params wire.Raw) (wire.Encodable, error) {
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

// Notification returns a method whose notifications f handles. Their params are decoded as those of [Request].
func Notification[In any](name string, f func(ctx context.Context, params In)) client.Method {
	m := client.Method{Name: name}
	if f != nil {
		d := gotype.NewDecoder[In]()
		m.Notification = func(ctx context.Context, params wire.Raw) error {
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

// Call sends a request of a custom method, which the protocol does not have, and decodes its result:
//
//	found, err := methods.Call[Found](ctx, c, "acme/search", Query{Text: "tea"})
//
// Params are an object, or nil for none. For an error response, errors.As finds a *[jsonrpc.Error]; other errors are those of c,
// which is a *[client.Client], for instance.
func Call[Out any](ctx context.Context, c wire.Caller, method string, params any) (Out, error) {
	var none Out
	in, err := gotype.Encodable(&params)
	if err != nil {
		return none, fmt.Errorf("methods: %s: params: %w", method, err)
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
		return none, fmt.Errorf("methods: %s: the result does not decode as %T: %w", method, none, err)
	}
	return out, nil
}
