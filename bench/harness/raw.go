package harness

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// rawStream drives a newline-delimited JSON server without decoding anything:
// it keeps depth prebuilt requests in flight and counts newlines. The ids have
// a fixed width, so every response must have the length of the first one;
// anything else (an error response, say) is reported.
type rawStream struct {
	in    io.Writer
	out   io.Reader
	req   *RawRequest
	id    uint64
	rbuf  []byte
	wbuf  []byte
	rlen  int // length of one response, newline included
	First string
}

func newRawStream(in io.Writer, out io.Reader, req *RawRequest, proto string) (*rawStream, error) {
	r := &rawStream{in: in, out: out, req: req, rbuf: make([]byte, 1<<20)}
	if proto == Legacy {
		if _, err := io.WriteString(in, InitializeLine+"\n"); err != nil {
			return nil, err
		}
		if _, err := r.line(); err != nil {
			return nil, err
		}
		if _, err := io.WriteString(in, InitializedLine+"\n"); err != nil {
			return nil, err
		}
	}
	if err := r.send(1); err != nil {
		return nil, err
	}
	first, err := r.line()
	if err != nil {
		return nil, err
	}
	if err := req.check(first); err != nil {
		return nil, err
	}
	r.First, r.rlen = string(first), len(first)
	return r, nil
}

// line reads exactly one line (used only while nothing else is in flight).
func (r *rawStream) line() ([]byte, error) {
	n := 0
	for {
		k, err := r.out.Read(r.rbuf[n:])
		if err != nil {
			return nil, err
		}
		n += k
		if r.rbuf[n-1] == '\n' {
			return r.rbuf[:n], nil
		}
		if n == len(r.rbuf) {
			return nil, errors.New("response too long")
		}
	}
}

func (r *rawStream) send(n int) error {
	b := r.wbuf[:0]
	for range n {
		r.id++
		at := len(b)
		b = append(b, r.req.Body...)
		r.req.SetID(b[at:], r.id)
		b = append(b, '\n')
	}
	r.wbuf = b
	_, err := r.in.Write(b)
	return err
}

// pipeRoom is what surely fits into a pipe without its reader running.
const pipeRoom = 48 << 10

// run keeps depth requests in flight for d and returns the responses counted.
// Where a window of requests or responses may not fit into the pipes, requests
// are written by a second goroutine, lest both sides block writing.
func (r *rawStream) run(depth int, d time.Duration) (calls int, lat []time.Duration, wall time.Duration, err error) {
	send := r.send
	if depth*max(r.rlen, len(r.req.Body)) > pipeRoom {
		credits := make(chan int, depth+1)
		sent := make(chan error, 1)
		go func() {
			var err error
			for n := range credits {
				if err == nil {
					err = r.send(n)
				}
			}
			sent <- err
		}()
		defer func() {
			close(credits)
			if e := <-sent; err == nil {
				err = e
			}
		}()
		send = func(n int) error { credits <- n; return nil }
	}
	start := time.Now()
	deadline := start.Add(d)
	if err := send(depth); err != nil {
		return 0, nil, 0, err
	}
	inflight, total := depth, 0
	at := start
	for inflight > 0 {
		k, err := r.out.Read(r.rbuf)
		if err != nil {
			return 0, nil, 0, err
		}
		total += k
		n := bytes.Count(r.rbuf[:k], []byte{'\n'})
		if n == 0 {
			continue
		}
		calls += n
		inflight -= n
		now := time.Now()
		if depth == 1 {
			lat = append(lat, now.Sub(at))
			at = now
		}
		if now.Before(deadline) {
			if err := send(n); err != nil {
				return 0, nil, 0, err
			}
			inflight += n
		}
	}
	wall = time.Since(start)
	if total != calls*r.rlen {
		return 0, nil, 0, fmt.Errorf("responses differ: %d bytes for %d responses, want %d", total, calls, calls*r.rlen)
	}
	return calls, lat, wall, nil
}

// rawHTTP posts prebuilt bodies with a net/http client and discards answers.
type rawHTTP struct {
	url     string
	hc      *http.Client
	req     *RawRequest
	headers []http.Header // used in turn
	calls   atomic.Uint64
	rlen    int64
	bufs    sync.Pool
}

// NewHTTPClient is the one HTTP client configuration used everywhere: enough
// idle connections that none is re-dialled at concurrency 64.
func NewHTTPClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 512
	t.DisableCompression = true
	t.Proxy = nil
	return &http.Client{Transport: t}
}

// baseHeader is what any MCP client sends.
func baseHeader(proto string) http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	h.Set("MCP-Protocol-Version", proto)
	return h
}

// openSession does the legacy handshake and returns the session id, if any.
func openSession(hc *http.Client, url string) (string, error) {
	post := func(body, session string) (*http.Response, error) {
		req, err := http.NewRequest("POST", url, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header = baseHeader(Legacy)
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := hc.Do(req)
		if err != nil {
			return nil, err
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode/100 != 2 {
			return nil, fmt.Errorf("%s: %.200s", resp.Status, b)
		}
		return resp, nil
	}
	resp, err := post(InitializeLine, "")
	if err != nil {
		return "", err
	}
	id := resp.Header.Get("Mcp-Session-Id")
	_, err = post(InitializedLine, id)
	return id, err
}

// A sessionLife is a session from initialize to DELETE, with one call in it.
type sessionLife struct {
	url  string
	hc   *http.Client
	call *RawRequest
}

func (l *sessionLife) run() error {
	id, err := openSession(l.hc, l.url)
	if err != nil {
		return err
	}
	if id == "" {
		return errors.New("initialize opened no session")
	}
	status, answer, err := l.in(id, http.MethodPost, l.call.Body)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("the call has status %d: %.300s", status, answer)
	}
	if err := l.call.check(answer); err != nil {
		return err
	}
	if status, answer, err = l.in(id, http.MethodDelete, nil); err == nil && status/100 != 2 {
		err = fmt.Errorf("the DELETE has status %d: %.300s", status, answer)
	}
	return err
}

// in sends a request in a session, and reads the whole answer.
func (l *sessionLife) in(id, method string, body []byte) (status int, answer []byte, err error) {
	r, err := http.NewRequest(method, l.url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header = baseHeader(Legacy)
	r.Header.Set("Mcp-Session-Id", id)
	resp, err := l.hc.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

func newRawHTTP(url string, req *RawRequest, proto string) (*rawHTTP, string, error) {
	header := baseHeader(proto)
	r := &rawHTTP{url: url, hc: NewHTTPClient(), req: req, headers: []http.Header{header}, rlen: -1}
	r.bufs.New = func() any { return &rawBuf{body: make([]byte, len(req.Body)), sink: make([]byte, 64<<10)} }
	if proto == Legacy {
		id, err := openSession(r.hc, url)
		if err != nil {
			return nil, "", err
		}
		if id != "" {
			header.Set("Mcp-Session-Id", id)
		}
	} else {
		header.Set("Mcp-Method", req.Method)
		if req.ToolName != "" {
			header.Set("Mcp-Name", req.ToolName)
		}
	}
	resp, b, err := r.do()
	if err != nil {
		return nil, "", err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("bad first answer %s: %.300s", resp.Status, b)
	}
	if err := req.check(b); err != nil {
		return nil, "", err
	}
	r.rlen = int64(len(b))
	return r, resp.Header.Get("Content-Type"), nil
}

// in has the calls that follow made in the sessions of these ids, in turn.
func (r *rawHTTP) in(ids []string) {
	headers := make([]http.Header, len(ids))
	for i, id := range ids {
		headers[i] = baseHeader(Legacy)
		if id != "" {
			headers[i].Set("Mcp-Session-Id", id)
		}
	}
	r.headers = headers
}

// next returns the header of the next request, and its id, with which each session counts its own.
func (r *rawHTTP) next() (http.Header, uint64) {
	n, sessions := r.calls.Add(1), uint64(len(r.headers))
	return r.headers[n%sessions], n / sessions
}

type rawBuf struct {
	body, sink []byte
	rd         bytes.Reader
}

func (r *rawHTTP) do() (*http.Response, []byte, error) {
	header, id := r.next()
	body := bytes.Clone(r.req.Body)
	r.req.SetID(body, id)
	hr, _ := http.NewRequest("POST", r.url, bytes.NewReader(body))
	hr.Header = header
	resp, err := r.hc.Do(hr)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, b, err
}

// call posts one request and checks status and length of the answer.
func (r *rawHTTP) call() error {
	buf := r.bufs.Get().(*rawBuf)
	defer r.bufs.Put(buf)
	header, id := r.next()
	copy(buf.body, r.req.Body)
	r.req.SetID(buf.body, id)
	buf.rd.Reset(buf.body)
	hr, err := http.NewRequest("POST", r.url, &buf.rd)
	if err != nil {
		return err
	}
	hr.Header = header
	resp, err := r.hc.Do(hr)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	n := int64(0)
	for {
		k, err := resp.Body.Read(buf.sink)
		n += int64(k)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if resp.StatusCode != 200 || n != r.rlen {
		return fmt.Errorf("unexpected answer: %s, %d bytes, want %d", resp.Status, n, r.rlen)
	}
	return nil
}
