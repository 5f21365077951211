package harness

import (
	"context"
	"errors"
	"testing"
)

// BenchmarkPeer is the testing.B form of workload 1a and of tools/list, client
// and server in one process, one call at a time: allocs/op and B/op cover both
// sides. Use it from a _test.go file with one line per peer.
func BenchmarkPeer(b *testing.B, p Peer) {
	for _, proto := range []string{Legacy, Modern} {
		e := &Env{Peer: p, MsgLen: 64}
		b.Run("Echo/in-memory/"+proto, func(b *testing.B) {
			srv, err := p.NewServer(ServerConfig{})
			if err != nil {
				b.Fatal(err)
			}
			c, err := p.DialInMemory(context.Background(), srv, proto)
			skipOrFail(b, err)
			defer c.Close()
			benchEcho(b, e.echoer(c))
		})
		b.Run("Echo/io.Pipe/"+proto, func(b *testing.B) {
			c, stop, err := e.streamPair(proto)
			skipOrFail(b, err)
			defer stop()
			benchEcho(b, e.echoer(c))
		})
	}
}

// skipOrFail ends a benchmark of what the peer does not have, or what went wrong.
func skipOrFail(b *testing.B, err error) {
	switch {
	case errors.Is(err, ErrUnsupported):
		b.Skip(err)
	case err != nil:
		b.Fatal(err)
	}
}

func benchEcho(b *testing.B, f func() error) {
	b.ReportAllocs()
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
}
