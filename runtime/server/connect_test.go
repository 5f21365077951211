package server

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An exchange is a stream of a transport that knows more about its requests than they say.
type exchange struct {
	sent   []string
	ending chan struct{}
}

// exchanges is a transport that has one for each request.
type exchanges struct{}

func (exchanges) Send(_ context.Context, m transport.Message) error {
	x := m.Stream.(*exchange)
	x.sent = append(x.sent, string(m.Data))
	return nil
}

func (exchanges) Close() error { return nil }

func TestConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(&Options{Anonymous: true})
		add(t, s.AddTool(mcp.Tool{Name: "who"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			return TextResult(c.Principal()), nil
		}))
		var session *SessionEndpoint
		conn := peer.New(exchanges{}, func(conn *peer.Conn) transport.Handler {
			session = NewEndpoint(s).NewSession(conn, "")
			return session
		}, &peer.Options{Limits: NewEndpoint(s).Limits()})
		deliver := func(x *exchange, text string) *exchange {
			t.Helper()
			m, err := jsonrpc.Parse([]byte(text))
			if err != nil {
				t.Error(err)
				return x
			}
			task, err := conn.Accept(t.Context(), &transport.Request{Stream: x, Origin: transport.Origin{Principal: "ada"}, Ending: x.ending}, &m)
			if err != nil {
				t.Error(err)
			}
			if task != nil {
				task.Run(t.Context())
			}
			return x
		}
		x := deliver(&exchange{}, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		if session.Revision() != mcp.V2025_03_26 || session.Session().Client().Name != "c" || len(x.sent) != 1 {
			t.Errorf("revision %v, client %v, sent %v", session.Revision(), session.Session().Client(), x.sent)
		}
		x = deliver(&exchange{}, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who"}}`)
		equal(t, "described", x.sent[0], `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ada"}]}}`)

		// A subscription ends, with its result, when the transport wants to end.
		listening := &exchange{ending: make(chan struct{})}
		go deliver(listening, `{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{},`+modernMeta+`}}`)
		synctest.Wait()
		if len(listening.sent) != 1 {
			t.Errorf("sent %v", listening.sent)
		}
		close(listening.ending)
		synctest.Wait()
		equal(t, "ended", listening.sent[1], `{"jsonrpc":"2.0","id":2,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"resultType":"complete"}}`)
		session.Close()
		conn.Close()
	})
}

// A request is refused if it is at fault itself, or comes too late; an error of what it asks for is
// something else.
func TestRefused(t *testing.T) {
	s := newServer(nil)
	for _, step := range []struct {
		params string
		want   bool
	}{
		{`{}`, true},
		{`{"name":"unknown",` + modernMeta + `}`, false},
	} {
		params := wire.Raw(step.params)
		r := &transport.Request{ID: wire.IntID(1), Method: "tools/call", Params: params}
		if len(params) > 2 {
			r.Meta = wire.Raw(modernMeta[len(`"_meta":`):])
		}
		_, err := NewEndpoint(s).ServeRequest(t.Context(), r)
		if _, refused := err.(*transport.RefusedError); err == nil || refused != step.want {
			t.Errorf("%s: refused %t, error %v", step.params, refused, err)
		}
	}
	add(t, s.Shutdown(t.Context()))
	r := &transport.Request{ID: wire.IntID(1), Method: "ping"}
	if _, err := NewEndpoint(s).ServeRequest(t.Context(), r); !errors.As(err, new(*transport.RefusedError)) {
		t.Errorf("after the end: error %v", err)
	}
}
