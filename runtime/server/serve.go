package server

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/peer"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Serve serves the client at the other end of a transport until it ends the connection, ctx ends, or
// the server is shut down. A server can serve any number of connections at the same time. The
// error is nil after an orderly end, else what broke.
func (s *Server) Serve(ctx context.Context, t transport.Transport) error {
	opts := s.ConnectionOptions()
	opts.HandOver = cmp.Or(opts.HandOver, time.Millisecond)
	c := &channel{Transport: t}
	c.reading, c.stopped = context.WithCancel(context.Background())
	defer c.stopped()
	c.init(s, c, c, &opts)
	defer c.session.Close()
	if !s.connections.add(c.peer) {
		t.Close()
		return errClosed
	}
	defer s.connections.remove(c.peer)
	return c.peer.Run(ctx, c)
}

// connections are the ones that Serve serves.
type connections struct {
	mu     sync.Mutex
	all    map[*peer.Conn]struct{}
	closed bool
}

func (cs *connections) add(c *peer.Conn) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.closed {
		return false
	}
	if cs.all == nil {
		cs.all = make(map[*peer.Conn]struct{})
	}
	cs.all[c] = struct{}{}
	return true
}

func (cs *connections) remove(c *peer.Conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.all, c)
}

// shutdown ends the connections when their last answers have been sent.
func (cs *connections) shutdown(ctx context.Context) {
	cs.mu.Lock()
	cs.closed = true
	all := slices.Collect(maps.Keys(cs.all))
	cs.mu.Unlock()
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Go(func() { c.Shutdown(ctx) })
	}
	wg.Wait()
}

// ConnectionOptions returns the limits of connections, for a transport that calls [Server.Connect].
func (s *Server) ConnectionOptions() peer.Options {
	opts := s.opts.Connection
	opts.Logger = cmp.Or(opts.Logger, s.opts.Logger)
	return opts
}

// Connect returns a connection to a client and its session, for a transport that has no single
// channel which [Server.Serve] could read: it delivers to the peer what arrives. Out sends. The
// transport closes both in the end.
func (s *Server) Connect(out transport.Sender, opts *peer.Options) (*peer.Conn, *Session) {
	c := new(connection)
	c.init(s, out, c, opts)
	return c.peer, c.session
}

// A connection handles what a client sends.
type connection struct {
	server  *Server
	peer    *peer.Conn
	session *Session
}

func (c *connection) init(s *Server, out transport.Sender, h peer.Handler, opts *peer.Options) {
	c.server = s
	c.peer = peer.New(out, h, opts)
	c.session = s.NewSession(connSender{c.peer})
}

// ServeRequest implements [peer.Handler].
func (c *connection) ServeRequest(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
	result, err := c.handle(ctx, r)
	if err != nil {
		return nil, err
	}
	if rev := c.session.Revision(); r.Method == mcp.MethodInitialize.Name && rev != 0 {
		c.peer.SetRevision(rev) // it decides about batches
	}
	return result, nil
}

// A job is a request at work, in one piece.
type job struct {
	request Request
	call    Call
	result  wire.Raw
}

// handle returns the result as a pointer into the job.
func (c *connection) handle(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
	j := &job{request: Request{
		ID: r.ID, Method: r.Method, Params: r.Params, Meta: r.Meta, Size: r.Size(),
		Session: c.session, Out: requestSender{r},
	}}
	if d, ok := r.Stream.(Describer); ok {
		d.Describe(&j.request)
	}
	j.call = Call{server: c.server, req: &j.request, ctx: ctx}
	var err error
	if j.result, err = c.server.carryOut(&j.call); err != nil {
		return nil, err
	}
	return &j.result, nil
}

// ServeNotification implements [peer.Handler].
func (c *connection) ServeNotification(ctx context.Context, n *peer.Notification) {
	request := &Request{
		Method: n.Method, Params: n.Params, Meta: n.Meta, Session: c.session, Out: connSender{c.peer},
	}
	if d, ok := n.Stream.(Describer); ok {
		d.Describe(request)
	}
	if err := c.server.HandleNotification(ctx, request); err != nil {
		c.server.log().Debug("mcp: notification ignored", "method", n.Method, "error", err)
	}
}

// A channel is the connection that [Server.Serve] serves, with all messages on one channel, and the
// transport of its peer.
type channel struct {
	connection
	transport.Transport

	reading context.Context // ends when nothing more will arrive
	stopped context.CancelFunc

	mu    sync.Mutex
	ended map[wire.ID]struct{} // subscriptions that the server ends, their answers not sent yet
}

// Receive implements [transport.Receiver].
func (c *channel) Receive(ctx context.Context) (transport.Message, error) {
	m, err := c.Transport.Receive(ctx)
	if err != nil {
		if _, ok := errors.AsType[*transport.MessageError](err); !ok {
			c.stopped()
		}
	}
	return m, err
}

// ServeRequest implements [peer.Handler].
func (c *channel) ServeRequest(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
	if r.Method == mcp.MethodSubscriptionsListen.Name {
		return c.listen(ctx, r)
	}
	return c.connection.ServeRequest(ctx, r)
}

// listen carries out a subscription, which ends when nothing more can arrive: other requests may
// finish what they do, but this one has nothing to finish.
func (c *channel) listen(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.reading, cancel)()
	result, err := c.handle(ctx, r)
	switch {
	case err == nil:
		c.mu.Lock()
		if c.ended == nil {
			c.ended = make(map[wire.ID]struct{})
		}
		c.ended[r.ID] = struct{}{}
		c.mu.Unlock()
	case c.reading.Err() != nil:
		return nil, peer.ErrNoResponse
	}
	return result, err
}

// Send implements [transport.Sender]. Where all share one channel, a subscription that the server
// ends is ended by a cancellation, too, after its result.
func (c *channel) Send(ctx context.Context, m transport.Message) error {
	// REQ CANC-04, SUB-09
	if err := c.Transport.Send(ctx, m); err != nil || m.Kind != jsonrpc.Result || !c.takeEnded(m.ID) {
		return err
	}
	data, err := jsonrpc.AppendNotification(nil, firstModern, mcp.MethodCancelledNotification.Name,
		&mcp.CancelledNotificationParams{RequestID: m.ID, Reason: errClosed.Error()}, nil)
	if err != nil {
		return err
	}
	return c.Transport.Send(ctx, transport.Message{Data: data, Stream: m.Stream, Kind: jsonrpc.Notification, ID: m.ID})
}

func (c *channel) takeEnded(id wire.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.ended[id]
	delete(c.ended, id)
	return ok
}

// A requestSender sends what belongs to a request.
type requestSender struct{ r *peer.Request }

func (s requestSender) Notify(ctx context.Context, method string, params wire.Raw) error {
	return s.r.Notify(ctx, &wire.Method{Name: method, Notification: true}, encodable(params))
}

// Call has no limit but that of ctx, which comes from [Options.AskTimeout].
func (s requestSender) Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	var result wire.Raw
	err := s.r.CallWith(ctx, method, encodable(params), &result, &peer.CallOptions{Timeout: -1, MaxTimeout: -1})
	return result, err
}

// A connSender sends what belongs to no request.
type connSender struct{ c *peer.Conn }

func (s connSender) Notify(ctx context.Context, method string, params wire.Raw) error {
	return s.c.NotifyAt(ctx, wire.Any, method, encodable(params))
}

func (s connSender) Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	var result wire.Raw
	err := s.c.CallWith(ctx, method, encodable(params), &result, nil)
	return result, err
}

// encodable returns params, nil if there are none.
func encodable(params wire.Raw) wire.Encodable {
	if params == nil {
		return nil
	}
	return params
}
