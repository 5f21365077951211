// Command pb-mcpgen runs the bench against this project.
package main

import (
	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/bench/peers/mcpgen"
)

func main() { harness.Main(mcpgen.Peer{Label: "mcpgen"}) }
