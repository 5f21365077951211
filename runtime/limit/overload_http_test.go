package limit_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

var overload = flag.Duration("limit.overload", 0, "how long TestOverloadHTTP offers more than the server can do: 30s")

// asClients is the environment variable that turns the test binary into clients of the server whose URL it is.
const asClients = "MCPGEN_TEST_AS_CLIENTS"

func TestMain(m *testing.M) {
	if url := os.Getenv(asClients); url != "" {
		if err := drive(url, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	testenv.RefuseChild()
	m.Run()
}

// A load is what clients report of their calls, and what the server had to do for it.
type load struct {
	Calls, Succeeded int
	PerSecond        float64       // of those that succeeded
	P99              time.Duration // of those that succeeded, if they are offered
	Open             int64         // how many were open at the same time, at most

	cpu  float64 // how many processors the server had
	busy float64 // how many calls were inside, on average
}

// TestOverloadHTTP is TestOverload with real HTTP, processors and time. The clients are a process of their own: in the
// same one they would wait for the same processors as the calls, and measure their own delay.
func TestOverloadHTTP(t *testing.T) {
	if *overload == 0 {
		t.Skip("it takes a minute and all processors; to run it: go test ./runtime/limit -run TestOverloadHTTP -limit.overload=30s -v")
	}
	processors := runtime.GOMAXPROCS(0)
	const wait, short = time.Second, 5 * time.Second
	var inside atomic.Int64
	work := func(context.Context, *server.Call) {
		begun := time.Now()
		spin()
		inside.Add(int64(time.Since(begun)))
	}
	s := newServer(work, limit.Concurrency{Max: processors, Queue: 8 * processors, Wait: wait, Shared: true}.Middleware())
	srv := httptest.NewServer(streamable.NewHandler(s, nil))
	defer srv.Close()
	clients := func(d time.Duration, what string, n float64) *load {
		t.Helper()
		inside.Store(0)
		cpu := limits.CPUTime()
		cmd := exec.CommandContext(t.Context(), os.Args[0], what, strconv.FormatFloat(n, 'f', 1, 64), d.String())
		cmd.Env, cmd.Stderr = append(os.Environ(), asClients+"="+srv.URL), os.Stderr
		out, err := cmd.Output()
		var l load
		if err == nil {
			err = json.Unmarshal(out, &l)
		}
		if err != nil {
			t.Fatalf("the clients: %v\n%s", err, out)
		}
		l.cpu, l.busy = (limits.CPUTime()-cpu).Seconds()/d.Seconds(), float64(inside.Load())/float64(d)
		t.Logf("%s %.0f: %.0f calls a second succeed, 99%% within %s; %d are open at most; the server has %.2f processors, %.2f calls are inside",
			what, n, l.PerSecond, l.P99.Round(time.Millisecond), l.Open, l.cpu, l.busy)
		return &l
	}

	before := clients(short, "peak", float64(2*processors))
	heapBefore := heap()
	during := clients(*overload, "offer", 3*before.PerSecond)
	heapAfter := heap()
	recovered := clients(short, "offer", before.PerSecond/4)
	again := clients(short, "peak", float64(2*processors))

	best, cpu := (before.PerSecond+again.PerSecond)/2, (before.cpu+again.cpu)/2
	t.Logf("%.0f%% of the best; the heap has %d KiB more", 100*during.PerSecond/best, (int64(heapAfter)-int64(heapBefore))>>10)
	if had := min(1, during.cpu/cpu); during.PerSecond < 0.8*best*had { // it had less if the machine was busy with something else
		t.Errorf("%.0f calls a second succeed, want 80 %% of %.0f, of which the server had the time for %.0f %%", during.PerSecond, best, 100*had)
	}
	if during.busy < 0.9*float64(processors) {
		t.Errorf("%.2f of %d places are taken, although calls wait", during.busy, processors)
	}
	if bound := wait + time.Duration(10*float64(processors)/best*float64(time.Second)); during.P99 > bound {
		t.Errorf("99 of 100 calls that succeed take up to %s, want %s", during.P99, bound)
	}
	if heapAfter > heapBefore+32<<20 {
		t.Error("memory has grown")
	}
	if recovered.Succeeded < recovered.Calls*99/100 {
		t.Errorf("afterwards, %d of %d calls succeed", recovered.Succeeded, recovered.Calls)
	}
}

// drive is the process of the clients: "peak 4 5s" has four callers, "offer 400 30s" makes 400 calls a second.
func drive(url string, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("want peak or offer, a number and a duration, got %q", args)
	}
	n, err := strconv.ParseFloat(args[1], 64)
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	var open, most atomic.Int64
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	r := request("tools/call", `"name":"a"`, transport.Origin{})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + string(r.Params) + `}`
	do := func() bool {
		now := open.Add(1)
		defer open.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		req, _ := http.NewRequest("POST", url, strings.NewReader(body))
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
	var l load
	if args[0] == "peak" {
		l.PerSecond = peak(int(n), d, do)
	} else {
		samples := offer(n, d, do)
		var ok []sample
		ok, l.P99 = good(samples)
		l.Calls, l.Succeeded, l.PerSecond = len(samples), len(ok), float64(len(ok))/d.Seconds()
	}
	l.Open = most.Load()
	return json.NewEncoder(os.Stdout).Encode(&l)
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
