package nats

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// events implements [shared.Events]. An event is a message; its id is the name of its stream, a dash, and the number
// of the message. A message is stored only if the previous message of the session is the one that this process knows: a
// process that fences a session appends a message of its own, and from then on what the previous process appends is
// refused.
type events struct {
	js     jetstream.JetStream
	stream jetstream.Stream
	prefix string // of subjects, with a dot

	age   time.Duration       // how long messages are kept
	lease func() *store.Lease // of this process, nil if it has none

	mu       sync.Mutex
	sessions map[string]*sessionEvents
	swept    time.Time
}

// A sessionEvents is what this process knows about a session that it appends to.
type sessionEvents struct {
	used time.Time // guarded by events.mu

	mu   sync.Mutex // held while something is appended
	last uint64     // the number of the last message; 0 if there is none
}

const (
	// headerAppend names an attempt to append, to find out later whether it succeeded.
	headerAppend   = "Mcp-Append"
	headerTakeover = "Mcp-Takeover"
	takeoverToken  = "_" // in place of a stream's name

	headerLastSubject = "Nats-Expected-Last-Subject-Sequence-Subject"

	appendTimeout = 5 * time.Second
)

var errTakenOver = errors.New("nats: another process has taken the session over")

func openEvents(ctx context.Context, js jetstream.JetStream, o *Options) (*events, error) {
	s, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:              o.Prefix + "_events",
		Description:       "events of the streams of sessions",
		Subjects:          []string{o.Prefix + ".events.*.*"},
		MaxMsgsPerSubject: o.EventsPerStream,
		MaxAge:            o.EventAge,
		MaxBytes:          o.EventBytes,
		Storage:           o.Storage,
		Replicas:          o.Replicas,
	})
	if err != nil {
		return nil, o.explainRoom(err)
	}
	return &events{js: js, stream: s, prefix: o.Prefix + ".events.", age: o.EventAge, sessions: make(map[string]*sessionEvents)}, nil
}

// explainRoom adds to the error of a NATS server that has too little room for the events how much they reserve.
func (o *Options) explainRoom(err error) error {
	if o.EventBytes > 0 && lacksRoom(err) {
		return fmt.Errorf("want %d bytes on each NATS server that keeps it, which Options.EventBytes may lower: %w", o.EventBytes, err)
	}
	return err
}

// lacksRoom reports whether an error is that of servers or of an account with too little room for a stream.
func lacksRoom(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	if !ok {
		return false
	}
	switch api.ErrorCode {
	case codeNoMemory, codeNoStorage, codeStreamTooLarge:
		return true
	case codeNoPeers:
		return strings.Contains(api.Description, "insufficient storage")
	}
	return false
}

// subject returns the subject of a stream; ok is false if a name is not valid.
func (e *events) subject(session, stream string) (subject string, ok bool) {
	return e.prefix + session + "." + base64.RawURLEncoding.EncodeToString([]byte(stream)), isToken(session) && stream != ""
}

// all returns the subject that matches all messages of a session.
func (e *events) all(session string) string { return e.prefix + session + ".*" }

func (e *events) session(name string) *sessionEvents {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	if now.Sub(e.swept) > e.age {
		// Nothing is left of these sessions, so forget them; other processes may have taken them over.
		maps.DeleteFunc(e.sessions, func(_ string, s *sessionEvents) bool { return now.Sub(s.used) > e.age+appendTimeout })
		e.swept = now
	}
	s := e.sessions[name]
	if s == nil {
		s = new(sessionEvents)
		e.sessions[name] = s
	}
	s.used = now
	return s
}

// Append implements [streamable.EventStore].
func (e *events) Append(ctx context.Context, session, stream string, data []byte) (string, error) {
	subject, ok := e.subject(session, stream)
	if !ok {
		return "", fmt.Errorf("nats: %q and %q cannot be a session and a stream", session, stream)
	}
	s := e.session(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	number, err := e.append(ctx, s, session, &natsio.Msg{Subject: subject, Data: data, Header: natsio.Header{}})
	if err != nil {
		return "", err
	}
	return stream + "-" + strconv.FormatUint(number, 10), nil
}

// append stores a message after the last known message of the session. If the outcome of an attempt is unknown,
// append finds out, as long as this process has its lease: an event that was stored and is appended again would be
// sent twice. It is called with s.mu held.
func (e *events) append(ctx context.Context, s *sessionEvents, session string, m *natsio.Msg) (uint64, error) {
	// The caller may give up, but whether the message was stored must be known even then.
	ctx = context.WithoutCancel(ctx)
	name := natsio.NewInbox()
	m.Header.Set(headerAppend, name)
	lease := e.lease()
	for end := time.Now().Add(appendTimeout); ; {
		m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(s.last, 10))
		m.Header.Set(headerLastSubject, e.all(session))
		ack, err := e.publish(ctx, m)
		if err == nil {
			s.last = ack.Sequence
			return s.last, nil
		}
		last, lastErr := e.last(ctx, session)
		for lastErr != nil && lease != nil && lease.Valid() {
			time.Sleep(doubtPause)
			last, lastErr = e.last(ctx, session)
		}
		switch {
		case lastErr != nil:
			return 0, err
		case last == nil && s.last != 0:
			s.last = 0 // all messages were dropped
		case last != nil && last.Header.Get(headerAppend) == name:
			s.last = last.Sequence
			return s.last, nil
		case last != nil && last.Sequence != s.last:
			return 0, errTakenOver
		case isConflict(err): // with a message that is accepted, and stored soon: an earlier attempt, or another process's
			if time.Now().After(end) {
				return 0, err
			}
			time.Sleep(underWayPause)
		}
		if lease == nil || !lease.Valid() {
			return 0, err
		}
	}
}

// doubtPause is the time between two attempts to find out whether a message was stored.
const doubtPause = 50 * time.Millisecond

func (e *events) publish(ctx context.Context, m *natsio.Msg) (*jetstream.PubAck, error) {
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	return e.js.PublishMsg(ctx, m)
}

// last returns the last message of a session, nil if there is none.
func (e *events) last(ctx context.Context, session string) (*jetstream.RawStreamMsg, error) {
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	return lastMessage(ctx, e.stream, e.all(session))
}

// Fence implements [shared.Events].
func (e *events) Fence(ctx context.Context, session string, number int64) error {
	if !isToken(session) {
		return streamable.ErrNoEvent
	}
	s := e.session(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	last, err := lastMessage(ctx, e.stream, e.all(session))
	if err != nil {
		return err
	}
	before, err := lastMessage(ctx, e.stream, e.takeover(session, number).Subject)
	if err != nil {
		return err
	}
	if before != nil {
		if n, _ := strconv.ParseInt(before.Header.Get(headerTakeover), 10, 64); n >= number {
			return errTakenOver
		}
	}
	if s.last = 0; last != nil {
		s.last = last.Sequence
	}
	_, err = e.append(ctx, s, session, e.takeover(session, number))
	return err
}

// takeover returns the message by which a process takes a session over.
func (e *events) takeover(session string, number int64) *natsio.Msg {
	return &natsio.Msg{Subject: e.prefix + session + "." + takeoverToken, Header: natsio.Header{headerTakeover: {strconv.FormatInt(number, 10)}}}
}

// find parses the id of an event, and returns its stream, the subject of that, and the number of the message.
func (e *events) find(ctx context.Context, session, id string) (stream, subject string, number uint64, err error) {
	end := max(strings.LastIndexByte(id, '-'), 0)
	stream = id[:end]
	number, err = strconv.ParseUint(strings.TrimPrefix(id[end:], "-"), 10, 64)
	subject, ok := e.subject(session, stream)
	if err != nil || !ok || number == 0 || len(id) > maxID {
		return "", "", 0, streamable.ErrNoEvent
	}
	m, err := e.stream.GetMsg(ctx, number)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return "", "", 0, streamable.ErrNoEvent
	case err != nil:
		return "", "", 0, err
	case m.Subject != subject:
		return "", "", 0, streamable.ErrNoEvent
	}
	return stream, subject, number, nil
}

// maxID is how many bytes an id that a client sends may have.
const maxID = 1000

// Stream implements [streamable.EventStore].
func (e *events) Stream(ctx context.Context, session, id string) (string, error) {
	stream, _, _, err := e.find(ctx, session, id)
	return stream, err
}

// After implements [streamable.EventStore]. The event itself still exists, so no later one was dropped.
func (e *events) After(ctx context.Context, session, id string) ([]streamable.StoredEvent, error) {
	stream, subject, number, err := e.find(ctx, session, id)
	if err != nil {
		return nil, err
	}
	var list []streamable.StoredEvent
	for {
		m, err := e.stream.GetMsg(ctx, number+1, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		number = m.Sequence
		list = append(list, streamable.StoredEvent{ID: stream + "-" + strconv.FormatUint(number, 10), Data: m.Data})
	}
}

// Last implements [streamable.EventStore].
func (e *events) Last(ctx context.Context, session, stream string) (streamable.StoredEvent, error) {
	subject, ok := e.subject(session, stream)
	if !ok {
		return streamable.StoredEvent{}, streamable.ErrNoEvent
	}
	m, err := lastMessage(ctx, e.stream, subject)
	if m == nil || err != nil {
		return streamable.StoredEvent{}, cmp.Or(err, streamable.ErrNoEvent)
	}
	return streamable.StoredEvent{ID: stream + "-" + strconv.FormatUint(m.Sequence, 10), Data: m.Data}, nil
}

// Forget implements [streamable.EventStore].
func (e *events) Forget(ctx context.Context, session string) error {
	if !isToken(session) {
		return nil
	}
	e.mu.Lock()
	delete(e.sessions, session)
	e.mu.Unlock()
	// The last takeover stays, until it is too old, so that nobody who had the session earlier appends.
	ack, err := e.publish(ctx, e.takeover(session, math.MaxInt64))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	return e.stream.Purge(ctx, jetstream.WithPurgeSubject(e.all(session)), jetstream.WithPurgeSequence(ack.Sequence))
}
