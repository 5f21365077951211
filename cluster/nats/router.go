package nats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A router serves requests that belong to no session or to a session of this process, and passes on the rest.
type router struct {
	node *node
	h    *streamable.Handler

	mu      sync.Mutex
	holders map[string]string // by session: the lease of the process that had it when it was last used
}

const headerSession = mcp.HeaderSessionID

// maxHolders is how many sessions of other processes a process remembers.
const maxHolders = 10_000

// ServeHTTP implements [http.Handler].
func (t *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ids := r.Header[headerSession]
	if len(ids) != 1 || !isToken(ids[0]) || t.h.HasSession(ids[0]) {
		t.h.ServeHTTP(w, r)
		return
	}
	req := &passed{id: ids[0], w: w, r: r, h: t.h}
	defer req.letGo()
	patience := time.NewTimer(2 * t.node.cluster.opts.TTL)
	defer patience.Stop()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		holder, err := t.locate(r.Context(), req.id)
		if err != nil {
			req.refuse(http.StatusServiceUnavailable, "sessions cannot be served at the moment; try again later")
			return
		}
		if holder == "" {
			t.h.ServeHTTP(w, req.replay())
			return
		}
		if t.pass(req, holder) {
			return
		}
		t.forget(req.id)
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
			return
		case <-patience.C:
			req.refuse(http.StatusServiceUnavailable, "the process that has the session cannot be reached; try again later")
			return
		}
	}
}

// locate returns the lease of the other process that has a session; empty if this process should serve it.
func (t *router) locate(ctx context.Context, id string) (string, error) {
	t.mu.Lock()
	holder := t.holders[id]
	t.mu.Unlock()
	if holder != "" {
		return holder, nil
	}
	ctx, cancel := context.WithTimeout(ctx, t.node.cluster.opts.TTL)
	defer cancel()
	holder, err := t.node.holder(ctx, id)
	if err != nil {
		return "", err
	}
	own := t.node.cluster.member.Lease()
	if own == nil || holder == own.ID() {
		return "", nil // the handler knows how to respond
	}
	if holder != "" {
		t.mu.Lock()
		if len(t.holders) >= maxHolders {
			clear(t.holders)
		}
		t.holders[id] = holder
		t.mu.Unlock()
	}
	return holder, nil
}

func (t *router) forget(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.holders, id)
}

// A passed is a request to pass on.
type passed struct {
	id string
	w  http.ResponseWriter
	r  *http.Request
	h  *streamable.Handler // whose limits hold

	read    bool    // whether the beginning of the body was read
	body    []byte  // the beginning, until the request is let go
	all     bool    // whether the beginning is the whole body
	request wire.ID // of the JSON-RPC request, absent if the body is not a request
	release func()  // of the room for the beginning; nil if there is none
}

// begin reads the beginning of the body. If it cannot, it responds, and returns false.
func (p *passed) begin() bool {
	if p.read {
		return true
	}
	p.body, p.release, p.read = p.h.ReadAhead(p.w, p.r, chunk)
	p.all = len(p.body) < chunk
	if m, err := jsonrpc.Parse(p.body); p.all && err == nil && m.Kind == jsonrpc.Request {
		p.request = m.ID
		if s, ok := m.ID.Str(); ok {
			p.request = wire.StringID(strings.Clone(s)) // without the body
		}
	}
	return p.read
}

// letGo is called when the request will not be passed on again.
func (p *passed) letGo() {
	if p.release != nil {
		p.release()
		p.body, p.release = nil, nil
	}
}

// replay returns the request as if none of its body had been read.
func (p *passed) replay() *http.Request {
	if !p.read {
		return p.r
	}
	r := p.r.WithContext(p.r.Context())
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(p.body), p.r.Body), p.r.Body}
	p.letGo()
	return r
}

func (p *passed) refuse(status int, why string) {
	if p.begin() { // for the id of the request
		refuse(p.w, status, p.request, why)
	}
}

// refuse responds with an error.
func refuse(w http.ResponseWriter, status int, id wire.ID, why string) {
	h := w.Header()
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(jsonrpc.AppendError(nil, id, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: why}))
}

func (p *passed) opening() ([]byte, error) {
	local, _ := p.r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	o := opening{
		Method: p.r.Method, Target: *p.r.URL, URI: p.r.RequestURI, Host: p.r.Host, Header: p.r.Header, Remote: p.r.RemoteAddr,
		TLS: p.r.TLS != nil, Length: p.r.ContentLength, Whole: p.all, Body: p.body,
	}
	o.Target.User = nil // which JSON would not keep
	if local != nil {
		o.Local = local.String()
	}
	return json.Marshal(o)
}

// pass passes a request on to the process that has a lease, and reports whether that process, or this one in its place,
// has responded. If not, the other process has not handled the request, and will not.
func (t *router) pass(p *passed, lease string) bool {
	if !p.begin() {
		return true
	}
	x, err := t.node.open(lease)
	if err != nil {
		p.refuse(http.StatusServiceUnavailable, "sessions cannot be served at the moment; try again later")
		return true
	}
	t.node.count(1)
	defer t.node.count(-1)
	defer t.node.leave(x)
	defer x.end(context.Canceled)
	data, err := p.opening()
	if err != nil || x.send(frameOpen, data) != nil {
		p.refuse(http.StatusServiceUnavailable, "sessions cannot be served at the moment; try again later")
		return true
	}
	s := &passing{passed: p, x: x}
	defer s.stopRest()
	defer func() {
		if s.failed {
			t.forget(p.id) // another process may have the session by now
		}
	}()
	return s.run(t.node)
}

// A passing is a request that is being passed on.
type passing struct {
	*passed
	x        *exchange
	accepted bool
	begun    bool // the response has begun
	failed   bool // see fail

	rest chan struct{} // closed when sendRest has ended; nil if it has not begun
}

func (s *passing) run(n *node) bool {
	idle := time.NewTimer(silent)
	defer idle.Stop()
	unheard := time.NewTimer(n.cluster.opts.TTL) // a process that is alive accepts at once
	defer unheard.Stop()
	var leaving chan struct{}
	if s.r.Method == http.MethodGet {
		leaving = n.leaving
	}
	for {
		select {
		case <-leaving:
			s.x.send(frameCancel, nil)
			return true
		case f := <-s.x.in:
			idle.Reset(silent)
			if over, passed := s.take(f); over {
				return passed
			}
		case <-s.r.Context().Done():
			s.x.send(frameCancel, nil)
			return true
		case <-unheard.C:
			if !s.accepted {
				s.x.send(frameCancel, nil)
				return s.fail(errLost)
			}
		case <-idle.C:
			s.x.send(frameCancel, nil)
			return s.fail(errLost)
		case <-s.x.ctx.Done():
			select {
			case f := <-s.x.in: // it arrived before the end
				if over, passed := s.take(f); over {
					return passed
				}
			default:
				return s.fail(context.Cause(s.x.ctx))
			}
		}
	}
}

// take handles a frame, and reports whether the exchange is over, and if so, whether there was a response.
func (s *passing) take(f frame) (over, passed bool) {
	switch f.kind {
	case frameMoved:
		return true, false
	case frameAccept:
		s.accepted = true
		s.letGo()
		if !s.all {
			s.rest = make(chan struct{})
			go s.sendRest()
		}
	case frameHead:
		var head head
		if json.Unmarshal(f.data, &head) != nil {
			return true, s.fail(errFrame)
		}
		for name, values := range head.Header {
			s.w.Header()[name] = values
		}
		s.begun = true
		s.w.WriteHeader(head.Status)
		s.flush()
	case frameData:
		s.deadline(time.Now().Add(silent / 2))
		_, err := s.w.Write(f.data)
		if err == nil {
			err = s.flush()
		}
		s.deadline(time.Time{})
		if err != nil {
			s.x.send(frameCancel, nil)
			return true, true
		}
		s.x.take()
	case frameEnd:
		return true, true
	}
	return false, false
}

func (s *passing) flush() error {
	if err := http.NewResponseController(s.w).Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

func (s *passing) deadline(at time.Time) { http.NewResponseController(s.w).SetWriteDeadline(at) }

// stopRest ends sendRest, which may be waiting for a body that will not arrive and is no longer needed.
func (s *passing) stopRest() {
	if s.rest == nil {
		return
	}
	s.x.end(context.Canceled)
	select {
	case <-s.rest:
		return
	default:
	}
	s.w.Header().Set("Connection", "close")
	http.NewResponseController(s.w).SetReadDeadline(time.Unix(1, 0))
	<-s.rest
}

// sendRest sends the rest of the body.
func (s *passing) sendRest() {
	defer close(s.rest)
	buf := make([]byte, chunk)
	for {
		n, err := s.r.Body.Read(buf)
		if n > 0 && s.x.sendBody(frameBody, buf[:n], time.Time{}) != nil {
			return
		}
		if err == io.EOF {
			s.x.send(frameLast, nil)
			return
		}
		if err != nil {
			s.x.send(frameCancel, nil)
			return
		}
	}
}

// fail is called when the exchange has ended before its response. It reports whether the client has a response now;
// if not, the request may be passed on again.
func (s *passing) fail(why error) bool {
	s.failed = true
	switch {
	case s.begun:
		panic(http.ErrAbortHandler) // the client notices, and resumes the stream
	case s.accepted:
		s.refuse(http.StatusBadGateway, errDead.Error())
		return true
	case errors.Is(why, errNobody), errors.Is(why, errReset), errors.Is(why, errGone): // before it was accepted
		return false
	case errors.Is(why, errDead) && s.r.Method != http.MethodPost: // it may have begun, but it is safe to repeat
		return false
	}
	if s.r.Method != http.MethodPost {
		s.refuse(http.StatusServiceUnavailable, why.Error())
		return true
	}
	s.refuse(http.StatusBadGateway, why.Error()+"; it is not known whether the request was handled")
	return true
}
