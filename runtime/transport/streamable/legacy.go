package streamable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Through 2025-11-25 initialize opens a session, and everything else belongs to one.

// codeLegacyMismatch is the error for headers that differ from a request in a session. 2026-07-28 has another code
// for it.
const codeLegacyMismatch = -32001

// assumed is the revision of a request that names none and has no session.
const assumed = mcp.V2025_03_26

func (h *Handler) postLegacy(w http.ResponseWriter, in *incoming) {
	// REQ SESS-14
	if err := h.checkVersion(in.version); err != nil {
		h.refuse(w, http.StatusBadRequest, in.id(), invalid(err.Error()))
		return
	}
	m := &in.msg
	if !h.headersFit(w, in) {
		return
	}
	s, ok := h.sessionFor(w, in)
	if !ok {
		return
	}
	defer h.sessions.release(s)
	batch := m.Kind == jsonrpc.Batch && mcp.HasBatches(s.revision())
	switch {
	case batch:
	// REQ HTTP-11
	case in.err != nil:
		s.peer.Refuse(m, in.err)
		h.refuseMessage(w, in)
		return
	case m.Kind != jsonrpc.Request:
		_, err := s.peer.Accept(in.r.Context(), s.request(in), m) // there is nothing to run
		s.settle(in)
		if err != nil {
			s.refuse(w, wire.ID{})
			return
		}
		// REQ HTTP-10
		h.writeStatus(w, http.StatusAccepted)
		return
	}
	scopes, ok := s.permit(w, in)
	if !ok {
		return
	}
	x := &response{
		stream: stream{h: h}, w: w,
		id: m.ID, json: in.json, events: h.mayStream(in), failure: http.StatusOK,
		grant: h.grantOf(in, scopes),
	}
	if s.id != "" {
		x.session = s
	} else {
		x.alone = s
	}
	if batch {
		x.failure = http.StatusBadRequest
	}
	if !h.begin(x) {
		h.refuse(w, http.StatusServiceUnavailable, m.ID, unavailable(errEnding.Error()))
		return
	}
	ctx := context.WithoutCancel(in.r.Context())
	polling := h.opts.Polling && s.revision() >= mcp.V2025_11_25
	if !polling && !x.mayBeSuspended() {
		s.handle(ctx, x, in, batch)
		return
	}
	closed, done := make(chan struct{}), make(chan struct{})
	x.closed = closed
	if polling && s.id != "" {
		ctx = context.WithValue(ctx, responseKey{}, x)
	}
	own := *in // which outlives the HTTP request
	in.moved = true
	h.sessions.hold(s)
	go func() {
		defer close(done)
		defer h.dismiss(&own)
		defer h.sessions.release(s)
		s.handle(ctx, x, &own, batch)
	}()
	select {
	case <-done:
	case <-closed:
	}
}

// sessionFor returns the session of a request, marked as in use. If there is none, it writes the response.
func (h *Handler) sessionFor(w http.ResponseWriter, in *incoming) (*liveSession, bool) {
	// REQ BATCH-03
	opens := in.err == nil && in.msg.Kind == jsonrpc.Request && in.msg.Method == mcp.MethodInitialize.Name
	if h.opts.Stateless {
		return h.statelessSession(in), true
	}
	id, err := mcpheader.Single(in.r.Header, mcpheader.SessionID)
	switch {
	case err != nil:
		h.refuse(w, http.StatusBadRequest, in.id(), invalid(err.Error()))
	case id != nil:
		s := h.sessions.use(*id, in.sender.Principal)
		if s == nil && h.opts.Member != nil {
			if s, err = h.sessions.restore(in.r.Context(), in, *id); errors.Is(err, errHeld) && h.opts.Elsewhere != nil {
				r := in.r.Clone(in.r.Context())
				r.Body = io.NopCloser(bytes.NewReader(in.body))
				h.opts.Elsewhere.ServeHTTP(w, r)
				return nil, false
			}
			if err != nil {
				h.refuse(w, http.StatusServiceUnavailable, in.id(), unavailable(err.Error()))
				return nil, false
			}
		}
		// REQ SESS-07
		if s == nil {
			h.refuse(w, http.StatusNotFound, in.id(), errNoSession())
		}
		return s, s != nil
	case opens:
		s, err := h.sessions.open(in.sender.Principal, in.owner)
		if err != nil {
			h.refuse(w, http.StatusServiceUnavailable, in.id(), unavailable(err.Error()))
		}
		return s, err == nil
	case in.err != nil && in.msg.Kind != jsonrpc.Batch:
		h.refuseMessage(w, in)
	default:
		h.refuse(w, http.StatusBadRequest, in.id(), invalid("the header "+mcpheader.SessionID+" is missing: send initialize first, or say in every request which revision it follows"))
	}
	return nil, false
}

func errNoSession() *jsonrpc.Error {
	return invalid("the session does not exist, or has ended: send initialize without " + mcpheader.SessionID)
}

// statelessSession returns a session for one request only.
func (h *Handler) statelessSession(in *incoming) *liveSession {
	s := h.newSession("", in.sender.Principal, h.singleLimits, nil)
	rev, err := wire.ParseRevision(in.version)
	if err != nil {
		rev = assumed
	}
	s.assumed = rev
	return s
}

// headersFit compares the headers that repeat parts of a message with the message. If they differ, it writes the
// response.
func (h *Handler) headersFit(w http.ResponseWriter, in *incoming) bool {
	m := &in.msg
	var err error
	switch {
	case m.Kind == jsonrpc.Batch:
		err = h.headersFitBatch(in.r.Header)
	case in.err == nil && !m.IsResponse():
		err = mcpheader.Check(in.r.Header, m.Method, m.Params, h.opts.RequireHeaders && m.Kind == jsonrpc.Request && m.Method != mcp.MethodInitialize.Name)
	}
	if err != nil {
		h.refuse(w, http.StatusBadRequest, m.ID, &jsonrpc.Error{Code: codeLegacyMismatch, Message: "header mismatch: " + err.Error()})
	}
	return err == nil
}

// headersFitBatch refuses headers that repeat parts of one request, since an intermediary that decides by them
// would not see the rest of the batch.
func (h *Handler) headersFitBatch(header http.Header) error {
	for _, name := range []string{mcpheader.Method, mcpheader.Name} {
		if len(header[name]) > 0 {
			return fmt.Errorf("the header %s is that of a single request, but the body is a batch", name)
		}
	}
	if h.opts.RequireHeaders {
		return fmt.Errorf("the header %s is missing, and a batch cannot have it: send its messages one by one", mcpheader.Method)
	}
	return nil
}

// handle handles a request or a batch.
func (s *liveSession) handle(ctx context.Context, x *response, in *incoming, batch bool) {
	defer s.h.finish(x)
	defer x.finish(false)
	opening := s.id != "" && s.mcp.Revision() == 0
	if opening {
		x.w.Header()[mcpheader.SessionID] = []string{s.id}
	}
	as := s.request(in)
	as.Stream = x
	if !x.events {
		as.Out = peer.OnlyResponse
	}
	var task peer.Task
	var err error
	if batch {
		// REQ BATCH-05
		task, err = s.peer.AcceptBatch(ctx, as, in.body)
	} else {
		task, err = s.peer.Accept(ctx, as, &in.msg)
	}
	if task != nil {
		task.Run(ctx)
	}
	s.settle(in)
	if task == nil {
		s.answerUnanswered(x, in, err)
	}
	if opening && (s.mcp.Revision() == 0 || !s.wasStored()) {
		s.h.sessions.remove(s)
	}
}

// settle waits for the handlers of notifications if there is no session, so that nothing outlives the HTTP request.
// If the HTTP request ends first, it ends their contexts.
func (s *liveSession) settle(in *incoming) {
	if s.id == "" {
		s.peer.Shutdown(in.r.Context())
	}
}

// refuse refuses a request because the session has ended, perhaps in this process alone.
func (s *liveSession) refuse(w http.ResponseWriter, id wire.ID) {
	if s.stored != nil {
		s.h.refuse(w, http.StatusServiceUnavailable, id, unavailable(errUnavailable.Error()))
	} else {
		s.h.refuse(w, http.StatusNotFound, id, errNoSession())
	}
}

// answerUnanswered responds to the requests that the peer has not responded to.
func (s *liveSession) answerUnanswered(x *response, in *incoming, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	// REQ BATCH-05
	if x.answered || x.begun {
		return
	}
	x.answered = true
	switch rpc, refused := err.(*jsonrpc.Error); {
	case err == nil:
		// REQ BATCH-04
		s.h.writeStatus(x.w, http.StatusAccepted) // a batch without requests
	case !refused:
		s.refuse(x.w, in.msg.ID)
	case rpc.Code == jsonrpc.CodeInternalError:
		s.h.refuse(x.w, http.StatusServiceUnavailable, in.msg.ID, rpc)
	default:
		s.h.refuse(x.w, http.StatusBadRequest, in.msg.ID, rpc)
	}
}

// get opens a stream for messages that belong to no request, or resumes a stream.
func (h *Handler) get(w http.ResponseWriter, r *http.Request) {
	in := incoming{r: r}
	s, ok := h.sessionOf(w, &in)
	if !ok {
		return
	}
	defer h.dismiss(&in)
	defer h.sessions.release(s)
	// REQ HTTP-25
	if _, events := accepted(r); !events {
		h.refuse(w, http.StatusNotAcceptable, wire.ID{}, invalid("a stream is text/event-stream; Accept must list it"))
		return
	}
	last, err := mcpheader.Single(r.Header, mcpheader.LastEventID)
	if err != nil {
		h.refuse(w, http.StatusBadRequest, wire.ID{}, invalid(err.Error()))
		return
	}
	gone := make(chan struct{})
	out := &output{w: w, gone: gone, leaves: h.mayDetach(w, r)}
	var f *stream
	if last == nil || *last == "" {
		f = s.openStream(r.Context(), w, out)
	} else {
		f = s.resumeStream(w, &in, out, *last)
	}
	if f == nil {
		return
	}
	watched := h.guard.Watch(r, &in.sender, nil, func() { f.suspendOutput(out) })
	_, ended := observed.Begin(r.Context(), h.opts.Observer, &observe.Operation{
		Kind: observe.Stream, HTTP: true, Session: s.id, Address: in.address, Principal: in.sender.Principal, Revision: s.revision(),
	})
	end := func() {
		watched.Stop()
		s.closeOutput(f, out)
		ended()
	}
	if s.detach(f, out, &in, end) {
		return
	}
	defer end()
	select {
	case <-gone:
	case <-r.Context().Done():
	}
}

// delete ends a session.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) {
	in := incoming{r: r}
	s, ok := h.sessionOf(w, &in)
	if !ok {
		return
	}
	defer h.dismiss(&in)
	defer h.sessions.release(s)
	if err := s.forget(r.Context()); err != nil {
		h.refuse(w, http.StatusServiceUnavailable, wire.ID{}, unavailable(err.Error()))
		return
	}
	h.sessions.remove(s)
	h.writeStatus(w, http.StatusNoContent)
}

// sessionOf returns the session that a request without a body names, marked as in use. If there is none, it writes
// the response. Otherwise the caller must call dismiss.
func (h *Handler) sessionOf(w http.ResponseWriter, in *incoming) (*liveSession, bool) {
	r := in.r
	if !h.identify(w, in) {
		return nil, false
	}
	version, err := mcpheader.Single(r.Header, mcpheader.ProtocolVersion)
	// REQ SESS-14
	if err == nil && version != nil {
		err = h.checkVersion(*version)
	}
	if err != nil {
		h.refuse(w, http.StatusBadRequest, wire.ID{}, invalid(err.Error()))
		return nil, false
	}
	if !h.admit(w, in) {
		return nil, false
	}
	s, ok := h.sessionFor(w, in)
	if !ok {
		h.dismiss(in)
	}
	return s, ok
}
