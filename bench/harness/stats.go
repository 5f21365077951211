package harness

import (
	"encoding/json"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ProcStats are a process's own counters.
type ProcStats struct {
	CPUNs      int64  `json:"cpu_ns"` // user + system
	SysNs      int64  `json:"sys_ns"`
	Mallocs    uint64 `json:"mallocs"`
	TotalAlloc uint64 `json:"total_alloc"`
	HeapAlloc  uint64 `json:"heap_alloc"`
	StackInuse uint64 `json:"stack_inuse"`
	RSS        uint64 `json:"rss"`
	Goroutines int    `json:"goroutines"`
	NumGC      uint32 `json:"num_gc"`
}

// SelfStats reads this process's counters.
func SelfStats() ProcStats {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var ru syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
	s := ProcStats{
		CPUNs: ru.Utime.Nano() + ru.Stime.Nano(), SysNs: ru.Stime.Nano(),
		Mallocs: m.Mallocs, TotalAlloc: m.TotalAlloc, HeapAlloc: m.HeapAlloc,
		StackInuse: m.StackInuse, Goroutines: runtime.NumGoroutine(), NumGC: m.NumGC,
	}
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		if f := strings.Fields(string(b)); len(f) > 1 {
			pages, _ := strconv.ParseUint(f[1], 10, 64)
			s.RSS = pages * uint64(os.Getpagesize())
		}
	}
	return s
}

// Record is one measured case; a run writes one JSON line for each.
type Record struct {
	Peer     string             `json:"peer"`
	Workload string             `json:"workload"` // "1a", "2-stdio", ...
	Case     string             `json:"case"`     // free text within the workload
	Proto    string             `json:"proto,omitempty"`
	Conc     int                `json:"conc,omitempty"` // concurrency or pipeline depth
	Rep      int                `json:"rep"`
	M        map[string]float64 `json:"m"`
}

// Out writes records.
type Out struct {
	mu sync.Mutex
	w  io.Writer
}

func (o *Out) Put(r Record) {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.w.Write(append(b, '\n'))
}

// quantile of a sorted slice.
func quantile(s []time.Duration, q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	i := min(int(q*float64(len(s))), len(s)-1)
	return s[i]
}

// perCall fills the counters between two snapshots, per call.
func perCall(m map[string]float64, prefix string, before, after ProcStats, calls int) {
	n := float64(max(calls, 1))
	m[prefix+"cpu_us"] = float64(after.CPUNs-before.CPUNs) / n / 1e3
	m[prefix+"sys_us"] = float64(after.SysNs-before.SysNs) / n / 1e3
	m[prefix+"allocs"] = float64(after.Mallocs-before.Mallocs) / n
	m[prefix+"bytes"] = float64(after.TotalAlloc-before.TotalAlloc) / n
}

// closedLoop runs conc workers, each calling f back to back, for d.
func closedLoop(conc int, d time.Duration, f func(worker int) error) (lat []time.Duration, wall time.Duration, err error) {
	var wg sync.WaitGroup
	lats := make([][]time.Duration, conc)
	errs := make([]error, conc)
	start := time.Now()
	deadline := start.Add(d)
	for w := range conc {
		wg.Go(func() {
			l := make([]time.Duration, 0, 1<<14)
			t0 := time.Now()
			for t0.Before(deadline) {
				if err := f(w); err != nil {
					errs[w] = err
					break
				}
				t1 := time.Now()
				l = append(l, t1.Sub(t0))
				t0 = t1
			}
			lats[w] = l
		})
	}
	wg.Wait()
	wall = time.Since(start)
	for w := range conc {
		if errs[w] != nil {
			return nil, 0, errs[w]
		}
		lat = append(lat, lats[w]...)
	}
	slices.Sort(lat)
	return lat, wall, nil
}
