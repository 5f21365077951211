package peer

import (
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

// Options are the limits of a connection. The zero value means the defaults. Of the durations, a
// negative one is no limit, except where it says otherwise.
type Options struct {
	// Logger is told what goes wrong without anybody to return an error to: [slog.Default] if nil.
	// Of the other side's mistakes it is told the first of each kind.
	Logger *slog.Logger

	// Timeout is how long a call waits for its answer if neither its options nor the deadline of
	// its context say: 1 minute if 0.
	Timeout time.Duration

	// MaxTimeout is how long a call may take at most, whatever progress it makes: 1 hour if 0.
	MaxTimeout time.Duration

	// SendTimeout is how long a message may wait for the other side to read: 30 s if 0. A side that
	// reads nothing for so long is given up, and the connection closed.
	SendTimeout time.Duration

	// DrainTime is how long handlers that are at work when the other side ends the connection have
	// to finish before their contexts end, 2 s if 0; and how long they have to return after that.
	// Negative values are no time at all.
	DrainTime time.Duration

	// HandOver is how long the goroutine that reads may be busy with a handler before another one
	// reads on. At once, every request costs a new goroutine. After a while, requests that are
	// handled faster cost none and are answered sooner; but the message behind a request that takes
	// longer has to wait, once: as long as handlers take long, reading goes on at once. The default,
	// 0, is what the transport thinks best, if it is a [transport.Steady], and at once if it is
	// none; a negative value is at once.
	HandOver time.Duration

	// ProgressInterval is the least time between two progress notifications for a request; what
	// comes sooner is dropped, unless it is the last. It is 10 ms if 0.
	ProgressInterval time.Duration

	// MaxRequests is how many requests of the other side may be at work, 1024 if 0, and MaxBytes how
	// many bytes they and the notifications that wait may have together, 64 MiB if 0. A request
	// beyond that is answered with an internal error at once: keeping it, or not reading on, could
	// leave both sides waiting for each other. A single message may always exceed MaxBytes.
	MaxRequests, MaxBytes int

	// MaxRefusals is how many refusals of what the other side sent may wait to be sent, 16,384 if 0;
	// they may have 4 MiB together. While there are so many, nothing is read, so another side that
	// does not read either is given up after SendTimeout.
	MaxRefusals int

	// MaxNotifications is how many notifications may wait for those before them to be handled, 1024
	// if 0. Those beyond that are dropped.
	MaxNotifications int

	// UniqueIDs refuses a request whose id is that of an earlier one, even if that has been answered:
	// up to revision 2025-11-25 no id may be used twice, and where messages can be repeated on their
	// way, a request is carried out once. Ids are remembered in little room: all of a client that
	// counts, else at least the last 256.
	UniqueIDs bool

	// MaxBatch is how many messages a batch may have, 100 if 0. Only revision 2025-03-26 has batches.
	MaxBatch int

	// MaxBatchBytes is how many bytes the answers to a batch may have together, 4 MiB if 0. What is
	// beyond that is replaced by internal errors, and requests that have not begun by then are not
	// carried out. A single answer may always exceed it.
	MaxBatchBytes int

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
	orDefault(&c.ProgressInterval, 10*time.Millisecond)
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
