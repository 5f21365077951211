package server

import (
	"cmp"
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
)

// Whatever changes, clients are notified in one way: the change marks each subscription, which sends what its client subscribes
// to (see subscription.go), and the functions of OnChange receive it, which pass it on to the other processes of a cluster.
// Adding and removing items does that by itself; the program reports what the server cannot see.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions

// A listKind is a list that can change, or a set of such lists.
type listKind uint8

const (
	toolsList listKind = 1 << iota
	promptsList
	resourcesList // and templates

	allLists = toolsList | promptsList | resourcesList
)

// A Change is a change that clients are notified of. A program of several processes passes it on, so that clients
// of one process are notified of changes in the others. Package encoding/json can encode and decode it.
type Change struct {
	// Tools, Prompts and Resources say that these lists have changed.
	Tools     bool `json:"tools,omitempty"`
	Prompts   bool `json:"prompts,omitempty"`
	Resources bool `json:"resources,omitempty"`

	// Updated has the URIs of resources that have changed.
	Updated []string `json:"updated,omitempty"`

	// Any says that anything may have changed: every list and every resource.
	Any bool `json:"any,omitempty"`

	// Relayed says that another process made the change, which is not to be passed on again.
	Relayed bool `json:"-"`
}

// lists returns the lists that have changed.
func (c *Change) lists() (kind listKind) {
	if c.Tools || c.Any {
		kind |= toolsList
	}
	if c.Prompts || c.Any {
		kind |= promptsList
	}
	if c.Resources || c.Any {
		kind |= resourcesList
	}
	return kind
}

// Changed notifies clients of a change other than by adding and removing items: because [Options].Filters decide
// differently now, or [Options].Define, which is asked again, says something else, or because of a change in another
// process.
func (s *Server) Changed(c Change) {
	kind := c.lists()
	// Before clients are notified, since they will request the lists.
	switch {
	case c.Relayed: // what this process offers has not changed by that
	case s.opts.Define != nil:
		if err := s.renew(kind); err != nil {
			s.Log().Error("mcp: an item stays as it was defined before", "error", err)
		}
	default:
		s.forget(kind)
	}
	for _, t := range s.subscriptions.all() {
		if kind != 0 {
			t.mark(kind)
		}
		if c.Any { // Updated says nothing more
			t.sendAll()
		}
	}
	if !c.Any {
		for _, uri := range c.Updated {
			s.Publish(uri, updated(uri))
		}
	}
	s.tell(c)
}

// sendAll notifies the client of all resources that it subscribes to.
func (t *Subscription) sendAll() {
	for _, uri := range t.uris() {
		t.Send(uri, updated(uri))
	}
}

// ResourceUpdated notifies the clients that subscribe to a resource that it has changed.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
func (s *Server) ResourceUpdated(uri string) { s.Changed(Change{Updated: []string{uri}}) }

// updated returns the notification of a change of a resource.
func updated(uri string) Notification {
	return Notification{Method: mcp.MethodResourceUpdatedNotification.Name, Params: &mcp.ResourceUpdatedNotificationParams{URI: uri}}
}

// listChanged notifies clients that lists have changed. The registries have discarded what they kept of them by then.
func (s *Server) listChanged(kind listKind) {
	if kind == 0 {
		return
	}
	for _, t := range s.subscriptions.all() {
		t.mark(kind)
	}
	s.tell(Change{Tools: kind&toolsList != 0, Prompts: kind&promptsList != 0, Resources: kind&resourcesList != 0})
}

// tell calls the functions of OnChange.
func (s *Server) tell(c Change) {
	for _, f := range s.hearers.all() {
		(*f)(c)
	}
}

// forget discards what is kept of lists.
func (s *Server) forget(kind listKind) {
	for _, r := range s.registries {
		if kind&r.list != 0 {
			r.forget()
		}
	}
}

// renew makes the items of lists anew. The error is about items that stay as they were.
func (s *Server) renew(kind listKind) (err error) {
	for _, r := range s.registries {
		if kind&r.list != 0 {
			err = errors.Join(err, r.renew())
		}
	}
	return err
}

// addSubscription lets a subscription receive what is published, unless it is closed already.
func (s *Server) addSubscription(t *Subscription) {
	s.subscriptions.add(t)
	if t.isClosed() {
		s.subscriptions.remove(t)
	}
}

// closeSubscription closes a subscription.
func (s *Server) closeSubscription(t *Subscription) {
	uris := t.close()
	s.subscriptions.remove(t) // after that, see addSubscription
	for _, uri := range uris {
		s.unsubscribed(uri)
	}
}

// subscribe subscribes to a resource, if the caller of c may: it asks [Options].OnSubscribe. Added is false without an
// error if t subscribes to it already or is closed, and full says that there is no room.
func (s *Server) subscribe(ctx context.Context, c *Call, t *Subscription, uri string) (added, full bool, err error) {
	if err := checkURI(uri); err != nil {
		return false, false, err
	}
	read, err := s.reader(ctx, c, uri)
	if read.run == nil {
		return false, false, cmp.Or(err, resourceNotFound(c.rev, uri))
	}
	if err := c.Require(read.scopes); err != nil {
		return false, false, err
	}
	// Last: once it accepts, the program watches the resource.
	if f := s.opts.OnSubscribe; f != nil {
		if err := f(ctx, c, uri); err != nil {
			return false, false, err
		}
	}
	if added, full = t.add(uri); !added { // OnSubscribe has accepted it, and has to hear of its end
		s.unsubscribed(uri)
	}
	return added, full, nil
}

// unsubscribed calls [Options].OnUnsubscribe.
func (s *Server) unsubscribed(uri string) {
	if f := s.opts.OnUnsubscribe; f != nil {
		s.guard("OnUnsubscribe", func() { f(uri) })
	}
}
