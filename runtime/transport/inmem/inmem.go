// Package inmem connects two sides within one process, without any encoding of its own: for tests,
// and for servers that are built into their client.
package inmem

import (
	"bytes"
	"context"
	"io"

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
	a, b = &End{in: ba, out: ab}, &End{in: ab, out: ba}
	a.open, a.close = context.WithCancel(context.Background())
	b.open, b.close = context.WithCancel(context.Background())
	a.peer, b.peer = b.open, a.open
	return a, b
}

// An End is one end of a connection. It is a [transport.Transport].
type End struct {
	in    <-chan []byte
	out   chan<- []byte
	open  context.Context // until Close
	close context.CancelFunc
	peer  context.Context // that of the other end
}

// Receive implements [transport.Receiver].
func (e *End) Receive(ctx context.Context) (transport.Message, error) {
	if e.open.Err() != nil {
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
	case <-e.open.Done():
		return transport.Message{}, transport.ErrClosed
	case <-ctx.Done():
		return transport.Message{}, context.Cause(ctx)
	case <-e.peer.Done():
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
	if e.open.Err() != nil {
		return transport.ErrClosed
	}
	if e.peer.Err() != nil {
		return io.ErrClosedPipe
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
	case <-e.open.Done():
		return transport.ErrClosed
	case <-e.peer.Done():
		return io.ErrClosedPipe
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close implements [transport.Sender].
func (e *End) Close() error {
	e.close()
	return nil
}
