package peer_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// outbox keeps what is sent.
type outbox struct {
	mu   sync.Mutex
	sent []transport.Message
}

func (o *outbox) Send(_ context.Context, m transport.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	m.Data = []byte(string(m.Data))
	o.sent = append(o.sent, m)
	return nil
}

func (o *outbox) Close() error { return nil }

// take returns what was sent since.
func (o *outbox) take() []transport.Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	sent := o.sent
	o.sent = nil
	return sent
}

// What answers a message, or a batch, goes where that came from, and says what it is.
func TestAnswersGoBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out outbox
		c := newConn(&out, handlers{revision: 20250326, request: func(context.Context, *transport.Request) (wire.Raw, error) { return nil, nil }}, nil)
		defer c.Close()
		for text, kind := range map[string]jsonrpc.Kind{
			`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}]`: jsonrpc.Batch,
			`[]`: jsonrpc.ErrorResponse, `[1`: jsonrpc.ErrorResponse, `7`: jsonrpc.ErrorResponse,
			`{"jsonrpc":"2.0","id":1,"method":"m"}`: jsonrpc.Response,
		} {
			if err := c.DeliverRaw(t.Context(), transport.Message{Data: []byte(text), Stream: "here"}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			sent := out.take()
			if len(sent) != 1 || sent[0].Stream != "here" || sent[0].Kind != kind {
				t.Errorf("%s: %+v", text, sent)
			}
		}
	})
}

// A request's own calls and notifications go where it came from, until it is answered.
func TestOutOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out outbox
		var kept transport.Caller
		c := newConn(&out, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			kept = r.Out
			if err := r.Out.Notify(ctx, "n", wire.Raw(`{"a":1}`)); err != nil {
				t.Error(err)
			}
			ctx, cancel := context.WithCancel(ctx)
			go func() {
				synctest.Wait()
				cancel()
			}()
			if _, err := r.Out.Call(ctx, "c", wire.Raw(`{"b":2}`)); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			synctest.Wait() // until the other side is told
			return nil, nil
		}}, nil)
		defer c.Close()
		if err := c.DeliverRaw(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`), Stream: "here"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		sent := out.take()
		want := []string{
			`{"jsonrpc":"2.0","method":"n","params":{"a":1}}`,
			`{"jsonrpc":"2.0","id":1,"method":"c","params":{"b":2}}`,
			`notifications/cancelled`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`,
		}
		if len(sent) != len(want) {
			t.Fatalf("%d messages were sent, want %d: %+v", len(sent), len(want), sent)
		}
		for i, m := range sent {
			if m.Stream != "here" || !strings.Contains(string(m.Data), want[i]) {
				t.Errorf("message %d is %s on %v, want %s", i, m.Data, m.Stream, want[i])
			}
		}
		if _, err := kept.Call(t.Context(), "c", nil); !errors.Is(err, jsonrpc.ErrRequestDone) {
			t.Errorf("a call after the answer: %v", err)
		}
		if err := kept.Notify(t.Context(), "n", nil); !errors.Is(err, jsonrpc.ErrRequestDone) {
			t.Errorf("a notification after the answer: %v", err)
		}
		if sent := out.take(); len(sent) > 0 {
			t.Errorf("sent: %+v", sent)
		}
	})
}

// After the end nothing is sent, and whoever tries is told.
func TestAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out outbox
		c := newConn(&out, handlers{}, nil)
		c.Close()
		as := &transport.Request{}
		_, call := c.Call(t.Context(), "m", nil)
		_, batch := c.DeliverBatch(t.Context(), as, []byte(`[{"jsonrpc":"2.0","id":1,"method":"m"}]`))
		for name, err := range map[string]error{
			"Call":        call,
			"CallWith":    c.CallWith(t.Context(), "m", nil, nil, nil),
			"Notify":      c.Notify(t.Context(), "m", nil),
			"NotifyAt":    c.NotifyAt(t.Context(), 0, "m", nil),
			"Accept":      c.Deliver(t.Context(), as, &jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.IntID(1), Method: "m"}),
			"AcceptBatch": batch,
		} {
			if !errors.Is(err, jsonrpc.ErrClosed) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if sent := out.take(); len(sent) > 0 {
			t.Errorf("sent: %+v", sent)
		}
	})
}

// The token of progress is added to the metadata of the caller, however that is written.
func TestTokenBesideMeta(t *testing.T) {
	for meta, want := range map[string]string{
		``: `{"progressToken":1}`, `{}`: `{"progressToken":1}`, ` { } `: `{"progressToken":1}`, `{"":0}`: `{"progressToken":1,"":0}`,
		`{"a":1}`: `{"progressToken":1,"a":1}`, " {\"a\":{}}": `{"progressToken":1,"a":{}}`, `{ "a":[1] }`: `{"progressToken":1,"a":[1] }`,
		`[1,2]`: `{"progressToken":1}`, `7`: `{"progressToken":1}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			var out outbox
			c := newConn(&out, handlers{}, nil)
			p := goCall(t.Context(), c, "m", &peer.CallOptions{Meta: wire.Raw(meta), OnProgress: func(*mcp.ProgressNotificationParams) {}})
			synctest.Wait()
			c.Close()
			p.wait()
			if sent := out.take(); len(sent) != 1 || string(sent[0].Data) != `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":`+want+`}}` {
				t.Errorf("%s: %+v", meta, sent)
			}
		})
	}
}

// Answers to nothing are logged once each, by what they lack.
func TestAnswersToNothing(t *testing.T) {
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"result":{}}`:                         "response ignored, there was no such call",
		`{"jsonrpc":"2.0","id":0,"result":{}}`:                         "response ignored, there was no such call",
		`{"jsonrpc":"2.0","id":-1,"result":{}}`:                        "response ignored, there was no such call",
		`{"jsonrpc":"2.0","id":"1","result":{}}`:                       "response ignored, there was no such call",
		`{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}`:  "response ignored, there was no such call",
		`{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`:           "the other side reports an error, but not about which request",
		`{"jsonrpc":"2.0","result":{}}`:                                "response ignored, it has no id",
		`{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":1}`: "response ignored, the call is over",
	} {
		bubble(t, want, func(t *testing.T) {
			c, far := connect(t, handlers{}, nil)
			first, second, _ := strings.Cut(text, "}{")
			if second != "" {
				p := goCall(t.Context(), c, "m", nil)
				far.receive()
				far.send(first + "}")
				if err := p.wait(); err != nil {
					t.Error(err)
				}
				text := first + "}"
				far.send(text)
			} else {
				far.send(text)
			}
			far.logged(1, want)
			far.logged(1, "said once")
		})
	}
}
