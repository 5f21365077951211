package server

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
	"weak"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Call is a request that the server handles: it says where the request comes from and what its client
// supports, reports progress, logs, and asks the client for input. It is valid until the handler has
// returned. It may be used by several goroutines.
type Call struct {
	server  *Server
	session *Session           // nil if the request belongs to none
	within  *Call              // the call whose handler makes the request, by Dispatch; nil if the client does
	req     *transport.Request // of this call alone, which may change it
	rev     wire.Revision      // 0 until resolve has determined it; initialize sets the one that it negotiates
	head    head               // what resolve has read of the metadata

	ctx    context.Context // of the request, as in an http.Request, for methods that take none
	input  inputState
	failed bool // the result of a tool has isError

	page       wire.Raw                         // what list returned
	background Background                       // nil in a request
	watched    func(result wire.Raw, err error) // of [Options].Watch, to be called at the end; may be nil
	counted    bool                             // among those that Shutdown waits for
	outlives   bool                             // a subscription that goes on without its handler: see listening.start

	mu       sync.Mutex             // guards what follows
	meta     *mcp.RequestMetaObject // nil until it is decoded
	sent     *reports               // nil until there are some
	waits    []func(waiting bool)   // of OnWait
	response mcp.CallToolResponse   // of Respond
}

// reports holds what a call sends to its client before its result.
type reports struct {
	progress Progress
	log      share.Few
}

// reports returns what the call sends to its client before its result. It is made when it is needed: most calls send nothing.
func (c *Call) reports() *reports {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sent == nil {
		c.sent = &reports{progress: Progress{call: c}}
	}
	return c.sent
}

// negotiated returns what was negotiated by initialize, nil without one.
func (c *Call) negotiated() *negotiated {
	if c.session == nil {
		return nil
	}
	return c.session.negotiated.Load()
}

// modern reports whether the call belongs to no session.
func (c *Call) modern() bool { return c.rev >= mcp.Modern }

// listens reports whether the call is a subscription, in which only its acknowledgement and changes may be
// sent to the client.
func (c *Call) listens() bool { return c.req.Method == mcp.MethodSubscriptionsListen.Name }

// ID returns the request's id.
func (c *Call) ID() wire.ID { return c.req.ID }

// Method returns the request's method, such as "tools/call".
func (c *Call) Method() string { return c.req.Method }

// IsNotification reports whether the call is a notification: it has no id, and there is no response to it.
func (c *Call) IsNotification() bool { return c.req.ID.IsZero() }

// HasMethod reports whether the server has the method: as one of the protocol's, in whatever revision, or because it was
// added. A client can make up any number of others.
func (c *Call) HasMethod() bool {
	if mcp.ServerMethod(c.req.Method) != nil {
		return true
	}
	return c.server.methods.has(c.req.Method)
}

// ToolFailed reports, once the call has ended, whether it has the result of a tool that says that the tool has failed.
func (c *Call) ToolFailed() bool { return c.failed }

// Params returns the params of the request as they were received, nil if there are none. They must not be changed.
func (c *Call) Params() wire.Raw { return c.req.Params }

// Revision returns the revision of the protocol that the request follows.
func (c *Call) Revision() wire.Revision { return c.rev }

// Client returns the name and version of the client, nil if it does not say. They are for display and logs:
// nobody has verified them.
//
// REQ STATE-01
func (c *Call) Client() *mcp.Implementation {
	if c.modern() {
		return c.Meta().ClientInfo
	}
	return c.negotiated().clientInfo()
}

var noCapabilities mcp.ClientCapabilities

// Capabilities returns what the client supports during this call. It must not be changed.
//
// REQ CAP-09, STATE-01, XTASK-03
func (c *Call) Capabilities() *mcp.ClientCapabilities {
	if c.modern() {
		return cmp.Or(c.Meta().ClientCapabilities, &noCapabilities)
	}
	return c.negotiated().capabilities()
}

// Identity returns the verified sender of the request, nil if nobody has been verified. In a call that
// outlives its request it is the sender of the request.
func (c *Call) Identity() transport.Identity { return c.req.Identity }

// RequiredScopes returns the scopes that the request requires. Its sender has them.
func (c *Call) RequiredScopes() []string {
	if !c.server.mayRequire(c.req.Method) {
		return nil
	}
	scopes, _ := c.server.required(c.ctx, c)
	return scopes
}

// Principal returns the name of the verified sender of the request. It is empty if the sender is not known.
func (c *Call) Principal() string { return c.req.Principal }

// expires returns when the identity of the caller ends, zero if it does not.
func (c *Call) expires() time.Time {
	if id := c.req.Identity; id != nil {
		return id.Expires()
	}
	return time.Time{}
}

// identify determines who sent the request if the transport does not know. It returns ctx with the identity. A transport over a
// network, which has an address or a header, decides itself whom it lets in: [Options].Identity is not for those.
func (c *Call) identify(ctx context.Context) context.Context {
	r := c.req
	if f := c.server.opts.Identity; f != nil && r.Identity == nil && r.Principal == "" && r.Address == "" && r.Header == nil {
		r.Identity = f(ctx)
	}
	if r.Identity == nil {
		return ctx
	}
	r.Principal = r.Identity.Principal()
	c.ctx = transport.WithIdentity(ctx, r.Identity)
	return c.ctx
}

// Address returns the network address that the request came from, a host with or without a port; empty if
// the transport has none.
func (c *Call) Address() string { return c.req.Address }

// Header returns the header of the HTTP request, which is an [http.Header]. It is nil over other transports,
// and in a call that outlives its request.
//
// [http.Header]: https://pkg.go.dev/net/http#Header
func (c *Call) Header() transport.Header { return c.req.Header }

// Size returns the length in bytes of the message that the request came by. Who keeps Params keeps as much.
func (c *Call) Size() int { return max(c.req.Size, len(c.req.Params)) }

// Sender returns a value that identifies the client where limits apply to each client: the same value for calls of
// the same principal; without a principal, for calls from the same network address (for IPv6, its first 64 bits);
// and without an address, for calls on the same connection.
func (c *Call) Sender() any { return c.owner() }

// owner returns who is charged for what the server keeps for the call. The session stands for the connection; all calls with
// neither session nor principal nor address have one owner.
func (c *Call) owner() share.Owner {
	var conn any
	if c.session != nil {
		conn = weak.Make(c.session) // so that remembering the owner does not keep the session alive
	}
	return share.Of(c.Principal(), c.req.Address, conn)
}

// Name returns the name of the tool or the prompt that the request is about. It is empty if the server has none of that
// name, since a client can make up any number of names, and for requests other than tools/call and prompts/get.
func (c *Call) Name() string {
	r := &c.server.tools
	switch c.req.Method {
	case mcp.MethodCallTool.Name:
	case mcp.MethodGetPrompt.Name:
		r = &c.server.prompts
	default:
		return ""
	}
	for _, t := range r.get(c.req.Params.StringAt("name")) {
		return t.common().key // any variant will do: they have one name
	}
	return ""
}

// Session returns the session that the request belongs to. It is nil since 2026-07-28, and where the
// transport has no sessions.
//
// REQ STATE-05
func (c *Call) Session() *Session {
	if c.modern() {
		return nil
	}
	return c.session
}

// Notify sends a notification that belongs to the call, such as one of an extension. Call has methods for the
// notifications of the protocol. In a subscription it fails: only changes may be sent there.
func (c *Call) Notify(ctx context.Context, method string, params wire.Encodable) error {
	switch {
	case c.req.Out == nil:
		return errNoSender
	case c.listens():
		return errListens
	}
	return notify(ctx, c.req.Out, c.rev, method, params)
}

// CanRequest reports whether requests can be sent to the client: not since 2026-07-28.
func (c *Call) CanRequest() bool { return c.req.Out != nil && c.Session() != nil }

// Request sends a request of a custom method, such as one of an extension, that belongs to the call, and returns its
// result. Call has methods for the requests of the protocol. Since 2026-07-28 servers send no requests: the error is
// [ErrCannotAsk]. For an error response, the error is a *[jsonrpc.Error].
func (c *Call) Request(ctx context.Context, method string, params wire.Encodable) (wire.Raw, error) {
	if !c.CanRequest() {
		return nil, ErrCannotAsk
	}
	return c.server.request(ctx, c.req.Out, c.rev, method, params)
}

// Dispatch handles a request that the handler of c makes, as if the client had sent it: in the session, in the revision and
// with the identity, the metadata and the HTTP header of c. All that is between a client and a handler applies to it, such as
// [Options].Watch, scopes, middleware and filters; only the headers that repeat parts of a request are those of c, and progress
// is not reported. It is a part of c: what it sends to the client goes where that of c goes, time limits of c do not count
// while it waits for input, and [Server.Shutdown] lets it run. Params are an object without _meta, or nil.
//
// The result is encoded for the revision. A tool that asks for input since 2026-07-28 has an [mcp.InputRequiredResult]. The
// error is a *[jsonrpc.Error], a *[transport.RefusedError] or a *[transport.ScopeError].
func (c *Call) Dispatch(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	params, err := jsonrpc.AddMeta(params, c.req.Meta)
	if err != nil {
		return nil, err
	}
	r := *c.req // a copy, because the handler may go on using c, from other goroutines, too
	r.Method, r.Params, r.Size, r.Room = method, params, 0, nil
	if s, ok := r.Out.(*sender); ok { // the new call gets its own
		r.Out = s.out
	}
	return (&endpoint{c.server, c.session, c}).ServeRequest(ctx, &r)
}

// request sends a request to a client, which has [Options.AskTimeout] to respond.
func (s *Server) request(ctx context.Context, out transport.Caller, rev wire.Revision, method string, params wire.Encodable) (wire.Raw, error) {
	raw, err := encodeParams(rev, params)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.AskTimeout)
	defer cancel()
	return out.Call(ctx, method, raw)
}

// notify sends a notification to a client.
func notify(ctx context.Context, out transport.Caller, rev wire.Revision, method string, params wire.Encodable) error {
	raw, err := encodeParams(rev, params)
	if err != nil {
		return err
	}
	return out.Notify(ctx, method, raw)
}

// encodeParams encodes params, which may be nil.
func encodeParams(rev wire.Revision, params wire.Encodable) (wire.Raw, error) {
	if params == nil {
		return nil, nil
	}
	return wire.MarshalChecked(rev, params)
}

// resultMeta returns the metadata of results that the server itself makes.
func (c *Call) resultMeta() *mcp.ResultMetaObject {
	if c.modern() {
		return c.server.meta
	}
	return nil
}

// ErrResponded is what [Call.Respond] returns.
var ErrResponded = errors.New("the call has a response already")

// Respond gives a call of a tool a response that is not the result of its handler, such as one of an extension.
// Whatever the handler returns then, the client receives r. It returns [ErrResponded], for the handler to return.
func (c *Call) Respond(r mcp.CallToolResponse) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.response = r
	return ErrResponded
}

// Responded returns the response of Respond, nil if there is none.
func (c *Call) Responded() mcp.CallToolResponse {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.response
}

// OnWait makes the call tell f when its handler begins to wait for input from the client, and when it has stopped
// waiting. Work that has a time limit, or holds a place, should not be charged for the time that a person takes.
func (c *Call) OnWait(f func(waiting bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits = append(c.waits, f)
}

// notifyWaits calls the functions of OnWait.
func (c *Call) notifyWaits(waiting bool) {
	c.mu.Lock()
	all := c.waits // which is appended to, never changed
	c.mu.Unlock()
	for _, f := range all {
		f(waiting)
	}
	if c.within != nil { // it waits as well
		c.within.notifyWaits(waiting)
	}
}
