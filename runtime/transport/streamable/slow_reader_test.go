package streamable_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A flood is a tool that sends notifications until nobody takes them any more, or it is told to stop.
type flood struct {
	sent, running atomic.Int64
	stop          chan struct{}
}

// chunk is how many bytes a notification has.
const chunk = 64 << 10

func (f *flood) call(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
	f.running.Add(1)
	defer f.running.Add(-1)
	params := wire.Raw(`{"data":"` + strings.Repeat("x", chunk) + `"}`)
	for {
		select {
		case <-f.stop:
			return server.TextResult("stopped"), nil
		default:
		}
		if err := c.Notify(ctx, "x/water", params); err != nil {
			return nil, err
		}
		f.sent.Add(1)
	}
}

// isStuck waits until the flood gets no further, because the client does not read.
func (f *flood) isStuck(t *testing.T) {
	t.Helper()
	for quiet, last := 0, int64(0); quiet < 20; time.Sleep(5 * time.Millisecond) {
		if quiet++; f.sent.Load() != last || last == 0 {
			quiet, last = 0, f.sent.Load()
		}
		if last > 64<<20/chunk {
			t.Fatalf("%d KiB were sent to somebody who reads nothing", last*chunk>>10)
		}
	}
}

// sendOnly sends a request on a connection of its own, from which nothing is read.
func (h *host) sendOnly(req *http.Request) net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", h.http.Listener.Addr().String())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { conn.Close() })
	if err := req.Write(conn); err != nil {
		h.t.Fatal(err)
	}
	return conn
}

// A client that does not read costs only itself: others are served and notified meanwhile, and little waits for it.
func TestSlowReader(t *testing.T) {
	for _, rev := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(rev, func(t *testing.T) {
			f := &flood{stop: make(chan struct{})}
			s := newServer(nil)
			tool(t, s, "echo", echo)
			tool(t, s, "flood", f.call)
			h := serve(t, s, &streamable.Options{WriteTimeout: time.Hour, MaxRequests: -1})
			slow, other := *h, *h
			var events *eventReader
			call := func(h *host, name string) *http.Request {
				if rev == "2026-07-28" {
					return h.modernRequest("1", "tools/call", name, `"name":"`+name+`"`)
				}
				return h.request("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, time.Now().UnixNano(), name))
			}
			if rev == "2026-07-28" {
				events = other.stream(other.modernRequest("1", "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`))
			} else {
				slow.open(rev)
				other.open(rev)
				slow.sendOnly(slow.request("GET", "")) // on which changes wait, too
				events = other.stream(other.request("GET", ""))
			}
			events.next()
			conn := slow.sendOnly(call(&slow, "flood"))
			f.isStuck(t)
			for range 20 {
				s.Changed(server.Change{Tools: true})
				if got := events.next(); !strings.Contains(got, "notifications/tools/list_changed") {
					t.Errorf("event %s", got)
				}
				if got := other.send(call(&other, "echo")); got.status != 200 || !strings.Contains(got.body, `"text":"{}"`) {
					t.Errorf("%d %s", got.status, got.body)
				}
			}
			if f.running.Load() != 1 {
				t.Error("the flood has ended: the test shows nothing")
			}
			close(f.stop)
			conn.Close()
			for f.running.Load() > 0 {
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// Whoever takes a message for longer than WriteTimeout is cut off.
func TestSlowReaderIsCutOff(t *testing.T) {
	f := &flood{stop: make(chan struct{})}
	s := newServer(nil)
	tool(t, s, "flood", f.call)
	h := serve(t, s, &streamable.Options{WriteTimeout: 20 * time.Millisecond})
	h.sendOnly(h.modernRequest("1", "tools/call", "flood", `"name":"flood"`))
	for f.sent.Load() == 0 || f.running.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}
