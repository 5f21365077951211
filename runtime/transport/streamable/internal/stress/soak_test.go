package stress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestSoak does what servers do all day: clients come, call, listen and go, some without a word, by
// connections that break now and then. Afterwards the heap and the number of goroutines are what they
// were after a first such while.
func TestSoak(t *testing.T) {
	s := newSite(t, &streamable.Options{Retry: 20 * time.Millisecond, SessionIdle: time.Second})
	p := newProxy(t, s.addr, theSeed(t), 64<<10)
	p.calm.Store(false)
	whole := shorten(*soakTime)

	calls := s.soak(t, p, max(whole/5, time.Second))
	goroutines, before := runtime.NumGoroutine(), heap()
	t.Logf("after %d calls: %d KiB of heap, %d goroutines", calls, before>>10, goroutines)

	parts := 1 + int(whole/time.Minute)
	for range parts {
		calls += s.soak(t, p, whole/time.Duration(parts))
		t.Logf("after %d calls: %d KiB of heap, %d goroutines", calls, heap()>>10, runtime.NumGoroutine())
	}
	settle(t, "as many goroutines as before", func() bool { return runtime.NumGoroutine() <= goroutines })
	const slack = 1 << 20 // what the runtime keeps of goroutines that were
	if after := heap(); after > before+slack {
		t.Errorf("the heap has grown from %d KiB to %d KiB", before>>10, after>>10)
	}
	s.stop(t)
	p.close()
}

// soak has clients of both eras come and go for a time, and returns how often they called.
func (s *site) soak(t *testing.T, p *proxy, d time.Duration) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	revisions := []wire.Revision{mcp.V2025_03_26, mcp.V2025_06_18, mcp.V2025_11_25, mcp.V2026_07_28}
	var abandoned http.Transport
	for range 50 {
		visit(t, &abandoned, s.url())
	}
	abandoned.CloseIdleConnections()
	calls := make([]int, 16)
	each(calls, func(i int) {
		random := rand.New(rand.NewPCG(p.seed, uint64(i)))
		for round := 0; ctx.Err() == nil; round++ {
			name := fmt.Sprintf("user%d.%d", i, round)
			calls[i] += stay(ctx, name, p.url(), revisions[i%len(revisions)], random)
		}
	})
	s.expectNothingLeft(t)
	settle(t, "no connection to the proxy is open", func() bool { return p.connections() == 0 })
	total := 0
	for _, n := range calls {
		total += n
	}
	for call, n := range s.runs {
		if n != 1 {
			t.Errorf("%s ran %d times", call, n)
		}
	}
	s.forget()
	return total
}

// stay connects a client, has it subscribe and call, and ends it. It returns how often it called.
func stay(ctx context.Context, name, url string, rev wire.Revision, random *rand.Rand) int {
	u, err := connect(ctx, name, url, nil, rev)
	if err != nil {
		return 0
	}
	defer u.Close()
	u.Subscribe(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{"test://one"}}) // or not
	n := 1 + random.IntN(30)
	for i := range n {
		u.ask(ctx, question{Call: fmt.Sprintf("%s/%d", name, i), Value: i, Numbers: random.IntN(4)})
	}
	return n
}
