package as

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// The first record of whoever has most gives way, and nobody who has less loses one to them.
func TestKept(t *testing.T) {
	k := kept{Max: 100}
	now := time.Unix(1_000_000, 0)
	ada, bob, eve := share.Of("ada", "", nil), share.Of("bob", "", nil), share.Of("eve", "", nil)
	put := func(o share.Owner, key string, revision uint64, size int, life time.Duration) {
		k.Put(o, key, revision, size, now.Add(life))
	}
	yields := func(o share.Owner, size int, want string, wantRevision uint64) {
		t.Helper()
		key, revision, ok := k.Yield(o, size, now)
		if key != want || revision != wantRevision || ok != (want != "") {
			t.Errorf("got %q %d %t, want %q %d", key, revision, ok, want, wantRevision)
		}
	}
	yields(ada, 1, "", 0)
	put(ada, "a1", 1, 10, time.Hour)
	put(ada, "a2", 2, 10, time.Hour)
	put(ada, "a1", 3, 10, time.Hour) // replaced, so the other one was stored first
	put(bob, "b1", 4, 15, time.Hour)
	yields(eve, 1, "a2", 2)
	yields(eve, 100, "b1", 4) // who has nothing yet comes before those who have something
	put(bob, "b2", 5, 15, time.Hour)
	yields(bob, 1, "b2", 5) // who has most
	put(bob, "b3", 6, 9, time.Hour)
	yields(bob, 2, "b3", 6) // who would have most
	put(bob, "b4", 7, 10, time.Minute)
	yields(eve, 1, "b4", 7) // as much as ada, and ends first
	put(bob, "b5", 8, 20, time.Minute)
	put(bob, "b6", 9, 20, time.Hour)
	now = now.Add(2 * time.Minute) // the first of these has expired
	k.Remove("a1")
	k.Remove("a1")
	yields(ada, 1, "b6", 9)
	yields(ada, 1, "", 0)
	if k.size != 0 || len(k.records) != 0 || len(k.owners) != 0 || k.order.Len() != 0 {
		t.Errorf("of no record it knows %d bytes, %d keys, %d owners", k.size, len(k.records), len(k.owners))
	}
	put(bob, "b7", 10, 10, time.Minute)
	put(ada, "a3", 11, 10, time.Hour)
	now = now.Add(time.Minute) // nothing of bob's is left
	yields(eve, 1, "a3", 11)
	for range 20 { // in whatever order they are looked at
		put(ada, "a4", 12, 10, time.Hour)
		put(bob, "b8", 13, 10, time.Minute)
		put(eve, "e1", 14, 9, time.Second)
		yields(eve, 1, "b8", 13) // of those that have most, the one that ends first
		yields(eve, 1, "a4", 12) // as much as eve would have
		yields(eve, 1, "e1", 14)
	}
	k.Max = 1
	put(ada, "a3", 10, 1, time.Hour)
	put(bob, "b7", 11, 1, time.Hour)
	yields(bob, 1, "b7", 11)
	yields(bob, 1, "", 0)
}

// With a size, others give way before the store is full; what has expired does not count.
func TestKeptIsFull(t *testing.T) {
	k := kept{Max: 3, MaxSize: 10}
	now := time.Unix(1_000_000, 0)
	full := func(size int, want bool) {
		t.Helper()
		if got := k.Full(size, now); got != want {
			t.Errorf("full for %d: %t", size, got)
		}
	}
	full(10, false)
	full(11, true)
	ada := share.Of("ada", "", nil)
	k.Put(ada, "a", 1, 6, now.Add(time.Minute))
	k.Put(ada, "a", 2, 5, now.Add(time.Minute))
	full(5, false)
	full(6, true)
	k.Put(ada, "b", 1, 0, now.Add(time.Hour))
	k.Put(ada, "c", 1, 0, now.Add(time.Hour))
	full(0, true)
	now = now.Add(time.Minute)
	full(10, false)
	k.MaxSize = 0
	full(1000, false)
}
