// Package client is the client's side of the protocol, in every revision. [Connect] finds out which revision
// a server speaks, and returns a [Client] to call it with.
//
// Through 2025-11-25 a connection begins with a handshake, and a server asks for input by sending requests. Since
// 2026-07-28 each request carries what the server must know about the client, and a server asks for input in the
// result of a request. The handlers of [Options] serve both, and callers see no difference.
//
// # Goroutines
//
// A call has none of its own: its goroutine sends the request, waits, and runs the middleware, the observer and the functions
// of its context, and since 2026-07-28 also the handlers of the input that the server asks for. Through 2025-11-25 requests of
// the server are handled by goroutines of the connection. Notifications are handled one after another in all revisions. The
// client has a goroutine that reads, one for each open [Subscription] since 2026-07-28, one for pings, and one while it opens a
// new session in place of one that the server has ended. [Client.Close] waits for all of them.
//
// # Panics
//
// A handler that panics fails, and so does what the client does by itself if middleware or an observer panics in it; the log
// says why. A panic in the middleware or the observer of a call is the caller's.
package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/lifetime"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Client is a connection to a server. Its methods may be called by several goroutines at once.
//
// It has the life of its peer.Conn, which does the correlation; the Client adds what the protocol means. All goroutines
// belong to life, so that none is left after Close. Until settled is closed only Connect sends anything; after that the
// result of the negotiation does not change, and is read without a mutex.
type Client struct {
	calls      mcp.ServerCalls // by Client.Call
	opts       Options
	agreed     atomic.Uint32 // the revision, 0 if it is not known yet; the server may use it before settled is closed
	info       mcp.Implementation
	conn       *peer.Conn // set by Connect, like exchanges and sessioner, before anything is sent
	dispatcher mcp.ClientDispatcher
	methods    map[string]Method // by name; not changed after newClient

	sendFunc    SendFunc              // call in the middleware; nil if there is none
	receiveFunc transport.MessageFunc // handle in the middleware

	// Each of the next three has locks of its own.
	cache         *cache
	tools         knownTools
	subscriptions subscriptions
	exchanges     bool                                  // each request is an HTTP exchange, with headers
	sessioner     transport.Sessioner                   // nil unless the transport is one
	meta          atomic.Pointer[mcp.RequestMetaObject] // of requests; nil in sessions

	mu       sync.Mutex // guards the following, up to told; no message is sent with it held
	roots    []mcp.Root
	level    mcp.LoggingLevel // of the session
	sessions int              // how many sessions were renewed
	renewal  *renewal         // in progress
	lost     error            // why the client closed the connection by itself
	told     map[string]bool  // the deprecated methods that the log has

	life      *lifetime.Lifetime // until Close
	connected *lifetime.Lifetime // until the connection has ended, whichever side closed it
	err       error              // why it ended; set before

	sessionEnd func(error) // tells the observer; nil if there is no session, or no observer

	// The result of the negotiation. It is set before settled is closed, and does not change afterwards. Who may come
	// earlier, as extensions can, asks settled first.
	settled  chan struct{}
	server   ServerInfo
	declared declared
}

// A ServerInfo is what a server says about itself.
type ServerInfo struct {
	Capabilities mcp.ServerCapabilities
	// Info is the server's name and version, for display and logs; nil if the server does not say.
	Info *mcp.Implementation
	// Instructions is advice on using the server, for the model.
	Instructions string
}

// Connect finds out which revision the server at the other end of a transport speaks, opens a session
// where the revision has sessions, and returns a client. The client owns the transport, which is closed if
// there is an error. When ctx ends, Connect fails; afterwards only its values are used, in the contexts of
// handlers. The connection lasts until [Client.Close]. A nil opts is the zero [Options].
//
// The error is a *[VersionError] if there is no common revision.
func Connect(ctx context.Context, t transport.Transport, opts *Options) (*Client, error) {
	c, err := newClient(ctx, opts)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	var in transport.Receiver = t
	if x, ok := t.(transport.PerRequest); ok && x.PerRequest() {
		c.exchanges = true
		in = watcher{t, c}
	}
	c.sessioner, _ = t.(transport.Sessioner)
	c.conn = peer.New(t, func(*peer.Conn) transport.Handler { return incoming{c} },
		&peer.Options{Limits: c.opts.Limits, Logger: c.opts.Logger})
	handlers := context.WithoutCancel(ctx)
	c.background(func(context.Context) {
		err := c.conn.Run(handlers, in) // until Close closes it
		c.mu.Lock()
		c.err = cmp.Or(err, c.lost)
		if c.life.Over() {
			c.connected.End(jsonrpc.ErrClosed)
		} else {
			c.connected.End(&jsonrpc.DisconnectedError{Err: cmp.Or(c.err, io.EOF)})
		}
		c.mu.Unlock()
		c.observeSessionEnd(c.err)
	})
	if err := c.connect(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// newClient returns a client without a connection. What is wrong with the options is an error before anything is sent.
//
// REQ CACHE-06
func newClient(ctx context.Context, opts *Options) (*Client, error) {
	c := &Client{opts: option.Of(opts), life: lifetime.New(ctx), connected: lifetime.New(ctx), settled: make(chan struct{})}
	if err := checkRoots(c.opts.Roots); err != nil {
		return nil, err
	}
	c.info = c.opts.info()
	var err error
	if c.methods, err = methodsOf(c.opts.Methods); err != nil {
		return nil, err
	}
	c.setHandlers()
	c.calls.Caller = c
	c.dispatcher.Handler = &builtin{client: c}
	c.cache = newCache(c.opts.cacheBytes())
	c.subscriptions.uses, c.told = map[string]int{}, map[string]bool{}
	c.roots = slices.Clone(c.opts.Roots)
	return c, nil
}

// Revision returns the revision that the client and the server speak, zero before that is known. The next connection to the
// server may begin with it: see [Options.LastRevision].
func (c *Client) Revision() wire.Revision { return wire.Revision(c.agreed.Load()) }

// Server returns what the server says about itself, nothing before Connect has returned. Callers must not change it.
func (c *Client) Server() *ServerInfo {
	if !isClosed(c.settled) {
		return new(ServerInfo)
	}
	return &c.server
}

// ready returns an error until the revision is settled: an extension has its client before that.
func (c *Client) ready() error {
	if !isClosed(c.settled) {
		return errEarly
	}
	return nil
}

// uses logs once that a method is deprecated, if the revision of the connection says so.
func (c *Client) uses(ctx context.Context, m *wire.Method) {
	if m.Deprecated == "" || !c.modern() {
		return
	}
	c.mu.Lock()
	again := c.told[m.Name]
	c.told[m.Name] = true
	c.mu.Unlock()
	if !again {
		c.logger().WarnContext(ctx, "client: "+m.Name+" is deprecated: "+m.Deprecated)
	}
}

// logger returns the logger of the options, with bounds on what a server can write into it.
func (c *Client) logger() *slog.Logger { return excerpt.Logger(c.opts.Logger) }

// modern reports whether the revision is one without sessions. Whoever may come before it is settled asks ready first.
func (c *Client) modern() bool { return c.Revision().Since(mcp.Modern) }

// settle ends the negotiation: it records its result, and lets what has waited for it continue. Since 2026-07-28 servers send
// no requests, and a client must send no response, not even to a message that is malformed.
//
// REQ JRPC-15, STDIO-17
func (c *Client) settle(ctx context.Context, rev wire.Revision, s ServerInfo) error {
	d, err := declaredBy(&s.Capabilities)
	if err != nil {
		return err
	}
	// Nobody reads this before settled is closed, but for the revision, which is atomic.
	c.server, c.declared = s, d
	c.agreed.Store(uint32(rev))
	if c.modern() {
		c.meta.Store(c.standardMeta(rev, ""))
		c.conn.SetResponding(false) // not even malformed requests
	}
	close(c.settled)
	if !c.modern() {
		c.observeSession(ctx)
	}
	if c.opts.PingInterval > 0 && !c.modern() {
		c.background(func(ctx context.Context) { c.keepAlive(ctx, c.opts.PingInterval) })
	}
	return nil
}

// Close closes the connection, cancels what is in progress on it, and waits for the client's goroutines to
// end; for handlers, as long as [transport.Limits] says. A handler should not call it.
func (c *Client) Close() error {
	// First, so that the end of the connection, which Connect looks at, is not taken for the server's.
	c.life.End(nil)
	err := c.conn.Close()
	c.life.Wait()
	return err
}

// Done returns a channel that is closed when the connection has ended, whichever side closed it.
func (c *Client) Done() <-chan struct{} { return c.connected.Done() }

// Err returns why the connection has ended. It is nil if it was closed gracefully, or has not ended yet.
func (c *Client) Err() error {
	if !c.connected.Over() {
		return nil
	}
	return c.err
}

// isClosed reports whether a channel on which nothing is sent is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Notify sends a notification to the server, of any method but those that the client sends by itself, such
// as notifications/cancelled.
//
// REQ LIFE-11
func (c *Client) Notify(ctx context.Context, m *wire.Method, params wire.Encodable) error {
	if err := c.ready(); err != nil {
		return err
	}
	if !callable(m, c.Revision()) {
		return &RevisionError{m.Name, c.Revision()}
	}
	switch m.Name {
	case mcp.MethodInitializedNotification.Name:
		return fmt.Errorf("client: %s: Connect sends it", m.Name)
	// Only the connection knows which ids are those of calls, and that the response is not to be waited for any more.
	case mcp.MethodCancelledNotification.Name:
		return fmt.Errorf("client: %s: the client sends it when the context of a call ends", m.Name)
	}
	return c.through(ctx, m, params, nil, func(ctx context.Context, params wire.Encodable) error {
		return c.inSession(ctx, m.Name, func() error { return c.notify(ctx, c.Revision(), m.Name, params) })
	})
}

// callable reports whether clients can call a method in a revision. A method that names no revisions is a
// custom one.
func callable(m *wire.Method, rev wire.Revision) bool {
	custom := m.ToServer == nil && m.ToClient == nil && m.AsInput == nil
	return custom || wire.HasRevision(m.ToServer, rev)
}
