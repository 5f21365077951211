package peer_test

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestCall(t *testing.T) {
	bubble(t, "result", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		go func() {
			far.want(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
			far.send(`{"jsonrpc":"2.0","id":1,"result":{"ok":true}}`)
			far.want(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			far.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		}()
		if result, err := c.Call(t.Context(), "tools/call", wire.Raw(`{"name":"x"}`)); err != nil || string(result) != `{"ok":true}` {
			t.Errorf("%s, %v", result, err)
		}
		// REQ JRPC-03, JRPC-04: each request has an id of its own.
		if err := c.CallWith(t.Context(), "ping", nil, nil, nil); err != nil {
			t.Error(err)
		}
	})

	// REQ JRPC-27: errors of the other side are told from errors of this one.
	bubble(t, "error", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		p := goCall(t.Context(), c, "m", nil)
		far.receive()
		far.send(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","data":{"a":1}}}`)
		var rpc *jsonrpc.Error
		if err := p.wait(); !errors.As(err, &rpc) || rpc.Code != -32602 || rpc.Message != "no" || string(rpc.Data) != `{"a":1}` {
			t.Errorf("%v", err)
		}
		if errors.As(p.err, new(*jsonrpc.CallError)) {
			t.Errorf("%v looks like an error of this side", p.err)
		}
	})

	bubble(t, "options", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		var id wire.ID
		p := goCall(t.Context(), c, "m", &peer.CallOptions{
			Meta:       wire.Raw(` { "k" : 1 } `),
			OnProgress: func(*mcp.ProgressNotificationParams) {},
			Started:    func(started wire.ID) { id = started },
		})
		far.want(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":1,"k" : 1 }}}`)
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := p.wait(); err != nil || id != wire.IntID(1) {
			t.Errorf("%v, id %v", err, id)
		}
		p = goCall(t.Context(), c, "m", &peer.CallOptions{Meta: wire.Raw(`{ }`), ResetOnProgress: true})
		far.want(`{"jsonrpc":"2.0","id":2,"method":"m","params":{"_meta":{"progressToken":2}}}`)
		far.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		p.wait()
	})

	bubble(t, "revision", func(t *testing.T) {
		c, far := connect(t, handlers{revision: 20250618}, nil)
		for _, opts := range []*peer.CallOptions{nil, {Revision: 20260728}} {
			go c.CallWith(t.Context(), "m", tellRevision{}, nil, opts)
			synctest.Wait()
		}
		c.Notify(t.Context(), "n", wire.Raw(`{"of":"none"}`))
		c.NotifyAt(t.Context(), 20241105, "n", tellRevision{})
		c.NotifyAt(t.Context(), 0, "n", tellRevision{})
		far.want(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"revision":"2025-06-18"}}`)
		far.want(`{"jsonrpc":"2.0","id":2,"method":"m","params":{"revision":"2026-07-28"}}`)
		far.want(`{"jsonrpc":"2.0","method":"n","params":{"of":"none"}}`)
		far.want(`{"jsonrpc":"2.0","method":"n","params":{"revision":"2024-11-05"}}`)
		far.want(`{"jsonrpc":"2.0","method":"n","params":{"revision":"2025-06-18"}}`)
	})

	bubble(t, "cannot be encoded or decoded", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		_, err := c.Call(t.Context(), "m", wire.Raw(`7`))
		if got, want := err.Error(), "m: jsonrpc: params of m must be an object, got number"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		err = c.Notify(t.Context(), "m", wire.Raw(`7`))
		if got, want := err.Error(), "m: jsonrpc: params of m must be an object, got number"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		far.quiet()
		go func() {
			far.receive()
			far.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		}()
		var n id
		err = c.CallWith(t.Context(), "m", nil, &n, nil)
		if got, want := err.Error(), "m: wire: want string or integer, got object"; got != want || !errors.As(err, new(*wire.DecodeError)) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// id decodes an id.
type id struct{ wire.ID }

// tellRevision is encoded as the revision that it is encoded for.
type tellRevision struct{}

func (tellRevision) EncodeWire(e *wire.Encoder) {
	e.Raw(wire.Raw(`{"revision":"` + e.Revision().String() + `"}`))
}

func TestCallInvalidAnswers(t *testing.T) {
	for _, c := range []struct{ answer, want string }{
		// REQ JRPC-08
		{`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`, `m: the response is invalid: invalid request: a response has either a result or an error, not both`},
		// REQ JRPC-09
		{`{"jsonrpc":"2.0","id":1,"result":[]}`, `m: the response is invalid: invalid request: result: want object, got array`},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, `m: the response is invalid: invalid request: result: want object, got null`},
		// REQ JRPC-10
		{`{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"x"}}`, `m: the response is invalid: invalid request: error: code: want integer, got string`},
		{`{"jsonrpc":"1.0","id":1,"result":{}}`, `m: the response is invalid: invalid request: jsonrpc: want "2.0", got "1.0"`},
		{`{"jsonrpc":"2.0","id":1,"result":{"a":}}`, `m: the response is invalid: parse error: result.a: want a value, got '}' at offset 38`},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}", `m: the response is invalid: parse error: result.a: invalid UTF-8 in a string at offset 39`},
	} {
		bubble(t, c.answer, func(t *testing.T) {
			conn, far := connect(t, handlers{}, nil)
			p := goCall(t.Context(), conn, "m", nil)
			far.receive()
			far.send(c.answer)
			if err := p.wait(); err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if errors.As(p.err, new(*jsonrpc.Error)) || !errors.As(p.err, new(*jsonrpc.InvalidResponseError)) {
				t.Errorf("%#v", p.err)
			}
			if p.took != 0 {
				t.Errorf("the call took %v", p.took)
			}
			far.quiet() // an answer is never answered
		})
	}
}

// REQ JRPC-02, CANC-07, CANC-08
func TestCallOddAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		p := goCall(t.Context(), c, "m", nil)
		far.receive()
		far.send(`{"jsonrpc":"2.0","id":"1","result":{"wrong":1}}`)
		far.send(`{"jsonrpc":"2.0","id":2,"result":{"wrong":1}}`)
		far.send(`{"jsonrpc":"2.0","id":7,"result":{"wrong":1}}`)
		far.send(`{"jsonrpc":"2.0","id":-1,"error":{"code":1,"message":"wrong"}}`)
		far.send(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`)
		far.send(`{"jsonrpc":"2.0","result":{"wrong":1}}`)
		far.send(`{"jsonrpc":"2.0","id":1,"result":{"right":1}}`)
		far.send(`{"jsonrpc":"2.0","id":1,"result":{"wrong":1}}`)
		far.send(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"wrong"}}`)
		if err := p.wait(); err != nil || string(p.result) != `{"right":1}` {
			t.Errorf("%s, %v", p.result, err)
		}
		far.logged(1, "there was no such call")
		far.logged(1, "but not about which request")
		far.logged(1, "the call is over")
		far.quiet()
		// The next call gets its own answer all the same.
		p = goCall(t.Context(), c, "m", nil)
		far.want(`{"jsonrpc":"2.0","id":2,"method":"m"}`)
		far.send(`{"jsonrpc":"2.0","id":2,"result":{"right":2}}`)
		if err := p.wait(); err != nil || string(p.result) != `{"right":2}` {
			t.Errorf("%s, %v", p.result, err)
		}
	})
}

// REQ TIME-01, TIME-02, TIME-03, TIME-04, TIME-05
func TestCallTimeout(t *testing.T) {
	const never = 200 * time.Hour
	for _, c := range []struct {
		name     string
		opts     peer.Options
		call     peer.CallOptions
		ctx      time.Duration // deadline of the context, none if 0
		progress time.Duration // between reports of the other side, none if 0
		want     time.Duration
		err      string
	}{
		{"default", peer.Options{}, peer.CallOptions{}, 0, 0, time.Minute, "no response within 1m0s"},
		{"of the connection", peer.Options{Limits: transport.Limits{Timeout: 3 * time.Second}}, peer.CallOptions{}, 0, 0, 3 * time.Second, "no response within 3s"},
		{"of the call", peer.Options{Limits: transport.Limits{Timeout: 3 * time.Second}}, peer.CallOptions{Timeout: time.Hour / 2}, 0, 0, time.Hour / 2, "no response within 30m0s"},
		{"of the context, later than the default", peer.Options{}, peer.CallOptions{}, 5 * time.Minute, 0, 5 * time.Minute, "context deadline exceeded"},
		{"of the context, earlier", peer.Options{}, peer.CallOptions{}, time.Second, 0, time.Second, "context deadline exceeded"},
		{"of the call, earlier than the context", peer.Options{}, peer.CallOptions{Timeout: time.Second}, time.Minute, 0, time.Second, "no response within 1s"},
		{"maximum", peer.Options{}, peer.CallOptions{Timeout: -1}, 0, 0, time.Hour, "no response within 1h0m0s, the limit of a call"},
		{"maximum before a later context", peer.Options{Limits: transport.Limits{MaxTimeout: time.Minute}}, peer.CallOptions{}, time.Hour, 0, time.Minute, "no response within 1m0s, the limit of a call"},
		{"maximum of the call", peer.Options{Limits: transport.Limits{MaxTimeout: time.Minute}}, peer.CallOptions{Timeout: -1, MaxTimeout: 2 * time.Hour}, 0, 0, 2 * time.Hour, "no response within 2h0m0s, the limit of a call"},
		{"none at all", peer.Options{Limits: transport.Limits{Timeout: -1, MaxTimeout: -1}}, peer.CallOptions{}, 0, 0, never, ""},
		{"progress does not count", peer.Options{}, peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) {}}, 0, 10 * time.Second, time.Minute, "no response within 1m0s"},
		{"progress counts, up to the maximum", peer.Options{}, peer.CallOptions{ResetOnProgress: true}, 0, 50 * time.Second, time.Hour, "no response within 1h0m0s, the limit of a call"},
		{"progress counts, but is too slow", peer.Options{}, peer.CallOptions{ResetOnProgress: true}, 0, 61 * time.Second, time.Minute, "no response within 1m0s"},
	} {
		bubble(t, c.name, func(t *testing.T) {
			conn, far := connect(t, handlers{}, &c.opts)
			ctx, cancel := t.Context(), func() {}
			if c.ctx > 0 {
				ctx, cancel = context.WithTimeout(ctx, c.ctx)
			}
			defer cancel()
			p := goCall(ctx, conn, "m", &c.call)
			far.receive()
			if c.progress > 0 {
				go func() {
					for n := 1; ; n++ {
						select {
						case <-time.After(c.progress):
							far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":` + strconv.Itoa(n) + `}}`)
						case <-p.done:
							return
						}
					}
				}()
			}
			if c.want == never {
				time.Sleep(never)
				far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
				if err := p.wait(); err != nil {
					t.Error(err)
				}
				return
			}
			err := p.wait()
			if err == nil || err.Error() != "m: "+c.err || p.took != c.want {
				t.Errorf("after %v: %v, want %v: %s", p.took, err, c.want, c.err)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%#v is no context.DeadlineExceeded", err)
			}
			// The other side is told, and may answer late.
			far.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"` + c.err + `"}}`)
			far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
			far.logged(1, "the call is over")
			far.quiet()
		})
	}
}

// Many calls with different limits end each in its own time.
func TestCallTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		go func() {
			for !strings.HasPrefix(far.receive(), "error") {
			}
		}()
		var calls []*pending
		for i := range 50 {
			calls = append(calls, goCall(t.Context(), c, "m", &peer.CallOptions{Timeout: time.Duration(1+i*7%50) * time.Second}))
		}
		for i, p := range calls {
			if err, want := p.wait(), time.Duration(1+i*7%50)*time.Second; !errors.As(err, new(*jsonrpc.TimeoutError)) || p.took != want {
				t.Errorf("call %d took %v, want %v: %v", i, p.took, want, err)
			}
		}
	})
}

// The answer comes at the moment at which the time is up: one of the two wins, and nothing hangs.
func TestCallTimeoutRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		won := 0
		for i := range 50 {
			p := goCall(t.Context(), c, "m", &peer.CallOptions{Timeout: time.Second})
			far.receive()
			time.Sleep(time.Second)
			far.send(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i+1) + `,"result":{}}`)
			if err := p.wait(); err == nil {
				won++
			} else if !errors.As(err, new(*jsonrpc.TimeoutError)) {
				t.Error(err)
			} else if got := far.receive(); !strings.Contains(got, "notifications/cancelled") {
				t.Error(got)
			}
			far.quiet()
		}
		t.Logf("the answer came in time in %d of 50 cases", won)
	})
}

// REQ CANC-01, STDIO-14
func TestCallCancel(t *testing.T) {
	bubble(t, "by the caller", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		p := goCall(ctx, c, "tools/call", nil)
		far.receive()
		cancel(errors.New("the user lost \"patience\""))
		err := p.wait()
		if got, want := err.Error(), `tools/call: the user lost "patience"`; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%#v is no context.Canceled", err)
		}
		far.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the user lost \"patience\""}}`)
	})

	// REQ CANC-02
	bubble(t, "after the answer", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		p := goCall(ctx, c, "m", nil)
		far.receive()
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := p.wait(); err != nil {
			t.Error(err)
		}
		cancel()
		far.quiet()
	})

	bubble(t, "before it is sent", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.CallWith(ctx, "m", nil, nil, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		far.quiet()
	})

	// REQ LIFE-12
	for name, call := range map[string]struct {
		method string
		opts   *peer.CallOptions
	}{
		"initialize": {"initialize", nil},
		"silently":   {"server/discover", &peer.CallOptions{Silent: true}},
	} {
		bubble(t, name, func(t *testing.T) {
			c, far := connect(t, handlers{}, nil)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			p := goCall(ctx, c, call.method, call.opts)
			far.receive()
			if err := p.wait(); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			far.quiet()
		})
	}

	// REQ SUB-09, CANC-02: the other side ends a call that it may end, and no other.
	bubble(t, "by the other side", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		p := goCall(t.Context(), c, "subscriptions/listen", &peer.CallOptions{Acknowledged: func(*mcp.SubscriptionsAcknowledgedNotificationParams) {}, Timeout: -1})
		q := goCall(t.Context(), c, "tools/call", nil)
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`)
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
		synctest.Wait()
		select {
		case <-p.done:
			t.Fatal("ended by the wrong id")
		default:
		}
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"shutdown"}}`)
		var cancelled *jsonrpc.CancelledError
		if err := p.wait(); !errors.As(err, &cancelled) || cancelled.Reason != "shutdown" || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		far.logged(1, "response ignored, the call is over")
		far.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		if err := q.wait(); err != nil {
			t.Error(err)
		}
	})

	bubble(t, "by the other side, which answers all the same", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		busy := make(chan struct{})
		p := goCall(t.Context(), c, "subscriptions/listen", &peer.CallOptions{Acknowledged: func(*mcp.SubscriptionsAcknowledgedNotificationParams) {}, OnProgress: func(*mcp.ProgressNotificationParams) { <-busy }})
		far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
		synctest.Wait()
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		far.logged(1, "response ignored, the call is over")
		close(busy)
		if err := p.wait(); !errors.As(err, new(*jsonrpc.CancelledError)) {
			t.Error(err)
		}
	})
}

func TestCallDisconnected(t *testing.T) {
	// REQ STDIO-13
	bubble(t, "the other side is gone", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		var calls []*pending
		for range 3 {
			calls = append(calls, goCall(t.Context(), c, "m", nil))
		}
		far.end.Close()
		for _, p := range calls {
			if err := p.wait(); !errors.As(err, new(*jsonrpc.DisconnectedError)) || !errors.Is(err, io.EOF) || p.took != 0 {
				t.Errorf("after %v: %v", p.took, err)
			}
		}
		if err := <-far.done; err != nil {
			t.Error(err)
		}
		err := c.CallWith(t.Context(), "m", nil, nil, nil)
		if got, want := err.Error(), "m: the other side is gone: EOF"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if err := c.Notify(t.Context(), "n", nil); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Error(err)
		}
	})

	bubble(t, "closed on this side", func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		p := goCall(t.Context(), c, "m", nil)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := p.wait(); !errors.Is(err, jsonrpc.ErrClosed) || p.took != 0 {
			t.Errorf("after %v: %v", p.took, err)
		}
		if err := c.CallWith(t.Context(), "m", nil, nil, nil); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Error(err)
		}
		if err := <-far.done; err != nil {
			t.Error(err)
		}
		far.want(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`error: EOF`)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A side that stops reading is given up after a time, and nothing waits for longer.
func TestOtherSideStopsReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) { return nil, nil }}, &peer.Options{Limits: transport.Limits{MaxTimeout: -1}})
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for range 64 { // fills the way to the other side
			if err := c.Notify(ctx, "n", nil); err != nil {
				t.Fatal(err)
			}
		}
		// One's own limit comes first.
		if err := c.Notify(ctx, "n", nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 10*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		// Without one, it is SendTimeout.
		p := goCall(t.Context(), c, "m", &peer.CallOptions{Timeout: -1})
		far.send(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
		far.send(`garbage`)
		err := p.wait()
		if got, want := err.Error(), "m: the other side is gone: it does not read"; got != want || p.took != 30*time.Second {
			t.Errorf("after %v: %v, want %s", p.took, err, want)
		}
		if err := <-far.done; err == nil || err.Error() != "the other side is gone: it does not read" {
			t.Error(err)
		}
	})
}
