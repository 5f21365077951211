package sqlite_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/cluster/sqlite"
	"github.com/mcpgen/mcpgen/internal/limits/recordroom"
	"github.com/mcpgen/mcpgen/runtime/store"
)

// Nobody can fill what an authorization server may keep.
func TestRoomIsShared(t *testing.T) {
	recordroom.Shared(t, 11, func(t *testing.T) store.Store { return open(t, file(t), &sqlite.Options{MaxRecords: 12}) })
}
