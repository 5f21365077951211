package peer_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
)

// What the params of a cancellation have besides is ignored; duplicate members in them have no effect.
func TestCancelledParams(t *testing.T) {
	for params, ends := range map[string]bool{
		`{"requestId":7}`: true, `{"x":[{}],"requestId":7,"y":1,"_meta":{}}`: true, `{"requestId":7,"reason":null}`: true,
		`{"requestId":7,"requestId":7}`: false, `{"requestId":7,"reason":"a","reason":"a"}`: false, `[7]`: false,
	} {
		bubble(t, params, func(t *testing.T) {
			h := newHold()
			_, far := connect(t, h.handler(), nil)
			far.send(`{"jsonrpc":"2.0","id":7,"method":"m"}`)
			far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + params + `}`)
			settle()
			if len(h.causes) > 0 != ends {
				t.Errorf("ended: %t, want %t", !ends, ends)
			}
			if ends {
				if err := h.cause(t); err.Error() != "cancelled by the other side" {
					t.Error(err)
				}
			}
			close(h.release)
		})
	}
}

// Progress whose params have a member twice is none.
func TestProgressParams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		reports := 0
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) { reports++ }})
		far.receive()
		for _, params := range []string{
			`{"progressToken":1,"progressToken":1,"progress":1}`, `{"progressToken":1,"progress":1,"progress":1}`,
			`{"progressToken":1,"progress":1,"total":2,"total":2}`, `{"progressToken":1,"progress":1,"message":"","message":""}`,
		} {
			far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":` + params + `}`)
		}
		far.logged(1, "progress ignored")
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := p.wait(); err != nil || reports > 0 {
			t.Errorf("%d reports, %v", reports, err)
		}
	})
}

// Of progress that is no more than before, the first is in the log.
func TestProgressOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) {}})
		far.receive()
		const report = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`
		far.send(report)
		far.logged(0, "progress ignored")
		far.send(report)
		far.logged(1, "progress ignored, it is not more than before")
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := p.wait(); err != nil {
			t.Error(err)
		}
	})
}

// The token of a call is its id, however large.
func TestLaterTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		for range 11 {
			p := goCall(t.Context(), c, "m", nil)
			id, _, _ := strings.Cut(strings.TrimPrefix(far.receive(), `{"jsonrpc":"2.0","id":`), ",")
			far.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
			if err := p.wait(); err != nil {
				t.Error(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		p := goCall(ctx, c, "m", &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) {}})
		far.want(`{"jsonrpc":"2.0","id":12,"method":"m","params":{"_meta":{"progressToken":12}}}`)
		cancel()
		p.wait()
	})
}
