package sse

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/accesslog"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webguard"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Handler serves a server to clients of HTTP+SSE. A GET opens a stream, and with it a session; a
// POST, to the URL that the stream names, is a message in it. The session ends with the stream.
//
// It can be mounted anywhere, usually at /sse, next to a handler of Streamable HTTP for the same server.
type Handler struct {
	endpoint *server.Endpoint
	serve    func(context.Context, transport.Transport) error // runs a session: that of server
	opts     Options
	pages    webguard.Guard
	guard    webauth.Guard

	refusals webguard.Refusals

	maxBatch int

	places share.Room // Options.MaxSessions
	bodies share.Room // Options.MaxBytes

	sessions sync.Map // of *session, by id
}

// NewHandler returns a handler for a server. Opts may be nil.
func NewHandler(s *server.Server, opts *Options) *Handler {
	h := &Handler{endpoint: server.NewEndpoint(s), serve: s.Serve, opts: opts.complete()}
	h.maxBatch = (&peer.Options{Limits: h.endpoint.Limits()}).Complete().MaxBatch
	h.refusals.Logger = h.opts.Logger
	h.pages = webguard.Guard{Hosts: h.opts.Hosts, Origins: h.opts.Origins, LoopbackOrigins: h.opts.LoopbackOrigins, Methods: methods}
	h.guard = webauth.Guard{Auth: h.opts.Auth, Principal: h.opts.Principal, Address: h.opts.Address, Timeout: h.opts.WriteTimeout, Logger: h.opts.Logger, Refusals: &h.refusals}
	h.places = share.Room{Max: h.opts.MaxSessions, Percent: h.opts.Share}
	h.bodies = share.Room{Max: h.opts.MaxBytes, Percent: h.opts.Share}
	return h
}

// methods lists the methods that the endpoint accepts.
const methods = "GET, POST"

// sessionParam is the parameter of the URL for messages that names the session.
const sessionParam = "sessionId"

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.opts.AccessLog == nil {
		h.respondTo(w, r)
		return
	}
	a := accesslog.New(w)
	defer func() { a.Log(h.opts.AccessLog, r, r.URL.Query().Get(sessionParam)) }()
	h.respondTo(a, r)
}

// respondTo is ServeHTTP inside the access log.
func (h *Handler) respondTo(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		// Until the body has been read: package net/http waits for it before it answers, and afterwards.
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.opts.ReadTimeout))
		if r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close")
		}
	}
	// REQ SSE-05
	if err := h.pages.Check(w.Header(), r); err != nil {
		h.refusals.Log(slog.LevelWarn, r, err)
		h.refuse(w, err.Error(), http.StatusForbidden)
		return
	}
	// REQ SSE-01
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		if webguard.IsPreflight(r) {
			h.pages.Preflight(w.Header(), r)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Allow", methods)
		h.refuse(w, "this endpoint takes "+methods, http.StatusMethodNotAllowed)
		return
	}
	sender, ok := h.identify(w, r)
	if !ok {
		return
	}
	from := h.origin(r, &sender)
	accesslog.NoteSender(w, from.Principal, from.Address)
	if !h.admit(w, r, from) {
		return
	}
	// REQ SSE-01
	if r.Method == http.MethodGet {
		h.open(w, r, &sender, from)
	} else {
		h.message(w, r, &sender, from)
	}
}

// admit reports whether [Options.Admit] admits a request. If not, it writes the response.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request, from *transport.Origin) bool {
	if h.opts.Admit == nil {
		return true
	}
	refused := h.opts.Admit(*from)
	if refused == nil {
		return true
	}
	h.refusals.Log(slog.LevelInfo, r, refused)
	w.Header().Set("Retry-After", webguard.RetryAfter(refused.RetryAfter))
	h.respond(w, http.StatusTooManyRequests, "application/json", jsonrpc.AppendError(nil, wire.ID{}, refused.Err))
	return false
}

// open serves a session, until its stream breaks.
func (h *Handler) open(w http.ResponseWriter, r *http.Request, sender *webauth.Sender, from *transport.Origin) {
	if !h.places.Take(owner(from), 1) {
		w.Header().Set("Retry-After", "1")
		h.refuse(w, "there are too many sessions", http.StatusServiceUnavailable)
		return
	}
	defer h.places.Give(owner(from), 1)
	s := newSession(r.Context(), &h.opts, w, from.Principal, &h.bodies)
	s.watched = h.guard.Watch(r, sender, nil, s.end)
	defer s.watched.Stop()
	id := rand.Text()
	s.id = id
	h.sessions.Store(id, s)
	defer h.sessions.Delete(id)
	defer s.drop()
	defer s.Close()
	stop := s.watch(r.Context())
	defer stop()
	header := w.Header()
	header.Set("Content-Type", eventstream.ContentType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	// REQ SSE-02
	if err := s.write(r.Context(), eventstream.AppendEvent(nil, eventstream.Event{Type: "endpoint", Data: []byte(h.messageURL(r, id))})); err != nil {
		return
	}
	_, end := observed.Begin(r.Context(), h.opts.Observer, &observe.Operation{
		Kind: observe.Stream, HTTP: true, Session: id, Address: from.Address, Principal: from.Principal,
	})
	defer end()
	if err := h.serve(r.Context(), s); err != nil && r.Context().Err() == nil {
		h.opts.Logger.Debug("sse: a session ended", "error", err)
	}
}

// messageURL returns the URL for the messages of a session: by default that of the stream.
func (h *Handler) messageURL(r *http.Request, id string) string {
	path := h.opts.MessagePath
	if path == "" {
		path = r.URL.EscapedPath()
		if u, err := url.ParseRequestURI(r.RequestURI); err == nil {
			path = u.EscapedPath() // as the client knows it
		}
	}
	return path + "?" + sessionParam + "=" + id
}

// origin returns the Origin of a request.
func (h *Handler) origin(r *http.Request, sender *webauth.Sender) *transport.Origin {
	from := &transport.Origin{Identity: sender.Identity, Principal: sender.Principal, Address: r.RemoteAddr, Header: r.Header}
	if h.opts.Address != nil {
		from.Address = h.opts.Address(r)
	}
	return from
}

// find returns the session with that id if it belongs to the principal, else nil.
func (h *Handler) find(id, principal string) *session {
	if v, ok := h.sessions.Load(id); ok && v.(*session).principal == principal {
		return v.(*session)
	}
	return nil
}

// message handles a POST with a message from a client.
func (h *Handler) message(w http.ResponseWriter, r *http.Request, sender *webauth.Sender, from *transport.Origin) {
	id := r.URL.Query().Get(sessionParam)
	s := h.find(id, sender.Principal)
	switch {
	case id == "":
		h.refuse(w, "the URL names no session; messages go where the event endpoint says", http.StatusBadRequest)
		return
	case s == nil:
		h.refuse(w, "there is no such session", http.StatusNotFound)
		return
	case !webguard.IsPlain(r):
		w.Header().Set("Accept-Encoding", "identity")
		h.refuse(w, "the body must not be encoded: no Content-Encoding but identity", http.StatusUnsupportedMediaType)
		return
	case !webguard.IsJSON(r):
		h.refuse(w, "the body must be JSON in UTF-8: Content-Type: application/json", http.StatusUnsupportedMediaType)
		return
	}
	size := int(h.opts.MaxBody) // at most
	if r.ContentLength >= 0 {
		size = int(min(r.ContentLength, h.opts.MaxBody))
	}
	owner := owner(from)
	if !h.bodies.Take(owner, size) {
		w.Header().Set("Retry-After", "1")
		h.refuse(w, "the waiting messages are too large together", http.StatusServiceUnavailable)
		return
	}
	waiting := false
	defer func() {
		if !waiting {
			h.bodies.Give(owner, size)
		}
	}()
	rc := http.NewResponseController(w)
	due := time.Now().Add(h.opts.ReadTimeout)
	rc.SetReadDeadline(due)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.opts.MaxBody))
	if errors.As(err, new(*http.MaxBytesError)) {
		h.refuse(w, "the body is larger than the "+strconv.FormatInt(h.opts.MaxBody, 10)+" bytes allowed", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		w.Header().Set("Connection", "close")
		h.refuse(w, "the body did not arrive, or not in time", http.StatusRequestTimeout)
		return
	}
	rc.SetReadDeadline(time.Time{})
	w.Header().Del("Connection")
	m, err := jsonrpc.Parse(body)
	accesslog.NoteMessage(w, &m)
	if err != nil && m.Kind == jsonrpc.Invalid {
		rpc, _ := errors.AsType[*jsonrpc.Error](err)
		h.respond(w, http.StatusBadRequest, "application/json", jsonrpc.AppendError(nil, wire.ID{}, rpc))
		return
	}
	if !h.permit(w, r, from, &m, body) {
		return
	}
	s.watched.Extend(r, sender)
	switch s.take(r.Context(), message{body, from, owner, size}, time.Until(due)) {
	case nil:
		waiting = true
		h.respond(w, http.StatusAccepted, "", nil)
	case errBusy:
		w.Header().Set("Retry-After", "1")
		h.refuse(w, "the session does not keep up with its messages", http.StatusServiceUnavailable)
	default:
		h.refuse(w, "the session has ended", http.StatusNotFound)
	}
}

// refuse responds with an error in plain text.
func (h *Handler) refuse(w http.ResponseWriter, text string, status int) {
	h.respond(w, status, "text/plain; charset=utf-8", []byte(text+"\n"))
}

// respond writes a short response, within the time allowed. It removes the deadline afterwards, since the
// connection may be used for other requests.
func (h *Handler) respond(w http.ResponseWriter, status int, contentType string, body []byte) {
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("X-Content-Type-Options", "nosniff")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	rc := http.NewResponseController(w)
	rc.SetWriteDeadline(time.Now().Add(h.opts.WriteTimeout))
	w.WriteHeader(status)
	w.Write(body)
	if rc.Flush() == nil {
		rc.SetWriteDeadline(time.Time{})
	}
}
