package server

import (
	"context"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Call is one request on its way through the server: what a handler can know of it, and what it
// can do besides returning an answer. It is good until the handler has returned. It may be used by
// several goroutines.
type Call struct {
	server  *Server
	session *Session // nil if the request belongs to none
	req     *transport.Request
	rev     wire.Revision
	head    head

	ctx   context.Context // of the request, for what is sent without one
	input inputState
	task  *liveTask // that the call is, nil if it is none

	mu      sync.Mutex
	created *tasks.Task            // that the call has become; its rest is another call
	meta    *mcp.RequestMetaObject // nil until somebody wants it
	sent    *reports               // nil until there is something
}

// reports is what a call tells its client before its result.
type reports struct {
	progress Progress
	log      logLimit
}

// reports returns what the call tells its client.
func (c *Call) reports() *reports {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sent == nil {
		c.sent = &reports{progress: Progress{call: c}}
	}
	return c.sent
}

// negotiated returns what initialize settled, nil if there was none.
func (c *Call) negotiated() *negotiated {
	if c.session == nil {
		return nil
	}
	return c.session.negotiated.Load()
}

// modern reports whether the call belongs to no session.
func (c *Call) modern() bool { return c.rev >= firstModern }

// listens reports whether the call is a subscription: nothing but its acknowledgement and changes may
// be sent to its client.
func (c *Call) listens() bool { return c.req.Method == mcp.MethodSubscriptionsListen.Name }

// ID returns the request's id.
func (c *Call) ID() wire.ID { return c.req.ID }

// Method returns the request's method, such as "tools/call".
func (c *Call) Method() string { return c.req.Method }

// Params returns the request's parameters as they came, absent if there are none. They must not be
// changed.
func (c *Call) Params() wire.Raw { return c.req.Params }

// Revision returns the revision of the protocol that the request follows.
func (c *Call) Revision() wire.Revision { return c.rev }

// Client returns the name and version of the client, nil if it does not say them. They are for
// display and logs: the client may claim anything.
func (c *Call) Client() *mcp.Implementation {
	// REQ STATE-01
	if c.modern() {
		return c.Meta().ClientInfo
	}
	if n := c.negotiated(); n != nil {
		return n.clientInfo()
	}
	return nil
}

var noCapabilities mcp.ClientCapabilities

// Capabilities returns what the client can do for the server during this call. It must not be
// changed.
func (c *Call) Capabilities() *mcp.ClientCapabilities {
	// REQ CAP-09, STATE-01
	if c.modern() {
		// REQ CAP-09, STATE-01, XTASK-03
		if caps := c.Meta().ClientCapabilities; caps != nil {
			return caps
		}
	} else if n := c.negotiated(); n != nil {
		return n.capabilities()
	}
	return &noCapabilities
}

// Principal returns who sent the request, as far as that was verified; empty for nobody in
// particular.
func (c *Call) Principal(ctx context.Context) string {
	if c.req.Principal == "" && c.server.opts.Principal != nil {
		return c.server.opts.Principal(ctx)
	}
	return c.req.Principal
}

// Address returns the network address that the request came from, a host with or without a port; empty
// if the transport has none.
func (c *Call) Address() string { return c.req.Address }

// Header returns the header of the HTTP request, an [http.Header]; nil if there is none: over other
// transports, and in a task.
//
// [http.Header]: https://pkg.go.dev/net/http#Header
func (c *Call) Header() transport.Header { return c.req.Header }

// owner returns who has to share what the call makes the server keep.
func (c *Call) owner(ctx context.Context) share.Owner {
	return share.Of(c.Principal(ctx), c.req.Address, c.session)
}

// Session returns the session to which the request belongs, nil if it belongs to none, as it is
// from 2026-07-28 on.
func (c *Call) Session() *Session {
	// REQ STATE-05
	if c.modern() {
		return nil
	}
	return c.session
}

// Notify sends a notification that belongs to the call, such as one of an extension. Those of the
// protocol have methods of their own. A subscription takes none: it tells changes alone.
func (c *Call) Notify(ctx context.Context, method string, params wire.Encodable) error {
	switch {
	case c.req.Out == nil:
		return errNoSender
	case c.listens():
		return errListens
	}
	var raw wire.Raw
	if params != nil {
		var err error
		if raw, err = wire.MarshalChecked(c.rev, params); err != nil {
			return err
		}
	}
	return c.req.Out.Notify(ctx, method, raw)
}

// resultMeta returns the metadata of a result that the server makes itself.
func (c *Call) resultMeta() *mcp.ResultMetaObject {
	if c.modern() {
		return c.server.meta
	}
	return nil
}
