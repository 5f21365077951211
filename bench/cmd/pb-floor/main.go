// Command pb-floor runs the bench against the hand-written floors.
package main

import (
	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/bench/peers/floor"
)

func main() {
	harness.Main(floor.Peer{Label: "floor"}, floor.Peer{Label: "floor-nobatch", NoBatch: true}, floor.Peer{Label: "floor-scan", Scan: true}, floor.Peer{Label: "floor-async", Scan: true, Async: true}, floor.Peer{Label: "floor-hijack", Hijack: true}, floor.Peer{Label: "floor-rawhttp", Scan: true, RawHTTP: true})
}
