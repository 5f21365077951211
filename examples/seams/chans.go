package seams

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Chans returns the two ends of a connection over Go channels.
func Chans() (a, b transport.Transport) {
	ab, ba := newPipe(), newPipe()
	return &end{in: ba, out: ab}, &end{in: ab, out: ba}
}

// A pipe carries messages in one direction.
type pipe struct {
	messages chan []byte
	done     chan struct{} // closed by the sender: no message follows
	gone     chan struct{} // closed by the receiver: nobody receives
}

func newPipe() *pipe {
	return &pipe{messages: make(chan []byte, 16), done: make(chan struct{}), gone: make(chan struct{})}
}

// An end is one end of a connection.
type end struct {
	in, out *pipe
	once    sync.Once
}

// Receive implements transport.Receiver.
func (e *end) Receive(ctx context.Context) (transport.Message, error) {
	select {
	case <-e.in.gone:
		return transport.Message{}, transport.ErrClosed
	default:
	}
	select {
	case m := <-e.in.messages:
		return transport.Message{Data: m}, nil
	case <-e.in.gone:
		return transport.Message{}, transport.ErrClosed
	case <-ctx.Done():
		return transport.Message{}, context.Cause(ctx)
	case <-e.in.done:
	}
	select {
	case m := <-e.in.messages: // sent before the end
		return transport.Message{Data: m}, nil
	default:
		return transport.Message{}, io.EOF
	}
}

// Send implements transport.Sender.
func (e *end) Send(ctx context.Context, m transport.Message) error {
	select {
	case <-e.out.done:
		return transport.ErrClosed
	case <-e.out.gone:
		return io.ErrClosedPipe
	default:
	}
	select {
	case e.out.messages <- bytes.Clone(m.Data):
		return nil
	case <-e.out.done:
		return transport.ErrClosed
	case <-e.out.gone:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close implements transport.Sender.
func (e *end) Close() error {
	e.once.Do(func() {
		close(e.out.done)
		close(e.in.gone)
	})
	return nil
}
