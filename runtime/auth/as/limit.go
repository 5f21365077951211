package as

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxAddresses is how many addresses a limiter counts separately.
const maxAddresses = 10_000

// maxAddress is how many bytes of an address are kept. A name from a login form, which is limited in the same way,
// may be much longer.
const maxAddress = 64

// A limiter bounds how often addresses send requests.
type limiter struct {
	perMinute int

	mu        sync.Mutex
	addresses map[string]*rate.Limiter
	others    *rate.Limiter // shared by all addresses for which there is no room
}

func newLimiter(perMinute int) *limiter {
	l := &limiter{perMinute: perMinute, addresses: map[string]*rate.Limiter{}}
	l.others = l.fresh()
	return l
}

func (l *limiter) fresh() *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)
}

// allow reports whether an address may send a request now.
func (l *limiter) allow(address string) bool {
	if len(address) > maxAddress {
		address = hashOf(address)
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.addresses[address]
	if one == nil {
		one = l.others
		if len(l.addresses) >= maxAddresses {
			l.removeIdle(now)
		}
		if len(l.addresses) < maxAddresses {
			one = l.fresh()
			l.addresses[address] = one
		}
	}
	return one.AllowN(now, 1)
}

// removeIdle removes the addresses that may send as many requests as new addresses.
func (l *limiter) removeIdle(now time.Time) {
	for address, one := range l.addresses {
		if one.TokensAt(now) >= float64(l.perMinute) {
			delete(l.addresses, address)
		}
	}
}

// remoteAddress returns the address of a connection, for IPv6 that of the network: who has one address of a /64 has
// all of them.
func remoteAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if a = a.WithZone("").Unmap(); a.Is4() {
		return a.String()
	}
	network, err := a.Prefix(64)
	if err != nil {
		return host
	}
	return network.String()
}
