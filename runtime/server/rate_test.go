package server

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Each caller has its own rate, and the model reads when it may try again.
func TestRate(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(nil)
			add(t, s.AddTool(mcp.Tool{Name: "a"}, Rate(2, time.Minute, says("done"))))
			ada, bob := newClient(t, s, rev, `{}`), newClient(t, s, rev, `{}`)
			ada.principal, bob.principal = "ada", "bob"
			call := func(c *client, want string) {
				t.Helper()
				contains(t, c.principal, c.must("tools/call", `{"name":"a"}`), want)
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

// No caller gets more than two periods' calls within one period, whatever the moments, nor less than its rate;
// and what is kept is bounded.
func TestRateBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + random.IntN(10)
		l := &rate{each: time.Second / time.Duration(n), period: time.Second, free: map[share.Owner]time.Time{}}
		now, who := time.Now(), share.Of("ada", "", nil)
		var taken []time.Time
		for range 500 {
			now = now.Add(time.Duration(random.Int64N(int64(time.Second) / 5)))
			wait := l.take(who, now)
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
	l := &rate{each: time.Hour, period: time.Hour, free: map[share.Owner]time.Time{}}
	now := time.Now()
	refused := 0
	for i := range 2 * maxRated {
		if l.take(share.Of(fmt.Sprint(i), "", nil), now) > 0 {
			refused++
		}
	}
	if len(l.free) > maxRated+1 || refused != maxRated-1 {
		t.Errorf("%d callers are kept, %d were refused", len(l.free), refused)
	}
	if wait := l.take(share.Of("x", "", nil), now.Add(2*time.Hour)); wait > 0 || len(l.free) != 1 {
		t.Errorf("later, %d callers are kept, and one waits %s", len(l.free), wait)
	}
}

func TestRateMistakes(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "got 0 in 1s") {
			t.Error(p)
		}
	}()
	Rate(0, time.Second, says(""))
}
