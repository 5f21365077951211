package streamable

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/internal/queue"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What is sent in a session has one of two ways. What belongs to a request goes to the response of that request, which the
// message names (transport.Message.Stream). All else goes to the newest stream that the client has opened by a GET; without one
// it waits, in bounds: per session, and for all sessions a share of each client. When there is too much, the oldest goes.
//
// A liveSession is a session of a client. It is the transport of its peer: the peer sends through it, and what would be
// received from a connection is what POSTs bring. An idle session has no goroutine and no timer. Who uses it is counted
// (users), so that only idle ones end by themselves.
//
// Locks are taken in this order: order, stream.mu, mu. None of the session's is held while its peer is called.
type liveSession struct {
	h         *Handler
	id        string // empty if it is for one request, see Options.Stateless
	principal string
	peer      *peer.Conn
	mcp       *server.SessionEndpoint // nil without id
	kept      *KeptSession            // nil without Options.Sessions

	// Guarded by sessions.mu.
	owner   *sessionOwner // nil if it is for one request; set by sessions.enter and not changed, so also read without mu
	users   int32         // HTTP requests, and handlers that outlive theirs
	isNew   bool          // nothing has followed initialize
	expires time.Time
	idle    queue.Link[*liveSession] // among the sessions that nobody uses

	order sync.Mutex // held while something is sent that belongs to no request

	lastStream atomic.Int64 // the number in the name of the last stream

	mu      sync.Mutex
	streams []*stream // those that can be written to or resumed; streams of no request at the end, newest last
	pending [][]byte  // messages that wait for a stream
	bytes   int       // of them
	ended   bool

	assumed wire.Revision // without id: that of the request
}

// The first letter of a stream's name says what it is for.
const (
	streamOfRequest = "r"
	streamOfSession = "s"
)

// newSession returns a session, for one request if the id is empty. Kept is nil without Options.Sessions. One that was
// continued must not use a name or an id again that the client knows from before: events would be mixed up, and a late
// response taken for that of another request.
func (h *Handler) newSession(id, principal string, kept *KeptSession) *liveSession {
	s := &liveSession{h: h, id: id, principal: principal, kept: kept}
	limits := h.sessionLimits
	if id == "" {
		limits = h.singleLimits
	}
	// The server's side of the session sends through the peer, and the peer calls it: neither can be made first.
	s.peer = peer.New(s, func(conn *peer.Conn) transport.Handler {
		if id != "" {
			s.mcp = h.endpoint.NewSession(conn, id)
		}
		if kept != nil {
			return keptHandler{s}
		}
		return s.handler()
	}, limits)
	if kept != nil {
		kept.live = s
		s.lastStream.Store(kept.continued << continuedShift)
		s.peer.SkipIDs(kept.continued << continuedShift)
	}
	return s
}

// A handler handles the messages of a session, and knows the scopes that a message requires before it is handled.
type handler interface {
	transport.Handler
	webauth.Checker
}

// handler returns what handles the requests and notifications of the session.
func (s *liveSession) handler() handler {
	if s.mcp == nil {
		return s.h.endpoint
	}
	return s.mcp
}

// revision returns the revision of the session, zero before initialize.
func (s *liveSession) revision() wire.Revision {
	if s.mcp == nil {
		return s.assumed
	}
	return s.mcp.Revision()
}

// request returns what the transport knows about a request.
func (s *liveSession) request(in *incoming) *transport.Request {
	return &transport.Request{
		// What a handler keeps of its params keeps the whole buffer.
		Size:     cap(in.Body),
		Origin:   in.Origin(),
		Revision: s.assumed,
		Ending:   s.h.ending,
	}
}

// handle handles a request or a batch: the peer decides whether it may run and runs it, and its response comes back by Send,
// with x as the stream. For initialize, the id of the session is set before, as headers go first, and taken back by the
// response to a failure; a session that initialize has not opened, or whose state nobody has kept, is removed.
//
// REQ BATCH-05
func (s *liveSession) handle(ctx context.Context, x *response, in *incoming, batch bool) {
	// The last to run: Shutdown waits for it, and may end the sessions after that.
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
		task, err = s.peer.AcceptBatch(ctx, as, in.Body)
	} else {
		task, err = s.peer.Accept(ctx, as, &in.Msg)
	}
	if task != nil {
		task.Run(ctx)
	}
	s.settle(in)
	if task == nil { // refused before it was a request, or a batch of notifications
		s.answerUnanswered(x, in, err)
	}
	if opening && (s.mcp.Revision() == 0 || !s.isSaved()) {
		s.h.sessions.remove(s)
	}
}

// settle ends the peer if there is no session. It waits for the handlers of notifications that came in a batch, so that nothing
// outlives the HTTP request; if that ends first, it ends their contexts.
func (s *liveSession) settle(in *incoming) {
	if s.id == "" {
		s.peer.Shutdown(in.R.Context())
	}
}

// refuse refuses a request because the session has ended. If that may be in this handler alone, gone says so.
func (s *liveSession) refuse(w http.ResponseWriter, id wire.ID, gone error) {
	if s.kept != nil {
		s.h.front.Refuse(w, http.StatusServiceUnavailable, id, front.Unavailable(gone.Error()))
	} else {
		s.h.front.Refuse(w, http.StatusNotFound, id, errNoSession())
	}
}

// answerUnanswered responds to the requests that the peer has not responded to.
//
// REQ BATCH-05, BATCH-04
func (s *liveSession) answerUnanswered(x *response, in *incoming, err error) {
	x.answerBy(func() {
		switch rpc, refused := err.(*jsonrpc.Error); {
		case err == nil:
			s.h.front.Status(x.w, http.StatusAccepted) // a batch without requests
		case !refused:
			s.refuse(x.w, in.Msg.ID, errUnavailable)
		// The peer has too many requests, or shuts down: the request may be sent again.
		case rpc.Code == jsonrpc.CodeInternalError:
			s.h.front.Refuse(x.w, http.StatusServiceUnavailable, in.Msg.ID, rpc)
		default: // such as an id that was used before
			s.h.front.Refuse(x.w, http.StatusBadRequest, in.Msg.ID, rpc)
		}
	})
}

// Send implements [transport.Sender]. A message that belongs to no request goes to one stream only, as the specification
// demands. A stream whose client cannot be written to any more is left, and the next one is tried; in the end the message
// waits. Order is held throughout, so that messages arrive in the order in which they were sent.
//
// REQ HTTP-27, HTTP-30
func (s *liveSession) Send(ctx context.Context, m transport.Message) error {
	if x, ok := m.Stream.(*response); ok {
		return x.sendMessage(ctx, m)
	}
	s.order.Lock()
	defer s.order.Unlock()
	for f := s.newest(); f != nil; f = s.newest() {
		f.mu.Lock()
		sent := f.out != nil && f.send(ctx, m.Data) == nil
		f.mu.Unlock()
		if sent {
			return nil
		}
		s.leave(f)
	}
	return s.wait(m.Data)
}

// newest returns the stream for messages that belong to no request, the newest one if the client has opened
// several.
//
// REQ HTTP-27, HTTP-30
func (s *liveSession) newest() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range slices.Backward(s.streams) {
		if f.name[:1] == streamOfSession {
			return f
		}
	}
	return nil
}

// wait keeps a message until there is a stream, at the expense of older ones of the session. It fails if the share of the
// client does not even have room for this one.
func (s *liveSession) wait(data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A session of one request has no stream that could be opened later.
	if s.ended || s.id == "" {
		return errNoConnection
	}
	if len(data) > maxPendingBytes {
		return errNoConnection
	}
	for s.bytes+len(data) > maxPendingBytes {
		s.dropOldest()
	}
	for !s.h.pending.Take(s.owner.owner, len(data)) {
		if len(s.pending) == 0 {
			return errNoConnection
		}
		s.dropOldest()
	}
	s.pending = append(s.pending, slices.Clone(data)) // the peer uses its buffer again
	s.bytes += len(data)
	return nil
}

// dropOldest drops the message that has waited longest for a stream, and gives back what it takes of the share of the client.
// It is called with mu held.
func (s *liveSession) dropOldest() {
	n := len(s.pending[0])
	s.pending = slices.Delete(s.pending, 0, 1)
	s.bytes -= n
	s.h.pending.Give(s.owner.owner, n)
}

// clearPending discards the messages that wait for a stream. It is called with mu held.
func (s *liveSession) clearPending() {
	if s.bytes > 0 {
		s.h.pending.Give(s.owner.owner, s.bytes)
	}
	s.pending, s.bytes = nil, 0
}

// takePending returns the messages that wait for a stream.
func (s *liveSession) takePending() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	pending := s.pending
	s.clearPending()
	return pending
}

// nameOf returns the name of a new stream.
func (s *liveSession) nameOf(kind string) string {
	return kind + strconv.FormatInt(s.lastStream.Add(1), 10)
}

// enter names the stream of a request, with that suffix, and adds it to the session, unless the session has ended. Until then
// the stream has no name, since most responses are no streams and would use numbers up for nothing.
func (s *liveSession) enter(f *stream, suffix string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	f.name = s.nameOf(streamOfRequest) + suffix
	s.streams = append(s.streams, f)
	return true
}

// leave removes a stream from the session. What is kept of the stream can still be resumed, by a stream that takes its name.
func (s *liveSession) leave(f *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.streams, f); i >= 0 {
		if s.streams = slices.Delete(s.streams, i, i+1); len(s.streams) == 0 {
			s.streams = nil
		}
	}
}

// find returns the stream of that name, nil if it is over, or is one of the session without a connection.
func (s *liveSession) find(name string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.streams {
		if f.name == name {
			return f
		}
	}
	return nil
}

// Close implements [transport.Sender]. It ends the streams; those for what belongs to no request first say when their
// client is to come back. What is sent after that fails. A response that has not become a stream ends with its request, see
// response.finish.
func (s *liveSession) Close() error {
	s.mu.Lock()
	s.ended = true
	streams := s.streams
	s.streams = nil
	s.clearPending()
	s.mu.Unlock()
	for _, f := range streams {
		f.mu.Lock()
		if f.name[:1] == streamOfSession {
			f.suspend()
		}
		f.end()
		f.mu.Unlock()
	}
	return nil
}

// cancel implements [canceller], if the session is for one request.
func (s *liveSession) cancel(error) { s.peer.Close() }

// hasEnded reports whether the session is over for this handler. From then on nothing enters it, and what is in it leaves.
func (s *liveSession) hasEnded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// end ends the session, which has been removed from the table of sessions. Its calls are cancelled first, and what was kept
// goes last, when nothing is added to it any more.
func (s *liveSession) end() {
	s.abandon()
	if s.kept != nil && s.kept.end(context.Background()) != nil {
		return // it goes on in another handler, or until the keeper forgets it
	}
	if err := s.h.opts.Events.Forget(context.Background(), s.id); err != nil {
		s.h.opts.Logger.Warn("streamable: the events of a session are not forgotten", "error", err)
	}
}
