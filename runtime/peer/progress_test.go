package peer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/peer"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ PROG-01, PROG-04, PROG-06, PROG-08
func TestProgressReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &notebook{}
		c, far := connect(t, b.handler(), nil)
		var got []peer.Progress
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(p peer.Progress) { got = append(got, p) }})
		far.want(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":1}}}`)
		q := goCall(t.Context(), c, "m", nil) // does not ask for progress
		far.want(`{"jsonrpc":"2.0","id":2,"method":"m"}`)
		for _, params := range []string{
			`{"progressToken":1,"progress":0}`,
			`{"progressToken":1,"progress":0.5,"total":2.5,"message":"half"}`,
			`{"progressToken":1,"progress":0.5}`, // not more
			`{"progressToken":1,"progress":0.25}`,
			`{"progressToken":1,"progress":"2"}`, // invalid
			`{"progress":3}`,
			`{"progressToken":1,"progress":2,"total":null,"message":null,"_meta":{},"x":1}`,
			`{"progressToken":"1","progress":7}`, // not this call
			`{"progressToken":2,"progress":7}`,
		} {
			far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":` + params + `}`)
			synctest.Wait()
		}
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		far.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		if err := errors.Join(p.wait(), q.wait()); err != nil {
			t.Error(err)
		}
		far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":9}}`)
		want := []peer.Progress{{}, {Progress: 0.5, Total: 2.5, Message: "half"}, {Progress: 2}}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		// What is not about a call that waits is for the handler.
		if got, want := b.read(), `notifications/progress{"progressToken":"1","progress":7} notifications/progress{"progressToken":2,"progress":7} notifications/progress{"progressToken":1,"progress":9}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		far.logged(1, "progress ignored")
	})
}

// All progress that came before the answer is reported before the call returns, in order; if it
// comes faster than it is taken, the newest counts.
func TestProgressFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		var got []float64
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(p peer.Progress) {
			got = append(got, p.Progress)
			time.Sleep(time.Second)
		}})
		far.receive()
		for i := range 100 {
			far.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d}}`, i))
			synctest.Wait()
		}
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := p.wait(); err != nil {
			t.Error(err)
		}
		if want := []float64{0, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		n := len(got)
		time.Sleep(time.Minute)
		if len(got) != n {
			t.Error("progress was reported after the call had returned")
		}
	})
}

// A panic in OnProgress is the caller's, and leaves nothing behind.
func TestProgressPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, far := connect(t, handlers{}, nil)
		done := make(chan any)
		go func() {
			defer func() { done <- recover() }()
			c.CallWith(t.Context(), "m", nil, nil, &peer.CallOptions{OnProgress: func(peer.Progress) { panic("oh") }})
		}()
		far.receive()
		far.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
		if v := <-done; v != "oh" {
			t.Error(v)
		}
		far.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		far.logged(1, "the call is over")
	})
}

// REQ PROG-01, PROG-03, PROG-04, PROG-05, PROG-06, PROG-07, PROG-08
func TestProgressSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		steps := make(chan func(r *peer.Request))
		_, far := connect(t, handlers{request: func(_ context.Context, r *peer.Request) (wire.Encodable, error) {
			for step := range steps {
				if step == nil {
					break
				}
				step(r)
			}
			return nil, nil
		}}, &peer.Options{ProgressInterval: time.Second})
		var kept *peer.Request
		do := func(p peer.Progress, want string) {
			t.Helper()
			steps <- func(r *peer.Request) {
				kept = r
				got := ""
				if err := r.Progress(ctx, p); err != nil {
					got = err.Error()
				}
				if got != want {
					t.Errorf("%v: %q, want %q", p, got, want)
				}
			}
			synctest.Wait()
		}
		far.send(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"x":{"progressToken":0},"progressToken":"tok\""}}}`)
		do(peer.Progress{Progress: 0.5}, "")
		far.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok\"","progress":0.5}}`)
		do(peer.Progress{Progress: 0.5}, "notifications/progress: progress must be more than what was reported before")
		do(peer.Progress{Progress: 0.1}, "notifications/progress: progress must be more than what was reported before")
		zero := 0.0
		do(peer.Progress{Progress: 1 / zero}, "notifications/progress: progress must be a finite number")
		do(peer.Progress{Progress: 1}, "") // too soon
		far.quiet()
		time.Sleep(time.Second)
		do(peer.Progress{Progress: 2, Total: 10, Message: "two"}, "")
		far.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok\"","progress":2,"total":10,"message":"two"}}`)
		do(peer.Progress{Progress: 9, Total: 10}, "")  // too soon
		do(peer.Progress{Progress: 10, Total: 10}, "") // but not if it is the last
		far.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok\"","progress":10,"total":10}}`)
		time.Sleep(time.Second)
		steps <- func(r *peer.Request) { r.SetRevision(20241105) } // has no message
		do(peer.Progress{Progress: 11, Message: "more"}, "")
		far.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok\"","progress":11}}`)
		steps <- nil
		far.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := kept.Progress(ctx, peer.Progress{Progress: 99}); err == nil || err.Error() != "notifications/progress: peer: the request has been answered or cancelled" {
			t.Error(err)
		}

		// REQ META-08: the token is an integer, too.
		far.send(`{"jsonrpc":"2.0","id":3,"method":"m","params":{"_meta":{"progressToken":1152921504606846976}}}`)
		do(peer.Progress{Progress: 0}, "")
		far.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1152921504606846976,"progress":0}}`)
		steps <- nil
		far.want(`{"jsonrpc":"2.0","id":3,"result":{}}`)

		// Nobody asked.
		for _, meta := range []string{`{}`, `{"progressToken":null}`, `{"progressToken":[]}`, `{"progressToken":1.5}`} {
			far.send(`{"jsonrpc":"2.0","id":2,"method":"m","params":{"_meta":` + meta + `}}`)
			do(peer.Progress{Progress: 1}, "")
			steps <- nil
			far.want(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		}
		close(steps)
	})
}
