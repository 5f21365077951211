package peer

// A subscription is a request that stays open. Its acknowledgement says what the server has agreed to, and comes before
// all that it notifies of; so it goes to the call at once, and not through the queue of notifications.
//
// A server ends a subscription by cancelling the request, which is the one case in which a receiver cancels; see cancel.go.

import (
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// acknowledged handles the notification that a subscription is open, which is for the call that has asked for it. It is
// the call's before its response or its end are, whatever happens next to its stream. A second one is ignored, as is one of
// a call that is over.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions.
func (c *Conn) acknowledged(params wire.Raw) {
	p := new(mcp.SubscriptionsAcknowledgedNotificationParams)
	if err := wire.Decode(params, p); err != nil || p.Meta == nil {
		c.once(invalidAcknowledgement, "acknowledgement of a subscription ignored", "error", err)
		return
	}
	// The id of a subscription is that of the request for it.
	id, _ := p.Meta.SubscriptionID.Int() // 0 for a string, which no call has
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.calls[id]; call != nil && call.listens && !call.acked {
		call.acked, call.ack = true, p
		call.signal()
	}
}
