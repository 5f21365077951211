//go:build unix

package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/mcpgen/mcpgen/cluster/store"
)

// A keeper is a process that keeps tasks, reduced to what it does with the store: it has a lease, begins tasks, changes
// and ends those that it has, and takes over those whose process has ended. A task is a record whose value is the lease
// that has it, and a step; the last step is its end. Now and then a keeper is cut off from its lease, and goes on like a
// process that was paused: it writes under a lease that has ended.
type keeper struct {
	*history
	number int
	store  store.Store // of the tasks
	ttl    time.Duration
	random *rand.Rand

	member *store.Member
	cut    atomic.Bool
	tasks  map[string]store.Record // that it began, took over, or saw last
	steps  int
}

const theEnd = "end"

// holderOf returns the lease that has a task, by the value of its record.
func holderOf(value string) string {
	lease, _, _ := strings.Cut(value, " ")
	return lease
}

func isEnd(value string) bool { return strings.HasSuffix(value, " "+theEnd) }

// run works on tasks until ctx ends. The same keys are used for a time in which leases end.
func (k *keeper) run(ctx context.Context, pause time.Duration) error {
	if err := k.join(ctx); err != nil {
		return err
	}
	k.tasks = make(map[string]store.Record)
	for ctx.Err() == nil {
		k.step(ctx, fmt.Sprintf("task.%d-%d", time.Since(k.begun)/(4*k.ttl), k.random.IntN(8)))
		time.Sleep(between(k.random, 0, pause))
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.ttl)
	defer cancel()
	k.cut.Store(false)
	k.member.Leave(last) // an error is an operation whose outcome is unknown
	return nil
}

// join takes a lease.
func (k *keeper) join(ctx context.Context) error {
	for {
		try, cancel := context.WithTimeout(ctx, k.ttl)
		m, err := store.Join(try, &leases{k.store, k}, &store.MemberOptions{TTL: k.ttl, Logger: silent})
		cancel()
		if err == nil {
			k.member = m
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// step does one thing.
func (k *keeper) step(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.ttl)
	defer cancel()
	k.watch()
	task := k.tasks[key]
	switch n := k.random.IntN(100); {
	case n < 2:
		k.cut.Store(!k.cut.Load())
	case n == 2:
		k.cut.Store(false)
		k.member.Leave(ctx)
		if k.join(ctx) != nil {
			return // without a lease, until the next time
		}
	case n < 30 || task.Revision == 0:
		k.look(ctx, key)
	case n < 35:
		k.put(ctx, task, holderOf(string(task.Value)), theEnd)
	default:
		k.steps++
		k.put(ctx, task, holderOf(string(task.Value)), fmt.Sprintf("%d.%d", k.number, k.steps))
	}
}

// watch records that the keeper considers its lease valid, if it does.
func (k *keeper) watch() {
	call := k.now()
	if l := k.member.Lease(); l != nil {
		k.add(k.number, input{method: "valid", key: "lease." + l.ID()}, output{}, call, k.now())
	}
}

// look looks at a task, begins it if it does not exist, and takes it over if nobody has it.
func (k *keeper) look(ctx context.Context, key string) {
	delete(k.tasks, key)
	own := k.member.Lease()
	if own == nil {
		return
	}
	seen := k.do(ctx, k.number, k.store, input{method: "get", key: key})
	task := store.Record{Key: key, Value: []byte(seen.value), Revision: seen.revision}
	switch holder := holderOf(seen.value); {
	case errors.Is(seen.err, store.ErrNotFound):
		k.put(ctx, task, own.ID(), "0")
	case seen.err != nil || isEnd(seen.value):
	case holder == own.ID():
		k.tasks[key] = task
	default:
		if alive, err := k.member.Alive(ctx, holder); err == nil && !alive {
			k.put(ctx, task, own.ID(), "0")
		}
	}
}

// put changes a task, which the keeper has afterwards, unless it has ended or somebody else has changed it.
func (k *keeper) put(ctx context.Context, task store.Record, lease, step string) {
	value := lease + " " + step
	out := k.do(ctx, k.number, k.store, input{
		method: "put", key: task.Key, value: value, revision: task.Revision, holder: holderOf(string(task.Value)),
	})
	delete(k.tasks, task.Key)
	if out.err == nil && step != theEnd {
		k.tasks[task.Key] = store.Record{Key: task.Key, Value: []byte(value), Revision: out.revision}
	}
}

// leases is the store as the member of a keeper sees it, which cannot be reached while the keeper is cut off.
type leases struct {
	store.Store
	keeper *keeper
}

var errCutOff = errors.New("the keeper is cut off")

func (l *leases) do(ctx context.Context, in input) output {
	if l.keeper.cut.Load() {
		return output{err: errCutOff}
	}
	return l.keeper.do(ctx, l.keeper.number, l.Store, in)
}

func (l *leases) Get(ctx context.Context, key string) (store.Record, error) {
	out := l.do(ctx, input{method: "get", key: key})
	return store.Record{Key: key, Revision: out.revision}, out.err
}

func (l *leases) Put(ctx context.Context, key string, _ []byte, revision uint64, ttl time.Duration) (uint64, error) {
	out := l.do(ctx, input{method: "put", key: key, revision: revision, ttl: ttl})
	return out.revision, out.err
}

func (l *leases) Delete(ctx context.Context, key string, revision uint64) error {
	return l.do(ctx, input{method: "delete", key: key, revision: revision}).err
}

// did counts what the keepers of a history did.
func (h *history) did() map[string]int {
	n := make(map[string]int)
	for _, o := range h.operations {
		in, out := o.Input.(input), o.Output.(output)
		switch {
		case strings.HasPrefix(in.key, "lease.") && in.method == "put" && out.err == nil && in.revision == 0:
			n["leases taken"]++
		case strings.HasPrefix(in.key, "lease.") && in.method == "put" && out.err == nil:
			n["renewed"]++
		case strings.HasPrefix(in.key, "lease.") && out.err == store.ErrNotFound:
			n["seen as ended"]++
		case !strings.HasPrefix(in.key, "task.") || in.method != "put":
		case out.err == store.ErrConflict:
			n["changes of tasks refused"]++
		case out.err != nil:
		case in.holder == "":
			n["tasks begun"]++
		case isEnd(in.value):
			n["ended"]++
		case in.holder != holderOf(in.value):
			n["taken over"]++
		default:
			n["changed"]++
		}
	}
	return n
}

// TestKeepersNotice checks that the check of histories finds mistakes in what is done with leases and tasks, and nothing
// else.
func TestKeepersNotice(t *testing.T) {
	at := int64(0)
	op := func(key string, in input, out output) porcupine.Operation {
		in.key = key
		at += 2
		return porcupine.Operation{Input: in, Call: at, Output: out, Return: at + 1}
	}
	lease := func(method string, last, revision uint64, err error) porcupine.Operation {
		return op("lease.a", input{method: method, revision: last}, output{revision: revision, err: err})
	}
	task := func(holder, value string, last, revision uint64) porcupine.Operation {
		out := output{revision: revision}
		if revision == 0 {
			out.err = store.ErrConflict
		}
		return op("task.t", input{method: "put", value: value, revision: last, holder: holder}, out)
	}
	begun := task("", "a 0", 0, 5)
	taken := lease("put", 0, 5, nil)
	for _, test := range []struct {
		name string
		list []porcupine.Operation
		want bool
	}{
		{"taken, renewed, ended", []porcupine.Operation{taken, lease("valid", 0, 0, nil), lease("put", 5, 6, nil), lease("valid", 0, 0, nil), lease("delete", 0, 0, nil), lease("get", 0, 0, store.ErrNotFound)}, true},
		{"taken, and seen", []porcupine.Operation{taken, lease("get", 0, 5, nil), lease("valid", 0, 0, nil)}, true},
		{"expired", []porcupine.Operation{taken, lease("get", 0, 0, store.ErrNotFound), lease("put", 5, 0, store.ErrConflict)}, true},
		{"expired when it is renewed", []porcupine.Operation{taken, lease("put", 5, 0, store.ErrConflict), lease("get", 0, 0, store.ErrNotFound)}, true},
		{"valid after it was seen as ended", []porcupine.Operation{taken, lease("get", 0, 0, store.ErrNotFound), lease("valid", 0, 0, nil)}, false},
		{"valid after its end", []porcupine.Operation{taken, lease("delete", 0, 0, nil), lease("valid", 0, 0, nil)}, false},
		{"seen after it was seen as ended", []porcupine.Operation{taken, lease("get", 0, 0, store.ErrNotFound), lease("get", 0, 5, nil)}, false},
		{"renewed after it was seen as ended", []porcupine.Operation{taken, lease("get", 0, 0, store.ErrNotFound), lease("put", 5, 6, nil)}, false},
		{"taken twice", []porcupine.Operation{taken, lease("get", 0, 0, store.ErrNotFound), lease("put", 0, 7, nil)}, false},
		{"a task", []porcupine.Operation{begun, task("a", "a 1", 5, 6), task("a", "a end", 6, 7)}, true},
		{"taken over", []porcupine.Operation{begun, task("a", "b 0", 5, 6), task("a", "a 1", 5, 0), task("b", "b end", 6, 7)}, true},
		{"changed after it was taken over", []porcupine.Operation{begun, task("a", "b 0", 5, 6), task("a", "a 1", 6, 7)}, false},
		{"changed after it was taken over, at a revision that is gone", []porcupine.Operation{begun, task("a", "b 0", 5, 6), task("a", "a 1", 5, 7)}, false},
		{"taken over twice", []porcupine.Operation{begun, task("a", "b 0", 5, 6), task("a", "c 0", 5, 7)}, false},
		{"changed after its end", []porcupine.Operation{begun, task("a", "a end", 5, 6), task("a", "a 1", 6, 7)}, false},
		{"begun twice", []porcupine.Operation{begun, task("", "b 0", 0, 6)}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &history{operations: test.list}
			if got := h.check(&outcomeOf{TB: t}); got != test.want {
				t.Errorf("linearizable: %t, want %t", got, test.want)
			}
		})
	}
}

// TestKeepersOfMemory checks the histories of keepers of a correct store, and of one that is not.
func TestKeepersOfMemory(t *testing.T) {
	run := func(s store.Store) *history {
		h := &history{begun: time.Now()}
		ctx, cancel := context.WithTimeout(t.Context(), keyTime)
		defer cancel()
		var work sync.WaitGroup
		for i := range 4 {
			k := &keeper{history: h, number: i, store: s, ttl: 50 * time.Millisecond, random: rand.New(rand.NewPCG(1, uint64(i)))}
			work.Go(func() { k.run(ctx, time.Millisecond) })
		}
		work.Wait()
		return h
	}
	for end := time.Now().Add(time.Minute); ; {
		h := run(new(store.Memory))
		done := h.did()
		if !h.check(t) || done["taken over"] > 0 && done["changes of tasks refused"] > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the keepers did %v", done)
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	for end := time.Now().Add(time.Minute); run(&forgetful{Memory: new(store.Memory), random: random}).check(&outcomeOf{TB: t}); {
		if time.Now().After(end) {
			t.Fatal("a store that loses changes passes the check")
		}
	}
}
