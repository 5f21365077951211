package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"math"
	"os"
	"strconv"
)

// A reserve is the path of a file that takes up room, for the time when there is no other: even a deletion is first
// written to the write-ahead log, and what is in the log can need as much room again in the database.
type reserve string

// reserved is how many bytes a reserve has: twice as many as the log, which SQLite copies to the database at 4 MB.
const reserved = 8 << 20

// fill makes the reserve as large as it should be, if it can. The bytes are random, so that no file system makes them
// smaller.
func (r reserve) fill() {
	if info, err := os.Stat(string(r)); err == nil && info.Size() == reserved {
		return
	}
	bytes := make([]byte, reserved)
	rand.Read(bytes)
	if os.WriteFile(string(r), bytes, 0o600) != nil {
		os.Truncate(string(r), 0) // half a reserve helps less than the room
	}
}

// use runs f with the room of the reserve, and without the right to make the database larger. The log is empty before
// and after it, so that the room is left for the next time.
func (r reserve) use(c *sql.Conn, f func() error) (err error) {
	if err := os.Truncate(string(r), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	defer r.fill()
	pragma := func(text string) {
		if _, failed := c.ExecContext(context.Background(), "PRAGMA "+text); err == nil {
			err = failed
		}
	}
	pragma("wal_checkpoint(TRUNCATE)")
	pragma("max_page_count(1)") // as many as there are
	if err == nil {
		err = f()
	}
	pragma("max_page_count(" + strconv.FormatInt(math.MaxUint32-1, 10) + ")")
	pragma("wal_checkpoint(TRUNCATE)")
	return err
}
