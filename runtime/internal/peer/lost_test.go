package peer_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// exchanger is a transport with an exchange for each request, whose end a test decides.
type exchanger struct {
	sent     chan transport.Message
	arrivals chan error // what becomes of the exchanges; nil answers the first request
	closed   chan struct{}
	once     sync.Once
}

func (x *exchanger) Send(_ context.Context, m transport.Message) error {
	m.Data = nil
	x.sent <- m
	return nil
}

func (x *exchanger) Receive(context.Context) (transport.Message, error) {
	select {
	case err := <-x.arrivals:
		return transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)}, err
	case <-x.closed:
		return transport.Message{}, io.EOF
	}
}

func (x *exchanger) Close() error {
	x.once.Do(func() { close(x.closed) })
	return nil
}

// A request that the transport has lost fails alone, and its caller learns why. Who the other side
// refused by an error that names no request gets that error.
//
// REQ JRPC-27, H26-13
func TestLostRequests(t *testing.T) {
	bubble(t, "lost", func(t *testing.T) {
		x := &exchanger{sent: make(chan transport.Message, 10), arrivals: make(chan error), closed: make(chan struct{})}
		c := newConn(x, handlers{}, nil)
		var run sync.WaitGroup
		run.Go(func() { c.Run(t.Context(), x) })
		broke := errors.New("it broke")
		answers := make(chan error)
		call := func(opts *peer.CallOptions) wire.ID {
			go func() { answers <- c.CallWith(t.Context(), "m", nil, nil, opts) }()
			m := <-x.sent
			if opts != nil && !maps.Equal(m.Mirrored, opts.Mirrored) {
				t.Errorf("sent with %v, want %v", m.Mirrored, opts.Mirrored)
			}
			return m.ID
		}
		one := call(nil)
		two := call(&peer.CallOptions{Mirrored: map[string]string{"Region": "x"}})
		x.arrivals <- &transport.RequestError{Err: broke} // about none
		x.arrivals <- &transport.RequestError{ID: wire.StringID("1"), Err: broke}
		x.arrivals <- &transport.RequestError{ID: wire.IntID(77), Err: broke}
		x.arrivals <- &transport.RequestError{ID: two, Err: broke}
		err := <-answers
		if lost, ok := errors.AsType[*transport.RequestError](err); !ok || lost.ID != two || !errors.Is(err, broke) || err.Error() != "m: it broke" {
			t.Errorf("got %v", err)
		}
		x.arrivals <- &transport.RequestError{ID: two, Err: broke} // it is over
		if one != wire.IntID(1) {
			t.Fatal(one)
		}
		x.arrivals <- nil
		if err := <-answers; err != nil {
			t.Errorf("the other call: %v", err)
		}
		x.arrivals <- &transport.RequestError{ID: call(nil), Err: &jsonrpc.Error{Code: 7, Message: "no"}}
		if err := <-answers; err.Error() != "no (7)" || errors.As(err, new(*jsonrpc.CallError)) {
			t.Errorf("got %v", err)
		}
		long := &transport.MessageError{Limit: 1, Head: []byte(`{"jsonrpc":"2.0","id":9,"method":"m"`)}
		x.arrivals <- &transport.RequestError{ID: call(nil), Err: long} // is not taken for a message that came
		if err := <-answers; !errors.Is(err, long) || len(x.sent) > 0 {
			t.Errorf("got %v, and %d messages were sent", err, len(x.sent))
		}
		c.Close()
		run.Wait()
	})
}
