package httpclient

// This file speaks HTTP+SSE, the transport of revision 2024-11-05, with servers that refuse to open a session by POST. All
// messages of the server arrive on one stream, the response to a GET, which says first where the client sends its own. The
// exchange of initialize, which found that out, reads that stream; when it ends, so does the connection.
//
// See https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse, and for how it is found out
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventreader"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// followOld opens the stream of HTTP+SSE after the server has refused initialize with a status. If the server has one,
// followOld sends initialize again, reads the stream to its end, and returns true.
//
// REQ SSE-03
func (x *exchange) followOld(ctx context.Context, status int, initialize []byte, refused error) bool {
	c := x.client
	if !mayBeOld(status, initialize) || isModern(refused) {
		return false
	}
	body, err := c.get(ctx, "", session{})
	if err != nil {
		c.opts.Logger.Debug("httpclient: the server does not speak HTTP+SSE, either", "error", err)
		return false
	}
	defer body.Close()
	events := eventreader.New(body, c.opts.MaxMessage)
	messages, err := c.messagesURL(events, body)
	if err != nil {
		c.opts.Logger.Warn("httpclient: the stream of HTTP+SSE cannot be used", "error", err)
		return false
	}
	c.mu.Lock()
	c.messages, c.modern = messages, ""
	c.mu.Unlock()
	x.over()
	x.answered = true // the response arrives on the stream, as all others do
	c.sendOld(x.id, initialize, &jsonrpc.Message{Kind: jsonrpc.Request, ID: x.id})
	err = c.read(events, new(cursor), func(data []byte) { c.deliver(arrival{data: oneLine(data)}) })
	c.deliver(arrival{err: err})
	return true
}

// mayBeOld reports whether a server that refuses initialize with this status may be a server of HTTP+SSE: for any
// 4xx status or, since 2025-11-25, for three of them.
func mayBeOld(status int, initialize []byte) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	offered, err := wire.ParseRevision(wire.Raw(initialize).StringAt("params", "protocolVersion"))
	return err == nil && offered < mcp.V2025_11_25 && status/100 == 4
}

// isModern reports whether only servers of 2026-07-28 and later send this error.
func isModern(err error) bool {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && mcp.HasCodeSince(mcp.Modern, rpc.Code)
}

// messagesURL reads the first event of a stream, which says where messages go: to the same origin.
func (c *Client) messagesURL(events *eventreader.Reader, body io.Closer) (*url.URL, error) {
	defer time.AfterFunc(headerTime, func() { body.Close() }).Stop()
	e, err := events.Next()
	switch {
	case err != nil:
		return nil, fmt.Errorf("the stream ended before the event endpoint: %w", err)
	case e.Type != "endpoint":
		return nil, fmt.Errorf("the stream begins with the event %q, want endpoint", excerpt.Of(e.Type))
	}
	to, err := c.url.Parse(string(e.Data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the event endpoint has no URL: %w", err)
	case !web.SameOrigin(c.url, to):
		return nil, fmt.Errorf("the server wants messages to go to another origin, %s", to.Redacted())
	}
	to.Fragment = ""
	return to, nil
}

// sendOld sends a request in the background. If the server does not accept it, the request fails.
func (c *Client) sendOld(id wire.ID, data []byte, msg *jsonrpc.Message) {
	c.life.Go(func(ctx context.Context) {
		if err := c.post(ctx, data, msg); err != nil {
			c.fail(id, err)
		}
	})
}
