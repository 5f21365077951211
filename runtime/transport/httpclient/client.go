// Package httpclient is a client's side of Streamable HTTP, the transport of revisions since 2025-03-26, and of HTTP+SSE
// where a server has only that: a [transport.Transport] for every revision.
//
//	c, err := client.Connect(ctx, httpclient.New("https://example.com/mcp", nil), nil)
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http, and
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http.
package httpclient

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/lifetime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Client is a client's connection to a server, over HTTP: each message is a POST, and the response to a request
// is the body of the HTTP response, or the last event of a stream in it. It implements [transport.PerRequest], and
// serves every revision.
//
//	c, err := client.Connect(ctx, httpclient.New("https://example.com/mcp", nil), nil)
//
// Through 2025-11-25 it opens a stream for messages that belong to no request, and resumes streams that break if
// the server has kept what it sent. If the server refuses to open a session, the Client tries HTTP+SSE, the
// transport of revision 2024-11-05, at the same URL.
//
// A Client never sends a request twice. A request that gets no response fails with a *[transport.RequestError]; the
// connection stays open.
type Client struct {
	opts    Options
	url     *url.URL // the endpoint
	http    http.Client
	ownHTTP *http.Transport // nil if the program supplied its own client
	err     error           // why there is no endpoint

	queue chan arrival
	life  *lifetime.Lifetime // until Close
	once  sync.Once

	mu       sync.Mutex
	requests map[wire.ID]*exchange // that have no response yet
	session  session
	modern   string // the revision of the last request that named one
	listener *listener
	messages *url.URL // where messages go if the server speaks HTTP+SSE, nil otherwise
}

var (
	_ transport.PerRequest = (*Client)(nil)
	_ transport.Sessioner  = (*Client)(nil)
)

// An arrival is a message that has arrived, or the end of a request that will get no response.
type arrival struct {
	data   []byte
	stream any // the id of the client's request that a message of the server belongs to; nil for a response
	err    error
}

const (
	// queued is how many messages may wait to be received before the client stops reading streams.
	queued = 64
	// headerTime is how long the server may take to begin its HTTP response to a notification, to a response, or to the
	// opening of a stream. It is less than SendTimeout of the connection. Requests have the time limits of their calls.
	headerTime = 15 * time.Second
	// closeTime is how long Close waits for the server.
	closeTime = 3 * time.Second
)

// New returns a client of the endpoint, an http or https URL. If the URL is not valid, sending returns an
// error. New sends nothing. Opts may be nil.
func New(endpoint string, opts *Options) *Client {
	c := &Client{opts: opts.complete(), life: lifetime.New(context.Background()), queue: make(chan arrival, queued), requests: map[wire.ID]*exchange{}}
	c.err = c.useHTTP(endpoint, c.opts.HTTP)
	return c
}

// PerRequest implements [transport.PerRequest].
func (c *Client) PerRequest() bool { return true }

// Receive implements [transport.Receiver].
func (c *Client) Receive(ctx context.Context) (transport.Message, error) {
	if c.life.Over() {
		return transport.Message{}, transport.ErrClosed
	}
	select {
	case a := <-c.queue:
		return transport.Message{Data: a.data, Stream: a.stream}, a.err
	case <-c.life.Done():
		return transport.Message{}, transport.ErrClosed
	case <-ctx.Done():
		return transport.Message{}, context.Cause(ctx)
	}
}

// deliver passes an arrival to Receive.
func (c *Client) deliver(a arrival) {
	select {
	case c.queue <- a:
	case <-c.life.Done():
	}
}

// fail reports that a request will get no response or, without an id, that something else failed.
func (c *Client) fail(id wire.ID, err error) {
	c.deliver(arrival{err: &transport.RequestError{ID: id, Err: err}})
}

// Send implements [transport.Sender]. Requests are sent in the background. For other messages Send waits until the
// server has accepted them.
//
// REQ HTTP-09
func (c *Client) Send(ctx context.Context, m transport.Message) error {
	if c.err != nil {
		return c.err
	}
	m.Data = bytes.Clone(m.Data) // what follows may outlive this call
	msg, err := jsonrpc.Parse(m.Data)
	if err != nil && msg.Kind != jsonrpc.Batch {
		return err
	}
	c.mu.Lock()
	old := c.messages != nil
	c.mu.Unlock()
	switch {
	case c.life.Over():
		return transport.ErrClosed
	case msg.Kind == jsonrpc.Request && old:
		c.sendOld(msg.ID, m.Data, &msg)
		return nil
	case msg.Kind == jsonrpc.Request:
		return c.begin(m, &msg)
	case msg.Kind == jsonrpc.Notification && !m.ID.IsZero() && !old:
		return c.cancel(ctx, m, &msg)
	}
	err = c.post(ctx, m.Data, &msg)
	if err != nil && c.life.Over() {
		return transport.ErrClosed
	}
	return err
}

// begin sends a request.
//
// REQ SESS-08, HTTP-06
func (c *Client) begin(m transport.Message, msg *jsonrpc.Message) error {
	ctx, abort := context.WithCancel(c.life.Context())
	x := &exchange{client: c, id: msg.ID, method: msg.Method, abort: abort}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.life.Over():
		abort()
		return transport.ErrClosed
	case c.requests[x.id] != nil:
		abort()
		return fmt.Errorf("httpclient: request %s has no response yet", x.id)
	}
	if version := versionOf(msg); version != "" {
		c.modern, x.modern = version, true
	} else if x.method != mcp.MethodInitialize.Name {
		x.session = c.session
	}
	x.header = c.headers(msg, x.session, m.Mirrored)
	c.requests[x.id] = x
	c.life.Go(func(context.Context) { x.run(ctx, m.Data) })
	return nil
}

// cancel cancels a request. Since 2026-07-28 it only closes the exchange; through 2025-11-25 that has no meaning
// for the server.
//
// REQ CANC-03
func (c *Client) cancel(ctx context.Context, m transport.Message, msg *jsonrpc.Message) error {
	c.mu.Lock()
	x := c.requests[m.ID]
	c.mu.Unlock()
	if x == nil {
		return nil // it has just got its response, or has failed
	}
	defer x.abort()
	if x.modern {
		return nil
	}
	return c.post(ctx, m.Data, msg)
}

// post sends a message that is not a request, and waits until the server has accepted it. A response is sent again
// if it may not have arrived: the server waits for it, and ignores a second one.
func (c *Client) post(ctx context.Context, data []byte, msg *jsonrpc.Message) error {
	c.mu.Lock()
	s, to := c.session, cmp.Or(c.messages, c.url)
	header := c.headers(msg, s, nil)
	c.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, headerTime, errSilent)
	defer cancel()
	defer context.AfterFunc(c.life.Context(), cancel)()
	var k cursor
	for {
		err := c.postOnce(ctx, to, header, data, msg, s)
		if err == nil || !msg.IsResponse() || !isPassing(err) || c.opts.RetryTime < 0 || k.tries == maxTries {
			return err
		}
		wait := k.delay(&c.opts)
		if k.tries++; pause(ctx, wait) != nil {
			return err
		}
	}
}

func (c *Client) postOnce(ctx context.Context, to *url.URL, header http.Header, data []byte, msg *jsonrpc.Message, s session) error {
	resp, err := c.do(ctx, "POST", to, header, data)
	if err != nil {
		return err
	}
	defer discard(resp)
	if resp.StatusCode/100 == 2 {
		if msg.Method == mcp.MethodInitializedNotification.Name {
			c.listen(ctx, s)
		}
		return nil
	}
	return c.refusal("POST", resp, s, wire.ID{})
}

// errSilent is the cause of contexts that end because the server did not respond in time.
var errSilent = errors.New("httpclient: the server does not respond")

// Close implements [transport.Sender]. It ends the session, if there is one.
func (c *Client) Close() error {
	c.once.Do(func() {
		c.mu.Lock()
		c.life.End(nil)
		s := c.session
		c.mu.Unlock()
		if s.id != "" {
			c.delete(s)
		}
		c.life.WaitFor(closeTime) // the program's HTTP client may ignore contexts
		if c.ownHTTP != nil {
			c.ownHTTP.CloseIdleConnections()
		}
	})
	return nil
}
