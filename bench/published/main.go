// Command published runs two published workloads against servers of this project, of go-sdk and of mcp-go, and against
// handlers of net/http that do no more than the workload needs, which are the floor: run it by
//
//	go run ./published
//
// in the folder bench. It prints tables in Markdown, and takes three minutes.
//
// The first workload is that of the "MCP server performance benchmark v2" of TM Dev Lab, of February 2026: three tools that
// ask an HTTP API and Redis, and a session for each request. The second are the direct cells of the benchmark of mcp-proxy:
// 2,000 calls of an echo tool in 1, 8 and 32 sessions, each with another argument.
//
// Each server is a process of its own that reports its own CPU time, allocations and memory. The load, the API and Redis are in
// this process, so that they are not counted. The servers take turns on the machine, in another order in each round.
// All of it listens on the loopback interface only.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/bench/harness"
)

func main() {
	if isChild() {
		harness.Main(slices.Concat(shopPeers[:], echoPeers[:])...)
		return
	}
	var o options
	flag.IntVar(&o.rounds, "rounds", 7, "how often each server takes its turn")
	flag.DurationVar(&o.dur, "dur", 2*time.Second, "how long a turn of the first workload is")
	flag.DurationVar(&o.warm, "warm", 300*time.Millisecond, "how long it is not measured before")
	flag.IntVar(&o.users, "users", 16, "how many users repeat the first workload at the same time")
	flag.IntVar(&o.calls, "calls", 2000, "how many calls a turn of the echo tool is")
	flag.IntVar(&o.warmCalls, "warmcalls", 20, "how many calls each session of it makes before")
	flag.StringVar(&o.only, "only", "", "the servers to run, as in floor,mcpgen; all if it is empty")
	flag.StringVar(&o.profile, "profile", "", "the folder for CPU and allocation profiles of the servers under the first workload, which is all that is run then")
	flag.Parse()
	if err := run(os.Stdout, &o); err != nil {
		fmt.Fprintln(os.Stderr, "published:", err)
		os.Exit(1)
	}
}

// isChild reports whether this process is to be a server.
func isChild() bool { return slices.Contains(os.Args, "-child") }

type options struct {
	rounds, users, calls, warmCalls int
	dur, warm                       time.Duration
	only, profile                   string
}

var sessions = []int{1, 8, 32} // of the cells of mcp-proxy

func run(w io.Writer, o *options) error {
	if o.rounds < 1 || o.users < 1 || o.calls < 1 {
		return errors.New("there must be a round, a user and a call")
	}
	shops, echoes, err := measure(o)
	if err != nil || o.profile != "" {
		return err
	}
	describe(w, o)
	shopTable(w, shops)
	echoTable(w, echoes)
	return nil
}

// measure runs the rounds, and returns the cells of the first workload, and those of the second for each number of sessions.
// With a folder for profiles it takes these, and measures nothing.
func measure(o *options) (shops []*cell, echoes [][]*cell, err error) {
	b, err := startBackends(o.users)
	if err != nil {
		return nil, nil, err
	}
	defer b.stop()
	var started []*cell
	defer func() {
		var ended sync.WaitGroup
		for _, c := range started {
			ended.Go(c.stop)
		}
		ended.Wait()
	}()
	start := func(name, peer string, mode harness.HTTPMode) (*cell, error) {
		child, err := harness.StartChild(peer, "http", mode, 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c := &cell{name: name, child: child, client: newClient(child.URL())}
		started = append(started, c)
		return c, nil
	}
	echoes = make([][]*cell, len(sessions))
	for i := range names {
		name := shopPeers[i].Name()
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), name) {
			continue
		}
		for _, mode := range []harness.HTTPMode{harness.Stateful, harness.Stateless} {
			c, err := start(inMode(name, mode), name, mode)
			if err != nil {
				return nil, nil, err
			}
			c.measure = loadShop(o.users, o.warm, o.dur)
			shops = append(shops, c)
		}
		if o.profile != "" {
			continue
		}
		c, err := start(name, echoPeers[i].Name(), harness.Stateful)
		if err != nil {
			return nil, nil, err
		}
		for i, n := range sessions { // all in the same process
			echoes[i] = append(echoes[i], &cell{name: name, child: c.child, client: c.client, measure: loadEcho(n, o.warmCalls, o.calls)})
		}
	}
	if o.profile != "" {
		return nil, nil, profile(shops, o)
	}
	for round := range o.rounds {
		for _, cells := range append([][]*cell{shops}, echoes...) {
			for i := range cells {
				c := cells[(i+round)%len(cells)]
				s, err := c.measure(c)
				if err != nil {
					return nil, nil, fmt.Errorf("%s: %w", c.name, err)
				}
				c.samples = append(c.samples, s)
			}
		}
	}
	return shops, echoes, nil
}

// profile takes a CPU and an allocation profile of each server.
func profile(cells []*cell, o *options) error {
	folder, err := filepath.Abs(o.profile)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		return err
	}
	for _, c := range cells {
		path := filepath.Join(folder, strings.ReplaceAll(c.name, ", ", "-"))
		if _, err := repeat(c.client, o.users, o.warm); err != nil {
			return err
		}
		if _, err := c.child.Do("prof " + path + ".cpu.pprof"); err != nil {
			return err
		}
		if _, err := repeat(c.client, o.users, o.dur); err != nil {
			return err
		}
		if _, err := c.child.Do("stopprof"); err != nil {
			return err
		}
		if _, err := c.child.Do("allocprof " + path + ".allocs.pprof"); err != nil {
			return err
		}
	}
	return nil
}

func (c *cell) stop() {
	c.client.hc.CloseIdleConnections()
	c.child.Stop()
}

// backends are what the tools ask.
type backends struct {
	api   *http.Server
	redis net.Listener
}

// startBackends starts an API and a Redis with that many users, and tells the children that are started later where they are.
func startBackends(users int) (*backends, error) {
	api, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	redis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		api.Close()
		return nil, err
	}
	b := &backends{&http.Server{Handler: newAPI()}, redis}
	go b.api.Serve(api)
	go newRedis(users).serve(redis)
	os.Setenv(envAPI, "http://"+api.Addr().String())
	os.Setenv(envRedis, redis.Addr().String())
	return b, nil
}

func (b *backends) stop() {
	b.api.Close()
	b.redis.Close()
}

// describe writes what was run on what.
func describe(w io.Writer, o *options) {
	fmt.Fprintf(w, "%s, %s, %d cores, %s", time.Now().UTC().Format(time.DateOnly), cpuModel(), runtime.NumCPU(), runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if strings.HasSuffix(m.Path, "/go-sdk") || strings.HasSuffix(m.Path, "/mcp-go") {
				fmt.Fprintf(w, ", %s %s", m.Path, m.Version)
			}
		}
	}
	command := strings.Join(append([]string{"go run ./published"}, os.Args[1:]...), " ")
	fmt.Fprintf(w, ".\n`%s`: medians of %d rounds.\n", command, o.rounds)
}

func cpuModel() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return runtime.GOARCH
}

func shopTable(w io.Writer, cells []*cell) {
	fmt.Fprint(w, "\n| server | requests/s as counted | all requests/s | per iteration | call p50, p95 ms | CPU µs per iteration | user, system | × floor | × mcpgen | allocations | KiB | bytes of responses | RSS MiB |\n"+
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	cpu := func(s *sample) float64 { return s.per(s.iterations, cpuOf) }
	for _, c := range cells {
		_, mode, _ := strings.Cut(c.name, ", ")
		fmt.Fprintf(w, "| %s | %.0f | %.0f | %.0f | %.2f, %.1f | %.0f | %.0f, %.0f | %s | %s | %.0f | %.0f | %.0f | %.1f |\n", c.name,
			median(c, func(s *sample) float64 { return float64(s.counted) / s.wall.Seconds() }),
			median(c, func(s *sample) float64 { return float64(s.all) / s.wall.Seconds() }),
			median(c, func(s *sample) float64 { return float64(s.all) / float64(s.iterations) }),
			median(c, func(s *sample) float64 { return s.percentile(50) }), median(c, func(s *sample) float64 { return s.percentile(95) }),
			median(c, cpu),
			median(c, func(s *sample) float64 { return s.per(s.iterations, cpuOf) - s.per(s.iterations, sysOf) }),
			median(c, func(s *sample) float64 { return s.per(s.iterations, sysOf) }),
			ratio(c, find(cells, "floor, "+mode), cpu), ratio(c, find(cells, "mcpgen, "+mode), cpu),
			median(c, func(s *sample) float64 { return s.per(s.iterations, allocsOf) }),
			median(c, func(s *sample) float64 { return s.per(s.iterations, kibOf) }),
			median(c, func(s *sample) float64 { return float64(s.bytes) / float64(s.iterations) }),
			median(c, func(s *sample) float64 { return float64(s.after.RSS) / (1 << 20) }))
	}
}

func echoTable(w io.Writer, rows [][]*cell) {
	fmt.Fprint(w, "\n| echo | sessions | requests/s | p50, p95, p99 µs | CPU µs per request | × floor | × mcpgen | allocations |\n"+
		"|---|--:|--:|--:|--:|--:|--:|--:|\n")
	cpu := func(s *sample) float64 { return s.per(s.all, cpuOf) }
	for i, cells := range rows {
		for _, c := range cells {
			fmt.Fprintf(w, "| %s | %d | %.0f | %.0f, %.0f, %.0f | %.0f | %s | %s | %.0f |\n", c.name, sessions[i],
				median(c, func(s *sample) float64 { return float64(s.all) / s.wall.Seconds() }),
				median(c, func(s *sample) float64 { return s.percentile(50) * 1e3 }),
				median(c, func(s *sample) float64 { return s.percentile(95) * 1e3 }),
				median(c, func(s *sample) float64 { return s.percentile(99) * 1e3 }),
				median(c, cpu), ratio(c, find(cells, "floor"), cpu), ratio(c, find(cells, "mcpgen"), cpu),
				median(c, func(s *sample) float64 { return s.per(s.all, allocsOf) }))
		}
	}
}

func find(cells []*cell, name string) *cell {
	for _, c := range cells {
		if c.name == name {
			return c
		}
	}
	return nil
}

// median returns that of the rounds of a cell.
func median(c *cell, of func(*sample) float64) float64 {
	all := make([]float64, len(c.samples))
	for i, s := range c.samples {
		all[i] = of(s)
	}
	return middle(all)
}

func middle(all []float64) float64 {
	slices.Sort(all)
	n := len(all)
	return (all[(n-1)/2] + all[n/2]) / 2
}

// ratio returns how much more a cell has of something than another one in the same round: the median, and the smallest and
// the largest ratio.
func ratio(c, base *cell, of func(*sample) float64) string {
	if base == nil {
		return "–"
	}
	if c == base {
		return "1"
	}
	all := make([]float64, len(c.samples))
	for i := range all {
		all[i] = of(c.samples[i]) / of(base.samples[i])
	}
	m := middle(all)
	return fmt.Sprintf("%.2f (%.2f–%.2f)", m, all[0], all[len(all)-1])
}
