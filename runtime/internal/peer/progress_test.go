package peer_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
)

// A report is what the other side says about progress.
type report struct {
	progress, total float64
	message         string
}

// REQ PROG-01, PROG-04, PROG-06, PROG-08
func TestProgressReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &notebook{}
		c, far := connect(t, b.handler(), nil)
		var got []report
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(p *mcp.ProgressNotificationParams) {
			got = append(got, report{p.Progress, p.GetTotal(), p.Message})
		}})
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
		want := []report{{}, {0.5, 2.5, "half"}, {2, 0, ""}}
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
		p := goCall(t.Context(), c, "m", &peer.CallOptions{OnProgress: func(p *mcp.ProgressNotificationParams) {
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
			c.CallWith(t.Context(), "m", nil, nil, &peer.CallOptions{OnProgress: func(*mcp.ProgressNotificationParams) { panic("oh") }})
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
