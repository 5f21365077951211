package dev

import (
	"context"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// isPassed reports whether a notification of the child is passed on unchanged: one of an extension, of tasks, or of
// the log. In place of others, the endpoint sends its own notifications.
func isPassed(method string) bool {
	switch method {
	case mcp.MethodTaskStatusNotification.Name, mcp.MethodElicitationCompleteNotification.Name, mcp.MethodLoggingMessageNotification.Name:
		return true
	}
	return mcp.ClientMethod(method) == nil && tasks.ClientMethod(method) == nil
}

// A passing is the transport to a child. It passes notifications on as soon as they arrive: the next message may be the
// response to the call that they are about. It also notices when nobody listens at the address of the serving child any
// more, whatever was sent there: a call, or what the client sends by itself to subscribe again.
type passing struct {
	transport.Transport
	child    *Child
	endpoint *Endpoint
}

// Receive implements transport.Receiver. A client that does not take a notification holds up the messages of the child for
// passTime at most.
func (p *passing) Receive(ctx context.Context) (transport.Message, error) {
	m, err := p.Transport.Receive(ctx)
	if err != nil {
		return m, p.failed(err)
	}
	n, invalid := jsonrpc.Parse(m.Data)
	if invalid == nil && n.Kind == jsonrpc.Notification && isPassed(n.Method) && p.endpoint.serves(p.child) {
		ctx, cancel := context.WithTimeout(ctx, passTime)
		defer cancel()
		r := &transport.ServerMessage{Method: n.Method, Params: slices.Clone(n.Params), Of: m.Stream}
		if n.Method == mcp.MethodLoggingMessageNotification.Name {
			p.child.passLog(ctx, p.endpoint, r)
		} else {
			p.child.pass(ctx, p.endpoint, r)
		}
	}
	return m, nil
}

// Send implements transport.Sender.
func (p *passing) Send(ctx context.Context, m transport.Message) error {
	return p.failed(p.Transport.Send(ctx, m))
}

// failed ends the connection to the serving child if an error, which it returns, says that it is gone.
func (p *passing) failed(err error) error {
	if isUnreachable(err) && p.endpoint.serves(p.child) {
		p.child.lose(err)
	}
	return err
}

// passTime is how long clients may take to receive a notification.
const passTime = 2 * time.Second

// PerRequest implements transport.PerRequest.
func (p *passing) PerRequest() bool {
	x, ok := p.Transport.(transport.PerRequest)
	return ok && x.PerRequest()
}

// pass passes a notification of the child on: to the client of the call that it is about, if that is known or is the only
// call, and otherwise to all clients that have sessions.
func (ch *Child) pass(ctx context.Context, e *Endpoint, r *transport.ServerMessage) {
	ch.mu.Lock()
	c := ch.namedBy(r)
	if len(ch.calls) == 1 && mcp.ClientMethod(r.Method) == nil {
		c = ch.calls[0]
	}
	ch.mu.Unlock()
	params := encodable(r.Params)
	if c != nil {
		if err := c.Notify(ctx, r.Method, params); err == nil {
			return
		} // else the call has ended
	}
	for session := range e.server.Sessions() {
		if m := mcp.ClientMethod(r.Method); m != nil && !m.Reaches(wire.Client, session.Revision()) {
			continue
		}
		if err := session.Notify(ctx, r.Method, params); err != nil {
			e.logger.Debug("a notification was not passed on", "method", r.Method, "error", err)
		}
	}
}

// passNotification passes a notification of a client on to the child.
func (e *Endpoint) passNotification(ctx context.Context, c *server.Call, next server.Handler) (wire.Encodable, error) {
	method := c.Method()
	known := mcp.ServerMethod(method)
	if known != nil && method != mcp.MethodRootsListChangedNotification.Name {
		return next(ctx, c)
	}
	child := e.serving()
	if child == nil {
		return nil, nil
	}
	return nil, child.client.Notify(ctx, child.method(method), encodable(c.Params()))
}
