// Package transporttest tests whether a transport does what package transport documents:
//
//	func TestTransport(t *testing.T) {
//		transporttest.Run(t, func(t *testing.T) (client, server transport.Transport) {
//			return newPair(t)
//		}, nil)
//	}
//
// All transports of this module pass it.
package transporttest

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Options configures [Run].
type Options struct {
	// MessageLimit is the number of bytes beyond which both ends report a received message by a
	// [*transport.MessageError]. The function that connects them sets this limit. 0 means that Run does not test
	// messages that are too long, since some transports end with them.
	MessageLimit int
}

// Run tests a transport in both directions. Each call of pair returns the two ends of a new connection, that of the
// client and that of the server; if they do not differ, their order has no meaning. Run closes them. Whatever else
// pair starts, it must end with t.Cleanup. Opts may be nil.
//
// For a [transport.PerRequest] transport, Run does not test what only a connection has: an end that the other side
// notices, and a Send that waits for the other side to read.
//
// Requests are sent by the client only; in the other direction the messages are notifications.
func Run(t *testing.T, pair func(t *testing.T) (client, server transport.Transport), opts *Options) {
	t.Helper()
	o := option.Of(opts)
	t.Run("client to server", func(t *testing.T) {
		runAll(t, o, true, pair)
	})
	t.Run("server to client", func(t *testing.T) {
		runAll(t, o, false, func(t *testing.T) (from, to transport.Transport) {
			client, server := pair(t)
			return server, client
		})
	})
}

// A check is one property of a transport.
type check struct {
	name       string
	connection bool // a transport.PerRequest does not have this property
	requests   bool // it concerns requests
	limit      bool // it needs Options.MessageLimit
	brief      bool // a short check, since it sends nothing
	run        func(ctx context.Context, e *ends) error
}

// The ends of one connection. The messages of a check go from one to the other.
type ends struct {
	from, to transport.Transport
	limit    int // Options.MessageLimit
}

// runAll runs the checks in one direction. FromClient says whether it is the one from the client to the server.
func runAll(t *testing.T, o Options, fromClient bool, pair func(t *testing.T) (from, to transport.Transport)) {
	for _, c := range checks {
		if c.requests && !fromClient || c.limit && o.MessageLimit == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			from, to := pair(t)
			t.Cleanup(func() {
				from.Close()
				to.Close()
			})
			if c.connection && (perRequest(from) || perRequest(to)) {
				t.Skip("the transport has no connection")
			}
			limit := timeLimit
			if c.brief {
				limit = briefLimit
			}
			if err := c.within(t.Context(), limit, &ends{from, to, o.MessageLimit}); err != nil {
				t.Error(err)
			}
		})
	}
}

// perRequest reports whether a transport sends each request in its own exchange.
func perRequest(t transport.Transport) bool {
	x, ok := t.(transport.PerRequest)
	return ok && x.PerRequest()
}

// timeLimit is how long a check may take before something in it counts as never returning, and briefLimit is the
// same for brief checks.
const (
	timeLimit  = time.Minute
	briefLimit = 10 * time.Second
)

// A stuckError says that a check did not end.
type stuckError struct {
	limit  time.Duration
	stacks []byte
}

func (e *stuckError) Error() string {
	return fmt.Sprintf("a method of the transport does not return within %v; one of these goroutines waits in it:\n\n%s", e.limit, e.stacks)
}

func (c *check) within(ctx context.Context, limit time.Duration, e *ends) error {
	done := make(chan error, 1)
	go func() { done <- c.run(ctx, e) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		stacks := make([]byte, 256<<10)
		return &stuckError{limit, stacks[:runtime.Stack(stacks, true)]}
	}
}
