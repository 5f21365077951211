package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// The id of an event is the name of its stream, a dash, and its number.

// maxID is how many bytes an id that a client sends may have.
const maxID = 1000

// tidied is how many old rows are removed at once, which is more than are added between two removals.
const tidied = 100

var errTakenOver = errors.New("sqlite: another process has taken the session over")

func eventID(stream string, number int64) string { return stream + "-" + strconv.FormatInt(number, 10) }

// oldest returns the time since which events are kept.
func (s *Store) oldest() int64 { return time.Now().Add(-s.opts.EventAge).UnixMilli() }

// Append implements [streamable.EventStore].
func (s *Store) Append(ctx context.Context, session, stream string, data []byte) (string, error) {
	var number int64
	err := s.change(ctx, func(tx *sql.Tx) error {
		now := time.Now().UnixMilli()
		r, err := tx.Exec(`INSERT INTO sessions (session, owner, number, used) VALUES (?1, ?2, 0, ?3)
			ON CONFLICT (session) DO UPDATE SET used = ?3 WHERE owner = ?2`, session, s.name, now)
		if err := changed(r, err); err != nil {
			return err
		}
		err = tx.QueryRow(`INSERT INTO events (session, stream, at, data) VALUES (?, ?, ?, ?) RETURNING number`,
			session, stream, now, blob(data)).Scan(&number)
		if err != nil {
			return err
		}
		return s.trim(tx, session, stream, number)
	})
	if err != nil {
		return "", err
	}
	return eventID(stream, number), nil
}

// changed returns errTakenOver for a statement that has changed nothing, since another process has the session.
func changed(r sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errTakenOver)
	}
	return nil
}

// trim drops events that exceed the limits, but never the last one. Events that are too old are dropped only from
// time to time, since they are not returned any more.
func (s *Store) trim(tx *sql.Tx, session, stream string, last int64) error {
	_, err := tx.Exec(`DELETE FROM events WHERE session = ?1 AND stream = ?2 AND number <=
		(SELECT number FROM events WHERE session = ?1 AND stream = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)`,
		session, stream, s.opts.EventsPerStream)
	if err == nil && last%(tidied/4) == 0 {
		old := s.oldest()
		_, err = tx.Exec(`DELETE FROM events WHERE number IN (SELECT number FROM events ORDER BY number LIMIT ?) AND at <= ?`, tidied, old)
		if err == nil {
			err = s.forgetSessions(tx)
		}
	}
	if err != nil {
		return err
	}
	if s.opts.EventBytes < 0 {
		return nil
	}
	var bytes, dropped int64
	err = tx.QueryRow(`SELECT value FROM counters WHERE name = 'bytes'`).Scan(&bytes)
	for ; err == nil && bytes > s.opts.EventBytes; bytes -= dropped {
		err = tx.QueryRow(`DELETE FROM events WHERE number = (SELECT min(number) FROM events) AND number < ? RETURNING 256 + length(data)`, last).Scan(&dropped)
	}
	if errors.Is(err, sql.ErrNoRows) { // only the last event is left
		return nil
	}
	return err
}

// forgetSessions removes rows of sessions that have no events any more.
func (s *Store) forgetSessions(tx *sql.Tx) error {
	_, err := tx.Exec(`DELETE FROM sessions WHERE session IN (SELECT session FROM sessions WHERE used <= ? LIMIT ?)`, s.oldest(), tidied)
	return err
}

// Fence implements [shared.Events].
func (s *Store) Fence(ctx context.Context, session string, number int64) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		return changed(tx.Exec(`INSERT INTO sessions (session, owner, number, used) VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (session) DO UPDATE SET owner = ?2, number = ?3, used = ?4 WHERE number < ?3`,
			session, s.name, number, time.Now().UnixMilli()))
	})
}

// parseID parses the id of an event.
func parseID(id string) (stream string, number int64, err error) {
	end := max(strings.LastIndexByte(id, '-'), 0)
	n, err := strconv.ParseUint(strings.TrimPrefix(id[end:], "-"), 10, 63)
	if err != nil || len(id) > maxID {
		return "", 0, streamable.ErrNoEvent
	}
	return id[:end], int64(n), nil
}

// Stream implements [streamable.EventStore].
func (s *Store) Stream(ctx context.Context, session, id string) (string, error) {
	stream, number, err := parseID(id)
	if err != nil {
		return "", err
	}
	err = s.db.QueryRowContext(ctx, `SELECT stream FROM events WHERE number = ? AND session = ? AND stream = ? AND at > ?`,
		number, session, stream, s.oldest()).Scan(&stream)
	return stream, noEvent(err)
}

// noEvent returns the error of a query for an event.
func noEvent(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return streamable.ErrNoEvent
	}
	return wrap(err)
}

// After implements [streamable.EventStore]. If the event itself still exists, no later one was dropped.
func (s *Store) After(ctx context.Context, session, id string) ([]streamable.StoredEvent, error) {
	stream, first, err := parseID(id)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT number, data FROM events WHERE session = ? AND stream = ? AND number >= ? AND at > ? ORDER BY number`,
		session, stream, first, s.oldest())
	if err != nil {
		return nil, wrap(err)
	}
	defer rows.Close()
	var list []streamable.StoredEvent
	there := false
	for rows.Next() {
		var number int64
		var data []byte
		if err := rows.Scan(&number, &data); err != nil {
			return nil, wrap(err)
		}
		if there = there || number == first; !there {
			break
		}
		if number != first {
			list = append(list, streamable.StoredEvent{ID: eventID(stream, number), Data: data})
		}
	}
	if err := rows.Err(); err != nil {
		return nil, wrap(err)
	}
	if !there {
		return nil, streamable.ErrNoEvent
	}
	return list, nil
}

// Last implements [streamable.EventStore].
func (s *Store) Last(ctx context.Context, session, stream string) (streamable.StoredEvent, error) {
	var number int64
	var e streamable.StoredEvent
	err := s.db.QueryRowContext(ctx, `SELECT number, data FROM events WHERE session = ? AND stream = ? AND at > ? ORDER BY number DESC LIMIT 1`,
		session, stream, s.oldest()).Scan(&number, &e.Data)
	e.ID = eventID(stream, number)
	return e, noEvent(err)
}

// Forget implements [streamable.EventStore].
func (s *Store) Forget(ctx context.Context, session string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM events WHERE session = ?`, session)
		if err == nil { // from now on it has no owner, and cannot get one
			_, err = tx.Exec(`INSERT INTO sessions (session, owner, number, used) VALUES (?1, '', ?2, ?3)
				ON CONFLICT (session) DO UPDATE SET owner = '', number = ?2, used = ?3`, session, math.MaxInt64, time.Now().UnixMilli())
		}
		if err == nil {
			err = s.forgetSessions(tx)
		}
		return err
	})
}
