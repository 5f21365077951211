package shared_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/cluster/shared/sharedtest"
	"github.com/mcpgen/mcpgen/cluster/store"
)

func TestTasks(t *testing.T) {
	sharedtest.Tasks(t, func(*testing.T) store.Store { return new(store.Memory) })
}
