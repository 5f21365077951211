package client

// A client remembers two things of the tools that it has seen in lists. Since 2026-07-28 an input schema may say which
// arguments are repeated in HTTP headers; and where results are checked, the output schema says what they must be. A tool
// that has not been seen is called without headers, and its result is not checked. What is remembered may be that of an
// older server: the tools are listed again when the server responds that a header is wrong, and before a result is refused.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters,
// SEP-2243, and https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema.

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/lru"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The limits of what is remembered about a server's tools. Beyond them, the least recently used are discarded, until the
// tools are listed again.
const (
	maxTools     = 10_000
	maxToolBytes = 16 << 20
)

// A knownTool is what is remembered of a tool.
type knownTool struct {
	headers []mcpheader.Param // the arguments that are repeated in headers
	output  wire.Raw          // the schema of its output, nil if it has none
	refused string            // why it was left out of the list
}

// knownTools holds tools by name. The zero value is empty.
type knownTools struct {
	mu   sync.Mutex // guards kept
	kept lru.Map[string, knownTool]
}

// get returns what is remembered of a tool, the zero value if that is nothing.
func (k *knownTools) get(name string) knownTool {
	k.mu.Lock()
	defer k.mu.Unlock()
	t, _ := k.kept.Get(name)
	return t
}

// put replaces what is remembered of a tool. Most tools have neither headers nor a schema to check, and take no room.
func (k *knownTools) put(name string, t knownTool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(t.headers) == 0 && t.output == nil && t.refused == "" {
		k.kept.Delete(name)
		return
	}
	size := len(name) + len(t.output) + len(t.refused)
	for _, h := range t.headers {
		size += len(h.Header) + 16
		for _, name := range h.Path {
			size += len(name) + 16
		}
	}
	k.kept.MaxItems, k.kept.MaxSize = maxTools, maxToolBytes
	k.kept.Put(strings.Clone(name), t, size) // so that the text of the whole list is not kept
}

// forget discards all, after the server has said that its tools have changed.
func (k *knownTools) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = lru.Map[string, knownTool]{}
}

// learnTools remembers the tools of a list. Over HTTP it removes those whose input schemas have invalid x-mcp-header
// annotations: such a tool must not be called, so no model should see it. The log says so once for each reason.
//
// REQ XHDR-06
func (c *Client) learnTools(r *mcp.ListToolsResult) {
	mirrors := c.exchanges && c.modern()
	if !mirrors && c.opts.CheckOutput == nil {
		return
	}
	r.Tools = slices.DeleteFunc(r.Tools, func(t mcp.Tool) bool {
		var known knownTool
		var err error
		if mirrors {
			if known.headers, err = mcpheader.Params(t.InputSchema); err != nil {
				if known.refused = err.Error(); known.refused != c.tools.get(t.Name).refused {
					c.logger().Warn("client: a tool was left out of the list, because its input schema has an invalid header annotation", "tool", t.Name, "error", err)
				}
			}
		}
		if c.opts.CheckOutput != nil && err == nil {
			known.output = slices.Clone(t.OutputSchema)
		}
		c.tools.put(t.Name, known)
		return err != nil
	})
}

// listAgain lists tools until one has been seen. If it is not listed any more, what is remembered of it is discarded.
func (c *Client) listAgain(ctx context.Context, tool string) error {
	// Otherwise the list would be the one that has turned out to be wrong.
	c.cache.drop(mcp.MethodListTools.Name, nil)
	for t, err := range c.Tools(ctx) {
		if err != nil || t.Name == tool { // its page has been learned by then, see received
			return err
		}
	}
	c.tools.put(tool, knownTool{})
	return nil
}

var errHeaderMismatch = &jsonrpc.Error{Code: mcp.CodeHeaderMismatch} // errors.Is compares the codes

// mirrored returns the options of a call with the headers that repeat its arguments. If it is the call of a
// tool, mirrored also returns the tool's name.
//
// REQ XHDR-02, XHDR-09
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
	for _, h := range c.tools.get(call.Name).headers {
		value, ok := h.Value(call.Arguments)
		if !ok {
			continue
		}
		// Options that are there were made for this request alone, so they may be changed.
		if opts == nil {
			opts = new(peer.CallOptions)
		}
		if opts.Mirrored == nil {
			opts.Mirrored = map[string]string{}
		}
		opts.Mirrored[h.Header] = value
	}
	return opts, call.Name
}

// relist lists a tool again, after the server responded that a header is missing, and reports whether the
// arguments to repeat have changed.
func (c *Client) relist(ctx context.Context, tool string) bool {
	before := c.tools.get(tool).headers
	if err := c.listAgain(ctx, tool); err != nil {
		c.logger().Warn("client: the tools could not be listed to find out which headers a call needs", "tool", tool, "error", err)
		return false
	}
	return !slices.EqualFunc(before, c.tools.get(tool).headers, func(a, b mcpheader.Param) bool {
		return a.Header == b.Header && slices.Equal(a.Path, b.Path)
	})
}

// CheckOutput validates the structured content of a tool's result by [Options].CheckOutput, as every call of a tool does;
// it is for results that arrive in another way. The error is an *[OutputError]. A result that has been decoded into
// something else than package mcp has for it is not checked, nor is that of a tool that failed.
//
// REQ TOOL-08
func (c *Client) CheckOutput(ctx context.Context, call *mcp.CallToolRequestParams, result wire.Decodable) error {
	r := toolResult(result)
	if r == nil || c.opts.CheckOutput == nil || r.GetIsError() {
		return nil
	}
	schema := c.tools.get(call.Name).output
	if schema == nil {
		return nil
	}
	if r.StructuredContent == nil {
		return &OutputError{call.Name, errors.New("there is no structured content")}
	}
	// The schema may be that of an older server. Only after an error is it worth a request to find out.
	err := c.opts.CheckOutput(ctx, schema, r.StructuredContent)
	if err == nil {
		return nil
	}
	if failed := c.listAgain(ctx, call.Name); failed != nil {
		c.logger().Warn("client: the tools could not be listed to find out whether an output schema has changed", "tool", call.Name, "error", failed)
	} else if now := c.tools.get(call.Name).output; now == nil {
		return nil // it has no schema any more, or is not listed
	} else if string(now) != string(schema) {
		err = c.opts.CheckOutput(ctx, now, r.StructuredContent)
	}
	if err != nil {
		return &OutputError{call.Name, err}
	}
	return nil
}
