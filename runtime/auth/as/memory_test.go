package as_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
	"github.com/mcpgen/mcpgen/runtime/auth/as/storetest"
)

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, max int) as.Store { return as.NewMemoryStore(max) })
}
