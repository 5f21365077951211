package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A pipe is the client's end of a connection, in raw messages.
type pipe struct {
	t    testing.TB
	end  *inmem.End
	done chan error // what Serve returned
}

func serve(t testing.TB, s *Server) *pipe {
	a, b := inmem.Pair(0)
	p := &pipe{t, a, make(chan error, 1)}
	go func() { p.done <- s.Serve(context.Background(), b) }()
	return p
}

func (p *pipe) send(data string) {
	p.t.Helper()
	if err := p.end.Send(context.Background(), transport.Message{Data: []byte(data)}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pipe) receive() string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	m, err := p.end.Receive(ctx)
	if err == io.EOF {
		return "EOF"
	} else if err != nil {
		p.t.Fatal(err)
	}
	return string(m.Data)
}

func (p *pipe) close() {
	p.t.Helper()
	p.end.Close()
	if err := <-p.done; err != nil {
		p.t.Errorf("Serve: %v", err)
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// REQ VER-05, STDIO-16, JRPC-05, JRPC-11, JRPC-14: both eras over one connection.
func TestServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := asker(t, &Options{Anonymous: true})
		p := serve(t, s)
		p.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
		equal(t, "initialize", p.receive(), `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-06-18","capabilities":{"prompts":{"listChanged":true},"tools":{"listChanged":true}},"serverInfo":{"name":"test","version":"1"}}}`)
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`)
		equal(t, "asked", p.receive(), `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}`)

		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask",` + modernMeta + `}}`)
		contains(t, "modern", p.receive(), `{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"name":{"method":"elicitation/create"`)

		p.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}}`)
		equal(t, "answer", p.receive(), `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cretaccept\"Ada\""}]}}`)

		p.send(`{"jsonrpc":"2.0","id":3,"method":"nonsense"}`)
		equal(t, "error", p.receive(), `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"method \"nonsense\" not found"}}`)
		p.send(`{"jsonrpc":"2.0","method":"nonsense"}`)
		p.send(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
		equal(t, "ping", p.receive(), `{"jsonrpc":"2.0","id":4,"result":{}}`)

		add(t, s.AddTool(mcp.Tool{Name: "new"}, says("")))
		equal(t, "changed", p.receive(), `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`)
		p.close()
	})
}

// REQ BATCH-01, BATCH-07: the negotiated revision decides.
func TestServeBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for rev, want := range map[string]string{
			"2025-03-26": `[{"jsonrpc":"2.0","id":1,"result":{}}]`,
			"2025-06-18": `{"jsonrpc":"2.0","error":{"code":-32600,"message":`,
		} {
			p := serve(t, newServer(nil))
			p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + rev + `","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
			p.receive()
			p.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
			contains(t, rev, p.receive(), want)
			p.close()
		}
	})
}

// REQ SUB-08, SUB-09, CANC-04, AMB-04, STDIO-15
func TestServeListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(&Options{Anonymous: true})
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("")))
		p := serve(t, s)
		for _, id := range []string{`"x"`, `7`} {
			p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`)
			equal(t, "acknowledged", p.receive(), `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+
				`"_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`},"notifications":{"toolsListChanged":true}}}`)
		}
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`) // REQ STDIO-14
		synctest.Wait()
		s.Changed(Change{Tools: true})
		equal(t, "changed", p.receive(), `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`)
		go s.Shutdown(context.Background())
		equal(t, "result", p.receive(), `{"jsonrpc":"2.0","id":7,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"resultType":"complete"}}`)
		equal(t, "cancelled", p.receive(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"the server is shutting down"}}`)
		equal(t, "end", p.receive(), "EOF")
		p.close()
	})
}

// A silent transport keeps what is sent, or fails.
type silent struct {
	transport.Transport
	err  error
	sent []string
	last transport.Message
}

func (s *silent) Send(_ context.Context, m transport.Message) error {
	s.sent = append(s.sent, string(m.Data))
	s.last = m
	return s.err
}

// Of all that is sent, the result of a subscription that the server ends is what a cancellation
// follows, once, and only if it could be sent.
//
// REQ SUB-09, CANC-04
func TestOneCancellation(t *testing.T) {
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"the server is shutting down"}}`
	id := wire.IntID(7)
	out := new(silent)
	c := &channel{Transport: out, ended: map[wire.ID]string{id: errClosed.Error()}}
	for _, m := range []transport.Message{
		{Data: []byte("told"), Kind: jsonrpc.Notification, ID: id},
		{Data: []byte("another"), Kind: jsonrpc.Response, ID: wire.IntID(8)},
		{Data: []byte("result"), Kind: jsonrpc.Response, ID: id},
		{Data: []byte("again"), Kind: jsonrpc.Response, ID: id},
	} {
		m.Stream = wire.IntID(9)
		add(t, c.Send(t.Context(), m))
		if out.last.Stream != m.Stream || out.last.ID != m.ID {
			t.Errorf("%s goes to %v of %v", out.last.Data, out.last.Stream, out.last.ID)
		}
	}
	equal(t, "sent", strings.Join(out.sent, " "), "told another result "+cancelled+" again")

	broken := &silent{err: errors.New("the pipe is broken")}
	c = &channel{Transport: broken, ended: map[wire.ID]string{id: errClosed.Error()}}
	if err := c.Send(t.Context(), transport.Message{Data: []byte("result"), Kind: jsonrpc.Response, ID: id}); err != broken.err {
		t.Errorf("got %v, want %v", err, broken.err)
	}
	equal(t, "sent", fmt.Sprint(broken.sent), "[result]")
}

// REQ CANC-05, CANC-08: the handler's context ends, and nothing is answered.
func TestServeCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		ended := make(chan error, 1)
		add(t, s.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			c.Progress().Report(1, 0, "")
			ended <- ctx.Err()
			return nil, ctx.Err()
		}))
		p := serve(t, s)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":1,` + modernMeta[len(`"_meta":{`):] + `}}`)
		synctest.Wait()
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the handler's context: %v", err)
		}
		p.send(`{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{` + modernMeta + `}}`)
		contains(t, "next", p.receive(), `"id":2`)
		p.close()
	})
}

func TestServeShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "slow"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
			time.Sleep(time.Minute)
			return nil, nil
		}))
		var pipes []*pipe
		for i := range 3 { // REQ LIFE-13
			p := serve(t, s)
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"slow",%s}}`, i, modernMeta))
			pipes = append(pipes, p)
		}
		synctest.Wait()
		var wg sync.WaitGroup
		wg.Go(func() { add(t, s.Shutdown(t.Context())) })
		for i, p := range pipes {
			contains(t, "answer", p.receive(), fmt.Sprintf(`"id":%d,"result"`, i))
			equal(t, "end", p.receive(), "EOF")
			p.close()
		}
		wg.Wait()
		p := &pipe{t: t}
		var other *inmem.End
		p.end, other = inmem.Pair(0)
		if err := s.Serve(t.Context(), other); err == nil {
			t.Error("a server that was shut down serves")
		}
		equal(t, "the connection", p.receive(), "EOF")
	})
}

// FuzzServe sends bytes to a server: it answers, or says nothing, or ends, and it lives on.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask",` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","requestState":"x","inputResponses":{"name":{"action":"accept"}},` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["a:b"]},` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"a:b",` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"a","value":"b"},` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"AAAA",` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`{`, ``, `null`,
	} {
		f.Add([]byte(seed))
	}
	s := asker(f, &Options{Logging: true})
	add(f, s.AddResource(mcp.Resource{URI: "a:b", Name: "b"}, noResource))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := serve(t, s)
		p.send(string(data))
		p.send(`{"jsonrpc":"2.0","id":"last","method":"server/discover","params":{` + modernMeta + `}}`)
		for {
			got := p.receive()
			if wire.Raw(got).StringAt("id") == "last" {
				break
			}
			if got == "EOF" {
				t.Fatal("the server ended the connection")
			}
		}
		p.close()
	})
}

// A named transport has a session of its own.
type named struct{ *inmem.End }

func (named) SessionID() string { return "s1" }

// What arrives on a connection is for its session, and what is no message is logged where the program logs.
func TestServeNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var heard, id string
		s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), OnSession: func(_ context.Context, c *Call) func() { id = c.Session().ID(); return nil }})
		add(t, s.AddNotification("x/n", func(_ context.Context, c *Call) error { heard = c.Client().Name; return errors.New("not now") }))
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("")))
		a, b := inmem.Pair(0)
		p := &pipe{t, a, make(chan error, 1)}
		go func() { p.done <- s.Serve(context.Background(), named{b}) }()
		p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":` + hello + `}`)
		p.receive()
		p.send(`{"jsonrpc":"2.0","method":"x/n"}`)
		p.send(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`)
		contains(t, "acknowledged", p.receive(), "acknowledged")
		p.send(`{`)
		contains(t, "no message", p.receive(), `"error"`)
		s.Changed(Change{Tools: true})
		contains(t, "changed", p.receive(), "list_changed") // the subscription goes on
		equal(t, "heard from, in the session", heard+" "+id, "c s1")
		for _, want := range []string{"invalid message refused", "not now"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log does not say %q: %s", want, &log)
			}
		}
		began := time.Now()
		p.close()
		if d := time.Since(began); d > 0 {
			t.Errorf("the subscription ended after %v", d)
		}
	})
}

// The reason why a subscription ends is that of its caller, or of the server.
//
// REQ SUB-09, CANC-04
func TestServeListenExpires(t *testing.T) {
	for expires, want := range map[time.Duration]string{time.Minute: "the authorization of the request has expired", time.Hour: "the server is shutting down"} {
		synctest.Test(t, func(t *testing.T) {
			at := time.Now().Add(expires)
			s := newServer(&Options{Identity: func(context.Context) transport.Identity { return expiring{at} }})
			p := serve(t, s)
			p.send(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{},` + modernMeta + `}}`)
			p.receive()
			time.Sleep(2 * time.Minute)
			if expires == time.Hour {
				go s.Shutdown(context.Background())
			}
			contains(t, "result", p.receive(), `"id":7,"result"`)
			contains(t, "cancelled", p.receive(), want)
			p.close()
		})
	}
}
