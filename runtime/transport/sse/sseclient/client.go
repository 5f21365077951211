// Package sseclient is a client's side of HTTP+SSE, the HTTP transport of revision 2024-11-05, for servers that do
// not support Streamable HTTP. A client that does not know what its server supports uses package httpclient, which
// tries both.
//
// See https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
package sseclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/lifetime"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webclient"
)

// Options configures a [Client]. The zero value means the defaults. For limits, 0 means the default, and a
// negative value no limit.
type Options struct {
	// HTTP sends the requests. Its Transport may add to them, such as credentials. Its Timeout is not used, since
	// it would end the stream. Its CheckRedirect is called for redirects within an origin; others are not followed.
	// The default is a client that has time limits for connecting and uses the proxies of the environment.
	HTTP *http.Client

	// Header is sent with every request.
	Header http.Header

	// HeaderTimeout is how long the server may take to open the stream and say where to send
	// messages, and to accept each of them: 15 s if 0. It should be less than SendTimeout of the
	// connection.
	HeaderTimeout time.Duration

	// MaxMessage is how many bytes a received message may have, 16 MiB if 0.
	MaxMessage int

	// Logger receives errors that no method returns. The default is [slog.Default].
	Logger *slog.Logger
}

// complete returns the options with defaults filled in.
func (o *Options) complete() Options {
	c := option.Of(o)
	c.Logger = excerpt.Logger(c.Logger)
	c.HeaderTimeout = option.Limit(c.HeaderTimeout, 15*time.Second)
	c.MaxMessage = option.Limit(c.MaxMessage, 16<<20)
	return c
}

// A Client is a client's connection to a server. It is a [transport.Transport]. The connection lasts as long as the
// stream, which cannot be resumed once it is broken.
type Client struct {
	opts Options
	http *webclient.Client
	err  error // why there is none

	life  *lifetime.Lifetime // until Close
	queue chan arrival
	over  chan struct{} // closed when the stream has ended
	cause error         // why; set before

	opening  sync.Mutex // held while the stream is opened
	opened   bool
	endpoint *url.URL // where messages go
	session  atomic.Pointer[string]
}

// An arrival is a message that has arrived, or the error of one that could not be sent.
type arrival struct {
	data []byte
	err  error
}

const (
	queued    = 64      // how many messages may wait to be received before the client stops reading the stream
	smallBody = 4 << 10 // how much is read of the body of a refusal
)

// errSilent is the cause of contexts that end because the server took too long.
var errSilent = errors.New("sse: the server does not respond")

// New returns a client of the endpoint whose stream is at the given http or https URL. If the URL is not
// valid, sending returns an error. New sends nothing. Opts may be nil.
func New(endpoint string, opts *Options) *Client {
	c := &Client{opts: opts.complete(), life: lifetime.New(context.Background()), queue: make(chan arrival, queued), over: make(chan struct{})}
	c.http, c.err = webclient.New(endpoint, c.opts.HTTP)
	return c
}

// SessionID implements [transport.Sessioner]. The id is taken from the URL for messages, where a server of package sse puts it.
func (c *Client) SessionID() string {
	if id := c.session.Load(); id != nil {
		return *id
	}
	return ""
}

// Open opens the stream and waits until the server says where to send messages. Calling it is optional: sending the
// first message does the same.
func (c *Client) Open(ctx context.Context) error {
	if c.err != nil {
		return c.err
	}
	c.opening.Lock()
	defer c.opening.Unlock()
	switch {
	case c.life.Over():
		return transport.ErrClosed
	case c.opened:
		return nil
	}
	stream, cancel := context.WithCancelCause(c.life.Context())
	timer := time.AfterFunc(c.opts.HeaderTimeout, func() { cancel(errSilent) })
	defer timer.Stop()
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	defer stop()
	body, events, err := c.open(stream)
	if err != nil {
		if stream.Err() != nil {
			err = context.Cause(stream)
		}
		cancel(nil)
		return err
	}
	if !stop() || !timer.Stop() {
		body.Close()
		cancel(nil)
		return context.Cause(stream)
	}
	c.opened = c.life.Go(func(context.Context) {
		c.read(events)
		body.Close()
		cancel(nil)
	})
	if !c.opened {
		body.Close()
		cancel(nil)
		return transport.ErrClosed
	}
	return nil
}

// open sends the GET and reads the first event.
//
// REQ SSE-03
func (c *Client) open(ctx context.Context) (io.Closer, *eventstream.Reader, error) {
	resp, err := c.do(ctx, "GET", c.http.URL, nil)
	if err != nil {
		return nil, nil, err
	}
	fail := func(err error) (io.Closer, *eventstream.Reader, error) {
		resp.Body.Close()
		return nil, nil, err
	}
	if t := webclient.MediaType(resp.Header); resp.StatusCode != http.StatusOK || t != eventstream.ContentType {
		body, _ := webclient.Read(io.LimitReader(resp.Body, smallBody), smallBody)
		status := webclient.Refused("GET", resp, body)
		if resp.StatusCode == http.StatusOK {
			status.Text = fmt.Sprintf("content type %q, want %s", resp.Header.Get("Content-Type"), eventstream.ContentType)
		}
		return fail(status)
	}
	events := eventstream.NewReader(resp.Body, c.opts.MaxMessage)
	e, err := events.Next()
	switch {
	case err == io.EOF:
		return fail(errors.New("sse: the stream ended before the event endpoint"))
	case err != nil:
		return fail(fmt.Errorf("sse: the stream broke off before the event endpoint: %w", err))
	case e.Type != "endpoint":
		return fail(fmt.Errorf("sse: the stream begins with the event %q, want endpoint", excerpt.Of(e.Type)))
	}
	endpoint, err := c.http.URL.Parse(string(e.Data))
	switch {
	case err != nil:
		return fail(fmt.Errorf("sse: the event endpoint has no URL: %w", err))
	case !web.SameOrigin(c.http.URL, endpoint):
		return fail(fmt.Errorf("sse: the server wants messages to go to another origin, %s", endpoint.Redacted()))
	}
	endpoint.Fragment = ""
	c.endpoint = endpoint
	c.session.Store(new(endpoint.Query().Get("sessionId")))
	return resp.Body, events, nil
}

// read reads the stream to its end.
func (c *Client) read(events *eventstream.Reader) {
	defer close(c.over)
	for {
		e, err := events.Next()
		if err != nil {
			c.cause = err
			return
		}
		if len(e.Data) > 0 && (e.Type == "" || e.Type == "message") {
			c.deliver(arrival{data: webclient.OneLine(e.Data)})
		}
	}
}

// deliver passes an arrival to Receive.
func (c *Client) deliver(a arrival) {
	select {
	case c.queue <- a:
	case <-c.life.Done():
	}
}

// Receive implements [transport.Receiver].
func (c *Client) Receive(ctx context.Context) (transport.Message, error) {
	if c.life.Over() {
		return transport.Message{}, transport.ErrClosed
	}
	select {
	case a := <-c.queue:
		return transport.Message{Data: a.data}, a.err
	case <-c.life.Done():
		return transport.Message{}, transport.ErrClosed
	case <-ctx.Done():
		return transport.Message{}, context.Cause(ctx)
	case <-c.over:
	}
	select {
	case a := <-c.queue: // what was sent is received although the session has ended
		return transport.Message{Data: a.data}, a.err
	default:
		return transport.Message{}, c.cause
	}
}

// Send implements [transport.Sender]. Requests are sent in the background, and fail one by one if the server does
// not accept them. For other messages Send waits until the server has accepted them.
func (c *Client) Send(ctx context.Context, m transport.Message) error {
	if err := c.Open(ctx); err != nil {
		return err
	}
	data := bytes.Clone(m.Data) // it may be sent a little longer than this call takes
	if m.Kind != jsonrpc.Request {
		err := c.post(ctx, data)
		if err != nil && c.life.Over() {
			return transport.ErrClosed
		}
		return err
	}
	if !c.life.Go(func(ctx context.Context) {
		if err := c.post(ctx, data); err != nil {
			c.deliver(arrival{err: &transport.RequestError{ID: m.ID, Err: err}})
		}
	}) {
		return transport.ErrClosed
	}
	return nil
}

// post sends a message and waits until the server has accepted it.
func (c *Client) post(ctx context.Context, data []byte) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.HeaderTimeout, errSilent)
	defer cancel()
	defer context.AfterFunc(c.life.Context(), cancel)()
	resp, err := c.do(ctx, "POST", c.endpoint, data)
	if err != nil {
		return err
	}
	defer webclient.Discard(resp)
	if resp.StatusCode/100 == 2 {
		return nil
	}
	body, _ := webclient.Read(io.LimitReader(resp.Body, smallBody), smallBody)
	status := webclient.Refused("POST", resp, body)
	if m, err := jsonrpc.Parse(body); err == nil && m.Kind == jsonrpc.ErrorResponse {
		status.Err = m.Error
	}
	return status
}

// do sends an HTTP request.
func (c *Client) do(ctx context.Context, method string, to *url.URL, body []byte) (*http.Response, error) {
	h := c.opts.Header.Clone()
	if h == nil {
		h = make(http.Header)
	}
	if body != nil {
		h.Set("Content-Type", "application/json")
	} else {
		h.Set("Accept", eventstream.ContentType)
	}
	return c.http.Do(ctx, method, to, h, body)
}

// closeTime is how long Close waits for messages that are being sent.
const closeTime = 3 * time.Second

// Close implements [transport.Sender]. The end of the stream tells the server.
func (c *Client) Close() error {
	c.life.End(nil)
	if c.err != nil {
		return nil
	}
	c.opening.Lock()
	defer c.opening.Unlock()
	c.life.WaitFor(closeTime) // the program's HTTP client may ignore contexts
	c.http.Close()
	return nil
}

var _ transport.Transport = (*Client)(nil)
