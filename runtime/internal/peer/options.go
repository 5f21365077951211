package peer

import (
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Options configures a connection. The zero value means the defaults.
type Options struct {
	transport.Limits

	// Logger is told what goes wrong without anybody to return an error to: [slog.Default] if nil.
	// Of the other side's mistakes it is told the first of each kind.
	Logger *slog.Logger

	// UniqueIDs refuses a request whose id is that of an earlier one, even if that has been answered:
	// up to revision 2025-11-25 no id may be used twice, and where messages can be repeated on their
	// way, a request is carried out once. Ids are remembered in little room: all of a client that
	// counts, else at least the last 256.
	UniqueIDs bool

	completed bool
}

// Complete returns the options with their defaults in place of zeros. Connections that are given
// the result share it, so it is for those who make many; it must not be changed.
func (o *Options) Complete() *Options {
	c := &Options{completed: true}
	if o != nil {
		if o.completed {
			return o
		}
		*c = *o
		c.completed = true
	}
	c.Logger = excerpt.Logger(c.Logger)
	orDefault(&c.Timeout, time.Minute)
	orDefault(&c.MaxTimeout, time.Hour)
	orDefault(&c.SendTimeout, 30*time.Second)
	orDefault(&c.DrainTime, 2*time.Second)
	orDefault(&c.MaxRequests, 1024)
	orDefault(&c.MaxBytes, 64<<20)
	orDefault(&c.MaxRefusals, 16<<10)
	orDefault(&c.MaxNotifications, 1024)
	orDefault(&c.MaxBatch, 100)
	orDefault(&c.MaxBatchBytes, 4<<20)
	return c
}

func orDefault[T int | time.Duration](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}
