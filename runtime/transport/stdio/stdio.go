// Package stdio carries messages over byte streams, one message on each line: over the standard
// input and output of a process, from either side, and over any other pair of streams, such as a
// Unix socket.
//
// A line ends with a line feed, before which a carriage return is ignored, as are blank lines. A line that is
// longer than the limit is skipped and reported; the connection continues. The last line needs no line feed.
//
// [Server] is the side of a program that was started as a server, [Command] that of a client that starts one. [New]
// is for other streams: the connection then lasts as long as the streams do.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
package stdio

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio/internal/pipes"
)

// Options configures a transport. For limits, 0 means the default, and a negative value no limit.
type Options struct {
	// MaxMessage is how many bytes a received message may have, 16 MiB if 0.
	MaxMessage int

	// MaxQueued is how many sent bytes may wait for the other side to read them, before Send waits, too: 1 MiB if
	// 0. A single message may always exceed it.
	MaxQueued int

	// Logger receives errors that no method returns. The default is [slog.Default].
	Logger *slog.Logger
}

// complete returns the options with defaults filled in.
func (o *Options) complete() Options {
	c := option.Of(o)
	c.MaxMessage = option.Limit(c.MaxMessage, 16<<20)
	c.MaxQueued = option.Limit(c.MaxQueued, 1<<20)
	c.Logger = excerpt.Logger(c.Logger)
	return c
}

// A Transport carries messages over two streams. It is a [transport.Transport].
type Transport struct {
	in     io.ReadCloser
	out    io.WriteCloser
	lines  lines
	writer writer

	receiving sync.Mutex // held while the lines are read
	closed    atomic.Bool
	once      sync.Once
}

// New returns a transport that reads from in and writes to out. They may be the same, as with a [net.Conn]. Closing
// the transport closes both; closing in must wake a waiting Read, as it does for pipes and sockets. If in is an
// *os.File of any kind, New takes care of that.
func New(in io.ReadCloser, out io.WriteCloser, opts *Options) *Transport {
	o := opts.complete()
	t := &Transport{in: pipes.Wakeable(in), out: pipes.Quick(out)}
	t.lines = lines{r: t.in, max: o.MaxMessage}
	t.writer.init(t.out, o.MaxQueued, &t.lines.more)
	t.lines.wait = func() { t.writer.writeGathered(false) }
	return t
}

// Receive implements [transport.Receiver]. If ctx ends, the transport is closed.
func (t *Transport) Receive(ctx context.Context) (transport.Message, error) {
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { t.Close() })
		defer stop()
	}
	t.receiving.Lock()
	defer t.receiving.Unlock()
	data, err := t.lines.next()
	switch {
	case t.closed.Load():
		if err := context.Cause(ctx); err != nil {
			return transport.Message{}, err
		}
		return transport.Message{}, transport.ErrClosed
	case err != nil:
		return transport.Message{}, err
	}
	return transport.Message{Data: data}, nil
}

// Send implements [transport.Sender].
func (t *Transport) Send(ctx context.Context, m transport.Message) error {
	return t.writer.send(ctx, m.Data)
}

// Close implements [transport.Sender]. It waits for at most [FlushTime] until what was sent has been written.
func (t *Transport) Close() error {
	var err error
	t.once.Do(func() {
		t.closed.Store(true)
		err = t.writer.close()
		t.in.Close() // often the same, and closed already
	})
	return err
}
