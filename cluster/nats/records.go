package nats

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/store"
)

// records is a [store.Store]. A record is the last message of its subject, and its revision is the number of that message
// in the stream. A deletion is a message with a header, so that JetStream orders deletions and changes alike; that message
// expires.
type records struct {
	js     jetstream.JetStream
	stream jetstream.Stream
	prefix string // of subjects, with a dot
	max    int64  // bytes of all records; negative: no limit

	mu    sync.Mutex
	bytes int64     // of all records, when JetStream was asked, and of those that this process has added since
	asked time.Time // zero if it has to be asked
}

const (
	headerDeleted = "Mcp-Deleted"
	deletedFor    = time.Minute
	sizeAge       = time.Second            // how long the size of all records is used before JetStream is asked again
	leases        = "lease."               // begins the keys of leases: see [store.Member]
	electionPause = 100 * time.Millisecond // between two attempts while there is no leader

	// maxTTL is how long a record is kept at most: JetStream counts nanoseconds since 1970.
	maxTTL = 100 * 365 * 24 * time.Hour
)

func openRecords(ctx context.Context, js jetstream.JetStream, o *Options) (*records, error) {
	s, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:              o.Prefix + "_records",
		Description:       "records of sessions and leases",
		Subjects:          []string{o.Prefix + ".records.>"},
		MaxMsgsPerSubject: 1,
		AllowMsgTTL:       true,
		Storage:           o.Storage,
		Replicas:          o.Replicas,
	})
	if err != nil {
		return nil, err
	}
	return &records{js: js, stream: s, prefix: o.Prefix + ".records.", max: o.RecordBytes}, nil
}

// check returns the error of a call that must not be made.
func check(ctx context.Context, key string) error {
	if !store.ValidKey(key) {
		return store.ErrKey
	}
	return ctx.Err()
}

// last returns the last message of a key, which may be a deletion; nil if there is none.
func (r *records) last(ctx context.Context, key string) (*jetstream.RawStreamMsg, error) {
	return lastMessage(ctx, r.stream, r.prefix+key)
}

// lastToChange is last for a change of the record: it waits while the NATS servers elect a leader, as publish does.
func (r *records) lastToChange(ctx context.Context, key string) (*jetstream.RawStreamMsg, error) {
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	for {
		m, err := r.last(ctx, key)
		if api, ok := errors.AsType[*jetstream.APIError](err); !ok || api.ErrorCode != codeNotAvailable {
			return m, err
		}
		select {
		case <-time.After(electionPause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// Get implements [store.Store].
func (r *records) Get(ctx context.Context, key string) (store.Record, error) {
	if err := check(ctx, key); err != nil {
		return store.Record{}, err
	}
	m, err := r.last(ctx, key)
	switch {
	case err != nil:
		return store.Record{}, err
	case m == nil || isDeleted(m):
		return store.Record{}, store.ErrNotFound
	}
	return store.Record{Key: key, Value: m.Data, Revision: m.Sequence}, nil
}

func isDeleted(m *jetstream.RawStreamMsg) bool { return m.Header.Get(headerDeleted) != "" }

// Put implements [store.Store].
func (r *records) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	if err := check(ctx, key); err != nil {
		return 0, err
	}
	if revision == 0 {
		if !r.hasRoom(ctx, key, len(value)) {
			return 0, store.ErrFull
		}
	}
	next, err := r.publish(ctx, key, value, revision, ttl, nil)
	if revision != 0 || !errors.Is(err, store.ErrConflict) {
		return next, err
	}
	m, err := r.lastToChange(ctx, key)
	switch {
	case err != nil:
		return 0, err
	case m == nil: // it has expired in the meantime
		return r.publish(ctx, key, value, 0, ttl, nil)
	case isDeleted(m):
		return r.publish(ctx, key, value, m.Sequence, ttl, nil)
	}
	return 0, store.ErrConflict
}

// hasRoom reports whether there is room for another record with a value of that many bytes, as far as that is known.
// JetStream's own limit would also refuse to renew leases.
func (r *records) hasRoom(ctx context.Context, key string, size int) bool {
	if r.max < 0 || strings.HasPrefix(key, leases) {
		return true
	}
	r.mu.Lock()
	ask := time.Since(r.asked) >= sizeAge
	if ask {
		r.asked = time.Now() // others do not wait
	}
	r.mu.Unlock()
	var info *jetstream.StreamInfo
	var err error
	if ask {
		ctx, cancel := context.WithTimeout(ctx, sizeAge)
		info, err = r.stream.Info(ctx)
		cancel()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && info != nil {
		r.bytes = int64(info.State.Bytes)
	}
	added := int64(len(r.prefix) + len(key) + size)
	if r.bytes+added > r.max {
		r.asked = time.Time{} // the next one asks again: meanwhile records may be deleted for it
		return false
	}
	r.bytes += added
	return true
}

// publish stores a message if the number of the last message of its subject is last.
func (r *records) publish(ctx context.Context, key string, value []byte, last uint64, ttl time.Duration, header natsio.Header) (uint64, error) {
	m := &natsio.Msg{Subject: r.prefix + key, Data: value, Header: natsio.Header{}}
	maps.Copy(m.Header, header)
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(last, 10))
	if ttl > 0 {
		m.Header.Set(jetstream.MsgTTLHeader, strconv.FormatInt(int64((min(ttl, maxTTL)+time.Second-1)/time.Second), 10))
	}
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	for {
		ack, err := r.js.PublishMsg(ctx, m)
		switch {
		case err == nil:
			return ack.Sequence, nil
		case errors.Is(err, natsio.ErrMaxPayload), errors.Is(err, jetstream.ErrStreamMessageExceedsMaximum):
			return 0, store.ErrTooLarge
		case errors.Is(err, jetstream.ErrNoStreamResponse): // the NATS servers elect a leader, and nothing is stored
			select {
			case <-time.After(electionPause):
				continue
			case <-ctx.Done():
				return 0, err
			}
		case !isConflict(err):
			return 0, err
		case !isUnderWay(err):
			return 0, store.ErrConflict
		}
		now, err := r.lastToChange(ctx, key)
		if err != nil {
			return 0, err
		}
		if now == nil && last != 0 || now != nil && now.Sequence != last {
			return 0, store.ErrConflict
		}
		time.Sleep(underWayPause)
	}
}

// Delete implements [store.Store].
func (r *records) Delete(ctx context.Context, key string, revision uint64) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	for {
		m, err := r.lastToChange(ctx, key)
		switch {
		case err != nil:
			return err
		case revision != 0 && (m == nil || isDeleted(m) || m.Sequence != revision):
			return store.ErrConflict
		case m == nil || isDeleted(m):
			return nil
		}
		_, err = r.publish(ctx, key, nil, m.Sequence, deletedFor, natsio.Header{headerDeleted: {"1"}})
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

// List implements [store.Store].
func (r *records) List(ctx context.Context, under, after string, n int) ([]store.Record, error) {
	if err := check(ctx, under); err != nil {
		return nil, err
	}
	info, err := r.stream.Info(ctx, jetstream.WithSubjectFilter(r.prefix+under+".>"))
	if err != nil {
		return nil, err
	}
	var keys []string
	for subject := range info.State.Subjects {
		if key := strings.TrimPrefix(subject, r.prefix); key > after {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var list []store.Record
	for _, key := range keys {
		if len(list) == n {
			break
		}
		switch rec, err := r.Get(ctx, key); {
		case err == nil:
			list = append(list, rec)
		case !errors.Is(err, store.ErrNotFound):
			return nil, err
		}
	}
	return list, nil
}
