package server

import (
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Metadata is decoded in two steps. Every request needs to know its revision, and whether it wants progress and log messages;
// few need to know who their client is and all that it supports, which is most of the text. So the first step takes these as
// they are, and the second one, when somebody asks, decodes them all.

// A head is the part of a request's metadata that every request needs. Of its large members, which [Call.Meta] decodes, it
// says whether they are there. A member that is missing or null is zero.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic.
type head struct {
	version      string
	capabilities bool
	logLevel     mcp.LoggingLevel // as sent: resolveModern checks it
	progress     wire.ID          // the progress token
}

var typeHead = wire.Type{
	Name:    "RequestMetaObject",
	Members: []string{mcp.KeyProgressToken, mcp.KeyProtocolVersion, mcp.KeyClientInfo, mcp.KeyClientCapabilities, mcp.KeyLogLevel},
}

// DecodeWire reads the metadata.
func (h *head) DecodeWire(d *wire.Decoder) {
	*h = head{}
	o := d.Object(&typeHead)
	// The numbers are indices of typeHead.Members.
	for o.Next() {
		switch o.Name {
		case mcp.KeyProgressToken:
			o.Once(0)
			h.progress = d.IDOrNull()
		case mcp.KeyProtocolVersion:
			o.Once(1)
			h.version = d.StringOrNull()
		case mcp.KeyClientInfo:
			o.Once(2)
			hasObject(d)
		case mcp.KeyClientCapabilities:
			o.Once(3)
			h.capabilities = hasObject(d)
		case mcp.KeyLogLevel:
			o.Once(4)
			h.logLevel = mcp.LoggingLevel(d.StringOrNull())
		default:
			d.Skip()
		}
	}
}

// hasObject reads an object without decoding it, and reports whether it was there: null, which some clients send for what they do
// not have, is none.
func hasObject(d *wire.Decoder) bool {
	if d.Null() {
		return false
	}
	d.RawOf(wire.KindObject)
	return true
}

// readHead decodes the metadata that every request needs.
func (c *Call) readHead() error {
	if len(c.req.Meta) == 0 {
		return nil
	}
	if err := wire.DecodeAlias(c.req.Meta, &c.head); err != nil {
		return jsonrpcError(codeInvalidParams, "params._meta: "+err.Error(), nil)
	}
	return nil
}

// Meta returns the metadata of the request. It must not be changed.
func (c *Call) Meta() *mcp.RequestMetaObject {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.meta == nil {
		c.meta = new(mcp.RequestMetaObject)
		if len(c.req.Meta) > 0 && wire.DecodeAlias(c.req.Meta, c.meta) != nil {
			c.meta = new(mcp.RequestMetaObject) // decoding the params will refuse the request
		}
	}
	return c.meta
}

// RawMeta returns the metadata of the request as it was received, nil if there is none. It must not be changed.
func (c *Call) RawMeta() wire.Raw { return c.req.Meta }
