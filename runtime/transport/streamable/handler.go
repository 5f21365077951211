package streamable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/inflight"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/accesslog"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/outlet"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webguard"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	typeJSON   = "application/json"
	typeEvents = eventstream.ContentType

	firstModern = mcp.V2026_07_28 // the first revision without sessions
)

// A Handler serves a server at one endpoint, in every revision that has Streamable HTTP. [NewHandler]
// makes one. It may be mounted anywhere.
//
// Whether a request belongs to a session, as in revisions from 2025-03-26 through 2025-11-25, or has none, as since
// 2026-07-28, follows from the version that the request names, not from its method.
//
//   - A dropped connection cancels a request of 2026-07-28. In a session it does not: the client cancels by a
//     notification, or resumes the stream.
//   - In a session an id may be used for one request only. If a request arrives twice, it is handled once, and the
//     second one is refused with status 400.
//   - A response is a single JSON object, or a stream of events if other messages that belong to the request are
//     sent before it.
type Handler struct {
	server        *server.Server
	endpoint      *server.Endpoint
	opts          Options
	pages         webguard.Guard
	guard         webauth.Guard
	refusals      webguard.Refusals
	sessionLimits *peer.Options
	singleLimits  *peer.Options   // of what takes the place of a session for one request
	legacy        []wire.Revision // those that are served
	modern        bool            // a later one is served, too
	sessions      sessions
	requests      share.Room // Options.MaxRequests
	bodies        share.Room // Options.MaxBytes
	pending       share.Room // what waits for streams
	outlets       outlet.Outlets

	mu      sync.Mutex
	running queue[*response] // of requests
	working inflight.Counter // requests, and notifications
	ending  chan struct{}    // closed when Shutdown begins; no more requests are accepted then
}

// NewHandler returns a handler for a server. Opts may be nil.
func NewHandler(s *server.Server, opts *Options) *Handler {
	h := &Handler{server: s, endpoint: server.NewEndpoint(s), opts: opts.complete(), ending: make(chan struct{})}
	for _, rev := range h.endpoint.Revisions() {
		if rev >= firstModern {
			h.modern = true
		} else {
			h.legacy = append(h.legacy, rev)
		}
	}
	single := peer.Options{Limits: h.endpoint.Limits(), Logger: h.opts.Logger}
	session := single
	session.UniqueIDs = true
	h.singleLimits, h.sessionLimits = single.Complete(), session.Complete()
	if _, own := h.opts.Events.(*memoryStore); !own {
		h.opts.Events = containedStore{h.opts.Events, h.opts.Logger}
	}
	h.sessions.h = h
	h.outlets = outlet.Outlets{WriteTimeout: h.opts.WriteTimeout, KeepAlive: h.opts.KeepAlive, Hold: h.opts.HoldStreams}
	h.refusals.Logger = h.opts.Logger
	h.pages = webguard.Guard{Hosts: h.opts.Hosts, Origins: h.opts.Origins, LoopbackOrigins: h.opts.LoopbackOrigins, Methods: h.methods()}
	h.guard = webauth.Guard{Auth: h.opts.Auth, Principal: h.opts.Principal, Address: h.opts.Address, Timeout: h.opts.WriteTimeout, Logger: h.opts.Logger, Refusals: &h.refusals}
	h.requests = share.Room{Max: h.opts.MaxRequests, Percent: h.opts.Share}
	h.bodies = share.Room{Max: h.opts.MaxBytes, Percent: h.opts.Share}
	h.pending = share.Room{Max: maxPendingOfAll, Percent: h.opts.Share}
	if h.opts.Member != nil {
		go h.tendSessions()
	}
	return h
}

// Server returns the server that the handler serves.
func (h *Handler) Server() *server.Server { return h.server }

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.opts.AccessLog != nil {
		a := accesslog.New(w)
		defer func() {
			if !a.Postponed() {
				a.Log(h.opts.AccessLog, r, cmp.Or(r.Header.Get(mcpheader.SessionID), a.Header().Get(mcpheader.SessionID)))
			}
		}()
		w = a
	}
	// REQ HTTP-02, HTTP-03, SEC-17
	if err := h.pages.Check(w.Header(), r); err != nil {
		h.refusals.Log(slog.LevelWarn, r, err)
		h.leaveBody(w, r)
		h.refuse(w, http.StatusForbidden, wire.ID{}, invalid(err.Error()))
		return
	}
	if r.Method != http.MethodPost {
		h.leaveBody(w, r)
	}
	switch r.Method {
	// REQ HTTP-01
	case http.MethodPost:
		in := incoming{r: r}
		if !h.receive(w, &in) {
			return
		}
		defer h.dismiss(&in)
		if h.isModern(in.version, in.msg.Meta) {
			h.postModern(w, &in)
		} else {
			h.postLegacy(w, &in)
		}
	case http.MethodGet, http.MethodDelete:
		rev, err := wire.ParseRevision(r.Header.Get(mcpheader.ProtocolVersion))
		switch modern := err == nil && rev >= firstModern && slices.Contains(h.endpoint.Revisions(), rev); {
		// REQ H26-01
		case modern || len(h.legacy) == 0 || h.opts.Stateless:
			h.notAllowed(w, "POST")
		// REQ HTTP-01, HTTP-25
		case r.Method == http.MethodGet:
			h.get(w, r)
		default:
			h.delete(w, r)
		}
	default:
		if webguard.IsPreflight(r) {
			h.pages.Preflight(w.Header(), r)
			h.writeStatus(w, http.StatusNoContent)
			return
		}
		h.notAllowed(w, h.methods())
	}
}

// methods lists the methods that the endpoint accepts.
func (h *Handler) methods() string {
	if len(h.legacy) == 0 || h.opts.Stateless {
		return "POST"
	}
	return "DELETE, GET, POST"
}

// An incoming is a POST.
type incoming struct {
	r            *http.Request
	version      string // of its header; empty if there is none
	sender       webauth.Sender
	address      string
	owner        share.Owner // of what the request makes the handler keep
	held         int         // bytes of bodies
	moved        bool        // another function gives back what is held
	json, events bool        // what the client accepts as a response
	body         []byte
	msg          jsonrpc.Message
	err          error // what is wrong with msg
}

func (in *incoming) origin() transport.Origin {
	return transport.Origin{Identity: in.sender.Identity, Principal: in.sender.Principal, Address: in.address, Header: in.r.Header}
}

// id returns the id for the error response to a message that is refused. Only a request has one: with the id of a
// response, the client could take the error for that of a request of its own.
func (in *incoming) id() wire.ID {
	// REQ JRPC-06
	if e, ok := in.err.(*jsonrpc.Error); ok && e.Code == jsonrpc.CodeParseError || in.msg.IsResponse() {
		return wire.ID{}
	}
	return in.msg.ID
}

// receive identifies the sender of a POST, and reads and parses its body. If the request must not be handled, receive
// responds and returns false. Otherwise the caller must call dismiss.
func (h *Handler) receive(w http.ResponseWriter, in *incoming) (ok bool) {
	r := in.r
	if !h.identify(w, in) || !h.admit(w, in) {
		return false
	}
	defer func() {
		if !ok {
			h.dismiss(in)
		}
	}()
	if !webguard.IsPlain(r) {
		h.leaveBody(w, r)
		w.Header().Set("Accept-Encoding", "identity")
		h.refuse(w, http.StatusUnsupportedMediaType, wire.ID{}, invalid("the body must not be encoded: no Content-Encoding but identity"))
		return false
	}
	if !webguard.IsJSON(r) {
		h.leaveBody(w, r)
		h.refuse(w, http.StatusUnsupportedMediaType, wire.ID{}, invalid("the body must be JSON in UTF-8: Content-Type: application/json"))
		return false
	}
	if in.json, in.events = accepted(r); !in.json && !in.events {
		h.leaveBody(w, r)
		h.refuse(w, http.StatusNotAcceptable, wire.ID{}, invalid("responses are application/json or text/event-stream; Accept must list both"))
		return false
	}
	var read bool
	if in.body, read = h.readBody(w, in); !read {
		return false
	}
	in.msg, in.err = jsonrpc.Parse(in.body)
	accesslog.NoteMessage(w, &in.msg)
	version, err := mcpheader.Single(r.Header, mcpheader.ProtocolVersion)
	if err != nil {
		e := invalid(err.Error())
		if h.modern {
			e.Code = mcp.CodeHeaderMismatch
		}
		h.refuse(w, http.StatusBadRequest, in.id(), e)
		return false
	}
	if version != nil {
		in.version = *version
	}
	return true
}

// isModern decides the era of a request. It is modern if the metadata has keys that only that era has, or if the
// header has a version that does not belong to the legacy era.
func (h *Handler) isModern(version string, meta wire.Raw) bool {
	switch {
	case !h.modern:
		return false
	case len(h.legacy) == 0:
		return true
	}
	if version != "" {
		if rev, err := wire.ParseRevision(version); err != nil || rev >= firstModern {
			return true
		}
	}
	return server.IsModern(meta)
}

// firstRead is the size of the buffer for a body before any of it has arrived.
const firstRead = 16 << 10

// readBody reads the body of a request. If it cannot, it writes the response.
func (h *Handler) readBody(w http.ResponseWriter, in *incoming) ([]byte, bool) {
	r := in.r
	most, length := int64(h.opts.MaxMessage), r.ContentLength
	if length > most {
		h.leaveBody(w, r)
		h.tooLarge(w)
		return nil, false
	}
	return h.readInTime(w, in, r.Body, length, most)
}

func (h *Handler) tooLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	h.refuse(w, http.StatusRequestEntityTooLarge, wire.ID{}, invalid("the body is larger than the "+strconv.Itoa(h.opts.MaxMessage)+" bytes allowed"))
}

var (
	errTooLarge = errors.New("streamable: body too large")
	errNoRoom   = errors.New("the current requests are too large together; try again later")
)

// readInTime is readAll, but takes no longer than [Options.ReadTimeout]. If the body cannot be read, it responds.
func (h *Handler) readInTime(w http.ResponseWriter, in *incoming, from io.Reader, length, most int64) ([]byte, bool) {
	rc := http.NewResponseController(w)
	if d := h.opts.ReadTimeout; d > 0 {
		rc.SetReadDeadline(time.Now().Add(d))
	}
	body, err := h.readAll(in, from, length, most)
	switch {
	case err == nil:
		if h.opts.ReadTimeout > 0 {
			rc.SetReadDeadline(time.Time{}) // or package net/http would take the client for gone
		}
		return body, true
	case err == errTooLarge:
		h.leaveBody(w, in.r)
		h.tooLarge(w)
	case err == errNoRoom:
		h.leaveBody(w, in.r)
		w.Header().Set("Connection", "close")
		h.refuse(w, http.StatusServiceUnavailable, wire.ID{}, unavailable(err.Error()))
	default:
		// Nothing more can be read, and a client that sends so slowly may also read slowly.
		w.Header().Set("Connection", "close")
		h.refuse(w, http.StatusRequestTimeout, wire.ID{}, invalid("the body did not arrive, or not in time"))
	}
	return nil, false
}

// readAll reads a body of the given length, -1 if it is not known. It reads at most most bytes, and no more than
// there is room for.
func (h *Handler) readAll(in *incoming, from io.Reader, length, most int64) ([]byte, error) {
	size := int64(512)
	if length >= 0 {
		size = min(length, firstRead)
	}
	buf := make([]byte, 0, size)
	for length < 0 || int64(len(buf)) < length {
		if n := len(buf); n == cap(buf) {
			if n >= firstRead {
				if !h.bodies.Take(in.owner, n) {
					return nil, errNoRoom
				}
				in.held += n
			}
			buf = slices.Grow(buf, max(n, 512))
		}
		n, err := from.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > most:
			return nil, errTooLarge
		case err == io.EOF && length < 0:
			return buf, nil
		case err == io.EOF && int64(len(buf)) < length:
			return nil, io.ErrUnexpectedEOF
		case err != nil && err != io.EOF:
			return nil, err
		}
	}
	return buf, nil
}

// Headers are shared by all responses; package net/http only reads their values.
var (
	headerJSON = []string{typeJSON}
	headerZero = []string{"0"}
)

// invalid returns the error for a request that is not valid.
func invalid(msg string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: msg}
}

// unavailable returns the error for a request that may be sent again later.
func unavailable(msg string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: msg}
}

// refuse responds with an error.
func (h *Handler) refuse(w http.ResponseWriter, status int, id wire.ID, e *jsonrpc.Error) {
	if (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "1")
	}
	h.writeJSON(w, status, jsonrpc.AppendError(nil, id, e), make([]string, 1))
}

func (h *Handler) notAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	h.refuse(w, http.StatusMethodNotAllowed, wire.ID{}, invalid("this endpoint takes "+allow))
}

// writeJSON writes a whole response. Length is room for a header.
func (h *Handler) writeJSON(w http.ResponseWriter, status int, body []byte, length []string) error {
	header := w.Header()
	header["Content-Type"] = headerJSON
	length[0] = strconv.Itoa(len(body))
	header["Content-Length"] = length
	if status != http.StatusOK {
		w.WriteHeader(status)
	}
	return outlet.Write(w, h.opts.WriteTimeout, body)
}

// writeStatus writes a whole response that has no body.
func (h *Handler) writeStatus(w http.ResponseWriter, status int) {
	if status != http.StatusNoContent {
		w.Header()["Content-Length"] = headerZero
	}
	w.WriteHeader(status)
	outlet.Write(w, h.opts.WriteTimeout, nil)
}

// begin records that a request is being handled, unless the handler is shutting down. X is nil for a notification.
func (h *Handler) begin(x *response) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.IsEnding() {
		return false
	}
	h.working.Enter()
	if x != nil {
		h.running.add(&x.place, x)
	}
	return true
}

// finish records that a request has been handled.
func (h *Handler) finish(x *response) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if x != nil {
		x.place.remove()
	}
	h.working.Leave()
}

// IsEnding reports whether [Handler.Shutdown] has begun.
func (h *Handler) IsEnding() bool {
	select {
	case <-h.ending:
		return true
	default:
		return false
	}
}

// Shutdown shuts the handler down gracefully: it accepts no more requests, ends the subscriptions, waits for the
// requests being handled, and ends the sessions with their streams. Clients then connect to whatever replaces it.
// If ctx ends first, the sessions end at once, and all requests are cancelled; the error says how many, and wraps
// the cause of ctx. Shutdown does not shut down the server: [server.Server.Shutdown] may be called before or after
// it.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	if !h.IsEnding() {
		close(h.ending)
	}
	idle := h.working.Idle()
	h.endListens(nil)
	h.mu.Unlock()
	begun := time.Now()
	var err error
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			if n := h.cutOff(); n > 0 {
				err = cutOffError(wereRequests(n), begun, context.Cause(ctx))
			}
		}
	}
	h.sessions.close(ctx)
	h.outlets.Wait(ctx)
	return err
}

// cutOff ends the contexts of all requests without a session, and returns how many requests there are, including
// those of sessions.
func (h *Handler) cutOff() int {
	h.mu.Lock()
	var alone []canceller
	for k := h.running.first; k != nil; k = k.next {
		if r := k.item.alone; r != nil {
			alone = append(alone, r)
		}
	}
	h.endListens(errEnding)
	n := h.working.Len()
	h.mu.Unlock()
	for _, r := range alone {
		r.cancel(errEnding)
	}
	return n
}

func wereRequests(n int) string {
	if n == 1 {
		return "1 request was"
	}
	return fmt.Sprint(n, " requests were")
}

// cutOffError returns the error for a shutdown that cut requests off.
func cutOffError(what string, begun time.Time, cause error) error {
	return fmt.Errorf("streamable: shutting down: %s cut off after %v: %w", what, time.Since(begun).Round(100*time.Millisecond), cause)
}

// names returns the names of revisions, for an error message.
func names(revs []wire.Revision) string {
	var list []string
	for _, rev := range revs {
		list = append(list, rev.String())
	}
	return strings.Join(list, ", ")
}

// checkVersion checks the version in the header of a request that is in a session or opens one.
func (h *Handler) checkVersion(version string) error {
	if version == "" {
		return nil
	}
	// REQ SESS-14
	if rev, err := wire.ParseRevision(version); err == nil && slices.Contains(h.legacy, rev) {
		return nil
	}
	return fmt.Errorf("the version %q of the header %s is not served here, but %s", version, mcpheader.ProtocolVersion, names(h.endpoint.Revisions()))
}
