package peer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Shutdown lets what is at work finish, with its calls, and refuses what comes after.
func TestShutdown(t *testing.T) {
	slow := handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
		if _, err := r.Out.Call(ctx, "ask", nil); err != nil {
			return nil, err
		}
		time.Sleep(time.Second)
		return nil, ctx.Err()
	}}
	bubble(t, "in time", func(t *testing.T) {
		c, far := connect(t, slow, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"method":"ask"}`)
		ended := make(chan error, 1)
		go func() { ended <- c.Shutdown(t.Context()) }()
		settle()
		far.send(`{"jsonrpc":"2.0","id":2,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"the connection is shutting down"}}`)
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		far.want("error: EOF")
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := <-far.done; err != nil {
			t.Error(err)
		}
	})
	bubble(t, "not in time", func(t *testing.T) {
		c, far := connect(t, slow, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"method":"ask"}`)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		start := time.Now()
		if err := c.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 30*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		far.want("error: EOF")
	})
	bubble(t, "nothing at work", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		if err := c.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := c.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		far.want("error: EOF")
	})
}

// Shutdown waits for responses until they are sent, also for those that go together.
func TestShutdownWaitsForSending(t *testing.T) {
	for _, text := range []string{`{"jsonrpc":"2.0","id":1,"method":"m"}`, `[{"jsonrpc":"2.0","id":1,"method":"m"}]`} {
		bubble(t, text, func(t *testing.T) {
			near, end := inmem.Pair(0)
			out := &slowSender{End: near, release: make(chan struct{})}
			c := newConn(out, handlers{revision: 20250326, request: func(context.Context, *transport.Request) (wire.Raw, error) { return nil, nil }}, nil)
			go c.DeliverRaw(t.Context(), transport.Message{Data: []byte(text)})
			synctest.Wait()
			ended := make(chan error, 1)
			go func() { ended <- c.Shutdown(t.Context()) }()
			synctest.Wait()
			select {
			case err := <-ended:
				t.Errorf("it did not wait: %v", err)
			default:
			}
			close(out.release)
			far := &far{t: t, end: end}
			far.want(strings.Replace(text, `"method":"m"`, `"result":{}`, 1))
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// REQ JRPC-03: an id is good for one request, also after it has been answered.
func TestUniqueIDs(t *testing.T) {
	for _, unique := range []bool{false, true} {
		bubble(t, "", func(t *testing.T) {
			runs := 0
			_, far := connect(t, handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) {
				runs++
				return nil, nil
			}}, &peer.Options{UniqueIDs: unique})
			for _, id := range []string{`1`, `"1"`, `2`} {
				far.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"m"}`)
				far.want(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
			}
			want, wantRuns := `{"jsonrpc":"2.0","id":"1","result":{}}`, 4
			if unique {
				want, wantRuns = `{"jsonrpc":"2.0","id":"1","error":{"code":-32600,"message":"invalid request: the id was that of an earlier request, and an id is good for one"}}`, 3
			}
			far.send(`{"jsonrpc":"2.0","id":"1","method":"m"}`)
			far.want(want)
			if runs != wantRuns {
				t.Errorf("%d requests were carried out", runs)
			}
		})
	}
}

// A lastSent is a sender that keeps what was sent last.
type lastSent struct{ last string }

func (r *lastSent) Send(_ context.Context, m transport.Message) error {
	r.last = string(m.Data)
	return nil
}

func (r *lastSent) Close() error { return nil }

// What is accepted gets its response through the transport, and what is refused, from the caller of Accept.
func TestAccept(t *testing.T) {
	var out lastSent
	var c *peer.Conn
	deliver := func(text string) error {
		m, err := jsonrpc.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return c.Deliver(t.Context(), &transport.Request{Stream: "stream", Size: len(text)}, &m)
	}
	var inside error
	c = newConn(&out, handlers{request: func(_ context.Context, r *transport.Request) (wire.Raw, error) {
		if r.Stream != "stream" {
			t.Errorf("stream %v", r.Stream)
		}
		if r.Method == "again" {
			inside = deliver(`{"jsonrpc":"2.0","id":` + r.ID.String() + `,"method":"m"}`)
		}
		return nil, nil
	}}, nil)
	if err := deliver(`{"jsonrpc":"2.0","id":1,"method":"again"}`); err != nil || out.last != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("%v, sent %s", err, out.last)
	}
	if !errors.Is(inside, jsonrpc.ErrInvalidRequest) {
		t.Errorf("the same request at the same time: %v", inside)
	}
	if err := deliver(`{"jsonrpc":"2.0","method":"n"}`); err != nil {
		t.Error(err)
	}
	if err := deliver(`{"jsonrpc":"2.0","id":7,"result":{}}`); err != nil {
		t.Error(err)
	}
	c.Close()
	if err := deliver(`{"jsonrpc":"2.0","id":1,"method":"m"}`); err != jsonrpc.ErrClosed {
		t.Error(err)
	}
}
