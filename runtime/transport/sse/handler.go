package sse

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Handler serves a server to clients of HTTP+SSE. A GET opens a stream, and with it a session; a
// POST, to the URL that the stream names, is a message in it. The session ends with the stream.
//
// It can be mounted anywhere, usually at /sse, next to a handler of Streamable HTTP for the same server.
type Handler struct {
	// MessagePath is the path to which clients send their messages, if a proxy makes it differ from that of the stream. It
	// must lead to the handler, too. It is set before the handler is used.
	MessagePath string

	endpoint *server.Endpoint
	serve    func(context.Context, transport.Transport) error // runs a session: that of server
	opts     streamable.Options
	front    *front.Front
	maxBatch int
	legacy   wire.Revision // one that has sessions, if the server serves any

	places   share.Room // Options.MaxSessions
	sessions sync.Map   // of *session, by id
}

// NewHandler returns a handler for a server. Opts may be nil. They are those of a handler of Streamable HTTP, and may be
// the same. For HTTP+SSE:
//
//   - A session lasts as long as its stream is open, and has a connection, so MaxSessions is 1000 if 0. SessionIdle is
//     how long a session lasts whose client sends nothing: 1 h if 0, but a minute before the first message. A session
//     ends when all identities have ended with which its client opened the stream and sent messages.
//   - MaxBytes limits the messages that arrive or wait to be handled. 64 of a session may wait, each for ReadTimeout.
//   - ReadTimeout and WriteTimeout are 30 s each also if they are negative: neither is ever without limit.
//   - Options about what HTTP+SSE does not have are ignored: streams that can be resumed, requests without a session.
func NewHandler(s *server.Server, opts *streamable.Options) *Handler {
	h := &Handler{endpoint: server.NewEndpoint(s), serve: s.Serve, opts: complete(opts)}
	h.maxBatch = (&peer.Options{Limits: h.endpoint.Limits()}).Complete().MaxBatch
	for _, rev := range h.endpoint.Revisions() {
		if rev < mcp.Modern {
			h.legacy = rev
		}
	}
	o := &h.opts
	h.front = front.New(&front.Options{
		Hosts: o.Hosts, Origins: o.Origins,
		Auth: o.Auth, Address: o.Address, Admit: o.Admit,
		MaxRequests: o.MaxRequests, MaxMessage: o.MaxMessage, MaxBytes: o.MaxBytes,
		ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout, Logger: o.Logger,
		Methods: []string{http.MethodGet, http.MethodPost}, Text: true,
	})
	h.places = share.Room{Max: o.MaxSessions}
	return h
}

// complete returns the options with defaults filled in, but for those that are only for package front.
func complete(o *streamable.Options) streamable.Options {
	c := option.Of(o)
	c.Logger = excerpt.Logger(c.Logger)
	c.MaxSessions = option.Limit(c.MaxSessions, 1000)
	c.SessionIdle = cmp.Or(c.SessionIdle, time.Hour)
	c.KeepAlive = cmp.Or(c.KeepAlive, 25*time.Second)
	c.ReadTimeout = cmp.Or(max(c.ReadTimeout, 0), 30*time.Second)
	c.WriteTimeout = cmp.Or(max(c.WriteTimeout, 0), 30*time.Second)
	return c
}

// sessionParam is the parameter of the URL for messages that names the session.
const sessionParam = "sessionId"

// ServeHTTP implements [http.Handler].
//
// REQ SSE-01
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in := &front.Incoming{R: r}
	if !h.front.Check(w, r) || !h.front.Admit(w, in) {
		return
	}
	defer h.front.Dismiss(in)
	if r.Method == http.MethodGet {
		h.open(w, in)
	} else {
		h.message(w, in)
	}
}

// open serves a session, until its stream breaks.
//
// REQ SSE-02
func (h *Handler) open(w http.ResponseWriter, in *front.Incoming) {
	r := in.R
	if !h.places.Take(in.Owner, 1) {
		h.front.Refuse(w, http.StatusServiceUnavailable, wire.ID{}, front.Unavailable("there are too many sessions"))
		return
	}
	defer h.places.Give(in.Owner, 1)
	s := h.newSession(r.Context(), w, rand.Text(), in.Sender.Principal)
	s.watched = h.front.Guard.Watch(r, &in.Sender, s.end)
	defer s.watched.Stop()
	h.sessions.Store(s.id, s)
	defer h.sessions.Delete(s.id)
	defer s.drop()
	defer s.Close()
	header := w.Header()
	header.Set("Content-Type", eventstream.ContentType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	if err := s.write(r.Context(), eventstream.AppendEvent(nil, eventstream.Event{Type: "endpoint", Data: []byte(h.messageURL(r, s.id))})); err != nil {
		return
	}
	_, end := observed.Begin(r.Context(), h.opts.Observer, &observe.Operation{
		Kind: observe.Stream, HTTP: true, Session: s.id, Address: in.Address, Principal: in.Sender.Principal,
	})
	defer end()
	if err := h.serve(r.Context(), s); err != nil && r.Context().Err() == nil {
		h.opts.Logger.Debug("sse: a session ended", "error", err)
	}
}

// messageURL returns the URL for the messages of a session: by default that of the stream.
func (h *Handler) messageURL(r *http.Request, id string) string {
	path := h.MessagePath
	if path == "" {
		path = r.URL.EscapedPath()
		if u, err := url.ParseRequestURI(r.RequestURI); err == nil {
			path = u.EscapedPath() // as the client knows it
		}
	}
	return path + "?" + sessionParam + "=" + id
}

// find returns the session with that id if it belongs to the principal, else nil.
func (h *Handler) find(id, principal string) *session {
	if v, ok := h.sessions.Load(id); ok && v.(*session).principal == principal {
		return v.(*session)
	}
	return nil
}

// message handles a POST with a message from a client.
func (h *Handler) message(w http.ResponseWriter, in *front.Incoming) {
	id := in.R.URL.Query().Get(sessionParam)
	s := h.find(id, in.Sender.Principal)
	switch {
	case id == "":
		h.front.TurnAway(w, in.R, http.StatusBadRequest, front.Invalid("the URL names no session; messages go where the event endpoint says"))
		return
	case s == nil:
		h.front.TurnAway(w, in.R, http.StatusNotFound, front.Invalid("there is no such session"))
		return
	case !h.front.Read(w, in):
		return
	}
	if e, ok := in.Err.(*jsonrpc.Error); ok && in.Msg.Kind == jsonrpc.Invalid {
		h.front.JSON(w, http.StatusBadRequest, jsonrpc.AppendError(nil, wire.ID{}, e), make([]string, 1))
		return
	}
	from := in.Origin()
	if in.Msg.Kind == jsonrpc.Batch || h.endpoint.Scoped(in.Msg.Method) {
		// The revision of the session may be another, but scopes are the same in all.
		if _, ok := h.front.Permit(w, in, h.endpoint, &transport.Request{Origin: from, Revision: h.legacy}, h.maxBatch); !ok {
			return
		}
	}
	s.watched.Extend(in.R, &in.Sender)
	m := message{data: in.Body, from: &from, owner: in.Owner, size: in.Held}
	switch s.take(in.R.Context(), m, h.opts.ReadTimeout) {
	case nil:
		in.Held = 0 // until it is received
		h.front.Status(w, http.StatusAccepted)
	case errBusy:
		h.front.Refuse(w, http.StatusServiceUnavailable, wire.ID{}, front.Unavailable("the session does not keep up with its messages"))
	default:
		h.front.Refuse(w, http.StatusNotFound, wire.ID{}, front.Invalid("the session has ended"))
	}
}
