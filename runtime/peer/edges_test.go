package peer_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/peer"
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
		c := peer.New(&out, handlers{request: func(context.Context, *peer.Request) (wire.Encodable, error) { return nil, nil }}, nil)
		defer c.Close()
		c.SetRevision(20250326)
		for text, kind := range map[string]jsonrpc.Kind{
			`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}]`: jsonrpc.Batch,
			`[]`: jsonrpc.Failure, `[1`: jsonrpc.Failure, `7`: jsonrpc.Failure,
			`{"jsonrpc":"2.0","id":1,"method":"m"}`: jsonrpc.Result,
		} {
			if err := c.Deliver(t.Context(), transport.Message{Data: []byte(text), Stream: "here"}); err != nil {
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

// A request's own calls and notifications are of its revision, and go where it came from, until it is
// answered.
func TestRevisionOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out outbox
		var kept *peer.Request
		c := peer.New(&out, handlers{request: func(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
			kept = r
			r.SetRevision(20250618)
			if err := r.NotifyAt(ctx, 0, "n", tellRevision{}); err != nil {
				t.Error(err)
			}
			ctx, cancel := context.WithCancel(ctx)
			go func() {
				synctest.Wait()
				cancel()
			}()
			if err := r.CallWith(ctx, "c", tellRevision{}, nil, nil); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			return nil, nil
		}}, nil)
		defer c.Close()
		c.SetRevision(20241105)
		if err := c.Deliver(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`), Stream: "here"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		sent := out.take()
		if len(sent) < 2 {
			t.Fatalf("%+v", sent)
		}
		for i, m := range sent { // the cancellation of the call, too
			if m.Stream != "here" || i < 2 && !strings.Contains(string(m.Data), "2025-06-18") {
				t.Errorf("%s on %v", m.Data, m.Stream)
			}
		}
		if err := kept.CallWith(t.Context(), "c", nil, nil, nil); !errors.Is(err, peer.ErrAnswered) {
			t.Errorf("a call after the answer: %v", err)
		}
		if err := kept.NotifyAt(t.Context(), 0, "n", nil); !errors.Is(err, peer.ErrAnswered) {
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
		c := peer.New(&out, handlers{}, nil)
		c.Close()
		for name, err := range map[string]error{
			"Call":          c.CallWith(t.Context(), "m", nil, nil, nil),
			"Notify":        c.Notify(t.Context(), &wire.Method{Name: "m"}, nil),
			"NotifyAt":      c.NotifyAt(t.Context(), 0, "m", nil),
			"Deliver":       c.Deliver(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)}),
			"DeliverParsed": c.DeliverParsed(t.Context(), nil, &jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.IntID(1), Method: "m"}, 0),
		} {
			if !errors.Is(err, peer.ErrClosed) {
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
			c := peer.New(&out, handlers{}, nil)
			p := goCall(t.Context(), c, "m", &peer.CallOptions{Meta: wire.Raw(meta), OnProgress: func(peer.Progress) {}})
			synctest.Wait()
			c.Close()
			p.wait()
			if sent := out.take(); len(sent) != 1 || string(sent[0].Data) != `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":`+want+`}}` {
				t.Errorf("%s: %s", meta, sent)
			}
		})
	}
}

// Answers to nothing are logged once each, by what they lack.
func TestAnswersToNothing(t *testing.T) {
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"result":{}}`:                         "answer ignored, there was no such call",
		`{"jsonrpc":"2.0","id":0,"result":{}}`:                         "answer ignored, there was no such call",
		`{"jsonrpc":"2.0","id":-1,"result":{}}`:                        "answer ignored, there was no such call",
		`{"jsonrpc":"2.0","id":"1","result":{}}`:                       "answer ignored, there was no such call",
		`{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}`:  "answer ignored, there was no such call",
		`{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`:           "the other side reports an error, but not about which request",
		`{"jsonrpc":"2.0","result":{}}`:                                "answer ignored, it has no id",
		`{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":1}`: "answer ignored, the call is over",
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
