package streamable

import (
	"container/list"
	"context"
	"strconv"
	"strings"
	"sync"
)

// MemoryStoreOptions are the bounds of a store in memory. What is beyond them is forgotten, the
// oldest first, but never the newest event. An event counts as 256 bytes beside its data. The zero
// value means the defaults.
type MemoryStoreOptions struct {
	StreamEvents, StreamBytes   int // of one stream: 1000 and 1 MiB if 0
	SessionEvents, SessionBytes int // of all streams of a session: 2000 and 4 MiB if 0
	TotalBytes                  int // of everything: 64 MiB if 0
}

// NewMemoryStore returns an [EventStore] in memory. Opts may be nil.
func NewMemoryStore(opts *MemoryStoreOptions) EventStore {
	s := &memoryStore{sessions: make(map[string]*sessionEvents)}
	if opts != nil {
		s.opts = *opts
	}
	orDefault(&s.opts.StreamEvents, 1000)
	orDefault(&s.opts.StreamBytes, 1<<20)
	orDefault(&s.opts.SessionEvents, 2000)
	orDefault(&s.opts.SessionBytes, 4<<20)
	orDefault(&s.opts.TotalBytes, 64<<20)
	return s
}

// A memoryStore numbers all of its events. An id is the name of the stream, a dash, and the number.
type memoryStore struct {
	opts MemoryStoreOptions

	mu       sync.Mutex
	sessions map[string]*sessionEvents
	all      list.List // of *memoryEvent, the oldest first
	bytes    int
	last     uint64 // number given
}

type sessionEvents struct {
	name    string
	events  list.List // likewise, those of the session
	bytes   int
	streams map[string]*streamEvents
}

type streamEvents struct {
	count, bytes int
	lost         uint64 // whatever the stream had up to this number may be forgotten
}

type memoryEvent struct {
	session           *sessionEvents
	stream            string
	number            uint64
	data              []byte
	inStore, inParent *list.Element
}

func (e *memoryEvent) size() int { return len(e.data) + 256 }

func (e *memoryEvent) id() string { return e.stream + "-" + strconv.FormatUint(e.number, 10) }

// Append implements [EventStore].
func (s *memoryStore) Append(_ context.Context, session, stream string, data []byte) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.sessions[session]
	if in == nil {
		in = &sessionEvents{name: session, streams: make(map[string]*streamEvents)}
		s.sessions[session] = in
	}
	of := in.streams[stream]
	if of == nil {
		of = &streamEvents{lost: s.last}
		in.streams[stream] = of
	}
	s.last++
	e := &memoryEvent{session: in, stream: stream, number: s.last, data: append([]byte(nil), data...)}
	e.inStore, e.inParent = s.all.PushBack(e), in.events.PushBack(e)
	of.count++
	of.bytes += e.size()
	in.bytes += e.size()
	s.bytes += e.size()
	for of.count > 1 && (of.count > s.opts.StreamEvents || of.bytes > s.opts.StreamBytes) {
		s.forgetOldest(in, stream)
	}
	for in.events.Len() > 1 && (in.events.Len() > s.opts.SessionEvents || in.bytes > s.opts.SessionBytes) {
		s.forget(in.events.Front().Value.(*memoryEvent))
	}
	for s.all.Len() > 1 && s.bytes > s.opts.TotalBytes {
		s.forget(s.all.Front().Value.(*memoryEvent))
	}
	return e.id(), nil
}

// forgetOldest forgets the oldest event of a stream.
func (s *memoryStore) forgetOldest(in *sessionEvents, stream string) {
	for at := in.events.Front(); at != nil; at = at.Next() {
		if e := at.Value.(*memoryEvent); e.stream == stream {
			s.forget(e)
			return
		}
	}
}

func (s *memoryStore) forget(e *memoryEvent) {
	in := e.session
	of := in.streams[e.stream]
	s.all.Remove(e.inStore)
	in.events.Remove(e.inParent)
	of.count--
	of.bytes -= e.size()
	in.bytes -= e.size()
	s.bytes -= e.size()
	of.lost = e.number
	if of.count == 0 {
		delete(in.streams, e.stream)
	}
	if in.events.Len() == 0 {
		delete(s.sessions, in.name)
	}
}

// Stream implements [EventStore].
func (s *memoryStore) Stream(_ context.Context, session, id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, stream, _, err := s.find(session, id)
	return stream, err
}

// find takes an id apart.
func (s *memoryStore) find(session, id string) (in *sessionEvents, stream string, number uint64, err error) {
	stream, digits, _ := strings.Cut(id, "-")
	number, err = strconv.ParseUint(digits, 10, 64)
	if in = s.sessions[session]; err != nil || in == nil || number > s.last {
		return nil, "", 0, ErrNoEvent
	}
	if of := in.streams[stream]; of == nil || number < of.lost {
		return nil, "", 0, ErrNoEvent
	}
	return in, stream, number, nil
}

// After implements [EventStore].
func (s *memoryStore) After(_ context.Context, session, id string) ([]StoredEvent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, stream, number, err := s.find(session, id)
	if err != nil {
		return nil, err
	}
	var events []StoredEvent
	for at := in.events.Front(); at != nil; at = at.Next() {
		// REQ HTTP-35
		if e := at.Value.(*memoryEvent); e.stream == stream && e.number > number {
			events = append(events, StoredEvent{e.id(), e.data})
		}
	}
	return events, nil
}

// Forget implements [EventStore].
func (s *memoryStore) Forget(_ context.Context, session string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for in := s.sessions[session]; in != nil; in = s.sessions[session] {
		s.forget(in.events.Front().Value.(*memoryEvent))
	}
	return nil
}
