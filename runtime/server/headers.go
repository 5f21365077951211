package server

import (
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Since 2026-07-28 HTTP requests repeat in headers what intermediaries look at. The server must handle the request
// that they saw, so it compares the headers with the request.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http

// headerMismatch returns the protocol's error for headers that differ from the request.
func headerMismatch(err error) error {
	return jsonrpcError(mcp.CodeHeaderMismatch, "header mismatch: "+err.Error(), nil)
}

// checkHeaders compares the headers that every request carries with the request itself.
//
// REQ HDR-01, HDR-06, VER-01, HDR-11, HDR-07
func (c *Call) checkHeaders() error {
	h := c.req.Header
	if h == nil || c.within != nil { // those of a request by Dispatch are about the one around it
		return nil
	}
	version, err := mcpheader.Single(h, mcpheader.ProtocolVersion)
	switch {
	case err != nil:
	case version == nil:
		err = fmt.Errorf("the header %s is missing, want %q", mcpheader.ProtocolVersion, excerpt.Of(c.head.version))
	case *version != c.head.version:
		err = fmt.Errorf("the header %s must be %[3]q as in params._meta, got %[2]q", mcpheader.ProtocolVersion, excerpt.Of(*version), excerpt.Of(c.head.version))
	default:
		err = mcpheader.Check(h, c.req.Method, c.req.Params, true)
	}
	if err != nil {
		return headerMismatch(err)
	}
	return nil
}

// checkParamHeaders compares the headers that a tool's schema asks for with the arguments of a call.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
//
// REQ XHDR-10
func (c *Call) checkParamHeaders(t *tool, args wire.Raw) error {
	if c.req.Header == nil || c.within != nil || len(t.headers) == 0 || !c.modern() {
		return nil
	}
	if err := mcpheader.CheckParams(c.req.Header, t.headers, args); err != nil {
		return headerMismatch(err)
	}
	return nil
}
