package server

import (
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// keyProgress is the one key of a request's metadata that decides what becomes of it and has no prefix.
const keyProgress = "progressToken"

// A head is the metadata of a request, as far as every request needs it: what is bulky in it is
// decoded when somebody wants it.
type head struct {
	version      string
	client       wire.Raw
	capabilities wire.Raw
	logLevel     mcp.LoggingLevel
	progress     wire.ID
}

var typeHead = wire.Type{
	Name:    "RequestMetaObject",
	Members: []string{keyProgress, mcp.KeyProtocolVersion, mcp.KeyClientInfo, mcp.KeyClientCapabilities, mcp.KeyLogLevel},
}

// DecodeWire reads the metadata.
func (h *head) DecodeWire(d *wire.Decoder) {
	*h = head{}
	o := d.Object(&typeHead)
	for o.Next() {
		switch o.Name {
		case keyProgress:
			o.Once(0)
			h.progress = d.IDOrNull()
		case mcp.KeyProtocolVersion:
			o.Once(1)
			h.version = d.StringOrNull()
		case mcp.KeyClientInfo:
			o.Once(2)
			h.client = objectOrNull(d)
		case mcp.KeyClientCapabilities:
			o.Once(3)
			h.capabilities = objectOrNull(d)
		case mcp.KeyLogLevel:
			o.Once(4)
			h.logLevel = mcp.LoggingLevel(d.StringOrNull())
		default:
			d.Skip()
		}
	}
}

func objectOrNull(d *wire.Decoder) wire.Raw {
	if d.Null() {
		return nil
	}
	return d.RawOf(wire.KindObject)
}

// readHead decodes the metadata of a call as far as every call needs it.
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
			c.meta = new(mcp.RequestMetaObject) // the request is refused when its params are decoded
		}
	}
	return c.meta
}

// setMeta saves decoding the metadata that came with decoded params.
func (c *Call) setMeta(meta *mcp.RequestMetaObject) {
	if meta != nil {
		c.mu.Lock()
		c.meta = meta
		c.mu.Unlock()
	}
}
