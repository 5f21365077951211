package transport_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// A connTransport carries messages over a network connection, each behind its length in four bytes.
type connTransport struct {
	conn    net.Conn
	sending chan struct{} // has room for the one who sends
	closed  atomic.Bool
}

func newConnTransport(conn net.Conn) *connTransport {
	return &connTransport{conn: conn, sending: make(chan struct{}, 1)}
}

// Receive implements [transport.Receiver].
func (t *connTransport) Receive(ctx context.Context) (transport.Message, error) {
	var m transport.Message
	err := t.do(ctx, func() error {
		var length [4]byte
		if _, err := io.ReadFull(t.conn, length[:]); err != nil {
			return err // io.EOF between two messages, io.ErrUnexpectedEOF within one
		}
		n := binary.BigEndian.Uint32(length[:])
		if n > 16<<20 {
			return fmt.Errorf("the message has %d bytes, want at most 16 MiB", n)
		}
		m.Data = make([]byte, n)
		if _, err := io.ReadFull(t.conn, m.Data); err != nil {
			return fmt.Errorf("the connection ended within a message: %v", err)
		}
		return nil
	})
	return m, err
}

// Send implements [transport.Sender].
func (t *connTransport) Send(ctx context.Context, m transport.Message) error {
	select {
	case t.sending <- struct{}{}:
		defer func() { <-t.sending }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return t.do(ctx, func() error {
		data := binary.BigEndian.AppendUint32(nil, uint32(len(m.Data)))
		_, err := t.conn.Write(append(data, m.Data...))
		return err
	})
}

// Close implements [transport.Sender].
func (t *connTransport) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	return t.conn.Close()
}

// do reads or writes. If ctx ends meanwhile, the connection does, too: half a message is of no use.
func (t *connTransport) do(ctx context.Context, f func() error) error {
	stop := context.AfterFunc(ctx, func() { t.conn.Close() })
	defer stop()
	err := f()
	switch {
	case err == nil:
		return nil
	case t.closed.Load():
		return transport.ErrClosed
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}

// A transport of one's own: three methods over a network connection. Package transporttest tests it.
func Example() {
	ctx := context.Background()
	near, far := net.Pipe()

	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	go s.Serve(ctx, newConnTransport(far))

	c, err := client.Connect(ctx, newConnTransport(near), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	fmt.Println(c.Server().Info.Name)
	// Output: hello
}
