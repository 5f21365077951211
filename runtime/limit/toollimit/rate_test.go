package toollimit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Each caller has its own rate, and the model reads when it may try again.
func TestRate(t *testing.T) {
	servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
		synctest.Test(t, func(t *testing.T) {
			s := roomtest.NewServer(nil)
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "a"}, Rate(2, time.Minute, roomtest.Says("done"))))
			ada, bob := roomtest.NewClient(t, s, rev, `{}`), roomtest.NewClient(t, s, rev, `{}`)
			ada.Principal, bob.Principal = "ada", "bob"
			call := func(c *servertest.Client, want string) {
				t.Helper()
				servertest.Contains(t, c.Principal, c.Must("tools/call", `{"name":"a"}`), want)
			}
			call(ada, "done")
			call(ada, "done")
			time.Sleep(10 * time.Second)
			call(ada, `"text":"at most 2 calls in 1m0s are allowed; try again in 20s"}],"isError":true`)
			call(bob, "done")
			time.Sleep(20 * time.Second)
			call(ada, "done")
			call(ada, "try again in 30s")
			time.Sleep(time.Hour)
			call(ada, "done")
			call(ada, "done")
			call(ada, "try again in 30s")
		})
	})
}

// A call that asks the user counts once, in every revision, and only one that is carried out leaves less for others.
func TestRateAsks(t *testing.T) {
	servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
		if rev < mcp.V2025_06_18 { // which have no elicitation
			return
		}
		synctest.Test(t, func(t *testing.T) {
			s := roomtest.NewServer(nil)
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "a"}, Rate(1, time.Hour, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				for _, question := range []string{"Sure?", "Really?"} {
					if err := ask.Confirm(ctx, c, question); err != nil {
						return nil, err
					}
				}
				return server.TextResult("done"), nil
			})))
			c := roomtest.NewClient(t, s, rev, `{"elicitation":{}}`)
			yes := func(string, wire.Raw) string {
				time.Sleep(time.Second)
				return `{"action":"accept"}`
			}
			result, _ := c.Complete("tools/call", `{"name":"a"}`, yes)
			servertest.Contains(t, "first", result, `"done"`)
			result, _ = c.Complete("tools/call", `{"name":"a"}`, yes)
			servertest.Contains(t, "second", result, "at most 1 calls in 1h0m0s are allowed")
			time.Sleep(time.Hour)
			result, _ = c.Complete("tools/call", `{"name":"a"}`, yes)
			servertest.Contains(t, "an hour later", result, `"done"`)
		})
	})
}

// What is given back can be taken once.
func TestRateGivesBack(t *testing.T) {
	l := newRate(2, time.Minute)
	now, who := time.Now(), "ada"
	take := func(want time.Duration) time.Time {
		t.Helper()
		next, wait := l.take(who, now)
		if wait != want {
			t.Fatalf("wait %s, want %s", wait, want)
		}
		return next
	}
	first, second := take(0), take(0)
	take(30 * time.Second)
	l.giveBack(who, first, now)
	l.giveBack(who, second, now)
	take(0)
	take(0)
	take(30 * time.Second)
	now = now.Add(time.Hour)
	take(0)
	l.giveBack(who, second, now) // whose time has passed
	take(0)
	take(30 * time.Second)
}

// No caller gets more than two periods' calls within one period, whatever the moments, nor less than its rate;
// and what is kept is bounded.
func TestRateBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + random.IntN(10)
		l := newRate(n, time.Second)
		now, who := time.Now(), "ada"
		var taken []time.Time
		for range 500 {
			now = now.Add(time.Duration(random.Int64N(int64(time.Second) / 5)))
			_, wait := l.take(who, now)
			if wait > 0 {
				if wait > l.each {
					t.Fatalf("rate %d: a caller must wait %s for its next call", n, wait)
				}
				continue
			}
			taken = append(taken, now)
			if i := len(taken) - 2*n - 1; i >= 0 && now.Sub(taken[i]) < time.Second {
				t.Fatalf("rate %d: %d calls in %s", n, 2*n+1, now.Sub(taken[i]))
			}
		}
		if len(taken) == 0 {
			t.Fatal("no call was allowed")
		}
	}
	l := newRate(3, time.Hour)
	now := time.Now()
	limits.Shared(t, 3, func(who string) bool {
		_, wait := l.take(who, now)
		return wait == 0
	})
	l = newRate(1, time.Hour)
	for i := range 2 * maxRated {
		who := fmt.Sprint(i)
		next, wait := l.take(who, now)
		if wait > 0 {
			t.Fatalf("caller %d must wait %s for the calls of others", i, wait)
		}
		if _, wait := l.take(who, now); wait == 0 {
			t.Fatalf("caller %d may call more often", i)
		}
		if i == maxRated {
			l.giveBack("0", next, now) // which is forgotten
		}
	}
	if l.free.Len() != maxRated {
		t.Errorf("%d callers are kept", l.free.Len())
	}
}

func TestRateMistakes(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "got 0 in 1s") {
			t.Error(p)
		}
	}()
	Rate(0, time.Second, roomtest.Says(""))
}
