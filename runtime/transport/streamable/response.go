package streamable

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/internal/queue"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/outlet"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webguard"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A response is one JSON object or a stream, and which of the two is decided late: if the result is the first that is sent
// for a request, it is one JSON object, which costs least; if progress, a log message or a request comes before, it is a
// stream. Both sides must allow it: the client by Accept, the program by its options. After the first byte the status cannot
// change any more, so an error that has a status is one only until then.
//
// A response may be written from several goroutines: the handler's, those that report progress, the timer of its identity, and
// the one that closes it. Its lock is that of its stream. What has been answered stays so; everything after that is dropped.

// A response is the HTTP response to a POST with a request: one JSON object, or a stream of events. It goes from nothing sent
// to begun, when the headers of a stream are written, to answered, when the JSON-RPC response is; or at once to answered.
type response struct {
	stream
	alone        canceller // cancels the request; nil in a session, where it could continue
	w            http.ResponseWriter
	outlet       outlet.Outlet
	parks        *http.Request // the request, if the outlet may be parked; else nil
	id           wire.ID       // of the request; absent for a batch
	watched      *webauth.Watch
	length       [1]string // of the body, for the header
	json, events bool      // what it may become
	failure      int       // the HTTP status of errors

	// Guarded by Handler.mu.
	place queue.Link[*response] // in Handler.running
	end   func(error)           // of a subscription, see [server.Endpoint.Listen]

	// Guarded by stream.mu.
	begun    bool // it is a stream
	answered bool
}

// A canceller cancels a request.
type canceller interface{ cancel(cause error) }

var (
	errNoStream = errors.New("streamable: the client accepts no stream, so nothing but the response can be sent")
	errAnswered = errors.New("streamable: the response has been sent")
)

// begin makes the response a stream, unless it is one. It is called with mu held. In a session the stream gets its name
// first, since an event is kept by that name before it is written. Its sender is watched from here on, because a response
// that is one object is short, and a stream is not.
func (x *response) begin(ctx context.Context) error {
	switch {
	case x.over || x.answered:
		return errAnswered
	case x.begun:
		return nil
	case !x.events:
		return errNoStream
	}
	if x.session != nil && !x.session.enter(&x.stream, x.callSuffix()+scopesSuffix(x.watched.Scopes())) {
		return errNoConnection
	}
	x.begun = true
	x.h.outlets.Open(&x.outlet, x.w, x.parks)
	x.connect(&x.outlet)
	x.watched.Start(x.expire)
	x.prime(ctx)
	return nil
}

// sendBefore sends something that belongs to the request and is not its response: progress, a log message, a request to the
// client. It fails if the client accepts no stream, and the handler may go on without.
func (x *response) sendBefore(ctx context.Context, data []byte) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	// Until the response is a stream, nobody watches its sender.
	if x.session == nil && !x.begun && x.watched.HasExpired() {
		return webauth.ErrExpired
	}
	if err := x.begin(ctx); err != nil {
		return err
	}
	return x.send(ctx, data)
}

// expire ends the stream because the identity has ended with which it was opened. In a session the client may
// resume it with another identity.
func (x *response) expire() {
	x.mu.Lock()
	if x.out != &x.outlet || x.answered { // it was resumed, and the other response is watched by itself; or it is over
		x.mu.Unlock()
		return
	}
	if x.session != nil {
		x.suspend()
		x.mu.Unlock()
		return
	}
	x.answered = true
	x.send(context.Background(), jsonrpc.AppendError(nil, x.id, front.Unavailable(webauth.ErrExpired.Error())))
	x.stream.end()
	x.mu.Unlock()
	// Without mu: it ends the handler, which may be about to send something.
	x.alone.cancel(webauth.ErrExpired)
}

// mayBeSuspended reports whether the stream may end before the handler has returned, which then must not run in the
// goroutine of the HTTP request.
func (x *response) mayBeSuspended() bool {
	return x.session != nil && x.events && x.watched.MayEnd()
}

// answerBy calls write to respond, unless something has been sent already. It is for responses that are no JSON-RPC response
// alone, such as a challenge for more scopes.
func (x *response) answerBy(write func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over || x.answered || x.begun {
		return
	}
	x.answered = true
	write()
}

// answer sends the response. Status is the HTTP status if the response is not a stream. A client that accepts only streams
// gets one with a single event; an error with a status of its own is an object even then, since a stream has status 200.
//
// REQ H26-06, HTTP-12
func (x *response) answer(ctx context.Context, status int, failed bool, data []byte) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over || x.answered {
		return errAnswered
	}
	object := !x.begun && (x.json || status != http.StatusOK)
	if object {
		x.answered = true
		if failed {
			x.w.Header().Del(mcpheader.SessionID) // there is no session
		}
		return x.h.front.JSON(x.w, status, data, x.length[:])
	}
	if err := x.begin(ctx); err != nil {
		return err
	}
	x.answered = true
	err := x.send(ctx, data)
	x.stream.end()
	return err
}

// noteRefusal gives the response status 429 if the request may be sent again later, and reports whether it may.
func (x *response) noteRefusal(retryAfter time.Duration) bool {
	if retryAfter <= 0 {
		return false
	}
	x.failWith(http.StatusTooManyRequests, webguard.RetryAfter(retryAfter))
	return true
}

// failWith sets the status of the error response, if that is still to come; of a stream the status stays as it is.
func (x *response) failWith(status int, retryAfter string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	// Once the header is sent, the HTTP handler may have returned, and x.w must not be used.
	if !x.over && !x.begun {
		x.w.Header().Set("Retry-After", retryAfter)
		x.failure = status
	}
}

// finish ends the response; its http.ResponseWriter is not used afterwards. If there is no JSON-RPC response,
// because the client has cancelled the request, finish sends an empty stream, or an error if the response cannot be
// a stream or the session has ended. If the client has gone, it sends nothing.
//
// REQ HTTP-12
func (x *response) finish(gone bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.answered || x.begun || gone:
	case x.session != nil && x.session.hasEnded():
		x.session.refuse(x.w, x.id, errCutOff)
	case x.events: // without an event, which is how a cancelled request ends
		x.h.outlets.Open(&x.outlet, x.w, nil)
		x.connect(&x.outlet)
	default:
		x.h.front.Refuse(x.w, http.StatusOK, x.id, front.Unavailable("the client has cancelled the request"))
	}
	x.stream.end()
	x.watched.Stop()
	if x.session != nil && x.begun {
		x.session.leave(&x.stream)
	}
	x.w, x.parks = nil, nil // a task may keep the response, through its context
}

// stayOpen serves a response that has been opened, until it ends or its client has gone; after that it calls gone. If the
// outlet can be parked, it returns at once: the connection is no longer net/http's, which frees its goroutine and its
// buffers, and in.Moved says that the room the request holds is given back later.
func (h *Handler) stayOpen(in *incoming, out *outlet.Outlet, gone func()) {
	// In is on the stack of its goroutine, and outlet.Park calls this later.
	owner, held := in.Owner, in.Held
	in.Moved = out.Park(func() {
		gone()
		h.front.GiveBack(owner, held)
	})
	if in.Moved {
		return
	}
	// Net/http has the connection, so this goroutine waits, and must not return before the last write.
	select {
	case <-out.Done():
	case <-in.R.Context().Done():
	}
	gone()
}

// sendMessage sends a message of the connection that belongs to the request. The peer hands responses on as errors or
// results; which HTTP status an error has was decided before, by what failed (failWith).
func (x *response) sendMessage(ctx context.Context, m transport.Message) error {
	switch m.Kind {
	case jsonrpc.Response, jsonrpc.Batch:
		return x.answer(ctx, http.StatusOK, false, m.Data)
	case jsonrpc.ErrorResponse:
		x.noteRefusal(m.RetryAfter)
		return x.answer(ctx, x.failure, true, m.Data)
	}
	return x.sendBefore(ctx, m.Data)
}

// ErrNoPolling is the error of [CloseStream] if the stream cannot be closed early.
var ErrNoPolling = errors.New("streamable: the stream of this request cannot be closed early")

// CloseStream closes the connection on which the client waits for the response to a request; ctx is the context of
// its handler. The client resumes the stream again and again, after the time of [Options.Retry], and uses no
// connection in between. The handler continues as before. CloseStream works in sessions of 2025-11-25, if
// [Options.Polling] is set and the client accepts streams; otherwise the error is [ErrNoPolling], which a handler
// may ignore.
func CloseStream(ctx context.Context) error {
	x, _ := ctx.Value(responseKey{}).(*response)
	if x == nil {
		return ErrNoPolling
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	// If nothing was sent before, begin sends an event, from whose id the client resumes the stream.
	if err := x.begin(ctx); err != nil {
		return ErrNoPolling
	}
	x.suspend()
	return nil
}

// responseKey is the key of the response in the context of a request whose stream may be closed early.
type responseKey struct{}
