package streamable

import (
	"context"
	"errors"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/contain"
)

// An EventStore keeps what was sent on the streams of sessions, so that a client that lost its connection receives
// the rest. Its methods may be called by several goroutines at once; calls for one stream follow one another. Names
// of sessions are unpredictable, and never used twice. Names of streams are visible ASCII of at most 800 bytes.
type EventStore interface {
	// Append adds an event to a stream and returns its id: visible ASCII, unique within the session, and
	// of at most 4 KiB, beyond which a client ignores it.
	// The data belongs to the caller. It may be empty.
	Append(ctx context.Context, session, stream string, data []byte) (id string, err error)

	// Stream returns the stream of an event. The error is [ErrNoEvent] for an id that the store does
	// not know.
	Stream(ctx context.Context, session, id string) (stream string, err error)

	// After returns the events of the same stream that follow the event with that id, in order. The error is
	// [ErrNoEvent] if some are no longer available. The data must not be changed.
	After(ctx context.Context, session, id string) ([]StoredEvent, error)

	// Last returns the newest event of a stream. The error is [ErrNoEvent] if there is none.
	Last(ctx context.Context, session, stream string) (StoredEvent, error)

	// Forget removes all events of a session, which has ended.
	Forget(ctx context.Context, session string) error
}

// A StoredEvent is an event with its id.
type StoredEvent struct {
	ID   string
	Data []byte
}

// ErrNoEvent is the error of an [EventStore] that does not have an event.
var ErrNoEvent = errors.New("streamable: the event is unknown, or no longer kept")

const storeName = "the event store"

// A containedStore is a store whose panics are errors: its callers hold locks.
type containedStore struct {
	EventStore
	log *slog.Logger
}

func (s containedStore) Append(ctx context.Context, session, stream string, data []byte) (id string, err error) {
	defer contain.Panic(s.log, storeName, &err)
	return s.EventStore.Append(ctx, session, stream, data)
}

func (s containedStore) Stream(ctx context.Context, session, id string) (stream string, err error) {
	defer contain.Panic(s.log, storeName, &err)
	return s.EventStore.Stream(ctx, session, id)
}

func (s containedStore) After(ctx context.Context, session, id string) (events []StoredEvent, err error) {
	defer contain.Panic(s.log, storeName, &err)
	return s.EventStore.After(ctx, session, id)
}

func (s containedStore) Last(ctx context.Context, session, stream string) (event StoredEvent, err error) {
	defer contain.Panic(s.log, storeName, &err)
	return s.EventStore.Last(ctx, session, stream)
}

func (s containedStore) Forget(ctx context.Context, session string) (err error) {
	defer contain.Panic(s.log, storeName, &err)
	return s.EventStore.Forget(ctx, session)
}
