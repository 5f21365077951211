package share_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

func TestSeen(t *testing.T) {
	s := share.NewSeen(8)
	now := time.Unix(1_000_000, 0)
	ada, bob := share.Of("ada", "", nil), share.Of("bob", "", nil)
	add := func(o share.Owner, id string, life time.Duration, want string) {
		t.Helper()
		first, room := s.Add(o, id, now, now.Add(life))
		if got := fmt.Sprintf("%t %t", first, room); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	add(ada, "a", time.Minute, "true true")
	add(bob, "a", time.Minute, "false true")
	add(ada, "b", time.Hour, "true true")
	add(ada, "c", time.Hour, "true false") // it has its part
	add(ada, "b", time.Hour, "false true")
	add(bob, "c", -time.Hour, "true true")
	add(bob, "c", time.Minute, "false true") // until the minute is over
	now = now.Add(2 * time.Minute)
	add(ada, "a", time.Hour, "true true")
	add(ada, "d", time.Hour, "true false")
	add(ada, "b", time.Hour, "false true")
	add(bob, "c", time.Hour, "true true")
}
