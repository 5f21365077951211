// Package sqlite keeps sessions, what was sent on their streams, tasks, and what an authorization server remembers
// in a SQLite database. They outlive the process, and several processes on one machine may share the file. The
// package is a separate module, so that other programs do not depend on SQLite.
//
//	db, err := sqlite.Open("sessions.db", nil)
//	member, err := store.Join(ctx, db, nil)
//	h := streamable.NewHandler(server, shared.NewSessions(member, db, nil).Options(nil))
//
// When a method has returned, what it did outlives the process, however the process ends. If the machine loses
// power, the last changes may be lost; the file is then in the state before them.
package sqlite

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"time"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

//go:generate go run -C ../.. ./internal/api -module cluster/sqlite cluster/sqlite/api.txt

// Options configures a [Store]. All processes that share a file should have the same. Of the limits, 0 is the default,
// and a negative value is no limit.
type Options struct {
	// EventAge is how long events of streams are kept: 1 hour if 0. EventBytes limits their size, of all sessions
	// together: 1 GiB if 0; an event counts as 256 bytes more than its data. EventsPerStream
	// limits the number of events of a stream: 1000 if 0. The oldest are dropped first, and a stream cannot be resumed
	// after an event that was dropped.
	EventAge        time.Duration
	EventBytes      int64
	EventsPerStream int64

	// MaxRecords limits how many records there may be whose keys have the same first part, such as all sessions:
	// 1,000,000 if 0. RecordBytes limits their size, with their keys: 1 GiB if 0. A record may be replaced by a larger
	// one beyond that.
	MaxRecords  int64
	RecordBytes int64
}

// A Store is a [store.Store], and has the events of streams ([shared.Events]), in a file.
//
// Records expire by the clock of the machine, which all its processes share. If it is set forward, leases end early:
// other processes take over what they held, and the previous holder can no longer write. If it is set back, leases last
// longer.
type Store struct {
	db   *sql.DB
	opts Options
	name string // of this process, as the owner of sessions

	reserve reserve
}

var (
	_ store.Store   = (*Store)(nil)
	_ shared.Events = (*Store)(nil)
)

// In counters, "records X" is the number of records whose keys begin with the part X, and "bytes X" their size. In events, number counts all
// events ever stored. In sessions, owner is the process that may append events, and number that of its
// last Fence.
const schema = `
CREATE TABLE IF NOT EXISTS counters (
	name  TEXT PRIMARY KEY,
	value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO counters VALUES ('revision', 0), ('bytes', 0);

CREATE TABLE IF NOT EXISTS records (
	key      TEXT PRIMARY KEY,
	value    BLOB NOT NULL,
	revision INTEGER NOT NULL,
	expires  INTEGER NOT NULL -- milliseconds since 1970, or never
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS records_expires ON records (expires);
CREATE TRIGGER IF NOT EXISTS records_added AFTER INSERT ON records BEGIN
	INSERT INTO counters VALUES ('records ' || substr(new.key, 1, instr(new.key || '.', '.') - 1), 1)
		ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;
CREATE TRIGGER IF NOT EXISTS records_removed AFTER DELETE ON records BEGIN
	UPDATE counters SET value = value - 1 WHERE name = 'records ' || substr(old.key, 1, instr(old.key || '.', '.') - 1);
END;
CREATE TRIGGER IF NOT EXISTS record_bytes_added AFTER INSERT ON records BEGIN
	INSERT INTO counters VALUES ('bytes ' || substr(new.key, 1, instr(new.key || '.', '.') - 1), length(new.key) + length(new.value))
		ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;
END;
CREATE TRIGGER IF NOT EXISTS record_bytes_changed AFTER UPDATE ON records BEGIN
	UPDATE counters SET value = value + length(new.value) - length(old.value)
		WHERE name = 'bytes ' || substr(new.key, 1, instr(new.key || '.', '.') - 1);
END;
CREATE TRIGGER IF NOT EXISTS record_bytes_removed AFTER DELETE ON records BEGIN
	UPDATE counters SET value = value - length(old.key) - length(old.value)
		WHERE name = 'bytes ' || substr(old.key, 1, instr(old.key || '.', '.') - 1);
END;

CREATE TABLE IF NOT EXISTS sessions (
	session TEXT PRIMARY KEY,
	owner   TEXT NOT NULL,
	number  INTEGER NOT NULL,
	used    INTEGER NOT NULL -- milliseconds since 1970
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sessions_used ON sessions (used);

CREATE TABLE IF NOT EXISTS events (
	number  INTEGER PRIMARY KEY AUTOINCREMENT,
	session TEXT NOT NULL,
	stream  TEXT NOT NULL,
	at      INTEGER NOT NULL, -- milliseconds since 1970
	data    BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS events_stream ON events (session, stream, number);
CREATE TRIGGER IF NOT EXISTS events_added AFTER INSERT ON events BEGIN
	UPDATE counters SET value = value + 256 + length(new.data) WHERE name = 'bytes';
END;
CREATE TRIGGER IF NOT EXISTS events_removed AFTER DELETE ON events BEGIN
	UPDATE counters SET value = value - 256 - length(old.data) WHERE name = 'bytes';
END;
`

// busyTimeout is how long to wait for other processes.
const busyTimeout = 10 * time.Second

// Open opens the database in a file. It creates the file if there is none, readable only by its owner. Opts may be nil.
//
// Beside the file are those of SQLite, and one of 8 MiB whose name ends in "-reserve". It is room that is used when the
// disk is full: records can still be changed and deleted then, so that leases last, and deletions make room.
func Open(path string, opts *Options) (*Store, error) {
	s := &Store{name: rand.Text(), reserve: reserve(path + "-reserve")}
	if opts != nil {
		s.opts = *opts
	}
	o := &s.opts
	o.EventAge = cmp.Or(o.EventAge, time.Hour)
	o.EventBytes = cmp.Or(o.EventBytes, 1<<30)
	o.EventsPerStream = cmp.Or(o.EventsPerStream, 1000)
	o.MaxRecords = cmp.Or(o.MaxRecords, 1_000_000)
	o.RecordBytes = cmp.Or(o.RecordBytes, 1<<30)
	if o.EventAge < 0 {
		o.EventAge = 1 << 62 // 146 years
	}
	if o.MaxRecords < 0 {
		o.MaxRecords = math.MaxInt64
	}
	if o.RecordBytes < 0 {
		o.RecordBytes = math.MaxInt64
	}
	if o.EventsPerStream < 0 {
		o.EventsPerStream = math.MaxInt64
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	dsn := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(%d)&_pragma=synchronous(NORMAL)&_txlock=immediate", busyTimeout.Milliseconds(), reserved/2)}
	if s.db, err = sql.Open("sqlite", dsn.String()); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	s.db.SetMaxOpenConns(1) // SQLite has one writer, and all transactions are short
	if err := s.create(); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	s.reserve.fill()
	return s, nil
}

// create creates the tables that are not there. It waits for other processes that do the same: SQLite itself does
// not wait when the first connection to a new file changes the journal mode.
func (s *Store) create() error {
	for end := time.Now().Add(busyTimeout); ; time.Sleep(10 * time.Millisecond) {
		err := s.change(context.Background(), func(tx *sql.Tx) error { _, err := tx.Exec(schema); return err })
		if code(err) != codes.SQLITE_BUSY || time.Now().After(end) {
			return err
		}
	}
}

// Close closes the database. Its users must have ended.
func (s *Store) Close() error { return s.db.Close() }

// change runs f in a transaction.
func (s *Store) change(ctx context.Context, f func(*sql.Tx) error) error {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return wrap(err)
	}
	defer c.Close() // keeps it for others
	if err = change(ctx, c, f); code(err) == codes.SQLITE_FULL {
		err = s.reserve.use(c, func() error { return change(ctx, c, f) })
	}
	return wrap(err)
}

func change(ctx context.Context, c *sql.Conn, f func(*sql.Tx) error) error {
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

// code returns the code of an error of SQLite, 0 if it is none.
func code(err error) int {
	if e, ok := errors.AsType[*driver.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// wrap adds the name of the package to an error, unless the interfaces or this package define it.
func wrap(err error) error {
	for _, known := range []error{nil, store.ErrNotFound, store.ErrConflict, store.ErrFull, streamable.ErrNoEvent, errTakenOver} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("sqlite: %w", err)
}

// blob returns data that is not nil, since nil would become NULL.
func blob(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
