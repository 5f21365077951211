package nats

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// An opening is the request that begins an exchange.
type opening struct {
	Method string      `json:"method"`
	Target url.URL     `json:"target"` // without credentials
	URI    string      `json:"uri"`    // as it arrived
	Host   string      `json:"host"`
	Header http.Header `json:"header"`
	Remote string      `json:"remote"`          // the client's address
	Local  string      `json:"local,omitempty"` // the address that the client connected to
	TLS    bool        `json:"tls,omitempty"`
	Length int64       `json:"length"` // of the body, -1 if unknown
	Whole  bool        `json:"whole"`  // Body is the whole body
	Body   []byte      `json:"body,omitempty"`
}

// accept handles a request that another process passes on, if this process has its session.
func (n *node) accept(h *streamable.Handler, lease *store.Lease, name, to string, f frame) {
	peer, _, _ := strings.Cut(strings.TrimPrefix(to, n.prefix), ".")
	x := newExchange(n, name, to, n.prefix+lease.ID()+"."+name, peer)
	x.received = 1
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.enter(x) != nil {
		n.cluster.conn.Publish(to, frame{kind: frameReset}.append(nil))
		return
	}
	n.done.Go(func() { // before stop begins to wait, or not at all
		defer n.leave(x)
		n.serve(h, lease, x, f.data)
		n.keepServed(to)
		x.end(context.Canceled)
	})
}

func (n *node) serve(h *streamable.Handler, lease *store.Lease, x *exchange, data []byte) {
	var o opening
	if err := json.Unmarshal(data, &o); err != nil {
		x.send(frameMoved, nil)
		return
	}
	id := o.Header.Get(headerSession)
	// A process that was paused may receive a request that was sent long ago. Its lease has ended.
	if !lease.Valid() || h.IsEnding() || !n.cluster.sessions.Has(id) && n.hasMoved(x.ctx, lease, id) {
		x.send(frameMoved, nil)
		return
	}
	if x.send(frameAccept, nil) != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.WithValue(x.ctx, http.LocalAddrContextKey, address(o.Local)))
	defer cancel()
	var body io.Reader = bytes.NewReader(o.Body)
	if !o.Whole {
		body = io.MultiReader(body, &bodyReader{x: x, ctx: ctx})
	}
	r := (&http.Request{
		Method: o.Method, URL: &o.Target, RequestURI: o.URI, Host: o.Host, Header: o.Header, RemoteAddr: o.Remote,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: io.NopCloser(body), ContentLength: o.Length,
	}).WithContext(ctx)
	if o.TLS {
		r.TLS = new(tls.ConnectionState)
	}
	w := &remoteWriter{x: x, header: make(http.Header), cancel: cancel}
	w.ping = time.AfterFunc(pings, w.sendPing)
	defer w.ping.Stop()
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			n.cluster.opts.Logger.Error("nats: panic in a handler", "panic", p, "stack", string(debug.Stack()))
		}
		w.finish()
	}()
	h.ServeHTTP(w, r)
}

// hasMoved reports whether another process that is alive has the session.
func (n *node) hasMoved(ctx context.Context, lease *store.Lease, id string) bool {
	holder, err := n.cluster.sessions.Holder(ctx, id)
	return err != nil || holder != "" && holder != lease.ID()
}

// An address is a [net.Addr] over TCP.
type address string

func (a address) Network() string { return "tcp" }
func (a address) String() string  { return string(a) }

var _ net.Addr = address("")

// A bodyReader is the rest of the body of a request.
type bodyReader struct {
	x    *exchange
	ctx  context.Context // of the request
	rest []byte
	end  bool
}

func (b *bodyReader) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.end {
			return 0, io.EOF
		}
		select {
		case f := <-b.x.in:
			switch f.kind {
			case frameBody:
				b.rest = f.data
				b.x.take()
			case frameLast:
				b.end = true
			default:
				return 0, errFrame
			}
		case <-b.ctx.Done():
			return 0, context.Cause(b.ctx)
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// A remoteWriter sends a response to the process that received the request. It flushes after each write.
type remoteWriter struct {
	x      *exchange
	header http.Header
	cancel context.CancelFunc // of the request
	ping   *time.Timer

	mu       sync.Mutex
	status   int // 0 until it is decided
	sent     bool
	deadline time.Time
	finished bool
}

// A head is the status and the header of a response.
type head struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
}

func (w *remoteWriter) Header() http.Header { return w.header }

func (w *remoteWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status == 0 {
		w.status = status
	}
}

// sendHead sends the head, unless it was sent. It is called with mu held.
func (w *remoteWriter) sendHead() error {
	if w.sent {
		return nil
	}
	w.sent = true
	if w.status == 0 {
		w.status = http.StatusOK
	}
	data, err := json.Marshal(head{w.status, w.header})
	if err != nil {
		return err
	}
	return w.x.send(frameHead, data)
}

func (w *remoteWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.finished {
		return 0, http.ErrHandlerTimeout
	}
	if err := w.sendHead(); err != nil {
		return 0, err
	}
	w.ping.Reset(pings)
	for n := 0; n < len(data); {
		part := data[n:min(n+chunk, len(data))]
		if err := w.x.sendBody(frameData, part, w.deadline); err != nil {
			return n, err
		}
		n += len(part)
	}
	return len(data), nil
}

// FlushError is for [http.ResponseController], as are the deadlines.
func (w *remoteWriter) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.finished {
		return http.ErrHandlerTimeout
	}
	return w.sendHead()
}

func (w *remoteWriter) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = at
	return nil
}

// SetReadDeadline ends the request if the deadline has passed, as it would on a connection that net/http reads in
// the background. The time for a body is limited in the process where it arrives.
func (w *remoteWriter) SetReadDeadline(at time.Time) error {
	if !at.IsZero() && !at.After(time.Now()) {
		w.cancel()
	}
	return nil
}

func (w *remoteWriter) sendPing() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.finished && w.x.send(framePing, nil) == nil {
		w.ping.Reset(pings)
	}
}

// finish ends the response.
func (w *remoteWriter) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished = true
	if w.sendHead() == nil {
		w.x.send(frameEnd, nil)
	}
}
