package peer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ BATCH-01, BATCH-02, BATCH-06
func TestBatch(t *testing.T) {
	handler := handlers{
		request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			switch r.Method {
			case "slow":
				time.Sleep(time.Second)
			case "wait":
				<-ctx.Done()
			case "unknown":
				return nil, wire.ErrUnknownMethod
			case "goexit":
				runtime.Goexit()
			}
			return r.Params, nil
		},
	}
	for _, c := range []struct{ name, in, want string }{
		{"one", `[{"jsonrpc":"2.0","id":1,"method":"m","params":{}}]`, `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		{"answers together, as they come",
			`[{"jsonrpc":"2.0","id":1,"method":"slow","params":{"a":1}},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":"x","method":"unknown"}]`,
			`[{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"method not found: unknown"}},{"jsonrpc":"2.0","id":1,"result":{"a":1}}]`},
		{"invalid messages among them",
			`[7,{"jsonrpc":"2.0","id":3},{"jsonrpc":"2.0","id":1,"method":"slow","params":{}},{"jsonrpc":"2.0","id":1,"method":"slow"}]`,
			`[{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: want object, got number"}},` +
				`{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"invalid request: want one of method, result and error, got none"}},` +
				`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the id is that of another request, which has no response yet"}},` +
				`{"jsonrpc":"2.0","id":1,"result":{}}]`},
		{"a handler that ends its goroutine", `[{"jsonrpc":"2.0","id":1,"method":"goexit"}]`, `[{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}]`},
		{"only notifications", `[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","method":"n"}]`, `nothing`},
		{"only answers", `[{"jsonrpc":"2.0","id":1,"result":{}}]`, `nothing`},
		{"only invalid ones", `[[]]`, `[{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: an array: batches of messages exist only in revision 2025-03-26"}}]`},
		{"cancelled in the same batch", `[{"jsonrpc":"2.0","id":1,"method":"wait"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`, `nothing`},
		{"empty", `[]`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: the batch is empty"}}`},
		{"too many", `[1,2,3,4,5]`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: [4]: more than 4 messages in a batch"}}`},
		{"broken", `[1,2`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error: want ',' or ']' after an element, got the end of the input at offset 4"}}`},
	} {
		bubble(t, c.name, func(t *testing.T) {
			_, far := connect(t, handler.at(20250326), &peer.Options{Limits: transport.Limits{MaxBatch: 4}})
			far.send(c.in)
			far.want(c.want)
			far.send(`{"jsonrpc":"2.0","id":9,"method":"m","params":{}}`)
			far.want(`{"jsonrpc":"2.0","id":9,"result":{}}`)
			far.quiet()
		})
	}
	// REQ BATCH-07: not before the revision is known, and not in others.
	for _, rev := range []wire.Revision{wire.Any, 20241105, 20250618, 20251125, 20260728} {
		bubble(t, rev.String(), func(t *testing.T) {
			_, far := connect(t, handler.at(rev), nil)
			far.send(`[{"jsonrpc":"2.0","id":1,"method":"m","params":{}}]`)
			far.want(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: an array: batches of messages exist only in revision 2025-03-26"}}`)
		})
	}
	bubble(t, "their size", func(t *testing.T) {
		_, far := connect(t, handlers{revision: 20250326, request: func(_ context.Context, r *transport.Request) (wire.Raw, error) {
			return wire.Raw(fmt.Sprintf(`{"size":%d}`, r.Size)), nil
		}}, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{"size":37}}`)
		far.send(`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","method":"n"}]`)
		far.want(`[{"jsonrpc":"2.0","id":1,"result":{"size":70}}]`)
	})
	bubble(t, "answers to calls", func(t *testing.T) {
		conn, far := connect(t, handler.at(20250326), nil)
		p, q := goCall(t.Context(), conn, "m", nil), goCall(t.Context(), conn, "m", nil)
		far.send(`[{"jsonrpc":"2.0","id":2,"result":{"a":2}},{"jsonrpc":"2.0","id":1,"result":{"a":1}}]`)
		if p.wait() != nil || q.wait() != nil || string(p.result) != `{"a":1}` || string(q.result) != `{"a":2}` {
			t.Errorf("%s %v, %s %v", p.result, p.err, q.result, q.err)
		}
	})
}

// An answer is one of a batch.
type answer struct {
	ID     int
	Result json.RawMessage
	Error  jsonrpc.Error
}

// answersOf returns the answers to a batch by their ids, which must differ.
func answersOf(t *testing.T, text string) map[int]answer {
	t.Helper()
	var list []answer
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	all := make(map[int]answer)
	for _, a := range list {
		all[a.ID] = a
	}
	if len(all) != len(list) {
		t.Fatalf("%d answers for %d ids", len(list), len(all))
	}
	return all
}

// What the answers to a batch may have together is bounded. What has no room is replaced by an error,
// and what has not begun then does not begin.
//
// REQ BATCH-06
func TestBatchAnswersAreBounded(t *testing.T) {
	const size, n = 10_000, 40
	large := wire.Raw(`{"x":"` + strings.Repeat("x", size-8) + `"}`)
	const dropped = "the response was dropped: the responses to the batch are too large together; send fewer requests at once"
	batchOf := func(method string) string {
		var list []string
		for id := range n {
			list = append(list, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	bubble(t, "answers", func(t *testing.T) {
		var ran atomic.Int32
		_, far := connect(t, handlers{revision: 20250326, request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			ran.Add(1)
			if r.Method == "wait" { // all have begun before one is answered
				time.Sleep(time.Second)
			}
			return large, nil
		}}, &peer.Options{Limits: transport.Limits{MaxBatchBytes: 5 * size}})
		far.send(batchOf("wait"))
		answers := answersOf(t, far.receive())
		full, none := 0, 0
		for id := range n {
			switch a := answers[id]; {
			case len(a.Result) == size:
				full++
			case a.Error.Code == -32603 && a.Error.Message == dropped:
				none++
			default:
				t.Errorf("the answer to %d is %s, %v", id, a.Result, a.Error)
			}
		}
		if full != 4 || none != n-4 || ran.Load() != n {
			t.Errorf("%d answers, %d without room; %d handlers ran", full, none, ran.Load())
		}
		far.send(`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}]`)
		if got := len(far.receive()); got < 2*size {
			t.Errorf("the next batch is answered by %d bytes", got)
		}
	})
	bubble(t, "what has not begun", func(t *testing.T) {
		var ran atomic.Int32
		_, far := connect(t, handlers{revision: 20250326, request: func(context.Context, *transport.Request) (wire.Raw, error) {
			ran.Add(1)
			return nil, nil
		}}, &peer.Options{Limits: transport.Limits{MaxBatchBytes: 200}})
		far.send(`[{"jsonrpc":"2.0","id":1},{"jsonrpc":"2.0","id":2},{"jsonrpc":"2.0","id":3,"method":"m"},{"jsonrpc":"2.0","id":4,"method":"m"},` +
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}]`)
		answers := answersOf(t, far.receive())
		if len(answers) != 3 || answers[1].Error.Code != -32600 || answers[2].Error.Code != -32600 ||
			answers[3].Error.Message != "not handled: the responses to the batch are too large together; send fewer requests at once" {
			t.Errorf("the answers are %+v", answers)
		}
		if ran.Load() > 0 {
			t.Error("a handler ran")
		}
		far.send(`{"jsonrpc":"2.0","id":3,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":3,"result":{}}`)
	})
	const answer = size + len(`{"jsonrpc":"2.0","id":1,"result":}`)
	bubble(t, "as many bytes as there may be", func(t *testing.T) {
		_, far := connect(t, handlers{revision: 20250326, request: func(context.Context, *transport.Request) (wire.Raw, error) {
			return large, nil
		}}, &peer.Options{Limits: transport.Limits{MaxBatchBytes: 2*answer + 1}}) // with the comma
		far.send(`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}]`)
		if a := answersOf(t, far.receive()); len(a[1].Result) != size || len(a[2].Result) != size {
			t.Errorf("the answers are %.99v", a)
		}
	})
	bubble(t, "after the first without room", func(t *testing.T) {
		_, far := connect(t, handlers{revision: 20250326, request: func(_ context.Context, r *transport.Request) (wire.Raw, error) {
			switch r.Method {
			case "second":
				time.Sleep(time.Second)
			case "third":
				time.Sleep(2 * time.Second)
				return large[:0:0], errors.New(strings.Repeat("x", 500)) // it would have room
			}
			return large, nil
		}}, &peer.Options{Limits: transport.Limits{MaxBatchBytes: answer + size/2}})
		far.send(`[{"jsonrpc":"2.0","id":1,"method":"first"},{"jsonrpc":"2.0","id":2,"method":"second"},{"jsonrpc":"2.0","id":3,"method":"third"}]`)
		a := answersOf(t, far.receive())
		if len(a[1].Result) != size || a[2].Error.Message != dropped || a[3].Error.Message != dropped {
			t.Errorf("the answers are %.999v", a)
		}
	})
	bubble(t, "as long as the error", func(t *testing.T) {
		one := jsonrpc.AppendError(nil, wire.IntID(1), &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: dropped})
		for more, kept := range []bool{true, false} {
			_, far := connect(t, handlers{revision: 20250326, request: func(_ context.Context, r *transport.Request) (wire.Raw, error) {
				if r.Method == "second" {
					time.Sleep(time.Second)
				}
				return wire.Raw(`{"x":"` + strings.Repeat("x", len(one)-len(`{"jsonrpc":"2.0","id":1,"result":{"x":""}}`)+more) + `"}`), nil
			}}, &peer.Options{Limits: transport.Limits{MaxBatchBytes: len(one) + 1}})
			far.send(`[{"jsonrpc":"2.0","id":1,"method":"first"},{"jsonrpc":"2.0","id":2,"method":"second"}]`)
			if a := answersOf(t, far.receive()); (len(a[2].Result) > 0) != kept {
				t.Errorf("%d bytes longer: the response is %s, %v", more, a[2].Result, a[2].Error)
			}
		}
	})
	bubble(t, "one alone", func(t *testing.T) {
		_, far := connect(t, handlers{revision: 20250326, request: func(context.Context, *transport.Request) (wire.Raw, error) {
			return large, nil
		}}, &peer.Options{Limits: transport.Limits{MaxBatchBytes: 100}})
		far.send(`[{"jsonrpc":"2.0","id":1,"method":"m"}]`)
		if a := answersOf(t, far.receive()); len(a[1].Result) != size {
			t.Errorf("one answer alone is replaced: %v", a[1].Error)
		}
	})
}
