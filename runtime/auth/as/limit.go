package as

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/internal/lru"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// maxLimited is how many senders a limiter counts separately. Beyond that it forgets the one who has not sent for
// longest.
const maxLimited = 10_000

// A limiter bounds how often somebody sends requests.
type limiter struct {
	perMinute int

	mu   sync.Mutex
	each lru.Map[share.Owner, *rate.Limiter]
}

func newLimiter(perMinute int) *limiter {
	return &limiter{perMinute: perMinute, each: lru.Map[share.Owner, *rate.Limiter]{MaxItems: maxLimited}}
}

// allow reports whether a sender may send a request now.
func (l *limiter) allow(who share.Owner) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, known := l.each.Get(who)
	if !known {
		one = rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)
		l.each.Put(who, one, 0)
	}
	return one.AllowN(time.Now(), 1)
}
