package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// MemberOptions configures a [Member].
type MemberOptions struct {
	// TTL is how long the others wait for a process that does not renew its lease before they take over what it
	// holds: 10 s if 0 or negative, since every lease must end. A lease is renewed three times in that time.
	TTL time.Duration

	// Logger receives messages about a lease that is lost or replaced. The default is [slog.Default].
	Logger *slog.Logger
}

// A Member is this process among those that share a [Store]. It has a lease, which it renews as long as it runs and
// reaches the store. The records that it holds name the lease, so nothing must be renewed for each of a million
// sessions. When the lease has ended, any member may write its own lease into these records. Their revision numbers
// make sure that only one succeeds, and that the previous holder, if it was only paused, can no longer write.
//
// A process that cannot reach the store ends its own lease before the others consider it ended, and takes a new
// one when it can.
type Member struct {
	store Store
	opts  MemberOptions

	lease atomic.Pointer[Lease]

	leave context.CancelFunc
	left  chan struct{} // closed when nothing renews the lease any more
}

// A Lease is the right of a [Member] to hold records.
type Lease struct {
	id       string
	revision uint64       // of its record
	until    atomic.Int64 // nanoseconds after epoch
	wall     atomic.Int64 // the same end by the wall clock, in nanoseconds since 1970
	done     chan struct{}

	mu    sync.Mutex
	ended bool
	timer *time.Timer
}

// epoch is the time from which leases count, by a clock that is never set, but may stop while the machine sleeps.
var epoch = time.Now()

// ID returns the name of the lease, which is unique and a valid part of a key.
func (l *Lease) ID() string { return l.id }

// Valid reports whether the lease has not ended. The time that counts is that of whichever clock has advanced more: the
// one that is never set, or that of the wall, which does not stop while the machine sleeps.
func (l *Lease) Valid() bool {
	now := time.Now()
	return int64(now.Sub(epoch)) < l.until.Load() && now.UnixNano() < l.wall.Load()
}

// Done returns a channel that is closed when the lease has ended.
func (l *Lease) Done() <-chan struct{} { return l.done }

func (l *Lease) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.ended = true
	l.until.Store(math.MinInt64)
	l.timer.Stop()
	close(l.done)
}

// extend makes the lease valid until a time, unless it has ended, and reports whether it is valid.
func (l *Lease) extend(until time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || l.timer != nil && !l.Valid() {
		return false
	}
	l.until.Store(int64(until.Sub(epoch)))
	l.wall.Store(until.UnixNano())
	if l.timer == nil {
		l.timer = time.AfterFunc(time.Until(until), l.expire)
	} else {
		l.timer.Reset(time.Until(until))
	}
	return true
}

// expire ends the lease if its time is up.
func (l *Lease) expire() {
	if !l.Valid() {
		l.end()
	}
}

// Join makes this process one of those that share a store. The caller must call [Member.Leave] in the end. A nil opts is
// the zero [MemberOptions].
func Join(ctx context.Context, s Store, opts *MemberOptions) (*Member, error) {
	m := &Member{store: s, left: make(chan struct{})}
	if opts != nil {
		m.opts = *opts
	}
	if m.opts.TTL <= 0 {
		m.opts.TTL = 10 * time.Second
	}
	m.opts.Logger = cmp.Or(m.opts.Logger, slog.Default())
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	var running context.Context
	running, m.leave = context.WithCancel(context.Background())
	go m.run(running)
	return m, nil
}

// Store returns the store of the member.
func (m *Member) Store() Store { return m.store }

// Log returns the logger of the member, also for packages that keep records in its store. What clients sent may be in
// messages: it is made harmless.
func (m *Member) Log() *slog.Logger { return m.opts.Logger }

// Left returns a channel that is closed when the member leaves.
func (m *Member) Left() <-chan struct{} { return m.left }

// TTL returns how long a lease lasts unless it is renewed.
func (m *Member) TTL() time.Duration { return m.opts.TTL }

// Lease returns the lease, nil if there is none at the moment.
func (m *Member) Lease() *Lease {
	if l := m.lease.Load(); l != nil && l.Valid() {
		return l
	}
	return nil
}

// Alive reports whether the lease with that name, of this process or another, has not ended.
func (m *Member) Alive(ctx context.Context, lease string) (bool, error) {
	if l := m.Lease(); l != nil && l.id == lease {
		return true, nil
	}
	_, err := m.store.Get(ctx, leaseKey(lease))
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrKey) {
		return false, nil
	}
	return err == nil, err
}

// Leave ends the lease, so that others may hold what this process held. It does not close the store.
func (m *Member) Leave(ctx context.Context) error {
	m.leave()
	<-m.left
	l := m.lease.Swap(nil)
	if l == nil {
		return nil
	}
	l.end()
	return m.store.Delete(ctx, leaseKey(l.id), 0)
}

func leaseKey(id string) string { return "lease." + id }

// begin takes a new lease.
func (m *Member) begin(ctx context.Context) error {
	l := &Lease{id: rand.Text(), done: make(chan struct{})}
	from := time.Now()
	var err error
	if l.revision, err = m.store.Put(ctx, leaseKey(l.id), nil, 0, m.opts.TTL); err != nil {
		return err
	}
	l.extend(from.Add(m.opts.TTL))
	m.lease.Store(l)
	return nil
}

// run renews the lease, and takes another one when it has ended.
func (m *Member) run(ctx context.Context) {
	defer close(m.left)
	every := m.opts.TTL / 3
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		try, cancel := context.WithTimeout(ctx, every)
		m.renew(try)
		cancel()
	}
}

// renew renews the lease, or takes a new one.
func (m *Member) renew(ctx context.Context) {
	l := m.lease.Load()
	if l.Valid() {
		from := time.Now()
		err := m.put(ctx, l)
		switch {
		case err == nil && l.extend(from.Add(m.opts.TTL)):
			return
		case err != nil && !errors.Is(err, ErrNotFound):
			m.opts.Logger.Warn("store: cannot renew the lease", "error", err)
			return
		}
	}
	l.end()
	m.opts.Logger.Warn("store: the lease has ended; others may take over what it held")
	if err := m.begin(ctx); err != nil {
		m.opts.Logger.Warn("store: cannot take a new lease yet", "error", err)
		return
	}
	m.opts.Logger.Info("store: took a new lease")
}

// put renews the record of a lease. The error is [ErrNotFound] if it has ended.
func (m *Member) put(ctx context.Context, l *Lease) error {
	revision, err := m.store.Put(ctx, leaseKey(l.id), nil, l.revision, m.opts.TTL)
	if errors.Is(err, ErrConflict) { // nobody else writes it: it has ended, or the previous renewal succeeded after all
		var r Record
		if r, err = m.store.Get(ctx, leaseKey(l.id)); err == nil {
			revision, err = m.store.Put(ctx, leaseKey(l.id), nil, r.Revision, m.opts.TTL)
		}
	}
	if err == nil {
		l.revision = revision
	}
	return err
}
