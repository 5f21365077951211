package peer_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Two sides that are at their limits refuse each other's requests, and neither waits for the other
// to read a refusal before it reads itself.
func TestBothRefuse(t *testing.T) {
	const calls, asks = 600, 8
	opts := &peer.Options{Limits: transport.Limits{MaxRequests: 16, SendTimeout: 20 * time.Second}, Logger: (&log{}).logger()}
	a, b := inmem.Pair(0)
	asking := newConn(a, handlers{request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
		var group sync.WaitGroup
		for range asks {
			group.Go(func() { r.Out.Call(ctx, "ask", nil) })
		}
		group.Wait()
		return nil, nil
	}}, opts)
	busy := make(chan struct{}) // closed when there are enough calls for a jam
	person := newConn(b, handlers{request: func(ctx context.Context, _ *transport.Request) (wire.Raw, error) {
		select {
		case <-busy:
		case <-ctx.Done():
		}
		return nil, nil
	}}, opts)
	var runs, group sync.WaitGroup
	runs.Go(func() { asking.Run(t.Context(), a) })
	runs.Go(func() { person.Run(t.Context(), b) })
	var done, refused atomic.Int32
	for range calls {
		group.Go(func() {
			err := person.CallWith(t.Context(), "work", nil, nil, nil)
			var rpc *jsonrpc.Error
			switch {
			case err == nil:
				done.Add(1)
			case errors.As(err, &rpc) && strings.HasPrefix(rpc.Message, "too many requests"):
				if refused.Add(1) == calls/2 {
					close(busy)
				}
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if done.Load() == 0 || refused.Load() == 0 {
		t.Errorf("%d calls done, %d refused", done.Load(), refused.Load())
	}
	person.Close()
	runs.Wait()
}

// What is refused waits for somebody who does not read, up to a limit. Then reading stops, and if that
// goes on, the connection ends.
func TestRefusalsAreBounded(t *testing.T) {
	const refusal = `{"jsonrpc":"2.0","id":"","error":{"code":-32603,"message":"too many requests at the same time; try again later"}}`
	for name, test := range map[string]struct {
		opts    *peer.Options
		id      string // of a request
		waiting int
	}{
		"by number":        {&peer.Options{Limits: transport.Limits{MaxRefusals: 50}}, `"x"`, 50},
		"by size":          {nil, `"` + strings.Repeat("x", 90<<10) + `"`, 44}, // 4 MiB are 45 of them, with the one being sent
		"by size, exactly": {nil, `"` + strings.Repeat("x", 64<<10-len(refusal)) + `"`, 63},
	} {
		bubble(t, name, func(t *testing.T) {
			opts := *test.opts.Complete()
			opts.MaxRequests = 1
			h := newHold()
			_, far := connect(t, h.handler(), &opts)
			far.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
			sent := 0
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for ; sent < 1000; sent++ {
				if err := far.trySend(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"m"}`, test.id)); err != nil {
					break
				}
			}
			// 64 messages fit into either direction of the pair; one refusal is being sent, and one is
			// what the reader waits with.
			if want := 64 + 1 + test.waiting + 1 + 64; sent != want {
				t.Errorf("%d requests were taken in, want %d", sent, want)
			}
			settle()
			far.logged(0, "panic")
			if err := <-far.done; err == nil || !strings.Contains(err.Error(), "does not read") {
				t.Errorf("the connection ended with %v", err)
			}
		})
	}
}

// A slowSender counts what is to be sent, and sends nothing before it is released.
type slowSender struct {
	*inmem.End
	release chan struct{}
	begun   atomic.Int32
}

func (s *slowSender) Send(ctx context.Context, m transport.Message) error {
	s.begun.Add(1)
	<-s.release
	return s.End.Send(ctx, m)
}

// The goroutine that reads does not send refusals when there is no room for them: it waits, and
// reads on as soon as there is.
func TestReaderDoesNotSendRefusals(t *testing.T) {
	for _, c := range []struct{ name, format string }{
		{"requests", `{"jsonrpc":"2.0","id":%d}`},
		{"batches", `[{"jsonrpc":"2.0","id":%d}]`},
	} {
		bubble(t, c.name, func(t *testing.T) {
			near, end := inmem.Pair(0)
			out := &slowSender{End: near, release: make(chan struct{})}
			conn := newConn(out, handlers{revision: 20250326}, &peer.Options{Limits: transport.Limits{MaxRefusals: 1}, Logger: (&log{}).logger()})
			var run sync.WaitGroup
			run.Go(func() { conn.Run(t.Context(), near) })
			far := &far{t: t, end: end}
			for id := range 5 {
				far.send(fmt.Sprintf(c.format, id))
				synctest.Wait()
			}
			if n := out.begun.Load(); n != 1 {
				t.Errorf("%d messages are being sent at the same time", n)
			}
			close(out.release)
			for id := range 5 {
				if got := far.receive(); !strings.Contains(got, fmt.Sprintf(`"id":%d,`, id)) {
					t.Errorf("refusal %d is %s", id, got)
				}
			}
			conn.Close()
			run.Wait()
		})
	}
}

// A single refusal is sent, however large it is.
func TestLargeRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, far := connect(t, handlers{}, nil)
		id := `"` + strings.Repeat("x", 5<<20) + `"`
		for range 2 {
			far.send(`{"jsonrpc":"2.0","id":` + id + `}`)
			if got := far.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"error":`) {
				t.Fatalf("got %.99s", got)
			}
		}
	})
}

// A refusal that waits keeps nothing of the message that is refused.
func TestRefusalKeepsNoMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, end := inmem.Pair(0)
		out := &slowSender{End: near, release: make(chan struct{})}
		conn := newConn(out, handlers{}, &peer.Options{Logger: (&log{}).logger()})
		in := make(arrivals)
		var run sync.WaitGroup
		run.Go(func() { conn.Run(t.Context(), in) })
		const n = 3
		var messages [n]weak.Pointer[byte]
		for i := range messages {
			data := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"id %d","params":{"x":"%s"}}`, i, strings.Repeat("x", 10_000))
			messages[i] = weak.Make(&data[0])
			in <- data
			synctest.Wait()
		}
		runtime.GC()
		for i, m := range messages {
			if m.Value() != nil {
				t.Errorf("message %d is still there", i)
			}
		}
		close(out.release)
		far := &far{t: t, end: end}
		for i := range n {
			if got := far.receive(); !strings.Contains(got, fmt.Sprintf(`"id":"id %d",`, i)) {
				t.Errorf("refusal %d is %s", i, got)
			}
		}
		close(in)
		run.Wait()
	})
}

// A refusal that was sent is not kept while others wait.
func TestSentRefusalIsFreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 4
		goOn := make(chan struct{})
		var sent []weak.Pointer[byte]
		conn := newConn(senderFunc(func(_ context.Context, m transport.Message) error {
			sent = append(sent, weak.Make(&m.Data[0]))
			<-goOn
			return nil
		}), handlers{}, &peer.Options{Logger: (&log{}).logger()})
		in := make(arrivals)
		var run sync.WaitGroup
		run.Go(func() { conn.Run(t.Context(), in) })
		for range n {
			in <- `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 10_000) + `"}`
			synctest.Wait()
		}
		for i := range n {
			runtime.GC()
			for j, m := range sent {
				if freed := m.Value() == nil; freed != (j < i) {
					t.Errorf("with %d sent, refusal %d is freed: %t", i, j, freed)
				}
			}
			goOn <- struct{}{}
			synctest.Wait()
		}
		close(in)
		run.Wait()
	})
}

// Closing does not wait for the goroutine that reads to get rid of a refusal, and those that wait are not sent.
func TestRefusalsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, _ := inmem.Pair(0)
		out := &slowSender{End: near, release: make(chan struct{})}
		conn := newConn(out, handlers{}, &peer.Options{Limits: transport.Limits{MaxRefusals: 1, DrainTime: time.Second}, Logger: (&log{}).logger()})
		in, done := make(arrivals), make(chan error)
		go func() { done <- conn.Run(t.Context(), in) }()
		for range 3 { // one is being sent, one waits, and the reader has one
			in <- `7`
			synctest.Wait()
		}
		start := time.Now()
		conn.Close()
		if err := <-done; err != nil || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		close(out.release)
		synctest.Wait()
		if n := out.begun.Load(); n != 1 {
			t.Errorf("%d refusals were sent", n)
		}
	})
}

// What comes while nothing is answered is not answered later, either.
func TestNotAnsweredLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, end := inmem.Pair(0)
		out := &slowSender{End: near, release: make(chan struct{})}
		conn := newConn(out, handlers{}, &peer.Options{Logger: (&log{}).logger()})
		in := make(arrivals)
		var run sync.WaitGroup
		run.Go(func() { conn.Run(t.Context(), in) })
		for id, answering := range []bool{true, false, true} {
			conn.SetResponding(answering)
			in <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%d}`, id)
			synctest.Wait()
		}
		close(out.release)
		far := &far{t: t, end: end}
		for _, id := range []int{0, 2} {
			if got := far.receive(); !strings.Contains(got, fmt.Sprintf(`"id":%d,`, id)) {
				t.Errorf("got %s, want the refusal of %d", got, id)
			}
		}
		close(in)
		run.Wait()
	})
}
