package peer

// Through 2025-11-25 a request must not use the id of another one in the same session. A server that checks this also
// handles a request only once if it was repeated on its way, which over HTTP a proxy may do. What is remembered can be
// passed on with the session to another process.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic#requests.

import (
	"cmp"
	"slices"
	"sort"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// usedIDs remembers the ids of requests, to refuse ids that are used twice. Integers are kept as ranges, so that a
// client that counts costs one range; strings are kept as hashes. Both are bounded: if a client uses ids without an
// order, the ranges that have not grown for longest and the oldest strings are forgotten.
// Conn.mu guards it.
type usedIDs struct {
	ranges  []idRange // in order, with gaps between them
	grown   uint64    // counts the integers
	strings []uint64  // oldest first
}

type idRange struct {
	from, to int64
	grown    uint64 // when it got its newest
}

const (
	maxRanges  = 256
	maxStrings = 256
)

// hashID returns a hash of an id, the same in all processes (FNV-1a). Of two ids with the same hash, which are very rare, the
// second is refused.
func hashID(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// add adds an id and reports whether it is new.
//
// REQ JRPC-03
func (u *usedIDs) add(id wire.ID) bool {
	if n, ok := id.Int(); ok {
		return u.addInt(n)
	}
	s, _ := id.Str()
	hash := hashID(s)
	switch {
	case slices.Contains(u.strings, hash):
		return false
	case len(u.strings) == maxStrings:
		u.strings = slices.Delete(u.strings, 0, 1)
	}
	u.strings = append(u.strings, hash)
	return true
}

// addInt extends the range beside n, joins two ranges that n connects, or begins a new one.
func (u *usedIDs) addInt(n int64) bool {
	i := sort.Search(len(u.ranges), func(i int) bool { return u.ranges[i].from > n }) // the first one behind n
	if i > 0 && u.ranges[i-1].to >= n {
		return false
	}
	u.grown++
	// Neither sum overflows: n is greater than one bound, and less than the other.
	before := i > 0 && u.ranges[i-1].to+1 == n
	behind := i < len(u.ranges) && u.ranges[i].from-1 == n
	switch {
	case before && behind:
		u.ranges[i-1].to, u.ranges[i-1].grown = u.ranges[i].to, u.grown
		u.ranges = slices.Delete(u.ranges, i, i+1)
	case before:
		u.ranges[i-1].to, u.ranges[i-1].grown = n, u.grown
	case behind:
		u.ranges[i].from, u.ranges[i].grown = n, u.grown
	default:
		u.ranges = slices.Insert(u.ranges, i, idRange{n, n, u.grown})
		if len(u.ranges) > maxRanges {
			u.forget()
		}
	}
	return true
}

// remove removes an id, so that it may be used again.
func (u *usedIDs) remove(id wire.ID) {
	if n, ok := id.Int(); ok {
		u.removeInt(n)
		return
	}
	s, _ := id.Str()
	hash := hashID(s)
	u.strings = slices.DeleteFunc(u.strings, func(h uint64) bool { return h == hash })
}

// removeInt shortens the range that has n at an end, or splits the one that has it inside.
func (u *usedIDs) removeInt(n int64) {
	i := sort.Search(len(u.ranges), func(i int) bool { return u.ranges[i].to >= n }) // the first one that may have it
	if i == len(u.ranges) || u.ranges[i].from > n {
		return
	}
	// What is left of the range keeps its age: that an id is free again is no news about the others.
	r := u.ranges[i]
	rest := make([]idRange, 0, 2)
	if r.from < n {
		rest = append(rest, idRange{r.from, n - 1, r.grown})
	}
	if n < r.to {
		rest = append(rest, idRange{n + 1, r.to, r.grown})
	}
	if u.ranges = slices.Replace(u.ranges, i, i+1, rest...); len(u.ranges) > maxRanges {
		u.forget()
	}
}

// forget forgets the range that has not grown for longest, the lowest of several.
func (u *usedIDs) forget() {
	oldest := slices.MinFunc(u.ranges, func(a, b idRange) int { return cmp.Compare(a.grown, b.grown) })
	u.ranges = slices.DeleteFunc(u.ranges, func(r idRange) bool { return r == oldest })
}

// UsedIDs holds the ids of the requests that a connection has received, as far as it remembers them. Package
// encoding/json can encode and decode it, to pass it to another process.
type UsedIDs struct {
	Integers [][2]int64 `json:"integers,omitempty"` // ranges; both ends are included
	Strings  []uint64   `json:"strings,omitempty"`  // hashes, oldest first
}

// UsedIDs returns a copy of the ids that were used, if [Options.UniqueIDs] is set.
func (c *Conn) UsedIDs() UsedIDs {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := &c.used
	var used UsedIDs
	for _, r := range u.ranges {
		used.Integers = append(used.Integers, [2]int64{r.from, r.to})
	}
	used.Strings = slices.Clone(u.strings)
	return used
}

// SetUsedIDs makes the connection refuse ids that another one has received. It must be called before the first request.
func (c *Conn) SetUsedIDs(used UsedIDs) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := &c.used
	// They are in order, as UsedIDs returns them. Their age is not passed on: they count as older than all that grow here.
	for _, r := range used.Integers[:min(len(used.Integers), maxRanges)] {
		u.ranges = append(u.ranges, idRange{from: r[0], to: r[1]})
	}
	u.strings = slices.Clone(used.Strings[:min(len(used.Strings), maxStrings)])
}
