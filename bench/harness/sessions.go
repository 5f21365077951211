package harness

import (
	"fmt"
	"net"
	"net/http"
	"time"
)

// idleSessions measures n stateful sessions that do nothing, before and after each of them opens its
// GET stream.
func (e *Env) idleSessions(n int) error {
	child, err := StartChild(e.Peer.Name(), "http", Stateful, 0)
	if err != nil {
		return err
	}
	defer child.Stop()
	hc := NewHTTPClient()
	// One session first, so that one-time costs are not counted.
	if _, err := openSession(hc, child.URL()); err != nil {
		return err
	}
	base, err := child.Do("gcstats")
	if err != nil {
		return err
	}
	ids, err := openSessions(hc, child, n)
	if err != nil {
		return err
	}
	sess, err := child.Do("gcstats")
	if err != nil {
		return err
	}
	streams, err := openStreams(child, ids)
	defer closeAll(streams)
	if err != nil {
		return err
	}
	open, err := child.Do("gcstats")
	if err != nil {
		return err
	}
	per := func(a, b uint64) float64 { return (float64(b) - float64(a)) / float64(n) / 1024 }
	e.put("5-idle", fmt.Sprintf("%d sessions", n), Legacy, n, map[string]float64{
		"sess_heap_kib":   per(base.HeapAlloc, sess.HeapAlloc),
		"sess_stack_kib":  per(base.StackInuse, sess.StackInuse),
		"sess_rss_kib":    per(base.RSS, sess.RSS),
		"sess_goroutines": float64(sess.Goroutines-base.Goroutines) / float64(n),
		"open_heap_kib":   per(base.HeapAlloc, open.HeapAlloc),
		"open_stack_kib":  per(base.StackInuse, open.StackInuse),
		"open_rss_kib":    per(base.RSS, open.RSS),
		"open_goroutines": float64(open.Goroutines-base.Goroutines) / float64(n),
		"base_rss_mib":    float64(base.RSS) / (1 << 20),
	})
	return nil
}

// busySessions measures calls over conc connections, made in n sessions in turn while each of them
// has its GET stream open.
func (e *Env) busySessions(n, conc int) error {
	child, err := StartChild(e.Peer.Name(), "http", Stateful, 0)
	if err != nil {
		return err
	}
	defer child.Stop()
	r, _, err := newRawHTTP(child.URL(), EchoRequest(Legacy, e.MsgLen), Legacy)
	if err != nil {
		return err
	}
	defer r.hc.CloseIdleConnections()
	ids, err := openSessions(r.hc, child, n)
	if err != nil {
		return err
	}
	streams, err := openStreams(child, ids)
	defer closeAll(streams)
	if err != nil {
		return err
	}
	r.in(ids)
	return e.drive("5-load", fmt.Sprintf("%d sessions", n), Legacy, conc, child, r.call)
}

// openSessions opens n sessions and returns their ids, empty where the server has none. No connection
// is left open.
func openSessions(hc *http.Client, child *Child, n int) ([]string, error) {
	ids := make([]string, n)
	for i := range ids {
		var err error
		if ids[i], err = openSession(hc, child.URL()); err != nil {
			return nil, err
		}
	}
	hc.CloseIdleConnections()
	time.Sleep(200 * time.Millisecond)
	return ids, nil
}

// idleListens measures n open subscriptions of 2026-07-28.
func (e *Env) idleListens(n int) error {
	child, err := StartChild(e.Peer.Name(), "http", Stateless, 0)
	if err != nil {
		return err
	}
	defer child.Stop()
	requests := make([]string, n+1)
	body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`
	for i := range requests {
		requests[i] = fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"+
			"Mcp-Protocol-Version: %s\r\nMcp-Method: subscriptions/listen\r\nContent-Length: %d\r\n\r\n%s", child.Addr, Modern, len(body), body)
	}
	first, err := sendAll(child, requests[:1])
	defer closeAll(first)
	if err != nil {
		return err
	}
	base, err := child.Do("gcstats")
	if err != nil {
		return err
	}
	streams, err := sendAll(child, requests[1:])
	defer closeAll(streams)
	if err != nil {
		return err
	}
	open, err := child.Do("gcstats")
	if err != nil {
		return err
	}
	per := func(a, b uint64) float64 { return (float64(b) - float64(a)) / float64(n) / 1024 }
	e.put("5-listen", fmt.Sprintf("%d subscriptions", n), Modern, n, map[string]float64{
		"open_heap_kib":   per(base.HeapAlloc, open.HeapAlloc),
		"open_stack_kib":  per(base.StackInuse, open.StackInuse),
		"open_rss_kib":    per(base.RSS, open.RSS),
		"open_goroutines": float64(open.Goroutines-base.Goroutines) / float64(n),
	})
	return nil
}

// openStreams opens the GET stream of each session.
func openStreams(child *Child, ids []string) ([]net.Conn, error) {
	requests := make([]string, len(ids))
	for i, id := range ids {
		h := ""
		if id != "" {
			h = "Mcp-Session-Id: " + id + "\r\n"
		}
		requests[i] = fmt.Sprintf("GET /mcp HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\nMCP-Protocol-Version: %s\r\n%s\r\n", child.Addr, Legacy, h)
	}
	return sendAll(child, requests)
}

// sendAll sends requests, each on a connection of its own, and waits until their responses begin.
func sendAll(child *Child, requests []string) ([]net.Conn, error) {
	conns := make([]net.Conn, 0, len(requests))
	buf := make([]byte, 4096)
	for _, request := range requests {
		conn, err := net.Dial("tcp", child.Addr)
		if err != nil {
			return conns, err
		}
		conns = append(conns, conn)
		if _, err := conn.Write([]byte(request)); err != nil {
			return conns, err
		}
		_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		k, err := conn.Read(buf)
		if err != nil {
			return conns, fmt.Errorf("stream: %w", err)
		}
		if k < 12 || string(buf[9:12]) != "200" {
			return conns, fmt.Errorf("stream: %.120s", buf[:k])
		}
	}
	time.Sleep(300 * time.Millisecond)
	return conns, nil
}

func closeAll(conns []net.Conn) {
	for _, c := range conns {
		c.Close()
	}
}
