package peer

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Options configures a connection. The zero value means the defaults.
type Options struct {
	transport.Limits

	// Logger receives what goes wrong without anybody to return an error to, and of the other side's
	// mistakes the first of each kind. The default is [slog.Default].
	Logger *slog.Logger

	// UniqueIDs refuses a request whose id is that of an earlier one, even if that has its response:
	// through revision 2025-11-25 no id may be used twice, and where messages can be repeated on their
	// way, a request is handled once. Ids are remembered in little room: all of a client that
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
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	c.MaxTimeout = cmp.Or(c.MaxTimeout, time.Hour)
	c.SendTimeout = cmp.Or(c.SendTimeout, 30*time.Second)
	c.DrainTime = option.Limit(c.DrainTime, 2*time.Second)
	c.MaxRequests = option.Limit(c.MaxRequests, 1024)
	c.MaxBytes = option.Limit(c.MaxBytes, 64<<20)
	c.MaxRefusals = option.Limit(c.MaxRefusals, 16<<10)
	c.MaxNotifications = option.Limit(c.MaxNotifications, 1024)
	c.MaxBatch = option.Limit(c.MaxBatch, 100)
	c.MaxBatchBytes = option.Limit(c.MaxBatchBytes, 4<<20)
	return c
}
