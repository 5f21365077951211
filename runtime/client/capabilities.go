package client

// A client declares what it has handlers for, and what the program adds: through 2025-11-25 once, in initialize, since
// then in each request. What the server declares is kept as it was when the revision was negotiated.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic and, for extensions, SEP-2133.

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// capabilities returns what the client declares in a revision: the capabilities that it has handlers for, and
// [Options.Capabilities]. What the program declares itself takes the place of what would follow from a handler.
func (o *Options) capabilities(rev wire.Revision) mcp.ClientCapabilities {
	// A copy, but what it points to is the program's: it is replaced, never changed.
	c := o.Capabilities
	modern := rev.Since(mcp.Modern)
	if o.Roots != nil && c.Roots == nil {
		c.Roots = new(mcp.ClientCapabilitiesRoots)
		// Since 2026-07-28 there is no notification for it.
		if !modern {
			c.Roots.ListChanged = new(true)
		}
	}
	if o.Sample != nil && c.Sampling == nil {
		c.Sampling = new(mcp.ClientCapabilitiesSampling)
	}
	if o.Elicit != nil && c.Elicitation == nil {
		form, url := o.Elicit.Modes()
		url = url && mcp.HasElicitRequestParams(rev, (*mcp.ElicitRequestURLParams)(nil))
		if form || url {
			c.Elicitation = new(mcp.ClientCapabilitiesElicitation)
		}
		// The encoder leaves out what the revision does not have.
		if form {
			c.Elicitation.Form = mcp.JSONObject{}
		}
		if url {
			c.Elicitation.URL = mcp.JSONObject{}
		}
	}
	// The map is changed below, so it must not be the one of the options, which other clients may share.
	c.Extensions = maps.Clone(c.Extensions)
	for _, x := range o.Extensions {
		if rev < x.Since {
			continue
		}
		if c.Extensions == nil {
			c.Extensions = map[string]wire.Raw{}
		}
		if c.Extensions[x.ID] = x.Settings; x.Settings == nil {
			c.Extensions[x.ID] = wire.Raw("{}")
		}
	}
	return c
}

// An Extension is an extension of the protocol that the client takes part in. It is declared in
// initialize, and since 2026-07-28 in every request.
type Extension struct {
	// ID is the extension's name with its prefix: "com.example/search".
	ID string
	// Settings is a JSON object. Absent means that there are none.
	Settings wire.Raw
	// Since is the first revision in which the extension is declared. Zero means all.
	Since wire.Revision
	// ResultTypes are the types of results that the extension adds, by method, such as
	// {"tools/call": {"example"}}. Results of unknown types are errors.
	ResultTypes map[string][]string

	// Join is called for each client that takes part, before it sends or receives anything, and returns what wraps its
	// messages, between the middleware of [Options] and the connection; either may be nil. Middleware that sends, for a
	// tool, another [Call].Result, which decodes what the extension adds, gives it a method Unwrap() wire.Decodable, which
	// returns the original one: then the result of the tool is checked and observed as any other is.
	Join func(c *Client) (send Middleware, receive transport.Middleware)
}

// declared is what a server declares, decoded from JSON, so that new capabilities need no code here.
type declared map[string]any

// declaredBy returns what capabilities declare.
func declaredBy(c *mcp.ServerCapabilities) (declared, error) {
	text, err := wire.Marshal(wire.Any, c)
	if err != nil {
		return nil, err
	}
	var d declared
	return d, json.Unmarshal(text, &d)
}

// has reports whether a capability, a path such as "tools.listChanged", is declared: it is an
// object or true.
func (d declared) has(path string) bool {
	// What is absent on the way is nil, which has no members.
	var value any = map[string]any(d)
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	_, object := value.(map[string]any)
	return object || value == true
}

// HasExtension reports whether the client may use an extension: the server declares it, or [Options.AllowUndeclared] is
// set.
func (c *Client) HasExtension(id string) bool {
	_, ok := c.Server().Capabilities.Extensions[id]
	return ok || c.opts.AllowUndeclared
}
