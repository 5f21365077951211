package streamable

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/transporttest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A client and a session of the handler carry messages as transports do, as far as there is no connection
// between them.
//
// REQ HTTP-06, HTTP-10, HTTP-13, HTTP-27
func TestTransport(t *testing.T) {
	for _, rev := range []wire.Revision{mcp.V2025_03_26, mcp.V2025_11_25} {
		t.Run(rev.String(), func(t *testing.T) {
			transporttest.Run(t, func(t *testing.T) (client, server transport.Transport) {
				testenv.NoGoroutinesLeft(t)
				return connectSession(t, rev)
			}, nil)
		})
	}
}

// A sessionEnd is a session as a transport: it receives what reaches the server's handlers, and sends as the
// session does.
type sessionEnd struct {
	*liveSession
	received  chan transport.Message
	closed    chan struct{}
	closeOnce sync.Once

	mu        sync.Mutex
	responses map[any]chan transport.Message // by the call that a request has become
}

func connectSession(t *testing.T, rev wire.Revision) (*httpclient.Client, *sessionEnd) {
	t.Helper()
	silent := slog.New(slog.DiscardHandler)
	end := &sessionEnd{received: make(chan transport.Message), closed: make(chan struct{}), responses: make(map[any]chan transport.Message)}
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: silent})
	if err := s.AddNotification("transporttest/notification", end.notified); err != nil {
		t.Fatal(err)
	}
	if err := s.AddMethod("transporttest/request", end.requested); err != nil {
		t.Fatal(err)
	}
	h := NewHandler(s, &Options{Logger: silent})
	hs := httptest.NewServer(h)
	t.Cleanup(hs.Close)
	c := httpclient.New(hs.URL, &httpclient.Options{Logger: silent})
	t.Cleanup(func() { c.Close() })
	ctx := t.Context()
	hello := fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, rev)
	if err := c.Send(ctx, transport.Message{Data: []byte(hello), Kind: jsonrpc.Request, ID: wire.StringID("init")}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.Send(ctx, transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)}); err != nil {
		t.Fatal(err)
	}
	for _, only := range h.sessions.all {
		end.liveSession = only
	}
	return c, end
}

// PerRequest says that there is no connection.
func (e *sessionEnd) PerRequest() bool { return true }

func (e *sessionEnd) notified(ctx context.Context, c *server.Call) error {
	data, err := jsonrpc.AppendNotification(nil, wire.Any, c.Method(), c.Params(), nil)
	if err == nil {
		err = e.hand(ctx, transport.Message{Data: data})
	}
	return err
}

// requested hands over a request, whose stream is the call, and returns what Send gets for it.
func (e *sessionEnd) requested(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	data, err := jsonrpc.AppendRequest(nil, wire.Any, c.ID(), c.Method(), c.Params(), nil)
	if err != nil {
		return nil, err
	}
	response := make(chan transport.Message, 1)
	e.mu.Lock()
	e.responses[c] = response
	e.mu.Unlock()
	if err := e.hand(ctx, transport.Message{Data: data, Stream: c}); err != nil {
		return nil, err
	}
	select {
	case m := <-response:
		msg, err := jsonrpc.Parse(m.Data)
		if msg.Error != nil {
			return nil, msg.Error
		}
		return msg.Result, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// hand hands over a message to Receive.
func (e *sessionEnd) hand(ctx context.Context, m transport.Message) error {
	select {
	case e.received <- m:
		return nil
	case <-e.closed:
		return transport.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (e *sessionEnd) Receive(ctx context.Context) (transport.Message, error) {
	select {
	case m := <-e.received:
		return m, nil
	case <-e.closed:
		return transport.Message{}, transport.ErrClosed
	case <-ctx.Done():
		return transport.Message{}, context.Cause(ctx)
	}
}

func (e *sessionEnd) Send(ctx context.Context, m transport.Message) error {
	select {
	case <-e.closed:
		return transport.ErrClosed
	default:
	}
	call, ok := m.Stream.(*server.Call)
	if !ok {
		return e.liveSession.Send(ctx, m)
	}
	msg, err := jsonrpc.Parse(m.Data)
	if err != nil {
		return err
	}
	if msg.Kind == jsonrpc.Notification {
		return call.Notify(ctx, msg.Method, msg.Params)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.responses[call] <- transport.Message{Data: slices.Clone(m.Data)}
	return nil
}

func (e *sessionEnd) Close() error {
	e.closeOnce.Do(func() {
		close(e.closed)
		e.h.sessions.remove(e.liveSession)
	})
	return nil
}
