// Package inmem connects two sides within one process, without any encoding of its own: for tests,
// and for servers that are built into their client.
package inmem

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// DefaultSize is how many messages [Pair] holds for each side by default.
const DefaultSize = 64

// Pair returns the two ends of a connection. Each end holds up to size messages that the other has
// not received, DefaultSize if size is not positive; then Send waits.
//
// After one end is closed, the other receives what was sent before, and then io.EOF. There are no
// goroutines behind a pair, so that it works in the bubbles of testing/synctest.
func Pair(size int) (a, b *End) {
	if size <= 0 {
		size = DefaultSize
	}
	ab, ba := make(chan []byte, size), make(chan []byte, size)
	a = &End{in: ba, out: ab, closed: make(chan struct{})}
	b = &End{in: ab, out: ba, closed: make(chan struct{})}
	a.peer, b.peer = b.closed, a.closed
	return a, b
}

// An End is one end of a connection. It is a [transport.Transport].
type End struct {
	in     <-chan []byte
	out    chan<- []byte
	peer   <-chan struct{} // closed when the other end is
	once   sync.Once
	closed chan struct{}
}

// Receive implements [transport.Receiver].
func (e *End) Receive(ctx context.Context) (transport.Message, error) {
	if e.isClosed() {
		return transport.Message{}, transport.ErrClosed
	}
	select { // first, because what was sent counts more than what has ended
	case data := <-e.in:
		return transport.Message{Data: data}, nil
	default:
	}
	select {
	case data := <-e.in:
		return transport.Message{Data: data}, nil
	case <-e.closed:
		return transport.Message{}, transport.ErrClosed
	case <-ctx.Done():
		return transport.Message{}, context.Cause(ctx)
	case <-e.peer:
	}
	select {
	case data := <-e.in:
		return transport.Message{Data: data}, nil
	default:
		return transport.Message{}, io.EOF
	}
}

// Send implements [transport.Sender].
func (e *End) Send(ctx context.Context, m transport.Message) error {
	if e.isClosed() {
		return transport.ErrClosed
	}
	select {
	case <-e.peer:
		return io.ErrClosedPipe
	default:
	}
	data := bytes.Clone(m.Data)
	select {
	case e.out <- data:
		return nil
	default:
	}
	select {
	case e.out <- data:
		return nil
	case <-e.closed:
		return transport.ErrClosed
	case <-e.peer:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close implements [transport.Sender].
func (e *End) Close() error {
	e.once.Do(func() { close(e.closed) })
	return nil
}

func (e *End) isClosed() bool {
	select {
	case <-e.closed:
		return true
	default:
		return false
	}
}
