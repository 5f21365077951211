package server

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The code in this file decides which revision, and so which era, a request follows: since 2026-07-28 the one
// that the request names in its metadata, before that the one of its session. What differs between the eras
// in other places follows from [Call.Revision].
//
// A request is modern if its metadata has what only that era has, or if its transport says so, as the header
// MCP-Protocol-Version does over HTTP. A modern request in the middle of a session does not use the session. A legacy
// request without a session is handled only where that cannot be wrong: initialize, ping, and requests for which the
// transport names a revision.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning

// resolve determines the revision that a request follows.
func (s *Server) resolve(c *Call) error {
	if err := c.readHead(); err != nil {
		return err
	}
	newest := s.newestLegacy()
	switch {
	case newest == 0 && c.req.Method == mcp.MethodInitialize.Name && !c.head.isModern(): // of an older client, which learns what is served
		return s.unsupported(c.req.Params.StringAt("protocolVersion")) // whatever its headers say
	case newest == 0, s.servesModern() && (c.head.isModern() || c.req.Revision >= mcp.Modern):
		return s.resolveModern(c)
	}
	return s.resolveLegacy(c, newest)
}

// IsModern reports whether a request with this metadata belongs to the era without sessions, because it has
// metadata that only that era has. It is for transports that treat the eras differently.
func IsModern(meta wire.Raw) bool {
	if len(meta) == 0 {
		return false
	}
	var h head
	return wire.DecodeAlias(meta, &h) == nil && h.isModern()
}

// isModern reports whether metadata has keys that only the modern era has. If so, the rules of that era apply, even
// to a method that it does not have.
func (h *head) isModern() bool { return h.version != "" || h.capabilities }

// resolveModern determines the revision of a request without a session. What is missing is reported before what is
// wrong. It is called only if the server serves a modern revision.
//
// REQ META-18, VER-02
func (s *Server) resolveModern(c *Call) error {
	var missing []string
	if c.head.version == "" {
		missing = append(missing, mcp.KeyProtocolVersion)
	}
	if !c.head.capabilities {
		missing = append(missing, mcp.KeyClientCapabilities)
	}
	if missing != nil {
		return jsonrpcError(codeInvalidParams, "params._meta lacks "+strings.Join(missing, " and "), nil)
	}
	if err := c.checkHeaders(); err != nil {
		return err
	}
	rev, err := wire.ParseRevision(c.head.version)
	if err != nil || rev < mcp.Modern || !s.serves(rev) {
		return s.unsupported(c.head.version)
	}
	c.rev = rev
	if c.head.logLevel != "" && !c.head.logLevel.Valid() {
		return unknownLevel(c.head.logLevel)
	}
	return nil
}

// unsupported returns the error for a revision that is not served. It names the revisions that are served.
//
// REQ VER-02
func (s *Server) unsupported(requested string) error {
	requested = excerpt.Of(requested)
	data := &mcp.UnsupportedProtocolVersionErrorData{Supported: s.modernNames(), Requested: requested}
	msg := fmt.Sprintf("unsupported protocol version %q, want one of %s", requested, strings.Join(data.Supported, ", "))
	return jsonrpcError(mcp.CodeUnsupportedProtocolVersion, msg, data)
}

// resolveLegacy determines the revision of a request that names none. If it cannot, the error says what the client should send
// first, in the words of the eras that the server serves. Newest is the newest revision with sessions.
func (s *Server) resolveLegacy(c *Call, newest wire.Revision) error {
	method := c.req.Method
	switch n := c.negotiated(); {
	case n != nil:
		c.rev = n.revision
	case method == mcp.MethodInitialize.Name || method == mcp.MethodPing.Name: // which need no session
		c.rev = newest
	case c.req.Revision != 0 && c.req.Revision < mcp.Modern && s.serves(c.req.Revision):
		c.rev = c.req.Revision
	case s.servesModern():
		return jsonrpcError(codeInvalidParams, "no session is open, and params._meta lacks "+mcp.KeyProtocolVersion+
			": send initialize first, or say in every request which revision it follows", nil)
	default:
		return jsonrpcError(codeInvalidRequest, "no session is open: send initialize first", nil)
	}
	return nil
}

// resolveNotification determines the revision that a notification follows. In the modern era a notification need
// not name it.
func (s *Server) resolveNotification(c *Call) error {
	if err := c.readHead(); err != nil {
		return err
	}
	rev, err := wire.ParseRevision(c.head.version)
	switch n := c.negotiated(); {
	case err == nil && rev >= mcp.Modern && s.serves(rev):
		c.rev = rev
	case n != nil:
		c.rev = n.revision
	case c.req.Revision != 0 && s.serves(c.req.Revision):
		c.rev = c.req.Revision
	default: // there is no response that could refuse it
		c.rev = s.served[len(s.served)-1]
	}
	return nil
}
