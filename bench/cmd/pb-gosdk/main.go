// Command pb-gosdk runs the bench against gosdk.
package main

import (
	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/bench/peers/gosdk"
)

func main() { harness.Main(gosdk.Peer{Label: "gosdk"}, gosdk.Peer{Label: "gosdk-raw", Raw: true}) }
