package streamable

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/inflight"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/internal/queue"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/outlet"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The way of an HTTP request, of which each step may write the response and end it:
//
//	front.Check     Host, Origin, preflight, method: what a page in a browser must not do (front)
//	front.Admit     who sends it (or 401), at which rate, and whether there is room for it
//	read            what it accepts, the body, within its size and time, and the message in it
//	readVersion     the version in its header, of which there is at most one
//	isModern        the era, from the header and the metadata, once
//	postLegacy      finds the session, then the scopes, and gives the message to the peer of the session (legacy.go)
//	postModern      gives the request to the server (modern.go); subscriptions/listen stays open (listen.go)
//	get, delete     of a session: a stream for what belongs to no request, and the end (legacy.go)
//	response        is one JSON object, or a stream as soon as something must be sent before the result (response.go)
//
// The first steps cost as little as they can, because anybody can cause them. From Admit on, the request holds room, which
// Dismiss gives back, or Moved says that somebody else will.

const freeBody = 16 << 10 // how many bytes of each body do not count for Options.MaxBytes

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
//   - ServeHTTP returns before a stream has ended when a GET or subscriptions/listen over HTTP/1.1 waits for something to
//     send: the stream takes over the connection, with TLS as well, and costs one goroutine. It still counts as a request,
//     and Shutdown of the Handler ends it, but Close of the [http.Server] does not. Over HTTP/2, and where middleware has
//     wrapped the [http.ResponseWriter], ServeHTTP returns at the end of the stream; for subscriptions, also where the
//     server has middleware.
type Handler struct {
	// Set by NewHandler, and not changed.
	server        *server.Server
	endpoint      *server.Endpoint
	opts          Options
	front         *front.Front
	sessionLimits *peer.Options
	singleLimits  *peer.Options   // of what takes the place of a session for one request
	legacy        []wire.Revision // those that are served
	modern        bool            // a later one is served, too

	// Each has a lock of its own.
	sessions sessions
	pending  share.Room // what waits for streams
	outlets  outlet.Outlets

	mu      sync.Mutex             // guards what follows
	running queue.Queue[*response] // of requests
	working inflight.Counter       // requests, and notifications
	ending  chan struct{}          // closed when Shutdown begins; no more requests are accepted then
}

// NewHandler returns a handler for a server. Opts may be nil.
func NewHandler(s *server.Server, opts *Options) *Handler {
	h := &Handler{server: s, endpoint: server.NewEndpoint(s), opts: opts.complete(), ending: make(chan struct{})}
	for _, rev := range h.endpoint.Revisions() {
		if rev >= mcp.Modern {
			h.modern = true
		} else {
			h.legacy = append(h.legacy, rev)
		}
	}
	both := peer.Options{Limits: h.endpoint.Limits(), Logger: h.opts.Logger}
	session, single := both, both
	session.UniqueIDs = true // through 2025-11-25 an id is good for one request of a session
	single.Alone = true      // it receives one message, or a batch, and ends with it
	h.sessionLimits, h.singleLimits = session.Complete(), single.Complete()
	// Our own store does not panic, and stream.keep must recognize it.
	if _, ours := h.opts.Events.(*memoryStore); !ours {
		h.opts.Events = containedStore{h.opts.Events, h.opts.Logger}
	}
	if h.opts.Sessions != nil {
		h.opts.Sessions = containedKeeper{h.opts.Sessions, h.opts.Logger}
	}
	h.sessions.h = h
	h.outlets = outlet.Outlets{WriteTimeout: h.opts.WriteTimeout, KeepAlive: h.opts.KeepAlive}
	o := &h.opts
	h.front = front.New(&front.Options{
		Hosts: o.Hosts, Origins: o.Origins,
		Auth: o.Auth, Address: o.Address, Admit: o.Admit,
		MaxRequests: o.MaxRequests, MaxMessage: o.MaxMessage, MaxBytes: o.MaxBytes,
		ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout, Logger: o.Logger,
		Methods: h.methods(), Free: freeBody,
	})
	h.pending = share.Room{Max: maxPendingOfAll}
	return h
}

// Server returns the server that the handler serves.
func (h *Handler) Server() *server.Server { return h.server }

// ServeHTTP implements [http.Handler].
//
// REQ HTTP-01, H26-01, HTTP-25
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.front.Check(w, r) {
		return
	}
	if r.Method != http.MethodPost {
		// A GET or a DELETE has nothing but its header to tell the era.
		rev, err := wire.ParseRevision(r.Header.Get(mcpheader.ProtocolVersion))
		if err == nil && rev >= mcp.Modern && slices.Contains(h.endpoint.Revisions(), rev) {
			h.front.NotAllowed(w, http.MethodPost) // there is no session to open a stream in, or to end
			return
		}
	}
	in := incoming{Incoming: front.Incoming{R: r}}
	if !h.front.Admit(w, &in.Incoming) {
		return
	}
	defer h.front.Dismiss(&in.Incoming)
	// The era of a POST is known when its body is read, and only then what the message must be.
	switch {
	case r.Method == http.MethodPost && !h.read(w, &in):
	case !h.readVersion(w, &in):
	case r.Method == http.MethodGet:
		h.get(w, &in)
	case r.Method == http.MethodDelete:
		h.delete(w, &in)
	case h.isModern(in.version, in.Msg.Meta):
		h.postModern(w, &in)
	default:
		h.postLegacy(w, &in)
	}
}

// isModern decides the era of a request, once; the server, which decides by the same metadata, comes to the same. It is
// modern if the metadata has keys that only that era has, or if the header has a version that does not belong to the
// legacy era.
func (h *Handler) isModern(version string, meta wire.Raw) bool {
	switch {
	case !h.modern:
		return false
	case len(h.legacy) == 0:
		return true
	}
	if version != "" {
		if rev, err := wire.ParseRevision(version); err != nil || rev >= mcp.Modern {
			return true
		}
	}
	return server.IsModern(meta)
}

// methods returns the methods that the endpoint serves. GET and DELETE are about sessions, so without these there is only
// POST, and front refuses the others with status 405, as the specification demands of a server that offers no stream.
func (h *Handler) methods() []string {
	if len(h.legacy) == 0 || h.opts.Stateless {
		return []string{http.MethodPost}
	}
	return []string{http.MethodDelete, http.MethodGet, http.MethodPost}
}

// An incoming is an HTTP request whose sender is being, or has been, identified. It is on the stack of the goroutine that
// serves it; code that runs on after that goroutine uses a copy.
type incoming struct {
	front.Incoming
	version      string // of its header; empty if there is none
	json, events bool   // what the client accepts as a response
}

// read reads and parses the body of a POST. If the request must not be handled, read responds and returns false. A body
// that is no valid message is not refused here: the error is in in.Err, since in a session the peer, too, learns of what
// it cannot read.
func (h *Handler) read(w http.ResponseWriter, in *incoming) bool {
	if in.json, in.events = front.Accepted(in.R); !in.json && !in.events {
		h.front.TurnAway(w, in.R, http.StatusNotAcceptable, front.Invalid("responses are application/json or text/event-stream; Accept must list both"))
		return false
	}
	return h.front.Read(w, &in.Incoming)
}

// readVersion reads the header that names the version. If it is duplicated, readVersion writes the response.
func (h *Handler) readVersion(w http.ResponseWriter, in *incoming) bool {
	version, err := mcpheader.Single(mcpheader.Map(in.R.Header), mcpheader.ProtocolVersion)
	if err != nil {
		// The era follows from the version, so here it is not known.
		e := front.Invalid(err.Error())
		if h.modern {
			e.Code = mcp.CodeHeaderMismatch
		}
		h.front.Refuse(w, http.StatusBadRequest, in.ID(), e)
		return false
	}
	if version != nil {
		in.version = *version
	}
	return true
}

// mayStream reports whether the response to a request may be a stream.
//
// REQ H26-06, HTTP-12
func (h *Handler) mayStream(in *incoming) bool {
	return in.events && (!h.opts.JSONOnly || !in.json)
}

// refuseMessage responds to a message that is not valid.
func (h *Handler) refuseMessage(w http.ResponseWriter, in *incoming) {
	e, ok := in.Err.(*jsonrpc.Error)
	if !ok {
		e = front.Invalid(in.Err.Error())
	}
	h.front.Refuse(w, http.StatusBadRequest, in.ID(), e)
}

// begin records that a request is being handled, unless the handler is shutting down. X is nil for a notification. The
// question and the record are one step under mu, so Shutdown waits for everything that was let in.
func (h *Handler) begin(x *response) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.IsEnding() {
		return false
	}
	h.working.Enter()
	if x != nil {
		h.running.Add(&x.place, x)
	}
	return true
}

// finish records that a request has been handled, whether or not its client has received the response.
func (h *Handler) finish(x *response) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if x != nil {
		x.place.Remove()
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
// requests being handled, and ends the sessions with their streams, except that those of a [Keeper] are only saved. Clients
// then connect to whatever replaces it.
// If ctx ends first, the sessions end at once, and all requests are cancelled; the error says how many, and wraps
// the cause of ctx. Shutdown does not shut down the server: [server.Server.Shutdown] may be called before or after
// it.
func (h *Handler) Shutdown(ctx context.Context) error {
	// In this order: nothing new begins, what has begun ends, and then what it was sent through. Calling it again waits for
	// the same.
	h.mu.Lock()
	// Under mu, so that begin either sees that it is closed, or has entered what is waited for here.
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
	h.sessions.close(ctx) // only now: responses of sessions are sent through them
	// Their connections are no longer net/http's, which does not wait for them.
	h.outlets.Wait(ctx)
	return err
}

// cutOff ends the contexts of all requests without a session, and returns how many requests there are, including
// those of sessions, which end with their sessions. Contexts are ended without mu: what waits for one may call finish.
func (h *Handler) cutOff() int {
	h.mu.Lock()
	var alone []canceller
	for x := range h.running.All() {
		if x.alone != nil {
			alone = append(alone, x.alone)
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

// versionFits checks the version in the header of a request that is in a session or opens one. If it is not served
// here, versionFits writes the response.
//
// REQ SESS-14
func (h *Handler) versionFits(w http.ResponseWriter, in *incoming) bool {
	// It may be missing: clients send it since 2025-06-18, and not yet with initialize.
	if rev, err := wire.ParseRevision(in.version); in.version == "" || err == nil && slices.Contains(h.legacy, rev) {
		return true
	}
	h.front.Refuse(w, http.StatusBadRequest, in.ID(), front.Invalid(fmt.Sprintf("the version %q of the header %s is not served here, but %s",
		in.version, mcpheader.ProtocolVersion, names(h.endpoint.Revisions()))))
	return false
}
