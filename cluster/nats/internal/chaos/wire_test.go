//go:build unix

package chaos

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A tap records the sessions of a client, and the events of streams that it receives.
type tap struct {
	http.RoundTripper
	mu       sync.Mutex
	sessions map[string]*received
	trail    []string // what became of the last requests for streams
}

// maxTrail is how many lines of a trail are kept.
const maxTrail = 30

// note adds a line to the trail.
func (t *tap) note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.trail) == maxTrail {
		t.trail = t.trail[1:]
	}
	t.trail = append(t.trail, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// received records what a client has received in a session.
type received struct {
	times   map[string]int  // how often an event was received, by its id
	streams map[string]bool // streams of which an event was received
}

func newTap() *tap {
	return &tap{RoundTripper: &http.Transport{MaxIdleConnsPerHost: 4}, sessions: make(map[string]*received)}
}

// close closes connections that nobody uses.
func (t *tap) close() { t.RoundTripper.(*http.Transport).CloseIdleConnections() }

// RoundTrip implements [http.RoundTripper].
func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		t.note("%s: %v", r.Method, err)
		return nil, err
	}
	if r.Method == http.MethodGet {
		t.note("GET after %q: status %d from %s", r.Header.Get("Last-Event-Id"), resp.StatusCode, resp.Header.Get(headerPlace))
		resp.Body = &trackedBody{resp.Body, t}
	}
	id := r.Header.Get("Mcp-Session-Id")
	if id == "" {
		id = resp.Header.Get("Mcp-Session-Id")
	}
	if id == "" {
		return resp, nil
	}
	t.mu.Lock()
	in := t.sessions[id]
	if in == nil {
		in = &received{times: make(map[string]int), streams: make(map[string]bool)}
		t.sessions[id] = in
	}
	t.mu.Unlock()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		resp.Body = &tappedBody{ReadCloser: resp.Body, tap: t, in: in}
	}
	return resp, nil
}

// A trackedBody notes how a response to GET ends.
type trackedBody struct {
	io.ReadCloser
	tap *tap
}

func (b *trackedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.tap.note("the response to GET ends: %v", err)
	}
	return n, err
}

// A tappedBody is a stream of events.
type tappedBody struct {
	io.ReadCloser
	tap  *tap
	in   *received
	line []byte
	id   string
	data bool
}

func (b *tappedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			b.line = append(b.line, rest...)
			break
		}
		b.take(string(append(b.line, rest[:end]...)))
		b.line, rest = b.line[:0], rest[end+1:]
	}
	return n, err
}

// take handles a line. The lines of an event end with an empty one.
func (b *tappedBody) take(line string) {
	switch {
	case strings.HasPrefix(line, "id: "):
		b.id = line[len("id: "):]
	case strings.HasPrefix(line, "data: "):
		b.data = b.data || line != "data: "
	case line == "" && b.id != "":
		b.tap.mu.Lock()
		defer b.tap.mu.Unlock()
		b.in.streams[streamOf(b.id)] = true
		if b.data {
			b.in.times[b.id]++
		}
		b.id, b.data = "", false
	}
}

// streamOf returns the stream of an event, by the form that the cluster gives ids.
func streamOf(id string) string { return id[:max(strings.LastIndexByte(id, '-'), 0)] }

// A counter is the transport of a client. It counts how often each request received a response, or was reported as one
// that will receive none.
type counter struct {
	*httpclient.Client
	mu     sync.Mutex
	ended  map[wire.ID]int
	sent   map[wire.ID]bool
	missed int // how often messages may have been lost
}

func (c *counter) Send(ctx context.Context, m transport.Message) error {
	if m.Kind == jsonrpc.Request {
		c.mu.Lock()
		c.sent[m.ID] = true
		c.mu.Unlock()
	}
	return c.Client.Send(ctx, m)
}

func (c *counter) Receive(ctx context.Context) (transport.Message, error) {
	m, err := c.Client.Receive(ctx)
	var id wire.ID
	if lost, ok := err.(*transport.RequestError); ok {
		id = lost.ID
		if lost.Err == transport.ErrMissed {
			c.mu.Lock()
			c.missed++
			c.mu.Unlock()
		}
	} else if err == nil {
		if msg, _ := jsonrpc.Parse(m.Data); msg.IsResponse() {
			id = msg.ID
		}
	}
	if !id.IsZero() {
		c.mu.Lock()
		c.ended[id]++
		c.mu.Unlock()
	}
	return m, err
}
