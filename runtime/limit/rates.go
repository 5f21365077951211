package limit

import (
	"log/slog"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/internal/lru"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// rates applies rates to requests. It checks all before it counts, so that a request that exceeds one counts for
// none.
type rates struct {
	logger *slog.Logger
	tools  bool // a rule asks for the tool

	mu    sync.Mutex
	rules []*rateRule
	found []*rate.Limiter // room for those of one request
}

// A rateRule is a [Rate] with its buckets.
type rateRule struct {
	scope
	Rate
	warning

	buckets lru.Map[key, *rate.Limiter]
}

func newRates(rules []Rate, most int, logger *slog.Logger) *rates {
	l := &rates{logger: logger}
	for _, r := range rules {
		rule := &rateRule{Rate: r, scope: scope{r.By, r.Tools, r.Methods}, buckets: lru.Map[key, *rate.Limiter]{MaxItems: most}}
		rule.rule = rule.describe("", false)
		l.rules = append(l.rules, rule)
		l.tools = l.tools || r.By&Tool != 0 || len(r.Tools) > 0
	}
	return l
}

// take counts a request, unless it exceeds a rate. If it exceeds several, the error names the one with the longest
// wait.
func (l *rates) take(q *request, now time.Time) *transport.RefusedError {
	if len(l.rules) == 0 {
		return nil
	}
	if l.tools {
		q.theTool() // before mu is taken, since the params may be long
	}
	var worst *rateRule
	var wait time.Duration
	warnings := 0
	l.mu.Lock()
	l.found = l.found[:0]
	for _, r := range l.rules {
		if !r.concerns(q) {
			continue
		}
		b := r.bucket(q.key(r.By))
		l.found = append(l.found, b)
		if missing := 1 - b.TokensAt(now); missing > slack {
			if d := r.time(missing); worst == nil || d > wait {
				worst, wait = r, d
			}
		}
	}
	if worst == nil {
		for _, b := range l.found {
			spend(b, now)
		}
	} else {
		warnings = worst.refused(now)
	}
	l.mu.Unlock()
	if worst == nil {
		return nil
	}
	warn(l.logger, warnings, worst.rule)
	return transport.TryLater("want "+worst.describe(worst.toolOf(q), q.call == nil), wait)
}

// slack is how much of a token may be missing because floating-point numbers are rounded, so that a client that has
// waited as long as it was told is not refused.
const slack = 1e-6

// spend takes a token, or reports false if more than slack of it is missing.
func spend(b *rate.Limiter, now time.Time) {
	if !b.AllowN(now, 1) {
		b.AllowN(now.Add(time.Duration(math.Ceil(2*slack/float64(b.Limit())*float64(time.Second)))), 1)
	}
}

// time returns how long it takes until there are that many tokens.
func (r *rateRule) time(tokens float64) time.Duration {
	d := tokens * float64(r.Per) / float64(r.N)
	if d >= math.MaxInt64/2 {
		return math.MaxInt64 / 2
	}
	return time.Duration(d)
}

// bucket returns the bucket of a key, and makes it the most recently used one.
func (r *rateRule) bucket(k key) *rate.Limiter {
	b, found := r.buckets.Get(k)
	if !found {
		b = rate.NewLimiter(rate.Limit(float64(r.N)/r.Per.Seconds()), r.Burst)
		r.buckets.Put(k, b, 0)
	}
	return b
}
