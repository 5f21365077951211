package sse

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/transport/transporttest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A client and a session of the handler are two ends of a connection.
//
// REQ SSE-01, SSE-02, SSE-03, SSE-04
func TestTransport(t *testing.T) {
	transporttest.Run(t, func(t *testing.T) (client, server transport.Transport) {
		testenv.NoGoroutinesLeft(t)
		return connectSession(t)
	}, nil)
}

// A sessionEnd is a session that no server runs: its handler goes on until it is closed.
type sessionEnd struct {
	*session
	once   sync.Once
	closed chan struct{}
}

func (e *sessionEnd) Close() error {
	defer e.once.Do(func() { close(e.closed) })
	return e.session.Close()
}

// connectSession returns a client and its session.
func connectSession(t *testing.T) (*httpclient.Client, *sessionEnd) {
	t.Helper()
	silent := slog.New(slog.DiscardHandler)
	h := NewHandler(server.New(mcp.Implementation{Name: "s", Version: "1"}, nil), &streamable.Options{Logger: silent})
	ends := make(chan *sessionEnd, 1)
	h.serve = func(_ context.Context, tr transport.Transport) error {
		end := &sessionEnd{session: tr.(*session), closed: make(chan struct{})}
		ends <- end
		<-end.closed
		return nil
	}
	hs := httptest.NewServer(h)
	t.Cleanup(hs.Close)
	c := httpclient.New(hs.URL, &httpclient.Options{Logger: silent})
	t.Cleanup(func() { c.Close() })
	// The client finds out what the server speaks by initialize.
	if err := c.Send(t.Context(), transport.Message{Kind: jsonrpc.Request, ID: wire.IntID(1), Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)}); err != nil {
		t.Fatal(err)
	}
	end := <-ends
	if _, err := end.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, end
}
