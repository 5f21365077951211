package httpclient

// Through 2025-11-25 the response to initialize may open a session, whose id is sent with all that follows. The Client owns
// the newest one; an exchange and a listener keep the one that they began in, and so notice that it has ended.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management.

import (
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A session is a session that initialize opened. The zero value means that there is none.
type session struct {
	id      string // empty if the server keeps none
	version string // of the protocol
}

// opened records the session that a response to initialize opens.
func (c *Client) opened(id string, m *jsonrpc.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = session{id, strings.Clone(m.Result.StringAt("protocolVersion"))}
	if c.listener != nil {
		c.listener.stop()
		c.listener = nil
	}
}

// SessionID implements [transport.Sessioner]. That of HTTP+SSE is in the URL for messages, where package sse puts it.
func (c *Client) SessionID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.messages != nil {
		return c.messages.Query().Get("sessionId")
	}
	return c.session.id
}

// current reports whether s is the session in which messages are sent.
func (c *Client) current(s session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session == s
}

// expired reports the end of a session that was noticed otherwise than by a refused request.
func (c *Client) expired(s session) {
	if c.current(s) {
		c.fail(wire.ID{}, errExpired)
	}
}

// delete tells the server that the session is no longer needed. Errors do not matter.
func (c *Client) delete(s session) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	c.mu.Lock()
	header := c.headers(nil, s, nil)
	c.mu.Unlock()
	resp, err := c.do(ctx, "DELETE", c.url, header, nil)
	if err != nil {
		c.opts.Logger.Debug("httpclient: the session could not be ended", "error", err)
		return
	}
	discard(resp)
}

// isVisible reports whether s has only visible ASCII, as the id of a session must.
//
// REQ SESS-03
func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
