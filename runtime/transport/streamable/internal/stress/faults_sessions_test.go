package stress

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestFaultsSessions has clients with sessions call a server by a network that breaks. Their streams
// can be resumed.
//
// REQ HTTP-18, HTTP-23, HTTP-30, HTTP-33, HTTP-34, HTTP-35: streams that break off go on where they were, and cancel nothing
func TestFaultsSessions(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	s := newSite(t, &streamable.Options{
		Polling:     true,
		Retry:       20 * time.Millisecond,
		SessionIdle: 2 * time.Second, // for the sessions whose clients could not end them
	})
	p := newProxy(t, s.addr, theSeed(t), 8<<10)
	n := shorten(*clients)

	// In good weather everybody gets a session and its stream, and hears something by that.
	users := make([]*user, n)
	revisions := []wire.Revision{mcp.V2025_11_25, mcp.V2025_06_18, mcp.V2025_11_25, mcp.V2025_03_26}
	each(users, func(i int) {
		u, err := connect(t.Context(), fmt.Sprint("user", i), p.url(), nil, revisions[i%len(revisions)])
		if err != nil {
			t.Error(err)
			return
		}
		users[i] = u
		if _, err := u.call(t.Context(), "tell", question{Call: u.name}); err != nil {
			t.Error(err)
		}
	})
	if t.Failed() {
		return
	}
	if err := s.tellAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	settle(t, "the streams of all sessions are open", func() bool {
		return all(users, func(u *user) bool { return u.hears() == 1 })
	})

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var work sync.WaitGroup
	for i, u := range users {
		for line := range 2 {
			work.Go(func() { u.askOn(ctx, t.Context(), rand.New(rand.NewPCG(p.seed, uint64(2*i+line))), line) })
		}
	}
	work.Go(func() {
		for ctx.Err() == nil {
			if err := s.tellAll(t.Context()); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Duration(n) * time.Millisecond)
		}
	})
	for i := range 1 + n/20 {
		work.Go(func() { comeAndGo(ctx, fmt.Sprint("guest", i), p.url(), mcp.V2025_11_25) })
	}
	p.storm(t, shorten(*faultTime), users)
	settle(t, "a stream was resumed", func() bool { return s.resumed.Load() > 0 })
	cancel()
	work.Wait()
	p.calm.Store(true)

	var total tally
	settle(t, "everybody has heard the last number", func() bool {
		return all(users, func(u *user) bool { return u.hears() >= s.sentTo(u.name) })
	})
	settleCalls(t, users)
	for _, u := range users {
		u.wire.expectOnce(t, u.name)
		total.add(t, s, u)
		u.expectAllHeard(t, s)
	}
	total.report(t)
	for _, call := range s.cancelled() {
		if strings.HasPrefix(call, "user") {
			t.Errorf("%s was cancelled, though its client did not say so", call)
		}
	}
	t.Logf("%d times a stream was resumed", s.resumed.Load())
	t.Log(p.report())

	each(users, func(i int) { users[i].Close() })
	s.expectNothingLeft(t)
	settle(t, "no connection to the proxy is open", func() bool { return p.connections() == 0 })
	s.stop(t)
	p.close()
}

// settleOutcomes waits until some calls were answered and some failed: a test of faults needs both.
func settleOutcomes(t testing.TB, users []*user) {
	t.Helper()
	for what, failed := range map[string]bool{"a call was answered": false, "a call failed": true} {
		settle(t, what, func() bool {
			return slices.ContainsFunc(users, func(u *user) bool {
				u.mu.Lock()
				defer u.mu.Unlock()
				return slices.ContainsFunc(u.calls, func(c outcome) bool { return (c.err != nil) == failed })
			})
		})
	}
}

// settleCalls waits for what came before answers and is not handed over yet.
func settleCalls(t *testing.T, users []*user) {
	t.Helper()
	settle(t, "what came with calls is there", func() bool {
		return all(users, func(u *user) bool {
			u.mu.Lock()
			defer u.mu.Unlock()
			return all(u.calls, func(c outcome) bool { return c.err != nil || len(u.numbers[c.Call]) >= c.Numbers })
		})
	})
}

// all reports whether something holds for all of a list.
func all[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(e T) bool { return !holds(e) })
}

// askOn asks questions, one after the other, as long as ctx lasts; what is asked by then is waited
// for.
func (u *user) askOn(ctx, whole context.Context, random *rand.Rand, line int) {
	for i := 0; ctx.Err() == nil; i++ {
		u.ask(whole, question{
			Call:    fmt.Sprintf("%s/%d.%d", u.name, line, i),
			Value:   random.IntN(1_000_000),
			Numbers: random.IntN(8),
			Pause:   random.IntN(8),
			Hangup:  random.IntN(4) == 0,
		})
	}
}

// comeAndGo connects again and again, often in vain. Sessions are left that their client does not
// know of, or could not end.
func comeAndGo(ctx context.Context, name, url string, rev wire.Revision) {
	for i := 0; ctx.Err() == nil; i++ {
		u, err := connect(ctx, name, url, nil, rev)
		if err != nil {
			continue
		}
		u.ask(ctx, question{Call: fmt.Sprintf("%s/%d", name, i), Numbers: 2})
		u.Close()
	}
}

// each runs f for every index at once.
func each[T any](list []T, f func(i int)) {
	var calls sync.WaitGroup
	for i := range list {
		calls.Go(func() { f(i) })
	}
	calls.Wait()
}

// A tally is how many calls ended how.
type tally struct {
	answered, failed, unseen int
	numbers, missed, heard   int
}

// add checks the calls of a user: the server carried each of them out once or, if it failed, perhaps
// never; answers are those to the questions; the numbers that came with a call are those that the
// server sent, all of them if it was answered.
func (y *tally) add(t *testing.T, s *site, u *user) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range u.calls {
		runs, numbers := s.runs[c.Call], u.numbers[c.Call]
		y.numbers += len(numbers)
		switch {
		case runs > 1:
			t.Errorf("%s ran %d times", c.Call, runs)
		case errors.As(c.err, new(*jsonrpc.TimeoutError)):
			t.Errorf("%s was forgotten: %v", c.Call, c.err)
		case c.err != nil:
			y.failed++
			if runs == 0 {
				y.unseen++
			}
		case runs == 0:
			t.Errorf("%s was answered, but never ran", c.Call)
		case c.text != answerTo(c.question):
			t.Errorf("%s: got the answer %q, want %q", c.Call, c.text, answerTo(c.question))
		case len(numbers) != c.Numbers:
			t.Errorf("%s was answered: got the numbers %v, want %d of them", c.Call, numbers, c.Numbers)
		default:
			y.answered++
		}
		if !isSequence(numbers) {
			t.Errorf("%s: got the numbers %v, want them from 0 on without gaps", c.Call, numbers)
		}
	}
	y.heard += len(u.heard)
	y.missed += u.wire.missed
}

func (y *tally) report(t *testing.T) {
	t.Helper()
	t.Logf("%d calls answered, %d failed, of which %d never reached the server; %d numbers came with calls, %d without; %d times a stream began anew",
		y.answered, y.failed, y.unseen, y.numbers, y.heard, y.missed)
}

// expectAllHeard checks that the user heard what the server sent to the session, each number once and
// in order.
func (u *user) expectAllHeard(t *testing.T, s *site) {
	t.Helper()
	if sent := s.sentTo(u.name); len(u.heard) != sent || !isSequence(u.heard) {
		t.Errorf("%s: got %d numbers, want %d from 0 on without gaps: %v", u.name, len(u.heard), sent, u.heard)
	}
}

// isSequence reports whether a list is 0, 1, 2 …
func isSequence(list []int) bool {
	for i, n := range list {
		if n != i {
			return false
		}
	}
	return true
}
