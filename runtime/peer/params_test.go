package peer_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/peer"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What the params of a cancellation have besides is ignored; what stands twice in them says nothing.
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
			synctest.Wait()
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

// Progress that stands twice in its params is none; a total beyond all numbers is not sent.
func TestProgressParams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		var got []peer.Progress
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(p peer.Progress) { got = append(got, p) }})
		far.receive()
		for _, params := range []string{
			`{"progressToken":1,"progressToken":1,"progress":1}`, `{"progressToken":1,"progress":1,"progress":1}`,
			`{"progressToken":1,"progress":1,"total":2,"total":2}`, `{"progressToken":1,"progress":1,"message":"","message":""}`,
		} {
			far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":` + params + `}`)
		}
		far.logged(1, "progress ignored")
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := p.wait(); err != nil || len(got) > 0 {
			t.Errorf("%v, %v", got, err)
		}
	})
	for total, want := range map[float64]string{1: `,"total":1`, 0: ``, -1: ``, math.Inf(1): ``, math.Inf(-1): ``} {
		synctest.Test(t, func(t *testing.T) {
			_, far := connect(t, handlers{request: func(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
				return nil, r.Progress(ctx, peer.Progress{Progress: 1, Total: total})
			}}, nil)
			far.send(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":1}}}`)
			far.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1` + want + `}}`)
		})
	}
}

// Progress that is no number is refused, and so is a token that stands twice; what the other side ignores
// is in the log once.
func TestProgressOfNothing(t *testing.T) {
	for _, done := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		synctest.Test(t, func(t *testing.T) {
			_, far := connect(t, handlers{request: func(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
				if err := r.Progress(ctx, peer.Progress{Progress: done}); err == nil || err.Error() != "notifications/progress: progress must be a finite number" {
					t.Errorf("%v: %v", done, err)
				}
				return nil, nil
			}}, nil)
			far.send(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":1}}}`)
			far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
			far.quiet()
		})
	}
	synctest.Test(t, func(t *testing.T) {
		_, far := connect(t, handlers{request: func(ctx context.Context, r *peer.Request) (wire.Encodable, error) {
			return nil, r.Progress(ctx, peer.Progress{Progress: 1})
		}}, nil)
		for _, meta := range []string{`{"progressToken":1,"progressToken":1}`, `7`, `{}`} {
			far.send(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":` + meta + `}}`)
			if got := far.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,`) {
				t.Errorf("%s: %s", meta, got)
			}
		}
		far.quiet()
	})
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(peer.Progress) {}})
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
		p := goCall(ctx, c, "m", &peer.CallOptions{OnProgress: func(peer.Progress) {}})
		far.want(`{"jsonrpc":"2.0","id":12,"method":"m","params":{"_meta":{"progressToken":12}}}`)
		cancel()
		p.wait()
	})
}
