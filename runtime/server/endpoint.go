package server

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An endpoint handles the requests and notifications of a session or, if session is nil, those without a session (request.go).
type endpoint struct {
	server  *Server
	session *Session
	within  *Call // whose handler makes the requests, by Dispatch; nil if the client does
}

// An Endpoint is a server as HTTP handlers and clusters see it: programs that serve by [Server.Serve], or by a handler of
// this module, have no need of it. It is the [transport.Handler] of requests without a session: those of revisions
// since 2026-07-28, and those whose transport names a revision.
type Endpoint struct{ endpoint }

// NewEndpoint returns the endpoint of a server. It is the same each time.
func NewEndpoint(s *Server) *Endpoint { return &s.endpoint }

// Revision implements [transport.Handler]: each request without a session names its own.
func (e *Endpoint) Revision() wire.Revision { return wire.Any }

// Revisions returns the revisions that the server serves, oldest first.
func (e *Endpoint) Revisions() []wire.Revision { return slices.Clone(e.server.served) }

// Limits returns [Options.Limits].
func (e *Endpoint) Limits() transport.Limits { return e.server.opts.Limits }

// Scoped reports whether requests of a method may require scopes. If not, there is no need to call Scopes.
func (e *Endpoint) Scoped(method string) bool { return e.server.mayRequire(method) }

// NewSession returns an empty session for a client that may open one. It sends messages that belong to no request of the
// client through out. Id is that by which the transport knows the session, empty if there is none.
func (e *Endpoint) NewSession(out transport.Caller, id string) *SessionEndpoint {
	s := e.server
	ss := &Session{id: id}
	ss.endpoint.endpoint = endpoint{server: s, session: ss}
	ss.level.Store(int32(logs.Standard))
	ss.subscription.server, ss.subscription.session = s, ss
	ss.subscription.out = s.sender(out, ss)
	ss.subscription.paused = true // until the client is ready
	return &ss.endpoint
}

// OnChange makes the server call f with each change that its clients are notified of, until stop is called: changes
// of lists, whatever their cause, and of resources, reported by [Server.ResourceUpdated]. F may pass on to other
// processes those that are not Relayed; these call [Server.Changed] with Relayed set. It must not block: the caller that
// made the change waits for it.
//
// A Change does not say what was added or removed: each process registers what it offers. An empty one is about what
// clients are not notified of, such as a new completer.
func (e *Endpoint) OnChange(f func(Change)) (stop func()) {
	e.server.hearers.add(&f)
	return func() { e.server.hearers.remove(&f) }
}

// A SessionEndpoint is a [Session] as its transport sees it: the [transport.Handler] of the requests of one client. The
// transport makes it for a client that may open a session, and closes it. The session is empty until initialize, and
// stays empty if the client speaks a later revision.
type SessionEndpoint struct{ endpoint }

// Session returns the session as handlers see it.
func (e *SessionEndpoint) Session() *Session { return e.session }

// Revision implements [transport.Handler]. It returns the revision of the session, zero before initialize.
func (e *SessionEndpoint) Revision() wire.Revision { return e.session.Revision() }

// Close closes the session: its client receives no more notifications. Requests continue to be handled.
func (e *SessionEndpoint) Close() {
	e.server.closeSubscription(&e.session.subscription)
	if ended := e.session.ended.Swap(&over); ended != nil {
		e.server.guard("OnSession", *ended)
	}
}

var (
	_ transport.Handler = (*Endpoint)(nil)
	_ transport.Handler = (*SessionEndpoint)(nil)
)
