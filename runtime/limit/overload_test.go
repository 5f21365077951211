package limit_test

import (
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

var overload = flag.Duration("limit.overload", 0, "how long TestOverloadHTTP offers more than the server can do: 30s")

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
			opts := &limit.Options{}
			if limited {
				opts.Concurrency = []limit.Concurrency{{Max: processors, Queue: queue, Wait: patience / 2}}
			}
			s := newServer(opts, m.work)
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

// The same with HTTP, processors and a clock that are real.
//
//	go test ./runtime/limit -run TestOverloadHTTP -limit.overload=30s -v
func TestOverloadHTTP(t *testing.T) {
	if *overload == 0 {
		t.Skip("takes its time: -limit.overload=30s")
	}
	processors := runtime.GOMAXPROCS(0)
	const wait = time.Second
	queue := 8 * processors
	s := newServer(&limit.Options{Concurrency: []limit.Concurrency{{Max: processors, Queue: queue, Wait: wait}}, Share: 100},
		func(context.Context, *server.Call) { spin() })
	h := streamable.NewHandler(s, nil)
	srv := httptest.NewServer(h)
	defer srv.Close()
	var open, most atomic.Int64
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	r := request("tools/call", `"name":"a"`, transport.Origin{})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + string(r.Params) + `}`
	do := func() bool {
		most.Store(max(most.Load(), open.Add(1)))
		defer open.Add(-1)
		req, _ := http.NewRequest("POST", srv.URL, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", "tools/call")
		req.Header.Set("Mcp-Name", "a")
		resp, err := client.Do(req)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}
	best := peak(processors, 5*time.Second, do)
	before := heap()
	ok, p99 := good(offer(3*best, *overload, do))
	during := heap()
	rate := float64(len(ok)) / overload.Seconds()
	again := peak(processors, 5*time.Second, do)
	t.Logf("at best %.0f calls a second before, %.0f afterwards; of %.0f offered, %.0f succeed, 99%% within %s", best, again, 3*best, rate, p99)
	best = (best + again) / 2 // since this machine may have other work
	t.Logf("%.0f%% of the best", 100*rate/best)
	t.Logf("the heap has %d KiB before, %d KiB after; at most %d requests are open", before>>10, during>>10, most.Load())
	after := offer(best/4, 5*time.Second, do)
	served, recovered := good(after)
	t.Logf("afterwards, %d of %d succeed, 99%% within %s", len(served), len(after), recovered)
	service := time.Duration(float64(processors) / best * float64(time.Second))
	if bound := wait + 10*service; rate < 0.8*best || p99 > bound {
		t.Errorf("want 80 %% and %s", bound)
	}
	if during > before+32<<20 || len(served) < len(after)*99/100 {
		t.Error("memory has grown, or the server has not recovered")
	}
}

// spin keeps a processor busy for about 15 milliseconds, which is much more than a refusal costs.
func spin() {
	x := uint64(1)
	for range 6_000_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	spun.Store(x)
}

var spun atomic.Uint64

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
