// Package inmem connects two sides within one process, for tests, and for servers that are built into their client.
// Messages are passed as they are.
package inmem

import (
	"bytes"
	"context"
	"io"

	"github.com/mcpgen/mcpgen/runtime/internal/lifetime"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// DefaultSize is how many messages [Pair] holds for each side by default.
const DefaultSize = 64

// Pair returns the two ends of a connection. Each end holds up to size messages that the other has not received, or
// DefaultSize if size is not positive. When it is full, Send waits.
//
// After one end is closed, the other receives what was sent before, and then io.EOF. A pair has no goroutines, so
// it works in the bubbles of testing/synctest.
func Pair(size int) (a, b *End) {
	if size <= 0 {
		size = DefaultSize
	}
	ab, ba := make(chan []byte, size), make(chan []byte, size)
	a = &End{in: ba, out: ab, open: lifetime.New(context.Background())}
	b = &End{in: ab, out: ba, open: lifetime.New(context.Background()), peer: a.open}
	a.peer = b.open
	return a, b
}

// An End is one end of a connection. It is a [transport.Transport].
type End struct {
	in   <-chan []byte
	out  chan<- []byte
	open *lifetime.Lifetime // until Close
	peer *lifetime.Lifetime // that of the other end
}

// Receive implements [transport.Receiver].
func (e *End) Receive(ctx context.Context) (transport.Message, error) {
	if e.open.Over() {
		return transport.Message{}, transport.ErrClosed
	}
	select { // first, so that what was sent is received although the end is closed
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
	if e.open.Over() {
		return transport.ErrClosed
	}
	if e.peer.Over() {
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
	e.open.End(nil)
	return nil
}
