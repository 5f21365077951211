// Package inproc runs the in-process testing.B form of the echo workload.
package inproc

import (
	"bufio"
	"context"
	"io"
	"testing"

	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/bench/peers/floor"
	"github.com/mcpgen/mcpgen/bench/peers/gosdk"
	"github.com/mcpgen/mcpgen/bench/peers/mcpgen"
	"github.com/mcpgen/mcpgen/bench/peers/mcpgo"
)

func BenchmarkMcpgen(b *testing.B) { harness.BenchmarkPeer(b, mcpgen.Peer{Label: "mcpgen"}) }
func BenchmarkGosdk(b *testing.B)  { harness.BenchmarkPeer(b, gosdk.Peer{Label: "gosdk"}) }
func BenchmarkGosdkRaw(b *testing.B) {
	harness.BenchmarkPeer(b, gosdk.Peer{Label: "gosdk-raw", Raw: true})
}
func BenchmarkMcpgo(b *testing.B) { harness.BenchmarkPeer(b, mcpgo.Peer{Label: "mcpgo"}) }
func BenchmarkMcpgoValidate(b *testing.B) {
	harness.BenchmarkPeer(b, mcpgo.Peer{Label: "mcpgo-validate", Validate: true})
}

// BenchmarkFloorPipe is a raw round trip over io.Pipe against the hand-written
// scanning server: what the pipe and the goroutine switches cost.
func BenchmarkFloorPipe(b *testing.B) {
	for _, p := range []floor.Peer{{Label: "floor-scan", Scan: true}, {Label: "floor-async", Scan: true, Async: true}} {
		b.Run(p.Label, func(b *testing.B) {
			srv, err := p.NewServer(harness.ServerConfig{})
			if err != nil {
				b.Fatal(err)
			}
			sr, cw := io.Pipe()
			cr, sw := io.Pipe()
			go func() { _ = srv.ServeStream(context.Background(), sr, sw) }()
			defer cw.Close()
			line := append(harness.EchoRequest(harness.Legacy, 64).Body, '\n')
			br := bufio.NewReaderSize(cr, 64<<10)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := cw.Write(line); err != nil {
					b.Fatal(err)
				}
				if _, err := br.ReadSlice('\n'); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
