package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

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
	return json.Marshal(sessionState{
		Revision: n.revision, Client: n.encodedInfo(), Capabilities: n.encodedCapabilities(),
		LogLevel: ss.LogLevel(), Ready: ss.ready.Load(), Subscriptions: urisOf(t.topics),
	})
}

// Restore gives an empty session the state of an earlier one, while it handles a request from the client. It calls
// [Options.OnSubscribe] again for each subscription, and drops those that are now refused. Since nobody knows what
// has changed in the meantime, the client is notified of everything that it subscribes to, after [SessionEndpoint.Resume].
// The error has the code [mcp.CodeUnsupportedProtocolVersion] if the server no longer has sessions of the revision.
func (e *SessionEndpoint) Restore(ctx context.Context, from transport.Origin, data []byte) error {
	s, ss := e.server, e.session
	var state sessionState
	err := json.Unmarshal(data, &state)
	if err == nil && state.Revision == wire.Any {
		err = errors.New("the revision is missing")
	}
	if err != nil {
		return fmt.Errorf("server: Restore: %w", err)
	}
	if !s.serves(state.Revision) || state.Revision >= firstModern {
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
	c := e.newCall(ctx, &transport.Request{Origin: from})
	c.rev = state.Revision
	t := c.Subscription()
	if err := t.introduce(c, len(n.data)); err != nil {
		return err
	}
	ss.level.Store(int32(rank(state.LogLevel)))
	caps := s.capabilities(c, true)
	t.open(n.revision, &caps)
	for _, uri := range state.Subscriptions {
		ss.resubscribe(ctx, c, t, uri)
	}
	s.addSubscription(t)
	ss.opened(ctx, c)
	t.mark(toolsList | promptsList | resourcesList)
	t.sendAll()
	ss.ready.Store(state.Ready)
	ss.version.Add(1)
	return nil
}

// Resume lets a restored session send notifications. The transport calls it when it can send them. A client that
// continues a session is ready for them, even if its notifications/initialized was not stored.
func (e *SessionEndpoint) Resume() { e.session.subscription.resume() }

// resubscribe restores a subscription of a session. Its scopes were checked when the client subscribed.
func (ss *Session) resubscribe(ctx context.Context, c *Call, t *Subscription, uri string) {
	s := ss.endpoint.server
	if s.opts.OnSubscribe != nil && s.opts.OnSubscribe(ctx, c, uri) != nil {
		return
	}
	if !t.Add(uri) {
		s.unsubscribed(uri)
	}
}
