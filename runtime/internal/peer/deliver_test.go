package peer_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A request has what its message says and what is known about it besides, by whatever way it comes.
func TestRequestIsWhole(t *testing.T) {
	const text = `{"jsonrpc":"2.0","id":"x","method":"m","params":{"_meta":{"a":1}}}`
	m, err := jsonrpc.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []*transport.Request
	c := newConn(&outbox{}, handlers{request: func(_ context.Context, r *transport.Request) (wire.Raw, error) {
		if got = append(got, r); r.Room == nil {
			t.Error("there is no room for the result")
		}
		return nil, nil
	}}, nil)
	defer c.Close()
	from := transport.Origin{Principal: "somebody", Address: "somewhere"}
	as := transport.Request{Stream: "here", Origin: from, Size: len(text)}
	more := as
	more.Revision, more.Ending, more.Out = 20250618, make(chan struct{}), c
	mute := as
	mute.Out = peer.OnlyResponse
	err = errors.Join(
		c.DeliverRaw(t.Context(), transport.Message{Data: []byte(text), Stream: "here", Origin: &from}),
		c.Deliver(t.Context(), &as, &m), c.Deliver(t.Context(), &more, &m), c.Deliver(t.Context(), &mute, &m),
	)
	if err != nil || len(got) != 4 {
		t.Fatalf("%v, %d requests", err, len(got))
	}
	for i, r := range got {
		if r.ID != wire.StringID("x") || r.Method != "m" || string(r.Params) != `{"_meta":{"a":1}}` || string(r.Meta) != `{"a":1}` ||
			r.Stream != "here" || r.Origin != from || r.Size != len(text) || r.Room != nil {
			t.Errorf("%d: %+v", i, r)
		}
		if i == 2 != (r.Revision == 20250618) || i == 2 != (r.Ending != nil) {
			t.Errorf("%d: revision %v, ending %v", i, r.Revision, r.Ending)
		}
	}
	if got[0].Out == nil || got[0].Out == c || got[1].Out == nil || got[1].Out == c {
		t.Errorf("what belongs to a request is sent by %v and %v", got[0].Out, got[1].Out)
	}
	if got[2].Out != c {
		t.Errorf("sent by %v, not as the transport wants", got[2].Out)
	}
	if got[3].Out != nil {
		t.Errorf("sent by %v, though only the response can be sent", got[3].Out)
	}
}

// AcceptBatch sends the answers together, and says whether there are requests.
//
// REQ BATCH-06
func TestAcceptBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &recorder{}
		c := newConn(out, handlers{request: func(_ context.Context, r *transport.Request) (wire.Raw, error) { return r.Params, nil }}, nil)
		defer c.Close()
		for _, test := range []struct {
			text     string
			requests bool
			want     string
		}{
			{`[{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}},{"jsonrpc":"2.0","method":"n"}]`, true, `here batch  [{"jsonrpc":"2.0","id":1,"result":{"a":1}}]`},
			{`[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":1,"result":{}}]`, false, ``},
			{`[{"jsonrpc":"2.0","id":7}]`, false, `here batch  [{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"invalid request: want one of method, result and error, got none"}}]`},
			{`[]`, false, `here error response  {"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: the batch is empty"}}`},
		} {
			any, err := c.DeliverBatch(t.Context(), &transport.Request{Stream: "here", Size: len(test.text)}, []byte(test.text))
			if err != nil || any != test.requests {
				t.Errorf("%s: requests: %t, %v", test.text, any, err)
			}
			if sent := out.take(); len(sent) > 1 || len(sent) == 1 && sent[0] != test.want || len(sent) == 0 && test.want != "" {
				t.Errorf("%s: sent %s, want %s", test.text, sent, test.want)
			}
		}
	})
}

// An invalid answer fails the call that it answers; of other messages Refuse takes no notice.
func TestRefuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, log := &recorder{}, &far{t: t, log: &log{}}
		c := newConn(out, handlers{}, &peer.Options{Logger: log.log.logger()})
		defer c.Close()
		p := goCall(t.Context(), c, "m", nil)
		out.take()
		for _, text := range []string{`{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","id":1,"result":7}`} {
			m, err := jsonrpc.Parse([]byte(text))
			if err == nil {
				t.Fatal(text)
			}
			select {
			case <-p.done:
				t.Errorf("the call ended before %s", text)
			default:
			}
			c.Refuse(&m, err)
			synctest.Wait()
		}
		if err := p.wait(); !errors.As(err, new(*jsonrpc.InvalidResponseError)) || p.took != 0 {
			t.Errorf("after %v: %v", p.took, err)
		}
		if sent := out.take(); len(sent) > 0 {
			t.Errorf("sent %s", sent)
		}
		if got := log.log.String(); got != "" {
			t.Errorf("logged %s", got)
		}
	})
}

// What a request calls takes as long as it takes: the other side may have to ask people.
func TestCallOfRequestHasNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const long = 200 * time.Hour
		_, far := connect(t, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
			return r.Out.Call(ctx, "elicitation/create", nil)
		}}, nil)
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		far.want(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`)
		time.Sleep(long)
		far.send(`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`)
		far.want(`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`)
	})
}

// failing handles notifications with an error.
type failing struct{ handlers }

func (failing) ServeNotification(context.Context, *transport.Request) error {
	return errors.New("no luck")
}

// Of the error of a notification's handler, the log is told, and nobody else.
func TestNotificationFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, log := &recorder{}, &far{t: t, log: &log{}}
		c := newConn(out, failing{}, &peer.Options{Logger: log.log.logger()})
		defer c.Close()
		if err := c.DeliverRaw(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"n"}`)}); err != nil {
			t.Error(err)
		}
		log.logged(1, `level=DEBUG msg="peer: notification ignored" method=n error="no luck"`)
		if sent := out.take(); len(sent) > 0 {
			t.Errorf("sent %s", sent)
		}
	})
}

// A call that has ended with the connection is not answered any more, not even by nonsense.
func TestRefuseAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, busy := newConn(&outbox{}, handlers{}, nil), make(chan struct{})
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) { <-busy }})
		c.DeliverRaw(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)})
		synctest.Wait()
		c.Close()
		m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":1,"result":7}`))
		c.Refuse(&m, err)
		close(busy)
		if err := p.wait(); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Error(err)
		}
	})
}
