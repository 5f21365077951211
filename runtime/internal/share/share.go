// Package share divides what a server keeps among those who make it keep that, so that one of them
// cannot take it away from the others.
package share

import (
	"net/netip"
	"sync"
)

// An Owner is one of those who share: a principal; of nobody in particular, the network address; and
// where there is none either, the connection. Addresses of version 6 are told apart by their first
// 64 bits, since whoever has one of the rest has all of them.
type Owner struct {
	name string // of the principal, or an address that is none of IP
	addr netip.Addr
	conn any
}

// Of returns the owner of what comes from a principal, at an address with or without a port, by a
// connection. All of them may be absent.
func Of(principal, address string, conn any) Owner {
	switch {
	case principal != "":
		return Owner{name: "principal " + principal}
	case address == "":
		return Owner{conn: conn}
	}
	var addr netip.Addr
	if at, err := netip.ParseAddrPort(address); err == nil {
		addr = at.Addr()
	} else if addr, err = netip.ParseAddr(address); err != nil {
		return Owner{name: "address " + address}
	}
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		prefix, _ := addr.Prefix(64)
		addr = prefix.Addr()
	}
	return Owner{addr: addr}
}

// Part returns how much of a bound an owner may have, whose share of it is so many percent. Who is
// known by the connection alone may have all: there is one client, or nothing to tell them apart by.
func (o Owner) Part(most, percent int) int {
	if most <= 0 || o.name == "" && !o.addr.IsValid() {
		return most
	}
	return max(1, most/100*percent+most%100*percent/100) // in an order that does not overflow
}

// A Room is what owners have of something together. The zero value has no bounds.
type Room struct {
	Max     int // negative: no limit
	Percent int // of Max, which one owner may have

	mu   sync.Mutex
	used int
	by   map[Owner]int
}

// Take takes n for an owner and reports whether there was so much.
func (r *Room) Take(o Owner, n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Max > 0 && (r.used+n > r.Max || r.by[o]+n > o.Part(r.Max, r.Percent)) {
		return false
	}
	if r.by == nil {
		r.by = make(map[Owner]int)
	}
	r.used += n
	r.by[o] += n
	return true
}

// Give gives back what was taken.
func (r *Room) Give(o Owner, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
	if r.by[o] -= n; r.by[o] == 0 {
		delete(r.by, o)
	}
}

// Used returns how much is taken.
func (r *Room) Used() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}
