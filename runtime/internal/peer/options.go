package peer

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// DefaultTimeout is how long a call waits for its response if nothing else is said.
//
// A client waits as long for the acknowledgement of a subscription, which is no response.
const DefaultTimeout = time.Minute

// Options configures a connection. The zero value means the defaults.
type Options struct {
	transport.Limits

	// Logger receives errors that cannot be returned to anyone, and the first of each kind of mistake of the other
	// side. The default is [slog.Default].
	Logger *slog.Logger

	// UniqueIDs refuses a request with the id of an earlier one, even of one that has its response: through
	// revision 2025-11-25 no id may be used twice, and a request that is repeated on the way must be handled only
	// once. Little room is needed to remember ids: if a client counts, all are remembered, otherwise at least the
	// last 256.
	UniqueIDs bool

	// Alone is set for a connection that takes the place of one for a single message: Accept handles a notification
	// before it returns, so that nothing need wait for that.
	Alone bool

	completed bool // Complete has returned these
}

// Complete returns the options with defaults in place of zeros. Connections made with the result share it, which
// saves memory if there are many; it must not be changed. What is negative has no limit: option.Limit makes of it the largest
// value there is, so that no other code need know. Only Timeout, MaxTimeout and SendTimeout stay negative, for which no timer
// is set.
func (o *Options) Complete() *Options {
	if o != nil && o.completed {
		return o
	}
	c := new(Options)
	if o != nil {
		*c = *o
	}
	c.completed = true
	c.Logger = excerpt.Logger(c.Logger)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
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
