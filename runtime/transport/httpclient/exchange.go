package httpclient

// A request is a POST, and its response is the body of the HTTP response, or comes on a stream in it, after messages that
// belong to the request. One goroutine owns an exchange until the response has arrived or cannot any more.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages-to-the-server.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An exchange is a request and everything that the server sends until the response.
type exchange struct {
	client  *Client
	id      wire.ID
	method  string
	modern  bool
	session session // that it belongs to
	header  http.Header

	abort context.CancelFunc // ends the context of run

	stream    any // the id, if there has been a message other than the response
	answered  bool
	sessionID string // from the response to initialize
}

// run sends the request and reads what the server sends. It reports a failure unless there was a response, or
// nothing waits for one any more.
func (x *exchange) run(ctx context.Context, data []byte) {
	defer x.abort()
	err := x.send(ctx, data)
	if x.answered {
		return
	}
	x.over()
	if ctx.Err() == nil {
		x.client.fail(x.id, err)
	}
}

// over records that nothing waits for the exchange any more.
func (x *exchange) over() {
	c := x.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests[x.id] == x {
		delete(c.requests, x.id)
	}
}

// send sends the request. Its error matters only if there was no response.
//
// REQ SESS-03, HTTP-13
func (x *exchange) send(ctx context.Context, data []byte) error {
	c := x.client
	sending, cancel := context.WithCancelCause(ctx)
	hangUp := func() { cancel(errSilent) }
	if x.method == mcp.MethodInitialize.Name { // which is not cancelled when its caller gives up
		defer time.AfterFunc(initializeTime, hangUp).Stop()
	}
	resp, err := c.do(sending, "POST", c.url, x.header, data)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		defer time.AfterFunc(headerTime, hangUp).Stop()
		err := c.refusal("POST", resp, x.session, x.id)
		if x.method == mcp.MethodInitialize.Name && x.followOld(ctx, resp.StatusCode, data, err) {
			return nil
		}
		if answer, ok := errors.AsType[*responseError](err); ok {
			x.take(answer.data)
			return nil
		}
		return err
	}
	if x.method == mcp.MethodInitialize.Name {
		if x.sessionID = resp.Header.Get(mcpheader.SessionID); !isVisible(x.sessionID) {
			return errors.New("httpclient: the id of the session that the server opens is not visible ASCII")
		}
	}
	switch t := mediaType(resp.Header); {
	case t == eventstream.ContentType:
		return x.follow(ctx, resp.Body)
	case t == "application/json" && resp.StatusCode == http.StatusOK:
		body, err := readBody(resp.Body, c.opts.MaxMessage)
		if err != nil {
			return fmt.Errorf("the response broke off: %w", err)
		}
		return x.single(body)
	default:
		return fmt.Errorf("the server answered with HTTP status %d and content type %q, want application/json or %s",
			resp.StatusCode, resp.Header.Get("Content-Type"), eventstream.ContentType)
	}
}

// initializeTime is how long the server may take to open a session.
const initializeTime = 5 * time.Minute

// single delivers the message in a response whose body is JSON.
func (x *exchange) single(body []byte) error {
	m, err := jsonrpc.Parse(body)
	if m.Kind == jsonrpc.ErrorResponse && err == nil && m.ID.IsZero() {
		return m.Error
	}
	if x.take(body); x.answered {
		return nil
	}
	if err != nil && (m.Kind != jsonrpc.Batch || x.session.version != batches) {
		return fmt.Errorf("the response is invalid: %s", text(err))
	}
	return errors.New("the server sent the response to another request instead")
}

// text hides the type of an error, so that it does not look like an error response of the server.
func text(err error) string {
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return rpc.Message
	}
	return err.Error()
}

// take delivers a message that belongs to the request: its response, or a message before that.
func (x *exchange) take(data []byte) {
	c := x.client
	m, err := jsonrpc.Parse(data)
	switch {
	case m.Kind == jsonrpc.Batch && x.session.version == batches:
		list, _ := jsonrpc.SplitBatch(data, maxBatch)
		for _, raw := range list {
			if m, _ := jsonrpc.Parse(raw); m.IsResponse() && m.ID == x.id {
				x.answered = true
			}
		}
	case m.IsResponse() && m.ID == x.id:
		x.answered = true
		if x.method == mcp.MethodInitialize.Name && err == nil && m.Kind == jsonrpc.Response {
			c.opened(x.sessionID, &m)
		}
	case m.Kind == jsonrpc.Invalid || m.Kind == jsonrpc.Batch:
		c.opts.Logger.Warn("httpclient: an invalid message was ignored", "request", x.method, "error", err)
		return
	}
	if x.answered {
		x.over()
	}
	a := arrival{data: oneLine(data)}
	if !m.IsResponse() {
		if x.stream == nil {
			x.stream = x.id
		}
		a.stream = x.stream
	}
	c.deliver(a)
}

// batches is the only revision that has batches.
var batches = mcp.V2025_03_26.String()

// maxBatch is how many messages of a batch are searched for the response.
const maxBatch = 100

// A responseError is an HTTP response with an error status, whose body is the JSON-RPC error response to the
// request.
type responseError struct {
	data []byte
	rpc  *jsonrpc.Error
}

func (e *responseError) Error() string { return e.rpc.Error() }

func (e *responseError) Unwrap() error { return e.rpc }

// errExpired is the error of messages in a session that the server has ended.
var errExpired = transport.ErrSessionExpired

// refusal returns the error for an HTTP response with an error status.
//
// REQ SESS-08
func (c *Client) refusal(method string, resp *http.Response, s session, id wire.ID) error {
	body, _ := readBody(resp.Body, c.opts.MaxMessage)
	status := statusError(method, resp, body)
	m, err := jsonrpc.Parse(body)
	rpc := m.Error
	if err != nil || m.Kind != jsonrpc.ErrorResponse || !m.ID.IsZero() && m.ID != id {
		rpc = nil
	}
	switch {
	case resp.StatusCode == http.StatusNotFound && s.id != "" && (rpc == nil || rpc.Code != jsonrpc.CodeMethodNotFound):
		return errExpired
	case rpc == nil:
		return status
	case status.Denied(), m.ID.IsZero() && isPassingStatus(status.Status):
		status.Err = rpc
		return status
	case m.ID.IsZero():
		return rpc
	}
	return &responseError{body, rpc}
}
