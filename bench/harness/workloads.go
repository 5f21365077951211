package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Env is what a workload needs.
type Env struct {
	Peer     Peer
	Out      *Out
	Dur      time.Duration // measured time of one case
	Warm     time.Duration
	Rep      int
	MsgLen   int
	Conc     []int
	Profile  string // directory for CPU profiles; empty for none
	Verbose  bool
	Sessions int // of workload 5
}

// Workload is one group of cases.
type Workload struct {
	Name, Doc string
	Run       func(*Env) error
}

// Workloads in the order of the tables. Their names are those in the records; [Selects] tells which
// of them a name on the command line means.
var Workloads = []Workload{
	{"1a", "tools/call, own client, one process", func(e *Env) error { return e.callInProcess() }},
	{"1b", "tools/call, own client, server child over stdio", func(e *Env) error { return e.callStdio() }},
	{"1c", "tools/call, own client, streamable HTTP stateful", func(e *Env) error { return e.callHTTP("1c", Stateful, Legacy) }},
	{"1d", "tools/call, own client, streamable HTTP stateless", func(e *Env) error {
		if err := e.callHTTP("1d", Stateless, Legacy); err != nil {
			return err
		}
		return e.callHTTP("1d", Stateless, Modern)
	}},
	{"2-stdio", "tools/call, raw bytes, server child over stdio", func(e *Env) error { return e.rawStdioServer() }},
	{"2-http", "tools/call, raw bytes, HTTP", func(e *Env) error { return e.rawHTTPServer() }},
	{"3-session", "initialize, initialized, tools/call, DELETE: a session for each call, raw bytes, HTTP", func(e *Env) error { return e.sessionPerCall() }},
	{"4-stdio", "tools/list with 200 tools, raw bytes, stdio", func(e *Env) error { return e.listStdio() }},
	{"4-http", "tools/list with 200 tools, raw bytes, HTTP", func(e *Env) error { return e.listHTTP() }},
	{"4-client", "tools/list with 200 tools, own client, stdio", func(e *Env) error { return e.listClient() }},
	{"5-idle", "memory of idle sessions, without and with an open SSE stream", func(e *Env) error { return e.idleSessions(e.Sessions) }},
	{"5-listen", "memory of idle subscriptions, which need no session", func(e *Env) error { return e.idleListens(e.Sessions) }},
	{"5-load", "tools/call, raw bytes, HTTP, in sessions that each have an open SSE stream", func(e *Env) error { return e.busySessions(e.Sessions, 64) }},
}

func (e *Env) put(workload, kase, proto string, conc int, m map[string]float64) {
	e.Out.Put(Record{Peer: e.Peer.Name(), Workload: workload, Case: kase, Proto: proto, Conc: conc, Rep: e.Rep, M: m})
}

// drive warms up, then measures conc workers calling f.
func (e *Env) drive(workload, kase, proto string, conc int, child *Child, f func() error) error {
	w := func(int) error { return f() }
	if _, _, err := closedLoop(conc, e.Warm, w); err != nil {
		return fmt.Errorf("%s %s %s: %w", workload, kase, proto, err)
	}
	var before, after ProcStats
	var err error
	if child != nil {
		if before, err = child.Do("stats"); err != nil {
			return err
		}
	}
	self := SelfStats()
	lat, wall, err := closedLoop(conc, e.Dur, w)
	if err != nil {
		return fmt.Errorf("%s %s %s: %w", workload, kase, proto, err)
	}
	selfAfter := SelfStats()
	m := map[string]float64{
		"calls_s": float64(len(lat)) / wall.Seconds(),
		"p50_us":  float64(quantile(lat, .5)) / 1e3,
		"p99_us":  float64(quantile(lat, .99)) / 1e3,
	}
	perCall(m, "cli_", self, selfAfter, len(lat))
	if child != nil {
		if after, err = child.Do("stats"); err != nil {
			return err
		}
		perCall(m, "srv_", before, after, len(lat))
	}
	e.put(workload, kase, proto, conc, m)
	return nil
}

func (e *Env) echoer(c Client) func() error {
	msg := Message(e.MsgLen)
	ctx := context.Background()
	return func() error {
		got, err := c.Echo(ctx, msg)
		if err != nil {
			return err
		}
		if got != msg {
			return fmt.Errorf("echo answered %.60q", got)
		}
		return nil
	}
}

// streamPair connects a server and a client of the peer through OS pipes or
// io.Pipe in this process.
func (e *Env) streamPair(proto string) (Client, func(), error) {
	srv, err := e.Peer.NewServer(ServerConfig{})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	sr, cw := io.Pipe()
	cr, sw := io.Pipe()
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.ServeStream(ctx, sr, sw) }()
	stop := func() {
		cw.Close()
		sw.Close()
		cancel()
		select {
		case <-done:
		case <-time.After(2 * time.Second):
		}
	}
	c, err := e.Peer.DialStream(ctx, cr, cw, proto)
	if err != nil {
		stop()
		return nil, nil, err
	}
	return c, func() { c.Close(); stop() }, nil
}

func (e *Env) callInProcess() error {
	for _, proto := range []string{Legacy, Modern} {
		// The peer's own in-memory transport.
		srv, err := e.Peer.NewServer(ServerConfig{})
		if err != nil {
			return err
		}
		c, err := e.Peer.DialInMemory(context.Background(), srv, proto)
		if err == nil {
			for _, conc := range e.Conc {
				if err := e.drive("1a", "in-memory", proto, conc, nil, e.echoer(c)); err != nil {
					return err
				}
			}
			c.Close()
		} else if !errors.Is(err, ErrUnsupported) {
			return err
		}
		// Newline-delimited JSON over io.Pipe, the same for every peer.
		c, stop, err := e.streamPair(proto)
		if err != nil {
			return err
		}
		for _, conc := range e.Conc {
			if err := e.drive("1a", "io.Pipe", proto, conc, nil, e.echoer(c)); err != nil {
				return err
			}
		}
		stop()
	}
	return nil
}

func (e *Env) callStdio() error {
	for _, proto := range []string{Legacy, Modern} {
		child, err := StartChild(e.Peer.Name(), "stdio", "", 0)
		if err != nil {
			return err
		}
		c, err := e.Peer.DialStream(context.Background(), child.Out, child.In, proto)
		if err != nil {
			child.Stop()
			return err
		}
		for _, conc := range e.Conc {
			if err := e.drive("1b", "stdio", proto, conc, child, e.echoer(c)); err != nil {
				child.Stop()
				return err
			}
		}
		child.Stop()
	}
	return nil
}

func (e *Env) callHTTP(workload string, mode HTTPMode, proto string) error {
	child, err := StartChild(e.Peer.Name(), "http", mode, 0)
	if err != nil {
		return err
	}
	defer child.Stop()
	c, err := e.Peer.DialHTTP(context.Background(), child.URL(), NewHTTPClient(), mode, proto)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, conc := range e.Conc {
		if err := e.drive(workload, "http-"+string(mode), proto, conc, child, e.echoer(c)); err != nil {
			return err
		}
	}
	return e.profile(workload+"-http-"+string(mode)+"-"+proto, child, func(d time.Duration) error {
		_, _, err := closedLoop(8, d, func(int) error { return e.echoer(c)() })
		return err
	})
}

// profile takes a CPU profile of the child under load.
func (e *Env) profile(name string, child *Child, load func(time.Duration) error) error {
	if e.Profile == "" {
		return nil
	}
	path, err := filepath.Abs(filepath.Join(e.Profile, e.Peer.Name()+"-"+name))
	if err != nil {
		return err
	}
	if _, err := child.Do("prof " + path + ".cpu.pprof"); err != nil {
		return err
	}
	if err := load(4 * time.Second); err != nil {
		return err
	}
	if _, err := child.Do("stopprof"); err != nil {
		return err
	}
	_, err = child.Do("allocprof " + path + ".allocs.pprof")
	return err
}

// rawStdio measures one raw request over a child's stdio.
func (e *Env) rawStdio(workload, kase, proto string, req *RawRequest, tools int, depths []int) error {
	child, err := StartChild(e.Peer.Name(), "stdio", "", tools)
	if err != nil {
		return err
	}
	defer child.Stop()
	r, err := newRawStream(child.In, child.Out, req, proto)
	if err != nil {
		return fmt.Errorf("%s %s: %w", workload, proto, err)
	}
	if e.Verbose {
		fmt.Fprintf(os.Stderr, "%s %s %s: %d byte request, %d byte response: %.400s\n", e.Peer.Name(), workload, proto, len(req.Body), r.rlen, r.First)
	}
	for _, depth := range depths {
		if _, _, _, err := r.run(depth, e.Warm); err != nil {
			return err
		}
		before, err := child.Do("stats")
		if err != nil {
			return err
		}
		calls, lat, wall, err := r.run(depth, e.Dur)
		if err != nil {
			return fmt.Errorf("%s %s %s: %w", workload, kase, proto, err)
		}
		after, err := child.Do("stats")
		if err != nil {
			return err
		}
		m := map[string]float64{"calls_s": float64(calls) / wall.Seconds(), "resp_bytes": float64(r.rlen)}
		if depth == 1 {
			slices.Sort(lat)
			m["p50_us"], m["p99_us"] = float64(quantile(lat, .5))/1e3, float64(quantile(lat, .99))/1e3
		}
		perCall(m, "srv_", before, after, calls)
		e.put(workload, kase, proto, depth, m)
	}
	return e.profile(workload+"-"+strings.ReplaceAll(kase, " ", "")+"-"+proto, child, func(d time.Duration) error {
		_, _, _, err := r.run(depths[len(depths)-1], d)
		return err
	})
}

// rawHTTPCase measures one raw request over HTTP POST.
func (e *Env) rawHTTPCase(workload string, mode HTTPMode, proto string, req *RawRequest, tools int, conc []int) error {
	child, err := StartChild(e.Peer.Name(), "http", mode, tools)
	if err != nil {
		return err
	}
	defer child.Stop()
	r, ctype, err := newRawHTTP(child.URL(), req, proto)
	if err != nil {
		return fmt.Errorf("%s %s %s: %w", workload, mode, proto, err)
	}
	defer r.hc.CloseIdleConnections()
	if e.Verbose {
		fmt.Fprintf(os.Stderr, "%s %s %s %s: %s, %d bytes\n", e.Peer.Name(), workload, mode, proto, ctype, r.rlen)
	}
	for _, n := range conc {
		if err := e.drive(workload, "http-"+string(mode), proto, n, child, r.call); err != nil {
			return err
		}
	}
	return e.profile(workload+"-"+string(mode)+"-"+proto, child, func(d time.Duration) error {
		_, _, err := closedLoop(8, d, func(int) error { return r.call() })
		return err
	})
}

func (e *Env) rawStdioServer() error {
	for _, proto := range []string{Legacy, Modern} {
		if err := e.rawStdio("2-stdio", "64B", proto, EchoRequest(proto, e.MsgLen), 0, []int{1, 64}); err != nil {
			return err
		}
	}
	return e.rawStdio("2-stdio", "4KiB", Legacy, EchoRequest(Legacy, 4096), 0, []int{64})
}

func (e *Env) rawHTTPServer() error {
	for _, c := range []struct {
		mode  HTTPMode
		proto string
	}{{Stateful, Legacy}, {Stateless, Legacy}, {Stateless, Modern}} {
		if err := e.rawHTTPCase("2-http", c.mode, c.proto, EchoRequest(c.proto, e.MsgLen), 0, []int{1, 64}); err != nil {
			return err
		}
	}
	return nil
}

// sessionPerCall opens and closes a session for each call, as clients do that keep none.
func (e *Env) sessionPerCall() error {
	child, err := StartChild(e.Peer.Name(), "http", Stateful, 0)
	if err != nil {
		return err
	}
	defer child.Stop()
	hc := NewHTTPClient()
	defer hc.CloseIdleConnections()
	life := &sessionLife{url: child.URL(), hc: hc, call: EchoRequest(Legacy, e.MsgLen)}
	if err := life.run(); err != nil {
		return fmt.Errorf("3-session: %w", err)
	}
	for _, n := range []int{1, 64} {
		if err := e.drive("3-session", "http-"+string(Stateful), Legacy, n, child, life.run); err != nil {
			return err
		}
	}
	return e.profile("3-session-"+Legacy, child, func(d time.Duration) error {
		_, _, err := closedLoop(8, d, func(int) error { return life.run() })
		return err
	})
}

// quiet is e without profiles.
func (e *Env) quiet() *Env {
	q := *e
	q.Profile = ""
	return &q
}

func (e *Env) listStdio() error {
	for _, proto := range []string{Legacy, Modern} {
		if err := e.rawStdio("4-stdio", "200 tools", proto, ListRequest(proto), 200, []int{1}); err != nil {
			return err
		}
	}
	return nil
}

func (e *Env) listHTTP() error {
	return e.quiet().rawHTTPCase("4-http", Stateless, Modern, ListRequest(Modern), 200, []int{1})
}

// listClient lists with the peer's own client, which decodes the result.
func (e *Env) listClient() error {
	child, err := StartChild(e.Peer.Name(), "stdio", "", 200)
	if err != nil {
		return err
	}
	defer child.Stop()
	c, err := e.Peer.DialStream(context.Background(), child.Out, child.In, Legacy)
	if err != nil {
		return err
	}
	return e.drive("4-client", "200 tools", Legacy, 1, child, func() error {
		n, err := c.ListTools(context.Background())
		if err == nil && n < 200 {
			err = fmt.Errorf("%d tools listed", n)
		}
		return err
	})
}
