package peer_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// answering handles requests by what a method does.
func answering(methods map[string]func(ctx context.Context, r *transport.Request) (wire.Raw, error)) handlers {
	return handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
		if f := methods[r.Method]; f != nil {
			return f(ctx, r)
		}
		return nil, wire.ErrUnknownMethod
	}}
}

func TestAnswers(t *testing.T) {
	methods := map[string]func(context.Context, *transport.Request) (wire.Raw, error){
		"echo":  func(_ context.Context, r *transport.Request) (wire.Raw, error) { return r.Params, nil },
		"meta":  func(_ context.Context, r *transport.Request) (wire.Raw, error) { return r.Meta, nil },
		"nil":   func(context.Context, *transport.Request) (wire.Raw, error) { return nil, nil },
		"none":  func(context.Context, *transport.Request) (wire.Raw, error) { return nil, jsonrpc.ErrNoResponse },
		"error": func(context.Context, *transport.Request) (wire.Raw, error) { return nil, errors.New("disk full") },
		"typed": func(context.Context, *transport.Request) (wire.Raw, error) {
			return nil, fmt.Errorf("a: %w", &jsonrpc.Error{Code: 7, Message: "b", Data: wire.Raw(`[1]`)})
		},
		"params": func(_ context.Context, r *transport.Request) (wire.Raw, error) {
			return nil, wire.Decode(r.Params, new(id))
		},
		"number":    func(context.Context, *transport.Request) (wire.Raw, error) { return wire.Raw(`7`), nil },
		"broken":    func(context.Context, *transport.Request) (wire.Raw, error) { return wire.Raw("{\n"), nil },
		"panic":     func(context.Context, *transport.Request) (wire.Raw, error) { panic("secret") },
		"panic nil": func(context.Context, *transport.Request) (wire.Raw, error) { panic(nil) },
		"goexit":    func(context.Context, *transport.Request) (wire.Raw, error) { runtime.Goexit(); return nil, nil },
	}
	for _, c := range []struct{ in, want string }{
		// REQ JRPC-02, JRPC-05
		{`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":[1]}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":[1]}}`},
		{`{"jsonrpc":"2.0","id":"1","method":"echo","params":{}}`, `{"jsonrpc":"2.0","id":"1","result":{}}`},
		{`{"jsonrpc":"2.0","id":1152921504606846976,"method":"nil"}`, `{"jsonrpc":"2.0","id":1152921504606846976,"result":{}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"meta","params":{"_meta":{"k":{}}}}`, `{"jsonrpc":"2.0","id":1,"result":{"k":{}}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"none"}`, `nothing`},
		// REQ JRPC-19
		{`{"jsonrpc":"2.0","id":1,"method":"no such"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: no such"}}`},
		// REQ JRPC-20
		{`{"jsonrpc":"2.0","id":1,"method":"params","params":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params: wire: want string or integer, got object"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params: want object, got array"}}`},
		// REQ JRPC-21
		{`{"jsonrpc":"2.0","id":1,"method":"error"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"disk full"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"typed"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"b","data":[1]}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"number"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"jsonrpc: a result must be an object, got number"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"broken"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"wire: the raw value is not valid JSON: want a member's name, got the end of the input at offset 2"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"panic"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"panic nil"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"goexit"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}`},
		// REQ JRPC-17, JRPC-06: what is not JSON has no id.
		{`{"jsonrpc":"2.0","id":1,"method":"echo"`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error: want ',' or '}' after a member, got the end of the input at offset 39"}}`},
		{`hello`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error: want a value, got 'h' at offset 0"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"echo"}{}`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error: want nothing after the value, got object at offset 40"}}`},
		// REQ JRPC-18, JRPC-06: with the id if it could be read.
		{`{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: method: want string, got number"}}`},
		{`{"jsonrpc":"2.0","id":"x","Method":"echo"}`, `{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"invalid request: want one of method, result and error, got none"}}`},
		{`{"id":1,"method":"echo"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: jsonrpc: missing, want \"2.0\""}}`},
		{`{"jsonrpc":"2.0","id":null,"method":"echo"}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: id: want string or integer, got null"}}`},
		{`{"jsonrpc":"2.0","id":1.5,"method":"echo"}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: id: want string or integer, got 1.5: an id is not written with a fraction or an exponent"}}`},
		{`true`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: want object, got boolean"}}`},
		// REQ BATCH-07
		{`[{"jsonrpc":"2.0","id":1,"method":"echo"}]`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: an array: batches of messages exist only in revision 2025-03-26"}}`},
		// REQ JRPC-11: notifications and answers are never answered.
		{`{"jsonrpc":"2.0","method":"echo"}`, `nothing`},
		{`{"jsonrpc":"2.0","method":"panic"}`, `nothing`},
		{`{"jsonrpc":"2.0","method":"echo","params":[]}`, `nothing`},
		{`{"jsonrpc":"2.0","id":1,"result":7}`, `nothing`},
		{`{"jsonrpc":"2.0","id":1,"error":{}}`, `nothing`},
	} {
		bubble(t, c.in, func(t *testing.T) {
			_, far := connect(t, answering(methods), nil)
			far.send(c.in)
			far.want(c.want)
			// The connection is none the worse for it.
			far.send(`{"jsonrpc":"2.0","id":1,"method":"nil"}`)
			far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
			far.quiet()
			if strings.Contains(c.in, "panic") && !strings.Contains(c.want, "nothing") {
				far.logged(1, "panic in a handler")
				if !strings.Contains(far.log.String(), "request_test.go:") {
					t.Errorf("no stack in the log:\n%s", far.log)
				}
				if n := len(regexp.MustCompile(`goroutine \d+ \[`).FindAllString(far.log.String(), -1)); n != 1 {
					t.Errorf("the log has the stacks of %d goroutines:\n%s", n, far.log)
				}
			}
		})
	}
}

// REQ JRPC-15, STDIO-17
func TestNotAnswering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) { return nil, nil }}, nil)
		c.SetResponding(false)
		for _, text := range []string{`garbage`, `{"jsonrpc":"2.0","id":1,"method":"m"}`, `{"jsonrpc":"2.0","id":7}`, `[]`} {
			far.send(text)
		}
		far.quiet()
		c.SetResponding(true)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

// A hold is a handler that tells about its requests and answers when it is told to.
type hold struct {
	mu      sync.Mutex
	begun   []string
	release chan struct{}
	causes  []error // why contexts ended
}

func newHold() *hold { return &hold{release: make(chan struct{})} }

func (h *hold) handler() handlers {
	return handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
		h.mu.Lock()
		h.begun = append(h.begun, r.ID.String())
		h.mu.Unlock()
		select {
		case <-h.release:
			return nil, nil
		case <-ctx.Done():
			h.mu.Lock()
			h.causes = append(h.causes, context.Cause(ctx))
			h.mu.Unlock()
			return nil, ctx.Err()
		}
	}}
}

func (h *hold) ids() string {
	settle()
	h.mu.Lock()
	defer h.mu.Unlock()
	slices.Sort(h.begun)
	return strings.Join(h.begun, " ")
}

// cause returns why the only context that ended did so.
func (h *hold) cause(t *testing.T) error {
	t.Helper()
	settle()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.causes) != 1 {
		t.Fatalf("%d contexts have ended: %v", len(h.causes), h.causes)
	}
	return h.causes[0]
}

func TestRequestsAreConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHold()
		_, far := connect(t, h.handler(), nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.send(`{"jsonrpc":"2.0","id":"1","method":"m"}`) // REQ JRPC-02: another id
		far.send(`{"jsonrpc":"2.0","id":2,"method":"m"}`)
		if got, want := h.ids(), `"1" 1 2`; got != want {
			t.Errorf("at work: %s, want %s", got, want)
		}
		// REQ JRPC-03, JRPC-04: an id that is in use is refused, and the first request goes on.
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the id is that of another request, which has no response yet"}}`)
		close(h.release)
		got := []string{far.receive(), far.receive(), far.receive()}
		slices.Sort(got)
		if want := []string{`{"jsonrpc":"2.0","id":"1","result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`}; !slices.Equal(got, want) {
			t.Errorf("got %s", got)
		}
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

// REQ CANC-05, CANC-06, CANC-08, CANC-09
func TestRequestCancelled(t *testing.T) {
	bubble(t, "by the other side", func(t *testing.T) {
		h := newHold()
		_, far := connect(t, h.handler(), nil)
		far.send(`{"jsonrpc":"2.0","id":7,"method":"m"}`)
		for _, ignored := range []string{
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8,"reason":"unknown"}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"none"}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7.5}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":1}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		} {
			far.send(ignored)
		}
		far.logged(1, "it names no request")
		if got := h.ids(); got != "7" || len(h.causes) > 0 {
			t.Fatalf("at work: %s, ended: %v", got, h.causes)
		}
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"too slow"}}`)
		var cancelled *jsonrpc.CancelledError
		if err := h.cause(t); !errors.As(err, &cancelled) || cancelled.Reason != "too slow" || err.Error() != "cancelled by the other side: too slow" {
			t.Error(err)
		}
		far.quiet() // no answer
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		far.quiet()
	})

	// REQ CANC-09: each kind of nonsense is logged by itself.
	for name, params := range map[string]string{
		"no id": `{"reason":"none"}`, "null id": `{"requestId":null}`, "fraction": `{"requestId":7.5}`, "object": `{"requestId":{}}`,
	} {
		bubble(t, name, func(t *testing.T) {
			h := newHold()
			_, far := connect(t, h.handler(), nil)
			far.send(`{"jsonrpc":"2.0","id":0,"method":"m"}`)
			far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + params + `}`)
			far.quiet()
			far.logged(1, "cancellation ignored, it names no request")
			if got := h.ids(); got != "0" || len(h.causes) > 0 {
				t.Errorf("at work: %s, ended: %v", got, h.causes)
			}
			close(h.release)
			far.want(`{"jsonrpc":"2.0","id":0,"result":{}}`)
		})
	}

	// REQ CANC-05, PROG-06: even if the handler does not care, nothing is sent any more.
	bubble(t, "unimpressed handler", func(t *testing.T) {
		release := make(chan struct{})
		var late error
		_, far := connect(t, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			<-release
			_, err := r.Out.Call(context.Background(), "elicitation/create", nil)
			late = errors.Join(
				r.Out.Notify(context.Background(), "notifications/message", nil),
				r.Out.Notify(context.Background(), "notifications/progress", wire.Raw(`{"progressToken":1,"progress":1}`)),
				err)
			return nil, nil
		}}, nil)
		far.send(`{"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"progressToken":1}}}`)
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		settle()
		close(release)
		far.quiet()
		const answered = ": the request has ended: its response was sent, or it was cancelled"
		if got, want := late.Error(), "notifications/message"+answered+"\nnotifications/progress"+answered+"\nelicitation/create"+answered; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if !errors.Is(late, jsonrpc.ErrRequestDone) {
			t.Error("not ErrRequestDone")
		}
	})

	// REQ LIFE-12
	bubble(t, "initialize", func(t *testing.T) {
		h := newHold()
		_, far := connect(t, h.handler(), nil)
		far.send(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`)
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
		settle()
		close(h.release)
		far.want(`{"jsonrpc":"2.0","id":0,"result":{}}`)
	})

	// The message behind a request is always read after it, however quickly they come.
	bubble(t, "at once", func(t *testing.T) {
		h := newHold()
		_, far := connect(t, h.handler(), nil)
		for range 20 {
			far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
			far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			settle()
		}
		far.quiet()
		if len(h.causes) != 20 {
			t.Errorf("%d contexts have ended", len(h.causes))
		}
	})
}

func TestRequestContext(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		var kept context.Context
		c, _ := connect(t, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			if ctx.Err() != nil || ctx.Value(key{}) != "value" {
				t.Errorf("error %v, value %v", ctx.Err(), ctx.Value(key{}))
			}
			kept = ctx
			return nil, nil
		}}, nil)
		ctx := context.WithValue(t.Context(), key{}, "value")
		if err := c.DeliverRaw(ctx, transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)}); err != nil {
			t.Fatal(err)
		}
		if kept.Err() != context.Canceled {
			t.Errorf("after the answer: %v", kept.Err())
		}
	})
}

func TestTooManyRequests(t *testing.T) {
	const refused = `"error":{"code":-32603,"message":"too many requests at the same time; try again later"}}`
	bubble(t, "by number", func(t *testing.T) {
		h := newHold()
		_, far := connect(t, h.handler(), &peer.Options{Limits: transport.Limits{MaxRequests: 2}})
		for _, id := range []string{"1", "2", "3", "4"} {
			far.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"m"}`)
		}
		far.want(`{"jsonrpc":"2.0","id":3,` + refused)
		far.want(`{"jsonrpc":"2.0","id":4,` + refused)
		far.logged(1, "requests refused")
		// What the other side needs to get on is taken all the same.
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		settle()
		far.send(`{"jsonrpc":"2.0","id":5,"method":"m"}`)
		if got, want := h.ids(), "1 2 5"; got != want {
			t.Errorf("at work: %s, want %s", got, want)
		}
		far.quiet()
	})

	bubble(t, "by size", func(t *testing.T) {
		h := newHold()
		_, far := connect(t, h.handler(), &peer.Options{Limits: transport.Limits{MaxBytes: 100}})
		pad := strings.Repeat(" ", 100)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}` + pad) // one is always taken
		far.send(`{"jsonrpc":"2.0","id":2,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":2,` + refused)
		far.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		settle()
		far.send(`{"jsonrpc":"2.0","id":3,"method":"m"}`)
		far.send(`{"jsonrpc":"2.0","id":4,"method":"m"}`)
		far.send(`{"jsonrpc":"2.0","id":5,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":5,` + refused)
		close(h.release)
	})
}

// A recorder is a transport that keeps what is sent.
type recorder struct {
	mu   sync.Mutex
	sent []string
}

func (r *recorder) Send(_ context.Context, m transport.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, fmt.Sprintf("%v %v %v %s", m.Stream, m.Kind, m.ID, m.Data))
	return nil
}

func (r *recorder) Close() error { return nil }

func (r *recorder) take() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := r.sent
	r.sent = nil
	return sent
}

// What belongs to a request goes to its stream, with what a transport needs to know, and messages
// may come by several streams at the same time.
func TestStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &recorder{}
		var c *peer.Conn
		c = newConn(out, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			if err := r.Out.Notify(ctx, "notifications/message", nil); err != nil {
				return nil, err
			}
			if err := r.Out.Notify(ctx, "notifications/progress", wire.Raw(`{"progressToken":"p","progress":1}`)); err != nil {
				return nil, err
			}
			if err := c.Notify(ctx, "notifications/tools/list_changed", nil); err != nil {
				return nil, err
			}
			return r.Out.Call(ctx, "elicitation/create", nil)
		}}, nil)
		defer c.Close()
		deliver := func(stream any, data string) {
			if err := c.DeliverRaw(t.Context(), transport.Message{Data: []byte(data), Stream: stream}); err != nil {
				t.Error(err)
			}
		}
		var posts sync.WaitGroup
		posts.Go(func() {
			deliver("post 1", `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"_meta":{"progressToken":"p"}}}`)
		})
		synctest.Wait()
		want := []string{
			`post 1 notification  {"jsonrpc":"2.0","method":"notifications/message"}`,
			`post 1 notification  {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`,
			`<nil> notification  {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
			`post 1 request 1 {"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`,
		}
		if got := out.take(); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		// The same id in another stream is refused there.
		posts.Go(func() { deliver("post 2", `{"jsonrpc":"2.0","id":"a","method":"tools/call"}`) })
		want = []string{`post 2 error response "a" {"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"invalid request: the id is that of another request, which has no response yet"}}`}
		if got := out.take(); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		posts.Go(func() { deliver("post 3", `{"jsonrpc":"2.0","id":1,"result":{"x":1}}`) })
		want = []string{`post 1 response "a" {"jsonrpc":"2.0","id":"a","result":{"x":1}}`}
		if got := out.take(); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		posts.Wait()

		// A call that is given up says which request that was.
		ctx, cancel := context.WithCancel(t.Context())
		posts.Go(func() { c.CallWith(ctx, "sampling/createMessage", nil, nil, nil) })
		synctest.Wait()
		cancel()
		posts.Wait()
		want = []string{
			`<nil> request 2 {"jsonrpc":"2.0","id":2,"method":"sampling/createMessage"}`,
			`<nil> notification 2 {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"context canceled"}}`,
		}
		if got := out.take(); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		c.Close()
		if err := c.DeliverRaw(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":9,"method":"m"}`)}); err != jsonrpc.ErrClosed {
			t.Error(err)
		}
	})
}

// The handler's messages are all sent before the answer, and none after it.
func TestAnswerIsLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late sync.WaitGroup
		_, far := connect(t, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			for range 8 {
				late.Go(func() {
					for r.Out.Notify(context.Background(), "n", nil) == nil {
						time.Sleep(time.Millisecond)
					}
				})
			}
			time.Sleep(time.Millisecond)
			return nil, nil
		}}, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		for {
			if got := far.receive(); strings.Contains(got, "result") {
				break
			}
		}
		late.Wait()
		far.quiet()
	})
}
