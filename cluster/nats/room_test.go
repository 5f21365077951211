package nats_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/internal/limits/recordroom"
	"github.com/mcpgen/mcpgen/runtime/store"
)

// Nobody can fill what an authorization server may keep. There is room for 38 clients, or 68 logins.
func TestRoomIsShared(t *testing.T) {
	conn := connect(t, startNATS(t))
	recordroom.Shared(t, 75, func(t *testing.T) store.Store {
		return join(t, conn, nats.Options{Prefix: prefixOf(t), RecordBytes: 16 << 10}).Store()
	})
}
