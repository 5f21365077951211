// Command table turns the results directory into one markdown document:
// medians over the repetitions, with the spread as ± half the range in percent
// of the median.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/bench/harness"
)

type key struct {
	workload, kase, proto string
	conc                  int
	peer                  string
}

type group struct {
	k key
	m map[string][]float64
}

var (
	groups []*group
	index  = map[key]*group{}
)

func load(path string) {
	f, err := os.Open(path)
	if err != nil {
		log.Print(err)
		return
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		var r harness.Record
		if json.Unmarshal(sc.Bytes(), &r) != nil {
			continue
		}
		k := key{r.Workload, r.Case, r.Proto, r.Conc, r.Peer}
		g := index[k]
		if g == nil {
			g = &group{k, map[string][]float64{}}
			index[k] = g
			groups = append(groups, g)
		}
		for n, v := range r.M {
			g.m[n] = append(g.m[n], v)
		}
	}
}

func median(v []float64) (med, spread float64) {
	if len(v) == 0 {
		return 0, 0
	}
	s := slices.Sorted(slices.Values(v))
	med = s[len(s)/2]
	if len(s)%2 == 0 {
		med = (s[len(s)/2-1] + s[len(s)/2]) / 2
	}
	if med != 0 {
		spread = (s[len(s)-1] - s[0]) / 2 / med * 100
	}
	return med, spread
}

func num(v float64) string {
	switch {
	case v > -0.005 && v < 0.005:
		return "0"
	case v >= 1e6:
		return fmt.Sprintf("%.2fM", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.1fk", v/1e3)
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

func (g *group) cell(metric string) string {
	v := g.m[metric]
	if len(v) == 0 {
		return "–"
	}
	med, sp := median(v)
	if metric == "calls_s" || metric == "srv_cpu_us" {
		return fmt.Sprintf("%s ±%.0f%%", num(med), sp)
	}
	return num(med)
}

type col struct{ metric, head string }

func section(title string, workloads []string, cols []col, floorPeer string, concName string) {
	rank := func(p string) int {
		return slices.Index([]string{"floor", "floor-nobatch", "floor-scan", "floor-async", "floor-hijack", "floor-rawhttp", "mcpgen", "gosdk", "gosdk-raw", "mcpgo", "mcpgo-raw", "mcpgo-validate"}, p)
	}
	var sel []*group
	for _, g := range groups {
		if slices.Contains(workloads, g.k.workload) {
			sel = append(sel, g)
		}
	}
	if len(sel) == 0 {
		return
	}
	fmt.Printf("\n### %s\n\n| case | proto | %s | peer |", title, concName)
	for _, c := range cols {
		fmt.Printf(" %s |", c.head)
	}
	if floorPeer != "" {
		fmt.Printf(" calls/s below floor | server CPU / floor |")
	}
	fmt.Printf("\n|---|---|---|---|%s", strings.Repeat("---:|", len(cols)))
	if floorPeer != "" {
		fmt.Print("---:|---:|")
	}
	fmt.Println()
	slices.SortStableFunc(sel, func(a, b *group) int {
		for _, d := range []int{
			slices.Index(workloads, a.k.workload) - slices.Index(workloads, b.k.workload),
			strings.Compare(a.k.kase, b.k.kase), strings.Compare(a.k.proto, b.k.proto),
			a.k.conc - b.k.conc, rank(a.k.peer) - rank(b.k.peer),
		} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	for _, g := range sel {
		name := g.k.kase
		if len(workloads) > 1 {
			name = g.k.workload + " " + name
		}
		fmt.Printf("| %s | %s | %d | %s |", name, g.k.proto, g.k.conc, g.k.peer)
		for _, c := range cols {
			fmt.Printf(" %s |", g.cell(c.metric))
		}
		if floorPeer != "" {
			fk := g.k
			fk.peer = floorPeer
			if f := index[fk]; f != nil && f != g {
				a, _ := median(f.m["calls_s"])
				b, _ := median(g.m["calls_s"])
				ca, _ := median(f.m["srv_cpu_us"])
				cb, _ := median(g.m["srv_cpu_us"])
				fmt.Printf(" %.1f× | %.1f× |", a/b, cb/ca)
			} else if f == g {
				fmt.Print(" 1 | 1 |")
			} else {
				fmt.Print(" – | – |")
			}
		}
		fmt.Println()
	}
}

var benchLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op(?:\s+([\d.]+) MB/s)?\s+([\d.]+) B/op\s+([\d.]+) allocs/op`)

type bres struct{ ns, mbs, b, allocs []float64 }

func loadBench(path string) (names []string, m map[string]*bres) {
	m = map[string]*bres{}
	f, err := os.Open(path)
	if err != nil {
		log.Print(err)
		return
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		x := benchLine.FindStringSubmatch(sc.Text())
		if x == nil {
			continue
		}
		r := m[x[1]]
		if r == nil {
			r = &bres{}
			m[x[1]] = r
			names = append(names, x[1])
		}
		p := func(s string) float64 { v, _ := strconv.ParseFloat(s, 64); return v }
		r.ns, r.mbs, r.b, r.allocs = append(r.ns, p(x[2])), append(r.mbs, p(x[3])), append(r.b, p(x[4])), append(r.allocs, p(x[5]))
	}
	return names, m
}

func benchTable(title, path, path2 string) {
	names, m := loadBench(path)
	var m2 map[string]*bres
	if path2 != "" {
		var n2 []string
		n2, m2 = loadBench(path2)
		for i, n := range n2 {
			if !slices.Contains(names, n) {
				at := len(names)
				for j := i - 1; j >= 0; j-- {
					if k := slices.Index(names, n2[j]); k >= 0 {
						at = k + 1
						break
					}
				}
				names = slices.Insert(names, at, n)
			}
		}
	}
	fmt.Printf("\n### %s\n\n| benchmark | ns/op | MB/s | B/op | allocs/op |", title)
	if path2 != "" {
		fmt.Print(" ns/op (GOEXPERIMENT=jsonv2) | allocs/op (jsonv2) |")
	}
	fmt.Print("\n|---|---:|---:|---:|---:|")
	if path2 != "" {
		fmt.Print("---:|---:|")
	}
	fmt.Println()
	for _, n := range names {
		fmt.Printf("| %s |", n)
		if r := m[n]; r != nil {
			med, sp := median(r.ns)
			mb, _ := median(r.mbs)
			b, _ := median(r.b)
			a, _ := median(r.allocs)
			mbs := "–"
			if mb > 0 {
				mbs = num(mb)
			}
			fmt.Printf(" %s ±%.0f%% | %s | %s | %s |", num(med), sp, mbs, num(b), num(a))
		} else {
			fmt.Print(" – | – | – | – |")
		}
		if path2 != "" {
			if r := m2[n]; r != nil {
				med, sp := median(r.ns)
				a, _ := median(r.allocs)
				fmt.Printf(" %s ±%.0f%% | %s |", num(med), sp, num(a))
			} else {
				fmt.Print(" – | – |")
			}
		}
		fmt.Println()
	}
}

func copyFile(path string) {
	b, err := os.ReadFile(path)
	if err != nil {
		log.Print(err)
		return
	}
	os.Stdout.Write(b)
}

func main() {
	dir := "results"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	load(filepath.Join(dir, "main.jsonl"))
	load(filepath.Join(dir, "startup.jsonl"))
	fmt.Println("## Results")
	copyFile(filepath.Join(dir, "machine.md"))
	lat := []col{{"calls_s", "calls/s"}, {"p50_us", "p50 µs"}, {"p99_us", "p99 µs"}}
	srv := []col{{"srv_cpu_us", "server CPU µs/call"}, {"srv_allocs", "server allocs/call"}, {"srv_bytes", "server B/call"}}
	cli := []col{{"cli_cpu_us", "client CPU µs/call"}, {"cli_allocs", "client allocs/call"}, {"cli_bytes", "client B/call"}}
	both := []col{{"cli_cpu_us", "CPU µs/call (both sides)"}, {"cli_allocs", "allocs/call (both)"}, {"cli_bytes", "B/call (both)"}}
	section("1a. tools/call, one process, the peer's own client", []string{"1a"}, append(slices.Clone(lat), both...), "", "conc")
	benchTable("1a as testing.B (one call at a time, client + server)", filepath.Join(dir, "inproc.txt"), "")
	section("1b/1c/1d. tools/call, server in a child process, the peer's own client", []string{"1b", "1c", "1d"}, slices.Concat(lat, srv, cli), "", "conc")
	section("2 + 3. Server only over stdio: raw bytes in, newlines counted (floors included)", []string{"2-stdio"}, slices.Concat(lat, srv), "floor", "depth")
	section("2 + 3. Server only over HTTP POST: raw net/http client (floors included)", []string{"2-http"}, slices.Concat(lat, srv), "floor", "conc")
	section("4. tools/list with 200 tools (~154 KB answer)", []string{"4-stdio", "4-http", "4-client"}, slices.Concat([]col{lat[0], lat[1], {"resp_bytes", "response B"}}, srv, cli[1:2]), "floor", "conc")
	section("5. Idle stateful HTTP sessions (per session; 'open' = with GET stream)", []string{"5-idle"}, []col{
		{"sess_heap_kib", "heap KiB, no stream"}, {"sess_rss_kib", "RSS KiB, no stream"}, {"sess_goroutines", "goroutines, no stream"},
		{"open_heap_kib", "heap KiB, open"}, {"open_stack_kib", "stack KiB, open"}, {"open_rss_kib", "RSS KiB, open"}, {"open_goroutines", "goroutines, open"},
		{"base_rss_mib", "base RSS MiB"}}, "", "sessions")
	section("5. Calls by HTTP in sessions that each have an open GET stream", []string{"5-load"}, slices.Concat(lat, srv), "floor", "conc")
	section("6. Start-up: exec to first initialize response (stdio)", []string{"6"}, []col{
		{"first_ms", "median ms"}, {"first_ms_p10", "p10"}, {"first_ms_p90", "p90"}, {"cpu_ms", "CPU ms"}, {"maxrss_mib", "max RSS MiB"}}, "", "–")
	copyFile(filepath.Join(dir, "sizes.md"))
	benchTable("7. Codecs", filepath.Join(dir, "codec.txt"), filepath.Join(dir, "codec-jsonv2.txt"))
}
