package client

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Since 2026-07-28 the input schema of a tool may say which arguments are repeated in HTTP headers. This
// file is for transports with headers only.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters, and SEP-2243.

var errHeaderMismatch = &jsonrpc.Error{Code: mcp.CodeHeaderMismatch}

// mirrors holds the arguments to repeat in headers, for tools that the client has seen in lists. For other tools
// they are looked up when the server responds that a header is missing.
type mirrors struct {
	tools   learned[[]mcpheader.Param]
	refused learned[string] // why tools were left out
}

func (m *mirrors) learn(tool string, params []mcpheader.Param) {
	if m.refused.drop(tool); len(params) == 0 {
		m.tools.drop(tool)
		return
	}
	bytes := 0
	for _, p := range params {
		bytes += len(p.Header) + 16
		for _, name := range p.Path {
			bytes += len(name) + 16
		}
	}
	m.tools.put(tool, params, bytes)
}

// refuse notes that a tool is left out, and reports whether that is new.
func (m *mirrors) refuse(tool string, err error) bool {
	if before, known := m.refused.get(tool); known && before == err.Error() {
		return false
	}
	m.refused.put(tool, err.Error(), len(err.Error()))
	return true
}

// values returns the values of headers that repeat arguments of a tool.
//
// REQ XHDR-02, XHDR-09
func (m *mirrors) values(tool string, arguments wire.Raw) map[string]string {
	params, _ := m.tools.get(tool)
	var values map[string]string
	for i := range params {
		if v, ok := params[i].Value(arguments); ok {
			if values == nil {
				values = map[string]string{}
			}
			values[params[i].Header] = v
		}
	}
	return values
}

// dropInvalid removes tools from a list whose input schemas have invalid x-mcp-header annotations.
//
// REQ XHDR-06
func (c *Client) dropInvalid(r *mcp.ListToolsResult) {
	if !c.exchanges || !c.modern() {
		return
	}
	r.Tools = slices.DeleteFunc(r.Tools, func(t mcp.Tool) bool {
		params, err := mcpheader.Params(t.InputSchema)
		if err == nil {
			c.mirrors.learn(t.Name, params)
			return false
		}
		if c.mirrors.refuse(t.Name, err) {
			c.logger().Warn("client: a tool was left out of the list, because its input schema has an invalid header annotation", "tool", t.Name, "error", err)
		}
		return true
	})
}

// mirrored returns the options of a call with the headers that repeat its arguments. If it is the call of a
// tool, mirrored also returns the tool's name.
func (c *Client) mirrored(m *wire.Method, params wire.Encodable, opts *peer.CallOptions) (_ *peer.CallOptions, tool string) {
	if !c.exchanges || m.Name != mcp.MethodCallTool.Name {
		return opts, ""
	}
	call, ok := params.(*mcp.CallToolRequestParams)
	if !ok {
		call = new(mcp.CallToolRequestParams)
		if recode(params, call) != nil {
			return opts, ""
		}
	}
	if values := c.mirrors.values(call.Name, call.Arguments); values != nil {
		if opts == nil {
			opts = new(peer.CallOptions)
		}
		opts.Mirrored = values
	}
	return opts, call.Name
}

// relist lists a tool again, after the server responded that a header is missing, and reports whether the
// arguments to repeat have changed.
func (c *Client) relist(ctx context.Context, tool string) bool {
	same := func(a, b mcpheader.Param) bool { return a.Header == b.Header && slices.Equal(a.Path, b.Path) }
	before, _ := c.mirrors.tools.get(tool)
	if err := c.listAgain(ctx, tool); err != nil {
		c.logger().Warn("client: the tools could not be listed to find out which headers a call needs", "tool", tool, "error", err)
		return false
	}
	after, _ := c.mirrors.tools.get(tool)
	return !slices.EqualFunc(before, after, same)
}

// listAgain lists tools until one has been seen.
func (c *Client) listAgain(ctx context.Context, tool string) error {
	c.cache.drop(mcp.MethodListTools.Name, nil)
	for t, err := range c.Tools(ctx) {
		if err != nil || t.Name == tool {
			return err
		}
	}
	return nil
}
