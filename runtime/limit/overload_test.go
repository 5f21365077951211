package limit_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// A sample is what became of a call.
type sample struct {
	begun time.Time
	took  time.Duration
	ok    bool
}

// offer makes so many calls a second for a time, whatever becomes of them, and waits for all.
func offer(perSecond float64, d time.Duration, do func() bool) []sample {
	begun := time.Now()
	samples := make([]sample, int(perSecond*d.Seconds()))
	var group sync.WaitGroup
	for i := range samples {
		time.Sleep(time.Until(begun.Add(time.Duration(float64(i) / perSecond * float64(time.Second)))))
		group.Go(func() {
			at := time.Now()
			ok := do()
			samples[i] = sample{at, time.Since(at), ok}
		})
	}
	group.Wait()
	return samples
}

// peak returns how many calls a second succeed if some callers call again and again.
func peak(callers int, d time.Duration, do func() bool) float64 {
	end := time.Now().Add(d)
	var done atomic.Int64
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for time.Now().Before(end) {
				if do() {
					done.Add(1)
				}
			}
		})
	}
	group.Wait()
	return float64(done.Load()) / d.Seconds()
}

// good returns the samples that succeeded, and the time below which 99 of 100 of them took.
func good(samples []sample) (ok []sample, p99 time.Duration) {
	for _, s := range samples {
		if s.ok {
			ok = append(ok, s)
		}
	}
	if len(ok) == 0 {
		return nil, 0
	}
	took := make([]time.Duration, len(ok))
	for i, s := range ok {
		took[i] = s.took
	}
	slices.Sort(took)
	return ok, took[len(took)*99/100]
}

// A machine works on as many calls at a time as it has processors; with more, each takes longer.
type machine struct {
	processors int64
	service    time.Duration
	inside     atomic.Int64
	most       atomic.Int64
}

func (m *machine) work(context.Context, *server.Call) {
	n := m.inside.Add(1)
	defer m.inside.Add(-1)
	for most := m.most.Load(); n > most && !m.most.CompareAndSwap(most, n); most = m.most.Load() {
	}
	time.Sleep(max(m.service, m.service*time.Duration(n)/time.Duration(m.processors)))
}

// With limits, three times as many calls as a machine can do cost a fifth of its best at most, and whoever is let in is
// served in time; when the load is gone, all is as before. Without limits, fewer than half of its best are.
func TestOverload(t *testing.T) {
	const processors, queue, service, patience = 8, 16, 10 * time.Millisecond, time.Second
	for _, limited := range []bool{true, false} {
		if !limited && testing.Short() {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			m := &machine{processors: processors, service: service}
			s := newServer(m.work)
			if limited {
				s = newServer(m.work, limit.Concurrency{Max: processors, Queue: queue, Wait: patience / 2, Shared: true}.Middleware())
			}
			do := func() bool {
				begun := time.Now()
				return call(t.Context(), s, "", "a") == nil && time.Since(begun) < patience
			}
			best := peak(processors, time.Second, do)
			if best < 0.9*processors/service.Seconds() {
				t.Fatalf("at best %.0f a second", best)
			}
			during := 3 * time.Second
			ok, p99 := good(offer(3*best, during, do))
			rate := float64(len(ok)) / during.Seconds()
			if !limited {
				if rate > best/2 {
					t.Errorf("without limits, %.0f of %.0f calls a second succeed: the test shows nothing", rate, best)
				}
				return
			}
			if bound := (queue/processors + 1) * service * 3 / 2; rate < 0.8*best || p99 > bound || m.most.Load() > processors {
				t.Errorf("%.0f of %.0f calls a second succeed, 99%% within %s, want %s; %d at the same time", rate, best, p99, bound, m.most.Load())
			}
			time.Sleep(service)
			after := offer(best/2, time.Second, do)
			if ok, p99 := good(after); len(ok) != len(after) || p99 > service {
				t.Errorf("afterwards %d of %d succeed, 99%% within %s", len(ok), len(after), p99)
			}
		})
	}
}
