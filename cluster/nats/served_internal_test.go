package nats

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	natsio "github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// The end of a response may be lost with the connection to NATS. Whoever still waits for it then hears that there is no
// such exchange any more.
func TestEndIsLost(t *testing.T) {
	c := joinAlone(t)
	h := streamable.NewHandler(server.New(mcp.Implementation{Name: "test", Version: "1"}, nil), c.Options(nil))
	defer h.Shutdown(t.Context())
	c.Handler(h)
	if err := c.conn.Flush(); err != nil { // the NATS server knows that the process listens
		t.Fatal(err)
	}
	conn, err := natsio.Connect(c.conn.ConnectedUrl())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	reply := c.node.prefix + "front.x"
	sub, err := conn.SubscribeSync(reply)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(opening{Method: http.MethodGet, Target: url.URL{Path: "/"}, Host: "127.0.0.1", Header: http.Header{headerSession: {"none"}}, Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	open := &natsio.Msg{Subject: c.node.prefix + c.member.Lease().ID() + ".x", Reply: reply, Data: frame{frameOpen, 1, data}.append(nil)}
	if err := conn.PublishMsg(open); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	next := func() byte {
		t.Helper()
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parseFrame(m.Data)
		if err != nil {
			t.Fatal(err)
		}
		return f.kind
	}
	for next() != frameEnd {
	}
	if err := c.conn.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	if kind := next(); kind != frameReset && kind != frameCancel { // the latter before the process has finished with it
		t.Errorf("after the connection was lost: a frame of kind %c, want %c or %c", kind, frameReset, frameCancel)
	}
}

// So it does if the exchange is just ending.
func TestEndIsLostMeanwhile(t *testing.T) {
	c := joinAlone(t)
	n := c.node
	x := newExchange(n, "x", n.prefix+"front.x", n.prefix+"back.x", "front")
	sub, err := c.conn.SubscribeSync(x.to)
	if err != nil {
		t.Fatal(err)
	}
	n.mu.Lock()
	err = n.enter(x)
	n.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	defer n.leave(x)
	x.end(context.Canceled)
	n.abort(errDisconnected)
	m, err := sub.NextMsg(20 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := parseFrame(m.Data); err != nil || f.kind != frameReset {
		t.Errorf("got a frame of kind %c, %v, want %c", f.kind, err, frameReset)
	}
}

// A process that does not listen yet, or not under its new lease, passes nothing on: it could not receive the response.
func TestPassesOnWhenItListens(t *testing.T) {
	c := joinAlone(t)
	n := c.node
	if _, err := n.open("other"); err == nil {
		t.Error("an exchange is opened before the process listens")
	}
	h := streamable.NewHandler(server.New(mcp.Implementation{Name: "test", Version: "1"}, nil), c.Options(nil))
	defer h.Shutdown(t.Context())
	c.Handler(h)
	x, err := n.open("other")
	if err != nil {
		t.Fatal(err)
	}
	n.leave(x)
	x.end(context.Canceled)
}
