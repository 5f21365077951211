// Package floor holds hand-written servers that say what the transports
// themselves cost. They are no MCP implementations.
//
//   - floor: no decoding. The id is spliced into a prebuilt response; answers
//     are flushed when no further request is buffered.
//   - floor-nobatch: the same with one write per response, as the peers do.
//   - floor-scan: the request is really scanned by a hand-written decoder
//     (method, tool name, arguments into a Go struct) and the result is
//     encoded from Go values: what reflection-free generated code can reach.
//   - floor-async: floor-scan with a goroutine per request and one locked
//     write per response: the concurrency a real server must offer.
//   - floor-hijack: GET streams are hijacked and kept without a goroutine or
//     buffers (a closed peer is only noticed on the next write, e.g. a
//     heartbeat): the memory floor of an idle SSE stream on HTTP/1.1.
//   - floor-rawhttp: floor-scan over HTTP/1.1 where a connection is hijacked on
//     its first POST and then served by a minimal hand-written request loop: how
//     much of an HTTP call is net/http itself.
package floor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/bench/harness"
)

type Peer struct {
	harness.ServerOnly
	Label   string
	NoBatch bool
	Scan    bool
	Async   bool
	Hijack  bool
	RawHTTP bool
}

func (p Peer) Name() string { return p.Label }

type server struct {
	p    Peer
	list []byte // the tools/list result object
	mu   sync.RWMutex
	pre  map[int][]byte // prebuilt result by request length

	streams []net.Conn // hijacked GET streams
}

func (p Peer) NewServer(cfg harness.ServerConfig) (harness.Server, error) {
	type tool struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	var res struct {
		Tools []tool `json:"tools"`
	}
	for _, t := range harness.ToolSpecs(cfg.ListTools) {
		res.Tools = append(res.Tools, tool(t))
	}
	b, err := json.Marshal(res)
	return &server{p: p, list: b, pre: map[int][]byte{}}, err
}

const (
	head       = `{"jsonrpc":"2.0","id":`
	initResult = `{"protocolVersion":"` + harness.Legacy + `","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"1"}}`
)

// prebuilt finds the result for a tools/call line, building it once per length.
func (s *server) prebuilt(line []byte) []byte {
	s.mu.RLock()
	r := s.pre[len(line)]
	s.mu.RUnlock()
	if r == nil {
		_, msg, _ := bytes.Cut(line, []byte(`"message":"`))
		msg, _, _ = bytes.Cut(msg, []byte{'"'})
		r = appendEcho(nil, string(msg))
		s.mu.Lock()
		s.pre[len(line)] = r
		s.mu.Unlock()
	}
	return r
}

func appendEcho(b []byte, msg string) []byte {
	b = append(b, `{"content":[{"type":"text","text":`...)
	b = appendString(b, msg)
	b = append(b, `}],"structuredContent":{"message":`...)
	b = appendString(b, msg)
	return append(b, "}}"...)
}

var errNoID = errors.New("notification")

// handle appends the response to line; errNoID means there is none.
func (s *server) handle(out, line []byte) ([]byte, error) {
	if s.p.Scan {
		var rq request
		if err := rq.decode(line); err != nil {
			return out, err
		}
		if rq.id == nil {
			return out, errNoID
		}
		out = append(append(out, head...), rq.id...)
		out = append(out, `,"result":`...)
		switch rq.method {
		case "tools/call":
			if rq.name != "echo" {
				return out, errors.New("unknown tool")
			}
			out = appendEcho(out, rq.message)
		case "tools/list":
			out = append(out, s.list...)
		default:
			out = append(out, initResult...)
		}
		return append(out, '}'), nil
	}
	i := bytes.Index(line, []byte(`"id":`))
	if i < 0 {
		return out, errNoID
	}
	id := line[i+5:]
	id = id[:bytes.IndexByte(id, ',')]
	out = append(append(out, head...), id...)
	out = append(out, `,"result":`...)
	method := line[i+5+len(id):]
	switch {
	case bytes.HasPrefix(method, []byte(`,"method":"tools/call"`)):
		out = append(out, s.prebuilt(line)...)
	case bytes.HasPrefix(method, []byte(`,"method":"tools/list"`)):
		out = append(out, s.list...)
	default:
		out = append(out, initResult...)
	}
	return append(out, '}'), nil
}

func (s *server) ServeStream(_ context.Context, in io.ReadCloser, out io.WriteCloser) error {
	br := bufio.NewReaderSize(in, 64<<10)
	if s.p.Async {
		return s.serveAsync(br, out)
	}
	var buf []byte
	for {
		line, err := br.ReadSlice('\n')
		if err != nil {
			return err
		}
		n := len(buf)
		if buf, err = s.handle(buf, line); err != nil {
			buf = buf[:n]
			if err != errNoID {
				return err
			}
		} else {
			buf = append(buf, '\n')
		}
		if len(buf) > 0 && (s.p.NoBatch || br.Buffered() == 0 || len(buf) > 64<<10) {
			if _, err := out.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
}

func (s *server) serveAsync(br *bufio.Reader, out io.Writer) error {
	var mu sync.Mutex
	for {
		line, err := br.ReadSlice('\n')
		if err != nil {
			return err
		}
		b := bufs.Get().(*[2][]byte)
		b[0] = append(b[0][:0], line...)
		go func() {
			var err error
			if b[1], err = s.handle(b[1][:0], b[0]); err == nil {
				b[1] = append(b[1], '\n')
				mu.Lock()
				_, _ = out.Write(b[1])
				mu.Unlock()
			}
			bufs.Put(b)
		}()
	}
}

var bufs = sync.Pool{New: func() any { return new([2][]byte) }}

func (s *server) HTTPHandler(mode harness.HTTPMode) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && s.p.Hijack {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
			s.mu.Lock()
			s.streams = append(s.streams, conn)
			s.mu.Unlock()
			return
		}
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		b := bufs.Get().(*[2][]byte)
		defer bufs.Put(b)
		n := int(r.ContentLength)
		if cap(b[0]) < n {
			b[0] = make([]byte, n)
		}
		body := b[0][:n]
		if _, err := io.ReadFull(r.Body, body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if mode == harness.Stateful && r.Header["Mcp-Session-Id"] == nil {
			w.Header()["Mcp-Session-Id"] = []string{"floor"}
		}
		out, err := s.handle(b[1][:0], body)
		b[1] = out
		if s.p.RawHTTP && err == nil && r.Header["Mcp-Session-Id"] != nil == (mode == harness.Stateful) {
			s.serveRaw(w, out)
			return
		}
		if err != nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		h := w.Header()
		h["Content-Type"] = jsonType
		h["Content-Length"] = []string{strconv.Itoa(len(out))}
		_, _ = w.Write(out)
	}), nil
}

// serveRaw answers the current request with first and then serves the
// connection without net/http.
func (s *server) serveRaw(w http.ResponseWriter, first []byte) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	br := rw.Reader
	var out, body, res []byte
	send := func(payload []byte) error {
		out = append(out[:0], "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "...)
		out = strconv.AppendInt(out, int64(len(payload)), 10)
		out = append(append(out, "\r\n\r\n"...), payload...)
		_, err := conn.Write(out)
		return err
	}
	if send(first) != nil {
		return
	}
	for {
		n := -1
		for {
			line, err := br.ReadSlice('\n')
			if err != nil {
				return
			}
			if len(line) <= 2 {
				break
			}
			if len(line) > 16 && bytes.EqualFold(line[:15], []byte("content-length:")) {
				if n, err = strconv.Atoi(string(bytes.TrimSpace(line[15:]))); err != nil {
					return
				}
			}
		}
		if n < 0 || n > 1<<20 {
			return
		}
		if cap(body) < n {
			body = make([]byte, n)
		}
		body = body[:n]
		if _, err := io.ReadFull(br, body); err != nil {
			return
		}
		if res, err = s.handle(res[:0], body); err == nil {
			err = send(res)
		} else if err == errNoID {
			_, err = conn.Write([]byte("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"))
		}
		if err != nil {
			return
		}
	}
}

var jsonType = []string{"application/json"}
