// Package share divides a limited resource of a server among its clients, so that one client cannot use up what the
// others need.
package share

import (
	"context"
	"net/netip"
	"sync"
)

// An Owner is a client that shares a resource with others: a principal; without one, a network address; and without
// that, a connection. IPv6 addresses are told apart by their first 64 bits, because one network has all addresses
// with these.
type Owner struct {
	principal bool   // the name is that of one
	name      string // of the principal, or an address that is not an IP address
	addr      netip.Addr
	conn      any
}

// Of returns the owner for a principal, an address with or without a port, and a connection. Each may be absent.
func Of(principal, address string, conn any) Owner {
	switch {
	case principal != "":
		return Owner{principal: true, name: principal}
	case address == "":
		return Owner{conn: conn}
	}
	var addr netip.Addr
	if at, err := netip.ParseAddrPort(address); err == nil {
		addr = at.Addr()
	} else if addr, err = netip.ParseAddr(address); err != nil {
		return Owner{name: address}
	}
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		prefix, _ := addr.Prefix(64)
		addr = prefix.Addr()
	}
	return Owner{addr: addr}
}

type ownerKey struct{}

// With returns the context of a request of an owner.
func With(ctx context.Context, o Owner) context.Context { return context.WithValue(ctx, ownerKey{}, o) }

// From returns the owner of the request that a context belongs to, zero if it is not known.
func From(ctx context.Context) Owner {
	o, _ := ctx.Value(ownerKey{}).(Owner)
	return o
}

// Part returns how much of a limit an owner may use: a quarter. An owner known only by its connection may use all of it:
// there is one client, or clients cannot be told apart.
func (o Owner) Part(most int) int {
	if o.name == "" && !o.addr.IsValid() {
		return most
	}
	return max(1, most/4)
}

// A Room counts what all owners use of a resource. One owner may use its part.
type Room struct {
	Max int

	mu   sync.Mutex
	used int
	by   map[Owner]int
}

// Take takes n for an owner, and reports whether that much was available.
func (r *Room) Take(o Owner, n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used+n > r.Max || r.by[o]+n > o.Part(r.Max) {
		return false
	}
	if r.by == nil {
		r.by = make(map[Owner]int)
	}
	r.used += n
	r.by[o] += n
	return true
}

// Give gives back n that an owner has taken.
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
