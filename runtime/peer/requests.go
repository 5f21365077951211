package peer

import "github.com/mcpgen/mcpgen/runtime/wire"

// requests are those at work, by their ids. Most connections have one at a time, and many have none
// for most of the time: the map exists while there are several.
type requests struct {
	one  *Request
	more map[wire.ID]*Request
}

func (rs *requests) get(id wire.ID) *Request {
	if rs.one != nil && rs.one.ID == id {
		return rs.one
	}
	return rs.more[id]
}

func (rs *requests) put(r *Request) {
	if rs.one == nil {
		rs.one = r
		return
	}
	if rs.more == nil {
		rs.more = make(map[wire.ID]*Request)
	}
	rs.more[r.ID] = r
}

func (rs *requests) remove(r *Request) {
	if rs.one == r {
		rs.one = nil
		return
	}
	if delete(rs.more, r.ID); len(rs.more) == 0 {
		rs.more = nil
	}
}

func (rs *requests) len() int {
	if rs.one == nil {
		return len(rs.more)
	}
	return 1 + len(rs.more)
}

func (rs *requests) each(f func(*Request)) {
	if rs.one != nil {
		f(rs.one)
	}
	for _, r := range rs.more {
		f(r)
	}
}
