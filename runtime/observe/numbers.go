package observe

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// Numbers is an observer that counts requests and notifications by method and outcome, and what is in progress. The
// zero value is ready to use, for any number of servers and clients.
//
// It is a variable of package expvar:
//
//	expvar.Publish("mcp", &numbers)
//
// and it can be served without that package, since String returns JSON.
type Numbers struct {
	mu  sync.Mutex
	now map[string]int64
	all map[string]map[string]*Count
}

// A Count is how often an operation has ended, and how long it has taken.
type Count struct {
	Count   int64   `json:"count"`
	Seconds float64 `json:"seconds"` // together
	Max     float64 `json:"max"`     // seconds that the longest has taken
}

// A Snapshot is what [Numbers] has counted.
type Snapshot struct {
	// Now is how many of each kind have begun and not ended: "request", "session", "stream", "task", "notification",
	// and what is sent as "sent request" and "sent notification".
	Now map[string]int64 `json:"now"`

	// Ended counts those that have ended. The keys are the method and the outcome, such as "tools/call" and "ok";
	// for sessions, streams and tasks the kind takes the place of the method. What is sent has "sent " before the
	// method.
	Ended map[string]map[string]Count `json:"ended"`
}

// maxKeys is how many methods are counted separately, and how many outcomes of each. All others are counted as
// "_OTHER".
const maxKeys = 200

// Observe implements [Observer].
func (n *Numbers) Observe(ctx context.Context, o *Operation) (context.Context, func()) {
	kind := o.Kind.String()
	if o.Outgoing {
		kind = "sent " + kind
	}
	n.mu.Lock()
	if n.now == nil {
		n.now, n.all = make(map[string]int64), make(map[string]map[string]*Count)
	}
	n.now[kind]++
	n.mu.Unlock()
	return ctx, func() { n.end(kind, o) }
}

// end counts an operation that has ended: those with a method under its name, others under their kind.
func (n *Numbers) end(kind string, o *Operation) {
	outcome, seconds := o.Outcome(), time.Since(o.Begun).Seconds()
	key := kind
	if o.Kind == Request || o.Kind == Notification {
		if key = o.KnownMethod(); o.Outgoing {
			key = "sent " + key
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now[kind]--
	of := at(n.all, key, func() map[string]*Count { return make(map[string]*Count) })
	c := at(of, outcome, func() *Count { return new(Count) })
	c.Count++
	c.Seconds += seconds
	c.Max = max(c.Max, seconds)
}

// at returns the value of a key. It adds the key if there is room.
func at[V any](m map[string]V, key string, fresh func() V) V {
	v, found := m[key]
	if !found && len(m) >= maxKeys {
		key = OutcomeOther
		v, found = m[key]
	}
	if !found {
		v = fresh()
		m[strings.Clone(key)] = v
	}
	return v
}

// Snapshot returns what has been counted so far.
func (n *Numbers) Snapshot() Snapshot {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := Snapshot{Now: make(map[string]int64, len(n.now)), Ended: make(map[string]map[string]Count, len(n.all))}
	for kind, count := range n.now {
		s.Now[kind] = count
	}
	for key, outcomes := range n.all {
		s.Ended[key] = make(map[string]Count, len(outcomes))
		for outcome, c := range outcomes {
			s.Ended[key][outcome] = *c
		}
	}
	return s
}

// String returns the snapshot as JSON.
func (n *Numbers) String() string {
	text, err := json.Marshal(n.Snapshot())
	if err != nil {
		return "{}" // numbers can always be encoded
	}
	return string(text)
}
