package auth

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

func TestCache(t *testing.T) {
	c := newCache[int](10)
	for i := range 100 {
		c.put(keyOf(strconv.Itoa(i)), i)
		if v, ok := c.get(keyOf("0")); !ok || v != 0 {
			t.Fatalf("after %d others, what is used all the time is gone", i)
		}
		if v, ok := c.get(keyOf(strconv.Itoa(i))); !ok || v != i {
			t.Fatalf("%d is not there", i)
		}
		if n := len(c.young) + len(c.old); n > 10 {
			t.Fatalf("%d are kept", n)
		}
	}
	if _, ok := c.get(keyOf("50")); ok {
		t.Error("what was not used is still there")
	}
	if v, ok := c.get(keyOf("95")); !ok || v != 95 {
		t.Error("of ten, the last four are not there")
	}
	c.put(keyOf("99"), -1)
	if v, _ := c.get(keyOf("99")); v != -1 {
		t.Error("a value is not replaced")
	}
	older := newCache[int](4)
	for i, k := range []string{"a", "b", "c", "d"} {
		older.put(keyOf(k), i)
	}
	older.put(keyOf("a"), 7) // is replaced in the older generation
	older.put(keyOf("d"), 8)
	for k, want := range map[string]int{"a": 7, "d": 8} {
		if v, ok := older.get(keyOf(k)); !ok || v != want {
			t.Errorf("%s is %d", k, v)
		}
	}
	none := newCache[int](1)
	none.put(keyOf("x"), 1)
	if len(none.young) != 0 {
		t.Error("a cache of one keeps something")
	}
}

// What is used while it is replaced does not come back.
func TestCacheReplaces(t *testing.T) {
	k, others := keyOf("replaced"), []tokenKey{keyOf("a"), keyOf("b")}
	for i := range 200 {
		c := newCache[int](4)
		c.put(k, 1)
		var replaced atomic.Bool
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for !replaced.Load() {
					c.get(k)
				}
			})
		}
		for range 100 {
			for _, other := range others { // so that it is in the older generation
				c.put(other, 0)
			}
		}
		c.put(k, 2)
		replaced.Store(true)
		readers.Wait()
		if v, _ := c.get(k); v == 1 {
			t.Fatalf("run %d: what was replaced is back", i)
		}
	}
}
