package mcptest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// CallerOptions configures a caller that [Caller] returns.
type CallerOptions struct {
	// Client is the name and version that calls carry. Nil means that they carry none.
	Client *mcp.Implementation

	// Capabilities are those that calls declare. With them a result may be a request for input, which
	// the calls of [mcp.ServerCalls] whose names end in Response return.
	Capabilities mcp.ClientCapabilities

	// Identity is the verified sender of the calls. Nil means an unknown sender, who has all scopes.
	Identity transport.Identity

	// Principal is the name of the sender if there is no Identity. Empty means an unknown sender.
	Principal string
}

// Caller returns a caller of a server without a transport or a session, for tests and examples that are not about them:
//
//	calls := mcp.ServerCalls{Caller: mcptest.Caller(s, nil)}
//	result, err := calls.CallTool(ctx, &mcp.CallToolRequestParams{Name: "add"})
//
// Requests follow the newest revision that the server serves, and pass its middleware. Errors are
// *[jsonrpc.Error]. Notifications that the server would send, such as progress, are discarded, and
// subscriptions fail. A nil opts is the zero [CallerOptions].
func Caller(s *server.Server, opts *CallerOptions) wire.Caller {
	e := server.NewEndpoint(s)
	served := e.Revisions()
	return &caller{endpoint: e, opts: option.Of(opts), rev: served[len(served)-1]}
}

type caller struct {
	endpoint *server.Endpoint
	opts     CallerOptions
	rev      wire.Revision
	last     atomic.Int64 // id
}

// Call implements [wire.Caller].
func (c *caller) Call(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable) error {
	r, err := c.request(m, params)
	if err != nil {
		return err
	}
	r.ID = wire.IntID(c.last.Add(1))
	ctx, cancel := context.WithCancel(ctx) // what the handler leaves running must end with the call
	defer cancel()
	raw, err := c.endpoint.ServeRequest(ctx, r)
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return rpc
	}
	if err != nil {
		return err
	}
	return wire.Decode(raw, result)
}

// Notify implements [wire.Caller].
func (c *caller) Notify(ctx context.Context, m *wire.Method, params wire.Encodable) error {
	r, err := c.request(m, params)
	if err != nil {
		return err
	}
	return c.endpoint.ServeNotification(ctx, r)
}

// request makes a request or a notification, with the metadata that the revision requires.
func (c *caller) request(m *wire.Method, params wire.Encodable) (*transport.Request, error) {
	r := &transport.Request{Method: m.Name, Revision: c.rev, Origin: transport.Origin{Identity: c.opts.Identity, Principal: c.opts.Principal}}
	var p mcp.RequestParams
	if params != nil {
		raw, err := wire.MarshalChecked(wire.Any, params) // since the metadata is still incomplete
		if err == nil {
			err = wire.DecodeAlias(raw, &p)
		}
		if err != nil {
			return nil, err
		}
	}
	if c.rev >= mcp.Modern && !m.Notification {
		meta := option.Of(p.Meta)
		meta.ProtocolVersion, meta.ClientInfo, meta.ClientCapabilities = c.rev.String(), c.opts.Client, &c.opts.Capabilities
		p.Meta = &meta
	}
	var err error
	if p.Meta != nil {
		if r.Meta, err = wire.Marshal(c.rev, p.Meta); err != nil {
			return nil, err
		}
	}
	if params != nil || p.Meta != nil {
		r.Params, err = wire.Marshal(wire.Any, &p) // in a notification it has no metadata
	}
	return r, err
}
