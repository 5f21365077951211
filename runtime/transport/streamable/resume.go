package streamable

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/outlet"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A stream of a session is a sequence of events, which outlives the HTTP response that carries it. Each event is kept before
// it is sent, and its id says to which stream it belongs. When the connection breaks, the client sends a GET with the header
// Last-Event-ID, the id of the last event that it has received; the response continues that stream, whatever it was for,
// with the events that followed, and then with new ones. A request goes on meanwhile, and what it sends is kept. An event goes
// to one response only: when a stream is resumed, the response that carried it before ends. Status 204 means that the stream
// has ended and the client has all of it; 400, that events are missing which are no longer kept.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery

// openStream opens a stream for messages that belong to no request: a GET without Last-Event-ID. If it cannot, it writes the
// response.
func (s *liveSession) openStream(w http.ResponseWriter, in *incoming, out *outlet.Outlet) *stream {
	return s.connectStream(w, in, &stream{h: s.h, session: s, name: s.nameOf(streamOfSession)}, out, "")
}

// resumeStream resumes a stream after the event with that id: a GET with Last-Event-ID. If it cannot, it writes the response.
// The store knows to which stream an id belongs. The name of the stream says which scopes its request needed: whoever resumes
// it must have them, too. The request itself may still run, may have its response already, or may have been lost with its
// process; in the last case the stream gets an error as its response, so that the client does not wait for ever.
func (s *liveSession) resumeStream(w http.ResponseWriter, in *incoming, out *outlet.Outlet, last string) *stream {
	ctx := in.R.Context()
	name, err := s.h.opts.Events.Stream(ctx, s.id, last)
	scopes, known := streamScopes(name)
	if err == nil && (name == "" || !known) {
		err = ErrNoEvent
	}
	if err != nil {
		s.refuseResume(w, last, err)
		return nil
	}
	if missing := in.Sender.Lacks(scopes); len(missing) > 0 {
		s.h.front.RefuseScopes(w, in.R, wire.ID{}, &transport.ScopeError{Scopes: scopes, Missing: missing})
		return nil
	}
	f := s.find(name)
	if f == nil {
		err = s.endLostCall(ctx, name)
	}
	if err != nil {
		s.refuseResume(w, last, err)
		return nil
	}
	if f == nil { // a request that has its response, or a stream without a connection
		f = &stream{h: s.h, session: s, name: name, over: name[:1] == streamOfRequest}
	}
	return s.connectStream(w, in, f, out, last)
}

// refuseResume responds to a GET that resumes no stream. An error that is not ErrNoEvent is that of the store, so the
// client may try again.
func (s *liveSession) refuseResume(w http.ResponseWriter, last string, err error) {
	status, e := http.StatusBadRequest, front.Invalid("the stream cannot be resumed after event "+strconv.Quote(excerpt.Of(last))+": "+err.Error())
	if !errors.Is(err, ErrNoEvent) {
		status, e.Code = http.StatusServiceUnavailable, jsonrpc.CodeInternalError
	}
	s.h.front.Refuse(w, status, wire.ID{}, e)
}

// connectStream connects a stream to an outlet, and sends the events after the one with that id. If the stream is
// over, it closes the outlet after that.
//
// The lock of the stream is held from reading what was missed until the outlet is connected, so that no event comes between
// the two. A stream of the session also receives what has waited for one, after that; what cannot be written waits again.
func (s *liveSession) connectStream(w http.ResponseWriter, in *incoming, f *stream, out *outlet.Outlet, last string) *stream {
	ctx := in.R.Context()
	own := f.name[:1] == streamOfSession
	if own {
		s.order.Lock() // what belongs to no request comes after what waits for the stream
		defer s.order.Unlock()
		if other := s.find(f.name); other != nil {
			f = other // another request has just resumed it
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var missed []StoredEvent
	if last != "" {
		var err error
		if missed, err = s.h.opts.Events.After(ctx, s.id, last); err != nil {
			s.refuseResume(w, last, err)
			return nil
		}
	}
	if f.over && !slices.ContainsFunc(missed, func(e StoredEvent) bool { return len(e.Data) > 0 }) {
		s.h.front.Status(w, http.StatusNoContent) // there is nothing left to resume
		return nil
	}
	switch {
	case !own || s.addStream(f):
	case s.hasEnded():
		s.refuse(w, wire.ID{}, errUnavailable)
		return nil
	default:
		s.h.front.Refuse(w, http.StatusTooManyRequests, wire.ID{}, front.Unavailable("the session has too many streams open"))
		return nil
	}
	s.h.outlets.Open(out, w, in.R)
	// The outlet of an earlier GET, or of the POST, ends here.
	f.connect(out)
	f.writeRaw(nil) // so that the client knows, even if there is no event yet
	if last == "" {
		f.prime(ctx)
	}
	f.replay(ctx, missed)
	if f.over {
		f.disconnect()
	}
	if own {
		pending := s.takePending()
		for len(pending) > 0 && f.send(ctx, pending[0]) == nil {
			pending = pending[1:]
		}
		for _, data := range pending { // keeps their order
			s.wait(data)
		}
	}
	return f
}

// addStream adds a stream for messages that belong to no request, unless there are too many or the session has
// ended. One that is there already is resumed, and needs no place of its own.
func (s *liveSession) addStream(f *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Of the streams for what belongs to no request; those of requests do not count.
	n := 0
	for _, other := range s.streams {
		switch {
		case other == f:
			return true
		case other.name[:1] == streamOfSession:
			n++
		}
	}
	if s.ended || n >= maxStreams {
		return false
	}
	s.streams = append(s.streams, f)
	return true
}

// closeOutlet is called when the response of an outlet must end, or has ended. The stream of a request stays in the session,
// to be resumed; one of the session goes, and what follows waits for the next.
func (s *liveSession) closeOutlet(f *stream, out *outlet.Outlet) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.out != nil && f.out != out {
		return // the client has resumed it on another connection
	}
	f.suspend()
	if f.name[:1] == streamOfSession {
		s.leave(f)
	}
}
