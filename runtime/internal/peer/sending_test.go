package peer_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
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

// senderFunc is a transport that only sends.
type senderFunc func(ctx context.Context, m transport.Message) error

func (f senderFunc) Send(ctx context.Context, m transport.Message) error { return f(ctx, m) }

func (senderFunc) Close() error { return nil }

// What a transport says when it cannot send is what the caller gets, unless there is a better reason:
// the caller gave up, or the connection has ended.
func TestSendErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		do   func(c *peer.Conn, cancel func()) error
		want error
	}{
		"an error":               {func(*peer.Conn, func()) error { return broken }, broken},
		"the caller gives up":    {func(_ *peer.Conn, cancel func()) error { cancel(); return broken }, context.Canceled},
		"sent, then given up":    {func(_ *peer.Conn, cancel func()) error { cancel(); return nil }, nil},
		"the end, given up":      {func(c *peer.Conn, cancel func()) error { c.Close(); cancel(); return broken }, jsonrpc.ErrClosed},
		"the end":                {func(c *peer.Conn, _ func()) error { c.Close(); return broken }, jsonrpc.ErrClosed},
		"the end, after sending": {func(c *peer.Conn, _ func()) error { c.Close(); return nil }, nil},
		"sent":                   {func(*peer.Conn, func()) error { return nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var c *peer.Conn
			c = newConn(senderFunc(func(context.Context, transport.Message) error { return test.do(c, cancel) }), handlers{}, nil)
			defer c.Close()
			if err := c.Notify(ctx, "n", nil); !errors.Is(err, test.want) || test.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// What is not even tried fails with the name of the method, too.
func TestNotTried(t *testing.T) {
	c := newConn(&outbox{}, handlers{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := c.CallWith(ctx, "m", nil, nil, nil)
	if err, ok := errors.AsType[*jsonrpc.CallError](err); !ok || err.Error() != "m: context canceled" || err.Err != context.Canceled {
		t.Errorf("a call after the end of its context: %v", err)
	}
	c.Close()
	if err := c.Notify(t.Context(), "n", nil); err == nil || err.Error() != "n: the connection is closed" {
		t.Errorf("a notification after the end: %v", err)
	}
}

// A connection that goes on where another stopped does not use that one's ids.
func TestSkipIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		c.SkipIDs(41)
		p := goCall(t.Context(), c, "m", nil)
		far.want(`{"jsonrpc":"2.0","id":42,"method":"m"}`)
		far.send(`{"jsonrpc":"2.0","id":42,"result":{}}`)
		if err := p.wait(); err != nil {
			t.Error(err)
		}
	})
}

// An answer that cannot be sent is in the log. If nothing can be sent any more, the connection ends.
func TestAnswerCannotBeSent(t *testing.T) {
	for name, test := range map[string]struct {
		err    error
		logged bool
	}{
		"once": {errors.New("no luck"), true}, "for ever": {&transport.BrokenError{Err: io.ErrClosedPipe}, false},
	} {
		t.Run(name, func(t *testing.T) {
			log := &far{t: t, log: &log{}}
			c := newConn(senderFunc(func(context.Context, transport.Message) error { return test.err }), handlers{}, &peer.Options{Logger: log.log.logger()})
			defer c.Close()
			if err := c.DeliverRaw(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)}); err != nil {
				t.Error(err)
			}
			if got := len(log.log.String()) > 0; got != test.logged {
				t.Errorf("logged %s", log.log)
			}
			var gone *jsonrpc.DisconnectedError
			err := c.CallWith(t.Context(), "m", nil, nil, nil)
			if err == nil || errors.As(err, &gone) == test.logged || !test.logged && !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// An answer is sent even if the context of its request has ended, and what keeps it from being sent is
// in the log as it was; when the connection has ended, nothing is.
func TestAnswerAfterContext(t *testing.T) {
	for name, test := range map[string]struct {
		send func(c *peer.Conn) error
		log  string
	}{
		"sent": {func(*peer.Conn) error { return nil }, ""}, "not sent": {func(*peer.Conn) error { return errors.New("no luck") }, "no luck"},
		"the end": {func(c *peer.Conn) error { c.Close(); return errors.New("no luck") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			log := &log{}
			var c *peer.Conn
			c = newConn(senderFunc(func(ctx context.Context, m transport.Message) error {
				if ctx.Err() != nil || m.Kind != jsonrpc.Response {
					t.Errorf("%v: %s", ctx.Err(), m.Data)
				}
				return test.send(c)
			}), handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) { cancel(); return nil, nil }}, &peer.Options{Logger: log.logger()})
			defer c.Close()
			c.DeliverRaw(ctx, transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)})
			if got := log.String(); !strings.Contains(got, test.log) || (got == "") != (test.log == "") {
				t.Errorf("log %q, want %q", got, test.log)
			}
		})
	}
}

// The answer to a batch is sent with what the context of the batch holds.
func TestBatchAnswerHasContext(t *testing.T) {
	type key struct{}
	sent := 0
	c := newConn(senderFunc(func(ctx context.Context, m transport.Message) error {
		if sent++; ctx.Value(key{}) != "value" || m.Kind != jsonrpc.Batch {
			t.Errorf("%v: %s", ctx.Value(key{}), m.Data)
		}
		return nil
	}), handlers{revision: 20250326, request: func(context.Context, *transport.Request) (wire.Raw, error) { return nil, nil }}, nil)
	defer c.Close()
	c.DeliverRaw(context.WithValue(t.Context(), key{}, "value"), transport.Message{Data: []byte(`[{"jsonrpc":"2.0","id":1,"method":"m"}]`)})
	if sent != 1 {
		t.Errorf("%d answers", sent)
	}
}

// Whoever sends to a side that does not read waits for no longer than SendTimeout.
func TestSendTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConn(senderFunc(func(ctx context.Context, _ transport.Message) error { <-ctx.Done(); return ctx.Err() }), handlers{},
			&peer.Options{Limits: transport.Limits{SendTimeout: time.Second}})
		defer c.Close()
		began := time.Now()
		err := c.Notify(t.Context(), "n", nil)
		if !errors.As(err, new(*jsonrpc.DisconnectedError)) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// The context for sending ends when the message is sent.
func TestSendContextEnds(t *testing.T) {
	var sent []context.Context
	c := newConn(senderFunc(func(ctx context.Context, _ transport.Message) error {
		if sent = append(sent, ctx); ctx.Err() != nil {
			t.Error(ctx.Err())
		}
		return nil
	}), handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) { return nil, nil }}, nil)
	defer c.Close()
	err := errors.Join(c.Notify(t.Context(), "n", nil), c.DeliverRaw(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)}))
	if err != nil || len(sent) != 2 {
		t.Fatalf("%d messages were sent, %v", len(sent), err)
	}
	for i, ctx := range sent {
		if ctx.Err() != context.Canceled {
			t.Errorf("message %d: %v", i, ctx.Err())
		}
	}
}

// Without a limit, whoever sends waits as long as it takes.
func TestNoSendTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		c := newConn(senderFunc(func(ctx context.Context, _ transport.Message) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(24 * time.Hour):
				sent++
				return nil
			}
		}), handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) { return nil, nil }},
			&peer.Options{Limits: transport.Limits{SendTimeout: -1}})
		defer c.Close()
		err := errors.Join(c.Notify(t.Context(), "n", nil), c.DeliverRaw(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)}))
		if err != nil || sent != 2 {
			t.Errorf("%d messages were sent, %v", sent, err)
		}
	})
}

// What is no notification, though it has no id, is in the log and is not answered.
func TestInvalidNotificationIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, far := connect(t, handlers{}, nil)
		far.send(`{"jsonrpc":"2.0","method":"n","params":7}`)
		far.quiet()
		far.logged(1, "invalid notification ignored")
	})
}

// A result that cannot be encoded is an internal error, and in the log.
func TestResultCannotBeEncoded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, far := connect(t, handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) {
			return wire.Raw("{\n"), nil
		}}, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		if got, err := jsonrpc.Parse([]byte(far.receive())); err != nil || got.Kind != jsonrpc.ErrorResponse || got.Error.Code != jsonrpc.CodeInternalError {
			t.Errorf("%+v, %v", got, err)
		}
		far.logged(1, "a result could not be encoded")
	})
}

// Notifications have all that came with them, by whatever way they come.
func TestNotificationIsWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []transport.Request
		c := newConn(&outbox{}, handlers{notification: func(_ context.Context, n *transport.Request) { got = append(got, *n) }}, nil)
		defer c.Close()
		const text = `{"jsonrpc":"2.0","method":"n","params":{"_meta":{"a":1}}}`
		m, err := jsonrpc.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		from := transport.Origin{Principal: "somebody", Address: "somewhere"}
		as := &transport.Request{Stream: "here", Origin: from, Size: len(text)}
		err = errors.Join(
			c.DeliverRaw(t.Context(), transport.Message{Data: []byte(text), Stream: "here", Origin: &from}),
			c.Deliver(t.Context(), as, &m),
		)
		synctest.Wait()
		if err != nil || len(got) != 2 {
			t.Fatalf("%v, %v", got, err)
		}
		for _, n := range got {
			if n.Method != "n" || string(n.Params) != `{"_meta":{"a":1}}` || string(n.Meta) != `{"a":1}` || !n.ID.IsZero() ||
				n.Stream != "here" || n.Origin != from || n.Size != len(text) || n.Out != c {
				t.Errorf("%+v", n)
			}
		}
		c.Close()
		if err := c.Deliver(t.Context(), as, &m); err != jsonrpc.ErrClosed {
			t.Errorf("after the end: %v", err)
		}
		if err := c.DeliverRaw(t.Context(), transport.Message{Data: []byte(text)}); err != jsonrpc.ErrClosed {
			t.Errorf("after the end: %v", err)
		}
	})
}

// A notification is handled even if what it came with has ended, as an HTTP request ends that brings one.
func TestNotificationOutlivesContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var during, after error
		c := newConn(&outbox{}, handlers{notification: func(ctx context.Context, _ *transport.Request) {
			during = ctx.Err()
			<-ctx.Done()
			after = context.Cause(ctx)
		}}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		c.DeliverRaw(ctx, transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"n"}`)})
		cancel()
		synctest.Wait()
		c.Close()
		synctest.Wait()
		if during != nil || after != jsonrpc.ErrClosed {
			t.Errorf("the handler's context ended by %v, then by %v", during, after)
		}
	})
}

// A request that a handler refuses for now is answered with the time after which it may come again, with the same id.
func TestRefusedForNow(t *testing.T) {
	for name, test := range map[string]struct {
		refused *transport.RefusedError
		again   bool
	}{
		"for now":  {transport.TryLater("too many", 3*time.Second), true},
		"for ever": {&transport.RefusedError{Err: &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var out outbox
			runs := 0
			c := newConn(&out, handlers{request: func(context.Context, *transport.Request) (wire.Raw, error) {
				if runs++; runs == 1 {
					return nil, test.refused
				}
				return nil, nil
			}}, &peer.Options{UniqueIDs: true})
			defer c.Close()
			for range 2 {
				c.DeliverRaw(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)})
			}
			sent := out.take()
			if len(sent) != 2 || sent[0].Kind != jsonrpc.ErrorResponse || sent[0].RetryAfter != test.refused.RetryAfter {
				t.Fatalf("%+v", sent)
			}
			if again := sent[1].Kind == jsonrpc.Response; again != test.again || again != (runs == 2) {
				t.Errorf("after %d runs: %s", runs, sent[1].Data)
			}
		})
	}
}

// A request that was answered does not hold its headers any more, though somebody may hold the request.
func TestAnsweredHasNoHeader(t *testing.T) {
	var kept *transport.Request
	var out outbox
	c := newConn(&out, handlers{request: func(_ context.Context, r *transport.Request) (wire.Raw, error) {
		if kept = r; len(r.Header.Values("A")) != 1 {
			t.Errorf("the headers are %v", r.Header)
		}
		panic("on purpose")
	}}, &peer.Options{Logger: slog.New(slog.DiscardHandler)})
	defer c.Close()
	m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Deliver(t.Context(), &transport.Request{Origin: transport.Origin{Header: http.Header{"A": {"b"}}}}, &m); err != nil {
		t.Fatal(err)
	}
	if sent := out.take(); len(sent) != 1 || sent[0].Kind != jsonrpc.ErrorResponse || kept.Header != nil {
		t.Errorf("%+v, and the headers are %v", sent, kept.Header)
	}
}

// What cannot be sent for a request is an error for its handler.
func TestNotifyOfRequest(t *testing.T) {
	broken := errors.New("broken")
	var got []error
	c := newConn(senderFunc(func(_ context.Context, m transport.Message) error {
		if m.Kind == jsonrpc.Notification {
			return broken
		}
		return nil
	}), handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
		got = append(got, r.Out.Notify(ctx, "n", nil), r.Out.Notify(ctx, "n", wire.Raw(`7`)))
		return nil, nil
	}}, nil)
	defer c.Close()
	c.DeliverRaw(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)})
	if len(got) != 2 || !errors.Is(got[0], broken) || got[1].Error() != "n: jsonrpc: params of n must be an object, got number" {
		t.Errorf("got %v", got)
	}
}

// A cancellation that cannot be sent is in the log, unless the connection has ended.
func TestCancellationCannotBeSent(t *testing.T) {
	for name, test := range map[string]struct {
		cancel func(c *peer.Conn) error // what sending it does
		logged int
	}{
		"sent": {func(*peer.Conn) error { return nil }, 0}, "not sent": {func(*peer.Conn) error { return errors.New("no") }, 1},
		"the end": {func(c *peer.Conn) error { c.Close(); return errors.New("no") }, 0},
	} {
		bubble(t, name, func(t *testing.T) {
			log := &far{t: t, log: &log{}}
			var c *peer.Conn
			c = newConn(senderFunc(func(_ context.Context, m transport.Message) error {
				if m.Kind == jsonrpc.Notification {
					return test.cancel(c)
				}
				return nil
			}), handlers{}, &peer.Options{Logger: log.log.logger()})
			defer c.Close()
			ctx, cancel := context.WithCancel(t.Context())
			p := goCall(ctx, c, "m", nil)
			cancel()
			p.wait()
			log.logged(test.logged, "a call could not be cancelled")
		})
	}
}

// How a call ends is settled once: what arrives while its caller is still busy changes nothing.
func TestCallEndsOnce(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(c *peer.Conn, deliver func(text string))
		want any
	}{
		"too late": {func(*peer.Conn, func(string)) { time.Sleep(time.Minute) }, new(*jsonrpc.TimeoutError)},
		"the end":  {func(c *peer.Conn, _ func(string)) { c.Close() }, new(*jsonrpc.CallError)},
		"an error": {func(_ *peer.Conn, deliver func(string)) {
			deliver(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"first"}}`)
		}, new(*jsonrpc.Error)},
	} {
		bubble(t, name, func(t *testing.T) {
			c := newConn(&outbox{}, handlers{}, nil)
			defer c.Close()
			deliver := func(text string) { c.DeliverRaw(t.Context(), transport.Message{Data: []byte(text)}) }
			busy := make(chan struct{})
			p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) { <-busy }})
			deliver(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
			synctest.Wait()
			test.end(c, deliver)
			synctest.Wait()
			deliver(`{"jsonrpc":"2.0","id":1,"result":{}}`)
			close(busy)
			if err := p.wait(); !errors.As(err, test.want) {
				t.Error(err)
			}
		})
	}
}

// arrivals is a transport that receives what it is told.
type arrivals chan any

func (a arrivals) Receive(context.Context) (transport.Message, error) {
	switch v := (<-a).(type) {
	case string:
		return transport.Message{Data: []byte(v)}, nil
	case []byte:
		return transport.Message{Data: v}, nil
	case error:
		return transport.Message{}, v
	}
	return transport.Message{}, io.EOF
}

// A call that the transport has lost is lost, even if an answer comes after all.
func TestLostIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, in, busy := newConn(&outbox{}, handlers{}, nil), make(arrivals), make(chan struct{})
		go c.Run(t.Context(), in)
		defer close(in)
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) { <-busy }})
		in <- `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`
		synctest.Wait()
		in <- &transport.RequestError{ID: wire.IntID(1), Err: errors.New("no way")}
		in <- `{"jsonrpc":"2.0","id":1,"result":{}}`
		synctest.Wait()
		close(busy)
		if err := p.wait(); !errors.As(err, new(*transport.RequestError)) {
			t.Error(err)
		}
	})
}

// Errors of this package match those of the standard library by errors.Is.
func TestErrorTexts(t *testing.T) {
	for _, test := range []struct {
		err  error
		text string
		is   error
	}{
		{&jsonrpc.TimeoutError{After: time.Second}, "no response within 1s", context.DeadlineExceeded},
		{&jsonrpc.TimeoutError{After: time.Second, Max: true}, "no response within 1s, the limit of a call", context.DeadlineExceeded},
		{&jsonrpc.CancelledError{}, "cancelled by the other side", context.Canceled},
		{&jsonrpc.CancelledError{Reason: "r"}, "cancelled by the other side: r", context.Canceled},
		{&jsonrpc.DisconnectedError{Err: io.EOF}, "the other side is gone: EOF", io.EOF},
	} {
		if test.err.Error() != test.text || !errors.Is(test.err, test.is) {
			t.Errorf("%v, want %s", test.err, test.text)
		}
	}
	if !new(jsonrpc.TimeoutError).Timeout() {
		t.Error("a TimeoutError is no timeout")
	}
}
