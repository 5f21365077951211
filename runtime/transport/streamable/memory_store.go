package streamable

import (
	"cmp"
	"container/heap"
	"container/list"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// Events are kept in a list for each session, and in a heap of owners by how much each has: when all of them together have too
// much, the oldest event of the owner that has most goes. So a client that sends much shortens only its own past.

// MemoryStoreOptions configures a store in memory. Beyond its limits, the oldest events are forgotten, but never
// the newest one; beyond TotalBytes, the oldest events of the client that has most. All sessions of a client count
// together, if a [Handler] uses the store directly and not inside another one. An event counts as its data and 256
// bytes. 0 means the default, and a negative value no limit.
type MemoryStoreOptions struct {
	SessionEvents, SessionBytes int // of all streams of a session: 2000 and 4 MiB if 0
	TotalBytes                  int // of everything: 64 MiB if 0
}

// NewMemoryStore returns an [EventStore] in memory. Opts may be nil.
func NewMemoryStore(opts *MemoryStoreOptions) EventStore {
	o := option.Of(opts)
	s := &memoryStore{sessions: make(map[string]*sessionEvents), owners: make(map[share.Owner]*ownerEvents)}
	s.opts = MemoryStoreOptions{
		SessionEvents: option.Limit(o.SessionEvents, 2000),
		SessionBytes:  option.Limit(o.SessionBytes, 4<<20),
		TotalBytes:    option.Limit(o.TotalBytes, 64<<20),
	}
	return s
}

// A memoryStore numbers its events. An id is the name of the stream, a dash, and the number. So the stream of an event is
// known without a table of events, and the events of a session are in the order of their numbers.
type memoryStore struct {
	opts MemoryStoreOptions

	mu       sync.Mutex // guards what follows, and all that it leads to
	sessions map[string]*sessionEvents
	owners   map[share.Owner]*ownerEvents
	greedy   ownerQueue // the same
	bytes    int
	last     uint64 // number given
}

// A sessionEvents holds the events of all streams of one session, in the order in which they were sent. It is made with
// the first event, and goes with the last.
type sessionEvents struct {
	name    string
	owner   *ownerEvents
	events  list.List // of *memoryEvent, the oldest first
	bytes   int
	streams map[string]*streamEvents
}

// An ownerEvents holds the events of all sessions of one client.
type ownerEvents struct {
	owner  share.Owner
	events list.List // of *memoryEvent, the oldest first
	bytes  int
	index  int // in the queue
}

// A streamEvents says which events of a stream can still be had, so that a client which has missed some learns of it.
type streamEvents struct {
	count int    // of the events that are kept; without one, the stream is not in sessionEvents.streams
	lost  uint64 // events of the stream up to this number may have been forgotten
}

// A memoryEvent is in two lists, so that it can be removed from both, whichever limit is exceeded.
type memoryEvent struct {
	session            *sessionEvents
	stream             string
	number             uint64
	data               []byte
	inOwner, inSession *list.Element
}

// size is what the event counts: its data, and about what the rest of it takes up, so that many empty events are bounded, too.
func (e *memoryEvent) size() int { return len(e.data) + 256 }

// id names the stream, so that a client which comes back with it says which stream it wants.
func (e *memoryEvent) id() string { return e.stream + "-" + strconv.FormatUint(e.number, 10) }

// Append implements [EventStore].
func (s *memoryStore) Append(_ context.Context, session, stream string, data []byte) (string, error) {
	return s.append(share.Owner{}, session, stream, data), nil
}

// append is Append for a session of an owner. Without an owner, the session counts by itself. The new event itself
// always stays, however large.
func (s *memoryStore) append(owner share.Owner, session, stream string, data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.sessions[session]
	if in == nil {
		if owner == (share.Owner{}) {
			owner = share.Of("", "", session)
		}
		in = &sessionEvents{name: session, owner: s.owner(owner), streams: make(map[string]*streamEvents)}
		s.sessions[session] = in
	}
	of := in.streams[stream]
	if of == nil {
		of = &streamEvents{lost: s.last} // the stream may have had events before, all of which are forgotten
		in.streams[stream] = of
	}
	s.last++
	e := &memoryEvent{session: in, stream: stream, number: s.last, data: append([]byte(nil), data...)}
	e.inOwner, e.inSession = in.owner.events.PushBack(e), in.events.PushBack(e)
	of.count++
	s.count(e, e.size())
	for in.events.Len() > 1 && (in.events.Len() > s.opts.SessionEvents || in.bytes > s.opts.SessionBytes) {
		s.forget(in.events.Front().Value.(*memoryEvent))
	}
	// Each time, the owner that has most by then loses one.
	for s.bytes > s.opts.TotalBytes {
		oldest := s.greedy.oldestBut(e)
		if oldest == nil {
			break
		}
		s.forget(oldest)
	}
	return e.id()
}

// owner returns the events of an owner.
func (s *memoryStore) owner(owner share.Owner) *ownerEvents {
	of := s.owners[owner]
	if of == nil {
		of = &ownerEvents{owner: owner}
		s.owners[owner] = of
		heap.Push(&s.greedy, of)
	}
	return of
}

// count adds bytes, which may be negative, to all totals that include an event.
func (s *memoryStore) count(e *memoryEvent, bytes int) {
	in := e.session
	in.bytes += bytes
	in.owner.bytes += bytes
	s.bytes += bytes
	heap.Fix(&s.greedy, in.owner.index)
}

// forget removes an event, and what is empty after that: a session and an owner take up room, too.
func (s *memoryStore) forget(e *memoryEvent) {
	in := e.session
	of := in.streams[e.stream]
	in.owner.events.Remove(e.inOwner)
	in.events.Remove(e.inSession)
	of.count--
	s.count(e, -e.size())
	// The events of a session are forgotten from the oldest on, so this was the first of its stream.
	of.lost = e.number
	if of.count == 0 {
		delete(in.streams, e.stream)
	}
	if in.events.Len() == 0 {
		delete(s.sessions, in.name)
	}
	if in.owner.events.Len() == 0 {
		delete(s.owners, in.owner.owner)
		heap.Remove(&s.greedy, in.owner.index)
	}
}

// Stream implements [EventStore].
func (s *memoryStore) Stream(_ context.Context, session, id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, stream, _, err := s.find(session, id)
	return stream, err
}

// find returns the stream and the number in an id. An id is known as long as no later event of its stream was forgotten, even
// if the event itself is gone: nothing is missing after it.
func (s *memoryStore) find(session, id string) (in *sessionEvents, stream string, number uint64, err error) {
	end := max(strings.LastIndexByte(id, '-'), 0)
	stream = id[:end]
	number, err = strconv.ParseUint(strings.TrimPrefix(id[end:], "-"), 10, 64)
	if in = s.sessions[session]; err != nil || in == nil || number > s.last {
		return nil, "", 0, ErrNoEvent
	}
	if of := in.streams[stream]; of == nil || number < of.lost {
		return nil, "", 0, ErrNoEvent
	}
	return in, stream, number, nil
}

// After implements [EventStore].
//
// REQ HTTP-35
func (s *memoryStore) After(_ context.Context, session, id string) ([]StoredEvent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, stream, number, err := s.find(session, id)
	if err != nil {
		return nil, err
	}
	var events []StoredEvent
	// All streams of a session share one list, which Options.SessionEvents bounds.
	for at := in.events.Front(); at != nil; at = at.Next() {
		if e := at.Value.(*memoryEvent); e.stream == stream && e.number > number {
			events = append(events, StoredEvent{e.id(), e.data})
		}
	}
	return events, nil
}

// Last implements [EventStore].
func (s *memoryStore) Last(_ context.Context, session, stream string) (StoredEvent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.sessions[session]; in != nil {
		for at := in.events.Back(); at != nil; at = at.Prev() {
			if e := at.Value.(*memoryEvent); e.stream == stream {
				return StoredEvent{e.id(), e.data}, nil
			}
		}
	}
	return StoredEvent{}, ErrNoEvent
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

// An ownerQueue is a heap of owners. The owner that has most is at the front.
type ownerQueue []*ownerEvents

// oldestBut returns the oldest event of the owner that has most. If that is the given event, it returns the oldest
// event of the owner that has most of the others, nil if there is no other event. In a heap, those who come after the first
// are its two children.
func (q ownerQueue) oldestBut(e *memoryEvent) *memoryEvent {
	first := q[0]
	if first.events.Back() == e.inOwner && first.events.Len() == 1 {
		q = q[1:min(len(q), 3)] // one of these two has most of the others
		if len(q) == 0 {
			return nil
		}
		first = slices.MaxFunc(q, func(a, b *ownerEvents) int { return cmp.Compare(a.bytes, b.bytes) })
	}
	return first.events.Front().Value.(*memoryEvent)
}

func (q ownerQueue) Len() int           { return len(q) }
func (q ownerQueue) Less(i, j int) bool { return q[i].bytes > q[j].bytes }
func (q ownerQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push implements [heap.Interface].
func (q *ownerQueue) Push(x any) {
	of := x.(*ownerEvents)
	of.index = len(*q)
	*q = append(*q, of)
}

// Pop implements [heap.Interface].
func (q *ownerQueue) Pop() any {
	last := len(*q) - 1
	of := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return of
}
