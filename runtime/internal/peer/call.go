package peer

// A call is recorded under its id, sent, and waited for. It ends in one of five ways, of which the first counts: a
// response arrives, the transport reports that none will, the caller's context ends, a time limit is over, or the
// connection ends. In the third and fourth the other side is notified that it may stop.
//
// There are two time limits. Timeout is about silence, and progress restarts it if the caller wants that; MaxTimeout is
// about the whole call, so that progress cannot keep it open forever.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#timeouts.

import (
	"bytes"
	"context"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/buffers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// CallOptions configures one call. The zero value means the defaults.
type CallOptions struct {
	// Revision is what the request is encoded for, that of the handler if 0. The requests that negotiate a revision are
	// sent before the handler has one.
	Revision wire.Revision

	// Timeout is how long the call waits for its response. If it is 0 and the context has no deadline,
	// [Options.Timeout] takes its place. A negative value means no limit other than that of the context and
	// MaxTimeout.
	Timeout time.Duration

	// MaxTimeout is how long the call may take at most, [Options.MaxTimeout] if 0, negative for no
	// limit.
	MaxTimeout time.Duration

	// ResetOnProgress restarts Timeout whenever the other side reports progress.
	ResetOnProgress bool

	// OnProgress is called with the progress of the request, by the goroutine that makes the call, and not after
	// the call has returned. If it is slow, some reports are left out.
	OnProgress func(*mcp.ProgressNotificationParams)

	// Meta is an object whose members are added to the _meta of the params, where they replace members of the same
	// name. The connection adds the progressToken.
	Meta wire.Raw

	// Mirrored is passed on with the request: over HTTP these are headers that repeat arguments. See
	// [transport.Message].
	Mirrored map[string]string

	// Started is called with the id of the request before it is sent.
	Started func(id wire.ID)

	// Silent suppresses the cancellation if the call ends without a response. It is the default for initialize,
	// which must not be cancelled.
	Silent bool

	// Acknowledged is for subscriptions/listen: it is called with the acknowledgement, as OnProgress is with progress. The
	// other side may end such a call by cancelling it, which then fails with a *[jsonrpc.CancelledError].
	Acknowledged func(*mcp.SubscriptionsAcknowledgedNotificationParams)
}

// A call waits for its response. The goroutine that makes it owns it; others, under Conn.mu, record in it what arrives
// and wake that goroutine, which alone calls the functions of the options. So these are called in order, never at the
// same time, and not after the call has returned.
type call struct {
	id     int64
	method string
	wake   chan struct{} // has room for one signal that there is something new

	// The rest is guarded by Conn.mu.
	timeout, max time.Duration // not positive: none
	due          time.Time     // end of timeout; zero if there is none
	maxDue       time.Time
	resets       bool
	tracked      bool // the request has a progress token
	reports      bool // the caller wants progress
	listens      bool // it waits for an acknowledgement, or for its end after that

	over    bool // the result or the error is there
	result  wire.Raw
	err     error
	gaveUp  bool // nothing waits any more: the call timed out, or the caller's context ended
	begun   bool // there was progress; last is the newest
	last    float64
	updates []*mcp.ProgressNotificationParams // for OnProgress
	acked   bool
	ack     *mcp.SubscriptionsAcknowledgedNotificationParams // for Acknowledged; nil again when await has taken it
}

// signal wakes the goroutine of the call. It does not wait: one signal is enough for all that is new.
func (p *call) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// finish ends the call. It is called with Conn.mu held, by the code that removes the call from Conn.calls.
func (p *call) finish(result wire.Raw, err error) {
	p.over, p.result, p.err = true, result, err
	p.signal()
}

// giveUp ends the call while the other side may still be handling the request, so that await cancels it. Like finish it is
// called with Conn.mu held.
func (p *call) giveUp(err error) {
	p.gaveUp = true
	p.finish(nil, err)
}

// progress records progress, and restarts the time limit if the options say so. It is called with Conn.mu held. If the
// caller is slower than the reports, the oldest are left out: the newest says how far the request is.
func (p *call) progress(u *mcp.ProgressNotificationParams) {
	p.begun, p.last = true, u.Progress
	if p.resets && p.timeout > 0 {
		p.due = time.Now().Add(p.timeout)
	}
	if !p.reports {
		return
	}
	if len(p.updates) == maxUpdates {
		p.updates = append(p.updates[:0], p.updates[1:]...)
	}
	p.updates = append(p.updates, u)
	p.signal()
}

// ends returns when the call times out, by whichever limit comes first; zero means never.
func (p *call) ends() time.Time {
	if p.due.IsZero() || !p.maxDue.IsZero() && p.maxDue.Before(p.due) {
		return p.maxDue
	}
	return p.due
}

// CallWith sends a request and decodes its result, unless result is nil. The error is that of the other side, a
// *[jsonrpc.Error], or a *[jsonrpc.CallError] that wraps another error of that package, or an error of the context,
// the transport, the encoding or the decoding. If the call ends without a response, it is cancelled on the other
// side.
func (c *Conn) CallWith(ctx context.Context, method string, params wire.Encodable, result wire.Decodable, opts *CallOptions) error {
	return c.call(ctx, nil, method, params, result, opts)
}

// Call implements [transport.Caller], for what belongs to no request. Its time limits are those of [Options].
func (c *Conn) Call(ctx context.Context, method string, params wire.Raw) (result wire.Raw, err error) {
	err = c.call(ctx, nil, method, params, &result, nil)
	return result, err
}

// SkipIDs makes the connection send requests with ids greater than last, to continue where another process stopped.
// It must be called before the first request is sent.
func (c *Conn) SkipIDs(last int64) { c.lastID.Store(last) }

// NotifyAt sends a notification that belongs to no request. A revision of 0 means that of the handler.
func (c *Conn) NotifyAt(ctx context.Context, rev wire.Revision, method string, params wire.Encodable) error {
	if rev == 0 {
		rev = c.revision()
	}
	return c.notify(ctx, nil, wire.ID{}, rev, method, params)
}

// Notify implements [transport.Caller], for what belongs to no request.
func (c *Conn) Notify(ctx context.Context, method string, params wire.Raw) error {
	return c.notify(ctx, nil, wire.ID{}, wire.Any, method, params)
}

// notify sends a notification, on the stream of a request if it belongs to one. About is the request that a cancellation
// is about, by which HTTP finds the exchange to close.
func (c *Conn) notify(ctx context.Context, stream any, about wire.ID, rev wire.Revision, method string, params wire.Encodable) error {
	if c.isClosed() {
		return &jsonrpc.CallError{Method: method, Err: jsonrpc.ErrClosed}
	}
	buf := buffers.Get()
	out, err := jsonrpc.AppendNotification((*buf)[:0], rev, method, params, nil)
	if err == nil {
		err = c.send(ctx, transport.Message{Data: out, Stream: stream, Kind: jsonrpc.Notification, ID: about})
	}
	// A transport does not use the data once Send has returned.
	buffers.Put(buf, out)
	if err != nil {
		return &jsonrpc.CallError{Method: method, Err: err}
	}
	return nil
}

// call makes a call that belongs to the request, if there is one. An error of the other side is returned as it is; all
// others are in a CallError, so that they are never mistaken for it.
func (c *Conn) call(ctx context.Context, r *request, method string, params wire.Encodable, result wire.Decodable, o *CallOptions) error {
	if o == nil {
		o = &CallOptions{}
	}
	if ctx.Err() != nil {
		return &jsonrpc.CallError{Method: method, Err: endOf(ctx)}
	}
	// Nothing is sent if ctx has ended already, so there is nothing to cancel either.
	p, err := c.begin(ctx, method, o)
	if err != nil {
		return &jsonrpc.CallError{Method: method, Err: err}
	}
	defer c.forget(p) // if it cannot be sent, or OnProgress panics
	if o.Started != nil {
		o.Started(wire.IntID(p.id))
	}
	if err := c.sendCall(ctx, r, p, params, o); err != nil {
		return &jsonrpc.CallError{Method: method, Err: err}
	}
	c.yield()
	raw, err := c.await(ctx, r, p, o)
	if err != nil {
		if rpc, ok := err.(*jsonrpc.Error); ok {
			return rpc
		}
		return &jsonrpc.CallError{Method: method, Err: err}
	}
	if result == nil {
		return nil
	}
	// The result may share the memory of the message, which arrived for this call and belongs to nobody else.
	if err := wire.DecodeAlias(raw, result); err != nil {
		return &jsonrpc.CallError{Method: method, Err: err}
	}
	return nil
}

// begin adds a call to those that wait. That comes before the request is sent, or its response could arrive before
// anybody waits for it. Ids count from 1 and are never used again on this connection.
//
// REQ JRPC-04, MRTR-07
func (c *Conn) begin(ctx context.Context, method string, o *CallOptions) (*call, error) {
	p := &call{
		id: c.lastID.Add(1), method: method, wake: make(chan struct{}, 1),
		resets: o.ResetOnProgress, tracked: o.ResetOnProgress || o.OnProgress != nil, reports: o.OnProgress != nil, listens: o.Acknowledged != nil,
		timeout: o.Timeout, max: o.MaxTimeout,
	}
	if p.max == 0 {
		p.max = c.opts.MaxTimeout
	}
	// The deadline of a caller who has one takes the place of the usual limit, whether it is sooner or later.
	if p.timeout == 0 {
		if _, limited := ctx.Deadline(); !limited {
			p.timeout = c.opts.Timeout
		}
	}
	now := time.Now()
	if p.timeout > 0 {
		p.due = now.Add(p.timeout)
	}
	if p.max > 0 {
		p.maxDue = now.Add(p.max)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// A call that is added after failCalls would be ended by nobody.
	if c.gone != nil {
		return nil, c.gone
	}
	if c.calls == nil {
		c.calls = make(map[int64]*call)
	}
	c.calls[p.id] = p
	c.wind(p.ends())
	return p, nil
}

// sendCall sends the request of a call. If the call belongs to a request r of the other side, it holds r.mu meanwhile, so
// that nothing follows the response to r.
//
// REQ PROG-01
func (c *Conn) sendCall(ctx context.Context, r *request, p *call, params wire.Encodable, o *CallOptions) error {
	m := transport.Message{Kind: jsonrpc.Request, ID: wire.IntID(p.id), Mirrored: o.Mirrored}
	rev := o.Revision
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.responded || r.cancel.Load() {
			return jsonrpc.ErrRequestDone
		}
		m.Stream = r.Stream
	}
	if rev == 0 {
		rev = c.revision()
	}
	meta := o.Meta
	if p.tracked {
		meta = withToken(meta, p.id)
	}
	buf := buffers.Get()
	out, err := jsonrpc.AppendRequest((*buf)[:0], rev, m.ID, p.method, params, meta)
	if err == nil {
		m.Data = out
		err = c.send(ctx, m)
	}
	buffers.Put(buf, out)
	return err
}

// withToken returns the object meta with a progress token, which comes first. Meta is ours and has none.
func withToken(meta wire.Raw, token int64) wire.Raw {
	out := strconv.AppendInt([]byte(`{"`+mcp.KeyProgressToken+`":`), token, 10)
	if inner, ok := bytes.CutPrefix(bytes.TrimSpace(meta), []byte("{")); ok {
		if inner = bytes.TrimSpace(inner); len(inner) > 1 { // more than the bracket at the end
			return append(append(out, ','), inner...)
		}
	}
	return append(out, '}')
}

// await waits for the response. While it waits it reports progress. What has arrived is taken out of the call under mu
// and reported without it, because the functions of the options may take their time, and may make calls. The response
// is looked at last: progress that came before it is reported before the call returns.
//
// Who gives up tells the other side, except for initialize, which must not be cancelled.
//
// REQ LIFE-12, CANC-03, STDIO-14
func (c *Conn) await(ctx context.Context, r *request, p *call, o *CallOptions) (wire.Raw, error) {
	for {
		var cause error
		select {
		case <-p.wake:
		case <-ctx.Done():
			cause = endOf(ctx)
		}
		c.mu.Lock()
		if cause != nil && !p.over {
			delete(c.calls, p.id)
			p.giveUp(cause)
		}
		updates, ack, over := p.updates, p.ack, p.over
		p.updates, p.ack = nil, nil
		c.mu.Unlock()
		if ack != nil {
			o.Acknowledged(ack)
		}
		for _, u := range updates {
			o.OnProgress(u)
		}
		if !over {
			continue
		}
		// Whoever has ended the call has removed it from calls, so nothing writes to it any more, and mu is not needed.
		if p.gaveUp && !o.Silent && p.method != mcp.MethodInitialize.Name {
			c.cancelCall(r, p)
		}
		return p.result, p.err
	}
}

// forget removes a call that waits, if it still does.
func (c *Conn) forget(p *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, p.id)
}

// responseReceived handles a response. Err says what is wrong with it. Whoever removes a call from calls ends it, so
// that of a response, a timeout and the end of the connection only the first counts. What comes for a call that is over,
// or never was, is logged once and ignored, as the page on cancellation demands.
//
// REQ CANC-08
func (c *Conn) responseReceived(m *jsonrpc.Message, err error) {
	id, _ := m.ID.Int() // 0 for a string, which no call has
	c.mu.Lock()
	p := c.calls[id]
	if p != nil {
		delete(c.calls, id)
		switch {
		case err != nil:
			p.finish(nil, &jsonrpc.InvalidResponseError{Err: err})
		case m.Error != nil:
			p.finish(nil, m.Error)
		default:
			p.finish(m.Result, nil)
		}
	}
	c.mu.Unlock()
	switch {
	case p != nil:
	case m.Error != nil && m.ID.IsZero():
		c.once(invalidResponse, "the other side reports an error, but not about which request", "error", m.Error)
	case m.ID.IsZero():
		c.once(invalidResponse, "response ignored, it has no id", "error", err)
	case id > 0 && id <= c.lastID.Load():
		c.once(lateResponse, "response ignored, the call is over", "id", id)
	default:
		c.once(unknownResponse, "response ignored, there was no such call", "id", m.ID.String())
	}
}

// lost ends a call that, as the transport has reported, will get no response. If a response said so, over HTTP with a
// status, its error object is the error of the call, as over any other transport.
func (c *Conn) lost(e *transport.RequestError) {
	id, _ := e.ID.Int() // 0 for a string, which no call has
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.calls[id]; p != nil {
		delete(c.calls, id)
		if rpc, ok := e.Err.(*jsonrpc.Error); ok {
			p.finish(nil, rpc)
		} else {
			p.finish(nil, e)
		}
	}
}

// failCalls makes all calls fail, current and future ones. The first cause counts: what the end of a connection causes is
// not mistaken for its reason. It is called with mu held.
func (c *Conn) failCalls(cause error) {
	if c.gone == nil {
		c.gone = cause
	}
	for id, p := range c.calls {
		delete(c.calls, id)
		p.finish(nil, c.gone)
	}
	if c.clock != nil {
		c.clock.Stop()
	}
}

// wind sets the timer to t, unless it is set to an earlier time. It is called with mu held. There is one timer for
// all calls, which is rarely set: most calls end before their time limit, and when the timer fires, ring looks at
// those that are left.
func (c *Conn) wind(t time.Time) {
	if t.IsZero() || !c.rings.IsZero() && !t.Before(c.rings) {
		return
	}
	c.rings = t
	if c.clock == nil {
		c.clock = time.AfterFunc(time.Until(t), c.ring)
		return
	}
	c.clock.Reset(time.Until(t))
}

// ring ends the calls that have timed out, and sets the timer for the next one. The timer fires too early for calls whose
// time was extended by progress, and then finds nothing to do.
func (c *Conn) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rings = time.Time{}
	now := time.Now()
	var next time.Time
	for id, p := range c.calls {
		t := p.ends()
		switch {
		case t.IsZero(): // it has no limit
		case !t.After(now):
			delete(c.calls, id)
			err := &jsonrpc.TimeoutError{After: p.timeout}
			if t == p.maxDue {
				err = &jsonrpc.TimeoutError{After: p.max, Max: true}
			}
			p.giveUp(err)
		case next.IsZero() || t.Before(next):
			next = t
		}
	}
	c.wind(next)
}
