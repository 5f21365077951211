// Method does what decode does, through the variable of one method.
package main

import (
	"os"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	var p mcp.CallToolRequestParams
	if err := wire.Decode([]byte(os.Args[1]), &p); err != nil {
		println(err.Error())
		os.Exit(1)
	}
	q := mcp.MethodCallTool.NewParams()
	if err := mcp.MethodCallTool.DecodeParams(wire.Server, wire.Any, wire.Raw(os.Args[1]), false, q); err != nil {
		println(err.Error())
		os.Exit(1)
	}
	r := mcp.MethodCallTool.NewResult()
	println(p.Name, wire.Decode([]byte(os.Args[2]), r) == nil)
}
