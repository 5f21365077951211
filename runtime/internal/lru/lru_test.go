package lru_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/lru"
)

// keys returns those of a to f that m has, without changing which was used last.
func keys(m *lru.Map[string, int]) string {
	var list []string
	m.DeleteFunc(func(key string) bool {
		list = append(list, key)
		return false
	})
	all := ""
	for _, key := range strings.Split("abcdef", "") {
		for _, have := range list {
			if have == key {
				all += key
			}
		}
	}
	if m.Len() != len(all) {
		return fmt.Sprintf("%s, of %d", all, m.Len())
	}
	return all
}

func TestMap(t *testing.T) {
	m := lru.Map[string, int]{MaxItems: 3, MaxSize: 10}
	check := func(want string, size int) {
		t.Helper()
		if got := keys(&m); got != want || m.Size() != size {
			t.Fatalf("got %s of size %d, want %s of %d", got, m.Size(), want, size)
		}
	}
	if _, found := m.Get("a"); found {
		t.Error("something is in an empty map")
	}
	m.Delete("a")
	check("", 0)
	m.Put("a", 1, 2)
	m.Put("b", 2, 2)
	m.Put("c", 3, 2)
	if v, found := m.Get("a"); v != 1 || !found {
		t.Errorf("got %d, %v", v, found)
	}
	m.Put("d", 4, 2) // too many
	check("acd", 6)
	m.Put("c", 5, 6) // large enough to fill it
	check("acd", 10)
	m.Put("d", 6, 3) // too large together
	check("cd", 9)
	m.Put("e", 7, 10)
	check("e", 10)
	m.Put("f", 8, 11) // too large by itself
	check("e", 10)
	m.Put("e", 9, 11)
	check("", 0)
	m.Put("a", 1, 0)
	m.Put("b", 2, 0)
	m.Put("a", 3, 0)
	m.Put("c", 4, 0)
	m.Put("d", 5, 0)
	check("acd", 0)
	m.DeleteFunc(func(key string) bool { return key != "c" })
	check("c", 0)
	if v, _ := m.Get("c"); v != 4 {
		t.Errorf("got %d", v)
	}
}

func TestNoRoom(t *testing.T) {
	var m lru.Map[string, int]
	m.Put("a", 1, 0)
	if m.Len() != 0 {
		t.Error("a map without room has an item")
	}
}
