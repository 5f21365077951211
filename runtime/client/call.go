package client

// A call is checked before it is sent: the revision must have its method, and the server its capability. Through
// 2025-11-25 it is sent in the session that is open, since 2026-07-28 with all that a server must know. A result is
// decoded by its type; one of an unknown type is an error. Each call belongs to the goroutine that makes it.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic.

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Call sends a request to the server and decodes the result. Unlike the typed calls it takes any method,
// including those of extensions. A Client is a [wire.Caller], so calls that are generated for an extension
// work with it.
//
// The revision must have the method, or the error is a *[RevisionError]; the server must have declared its
// capability, or the error is a *[CapabilityError]. Methods that the client itself calls, such as
// initialize, are errors, too. For an error response, errors.As finds a *[jsonrpc.Error].
func (c *Client) Call(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable) error {
	if c.sendFunc == nil {
		return c.call(ctx, m, params, result)
	}
	return c.sendFunc(ctx, &Call{Method: m, Params: params, Result: result})
}

// call checks a call that has come through the middleware, sends it, and checks its result. Nothing is sent that the
// server must refuse: the caller learns at once, and by an error that says what is missing, whatever the server would say.
func (c *Client) call(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable) error {
	if p, ok := params.(*mcp.CallToolRequestParams); ok && p != nil && len(p.Arguments) > 0 {
		// A server cannot respond to what is not JSON: it does not see the id.
		if err := p.Arguments.Check(); err != nil {
			return fmt.Errorf("client: %s %q: arguments: %w", m.Name, p.Name, err)
		}
	}
	// Each attempt of middleware that calls next again is checked anew: it may have changed the method.
	if err := c.check(m); err != nil {
		return err
	}
	// Results can be cached since 2026-07-28, in which there are no sessions.
	exchange := c.cached
	if !c.modern() {
		exchange = c.callInSession
	}
	if err := exchange(ctx, m, params, result); err != nil {
		return err
	}
	return c.received(ctx, params, result)
}

// callInSession sends a request through 2025-11-25. One with a cursor is sent in the session of the cursor alone.
func (c *Client) callInSession(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable) error {
	// A cursor means nothing in the next session: instead of sending it there, the call fails with errRenewed.
	in := c.inSession
	if p, ok := params.(*mcp.PaginatedRequestParams); ok && p != nil && p.Cursor != nil {
		in = c.inThisSession
	}
	return in(ctx, m.Name, func() error { return c.send(ctx, m.Name, params, result, callOptions(ctx)) })
}

// cached sends a request since 2026-07-28, unless its result is in the cache. What is kept is the text of the result, so
// that callers who change what they got change nothing for others. A result that took input is not kept: it depends on
// what the person said.
func (c *Client) cached(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable) error {
	key, keep := cacheable(m, params)
	if !keep || c.cache.entries.MaxSize == 0 {
		return c.request(ctx, m, params, &response{into: result})
	}
	// The version first: a change that arrives after get counts, so that put refuses the result.
	version := c.cache.version(m.Name)
	if text, ok := c.cache.get(key); ok {
		return wire.Decode(text, result)
	}
	a := &response{keep: true}
	if err := c.request(ctx, m, params, a); err != nil {
		return err
	}
	if err := wire.Decode(a.text, result); err != nil {
		return err
	}
	if a.rounds == 0 {
		c.cache.put(key, version, a.text)
	}
	return nil
}

// check returns an error if a method must not be called. Revision and capability are facts of the generated method, so that
// a new method needs no code here. Some methods are covered by a capability only in some revisions.
//
// REQ LIFE-11
func (c *Client) check(m *wire.Method) error {
	if err := c.ready(); err != nil {
		return err
	}
	if !callable(m, c.Revision()) {
		return &RevisionError{m.Name, c.Revision()}
	}
	switch m.Name {
	case mcp.MethodInitialize.Name:
		return fmt.Errorf("client: %s: Connect sends it", m.Name)
	case mcp.MethodSubscriptionsListen.Name:
		return fmt.Errorf("client: %s: Client.Subscribe sends it", m.Name)
	}
	need := m.ServerCapability
	if wire.HasRevision(m.Uncovered, c.Revision()) {
		need = ""
	}
	if need != "" && !c.opts.AllowUndeclared && !c.declared.has(need) {
		return &CapabilityError{m.Name, need}
	}
	return nil
}

// A response decodes the result of a request in a modern revision, by its type.
type response struct {
	client *Client
	method *wire.Method
	into   wire.Decodable // a complete result is decoded into it, unless
	keep   bool           // its text is kept instead
	text   wire.Raw
	input  *mcp.InputRequiredResult // if the server asks for input
	err    error                    // if the result is well-formed, but not allowed
	rounds int                      // how often the server has asked for input
	manual bool                     // the caller handles that
}

// Unwrap returns what a complete result has been decoded into.
func (a *response) Unwrap() wire.Decodable {
	if a.err != nil || a.input != nil {
		return nil
	}
	return a.into
}

// DecodeWire decodes a result. Its resultType says how: a result without one is complete, as before 2026-07-28. An error
// of the decoder would say that the message is malformed, so what is well-formed but not allowed is kept in err.
//
// REQ STATE-10, STATE-11
func (a *response) DecodeWire(d *wire.Decoder) {
	kind, found := d.PeekString("resultType")
	switch {
	case !found || kind == string(mcp.ResultTypeComplete) || a.client.extended(a.method, kind):
	case kind == string(mcp.ResultTypeInputRequired) && wire.HasRevision(a.method.MayAsk, a.client.Revision()):
		if a.manual {
			// What the result is decoded into has room for it, see WithManualInput.
			break
		}
		a.input = new(mcp.InputRequiredResult)
		a.input.DecodeWire(d)
		if a.input.InputRequests == nil && a.input.RequestState == nil {
			a.err = &ResultError{a.method.Name, "an input-required result must have inputRequests or requestState"}
		}
		return
	default:
		d.Skip()
		a.err = &ResultError{a.method.Name, fmt.Sprintf("want a resultType that the method may have, got %q", excerpt.Of(string(kind)))}
		return
	}
	if a.keep {
		a.text = slices.Clone(d.Raw())
		return
	}
	a.into.DecodeWire(d)
}

// extended reports whether an extension that the client declares adds results of a type to a method.
//
// REQ EXT-06
func (c *Client) extended(m *wire.Method, resultType string) bool {
	for _, x := range c.opts.Extensions {
		if slices.Contains(x.ResultTypes[m.Name], resultType) {
			return true
		}
	}
	return false
}

// received checks a result, and remembers what it says about tools. It comes after decoding, whatever the revision and
// wherever the result is from, so that a list from the cache is as good as one from the server.
func (c *Client) received(ctx context.Context, params wire.Encodable, result wire.Decodable) error {
	if r, ok := result.(*mcp.ListToolsResult); ok {
		c.learnTools(r)
	}
	if call, ok := params.(*mcp.CallToolRequestParams); ok {
		return c.CheckOutput(ctx, call, result)
	}
	return nil
}

// toolResult returns the result of a tool that has been decoded into result, nil if it is something else.
func toolResult(result wire.Decodable) *mcp.CallToolResult {
	switch r := result.(type) {
	case *mcp.CallToolResult:
		return r
	case *wire.Box[mcp.CallToolResponse]:
		tool, _ := r.Value.(*mcp.CallToolResult)
		return tool
	case interface{ Unwrap() wire.Decodable }: // an extension has put its own in place of the result, see Extension.Join
		return toolResult(r.Unwrap())
	}
	return nil
}
