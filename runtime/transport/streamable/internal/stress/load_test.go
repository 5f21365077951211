package stress

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// TestIdleSession holds what a session costs that has no stream open: at most 1 KiB, and no goroutine.
func TestIdleSession(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "idle", Version: "1"}, &server.Options{Logger: silent})
	h := streamable.NewHandler(s, &streamable.Options{Logger: silent})
	v := &visitor{http: direct{h}, url: "http://localhost/mcp"}
	open := func(n int) {
		for range n {
			visit(t, v.http, v.url)
		}
	}
	n := shorten(*sessions)
	open(10) // what is there only once
	goroutines, before := runtime.NumGoroutine(), heap()
	open(n)
	per := (heap() - before) / int64(n)
	t.Logf("%d bytes a session", per)
	if more := runtime.NumGoroutine() - goroutines; more > 0 {
		t.Errorf("%d idle sessions have %d goroutines, want none", n, more)
	}
	if per > 1024 {
		t.Errorf("an idle session takes %d bytes, want at most 1024", per)
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// A direct round tripper calls a handler without a network.
type direct struct{ handler http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Host, r.RemoteAddr = r.URL.Host, "127.0.0.1:1"
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

// TestLoad has many sessions with open streams, and calls in all of them by 64 connections.
//
// REQ HTTP-26, HTTP-30: each session has its own stream, and a message comes by one
func TestLoad(t *testing.T) {
	const connections = 64
	testenv.NoGoroutinesLeft(t)
	s := newSite(t, nil)
	n := shorten(*sessions)
	rt := &http.Transport{MaxIdleConnsPerHost: connections}
	visitors := make([]*visitor, n)
	for i := range visitors {
		visitors[i] = visit(t, rt, s.url())
		visitors[i].post(t, strings.ReplaceAll(callOf("0", question{Call: visitors[i].session}), `"double"`, `"tell"`))
	}
	goroutines, before := runtime.NumGoroutine(), heap()
	streams := make([]*stream, n)
	for i, v := range visitors {
		streams[i] = v.listen(t, s.addr)
	}
	heapEach, goroutinesEach := (heap()-before)/int64(n), float64(runtime.NumGoroutine()-goroutines)/float64(n)

	var next atomic.Int64
	latencies := make([][]time.Duration, connections)
	end := time.Now().Add(shorten(2 * time.Second))
	each(latencies, func(i int) {
		for time.Now().Before(end) {
			n := int(next.Add(1))
			v, q := visitors[n%len(visitors)], question{Call: fmt.Sprint(n), Value: n}
			begin := time.Now()
			_, status, body := v.post(t, callOf(fmt.Sprint(n), q))
			latencies[i] = append(latencies[i], time.Since(begin))
			if status != http.StatusOK || !strings.Contains(body, answerTo(q)) {
				t.Errorf("call %d: got %d %s", n, status, body)
				return
			}
		}
	})
	all := slices.Concat(latencies...)
	slices.Sort(all)
	p99 := all[len(all)*99/100]
	t.Logf("%d sessions with streams, %.1f KiB of heap and %.2f goroutines each, both sides; %d connections, %.0f calls/s, p50 %v, p99 %v",
		n, float64(heapEach)/1024, goroutinesEach, connections, float64(len(all))/shorten(2*time.Second).Seconds(), all[len(all)/2], p99)
	if goroutinesEach > 2.01 { // those of net/http
		t.Errorf("a stream has %.2f goroutines, want 2", goroutinesEach)
	}
	if calls := int64(len(all)); next.Load() != calls {
		t.Errorf("%d calls were made, %d answered", next.Load(), calls)
	}

	// Every stream is alive, and gets what its session is told, once.
	for range 2 {
		if err := s.tellAll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, x := range streams {
		x.conn.SetReadDeadline(time.Now().Add(settleTime))
		for number := range 2 {
			want := fmt.Sprintf(`"number":%d`, number)
			if data, err := x.next(); err != nil || !strings.Contains(data, want) {
				t.Fatalf("stream %d: got %q, %v, want %s", i, data, err, want)
			}
		}
	}
	var leaving sync.WaitGroup
	for i := range connections {
		leaving.Go(func() {
			for k := i; k < n; k += connections {
				visitors[k].leave(t)
				if data, err := streams[k].next(); err != io.EOF {
					t.Errorf("stream %d: after the end of the session got %q, %v, want its end", k, data, err)
				}
				streams[k].conn.Close()
			}
		})
	}
	leaving.Wait()
	rt.CloseIdleConnections()
	s.expectNothingLeft(t)
	s.stop(t)
}

// A stream is that of a session, without a goroutine on this side.
type stream struct {
	conn net.Conn
	body *bufio.Reader
}

// listen opens the stream of the session on a connection of its own.
func (v *visitor) listen(t testing.TB, addr string) *stream {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	r := v.request(t, http.MethodGet, "")
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 1<<10), r)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET: got %v, %v", resp, err)
	}
	return &stream{conn, bufio.NewReaderSize(resp.Body, 1<<10)}
}

// next returns the next data.
func (x *stream) next() (string, error) { return nextData(x.body) }
