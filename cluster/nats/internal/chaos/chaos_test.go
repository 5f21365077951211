//go:build unix

// Package chaos tests a whole cluster under faults: three NATS servers and three instances of an MCP server, each in a
// process of its own, behind a proxy that knows nothing of sessions, and clients of both eras.
//
//	go test ./internal/chaos                                    # 20 s of faults
//	go test ./internal/chaos -chaos 120s -chaos.clients 200 -v
//	go test ./internal/chaos -chaos.seed 17                     # the faults of the run that printed the seed
//
// Instances write what they do to ledgers, files that outlive them. What clients receive is recorded twice: the events of
// streams on the wire, and what the program is given. The test compares all of these.
package chaos

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	chaosTime = flag.Duration("chaos", 20*time.Second, "how long to cause faults")
	clients   = flag.Int("chaos.clients", 40, "clients, half of them with sessions, so an even number")
	leaseTTL  = flag.Duration("chaos.ttl", 3*time.Second, "how long an instance may be out of reach; if less than an election among NATS servers takes, up to 9 s, all instances lose their leases")
	chaosSeed = flag.Uint64("chaos.seed", 1, "the seed that chooses the faults; 0 is another one each time")
)

const (
	instances = 3
	prefix    = "chaos"

	// callTime is longer than any call should take, whatever happens: a call that reaches it was forgotten.
	callTime = 90 * time.Second

	// settleTime is how long the cluster may take to recover.
	settleTime = 60 * time.Second
)

var silent = slog.New(slog.DiscardHandler)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(runChild(role))
	}
	os.Exit(m.Run())
}

// TestChaos kills and pauses instances and kills NATS servers, one at a time, and checks that every call ends once, with
// its own result or an error; that no event of a stream that a client knows is lost or arrives twice; that sessions
// survive; and that nothing is left over at the end.
func TestChaos(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	seed := *chaosSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	length, n := *chaosTime, *clients+*clients%2
	if testing.Short() {
		length, n = length/4, n/2
	}
	s := newSite(t, seed)
	users := s.connect(n)
	if t.Failed() {
		return
	}

	ctx, calm := context.WithCancel(t.Context())
	defer calm()
	var work sync.WaitGroup
	for i, u := range users {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		work.Go(func() { u.work(ctx, t.Context(), random) })
		others := rand.New(rand.NewPCG(seed, uint64(2_000_000+i)))
		work.Go(func() { u.delegate(ctx, t.Context(), others) })
	}
	for i := range 1 + n/20 {
		random := rand.New(rand.NewPCG(seed, uint64(n+i)))
		work.Go(func() { s.comeAndGo(ctx, fmt.Sprint("guest", i), random) })
	}
	s.storm(length)
	calm()
	s.settle("all calls and tasks have ended", func() bool {
		work.Wait() // calls have time limits
		return true
	})
	s.checkUp(users)
	s.checkTasks(users)
	total := tally{ends: make(map[string]int)}
	for _, u := range users {
		total.add(s, u)
	}
	total.report(s)
	s.leave(users)
	s.checkNothingLeft(users)
	s.stop()
}

// A site is everything that a test runs: processes, the proxy, and a diary of what happened.
type site struct {
	*testing.T
	dir   string
	seed  uint64
	begun time.Time
	nats  []*natsServer
	all   []*instance
	proxy *proxy

	mu    sync.Mutex
	diary []string
}

// begin returns an empty site. It logs what happened if the test fails.
func begin(t *testing.T, seed uint64) *site {
	t.Helper()
	s := &site{T: t, dir: t.TempDir(), seed: seed, begun: time.Now()}
	t.Cleanup(func() {
		if t.Failed() {
			s.mu.Lock()
			defer s.mu.Unlock()
			t.Logf("repeat with -chaos.seed %d; what happened:\n%s", seed, strings.Join(s.diary, "\n"))
		}
	})
	return s
}

// newSite returns a site whose processes have started.
func newSite(t *testing.T, seed uint64) *site {
	t.Helper()
	s := begin(t, seed)
	s.startNATS()
	for i := range instances {
		s.all = append(s.all, &instance{site: s, number: i})
	}
	each(s.all, func(in *instance) { in.start() })
	if t.Failed() {
		t.FailNow()
	}
	s.proxy = newProxy(t, instances)
	for _, in := range s.all {
		s.proxy.set(in.number, in.address)
	}
	return s
}

// note adds a line to the diary.
func (s *site) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.diary = append(s.diary, fmt.Sprintf("%8.3f s: ", time.Since(s.begun).Seconds())+fmt.Sprintf(format, args...))
}

// Errorf also notes the failure, with its time, in the diary.
func (s *site) Errorf(format string, args ...any) {
	s.Helper()
	s.note("FAILURE: "+format, args...)
	s.T.Errorf(format, args...)
}

// settle waits until a condition holds, and reports whether it did in time.
func (s *site) settle(what string, holds func() bool) bool {
	s.Helper()
	return s.settleWithin(settleTime, what, holds)
}

func (s *site) settleWithin(limit time.Duration, what string, holds func() bool) bool {
	s.Helper()
	for end := time.Now().Add(limit); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.Errorf("not within %v: %s", limit, what)
			return false
		}
	}
	s.note("%s", what)
	return true
}

// connect connects clients, half of them with sessions, before there are faults.
func (s *site) connect(n int) []*user {
	s.Helper()
	users := make([]*user, n)
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	each(index, func(i int) {
		rev := []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28}[i%2]
		u, err := s.newUser(s.Context(), fmt.Sprint("user", i), rev)
		if err != nil {
			s.Errorf("user %d: %v", i, err)
			return
		}
		users[i] = u
		if _, err := u.Subscribe(s.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{theResource}}); err != nil {
			s.Errorf("user %d: %v", i, err)
		}
	})
	for i, u := range users {
		if u != nil {
			u.peer = users[(i+2)%n]
		}
	}
	s.note("%d clients are connected", n)
	return users
}

// each calls f for all elements concurrently.
func each[T any](list []T, f func(T)) {
	var calls sync.WaitGroup
	for _, e := range list {
		calls.Go(func() { f(e) })
	}
	calls.Wait()
}
