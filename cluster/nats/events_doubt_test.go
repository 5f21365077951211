package nats

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/cluster/store"
)

// A deafPublisher has no leader for some messages, refuses some, and then loses the acknowledgements of some that it
// stores.
type deafPublisher struct {
	jetstream.JetStream
	elects  atomic.Int32 // for how many more messages there is no leader
	refuses atomic.Int32 // how many more to refuse, as if a message of the subject was in progress
	lost    atomic.Int32 // how many more acknowledgements to lose
}

func (d *deafPublisher) PublishMsg(ctx context.Context, m *natsio.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if d.elects.Add(-1) >= 0 {
		return nil, jetstream.ErrNoStreamResponse
	}
	if d.refuses.Add(-1) >= 0 {
		return nil, &jetstream.APIError{ErrorCode: codeWrongLastSequence}
	}
	ack, err := d.JetStream.PublishMsg(ctx, m, opts...)
	if err == nil && d.lost.Add(-1) >= 0 {
		return nil, context.DeadlineExceeded
	}
	return ack, err
}

// A blindStream cannot be read.
type blindStream struct {
	jetstream.Stream
	fails atomic.Int32 // how many more times
	err   error        // why; nil for a timeout
}

func (b *blindStream) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	if b.fails.Add(-1) >= 0 {
		return nil, cmp.Or(b.err, context.DeadlineExceeded)
	}
	return b.Stream.GetLastMsgForSubject(ctx, subject)
}

// joinAlone makes a cluster of one, with a NATS server of its own.
func joinAlone(t *testing.T) *Cluster {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, JetStreamMaxStore: 1 << 40, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the NATS server does not start")
	}
	conn, err := natsio.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	c, err := New(t.Context(), conn, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Leave(context.Background()) })
	return c
}

// An event whose acknowledgement is lost, for longer than an attempt may take, is appended once, and the session continues.
func TestAppendInDoubt(t *testing.T) {
	c := joinAlone(t)
	e := c.events
	first, err := e.Append(t.Context(), "session", "s1", []byte("0"))
	if err != nil {
		t.Fatal(err)
	}
	deaf, blind := &deafPublisher{JetStream: e.js}, &blindStream{Stream: e.stream}
	e.js, e.stream = deaf, blind
	deaf.lost.Store(1)
	blind.fails.Store(3)
	for _, data := range []string{"1", "2"} {
		if _, err := e.Append(t.Context(), "session", "s1", []byte(data)); err != nil {
			t.Errorf("appending %s: %v", data, err)
		}
	}
	list, err := e.After(t.Context(), "session", first)
	if err != nil || len(list) != 2 || string(list[0].Data) != "1" || string(list[1].Data) != "2" {
		t.Errorf("stored: %q, %v, want 1 and 2", list, err)
	}

	// Without a lease, it does not try to find out forever.
	if err := c.Member().Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	deaf.lost.Store(1)
	blind.fails.Store(1)
	if _, err := e.Append(t.Context(), "session", "s1", []byte("3")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a lease: %v", err)
	}
}

// JetStream refuses a message while the previous one is in progress, even for a moment after it has acknowledged that
// one. This does not mean that somebody else has changed something.
func TestUnderWay(t *testing.T) {
	c := joinAlone(t)
	js := &deafPublisher{JetStream: c.records.js}
	c.records.js, c.events.js = js, js
	var revision uint64
	for i := range 3 {
		js.refuses.Store(2)
		var err error
		if revision, err = c.records.Put(t.Context(), "k", nil, revision, 0); err != nil {
			t.Fatalf("change %d: %v", i, err)
		}
		js.refuses.Store(2)
		if _, err := c.events.Append(t.Context(), "session", "s1", nil); err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
	}
	js.refuses.Store(1)
	if _, err := c.records.Put(t.Context(), "k", nil, revision-1, 0); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a change of what somebody else has changed: %v", err)
	}
	js.refuses.Store(1)
	if err := c.records.Delete(t.Context(), "k", revision); err != nil {
		t.Error(err)
	}
}

// A change of a record waits while the NATS servers elect a leader, but not for ever.
func TestPutDuringElection(t *testing.T) {
	c := joinAlone(t)
	js := &deafPublisher{JetStream: c.records.js}
	c.records.js = js
	js.elects.Store(2)
	revision, err := c.records.Put(t.Context(), "k", nil, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	js.elects.Store(2)
	if err := c.records.Delete(t.Context(), "k", revision); err != nil {
		t.Error(err)
	}
	k := c.records.kinds["k"]
	stream := &blindStream{Stream: k.stream, err: &jetstream.APIError{ErrorCode: codeNotAvailable}}
	k.stream = stream
	if revision, err = c.records.Put(t.Context(), "k", nil, 0, 0); err != nil {
		t.Fatal(err)
	}
	stream.fails.Store(2)
	if err := c.records.Delete(t.Context(), "k", revision); err != nil {
		t.Errorf("while the last message cannot be read: %v", err)
	}
	stream.fails.Store(2)
	if _, err := c.records.Put(t.Context(), "k", nil, 0, 0); err != nil {
		t.Errorf("of what was deleted, while the last message cannot be read: %v", err)
	}
	js.elects.Store(1000)
	ctx, cancel := context.WithTimeout(t.Context(), 3*electionPause)
	defer cancel()
	if _, err := c.records.Put(ctx, "k", nil, 0, 0); !errors.Is(err, jetstream.ErrNoStreamResponse) {
		t.Errorf("without a leader: %v", err)
	}
	stream.fails.Store(1000)
	if err := c.records.Delete(ctx, "k", 0); !errors.Is(err, stream.err) && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while the last message cannot be read for long: %v", err)
	}
	js.elects.Store(0)
	stream.fails.Store(0)
}

// A latePublisher stores its first message only when the last message has been read twice. Meanwhile it refuses others:
// it has accepted that message, and knows its number.
type latePublisher struct {
	jetstream.JetStream
	late  *natsio.Msg // not stored yet
	reads int
}

func (l *latePublisher) PublishMsg(ctx context.Context, m *natsio.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	switch {
	case l.reads == 0:
		l.late = &natsio.Msg{Subject: m.Subject, Header: maps.Clone(m.Header), Data: m.Data}
		return nil, context.DeadlineExceeded
	case l.late != nil:
		return nil, &jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamWrongLastSequence}
	}
	return l.JetStream.PublishMsg(ctx, m, opts...)
}

// A lateStream is the stream of a latePublisher.
type lateStream struct {
	jetstream.Stream
	publisher *latePublisher
}

func (l *lateStream) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	m, err := l.Stream.GetLastMsgForSubject(ctx, subject)
	p := l.publisher
	if p.reads++; p.reads == 2 {
		if _, err := p.JetStream.PublishMsg(ctx, p.late); err != nil {
			return nil, err
		}
		p.late = nil
	}
	return m, err
}

// An event that JetStream has accepted and not stored yet, when it refuses the next attempt, is stored once, and the
// session continues.
func TestAppendAcceptedLate(t *testing.T) {
	c := joinAlone(t)
	e := c.events
	js, stream := e.js, e.stream
	var first string
	for _, data := range []string{"0", "1", "2"} {
		late := &latePublisher{JetStream: js}
		e.js, e.stream = late, &lateStream{stream, late}
		id, err := e.Append(t.Context(), "session", "s1", []byte(data))
		if err != nil {
			t.Errorf("appending %s: %v", data, err)
		}
		first = cmp.Or(first, id)
	}
	e.js, e.stream = js, stream
	list, err := e.After(t.Context(), "session", first)
	if err != nil || len(list) != 2 || string(list[0].Data) != "1" || string(list[1].Data) != "2" {
		t.Errorf("stored: %q, %v, want 1 and 2", list, err)
	}
}
