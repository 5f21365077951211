package nats

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/cluster/store"
)

// records is a [store.Store]. A record is the last message of its subject, and its revision is the number of that message
// in the stream. A deletion is a message with a header, so that JetStream orders deletions and changes alike; that message
// expires.
type records struct {
	js     jetstream.JetStream
	opts   *Options
	prefix string // of subjects, with a dot

	mu    sync.Mutex
	kinds map[string]*kind // by the first part of the keys, of several the first
}

// A kind is the stream of the records whose keys begin with some first parts. Different kinds have streams of their own so
// that JetStream knows how large each is.
type kind struct {
	opened chan struct{} // closed when there is a stream, or an error
	stream jetstream.Stream
	err    error
	max    int64 // bytes; negative: no limit

	mu    sync.Mutex
	bytes int64     // when JetStream was asked, and of what this process has added since
	asked time.Time // zero if it has to be asked
	full  bool      // there was no room for the last record
}

// together are the first parts of the keys of sessions and tasks, which are one kind: each process bounds them, with
// shares, and a session or a task needs several, so it is better if their stream has one leader.
var together = []string{leases, "session", "task", "work", "mail"}

const (
	headerDeleted = "Mcp-Deleted"
	deletedFor    = time.Minute
	sizeAge       = time.Second            // how long the size of a kind is used before JetStream is asked again
	leases        = "lease"                // the first part of the keys of leases: see [store.Member]
	messageBytes  = 120                    // of a record beside its key and its value: headers, and what JetStream adds
	electionPause = 100 * time.Millisecond // between two attempts while there is no leader

	maxToken = 63 // bytes; shorter than a hash

	// maxTTL is how long a record is kept at most: JetStream counts nanoseconds since 1970.
	maxTTL = 100 * 365 * 24 * time.Hour
)

func newRecords(js jetstream.JetStream, o *Options) *records {
	return &records{js: js, opts: o, prefix: o.Prefix + ".records.", kinds: make(map[string]*kind)}
}

// kind returns the kind of a key. Its stream is made, or given the options of this process, when it is first used.
func (r *records) kind(ctx context.Context, key string) (*kind, error) {
	first, _, _ := strings.Cut(key, ".")
	if slices.Contains(together, first) {
		first = leases
	}
	r.mu.Lock()
	k := r.kinds[first]
	if k == nil {
		k = &kind{opened: make(chan struct{}), max: r.opts.RecordBytes}
		r.kinds[first] = k
		go r.open(k, first)
	}
	r.mu.Unlock()
	select {
	case <-k.opened:
		return k, k.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// open opens the stream of a kind for all who wait for it. If that fails, the next one who needs it tries again.
func (r *records) open(k *kind, first string) {
	ctx, cancel := context.WithTimeout(context.Background(), appendTimeout)
	defer cancel()
	config := jetstream.StreamConfig{
		Name:              r.opts.Prefix + "_records",
		Description:       "records of sessions, tasks and leases",
		MaxMsgsPerSubject: 1,
		AllowMsgTTL:       true,
		Storage:           r.opts.Storage,
		Replicas:          r.opts.Replicas,
	}
	parts := together
	if first != leases {
		parts = []string{first}
		config.Name += "_" + streamToken(first)
		config.Description = "records whose keys begin with " + first
	}
	for _, part := range parts {
		config.Subjects = append(config.Subjects, r.prefix+part, r.prefix+part+".>")
	}
	if k.stream, k.err = r.js.CreateOrUpdateStream(ctx, config); k.err != nil {
		r.mu.Lock()
		delete(r.kinds, first)
		r.mu.Unlock()
	}
	close(k.opened)
}

// streamToken returns a first part of keys as it stands in the name of a stream, which cannot be as long.
func streamToken(first string) string {
	if len(first) <= maxToken {
		return first
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(first)))
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
	k, err := r.kind(ctx, key)
	if err != nil {
		return nil, err
	}
	return lastMessage(ctx, k.stream, r.prefix+key)
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
	k, err := r.kind(ctx, key)
	if err != nil {
		return 0, err
	}
	if revision == 0 && !strings.HasPrefix(key, leases+".") && !k.hasRoom(ctx, messageBytes+len(r.prefix)+len(key)+len(value)) {
		return 0, store.ErrFull
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

// hasRoom reports whether there is room for another record of that many bytes, as far as that is known. JetStream's own
// limit would also refuse to change records.
func (k *kind) hasRoom(ctx context.Context, bytes int) bool {
	if k.max < 0 {
		return true
	}
	k.mu.Lock()
	ask := time.Since(k.asked) >= sizeAge
	if ask {
		k.asked = time.Now() // others do not wait
	}
	k.mu.Unlock()
	var info *jetstream.StreamInfo
	var err error
	if ask {
		ctx, cancel := context.WithTimeout(ctx, sizeAge)
		info, err = k.stream.Info(ctx)
		cancel()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil && info != nil {
		k.bytes = int64(info.State.Bytes)
	}
	if k.full = k.bytes+int64(bytes) > k.max; k.full {
		k.asked = time.Time{} // the next one asks again: meanwhile records may be deleted for it
		return false
	}
	k.bytes += int64(bytes)
	return true
}

// forget removes the message of a deletion, which may be as large as the record was, if its room is needed. Until it
// expires it would only refuse what somebody has sent and given up meanwhile.
func (k *kind) forget(ctx context.Context, deletion uint64) error {
	k.mu.Lock()
	full := k.full
	k.mu.Unlock()
	if !full {
		return nil
	}
	err := k.stream.DeleteMsg(ctx, deletion)
	if errors.Is(err, jetstream.ErrMsgNotFound) { // another record is there
		return nil
	}
	return err
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
	k, err := r.kind(ctx, key)
	if err != nil {
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
		deletion, err := r.publish(ctx, key, nil, m.Sequence, deletedFor, natsio.Header{headerDeleted: {"1"}})
		switch {
		case err == nil:
			return k.forget(ctx, deletion)
		case !errors.Is(err, store.ErrConflict):
			return err
		}
	}
}

// List implements [store.Store].
func (r *records) List(ctx context.Context, under, after string, n int) ([]store.Record, error) {
	if err := check(ctx, under); err != nil {
		return nil, err
	}
	k, err := r.kind(ctx, under)
	if err != nil {
		return nil, err
	}
	info, err := k.stream.Info(ctx, jetstream.WithSubjectFilter(r.prefix+under+".>"))
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
