package toolset_test

import (
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/toolset"
)

// The selection changes while the server runs; clients receive list_changed.
func ExampleSet_Use() {
	var tools toolset.Set
	s := server.New(mcp.Implementation{Name: "files", Version: "1.0.0"}, tools.Options(nil))
	readOnly := func() error {
		now := tools.Selection()
		now.ReadOnly = true
		return tools.Use(s, now)
	}
	fmt.Println(readOnly(), tools.Selection().ReadOnly)
	// Output: <nil> true
}
