package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
)

// check returns the error of a call that must not be made.
func check(ctx context.Context, key string) error {
	if !store.ValidKey(key) {
		return store.ErrKey
	}
	return ctx.Err()
}

// expiry returns when a record that is stored now expires.
func expiry(now time.Time, ttl time.Duration) int64 {
	if ttl <= 0 {
		return math.MaxInt64
	}
	return now.Add(ttl).Add(time.Millisecond - 1).UnixMilli()
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string) (store.Record, error) {
	if err := check(ctx, key); err != nil {
		return store.Record{}, err
	}
	r := store.Record{Key: key}
	err := s.db.QueryRowContext(ctx, `SELECT value, revision FROM records WHERE key = ? AND expires > ?`, key, time.Now().UnixMilli()).
		Scan(&r.Value, &r.Revision)
	if errors.Is(err, sql.ErrNoRows) {
		return store.Record{}, store.ErrNotFound
	}
	if err != nil {
		return store.Record{}, wrap(err)
	}
	return r, nil
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (next uint64, err error) {
	if err := check(ctx, key); err != nil {
		return 0, err
	}
	err = s.change(ctx, func(tx *sql.Tx) error {
		now := time.Now()
		if have, err := revisionOf(tx, key, now); err != nil {
			return err
		} else if have != revision {
			return store.ErrConflict
		}
		if _, err := tx.Exec(`DELETE FROM records WHERE key IN (SELECT key FROM records WHERE expires <= ? LIMIT ?)`,
			now.UnixMilli(), tidied); err != nil {
			return err
		}
		if revision == 0 {
			if err := s.makeRoom(tx, key, len(value), now); err != nil {
				return err
			}
		}
		if err := tx.QueryRow(`UPDATE counters SET value = value + 1 WHERE name = 'revision' RETURNING value`).Scan(&next); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO records (key, value, revision, expires) VALUES (?, ?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = excluded.revision, expires = excluded.expires`,
			key, blob(value), next, expiry(now, ttl))
		return err
	})
	if err != nil {
		return 0, err
	}
	return next, nil
}

// makeRoom makes room for another record with a value of that many bytes, or returns [store.ErrFull].
func (s *Store) makeRoom(tx *sql.Tx, key string, size int, now time.Time) error {
	first, _, _ := strings.Cut(key, ".")
	room := func() (err error) {
		var full bool
		if err = tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM counters WHERE name = 'records ' || ?1 AND value >= ?2 OR name = 'bytes ' || ?1 AND value > ?3)`,
			first, s.opts.MaxRecords, s.opts.RecordBytes-int64(len(key)+size)).Scan(&full); full {
			return store.ErrFull
		}
		return err
	}
	if err := room(); !errors.Is(err, store.ErrFull) {
		return err
	}
	// Without the hint, SQLite looks at all records of the kind each time that one is refused.
	if _, err := tx.Exec(`DELETE FROM records INDEXED BY records_expires WHERE (key = ? OR key > ? AND key < ?) AND expires <= ?`,
		first, first+".", first+"/", now.UnixMilli()); err != nil {
		return err
	}
	return room()
}

// revisionOf returns the revision of a record, 0 if there is none.
func revisionOf(tx *sql.Tx, key string, now time.Time) (revision uint64, err error) {
	err = tx.QueryRow(`SELECT revision FROM records WHERE key = ? AND expires > ?`, key, now.UnixMilli()).Scan(&revision)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return revision, err
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string, revision uint64) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	return s.change(ctx, func(tx *sql.Tx) error {
		have, err := revisionOf(tx, key, time.Now())
		switch {
		case err != nil:
			return err
		case revision != 0 && have != revision:
			return store.ErrConflict
		}
		_, err = tx.Exec(`DELETE FROM records WHERE key = ?`, key)
		return err
	})
}

// List implements [store.Store].
func (s *Store) List(ctx context.Context, under, after string, n int) ([]store.Record, error) {
	if err := check(ctx, under); err != nil {
		return nil, err
	}
	// The slash is the byte after the dot, and keys have no slashes.
	rows, err := s.db.QueryContext(ctx, `SELECT key, value, revision FROM records WHERE key > ? AND key < ? AND expires > ? ORDER BY key LIMIT ?`,
		max(under+".", after), under+"/", time.Now().UnixMilli(), max(n, 0))
	if err != nil {
		return nil, wrap(err)
	}
	defer rows.Close()
	var list []store.Record
	for rows.Next() {
		var r store.Record
		if err := rows.Scan(&r.Key, &r.Value, &r.Revision); err != nil {
			return nil, wrap(err)
		}
		list = append(list, r)
	}
	return list, wrap(rows.Err())
}
