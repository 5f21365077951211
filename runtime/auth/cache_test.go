package auth

import (
	"strconv"
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
		if n := c.kept.Len(); n > 10 {
			t.Fatalf("%d are kept", n)
		}
	}
	if _, ok := c.get(keyOf("50")); ok {
		t.Error("what was not used is still there")
	}
	if v, ok := c.get(keyOf("91")); !ok || v != 91 {
		t.Error("of ten, the last nine are not there")
	}
	c.put(keyOf("99"), -1)
	if v, _ := c.get(keyOf("99")); v != -1 {
		t.Error("a value is not replaced")
	}
}
