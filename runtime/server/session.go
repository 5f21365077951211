package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A session is empty until initialize. On a connection there is one from the beginning, which stays empty if the client speaks
// a revision since 2026-07-28; over HTTP the handler makes one for a request that has no session.
//
// What belongs to the session is what the client has said: who it is, what it supports, the level of log messages, the
// resources that it subscribes to. [SessionEndpoint.State] writes that down and [SessionEndpoint.Restore] reads it, in this
// process or in another one; whoever keeps sessions writes one again when its version has changed. What the server offers is
// not part of it: the other process may offer something else.

// A Session is what a client opens by initialize, through 2025-11-25. It belongs to the server, not to a transport: over
// HTTP it outlives connections.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
type Session struct {
	endpoint     SessionEndpoint            // the session as its transport sees it
	id           string                     // empty if the transport has none
	negotiated   atomic.Pointer[negotiated] // nil before initialize
	level        atomic.Int32               // rank of the least severe log level to send
	version      atomic.Uint32              // see StateVersion
	subscription Subscription               // for what the server sends on its own
	log          share.Few                  // bounds the log messages of the session and all its calls
	ready        atomic.Bool                // the client has sent notifications/initialized

	ended atomic.Pointer[func()] // of [Options].OnSession; nil without one, and before initialize
}

// over is in place of what [Options].OnSession returned, once the session has ended.
var over = func() {}

// opened calls [Options].OnSession with the call that opened the session.
func (ss *Session) opened(ctx context.Context, c *Call) {
	f := c.server.opts.OnSession
	if f == nil {
		return
	}
	if ended := f(ctx, c); ended != nil && !ss.ended.CompareAndSwap(nil, &ended) {
		c.server.guard("OnSession", ended) // the session was closed meanwhile
	}
}

// negotiated is the outcome of initialize. It is immutable. What the client says about itself is kept encoded, because its
// bytes are counted ([Options].MaxKept): as Go values, many small ones would take a multiple of that.
type negotiated struct {
	revision wire.Revision
	split    int32    // where the capabilities begin
	data     wire.Raw // the client's Implementation, then its ClientCapabilities
}

func (n *negotiated) encodedInfo() wire.Raw         { return n.data[:n.split:n.split] }
func (n *negotiated) encodedCapabilities() wire.Raw { return n.data[n.split:] }

// maxIntroduction is how many bytes a client may say about itself, including icons. All of them are kept.
const maxIntroduction = 256 << 10

// usualIntroduction is how many bytes most clients say at most.
const usualIntroduction = 256

// newNegotiated returns the outcome of an initialize request in a revision. It copies what it keeps of the params, which share
// the memory of the whole message.
func newNegotiated(rev wire.Revision, p *mcp.InitializeRequestParams) (*negotiated, error) {
	buf, err := wire.Append(make([]byte, 0, usualIntroduction), wire.Any, &p.ClientInfo)
	if err != nil {
		return nil, err
	}
	split := len(buf)
	if buf, err = wire.Append(buf, wire.Any, &p.Capabilities); err != nil {
		return nil, err
	}
	if len(buf) > maxIntroduction {
		return nil, jsonrpcError(codeInvalidParams, fmt.Sprintf("clientInfo and capabilities have %d bytes, want at most %d", len(buf), maxIntroduction), nil)
	}
	return &negotiated{rev, int32(split), bytes.Clone(buf)}, nil // buf may have room to spare
}

// clientInfo returns the name and version of the client. N may be nil.
func (n *negotiated) clientInfo() *mcp.Implementation {
	info := new(mcp.Implementation)
	if n == nil || wire.Decode(n.encodedInfo(), info) != nil {
		return nil // it was encoded here
	}
	return info
}

// capabilities returns what the client supports. N may be nil.
func (n *negotiated) capabilities() *mcp.ClientCapabilities {
	caps := new(mcp.ClientCapabilities)
	if n == nil || wire.Decode(n.encodedCapabilities(), caps) != nil {
		return &noCapabilities // likewise
	}
	return caps
}

// Sessions returns the open sessions of all transports, in no particular order; sessions that open during the
// iteration are not among them. Clients of revisions since 2026-07-28 have none.
func (s *Server) Sessions() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		for _, t := range s.subscriptions.all() {
			if t.session != nil && !yield(t.session) {
				return
			}
		}
	}
}

// ID returns the id by which the transport knows the session. It is empty if there is none, as on standard input.
func (ss *Session) ID() string {
	if ss == nil {
		return ""
	}
	return ss.id
}

// Revision returns the revision of the session, zero before initialize.
func (ss *Session) Revision() wire.Revision {
	if n := ss.negotiated.Load(); n != nil {
		return n.revision
	}
	return 0
}

// Client returns the name and version of the client, nil before initialize.
func (ss *Session) Client() *mcp.Implementation { return ss.negotiated.Load().clientInfo() }

// Capabilities returns what the client supports. It must not be changed.
func (ss *Session) Capabilities() *mcp.ClientCapabilities { return ss.negotiated.Load().capabilities() }

// LogLevel returns the least severe level of log messages that the client wants.
func (ss *Session) LogLevel() mcp.LoggingLevel { return logs.Level(int(ss.level.Load())) }

// Ping sends a ping to the client and waits for the response.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
func (ss *Session) Ping(ctx context.Context) error {
	_, err := ss.Request(ctx, mcp.MethodPing.Name, nil)
	return err
}

// Notify sends a notification that belongs to no call, such as one of an extension. [Server] and Session have methods
// for the notifications of the protocol.
func (ss *Session) Notify(ctx context.Context, method string, params wire.Encodable) error {
	rev := ss.Revision()
	if rev == 0 {
		return fmt.Errorf("server: notify: no session is open")
	}
	return notify(ctx, ss.subscription.out, rev, method, params)
}

// Request sends a request that belongs to no call, such as one of an extension, and returns its result. For an error
// response, the error is a *[jsonrpc.Error].
func (ss *Session) Request(ctx context.Context, method string, params wire.Encodable) (wire.Raw, error) {
	rev := ss.Revision()
	if rev == 0 {
		return nil, fmt.Errorf("server: request: no session is open")
	}
	return ss.endpoint.server.request(ctx, ss.subscription.out, rev, method, params)
}

// ElicitationComplete notifies the client that the user has done what a URL elicitation asked for. Only
// 2025-11-25 has this notification; in other revisions ElicitationComplete does nothing.
func (ss *Session) ElicitationComplete(ctx context.Context, elicitationID string) error {
	m := &mcp.MethodElicitationCompleteNotification
	rev := ss.Revision()
	if rev == 0 || !m.Reaches(wire.Client, rev) {
		return nil
	}
	return notify(ctx, ss.subscription.out, rev, m.Name, &mcp.ElicitationCompleteNotificationParams{ElicitationID: elicitationID})
}

// A sessionState is what a session has learned from its client.
type sessionState struct {
	Revision      wire.Revision    `json:"revision"`
	Client        wire.Raw         `json:"client"`       // an [mcp.Implementation]
	Capabilities  wire.Raw         `json:"capabilities"` // an [mcp.ClientCapabilities]
	LogLevel      mcp.LoggingLevel `json:"logLevel"`
	Ready         bool             `json:"ready,omitempty"` // the client has sent notifications/initialized
	Subscriptions []string         `json:"subscriptions,omitempty"`
}

// StateVersion returns a number that changes whenever [SessionEndpoint.State] does. It is 0 before initialize.
func (e *SessionEndpoint) StateVersion() uint32 { return e.session.version.Load() }

// State returns the state of an open session, as JSON, from which this and later versions of the package can restore it.
func (e *SessionEndpoint) State() ([]byte, error) {
	ss := e.session
	n := ss.negotiated.Load()
	t := &ss.subscription
	t.mu.Lock()
	defer t.mu.Unlock()
	// The topics of extensions are left out: only the extension could say whether the client may still have them.
	return json.Marshal(sessionState{
		Revision: n.revision, Client: n.encodedInfo(), Capabilities: n.encodedCapabilities(),
		LogLevel: ss.LogLevel(), Ready: ss.ready.Load(), Subscriptions: urisOf(t.topics),
	})
}

// Restore gives an empty session the state of an earlier one, while it handles a request from the client. It calls
// [Options.OnSubscribe] again for each subscription, and drops those that are now refused. Since nobody knows what
// has changed in the meantime, the client is notified of everything that it subscribes to, after [SessionEndpoint.Resume].
// The error has the code [mcp.CodeUnsupportedProtocolVersion] if the server no longer has sessions of the revision.
func (e *SessionEndpoint) Restore(ctx context.Context, from transport.Origin, data []byte) (err error) {
	s, ss := e.server, e.session
	defer func() { // of OnSubscribe and OnSession; the transport closes the session then
		if p := recover(); p != nil {
			err = s.panicked(ctx, p, "mcp: panic in a function of the program", "function", "Restore")
		}
	}()
	var state sessionState
	err = json.Unmarshal(data, &state)
	if err == nil && state.Revision == wire.Any {
		err = errors.New("the revision is missing")
	}
	if err != nil {
		return fmt.Errorf("server: Restore: %w", err)
	}
	if !s.serves(state.Revision) || state.Revision >= mcp.Modern {
		return jsonrpcError(mcp.CodeUnsupportedProtocolVersion, "server: Restore: the server has no sessions of revision "+state.Revision.String(), nil)
	}
	var p mcp.InitializeRequestParams
	if err := errors.Join(wire.Decode(state.Client, &p.ClientInfo), wire.Decode(state.Capabilities, &p.Capabilities)); err != nil {
		return fmt.Errorf("server: Restore: %w", err)
	}
	n, err := newNegotiated(state.Revision, &p)
	if err != nil {
		return err
	}
	if !ss.negotiated.CompareAndSwap(nil, n) {
		return errors.New("server: Restore: the session is open already")
	}
	// This Call stands for no message: it is what OnSubscribe and OnSession receive, and says who is charged. Its
	// Subscription is that of the session because the revision is a legacy one. After an error the transport closes the
	// session.
	c := e.callFor(ctx, &transport.Request{Origin: from})
	c.rev = state.Revision
	t := c.Subscription()
	if err := t.introduce(c, len(n.data)); err != nil {
		return err
	}
	ss.level.Store(int32(logs.Rank(state.LogLevel)))
	caps := s.capabilities(c, true) // of this process; the client may have seen those of another one
	t.open(n.revision, &caps)
	for _, uri := range state.Subscriptions {
		ss.resubscribe(ctx, c, t, uri)
	}
	s.addSubscription(t)
	ss.opened(ctx, c)
	// After the subscription was added, so that no change is missed. It is paused, so nothing is sent before Resume.
	t.mark(allLists)
	t.sendAll()
	ss.ready.Store(state.Ready)
	ss.version.Add(1)
	return nil
}

// Resume lets a restored session send notifications. The transport calls it when it can send them. A client that
// continues a session is ready for them, even if its notifications/initialized was not stored.
func (e *SessionEndpoint) Resume() { e.session.subscription.resume() }

// resubscribe restores a subscription of a session. Its scopes were checked when the client subscribed; what the program now
// refuses is left out, since there is no request whose response could say so.
func (ss *Session) resubscribe(ctx context.Context, c *Call, t *Subscription, uri string) {
	s := ss.endpoint.server
	if s.opts.OnSubscribe != nil && s.opts.OnSubscribe(ctx, c, uri) != nil {
		return
	}
	if !t.Add(uri) { // OnSubscribe has accepted it, and has to hear of its end
		s.unsubscribed(uri)
	}
}
