package peer

import "github.com/mcpgen/mcpgen/runtime/wire"

// requests holds the requests that are being handled, by id. Most connections have at most one at a time, so there
// is a map only while there are several: with a map, an idle session takes 1.5 KiB in place of 1.0.
// One may be nil while more is not: the next request takes its place. Conn.mu guards it.
type requests struct {
	one  *request
	more map[wire.ID]*request // all others; nil if there are none
}

// get returns the request with an id, nil if there is none.
func (rs *requests) get(id wire.ID) *request {
	if rs.one != nil && rs.one.ID == id {
		return rs.one
	}
	return rs.more[id]
}

// put adds a request. Its id is that of no other one: newRequest has looked, under the same lock.
func (rs *requests) put(r *request) {
	if rs.one == nil {
		rs.one = r
		return
	}
	if rs.more == nil {
		rs.more = make(map[wire.ID]*request)
	}
	rs.more[r.ID] = r
}

// remove removes a request. A map that is empty goes, too, so that a session that was busy once does not keep it.
func (rs *requests) remove(r *request) {
	if rs.one == r {
		rs.one = nil
		return
	}
	if delete(rs.more, r.ID); len(rs.more) == 0 {
		rs.more = nil
	}
}

// len returns how many requests are being handled.
func (rs *requests) len() int {
	if rs.one == nil {
		return len(rs.more)
	}
	return 1 + len(rs.more)
}

// each calls f, which must not add or remove any, for each request.
func (rs *requests) each(f func(*request)) {
	if rs.one != nil {
		f(rs.one)
	}
	for _, r := range rs.more {
		f(r)
	}
}
