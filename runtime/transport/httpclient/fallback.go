package httpclient

import (
	"context"
	"errors"
	"net/http"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/sse/sseclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fallBack tries HTTP+SSE after the server has refused initialize, and lets that transport take over if the server
// has it. It reports whether it did.
func (c *Client) fallBack(ctx context.Context, x *exchange, status int, initialize []byte, refused error) bool {
	if !mayBeOld(status, initialize) || isModern(refused) {
		return false
	}
	old := sseclient.New(c.http.URL.String(), &sseclient.Options{
		HTTP:          c.opts.HTTP,
		Header:        c.opts.Header,
		HeaderTimeout: c.opts.HeaderTimeout,
		MaxMessage:    c.opts.MaxMessage,
		Logger:        c.opts.Logger,
	})
	if err := old.Open(ctx); err != nil {
		c.opts.Logger.Debug("httpclient: the server does not speak HTTP+SSE, either", "error", err)
		old.Close()
		return false
	}
	c.mu.Lock()
	if !c.life.Go(func(ctx context.Context) { c.pass(ctx, old) }) {
		c.mu.Unlock()
		old.Close()
		return false
	}
	c.old = old
	c.mu.Unlock()
	x.over()
	x.answered = true // as far as this transport goes
	if err := old.Send(ctx, transport.Message{Data: initialize, Kind: jsonrpc.Request, ID: x.id}); err != nil {
		c.fail(x.id, err)
	}
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

// pass delivers what it receives from the transport that has taken over.
func (c *Client) pass(ctx context.Context, old transport.Receiver) {
	for {
		m, err := old.Receive(ctx)
		c.deliver(arrival{data: m.Data, err: err})
		if _, goesOn := errors.AsType[*transport.RequestError](err); err != nil && !goesOn {
			return
		}
	}
}

// isModern reports whether only servers of 2026-07-28 and later send this error.
func isModern(err error) bool {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && mcp.HasCodeSince(mcp.V2026_07_28, rpc.Code)
}
