package stress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
)

// TestFaultsStateless has clients without sessions call a server by a network that breaks. A stream
// that breaks off is the end of its call, on both sides; subscriptions are begun again.
//
// REQ H26-12, CANC-03, CANC-05: a broken stream cancels the call
func TestFaultsStateless(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	s := newSite(t, nil)
	p := newProxy(t, s.addr, theSeed(t), 8<<10)
	users := make([]*user, shorten(*clients))
	each(users, func(i int) {
		u, err := connect(t.Context(), fmt.Sprint("user", i), p.url(), nil, mcp.V2026_07_28)
		if err != nil {
			t.Error(err)
			return
		}
		users[i] = u
		if _, err := u.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"test://one"}}); err != nil {
			t.Error(err)
		}
	})
	if t.Failed() {
		return
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var work sync.WaitGroup
	for i, u := range users {
		random := rand.New(rand.NewPCG(p.seed, uint64(i)))
		work.Go(func() { u.askOn(ctx, t.Context(), random, 0) })
		work.Go(func() { u.hang(ctx) })
	}
	work.Go(func() { comeAndGo(ctx, "guest", p.url(), mcp.V2026_07_28) })
	p.storm(t, shorten(*faultTime), users)
	settle(t, "a call ended with its connection", func() bool { return len(s.cancelled()) > 0 })
	cancel()
	work.Wait()
	p.calm.Store(true)

	// Every handler has learnt that nobody waits for it any more.
	settle(t, "no call is at work", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.running == 0
	})
	t.Logf("%d handlers were told that nobody waits", len(s.cancelled()))

	// Every subscription is up again, and tells about the next change once.
	settle(t, "all subscriptions are up", func() bool { return s.subscribed.Load() == int64(len(users)) })
	time.Sleep(100 * time.Millisecond) // what was pretended when they came up again is through
	before := updates(users)
	s.server.ResourceUpdated("test://one")
	settle(t, "all hear of the change", func() bool {
		return all(differences(before, updates(users)), func(n int) bool { return n > 0 })
	})
	if got := differences(before, updates(users)); slices.Max(got) > 1 {
		t.Errorf("a change was told more than once: %v", got)
	}

	var total tally
	settleCalls(t, users)
	for _, u := range users {
		u.wire.expectOnce(t, u.name)
		total.add(t, s, u)
	}
	total.report(t)
	t.Log(p.report())
	each(users, func(i int) { users[i].Close() })
	s.expectNothingLeft(t)
	settle(t, "no connection to the proxy is open", func() bool { return p.connections() == 0 })
	s.stop(t)
	p.close()
}

// hang makes calls that are never answered: it gives them up, unless the network ends them before.
func (u *user) hang(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		u.call(ctx, "double", question{Call: fmt.Sprintf("%s/hang.%d", u.name, i), Numbers: 1, Hang: true})
		cancel()
	}
}

// updates returns how often each of the users heard that the resource has changed.
func updates(users []*user) []int {
	list := make([]int, len(users))
	for i, u := range users {
		u.mu.Lock()
		list[i] = u.updates
		u.mu.Unlock()
	}
	return list
}

func differences(before, after []int) []int {
	list := make([]int, len(after))
	for i := range after {
		list[i] = after[i] - before[i]
	}
	return list
}
