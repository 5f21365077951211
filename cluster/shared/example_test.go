package shared_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// Sessions go on after a restart, or in another process that shares the store.
func Example() {
	ctx := context.Background()
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	records, events := new(store.Memory), memoryEvents{streamable.NewMemoryStore(nil)} // in practice those of a database

	member, err := store.Join(ctx, records, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer member.Leave(context.WithoutCancel(ctx))
	h := streamable.NewHandler(s, shared.NewSessions(member, events, nil).Options(nil))
	fmt.Println(h.Shutdown(ctx))
	// Output: <nil>
}
