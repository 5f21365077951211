// Package sqlitestore keeps the records of an authorization server in a SQLite database. It is a module of its own,
// so that other programs do not depend on SQLite.
package sqlitestore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
	_ "modernc.org/sqlite" // the driver
)

// Options configures a [Store].
type Options struct {
	// MaxRecords is how many records of each kind the store keeps: 100,000 if 0. If negative, there is no limit.
	MaxRecords int
}

// A Store keeps records in a file. Several processes on one machine may share it.
type Store struct {
	db  *sql.DB
	max int
}

var _ as.Store = (*Store)(nil)

const schema = `
CREATE TABLE IF NOT EXISTS records (
	kind    TEXT NOT NULL,
	key     TEXT NOT NULL,
	value   BLOB NOT NULL,
	expires INTEGER NOT NULL, -- milliseconds since 1970
	PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS records_expires ON records (kind, expires);
`

const standardRecords = 100_000

// Open opens the database of a file, which only its owner may read. It creates the file if there is none.
func Open(path string, opts *Options) (*Store, error) {
	s := &Store{max: standardRecords}
	switch {
	case opts == nil || opts.MaxRecords == 0:
	case opts.MaxRecords < 0:
		s.max = 0
	default:
		s.max = opts.MaxRecords
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("sqlitestore: %w", err)
	}
	dsn := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_txlock=immediate"}
	if s.db, err = sql.Open("sqlite", dsn.String()); err != nil {
		return nil, fmt.Errorf("sqlitestore: %w", err)
	}
	s.db.SetMaxOpenConns(1) // SQLite has one writer, and the requests are short
	if _, err := s.db.Exec(schema); err != nil {
		return nil, errors.Join(fmt.Errorf("sqlitestore: %w", err), s.db.Close())
	}
	return s, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Create implements [as.Store].
func (s *Store) Create(ctx context.Context, r as.Record) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		now := time.Now().UnixMilli()
		if _, err := tx.ExecContext(ctx, `DELETE FROM records WHERE kind = ? AND expires <= ?`, r.Kind, now); err != nil {
			return err
		}
		var there bool
		var count int
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM records WHERE kind = ?1 AND key = ?2), (SELECT count(*) FROM records WHERE kind = ?1)`,
			r.Kind, r.Key).Scan(&there, &count)
		switch {
		case err != nil:
			return err
		case there:
			return as.ErrExists
		case s.max > 0 && count >= s.max:
			return as.ErrFull
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO records (kind, key, value, expires) VALUES (?, ?, ?, ?)`, r.Kind, r.Key, r.Value, r.Expires.UnixMilli())
		return err
	})
}

// Get implements [as.Store].
func (s *Store) Get(ctx context.Context, kind as.Kind, key string) (as.Record, error) {
	return scan(kind, key, s.db.QueryRowContext(ctx, `SELECT value, expires FROM records WHERE kind = ? AND key = ? AND expires > ?`,
		kind, key, time.Now().UnixMilli()))
}

// Replace implements [as.Store].
func (s *Store) Replace(ctx context.Context, old []byte, r as.Record) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		have, err := scan(r.Kind, r.Key, tx.QueryRowContext(ctx, `SELECT value, expires FROM records WHERE kind = ? AND key = ? AND expires > ?`,
			r.Kind, r.Key, time.Now().UnixMilli()))
		if err != nil {
			return err
		}
		if !bytes.Equal(have.Value, old) {
			return as.ErrConflict
		}
		_, err = tx.ExecContext(ctx, `UPDATE records SET value = ?, expires = ? WHERE kind = ? AND key = ?`, r.Value, r.Expires.UnixMilli(), r.Kind, r.Key)
		return err
	})
}

// Take implements [as.Store].
func (s *Store) Take(ctx context.Context, kind as.Kind, key string) (as.Record, error) {
	return scan(kind, key, s.db.QueryRowContext(ctx, `DELETE FROM records WHERE kind = ? AND key = ? AND expires > ? RETURNING value, expires`,
		kind, key, time.Now().UnixMilli()))
}

func scan(kind as.Kind, key string, row *sql.Row) (as.Record, error) {
	r := as.Record{Kind: kind, Key: key}
	var expires int64
	err := row.Scan(&r.Value, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return as.Record{}, as.ErrNotFound
	}
	if err != nil {
		return as.Record{}, fmt.Errorf("sqlitestore: %w", err)
	}
	r.Expires = time.UnixMilli(expires)
	return r, nil
}

// change runs a change as one transaction.
func (s *Store) change(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("sqlitestore: %w", err)
	}
	if err := f(tx); err != nil {
		tx.Rollback()
		return wrap(err)
	}
	return wrap(tx.Commit())
}

// wrap adds the name of the package to an error that is not one of package as.
func wrap(err error) error {
	if err == nil || errors.Is(err, as.ErrNotFound) || errors.Is(err, as.ErrExists) || errors.Is(err, as.ErrConflict) || errors.Is(err, as.ErrFull) {
		return err
	}
	return fmt.Errorf("sqlitestore: %w", err)
}
