package store_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/store/storetest"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

func TestMemory(t *testing.T) {
	storetest.Store(t, func(*testing.T) store.Store { return new(store.Memory) })
}

func TestMemoryEvents(t *testing.T) {
	storetest.Events(t, func(*testing.T) (a, b streamable.EventStore) {
		s := streamable.NewMemoryStore(nil)
		return s, s
	})
}
