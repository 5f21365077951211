package nats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const headerSession = mcp.HeaderSessionID

// at returns the handler of requests whose session the process with that lease has.
func (n *node) at(lease string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.passOn(w, r, lease) })
}

// patienceKey is the key of the time until when it is tried to reach the process that has a session.
type patienceKey struct{}

// passOn passes a request on to the process with that lease, or whichever has the session by now, perhaps this one.
func (n *node) passOn(w http.ResponseWriter, r *http.Request, lease string) {
	until, ok := r.Context().Value(patienceKey{}).(time.Time)
	if !ok {
		until = time.Now().Add(2 * n.cluster.opts.TTL)
		r = r.WithContext(context.WithValue(r.Context(), patienceKey{}, until))
	}
	patience := time.NewTimer(time.Until(until))
	defer patience.Stop()
	p := &passed{w: w, r: r}
	id := r.Header.Get(headerSession)
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		if n.pass(p, lease) {
			return
		}
		var err error
		if lease, err = n.holder(r.Context(), id); err != nil {
			p.refuse(http.StatusServiceUnavailable, "sessions cannot be served at the moment; try again later")
			return
		}
		if lease == "" { // its lease has ended, or this process has the session
			n.mu.Lock()
			h := n.handler
			n.mu.Unlock()
			h.ServeHTTP(w, p.replay())
			return
		}
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
			return
		case <-patience.C:
			p.refuse(http.StatusServiceUnavailable, "the process that has the session cannot be reached; try again later")
			return
		}
	}
}

// holder returns the lease of the other process that has a session; empty if this process should serve it.
func (n *node) holder(ctx context.Context, id string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, n.cluster.opts.TTL)
	defer cancel()
	holder, err := n.cluster.sessions.Holder(ctx, id)
	if own := n.cluster.member.Lease(); own == nil || holder == own.ID() {
		return "", err // the handler knows how to respond
	}
	return holder, err
}

// A passed is a request to pass on.
type passed struct {
	w http.ResponseWriter
	r *http.Request // whose body is in memory

	read bool   // whether the beginning of the body was read
	body []byte // the beginning
	all  bool   // whether the beginning is the whole body
}

// begin reads the beginning of the body.
func (p *passed) begin() {
	if p.read {
		return
	}
	p.read = true
	p.body, _ = io.ReadAll(io.LimitReader(p.r.Body, chunk))
	p.all = len(p.body) < chunk
}

// replay returns the request as if none of its body had been read.
func (p *passed) replay() *http.Request {
	r := p.r.WithContext(p.r.Context())
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(p.body), p.r.Body), p.r.Body}
	return r
}

// refuse responds with an error.
func (p *passed) refuse(status int, why string) {
	p.begin()
	var id wire.ID
	if m, err := jsonrpc.Parse(p.body); p.all && err == nil && m.Kind == jsonrpc.Request {
		id = m.ID
	}
	h := p.w.Header()
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	h.Set("Content-Type", "application/json")
	p.w.WriteHeader(status)
	p.w.Write(jsonrpc.AppendError(nil, id, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: why}))
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
func (n *node) pass(p *passed, lease string) bool {
	p.begin()
	x, err := n.open(lease)
	if err != nil {
		p.refuse(http.StatusServiceUnavailable, "sessions cannot be served at the moment; try again later")
		return true
	}
	n.count(1)
	defer n.count(-1)
	defer n.leave(x)
	defer x.end(context.Canceled)
	data, err := p.opening()
	if err != nil || x.send(frameOpen, data) != nil {
		p.refuse(http.StatusServiceUnavailable, "sessions cannot be served at the moment; try again later")
		return true
	}
	s := &passing{passed: p, x: x}
	defer s.stopRest()
	passed := s.run(n)
	if s.failed {
		n.cluster.sessions.Forget(p.r.Header.Get(headerSession)) // another process may have the session by now
	}
	return passed
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

// stopRest ends sendRest.
func (s *passing) stopRest() {
	if s.rest != nil {
		s.x.end(context.Canceled)
		<-s.rest
	}
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
