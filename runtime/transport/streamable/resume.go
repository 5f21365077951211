package streamable

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// openFeed opens a stream for what belongs to no request. If that cannot be, it answers.
func (s *liveSession) openFeed(ctx context.Context, w http.ResponseWriter, out *outlet) *feed {
	f := &feed{h: s.h, session: s}
	s.mu.Lock()
	s.lastFeed++
	f.name = feedOfSession + strconv.Itoa(s.lastFeed)
	s.mu.Unlock()
	return s.connectFeed(ctx, w, f, out, "")
}

// resumeFeed goes on with a stream after the event of that id. If that cannot be, it answers.
func (s *liveSession) resumeFeed(ctx context.Context, w http.ResponseWriter, out *outlet, last string) *feed {
	name, err := s.h.opts.Events.Stream(ctx, s.id, last)
	if err == nil && name == "" {
		err = ErrNoEvent
	}
	if err != nil {
		s.refuseResume(w, last, err)
		return nil
	}
	f := s.find(name)
	if f == nil { // a request that has been answered, or a stream that nobody is connected to
		f = &feed{h: s.h, session: s, name: name, over: name[:1] == feedOfRequest}
	}
	return s.connectFeed(ctx, w, f, out, last)
}

func (s *liveSession) refuseResume(w http.ResponseWriter, last string, err error) {
	status, e := http.StatusBadRequest, invalid("the stream cannot be resumed after event "+strconv.Quote(excerpt.Of(last))+": "+err.Error())
	if !errors.Is(err, ErrNoEvent) {
		status, e.Code = http.StatusServiceUnavailable, jsonrpc.CodeInternalError
	}
	s.h.refuse(w, status, wire.ID{}, e)
}

// connectFeed gives a feed an outlet, and what the client has missed after the event of that id. A
// feed that is over ends right after that.
func (s *liveSession) connectFeed(ctx context.Context, w http.ResponseWriter, f *feed, out *outlet, last string) *feed {
	own := f.name[:1] == feedOfSession
	if own {
		s.order.Lock() // what belongs to no request comes after what waits for the stream
		defer s.order.Unlock()
		if other := s.find(f.name); other != nil {
			f = other // somebody else has just gone on with it
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
		s.h.writeStatus(w, http.StatusNoContent) // there is no reason to come back
		return nil
	}
	switch {
	case !own || s.admit(f):
	case s.hasEnded():
		s.h.refuse(w, http.StatusNotFound, wire.ID{}, errNoSession())
		return nil
	default:
		s.h.refuse(w, http.StatusTooManyRequests, wire.ID{}, unavailable("the session has too many streams open"))
		return nil
	}
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
		for _, data := range s.takePending() {
			if f.send(ctx, data) != nil {
				s.wait(data)
			}
		}
	}
	return f
}

// admit enters a stream for what belongs to no request, unless there are too many or the session
// has ended.
func (s *liveSession) admit(f *feed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, other := range s.feeds {
		switch {
		case other == f:
			return true
		case other.name[:1] == feedOfSession:
			n++
		}
	}
	if most := s.h.opts.MaxStreams; s.ended || most > 0 && n >= most {
		return false
	}
	s.feeds = append(s.feeds, f)
	return true
}

// closeOutlet is called when the response of an outlet is to end.
func (s *liveSession) closeOutlet(f *feed, out *outlet) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.out != nil && f.out != out {
		return // the client came back by another connection
	}
	f.disconnect()
	if f.name[:1] == feedOfSession {
		s.leave(f)
	}
}
