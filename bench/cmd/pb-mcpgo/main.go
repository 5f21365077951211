// Command pb-mcpgo runs the bench against mcpgo.
package main

import (
	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/bench/peers/mcpgo"
)

func main() {
	harness.Main(mcpgo.Peer{Label: "mcpgo"}, mcpgo.Peer{Label: "mcpgo-raw", Raw: true}, mcpgo.Peer{Label: "mcpgo-validate", Validate: true})
}
