package peer_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/peer"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ BATCH-01, BATCH-02, BATCH-06
func TestBatch(t *testing.T) {
	handler := handlers{
		request: func(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
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
				`{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"invalid request: want one of method, result and error; there is none"}},` +
				`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the id is that of another request, which has not been answered yet"}},` +
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
			conn, far := connect(t, handler, &peer.Options{MaxBatch: 4})
			conn.SetRevision(20250326)
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
			conn, far := connect(t, handler, nil)
			conn.SetRevision(rev)
			far.send(`[{"jsonrpc":"2.0","id":1,"method":"m","params":{}}]`)
			far.want(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: an array: batches of messages exist only in revision 2025-03-26"}}`)
		})
	}
	bubble(t, "their size", func(t *testing.T) {
		conn, far := connect(t, handlers{request: func(_ context.Context, r *peer.Request) (wire.Encodable, error) {
			return wire.Raw(fmt.Sprintf(`{"size":%d}`, r.Size())), nil
		}}, nil)
		conn.SetRevision(20250326)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{"size":37}}`)
		far.send(`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","method":"n"}]`)
		far.want(`[{"jsonrpc":"2.0","id":1,"result":{"size":70}}]`)
	})
	bubble(t, "answers to calls", func(t *testing.T) {
		conn, far := connect(t, handler, nil)
		conn.SetRevision(20250326)
		p, q := goCall(t.Context(), conn, "m", nil), goCall(t.Context(), conn, "m", nil)
		far.send(`[{"jsonrpc":"2.0","id":2,"result":{"a":2}},{"jsonrpc":"2.0","id":1,"result":{"a":1}}]`)
		if p.wait() != nil || q.wait() != nil || string(p.result) != `{"a":1}` || string(q.result) != `{"a":2}` {
			t.Errorf("%s %v, %s %v", p.result, p.err, q.result, q.err)
		}
	})
}
