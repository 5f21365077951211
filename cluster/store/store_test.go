package store_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/cluster/store/storetest"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

func TestMemory(t *testing.T) {
	storetest.Store(t, func(*testing.T) store.Store { return new(store.Memory) })
}

func TestMemoryRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { storetest.Room(t, &store.Memory{MaxRecords: 10}, 10) })
}

// What counts is the bytes of keys and values of those whose keys have the same first part.
func TestMemoryBytes(t *testing.T) {
	s := &store.Memory{MaxBytes: 1000}
	put := func(key string, size int, revision uint64, want error) uint64 {
		t.Helper()
		next, err := s.Put(t.Context(), key, make([]byte, size-len(key)), revision, time.Hour)
		if !errors.Is(err, want) {
			t.Fatalf("%s: %v, want %v", key, err, want)
		}
		return next
	}
	first := put("a.00", 100, 0, nil)
	for i := range 9 {
		put(fmt.Sprintf("a.%02d", i+1), 100, 0, nil)
	}
	put("a.10", 5, 0, store.ErrFull)
	put("b.10", 1000, 0, nil)
	first = put("a.00", 50, first, nil)
	put("a.10", 51, 0, store.ErrFull)
	put("a.10", 50, 0, nil)
	if err := s.Delete(t.Context(), "a.05", 0); err != nil {
		t.Fatal(err)
	}
	put("a.05", 100, 0, nil)
	put("a.00", 2000, first, nil)
	put("a.11", 5, 0, store.ErrFull)
}

func TestMemoryEvents(t *testing.T) {
	storetest.Events(t, func(*testing.T) streamable.EventStore { return streamable.NewMemoryStore(nil) })
}
