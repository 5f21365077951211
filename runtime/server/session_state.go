package server

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A SessionState is what a client has made of a session, for transports that keep sessions where another process
// can go on with them. Package encoding/json encodes and decodes it.
type SessionState struct {
	Revision      wire.Revision    `json:"revision"`
	Client        wire.Raw         `json:"client"`       // an [mcp.Implementation]
	Capabilities  wire.Raw         `json:"capabilities"` // an [mcp.ClientCapabilities]
	LogLevel      mcp.LoggingLevel `json:"logLevel"`
	Ready         bool             `json:"ready,omitempty"` // the client has sent notifications/initialized
	Subscriptions []string         `json:"subscriptions,omitempty"`
}

// StateVersion returns a number that changes whenever [Session.State] does. It is 0 before initialize.
func (ss *Session) StateVersion() uint32 { return ss.version.Load() }

// State returns the state of a session that is open.
func (ss *Session) State() SessionState {
	n := ss.negotiated.Load()
	t := &ss.subscriber
	t.mu.Lock()
	defer t.mu.Unlock()
	return SessionState{
		Revision: n.revision, Client: n.encodedInfo(), Capabilities: n.encodedCapabilities(),
		LogLevel: levels[ss.level.Load()].name, Ready: ss.restoredReady || !t.paused, Subscriptions: slices.Sorted(maps.Keys(t.uris)),
	}
}

// Restore makes an empty session the one of that state, on behalf of a request of its client. Whoever keeps watch on
// resources is called with [Options.OnSubscribe] again; a subscription that it refuses now is dropped. Since nobody
// knows what has changed meanwhile, the client is notified of all that it subscribes to, after [Session.Resume].
func (ss *Session) Restore(ctx context.Context, from transport.Origin, state *SessionState) error {
	s := ss.server
	if !s.serves(state.Revision) || state.Revision >= firstModern {
		return errors.New("server: Restore: the server has no sessions of revision " + state.Revision.String())
	}
	n := &negotiated{state.Revision, int32(len(state.Client)), slices.Concat(state.Client, state.Capabilities)}
	if !ss.negotiated.CompareAndSwap(nil, n) {
		return errors.New("server: Restore: the session is open already")
	}
	c := ss.newCall(ctx, &transport.Request{Origin: from})
	c.rev = state.Revision
	if err := ss.introduce(c, len(n.data)); err != nil {
		return err
	}
	ss.level.Store(int32(rank(state.LogLevel)))
	caps := s.capabilities(n.revision, true)
	ss.subscriber.open(n.revision, &caps)
	for _, uri := range state.Subscriptions {
		ss.resubscribe(ctx, c, uri)
	}
	s.changes.add(&ss.subscriber)
	ss.observeOpening(ctx, c)
	ss.subscriber.mark(toolsList|promptsList|resourcesList, "")
	for _, uri := range state.Subscriptions {
		if ss.subscriber.subscribed(uri) {
			ss.subscriber.mark(0, uri)
		}
	}
	ss.restoredReady = state.Ready
	ss.version.Add(1)
	return nil
}

// Resume lets a restored session send notifications. The transport calls it when it can send. A client that goes on with
// a session is ready for them, even if nobody has stored that it said so.
func (ss *Session) Resume() {
	if ss.restoredReady {
		ss.ready.Do(func() {}) // it does not say so again
	}
	ss.subscriber.resume()
}

// resubscribe makes a session subscribe to what it was subscribed to. What it may subscribe to was checked then.
func (ss *Session) resubscribe(ctx context.Context, c *Call, uri string) {
	s := ss.server
	if s.opts.OnSubscribe != nil && s.opts.OnSubscribe(ctx, c, uri) != nil {
		return
	}
	if added, _ := ss.subscriber.subscribe(&s.kept, c.owner(), uri); !added {
		s.unsubscribed(uri)
	}
}
