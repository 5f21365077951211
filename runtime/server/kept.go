package server

import "github.com/mcpgen/mcpgen/runtime/internal/share"

// A reservation is the room that a session or a subscription uses for what its client sent. It counts against
// [Options.MaxKept].
type reservation struct {
	room  *share.Room
	owner share.Owner
	bytes int
}

// reserve takes room for so many bytes and reports whether there was enough. The caller holds mu.
func (t *subscriber) reserve(room *share.Room, owner share.Owner, bytes int) bool {
	if t.reservation != nil { // the first owner pays for all
		room, owner = t.reservation.room, t.reservation.owner
	}
	if !room.Take(owner, bytes) {
		return false
	}
	if t.reservation == nil {
		t.reservation = &reservation{room: room, owner: owner}
	}
	t.reservation.bytes += bytes
	return true
}

// unreserve gives room back. The caller holds mu.
func (t *subscriber) unreserve(bytes int) {
	if t.reservation != nil {
		t.reservation.room.Give(t.reservation.owner, bytes)
		t.reservation.bytes -= bytes
	}
}

// entryBytes is what each URI or task counts in addition to its text.
const entryBytes = 128

// smallIntroduction is how many bytes of a client's description of itself do not count: many sessions keep nothing
// else.
const smallIntroduction = 1 << 10

// introduce takes room for a client's description of itself.
func (ss *Session) introduce(c *Call, bytes int) error {
	if bytes <= smallIntroduction {
		return nil
	}
	t := &ss.subscriber
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed && !t.reserve(&ss.endpoint.server.kept, c.owner(), bytes) {
		return tooMuchKept()
	}
	return nil
}

// tooMuchKept returns the error for a request that would exceed [Options.MaxKept].
func tooMuchKept() error {
	return busy("the sessions and subscriptions of this client, or of all clients together, have reached the limit on what they keep")
}
