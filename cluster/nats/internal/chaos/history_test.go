//go:build unix

package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// A history records what concurrent clients did with a store, and what they saw. It is linearizable if each call can be
// placed at a moment between its beginning and its end, so that a single process with one map would have returned the
// same results in that order. See https://jepsen.io/consistency/models/linearizable.
type history struct {
	begun time.Time

	mu         sync.Mutex
	operations []porcupine.Operation
}

// An input is a call of a method of [store.Store], without its context, or an observation.
type input struct {
	method   string // "get", "put", "delete"; "valid" if a process considers its lease valid
	key      string
	value    string
	revision uint64
	ttl      time.Duration
	holder   string // of a task that is changed: the lease that had it, as far as the writer knows
}

// An output is the outcome of a call.
type output struct {
	value    string
	revision uint64
	err      error // nil, ErrNotFound, ErrConflict, or errUnknown
}

// errUnknown stands for errors after which a change may have happened, may not have, or may still happen.
var errUnknown = errors.New("unknown")

// do makes a call for a client and records it.
func (h *history) do(ctx context.Context, client int, s store.Store, in input) output {
	call := h.now()
	var out output
	var r store.Record
	switch in.method {
	case "get":
		r, out.err = s.Get(ctx, in.key)
		out.value, out.revision = string(r.Value), r.Revision
	case "put":
		out.revision, out.err = s.Put(ctx, in.key, []byte(in.value), in.revision, in.ttl)
	case "delete":
		out.err = s.Delete(ctx, in.key, in.revision)
	}
	end := h.now()
	switch {
	case out.err == nil:
	case errors.Is(out.err, store.ErrNotFound):
		out.err = store.ErrNotFound
	case errors.Is(out.err, store.ErrConflict):
		out.err = store.ErrConflict
	case in.method == "get":
		return out // it shows nothing
	default:
		out.err, end = errUnknown, never
	}
	h.add(client, in, out, call, end)
	return out
}

func (h *history) now() int64 { return int64(time.Since(h.begun)) }

func (h *history) add(client int, in input, out output, call, end int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: end})
}

// never is the end of a call whose outcome is unknown.
const never = 1 << 62

func (in input) String() string {
	return fmt.Sprintf("%s %s %q at %d", in.method, in.key, in.value, in.revision)
}

func (out output) String() string {
	if out.err != nil {
		return out.err.Error()
	}
	return fmt.Sprintf("%q at %d", out.value, out.revision)
}

// A register is a key of the model.
type register struct {
	exists   bool
	value    string
	revision uint64 // 0 if unknown, since its writer did not learn it
	greatest uint64 // of all revisions so far
}

// model is a store in the memory of one process.
var model = porcupine.Model{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		byKey := make(map[string][]porcupine.Operation)
		for _, o := range all {
			key := o.Input.(input).key
			byKey[key] = append(byKey[key], o)
		}
		var parts [][]porcupine.Operation
		for _, part := range byKey {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return register{} },
	Step: func(state, in, out any) (bool, any) {
		r, in1, out1 := state.(register), in.(input), out.(output)
		switch {
		case strings.HasPrefix(in1.key, "lease."):
			return r.stepLease(in1, out1)
		case strings.HasPrefix(in1.key, "task."):
			return r.stepTask(in1, out1)
		}
		return r.step(in1, out1)
	},
}

// stepLease is step for a lease: its record may expire at any time, after which there never is one again, and whoever has
// it considers it valid only as long as there is one.
func (r register) stepLease(in input, out output) (bool, register) {
	switch {
	case in.method == "valid":
		return r.exists, r
	case in.method == "put" && in.revision == 0 && r.greatest > 0:
		return false, r // names are not used twice
	}
	if ok, next := r.step(in, out); ok {
		return true, next
	}
	r.exists = false // it has expired
	return r.step(in, out)
}

// stepTask is step for a task: it is changed by whoever has it, or taken over from that lease, until it has ended.
func (r register) stepTask(in input, out output) (bool, register) {
	ok, next := r.step(in, out)
	changed := ok && next.exists && in.method == "put" && next.value != r.value
	if changed && r.exists && (isEnd(r.value) || holderOf(r.value) != in.holder) {
		return out.err == errUnknown, r
	}
	return ok, next
}

// step reports whether a call can have that outcome, and returns the state after it.
func (r register) step(in input, out output) (bool, register) {
	if in.method == "get" {
		switch {
		case out.err != nil:
			return !r.exists, r
		case !r.exists || out.value != r.value || r.revision != 0 && out.revision != r.revision || out.revision < r.greatest:
			return false, r
		}
		r.revision, r.greatest = out.revision, out.revision
		return true, r
	}
	matches := r.matches(in)
	changed := register{greatest: r.greatest}
	if in.method == "put" {
		changed = register{exists: true, value: in.value, revision: out.revision, greatest: max(r.greatest, out.revision)}
	}
	switch {
	case out.err == errUnknown:
		if !matches {
			return true, r // it had no effect
		}
		return true, changed
	case out.err != nil:
		return !matches || r.exists && r.revision == 0, r
	}
	return matches && (in.method == "delete" || out.revision > r.greatest), changed
}

// matches reports whether the record may be as the caller says.
func (r register) matches(in input) bool {
	switch {
	case in.method == "delete" && in.revision == 0:
		return true
	case !r.exists || in.revision == 0:
		return !r.exists && in.revision == 0
	case r.revision == 0:
		return in.revision > r.greatest
	}
	return in.revision == r.revision
}

// check checks that the history is linearizable.
func (h *history) check(t testing.TB) bool {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, part := range model.Partition(h.operations) {
		switch porcupine.CheckOperationsTimeout(model, part, settleTime) {
		case porcupine.Illegal:
			slices.SortFunc(part, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
			var lines []string
			for _, o := range part {
				lines = append(lines, fmt.Sprintf("%12d %12d client %d: %v: %v", o.Call, o.Return, o.ClientId, o.Input, o.Output))
			}
			t.Errorf("not linearizable:\n%s", strings.Join(lines, "\n"))
			return false
		case porcupine.Unknown:
			t.Errorf("%d calls of a key are too many to check", len(part))
			return false
		}
	}
	return true
}

// A historian is a client that makes random calls.
type historian struct {
	*history
	number int
	store  store.Store
	random *rand.Rand
	seen   map[string]uint64 // revisions, by key
	last   int
}

// keyTime is how long clients use the same keys: the longer the history of a key, the longer it takes to check.
const keyTime = 500 * time.Millisecond

func (c *historian) run(ctx context.Context, pause time.Duration) {
	c.seen = make(map[string]uint64)
	for ctx.Err() == nil {
		c.step(ctx, fmt.Sprintf("session.%d-%d", time.Since(c.begun)/keyTime, c.random.IntN(3)))
		time.Sleep(between(c.random, 0, pause))
	}
}

// step makes a call. A client that changes a record has usually read it before.
func (c *historian) step(ctx context.Context, key string) {
	in := input{method: "get", key: key, revision: c.seen[key]}
	switch n := c.random.IntN(20); {
	case n < 10:
		in.method = "put"
		c.last++
		in.value = fmt.Sprintf("%d.%d", c.number, c.last)
	case n < 12:
		in.method = "delete"
	default:
		in.revision = 0
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	out := c.do(ctx, c.number, c.store, in)
	switch {
	case out.err == nil && in.method != "delete":
		c.seen[key] = out.revision
	case errors.Is(out.err, store.ErrNotFound), out.err == nil:
		delete(c.seen, key)
	}
}

// TestHistory lets clients change the same records while NATS servers are killed and paused, and checks that they saw
// what one process with a map would have shown.
func TestHistory(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	seed := *chaosSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	s := begin(t, seed)
	s.startNATS()
	s.settle("the NATS servers are a cluster", s.natsIsHealthy)
	const n, keepers = 8, 4
	h := &history{begun: s.begun}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var work sync.WaitGroup
	var members []*nats.Cluster
	for i := range n + keepers {
		conn, err := dialNATS(s.natsURLs())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		c, err := nats.New(t.Context(), conn, clusterOptions(*leaseTTL, silent))
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, c)
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		work.Go(func() {
			if i < n {
				(&historian{history: h, number: i, store: c.Store(), random: random}).run(ctx, 20*time.Millisecond)
			} else if err := (&keeper{history: h, number: i, store: c.Store(), ttl: *leaseTTL, random: random}).run(ctx, 20*time.Millisecond); err != nil {
				s.Errorf("keeper %d: %v", i, err)
			}
		})
	}
	random := rand.New(rand.NewPCG(seed, n+keepers))
	length := *chaosTime / 2
	if testing.Short() {
		length /= 4
	}
	for end := time.Now().Add(length); time.Now().Before(end) && !t.Failed(); {
		if random.IntN(2) == 0 {
			s.harmNATS(random)
		} else {
			s.pauseNATS(random)
		}
	}
	cancel()
	work.Wait()
	// A NATS server that has woken up calls itself healthy before there is a leader again.
	s.settle("all members reach the store", func() bool {
		reached := true
		for i, c := range members {
			try, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := c.Store().Put(try, fmt.Sprintf("session.last-%d-%d", i, time.Now().UnixNano()), nil, 0, time.Minute)
			cancel()
			reached = reached && err == nil
		}
		return reached
	})
	each(members, func(c *nats.Cluster) {
		if err := c.Leave(t.Context()); err != nil {
			s.Errorf("%v", err)
		}
	})
	s.note("the clients have ended")
	h.check(s)
	s.note("the history is checked")
	t.Logf("what was done to leases and tasks: %v", h.did())
	unknown, failed := 0, 0
	for _, o := range h.operations {
		switch o.Output.(output).err {
		case nil:
		case errUnknown:
			unknown++
		default:
			failed++
		}
	}
	t.Logf("%d calls, of which %d were refused and %d have an unknown outcome", len(h.operations), failed, unknown)
	s.stopNATS()
}

// TestHistoryNotices checks that the check of histories finds mistakes, and nothing else.
func TestHistoryNotices(t *testing.T) {
	op := func(call, end int64, in input, out output) porcupine.Operation {
		in.key = "k"
		return porcupine.Operation{Input: in, Call: call, Output: out, Return: end}
	}
	get := func(call, end int64, value string, revision uint64) porcupine.Operation {
		out := output{value: value, revision: revision}
		if value == "" {
			out.err = store.ErrNotFound
		}
		return op(call, end, input{method: "get"}, out)
	}
	put := func(call, end int64, value string, last, revision uint64) porcupine.Operation {
		out := output{revision: revision}
		if revision == 0 {
			out.err = store.ErrConflict
		}
		if end == never {
			out.err = errUnknown
		}
		return op(call, end, input{method: "put", value: value, revision: last}, out)
	}
	remove := func(call, end int64, revision uint64, err error) porcupine.Operation {
		return op(call, end, input{method: "delete", revision: revision}, output{err: err})
	}
	for _, test := range []struct {
		name string
		list []porcupine.Operation
		want bool
	}{
		{"one after the other", []porcupine.Operation{put(0, 1, "a", 0, 5), get(2, 3, "a", 5), put(4, 5, "b", 5, 6), get(6, 7, "b", 6)}, true},
		{"at the same time", []porcupine.Operation{put(0, 9, "a", 0, 5), get(1, 2, "a", 5), get(3, 4, "a", 5)}, true},
		{"a stale read", []porcupine.Operation{put(0, 1, "a", 0, 5), put(2, 3, "b", 5, 6), get(4, 5, "a", 5)}, false},
		{"read, and then not any more", []porcupine.Operation{put(0, 9, "a", 0, 5), get(1, 2, "a", 5), get(3, 4, "", 0)}, false},
		{"a lost change", []porcupine.Operation{put(0, 1, "a", 0, 5), get(2, 3, "", 0)}, false},
		{"two succeed", []porcupine.Operation{put(0, 1, "a", 0, 5), put(2, 9, "b", 5, 6), put(2, 9, "c", 5, 7)}, false},
		{"one of two succeeds", []porcupine.Operation{put(0, 1, "a", 0, 5), put(2, 9, "b", 5, 6), put(2, 9, "c", 5, 0)}, true},
		{"a conflict without a reason", []porcupine.Operation{put(0, 1, "a", 0, 5), put(2, 3, "b", 5, 0)}, false},
		{"a conflict with a change on its way", []porcupine.Operation{put(0, 1, "a", 0, 5), remove(2, 9, 5, nil), put(3, 4, "b", 5, 0), get(5, 6, "a", 5)}, false},
		{"revisions go back", []porcupine.Operation{put(0, 1, "a", 0, 5), remove(2, 3, 5, nil), put(4, 5, "b", 0, 5)}, false},
		{"deleted", []porcupine.Operation{put(0, 1, "a", 0, 5), remove(2, 3, 5, nil), get(4, 5, "", 0), put(6, 7, "b", 0, 9)}, true},
		{"not deleted", []porcupine.Operation{put(0, 1, "a", 0, 5), remove(2, 3, 5, nil), get(4, 5, "a", 5)}, false},
		{"deleted at another revision", []porcupine.Operation{put(0, 1, "a", 0, 5), remove(2, 3, 4, store.ErrConflict), get(4, 5, "a", 5)}, true},
		{"deleted again", []porcupine.Operation{put(0, 1, "a", 0, 5), remove(2, 3, 5, nil), remove(4, 5, 5, store.ErrConflict)}, true},
		{"deleted by two", []porcupine.Operation{put(0, 1, "a", 0, 5), remove(2, 9, 5, nil), remove(2, 9, 5, nil)}, false},
		{"unknown, and it has happened", []porcupine.Operation{put(0, never, "a", 0, 0), get(8, 9, "a", 5), put(10, 11, "b", 5, 6)}, true},
		{"unknown, and it has not", []porcupine.Operation{put(0, never, "a", 0, 0), get(8, 9, "", 0)}, true},
		{"unknown, and it happens later", []porcupine.Operation{put(0, never, "a", 0, 0), get(1, 2, "", 0), get(3, 4, "a", 5)}, true},
		{"unknown, and it happens, but not for all", []porcupine.Operation{put(0, never, "a", 0, 0), get(1, 2, "a", 5), get(3, 4, "", 0)}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &history{operations: test.list}
			quiet := &outcomeOf{TB: t}
			if got := h.check(quiet); got != test.want {
				t.Errorf("linearizable: %t, want %t", got, test.want)
			}
		})
	}
}

// An outcomeOf hides the failures of a test from the test around it.
type outcomeOf struct{ testing.TB }

func (*outcomeOf) Errorf(string, ...any) {}

// A forgetful store sometimes ignores the revision, so that a change is lost.
type forgetful struct {
	*store.Memory
	random *rand.Rand
	mu     sync.Mutex
}

func (f *forgetful) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r, err := f.Get(ctx, key); err == nil && f.random.IntN(10) == 0 {
		revision = r.Revision
	}
	return f.Memory.Put(ctx, key, value, revision, ttl)
}

// TestHistoryOfMemory checks the histories of a correct store, and of one that is not.
func TestHistoryOfMemory(t *testing.T) {
	run := func(s store.Store) *history {
		h := &history{begun: time.Now()}
		ctx, cancel := context.WithTimeout(t.Context(), keyTime)
		defer cancel()
		var work sync.WaitGroup
		for i := range 4 {
			c := &historian{history: h, number: i, store: s, random: rand.New(rand.NewPCG(1, uint64(i)))}
			work.Go(func() { c.run(ctx, 10*time.Millisecond) })
		}
		work.Wait()
		return h
	}
	if h := run(new(store.Memory)); !h.check(t) || len(h.operations) < 20 {
		t.Errorf("%d calls", len(h.operations))
	}
	if run(&forgetful{Memory: new(store.Memory), random: rand.New(rand.NewPCG(1, 1))}).check(&outcomeOf{TB: t}) {
		t.Error("a store that loses changes passes the check")
	}
}
