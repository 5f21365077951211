// Decode decodes the params of one tools/call: the least that a program links of a package of
// generated types. The size test builds it.
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
	println(p.Name)
}
