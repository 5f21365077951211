package streamable

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/outlet"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Through 2025-11-25 initialize opens a session, and everything else belongs to one. A POST brings one message, or in 2025-03-26 a
// batch, to the peer of its session, which correlates it as it does over a pipe; only the responses take another way, each back
// to the POST of its request. A GET opens a stream for what belongs to no request, or resumes one (resume.go). A DELETE ends
// the session.
//
// A dropped connection does not cancel a request: its context is not that of the HTTP request. With polling, or when the
// identity of its sender may end before it does, the request goes on in a goroutine of its own, and the client resumes its
// stream.
//
// A handler without sessions (Options.Stateless) makes a session for each request, which ends with it.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http

// codeLegacyMismatch is the error for headers that differ from a request in a session. 2026-07-28 has another code
// for it.
const codeLegacyMismatch = -32001

// assumed is the revision of a request that names none and has no session.
const assumed = mcp.V2025_03_26

// postLegacy serves a POST in a session, or the initialize that opens one. Only requests, and batches, have a response with a
// body. In polling, and if the identity may end before the request, the request goes on in a goroutine of its own.
//
// REQ HTTP-11, HTTP-10
func (h *Handler) postLegacy(w http.ResponseWriter, in *incoming) {
	m := &in.Msg
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
	case in.Err != nil:
		// If it looks like a response, the call that waits for it fails; the sender is told in any case.
		s.peer.Refuse(m, in.Err)
		h.refuseMessage(w, in)
		return
	case m.Kind != jsonrpc.Request:
		_, err := s.peer.Accept(in.R.Context(), s.request(in), m) // there is nothing to run
		s.settle(in)
		if err != nil {
			s.refuse(w, wire.ID{}, errUnavailable)
			return
		}
		// The specification wants 202 without a body for notifications and responses.
		h.front.Status(w, http.StatusAccepted)
		return
	}
	scopes, ok := s.permit(w, in)
	if !ok {
		return
	}
	x := &response{
		stream: stream{h: h}, w: w,
		id: m.ID, json: in.json, events: h.mayStream(in), failure: http.StatusOK,
		watched: h.front.Guard.NewWatch(in.R, &in.Sender, scopes),
	}
	if s.id != "" {
		x.session = s
	} else {
		x.alone = s
	}
	if batch {
		// An error that is not in an array says that the batch itself is invalid.
		x.failure = http.StatusBadRequest
	}
	// Shutdown waits for the request from here until handle has returned.
	if !h.begin(x) {
		h.front.Refuse(w, http.StatusServiceUnavailable, m.ID, front.Unavailable(errEnding.Error()))
		return
	}
	ctx := context.WithoutCancel(in.R.Context())
	polling := h.opts.Polling && s.revision() >= mcp.V2025_11_25
	if !polling && !x.mayBeSuspended() {
		s.handle(ctx, x, in, batch)
		return
	}
	done := make(chan struct{})
	if polling && s.id != "" {
		ctx = context.WithValue(ctx, responseKey{}, x)
	}
	own := *in // which outlives the HTTP request; a copy made before Moved is set, so that the goroutine dismisses it
	// From here on the goroutine owns what the HTTP request holds, and uses the session like another request.
	in.Moved = true
	h.sessions.hold(s)
	go func() {
		defer close(done)
		defer h.front.Dismiss(&own.Incoming)
		defer h.sessions.release(s)
		s.handle(ctx, x, &own, batch)
	}()
	select {
	case <-done:
	// The stream was suspended, or could not be written to. The handler goes on.
	case <-x.outlet.Done():
	}
}

// sessionFor returns the session of a request, marked as in use. If there is none, it writes the response: status 400 if the
// request names none although it needs one, 404 if there is not the one that it names, 503 if no other one can be opened. The
// version in the header is checked before a session is opened, but for one that is named only after it was found.
//
// REQ BATCH-03
func (h *Handler) sessionFor(w http.ResponseWriter, in *incoming) (*liveSession, bool) {
	// There is always a session; an invalid version, which it ignores, is refused by versionFits.
	if h.opts.Stateless {
		return h.statelessSession(in), h.versionFits(w, in)
	}
	id, err := mcpheader.Single(mcpheader.Map(in.R.Header), mcpheader.SessionID)
	opens := in.Err == nil && in.Msg.Kind == jsonrpc.Request && in.Msg.Method == mcp.MethodInitialize.Name
	switch {
	case err != nil:
		h.front.Refuse(w, http.StatusBadRequest, in.ID(), front.Invalid(err.Error()))
	case id != nil:
		return h.sessionOf(w, in, *id)
	case !h.versionFits(w, in):
	case opens:
		s, err := h.sessions.open(in.R.Context(), in.Sender.Principal, in.Owner)
		if err != nil {
			h.front.Refuse(w, http.StatusServiceUnavailable, in.ID(), front.Unavailable(err.Error()))
		}
		return s, err == nil
	case in.Err != nil && in.Msg.Kind != jsonrpc.Batch:
		h.refuseMessage(w, in)
	default:
		h.front.Refuse(w, http.StatusBadRequest, in.ID(), front.Invalid("the header "+mcpheader.SessionID+" is missing: send initialize first, or say in every request which revision it follows"))
	}
	return nil, false
}

// sessionOf is sessionFor for a request that names a session.
//
// REQ SESS-07
func (h *Handler) sessionOf(w http.ResponseWriter, in *incoming, id string) (s *liveSession, ok bool) {
	s = h.sessions.use(id, in.Sender.Principal)
	if s == nil && h.opts.Sessions != nil {
		var err error
		if s, err = h.sessions.find(in.R.Context(), in, id); err != nil {
			h.refuseSession(w, in, err)
			return nil, false
		}
	}
	if s == nil {
		// The specification wants 404, by which the client knows that it has to begin a new session.
		h.front.Refuse(w, http.StatusNotFound, in.ID(), errNoSession())
		return nil, false
	}
	if ok = h.versionFits(w, in); !ok { // only now: the handler that has the session may serve other revisions
		h.sessions.release(s)
	}
	return s, ok
}

// refuseSession responds to a request whose session is not served here, or has it served where the session is.
func (h *Handler) refuseSession(w http.ResponseWriter, in *incoming, err error) {
	e, ok := err.(*ElsewhereError)
	if !ok || e.Handler == nil {
		h.front.Refuse(w, http.StatusServiceUnavailable, in.ID(), front.Unavailable(err.Error()))
		return
	}
	r := in.R
	if r.Method == http.MethodPost {
		// A shallow copy: the request belongs to net/http, and its body has been read.
		r = r.WithContext(r.Context())
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(in.Body)), int64(len(in.Body))
	}
	h.front.Undo(w)
	e.Handler.ServeHTTP(w, r)
}

// errNoSession comes with the status 404, by which clients know that they must begin a new session. It does not say whether
// there ever was one with that id, or whose it is.
func errNoSession() *jsonrpc.Error {
	return front.Invalid("the session does not exist, or has ended: send initialize without " + mcpheader.SessionID)
}

// statelessSession returns a session for one request only.
func (h *Handler) statelessSession(in *incoming) *liveSession {
	s := h.newSession("", in.Sender.Principal, nil)
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
	m := &in.Msg
	var err error
	switch {
	case m.Kind == jsonrpc.Batch:
		err = headersFitBatch(in.R.Header)
	case in.Err == nil && !m.IsResponse():
		err = mcpheader.Check(mcpheader.Map(in.R.Header), m.Method, m.Params, false)
	}
	if err != nil {
		h.front.Refuse(w, http.StatusBadRequest, m.ID, &jsonrpc.Error{Code: codeLegacyMismatch, Message: "header mismatch: " + err.Error()})
	}
	return err == nil
}

// headersFitBatch refuses headers that repeat parts of one request, since an intermediary that decides by them
// would not see the rest of the batch.
func headersFitBatch(header http.Header) error {
	for _, name := range []string{mcpheader.Method, mcpheader.Name} {
		if len(header[name]) > 0 {
			return fmt.Errorf("the header %s is that of a single request, but the body is a batch", name)
		}
	}
	return nil
}

// get opens a stream for messages that belong to no request, or resumes a stream.
//
// REQ HTTP-25
func (h *Handler) get(w http.ResponseWriter, in *incoming) {
	r := in.R
	s, ok := h.sessionFor(w, in)
	if !ok {
		return
	}
	defer h.sessions.release(s)
	if _, events := front.Accepted(r); !events {
		h.front.Refuse(w, http.StatusNotAcceptable, wire.ID{}, front.Invalid("a stream is text/event-stream; Accept must list it"))
		return
	}
	last, err := mcpheader.Single(r.Header, mcpheader.LastEventID)
	if err != nil {
		h.front.Refuse(w, http.StatusBadRequest, wire.ID{}, front.Invalid(err.Error()))
		return
	}
	out := new(outlet.Outlet)
	var f *stream
	// An empty id is that of no event, as for the EventSource of a browser.
	if last == nil || *last == "" {
		f = s.openStream(w, in, out)
	} else {
		f = s.resumeStream(w, in, out, *last)
	}
	if f == nil {
		return
	}
	// When the identity ends, or loses the scopes that the stream requires, only this response does: the client may resume the
	// stream with another identity.
	scopes, _ := streamScopes(f.name)
	watched := h.front.Guard.NewWatch(r, &in.Sender, scopes)
	watched.Start(func() { s.closeOutlet(f, out) })
	_, ended := observed.Begin(r.Context(), h.opts.Observer, &observe.Operation{
		Kind: observe.Stream, HTTP: true, Session: s.id, Address: in.Address, Principal: in.Sender.Principal, Revision: s.revision(),
	})
	// For the end of the stream, which may come after get has returned and given up its own use.
	h.sessions.hold(s)
	h.stayOpen(in, out, func() {
		watched.Stop()
		s.closeOutlet(f, out)
		ended()
		h.sessions.release(s)
	})
}

// delete ends a session.
func (h *Handler) delete(w http.ResponseWriter, in *incoming) {
	s, ok := h.sessionFor(w, in)
	if !ok {
		return
	}
	defer h.sessions.release(s)
	// The keeper first: if it fails, the session is still there, and the client can send the request again.
	if s.kept != nil {
		if err := s.kept.end(in.R.Context()); err != nil {
			h.refuseSession(w, in, err)
			return
		}
	}
	h.sessions.remove(s)
	h.front.Status(w, http.StatusNoContent)
}
