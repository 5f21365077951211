package server

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Serve serves the client at the other end of a transport until the client ends the connection, ctx ends, or
// the server shuts down. A server may serve any number of connections at the same time. The error is nil if
// the connection ended gracefully.
func (s *Server) Serve(ctx context.Context, t transport.Transport) error {
	c := &channel{Transport: t, stopped: make(chan struct{})}
	defer c.stop()
	// The session sends through the connection, and the connection hands what arrives to the session: so the session is
	// made while the connection is.
	conn := peer.New(c, func(conn *peer.Conn) transport.Handler {
		id := ""
		if named, ok := t.(transport.Sessioner); ok {
			id = named.SessionID()
		}
		c.session = NewEndpoint(s).NewSession(conn, id)
		return c
	}, &peer.Options{Limits: s.opts.Limits, Logger: s.opts.Logger})
	defer c.session.Close()
	if !s.connections.add(conn) { // the server is shutting down, and would not close it
		t.Close()
		return errClosed
	}
	defer s.connections.remove(conn)
	return conn.Run(ctx, c)
}

// On one connection, requests of both eras may come in any order, and responses, requests and notifications of the server go
// between them. The peer reads, tells the messages apart, counts requests and sends what is due; a session handles them.
//
// Only subscriptions are different there. Over HTTP the response to subscriptions/listen is a stream that ends with the
// subscription; here its result is one message among others, after which the protocol wants a cancellation, so that a client
// that waits for notifications alone learns of the end, too. And when the client has closed its side, a subscription would
// wait forever, while a call may still finish its work.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions

// A channel is a connection that [Server.Serve] serves and on which all messages share one channel. It is the
// transport of its peer, and the handler of what arrives.
type channel struct {
	transport.Transport
	session *SessionEndpoint

	once    sync.Once
	stopped chan struct{} // closed when nothing more will arrive

	mu    sync.Mutex
	ended map[wire.ID]string // why the server ends subscriptions whose responses are not sent yet; nil before the first
}

// stop notes that nothing more will arrive.
func (c *channel) stop() { c.once.Do(func() { close(c.stopped) }) }

// Receive implements [transport.Receiver].
func (c *channel) Receive(ctx context.Context) (transport.Message, error) {
	m, err := c.Transport.Receive(ctx)
	if err != nil {
		// After a message that was too long, others may follow.
		if _, ok := errors.AsType[*transport.MessageError](err); !ok {
			c.stop()
		}
	}
	return m, err
}

// ServeRequest implements [transport.Handler].
func (c *channel) ServeRequest(ctx context.Context, r *transport.Request) (wire.Raw, error) {
	if r.Method == mcp.MethodSubscriptionsListen.Name {
		return c.listen(ctx, r)
	}
	return c.session.ServeRequest(ctx, r)
}

// ServeNotification implements [transport.Handler].
func (c *channel) ServeNotification(ctx context.Context, r *transport.Request) error {
	return c.session.ServeNotification(ctx, r)
}

// Revision implements [transport.Handler].
func (c *channel) Revision() wire.Revision { return c.session.Revision() }

// listen serves a subscription. It ends when nothing more can arrive: other requests may then finish their
// work, but a subscription has none. Why it ends is noted for Send, which is called with the result later, from the peer.
func (c *channel) listen(ctx context.Context, r *transport.Request) (wire.Raw, error) {
	r.Ending = c.stopped
	result, err := c.session.ServeRequest(ctx, r)
	select {
	case <-c.stopped: // the client has ended the subscription, and not the server
		return nil, jsonrpc.ErrNoResponse
	default:
	}
	if err == nil {
		why := errClosed.Error()
		if r.Identity != nil && hasEnded(r.Identity) {
			why = "the authorization of the request has expired"
		}
		c.mu.Lock()
		if c.ended == nil {
			c.ended = make(map[wire.ID]string)
		}
		c.ended[r.ID] = why
		c.mu.Unlock()
	}
	return result, err
}

// Send implements [transport.Sender]. After the result of a subscription that the server ends, it also sends
// a cancellation, since all messages share one channel.
//
// REQ CANC-04, SUB-09
func (c *channel) Send(ctx context.Context, m transport.Message) error {
	if err := c.Transport.Send(ctx, m); err != nil || m.Kind != jsonrpc.Response {
		return err
	}
	c.mu.Lock()
	why, ended := c.ended[m.ID]
	delete(c.ended, m.ID)
	c.mu.Unlock()
	if !ended {
		return nil
	}
	data, err := jsonrpc.AppendNotification(nil, mcp.Modern, mcp.MethodCancelledNotification.Name,
		&mcp.CancelledNotificationParams{RequestID: m.ID, Reason: why}, nil)
	if err != nil {
		return err
	}
	return c.Transport.Send(ctx, transport.Message{Data: data, Stream: m.Stream, Kind: jsonrpc.Notification, ID: m.ID})
}
