package inmem_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/transport/transporttest"
)

func TestTransport(t *testing.T) {
	transporttest.Run(t, func(t *testing.T) (client, server transport.Transport) {
		testenv.NoGoroutinesLeft(t)
		return inmem.Pair(0)
	}, nil)
}
